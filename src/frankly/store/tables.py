"""The tables: nothing beside a report says when, from where, or by whom it came."""

from sqlalchemy import BigInteger, Column, Integer, LargeBinary, MetaData, Table, Text

__all__ = ["ALL", "METADATA", "UNUSED", "counter", "invitation", "report", "shown", "survey"]

METADATA = MetaData()

UNUSED = bytes(32)
"""The receipt beside an invitation that nobody has used: as long as a real one, so that using it
changes bytes in place and leaves no trace of when."""

survey = Table(
    "survey",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("fingerprint", Text, nullable=False),
    Column("document", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("mode", Text, nullable=False),
)

invitation = Table(
    "invitation",
    METADATA,
    Column("survey", Text, primary_key=True),
    Column("secret", LargeBinary(32), primary_key=True),
    Column("receipt", LargeBinary(32), nullable=False),
)

report = Table(
    "report",
    METADATA,
    Column("survey", Text, primary_key=True),
    Column("key", LargeBinary(16), primary_key=True),
    Column("codes", LargeBinary, nullable=False),
)

counter = Table(
    "counter",
    METADATA,
    Column("survey", Text, primary_key=True),
    Column("form", Integer, primary_key=True, autoincrement=False),
    Column("names", Text, primary_key=True),
    Column("cell", Integer, primary_key=True, autoincrement=False),
    Column("shard", Integer, primary_key=True, autoincrement=False),
    Column("n", BigInteger, nullable=False),
)

shown = Table(
    "shown",
    METADATA,
    Column("survey", Text, primary_key=True),
    Column("n", BigInteger, nullable=False),
    Column("counts", Text, nullable=False),
)

ALL = (survey, invitation, report, counter, shown)
"""Every table, in the order in which a backup copies them."""
