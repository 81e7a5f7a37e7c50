"""Accounts, drafts, models and published tables: what the studio keeps."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

TABLES = {
    "account": (["name"], ["password", "role"]),
    "link": (["secret"], ["account", "role", "ends"]),
    "session": (["secret"], ["account", "ends"]),
    "key": (["secret"], ["account", "label", "powers"]),
    "member": (["survey", "account"], ["role"]),
    "draft": (["name"], ["document", "plan"]),
    "model": (["survey", "name"], ["document"]),
    "published": (["survey"], ["document"]),
}
"""For each table the columns of its key, and the others."""

KINDS: dict[str, sa.types.TypeEngine[bytes] | sa.types.TypeEngine[int]] = {
    "secret": sa.LargeBinary(32),
    "ends": sa.BigInteger(),
}


def upgrade() -> None:
    """Create the studio's tables."""
    for table, (keys, others) in TABLES.items():
        columns = [sa.Column(name, kind(name), primary_key=True) for name in keys]
        op.create_table(table, *columns, *(sa.Column(n, kind(n), nullable=False) for n in others))


def kind(
    name: str,
) -> "sa.types.TypeEngine[str] | sa.types.TypeEngine[bytes] | sa.types.TypeEngine[int]":
    """Give the type of a column: text, unless told otherwise."""
    return KINDS.get(name, sa.Text())
