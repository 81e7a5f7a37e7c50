"""frankly estimate: reports in, shares of the truth out."""

from pathlib import Path
from typing import Any

import click

from frankly.cli.reports import design_of, design_option, read_reports
from frankly.cli.screen import json_option, print_json, say_estimate
from frankly.count import engine_for
from frankly.estimate import METHODS, Method, estimate_by
from frankly.estimate import estimate as estimate_shares

__all__ = ["estimate"]


@click.command()
@click.argument("reports", type=click.Path(exists=True, path_type=Path))
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@design_option
@click.option("--by", multiple=True, metavar="NAME", help="Within each value of this question.")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="inverse",
    show_default=True,
    help="inverse is unbiased; mle and project stay within 0% and 100%.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="How sure the intervals are.",
)
@json_option
def estimate(
    reports: Path,
    names: tuple[str, ...],
    *,
    survey: Path | None,
    by: tuple[str, ...],
    method: Method,
    level: float,
    machine: bool,
) -> None:
    """Estimate shares of the truth from reports.

    For NAME, how common is each answer among the truths behind REPORTS?
    With several names all combinations of their answers are estimated. REPORTS is a .parquet
    or .csv file made by frankly randomize, or a folder of .parquet files.
    """
    design = design_of(reports, survey)
    source = engine_for(design, read_reports(reports, design))
    if by:
        result: Any = estimate_by(design, source, names, by, method)
    else:
        result = estimate_shares(design, source, names, method)
    if machine:
        print_json(result.to_dict(level))
    else:
        say_estimate(result.summary(level), level)
