"""frankly serve: the respondent's server on one port, the owner's on another."""

import click

from frankly.cli.address import address_of, refuse_everywhere, whole_address
from frankly.cli.database import database_option, opened
from frankly.cli.service import PORT, Service
from frankly.collect.cores import cores
from frankly.collect.doors import doors, listen
from frankly.store.people import accounts, make_link

__all__ = ["serve"]


@click.command()
@database_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", type=PORT, default=8000, show_default=True, help="The respondents' port.")
@click.option(
    "--owner-port",
    type=PORT,
    default=8001,
    show_default=True,
    help="The owner's port, always on this machine.",
)
@click.option(
    "--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Worker processes."
)
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="A proxy on this machine passes the owner's port on, and says where visitors come from.",
)
@click.option(
    "--base",
    callback=whole_address,
    help="Where respondents reach the service from outside, e.g. https://ask.example.",
)
def serve(
    *,
    url: str,
    host: str,
    port: int,
    owner_port: int,
    workers: int,
    behind_proxy: bool,
    base: str | None,
) -> None:
    """Serve surveys until Ctrl-C.

    Respondents and the owner have ports of their own, because one port would be one origin for a
    browser. The owner's side listens on this machine only. At the first start a link is printed
    with which the first account is made.
    """
    if base is None:
        refuse_everywhere(host)
    with opened(url) as store:
        names = store.surveys()
        first = None if accounts(store) else make_link(store)
    front, owners = doors(host, port, workers), listen("127.0.0.1", owner_port)
    service = Service(url)
    with service.until_told():
        for door, core in zip(front, cores(url, workers), strict=True):
            service.start("collect", door, core)
        respondents = base or address_of(host, front[0].getsockname()[1])
        owner = address_of("127.0.0.1", owners.getsockname()[1])
        service.start(
            "studio",
            owners,
            FRANKLY_RESPONDENTS=respondents,
            FRANKLY_BEHIND_PROXY="yes" if behind_proxy else "no",
        )
        for name in names or ["NAME"]:
            click.echo(f"Respondents  {respondents}/{name}/")
        click.echo(f"Owner        {owner}/")
        if first is not None:
            click.echo(f"Make the first account, once:  {owner}/welcome/{first}")
        click.echo("Ctrl-C stops the service; every acknowledged answer is on disk.")
        service.watch()
