"""frankly relay: carry messages between parties, without being able to read them."""

from pathlib import Path
from urllib.parse import urlsplit

import click

from frankly.cli.screen import note
from frankly.collaborate import Identity, Session
from frankly.collaborate.relay import serve

__all__ = ["relay"]


@click.command()
@click.argument("session", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--identity",
    "-i",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path("relay"),
    show_default=True,
    help="The relay's own folder, made by frankly party init.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="The port to listen at; the one in the session's address.",
)
def relay(session: Path, *, identity: Path, host: str, port: int | None) -> None:
    """Carry messages between the parties of SESSION.

    The relay sees masked or encrypted numbers only, and lets nobody in but the parties. What it
    has taken is kept in its folder, so it may be stopped and started again.
    """
    agreed = Session.load(session)
    known = urlsplit(agreed.relay.get("url", "")).port or 443
    place = (host, port or known)
    serve(
        agreed,
        Identity(identity),
        identity / "messages",
        place,
        lambda: note(f"the relay of session {agreed.id} is ready at {place[0]}:{place[1]}"),
    )
