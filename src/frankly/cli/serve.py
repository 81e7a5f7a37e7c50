"""frankly serve: the respondent's server on one port, the owner's on another."""

import secrets

import click

from frankly.cli.database import database_option
from frankly.cli.service import Service, listen
from frankly.store import Store

__all__ = ["serve"]


@click.command()
@database_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", default=8000, show_default=True, help="The respondents' port.")
@click.option(
    "--owner-port",
    default=8001,
    show_default=True,
    help="The owner's port, always on this machine.",
)
@click.option(
    "--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Worker processes."
)
def serve(*, url: str, host: str, port: int, owner_port: int, workers: int) -> None:
    """Serve surveys until Ctrl-C.

    Respondents and the owner have ports of their own, because one port would be one origin for a
    browser. The owner's page listens on this machine only, under an address with a key.
    """
    with Store(url) as store:
        names = store.surveys()
    key = secrets.token_urlsafe(16)
    doors = listen(host, port), listen("127.0.0.1", owner_port)
    service = Service(url)
    with service.until_told():
        service.start("collect", doors[0], workers)
        service.start("studio", doors[1], FRANKLY_OWNER_KEY=key)
        for name in names or ["NAME"]:
            click.echo(f"Respondents  http://{host}:{doors[0].getsockname()[1]}/{name}/")
        click.echo(f"Owner        http://127.0.0.1:{doors[1].getsockname()[1]}/{key}/")
        click.echo("Ctrl-C stops the service; every acknowledged answer is on disk.")
        service.watch()
