"""frankly check: what a survey lets its collector know, and whether that keeps to limits."""

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from frankly.cli.output import only_alike, spare, written
from frankly.cli.reports import read_reports, tell_unmarked
from frankly.cli.screen import json_option, note, print_json, say
from frankly.cli.shares import known
from frankly.count import engine_for
from frankly.design import Design
from frankly.judge import Limits, PrivacyStatement, privacy
from frankly.report import odds_svg, privacy_html, privacy_markdown, respondent_text

__all__ = ["check"]

Input = click.Path(exists=True, path_type=Path)
Output = click.Path(dir_okay=False, path_type=Path)

CERTAIN = (
    "some report of this survey proves something about its sender (epsilon is infinite). Change "
    "the device, make flipped groups single, or accept it by name: accept_infinite_epsilon: true"
)


@click.command()
@click.argument("survey", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--max-epsilon", type=float, help="Largest epsilon of a whole report.")
@click.option("--max-posterior", type=float, help="Largest chance any report may give a truth.")
@click.option("--max-exposed", type=float, help="Largest share of truth-tellers exposed at 0.9.")
@click.option("--min-privacy", type=float, help="Smallest privacy (PSE) of any question.")
@click.option(
    "--prior",
    multiple=True,
    metavar="NAME=SHARES",
    help='What is known before: ill=0.1, or took=0.8,0.15,0.05; "worst" for the worst case.',
)
@click.option("--reports", type=Input, help="Estimate what is known before from these reports.")
@click.option("--html", type=Output, help="Write the statement as a page.")
@click.option("--markdown", type=Output, help="Write the statement as Markdown.")
@click.option("--svg", type=Output, help="Draw how far each report moves a guess.")
@click.option("--respondent", is_flag=True, help="Say it as respondents read it.")
@json_option
def check(survey: Path, *, prior: Sequence[str], machine: bool, **options: Any) -> None:
    """State what a survey reveals, and check it against limits.

    SURVEY is a survey document. The exit code is 1 when a limit is broken, or when some report
    would be proof and the document does not accept that by name.
    """
    pages = {kind: options[kind] for kind in ("html", "markdown", "svg")}
    spare([survey, options["reports"]], *pages.values())
    only_alike(**pages)
    design = Design.load(survey)
    if options["reports"]:
        tell_unmarked(options["reports"], survey.name)
    statement = stated(design, prior, options["reports"])
    limits = Limits(**{name: options[name] for name in LIMITS})
    broken = limits.broken(statement)
    if math.isinf(statement.record.epsilon) and not design.accept_infinite_epsilon:
        broken.append(CERTAIN)
    write(statement, design, options)
    if machine:
        print_json({**statement.to_dict(), "broken": broken})
    elif options["respondent"]:
        click.echo(told(design))
    else:
        say(statement.summary())
    for sentence in broken:
        note(f"broken: {sentence}")
    sys.exit(1 if broken else 0)


def told(design: Design) -> str:
    """Say what respondents read: once for all, or for those who get each of the forms."""
    every = [respondent_text(design, form) for form in range(len(design.forms))]
    if len(set(every)) == 1:
        return every[0]
    headed = [f"Form {form}\n\n{text}" for form, text in enumerate(every, start=1)]
    return "\n\n".join(headed)


LIMITS = ("max_epsilon", "max_posterior", "max_exposed", "min_privacy")


def stated(design: Design, prior: Sequence[str], reports: Path | None) -> PrivacyStatement:
    """State a design's privacy under what is known before."""
    if reports is not None:
        return privacy(design, reports=engine_for(design, read_reports(reports, design)))
    if tuple(prior) == ("worst",):
        return privacy(design, "worst")
    return privacy(design, dict(map(known, prior)) if prior else None)


def write(statement: PrivacyStatement, design: Design, options: dict[str, Any]) -> None:
    """Write the files that were asked for."""
    if options["html"]:
        written(options["html"], privacy_html(statement, design))
    if options["markdown"]:
        written(options["markdown"], privacy_markdown(statement))
    if options["svg"]:
        written(options["svg"], odds_svg(statement))
