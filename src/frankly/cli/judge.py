"""frankly judge: how often a model is right about true answers, told by test reports."""

from pathlib import Path

import click

from frankly.cli.reports import design_of, design_option, read_reports
from frankly.cli.screen import json_option, print_json, say_estimate
from frankly.count import engine_for
from frankly.errors import DesignError, ReportError
from frankly.estimate import Target
from frankly.judge import accuracy
from frankly.mine import Miner, load

__all__ = ["judge"]


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("reports", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--about",
    type=click.Choice(["population", "people"]),
    default="population",
    show_default=True,
    help="Whether the people are a sample, or the only ones who matter.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="How sure the interval is.",
)
@design_option
@json_option
def judge(
    model: Path,
    reports: Path,
    *,
    about: Target,
    level: float,
    survey: Path | None,
    machine: bool,
) -> None:
    """Judge a model by reports it has not seen.

    MODEL is a file made by frankly mine -o. REPORTS were made under the same survey, by people
    whose reports the model was not learned from.
    """
    found = load(model)
    if not isinstance(found, Miner):
        raise DesignError(f"{model.name} predicts no attribute, so it cannot be right or wrong")
    design = found.known_design()
    if design.hides and design_of(reports, survey).fingerprint != design.fingerprint:
        raise ReportError(
            f"{reports.name} was made under another survey than the model: nothing can be judged. "
            "Give reports of the model's own survey"
        )
    result = accuracy(found, engine_for(design, read_reports(reports, design)), target=about)
    if machine:
        print_json(result.to_dict(level))
    else:
        say_estimate(result.summary(level), level)
