"""A random mark for each survey, so that the next of a name is not taken for the last."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Give every survey its mark."""
    mark = sa.Column("mark", sa.LargeBinary(16), nullable=False, server_default=sa.text("''"))
    op.add_column("survey", mark)
    survey = sa.table("survey", sa.column("name"), sa.column("mark"))
    connection = op.get_bind()
    for name in list(connection.scalars(sa.select(survey.c.name))):
        drawn = sa.update(survey).where(survey.c.name == name).values(mark=secrets.token_bytes(16))
        connection.execute(drawn)
