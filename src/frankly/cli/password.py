"""frankly password: a link with which somebody chooses a new password."""

import click

from frankly.cli.address import whole_address
from frankly.cli.database import database_option, existing
from frankly.errors import FranklyError
from frankly.store.people import accounts, find_account, make_link

__all__ = ["password"]


@click.command()
@click.argument("name")
@click.option(
    "--base",
    default="http://127.0.0.1:8001",
    show_default=True,
    callback=whole_address,
    help="Where the owner reaches the studio.",
)
@database_option
def password(name: str, *, base: str, url: str) -> None:
    """Print a link with which somebody chooses a new password.

    NAME is the account. The link works once, for one day; the old password works until it is
    used, and then every session of the account ends. Whoever may run this command may read the
    database, so it gives no power that they did not have.
    """
    with existing(url) as store:
        found = find_account(store, name.strip().lower())
        if found is None:
            known = ", ".join(one.name for one in accounts(store)) or "none yet"
            raise FranklyError(f"there is no account {name!r}. Accounts: {known}")
        secret = make_link(store, account_name=found.name, role=found.role, days=1)
    click.echo(f"{base}/welcome/{secret}")
