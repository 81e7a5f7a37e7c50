"""Model pages: train, watch, look, and take a model home."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Form, Path, Request
from markupsafe import Markup
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from frankly.errors import FranklyError, ReportError
from frankly.mine.tree_miner import TreeMiner
from frankly.report import for_page, tree_svg
from frankly.report.tree_svg import caption, finding
from frankly.store.drafts import models
from frankly.studio.access import Access, Needs
from frankly.studio.api import Name
from frankly.studio.charts import Chart, labels_of, prompt_of
from frankly.studio.errors import ERRORS
from frankly.studio.jobs import Job, State, jobs_of
from frankly.studio.learned import bayes_charts, cluster_charts, headline, spoken_rules
from frankly.studio.snapshot import snapshot
from frankly.studio.training import AUDIT, KINDS, Kind, kept_as, restored, train, wanted
from frankly.studio.view import page, see

__all__ = ["router"]

router = APIRouter()

Miner = Annotated[Access, Depends(Needs("mine"))]
Word = Annotated[str, Form(max_length=1000)]
Model = Annotated[
    str,
    Path(pattern="^[a-z0-9-]{2,40}$", description="The model's name.", examples=["id3-0"]),
]

OUTDATED = (
    "It was made by an earlier version of Frankly, and cannot be read any more. Train it again"
)


class Training(BaseModel):
    """What to train."""

    kind: Kind
    target: str | None = Field(
        default=None, max_length=200, examples=["ill"],
        description="The question to predict; the survey's own target when left out.",
    )  # fmt: skip


class ModelOut(BaseModel):
    """A model: under way, or what became of it."""

    name: str = Field(examples=["id3-0"])
    kind: str
    target: str | None
    state: Literal["waiting", "running", "done", "failed", "stopped"]
    done: int = Field(description="How much of the work is done, of `total`.")
    total: int
    said: str = Field(description="Why it failed, if it did.")
    n: int | None = Field(description="Reports it was learned from; none while under way.")
    summary: str = Field(description="What was learned, for people.")
    accuracy: dict[str, Any] | None = Field(
        description="How often it is right about true answers, with its error."
    )
    why_not: str = Field(description="Why its accuracy cannot be told, if it cannot.")


def begin(request: Request, access: Access, kind: Kind, target: str | None) -> Job:
    """Start to train a model on what is shown."""
    shown = snapshot(access.store, access.survey)
    shown.refuse_few("training a model")
    one = wanted(shown.design, kind, target)
    name, store = kept_as(shown.design, one), access.store
    return jobs_of(request.app).start(
        access.survey, name, lambda job: train(store, shown, one, job)
    )


def told(request: Request, access: Access, name: str) -> ModelOut:
    """Describe one model: the work on it, and what is kept."""
    job = jobs_of(request.app).find(access.survey, name)
    kept = models(access.store, access.survey).get(name)
    if name == AUDIT or (job is None and kept is None):
        raise HTTPException(404)
    state: State = "done" if job is None else job.state
    said = "" if job is None else job.said
    learned, model = kept if state == "done" else None, None
    if learned is not None:
        try:
            model = restored(learned)
        except ReportError:
            learned, state, said = None, "failed", OUTDATED
    kind, target = named(access, name)
    return ModelOut(
        name=name, kind=kind, target=target, state=state, done=1 if job is None else job.done,
        total=1 if job is None else job.total, said=said,
        n=None if model is None else model.n_reports_,
        summary="" if model is None else model.summary(),
        accuracy=None if learned is None else learned["accuracy"],
        why_not="" if learned is None else learned["why_not"],
    )  # fmt: skip


def named(access: Access, name: str) -> tuple[str, str | None]:
    """Tell kind and target from a model's name."""
    kind, _, place = name.rpartition("-")
    if not place.isdecimal():
        return name, None
    return kind, access.store.survey(access.survey).design.names[int(place)]


@router.post("/api/v1/surveys/{name}/models", responses=ERRORS, status_code=202, tags=["models"])
def train_model(request: Request, name: Name, access: Miner, wish: Training) -> ModelOut:
    """Start to train a model; look at it until its state is `done`."""
    del name
    job = begin(request, access, wish.kind, wish.target)
    return told(request, access, job.name)


@router.get("/api/v1/surveys/{name}/models", responses=ERRORS, tags=["models"])
def list_models(request: Request, name: Name, access: Miner) -> list[ModelOut]:
    """List the models of a survey, those under way included."""
    del name
    return [told(request, access, one) for one in known(request, access)]


def known(request: Request, access: Access) -> list[str]:
    """Name all models of a survey."""
    under_way = {job.name for job in jobs_of(request.app).of_survey(access.survey)}
    return sorted({*models(access.store, access.survey), *under_way} - {AUDIT})


@router.get("/api/v1/surveys/{name}/models/{model}", responses=ERRORS, tags=["models"])
def read_model(request: Request, name: Name, access: Miner, model: Model) -> ModelOut:
    """Tell how far the training is, or what was learned."""
    del name
    return told(request, access, model)


@router.get("/api/v1/surveys/{name}/models/{model}/document", responses=ERRORS, tags=["models"])
def model_document(name: Name, access: Miner, model: Model) -> JSONResponse:
    """Give the model as the JSON document that `frankly.load` reads."""
    found = models(access.store, name).get(model)
    if found is None or model == AUDIT:
        raise HTTPException(404)
    named = {"Content-Disposition": f'attachment; filename="{name}-{model}.json"'}
    return JSONResponse(found["model"], headers=named)


@router.delete(
    "/api/v1/surveys/{name}/models/{model}", responses=ERRORS, status_code=204, tags=["models"]
)
def stop_model(request: Request, name: Name, access: Miner, model: Model) -> Response:
    """Stop the training of a model as soon as it can be stopped."""
    del access
    job = jobs_of(request.app).find(name, model)
    if job is None:
        raise HTTPException(404)
    job.stop.set()
    return Response(status_code=204)


@router.get("/surveys/{name}/model", include_in_schema=False)
def model_page(request: Request, access: Miner) -> Response:
    """Show the tab."""
    return shown_page(request, access)


def shown_page(request: Request, access: Access, error: str = "") -> Response:
    """Render the tab, with what went wrong."""
    shown = snapshot(access.store, access.survey)
    design = shown.design
    rows = [told(request, access, name) for name in known(request, access)]
    return page(
        request, "model.html", access=access, tab="model", status=400 if error else 200,
        error=error, n=shown.n, enough=shown.enough, kinds=KINDS, known=rows, target=design.target,
        questions=[(one, prompt_of(design, one)) for one in shown.told_names],
    )  # fmt: skip


@router.post("/surveys/{name}/model", include_in_schema=False)
def start_page(
    request: Request, name: str, access: Miner, kind: Annotated[Kind, Form()], target: Word = ""
) -> Response:
    """Start to train, and go where it can be watched."""
    try:
        job = begin(request, access, kind, target or None)
    except FranklyError as error:
        return shown_page(request, access, str(error))
    return see(f"/surveys/{name}/model/{job.name}")


@router.get("/surveys/{name}/model/{model}", include_in_schema=False)
def learned_page(request: Request, access: Miner, model: str) -> Response:
    """Show one model: how far it is, or what was learned."""
    one = told(request, access, model)
    design = access.store.survey(access.survey).design
    context: dict[str, Any] = {"svg": "", "charts": [], "rules": [], "classes": []}
    if one.state == "done":
        context |= drawn(access, one)
    prompt = "" if one.target is None else prompt_of(design, one.target)
    return page(
        request, "learned.html", access=access, tab="model", one=one, prompt=prompt,
        title=KINDS[one.kind][0], **context,
    )  # fmt: skip


def drawn(access: Access, one: ModelOut) -> dict[str, Any]:
    """Draw what was learned, by its kind."""
    design = access.store.survey(access.survey).design
    kept = models(access.store, access.survey)[one.name]
    model = restored(kept)
    charts: list[Chart] = []
    if one.kind == "naive-bayes":
        charts = bayes_charts(design, model)
    if one.kind == "clusters":
        charts = cluster_charts(design, model)
    tree = isinstance(model, TreeMiner)
    return {
        "svg": Markup(for_page(tree_svg(model, titled=False))) if tree else "",  # noqa: S704 - our own
        "found": finding(model.tree_) if tree else "",
        "caption": caption(model)[1] if tree else "",
        "charts": charts,
        "rules": spoken_rules(design, model),
        "classes": [] if one.target is None else labels_of(design, one.target),
        "learned_from": kept["learned_from"],
        "method": model.method_,
        "why": model.why_,
        "headline": headline(KINDS[one.kind][0], model),
    }


@router.post("/surveys/{name}/model/{model}/stop", include_in_schema=False)
def stop_page(request: Request, name: str, access: Miner, model: str) -> Response:
    """Stop a training, and show how it ended."""
    del access
    job = jobs_of(request.app).find(name, model)
    if job is not None:
        job.stop.set()
    return see(f"/surveys/{name}/model")
