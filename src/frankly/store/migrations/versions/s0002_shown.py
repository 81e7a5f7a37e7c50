"""What the owner was last shown, so that a page never follows single answers."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the table of what was shown."""
    op.create_table(
        "shown",
        sa.Column("survey", sa.Text, primary_key=True),
        sa.Column("n", sa.BigInteger, nullable=False),
        sa.Column("counts", sa.Text, nullable=False),
    )
