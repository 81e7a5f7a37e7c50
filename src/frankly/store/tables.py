"""The tables: nothing beside a report says when, from where, or by whom it came."""

from sqlalchemy import BigInteger, Column, Float, Integer, LargeBinary, MetaData, Table, Text

__all__ = [
    "ALL",
    "METADATA",
    "OF_A_SURVEY",
    "UNUSED",
    "account",
    "counter",
    "draft",
    "invitation",
    "key",
    "link",
    "member",
    "model",
    "published",
    "report",
    "session",
    "shown",
    "spent",
    "survey",
    "tray",
]

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
    Column("mark", LargeBinary(16), nullable=False),
)
"""Surveys by name; the mark is random, so that the next of a name is not taken for the last."""

invitation = Table(
    "invitation",
    METADATA,
    Column("survey", Text, primary_key=True),
    Column("secret", LargeBinary(32), primary_key=True),
    Column("receipt", LargeBinary(32), nullable=False),
)

tray = Table(
    "tray",
    METADATA,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("survey", Text, nullable=False),
    Column("codes", LargeBinary, nullable=False),
    Column("pairs", LargeBinary, nullable=False),
    Column("more", LargeBinary, nullable=False),
)
"""The batches of the last moments: reports on their way to sheets, and invitations with receipts on
their way to `invitation`."""

report = Table(
    "report",
    METADATA,
    Column("survey", Text, primary_key=True),
    Column("key", LargeBinary(16), primary_key=True),
    Column("codes", LargeBinary, nullable=False),
)
"""Sheets of many reports each, under random keys; some of their places may be blank."""

counter = Table(
    "counter",
    METADATA,
    Column("survey", Text, primary_key=True),
    Column("form", Integer, primary_key=True, autoincrement=False),
    Column("shard", Integer, primary_key=True, autoincrement=False),
    Column("counts", LargeBinary, nullable=False),
)
"""All tables of a form behind one another, of the reports that one process took in."""

shown = Table(
    "shown",
    METADATA,
    Column("survey", Text, primary_key=True),
    Column("n", BigInteger, nullable=False),
    Column("counts", Text, nullable=False),
)

account = Table(
    "account",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("password", Text, nullable=False),
    Column("role", Text, nullable=False),
)
"""Who may sign in to the studio: never a respondent."""

link = Table(
    "link",
    METADATA,
    Column("secret", LargeBinary(32), primary_key=True),
    Column("account", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("ends", BigInteger, nullable=False),
)
"""Links that work once: to make an account (no name yet), or to choose a new password."""

session = Table(
    "session",
    METADATA,
    Column("secret", LargeBinary(32), primary_key=True),
    Column("account", Text, nullable=False),
    Column("ends", BigInteger, nullable=False),
)

key = Table(
    "key",
    METADATA,
    Column("secret", LargeBinary(32), primary_key=True),
    Column("account", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("powers", Text, nullable=False),
)
"""Keys of programs; only their hashes."""

member = Table(
    "member",
    METADATA,
    Column("survey", Text, primary_key=True),
    Column("account", Text, primary_key=True),
    Column("role", Text, nullable=False),
)
"""Whose survey it is, and who may look at its results."""

draft = Table(
    "draft",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("document", Text, nullable=False),
    Column("plan", Text, nullable=False),
)
"""A survey that is still being written: its document, and what its owner expects of it."""

model = Table(
    "model",
    METADATA,
    Column("survey", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("document", Text, nullable=False),
)

published = Table(
    "published",
    METADATA,
    Column("survey", Text, primary_key=True),
    Column("document", Text, nullable=False),
)
"""The one set of tables that a survey has published, for good."""

spent = Table(
    "spent",
    METADATA,
    Column("panel", Text, primary_key=True),
    Column("epsilon", Float, nullable=False),
    Column("budget", Float, nullable=False),
)
"""What deleted surveys have revealed about a panel's people: deleting does not unsay it."""

OF_A_SURVEY = (invitation, report, counter, shown, member, model, published)
"""What goes when a survey is deleted."""

ALL = (
    *(survey, invitation, report, counter, shown),
    *(account, link, session, key, member, draft, model, published, spent),
)
"""Every table in which something stays, in the order in which a backup copies them."""
