"""A random mark for each survey, counters in one row, and what deleted surveys have spent."""

import secrets

import sqlalchemy as sa
from alembic import op

from frankly.store.counters import Counters, Vector, write_vector
from frankly.store.store import read_design
from frankly.store.tables import counter, report

revision = "0004"
down_revision = "0003"

CHUNK = 50_000


def upgrade() -> None:
    """Mark every survey, count its reports anew, and make room for what is spent."""
    mark = sa.Column("mark", sa.LargeBinary(16), nullable=False, server_default=sa.text("''"))
    op.add_column("survey", mark)
    op.drop_table("counter")
    op.create_table(
        "counter",
        sa.Column("survey", sa.Text, primary_key=True),
        sa.Column("form", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("shard", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("counts", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "spent",
        sa.Column("panel", sa.Text, primary_key=True),
        sa.Column("epsilon", sa.Float, nullable=False),
        sa.Column("budget", sa.Float, nullable=False),
    )
    survey = sa.table("survey", sa.column("name"), sa.column("document"), sa.column("mark"))
    connection = op.get_bind()
    for name, document in connection.execute(sa.select(survey.c.name, survey.c.document)).all():
        drawn = sa.update(survey).where(survey.c.name == name).values(mark=secrets.token_bytes(16))
        connection.execute(drawn)
        for form, vector in sums(connection, name, Counters(read_design(document))).items():
            values = {"survey": name, "form": form, "shard": 0, "counts": write_vector(vector)}
            connection.execute(sa.insert(counter).values(**values))


def sums(connection: sa.Connection, name: str, plan: Counters) -> dict[int, Vector]:
    """Count all reports of a survey, some at a time."""
    found: dict[int, Vector] = {}
    query = sa.select(report.c.codes).where(report.c.survey == name)
    for packed in connection.scalars(query).partitions(CHUNK):
        for form, vector in plan.tally(plan.rows.unpack(packed)).items():
            found[form] = vector + found.get(form, 0)
    return found
