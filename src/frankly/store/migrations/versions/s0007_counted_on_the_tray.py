"""What a batch counts lies on the tray with it; what lies there already is counted."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make room for what a batch counts."""
    connection = op.get_bind()
    if any(column["name"] == "more" for column in sa.inspect(connection).get_columns("tray")):
        return
    nothing = "x''" if connection.dialect.name == "sqlite" else "''"
    more = sa.Column("more", sa.LargeBinary, nullable=False, server_default=sa.text(nothing))
    op.add_column("tray", more)
