"""frankly verify-site: compare a live site with the page as it was published."""

import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import click
import httpx

from frankly.cli.screen import json_option, print_json
from frankly.collect import integrity, load_site
from frankly.errors import FranklyError

__all__ = ["compare", "verify_site"]


@dataclass(frozen=True)
class Difference:
    """One thing that is not as published."""

    what: str
    why: str


@click.command("verify-site")
@click.argument("url", required=False)
@click.option("--hashes", is_flag=True, help="Print the hashes of this version; no URL then.")
@json_option
def verify_site(url: str | None, *, hashes: bool, machine: bool) -> None:
    """Compare a live survey page with this version's, byte for byte.

    URL is a survey's address, without the part after #. Run it from outside, as any visitor: the
    page's own integrity hashes stop a tampered proxy, but only a comparison from outside can show
    that a collector changed the page itself. Exits with 1 if anything differs.
    """
    site = load_site()
    if hashes == (url is not None):  # an empty variable in a script must not pass for a comparison
        raise FranklyError(
            "say either the survey's address, such as https://ask.example.org/ward/, to compare "
            "it, or --hashes to print what is to be published; nothing was compared"
        )
    if url is None:
        show_hashes(site.hashes(), machine=machine)
        return
    found = compare(url)
    if machine:
        print_json({"url": url, "differences": [one.__dict__ for one in found]})
    else:
        for one in found:
            click.echo(f"{one.what}: {one.why}")
        files = len(site.assets) + 1
        click.echo(f"{len(found)} differences" if found else f"{files} files are as published")
    if found:
        raise SystemExit(1)


def show_hashes(hashes: dict[str, str], *, machine: bool) -> None:
    """Print the hash of every file."""
    if machine:
        print_json(hashes)
    else:
        for path, digest in hashes.items():
            click.echo(f"{digest}  {path}")


def compare(url: str) -> list[Difference]:
    """List everything at a survey's address that is not as published."""
    site = load_site()
    base = urljoin(url.partition("#")[0], "./")
    if urlsplit(base).scheme not in {"http", "https"}:
        raise FranklyError("give the survey's address, such as https://ask.example.org/ward/")
    found: list[Difference] = []
    try:
        with httpx.Client(follow_redirects=False, timeout=20) as client:
            page = client.get(base)
            found += differs("page", page, site.page.body)
            for name, value in site.headers.items():
                if page.headers.get(name) != value:
                    found.append(Difference(f"header {name}", "is missing or another"))
            if page.headers.get("set-cookie"):
                found.append(Difference("header Set-Cookie", "the page sets a cookie"))
            for path, asset in site.assets.items():
                found += differs(
                    f"web/{path}", client.get(urljoin(base, f"/web/{path}")), asset.body
                )
            found += loaded_elsewhere(page.text)
    except httpx.HTTPError as error:
        raise FranklyError(
            f"the site did not answer ({type(error).__name__}), so nothing was compared. Is the "
            "service running, and does the address open in a browser on this machine?"
        ) from error
    return found


def differs(what: str, answer: httpx.Response, expected: bytes) -> list[Difference]:
    """Compare one file."""
    if answer.status_code != 200:
        return [Difference(what, f"status {answer.status_code}")]
    if answer.content != expected:
        return [Difference(what, f"{integrity(answer.content)}, expected {integrity(expected)}")]
    return []


def loaded_elsewhere(page: str) -> list[Difference]:
    """Name what the page loads beside its own files."""
    links = re.findall(r'(?:src|href)="([^"]+)"', page)
    strange = [link for link in links if not link.startswith("/web/") and link != "paper"]
    return [Difference(link, "is not part of the published page") for link in strange]
