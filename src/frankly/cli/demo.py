"""frankly demo: the whole service on a made-up ward, with a crowd of simulated respondents."""

import socket
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

import click
import numpy as np
import yaml
from rich import box
from rich.console import Console
from rich.table import Table

from frankly.cli.new import sample
from frankly.cli.screen import json_option, print_json, progress_bar
from frankly.cli.service import PORT, Service
from frankly.collect.doors import listen
from frankly.design import Design
from frankly.errors import FranklyError
from frankly.estimate import estimate
from frankly.estimate.text import percent
from frankly.randomize import randomize
from frankly.store import Answer, Rows, Store, hashed, ingest
from frankly.store.people import make_link

__all__ = ["answer_all", "demo"]

POPULATION: Mapping[str, Mapping[str, float]] = {
    "mistake": {"no": 0.82, "yes": 0.18},
    "took": {"never": 0.88, "once": 0.08, "more often": 0.04},
    "drove": {"no": 0.65, "yes": 0.35},
    "shift": {"days": 0.7, "nights": 0.3},
}
"""How common each answer is on the made-up wards: what the survey is to find out."""

HEADINGS = ("question", "answer", "truth", "seen", "estimate ± points", "95% interval")

STORY = """\
{people:,} made-up nurses and doctors answered four questions, and for each protected one their
own device tossed a coin: half of the time it sent the true answer, otherwise one drawn by chance.
So a "yes" among the reports proves nothing about anybody, not even to whoever holds them all.
But the chance is known and can be taken out of the totals again, which leaves the truth about
the whole, each share with its error.
"""

NAME = "ward"
VISITORS = 3


@click.command()
@click.option(
    "--people",
    type=click.IntRange(min=100),
    default=4000,
    show_default=True,
    help="How many people answer.",
)
@click.option(
    "--serve/--no-serve", default=True, help="Start the service, or only print the table."
)
@click.option(
    "--port",
    type=PORT,
    default=8000,
    show_default=True,
    help="The respondents' port; the owner's is next.",
)
@json_option
def demo(*, people: int, serve: bool, port: int, machine: bool) -> None:
    """Run a survey with simulated respondents, and let you answer it too.

    The people are made up; the survey, the coin, the service and the estimates are the real
    ones. Chance comes from the operating system, so every run is different. Ctrl-C stops
    everything, and nothing is left behind.
    """
    design = Design.from_document(yaml.safe_load(sample()))
    reports = randomize(design, simulated(people, np.random.default_rng()))
    rows = list(compared(design, reports))
    if machine:
        print_json({"people": people, "epsilon": design.epsilon, "rows": rows})
        return
    show(design, people, rows)
    if serve:
        with tempfile.TemporaryDirectory(prefix="frankly-demo-") as folder:
            run(design, reports, Path(folder) / "demo.sqlite", port)


def run(design: Design, reports: Mapping[str, Sequence[str]], file: Path, port: int) -> None:
    """Fill a store with the crowd's reports, start the service, and print the links."""
    with Store(str(file)) as store:
        store.open_survey(NAME, design, "invited")
        answer_all(store, NAME, reports)
        visitors = store.invite(NAME, VISITORS)
        first = make_link(store)
    respondents, owner = free_port(port), free_port((port + 1) % 65536 if port else 0)
    service = Service(str(file))
    with service.until_told():
        service.start("collect", respondents)
        where = [f"http://127.0.0.1:{one.getsockname()[1]}" for one in (respondents, owner)]
        service.start("studio", owner, FRANKLY_RESPONDENTS=where[0])
        wait_for(f"{where[0]}/healthz", f"{where[1]}/healthz")
        tell_links(where[0], f"{where[1]}/welcome/{first}", visitors)
        service.watch()


def answer_all(store: Store, name: str, reports: Mapping[str, Sequence[str]]) -> None:
    """Send the crowd's reports in, each with an invitation and a receipt of its own."""
    design = store.survey(name).design
    rows, columns = Rows(design), [reports[column] for column in design.names]
    known = [design.forms[0].reported(column).index for column in design.names]
    packed = [
        rows.pack(0, [code(str(label)) for code, label in zip(known, person, strict=True)])
        for person in zip(*columns, strict=True)
    ]
    secrets = store.invite(name, len(packed))
    with progress_bar("Answering") as progress:
        for start in range(0, len(packed), 500):
            batch = zip(secrets[start : start + 500], packed[start : start + 500], strict=True)
            ingest(store, [Answer(name, hashed(s), hashed(token_urlsafe(16)), r) for s, r in batch])
            progress(min(start + 500, len(packed)), len(packed))


def free_port(port: int) -> socket.socket:
    """Open a port, or any other when it is taken."""
    try:
        return listen("127.0.0.1", port)
    except FranklyError:
        return listen("127.0.0.1", 0)


def wait_for(*addresses: str) -> None:
    """Wait until each address answers."""
    for address in addresses:
        for _ in range(300):
            try:
                with urllib.request.urlopen(address, timeout=5):  # noqa: S310 - our own, http
                    break
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        else:
            raise FranklyError("the service did not start within half a minute")


def tell_links(respondents: str, owner: str, visitors: Sequence[str]) -> None:
    """Print where to go."""
    click.echo(f"\nMake the owner's account:  {owner}")
    for i, secret in enumerate(visitors):
        words = "Answer it yourself, once:" if i == 0 else "or on another device:"
        click.echo(f"{words:<25}  {respondents}/{NAME}/#{secret}")
    click.echo("\nCtrl-C stops the service.")


def simulated(people: int, chance: np.random.Generator) -> dict[str, Any]:
    """Make people up, as the population has them."""
    return {
        name: chance.choice(list(shares), people, p=list(shares.values()))
        for name, shares in POPULATION.items()
    }


def compared(design: Design, reports: Any) -> Iterator[dict[str, Any]]:
    """Estimate every question, and put truth, seen and estimate side by side."""
    for name in design.names:
        result = estimate(design, reports, [name])
        ends = result.interval()
        for code, value in enumerate(design[name].values):
            yield {
                "name": name,
                "value": value,
                "truth": POPULATION[name][value],
                "seen": float(np.mean(reports[name] == value)),
                "share": float(result.share[code]),
                "stderr": float(result.stderr[code]),
                "low": float(ends[code][0]),
                "high": float(ends[code][1]),
            }


def show(design: Design, people: int, rows: list[dict[str, Any]]) -> None:
    """Print the table and the story for people."""
    console = Console(highlight=False)
    title = design.title if isinstance(design.title, str) else design.title[design.languages[0]]
    console.print(f"\n[bold]{title}[/bold], a simulated survey")
    console.print(laid_out(rows))
    console.print(" ".join(STORY.format(people=people).split()))
    console.print("\nMake your own: [bold]frankly new survey.yaml[/bold]")


def laid_out(rows: list[dict[str, Any]]) -> Table:
    """Lay the rows out, one section a question."""
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        caption="Seen: among the reports. ±: standard error. About one 95% interval in twenty "
        "misses the truth.",
        caption_justify="left",
    )
    for heading, side in zip(HEADINGS, ("left", "left", *["right"] * 4), strict=True):
        table.add_column(heading, justify=side, no_wrap=True)  # type: ignore[arg-type]
    for row, before in zip(rows, [None, *rows], strict=False):
        new = before is None or row["name"] != before["name"]
        table.add_row(row["name"] if new else "", *cells(row))
    return table


def cells(row: Mapping[str, Any]) -> list[str]:
    """Write one row's numbers as people read them."""
    interval = f"{percent(row['low'])} to {percent(row['high'])}"
    error = f"± {100 * row['stderr']:.1f}"
    return [
        row["value"],
        percent(row["truth"]),
        percent(row["seen"]),
        f"{percent(row['share'])} {error}",
        interval,
    ]
