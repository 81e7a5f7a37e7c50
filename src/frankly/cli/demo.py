"""frankly demo: a made-up ward answers the sample survey, and we look how well it is read."""

from collections.abc import Iterator, Mapping
from typing import Any

import click
import numpy as np
import yaml
from rich import box
from rich.console import Console
from rich.table import Table

from frankly.cli.new import sample
from frankly.cli.screen import json_option, print_json
from frankly.design import Design
from frankly.estimate import estimate
from frankly.estimate.text import percent
from frankly.randomize import randomize

__all__ = ["demo"]

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


@click.command()
@click.option(
    "--people",
    type=click.IntRange(min=100),
    default=4000,
    show_default=True,
    help="How many people answer.",
)
@json_option
def demo(*, people: int, machine: bool) -> None:
    """Simulate a survey and print its estimates beside the truth.

    The people are made up; the survey, the coin and the estimates are the real ones. Chance
    comes from the operating system, so every run is different.
    """
    design = Design.from_document(yaml.safe_load(sample()))
    reports = randomize(design, simulated(people, np.random.default_rng()))
    rows = list(compared(design, reports))
    if machine:
        print_json({"people": people, "epsilon": design.epsilon, "rows": rows})
    else:
        show(design, people, rows)


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
    console.print(f"\n[bold]{design.title}[/bold], a simulated survey")
    console.print(laid_out(rows))
    console.print(" ".join(STORY.format(people=people).split()))
    console.print("\nMake your own: [bold]frankly new survey.yaml[/bold]")


def laid_out(rows: list[dict[str, Any]]) -> Table:
    """Lay the rows out, one section a question."""
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        caption="Seen: among the reports. About one 95% interval in twenty misses the truth.",
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
