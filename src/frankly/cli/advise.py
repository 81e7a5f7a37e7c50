"""frankly advise: wishes in, a survey's groups, forms and thetas out."""

import sys
from pathlib import Path
from typing import Any, get_args

import click

from frankly.advise import Advice, Mine
from frankly.advise import advise as find
from frankly.cli.output import only_alike, only_new, spare, writing, written
from frankly.cli.screen import json_option, print_json, say
from frankly.cli.shares import expected
from frankly.design import Design
from frankly.report import front_svg

__all__ = ["advise"]

Output = click.Path(dir_okay=False, path_type=Path)


class Spelled(click.Choice[str]):
    """Names as `frankly mine` spells them, or as Python does."""

    def convert(self, value: Any, *more: Any) -> str:
        """Read either; give Python's."""
        return super().convert(value.replace("_", "-"), *more).replace("-", "_")


@click.command()
@click.option(
    "--questions",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help="A survey document; its clear questions stay clear.",
)
@click.option("--n", type=click.IntRange(min=2), help="How many people answer.")
@click.option("--precision", type=float, help="Half-width wanted of every interval: 0.03.")
@click.option("--max-epsilon", type=float, help="Largest epsilon of a whole report.")
@click.option("--max-posterior", type=float, help="Largest chance any report may give a truth.")
@click.option("--max-exposed", type=float, help="Largest share of truth-tellers exposed at 0.9.")
@click.option("--min-privacy", type=float, help="Smallest privacy (PSE) of any question.")
@click.option("--target", metavar="NAME", help="The question to predict.")
@click.option(
    "--mine",
    type=Spelled([one.replace("_", "-") for one in get_args(Mine)]),
    default="shares",
    show_default=True,
    help="What will be mined.",
)
@click.option("--assured", is_flag=True, help="Keep the precision in 95% of surveys.")
@click.option(
    "--share",
    multiple=True,
    metavar="SHARE|NAME=SHARES",
    help="Shares expected: 0.1, or ill=0.1 and took=0.8,0.15,0.05; the worst case if not given.",
)
@click.option("--output", "-o", type=Output, help="Write the advised survey here.")
@click.option("--svg", type=Output, help="Draw precision against privacy.")
@click.option("--force", is_flag=True, help="Replace the advised survey if it is there already.")
@json_option
def advise(
    questions: Path,
    *,
    output: Path | None,
    svg: Path | None,
    force: bool,
    machine: bool,
    **wishes: Any,
) -> None:
    """Advise on groups, forms, thetas and the number of people.

    Name two of the three: how many people, how precise, how private. The exit code is 1 when
    the wishes cannot all be met; then it is said which to relax and by how much.
    """
    spare([questions], output, svg)
    only_new(output, force=force)
    only_alike(svg=svg)
    design = Design.load(questions)
    target = wishes.pop("target") or design.target
    wishes["share"] = expected(wishes["share"])
    advice = find(design if design.hides else design.attributes, target=target, **wishes)
    write(advice, design, output, svg)
    if machine:
        print_json(advice.to_dict())
    else:
        say(advice.summary())
    sys.exit(0 if advice.possible else 1)


def write(advice: Advice, asked: Design, output: Path | None, svg: Path | None) -> None:
    """Write the files that were asked for; titles and words stay those of the survey."""
    if output and advice.design is not None:
        words = Design(
            advice.design.attributes,
            forms=advice.design.forms,
            title=asked.title,
            about=asked.about,
            languages=asked.languages,
            target=advice.design.target,
            version=asked.version,
        )
        with writing(output) as part:
            words.save(part)
    if svg:
        written(svg, front_svg(advice))
