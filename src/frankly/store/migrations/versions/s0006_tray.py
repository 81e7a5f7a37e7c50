"""A tray for the batches of the last moments."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make an empty tray."""
    op.create_table(
        "tray",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("survey", sa.Text, nullable=False),
        sa.Column("codes", sa.LargeBinary, nullable=False),
        sa.Column("pairs", sa.LargeBinary, nullable=False),
        if_not_exists=True,
    )
