"""frankly mine: reports in, a model of the truth out."""

import inspect
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from frankly.cli.output import only_alike, spare, writing, written
from frankly.cli.reports import design_of, design_option, read_reports
from frankly.cli.screen import json_option, note, print_json, progress_bar, say
from frankly.count import Engine, engine_for
from frankly.design import Design
from frankly.errors import DesignError
from frankly.mine import MINERS, Learner
from frankly.mine.saved import document
from frankly.report import tree_svg

__all__ = ["mine"]

method_option = click.option(
    "--method",
    type=click.Choice(["auto", "inverse", "em", "shrink", "map"]),
    help="How shares of the truth are made; auto chooses by the survey and says why.",
)


@click.command()
@click.argument("miner", type=click.Choice(list(MINERS)))
@click.argument("reports", type=click.Path(exists=True, path_type=Path))
@click.option("--target", metavar="NAME", help="The attribute to predict.")
@method_option
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting of the miner, for instance max_depth=4.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Save the model as JSON, for frankly judge.",
)
@click.option(
    "--svg", type=click.Path(dir_okay=False, path_type=Path), help="Draw a tree into this file."
)
@design_option
@json_option
def mine(  # noqa: PLR0913 - one parameter an option
    miner: str,
    reports: Path,
    *,
    target: str | None,
    method: str | None,
    settings: tuple[str, ...],
    output: Path | None,
    svg: Path | None,
    survey: Path | None,
    machine: bool,
) -> None:
    """Learn a model of the truth from reports.

    MINER is what to learn. REPORTS is a .parquet or .csv file made by frankly randomize, or a
    folder of .parquet files.
    """
    spare([reports, survey], output, svg)
    only_alike(model=output, svg=svg)
    design = design_of(reports, survey)
    wanted = {"target": target, "method": method, **dict(map(setting, settings))}
    given = {key: value for key, value in wanted.items() if value is not None}
    model = made(MINERS[miner], design, given)
    if svg is not None and not hasattr(MINERS[miner], "splitter"):
        raise DesignError(f"{miner} is no tree, so there is nothing to draw: leave --svg out")
    learn(model, engine_for(design, read_reports(reports, design)))
    if svg is not None:
        written(svg, tree_svg(model))
    if output is not None:
        with writing(output) as part:
            model.save(part)
    if machine:
        print_json(document(model))
    else:
        say(model.summary())
        note(f"{model.method_}: {model.why_}")


def learn(model: Any, source: Engine) -> None:
    """Let the miner learn, and show how far it is if it tells."""
    if "progress" not in inspect.signature(model.fit).parameters:
        model.fit(source)
        return
    with progress_bar(f"fitting {model.kind}") as bar:
        model.fit(source, progress=bar)


def setting(text: str) -> tuple[str, Any]:
    """Read NAME=VALUE; values are JSON or lists of it, and whatever is not is a text.

    Examples
    --------
    >>> [setting(text) for text in ("k=3", "k=1,2,3", "k=[4]", "method=em")]
    [('k', 3), ('k', [1, 2, 3]), ('k', [4]), ('method', 'em')]
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise DesignError(f"a setting is NAME=VALUE, for instance max_depth=4; {text!r} is none")
    with suppress(ValueError):
        return name, json.loads(value)
    with suppress(ValueError):
        return name, json.loads(f"[{value}]") if "," in value else value
    return name, value


def made(kind: type[Learner], design: Design, settings: dict[str, Any]) -> Learner:
    """Make a miner, or say which settings it has."""
    known = [name for name in inspect.signature(kind).parameters if name != "design"]
    unknown = sorted(set(settings) - set(known))
    if unknown:
        raise DesignError(f"{kind.kind} has no setting {unknown}; it has {known}")
    return kind(design=design, **settings)
