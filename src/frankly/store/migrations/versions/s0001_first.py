"""Surveys, invitations, reports and counters."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the first tables."""
    op.create_table(
        "survey",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("mode", sa.Text, nullable=False),
    )
    op.create_table(
        "invitation",
        sa.Column("survey", sa.Text, primary_key=True),
        sa.Column("secret", sa.LargeBinary(32), primary_key=True),
        sa.Column("receipt", sa.LargeBinary(32), nullable=False),
    )
    op.create_table(
        "report",
        sa.Column("survey", sa.Text, primary_key=True),
        sa.Column("key", sa.LargeBinary(16), primary_key=True),
        sa.Column("codes", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "counter",
        sa.Column("survey", sa.Text, primary_key=True),
        sa.Column("form", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("names", sa.Text, primary_key=True),
        sa.Column("cell", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("shard", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("n", sa.BigInteger, nullable=False),
    )
