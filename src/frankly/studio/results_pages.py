"""Results pages: shares and cross-tables, as a page and for programs."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Form, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from frankly.advise import Plan, lines_of, width_at
from frankly.design import Design
from frankly.errors import FranklyError
from frankly.store import SurveyError
from frankly.store.drafts import published_tables
from frankly.studio.access import Access, Needs
from frankly.studio.api import Name
from frankly.studio.charts import Chart, chart_of, crossed_chart, prompt_of, published_charts
from frankly.studio.errors import ERRORS
from frankly.studio.published import publish_tables
from frankly.studio.results import FEWEST, STEP, Results, results_of, unique_in_clear
from frankly.studio.snapshot import Snapshot, choose_tables, snapshot
from frankly.studio.view import page, see

__all__ = ["router"]

router = APIRouter()

Reader = Annotated[Access, Depends(Needs("read"))]
Miner = Annotated[Access, Depends(Needs("mine"))]
Runner = Annotated[Access, Depends(Needs("run"))]
Word = Annotated[str, Form(max_length=1000)]

TOO_SMALL = (
    f"This table is not shown. Some combination of answers holds fewer than {STEP} reports, or "
    f"would change by fewer than {STEP}, and then single people could be picked out. It is shown "
    "whole or not at all: a hole could be filled by subtraction. Wait for more answers, or cross "
    "questions with fewer answers; in the next survey, merge rare answers into one."
)

MOST_TABLES = 50
AHEAD = (100, 200, 500, 1000)
"""Numbers of answers for which the empty page tells what to expect."""


class Shares(BaseModel):
    """Estimated shares of the truth: one row an answer, or a combination of answers."""

    names: list[str] = Field(examples=[["ill"]])
    by: list[str] = Field(default=[], description="Shares are within each answer to these.")
    method: str = Field(examples=["inverse"])
    n: int = Field(description="Reports used.")
    level: float = Field(default=0.95, description="How sure the intervals are.")
    rows: list[dict[str, str | float | None]] = Field(
        examples=[[{"ill": "yes", "share": 0.338, "stderr": 0.026, "low": 0.28, "high": 0.39}]]
    )


class CrossTableOut(BaseModel):
    """A chosen cross-table; told whole, or not at all."""

    names: list[str] = Field(examples=[["ill", "sex"]])
    told: bool
    why_not: str = ""
    shares: Shares | None = None


class ResultsOut(BaseModel):
    """What may be told of a survey now; all of it is made from the same reports."""

    name: str
    state: Literal["open", "closed"]
    n: int = Field(description="Reports shown.")
    come: int = Field(description="Answers that have come, rounded down to a step.")
    fewest: int = Field(default=FEWEST, description="Nothing is told of fewer reports.")
    step: int = Field(
        default=STEP, description="A form's figures change by at least so many reports at a time."
    )
    left_out: int = Field(
        description="Answers to a closed survey that stay untold for good, rounded up to a step."
    )
    untold: list[str] = Field(
        description="Questions that no form asks of which enough reports are there to be shown."
    )
    unique_in_clear: float | None = Field(
        description="Share of reports that nobody shares on the questions asked in clear."
    )
    shares: list[Shares]
    tables: list[CrossTableOut]


class Tables(BaseModel):
    """The cross-tables to show: each the first question within the answers to the second."""

    tables: list[tuple[str, str]] = Field(max_length=MOST_TABLES, examples=[[["ill", "sex"]]])


def told(shown: Snapshot) -> ResultsOut:
    """Write results for a program."""
    found = results_of(shown)
    tables = [
        CrossTableOut(names=list(one.names), told=False, why_not=TOO_SMALL)
        if one.shares is None
        else CrossTableOut(names=list(one.names), told=True, shares=Shares(**one.shares.to_dict()))
        for one in found.tables
    ]
    return ResultsOut(
        name=found.survey.name, state=found.survey.state, n=found.n, come=found.come,
        left_out=found.left_out, untold=list(found.untold),
        unique_in_clear=unique_in_clear(shown), tables=tables,
        shares=[Shares(**one.to_dict()) for one in found.estimates],
    )  # fmt: skip


@router.get("/api/v1/surveys/{name}/results", responses=ERRORS, tags=["results"])
def read_results(name: Name, access: Reader) -> ResultsOut:
    """Tell the shares of every question and the chosen cross-tables.

    Nothing is told of fewer than 100 reports, and of a form of fewer than 10; then the figures of
    a form change in steps of at least 10.
    """
    return told(snapshot(access.store, name))


@router.put("/api/v1/surveys/{name}/tables", responses=ERRORS, tags=["results"])
def choose(name: Name, access: Miner, wanted: Tables) -> ResultsOut | None:
    """Choose the cross-tables to show, in place of those chosen before.

    The results come back to whoever may read them; to any other key, nothing.
    """
    shown = choose_tables(access.store, name, wanted.tables)
    return told(shown) if "read" in access.powers else None


@router.get("/surveys/{name}/results", include_in_schema=False)
def results_page(request: Request, access: Reader) -> Response:
    """Show the tab."""
    return shown_page(request, access)


def shown_page(request: Request, access: Access, error: str = "") -> Response:
    """Render the tab, with what went wrong."""
    shown = snapshot(access.store, access.survey)
    found, design = results_of(shown), shown.design
    return page(
        request, "results.html", access=access, tab="results", status=400 if error else 200,
        error=error, found=found, enough=shown.enough, step=STEP, unique=unique_in_clear(shown),
        charts=[chart_of(design, one) for one in found.estimates],
        untold=[prompt_of(design, one) for one in found.untold], forms=len(design.forms),
        tables=[(one.names, table_chart(design, found, i)) for i, one in enumerate(found.tables)],
        questions=[(one, prompt_of(design, one)) for one in design.names], too_small=TOO_SMALL,
        expected=[] if found.estimates else expected(design), ahead=AHEAD,
        published=published_tables(access.store, access.survey) is not None,
        may_choose="mine" in access.powers, may_publish="run" in access.powers,
    )  # fmt: skip


def table_chart(design: Design, found: Results, i: int) -> Chart | None:
    """Draw one chosen table, if it may be told."""
    shares = found.tables[i].shares
    return None if shares is None else crossed_chart(design, shares)


def expected(design: Design) -> list[tuple[str, list[float | None]]]:
    """Tell how wide each question's interval will be, at several numbers of answers.

    None stands where the forms that ask it are too small to be shown.
    """
    rows: list[tuple[str, list[float | None]]] = []
    for name in design.names:
        try:
            lines = lines_of(design, [name])
            most = max(line.weight for line in lines)
            widths = [width_at(lines, n, Plan()) if n * most >= STEP else None for n in AHEAD]
        except FranklyError:
            continue
        rows.append((prompt_of(design, name), widths))
    return rows


@router.post("/surveys/{name}/results/tables", include_in_schema=False)
def change_tables(
    request: Request, name: str, access: Miner, first: Word, second: Word, act: Word = "add"
) -> Response:
    """Add a cross-table, or take one away."""
    now = [one.names for one in snapshot(access.store, name).crossed if one.wanted]
    wanted: list[Any] = [pair for pair in now if pair != (first, second)]
    if act == "add":
        wanted.append((first, second))
    try:
        if len(wanted) > MOST_TABLES:
            raise SurveyError(f"at most {MOST_TABLES} cross-tables are shown. Remove one first")
        choose_tables(access.store, name, wanted)
    except FranklyError as error:
        return shown_page(request, access, str(error))
    return see(f"/surveys/{name}/results#tables")


@router.post("/surveys/{name}/results/publish", include_in_schema=False)
def publish_page(request: Request, name: str, access: Runner) -> Response:
    """Publish what is shown, once and for all."""
    try:
        publish_tables(access.store, name)
    except FranklyError as error:
        return shown_page(request, access, str(error))
    return see(f"/surveys/{name}/published")


@router.get("/surveys/{name}/published", include_in_schema=False)
def published_page(request: Request, access: Reader) -> Response:
    """Show what was published, ready to print."""
    document = published_of(access)
    design = access.store.survey(access.survey).design
    return page(request, "published.html", access=access, tab="results", made=document,
                charts=published_charts(design, document),
                prompts={one: prompt_of(design, one) for one in design.names})  # fmt: skip


def published_of(access: Access) -> dict[str, Any]:
    """Give what a survey has published, or say that it has nothing."""
    found = published_tables(access.store, access.survey)
    if found is None:
        raise SurveyError(
            "nothing is published. Close the survey, then publish its tables on the results page"
        )
    return dict(found)


class PublishedOut(BaseModel):
    """The one set of tables that a survey has published."""

    frankly_tables: Literal[1]
    name: str
    title: str
    fingerprint: str
    n: int
    shares: list[Shares]
    tables: list[Shares]
    refused: list[list[str]] = Field(
        description="Questions and tables with too few reports in some cell."
    )
    read_me: str


@router.get("/api/v1/surveys/{name}/published", responses=ERRORS, tags=["results"])
def read_published(name: Name, access: Reader) -> PublishedOut:
    """Give the published tables."""
    del name
    return PublishedOut(**published_of(access))


@router.post("/api/v1/surveys/{name}/published", responses=ERRORS, status_code=201,
             tags=["results"])  # fmt: skip
def publish(name: Name, access: Runner) -> PublishedOut:
    """Publish what is shown of a closed survey: once, for good, and never again."""
    publish_tables(access.store, name)
    return PublishedOut(**published_of(access))
