"""Many reports on one sheet, where each had a row of its own."""

import sqlalchemy as sa
from alembic import op

from frankly.store.store import deal, questions_in

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Deal the reports of every survey out over sheets; blank places go."""
    survey = sa.table("survey", sa.column("name"), sa.column("document"))
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":  # whoever stores reads `survey`
        connection.exec_driver_sql("LOCK TABLE survey IN ACCESS EXCLUSIVE MODE")
    for name, document in connection.execute(sa.select(survey.c.name, survey.c.document)).all():
        deal(connection, name, questions_in(document))
