"""A random mark for each survey; and what deleted surveys have spent of a panel's budget."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Give every survey its mark, and create the table of what was spent."""
    mark = sa.Column("mark", sa.LargeBinary(16), nullable=False, server_default=sa.text("''"))
    op.add_column("survey", mark)
    survey = sa.table("survey", sa.column("name"), sa.column("mark"))
    connection = op.get_bind()
    for name in list(connection.scalars(sa.select(survey.c.name))):
        drawn = sa.update(survey).where(survey.c.name == name).values(mark=secrets.token_bytes(16))
        connection.execute(drawn)
    op.create_table(
        "spent",
        sa.Column("panel", sa.Text, primary_key=True),
        sa.Column("epsilon", sa.Float, nullable=False),
        sa.Column("budget", sa.Float, nullable=False),
    )
