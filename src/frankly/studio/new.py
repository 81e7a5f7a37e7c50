"""New: begin a survey from nothing, or from a file."""

import json
from typing import Annotated, Any

import yaml
from fastapi import APIRouter, Depends, Form, Request, UploadFile
from starlette.responses import Response

from frankly.errors import DesignError, FranklyError
from frankly.studio import acts
from frankly.studio.access import Access, Needs
from frankly.studio.view import page, see

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

Designer = Annotated[Access, Depends(Needs("design"))]


@router.get("/new")
def ask(request: Request, access: Designer) -> Response:
    """Ask what the survey is called."""
    return page(request, "new.html", access=access, error="", title="")


@router.post("/new")
def begin(
    request: Request,
    access: Designer,
    title: Annotated[str, Form(max_length=300)] = "",
    file: UploadFile | None = None,
) -> Response:
    """Begin a draft, and go on to its questions."""
    try:
        document = {"attributes": []} if file is None or not file.filename else imported(file)
        if title.strip():
            document = {**document, "title": title.strip()}
        if not acts.title_of(document):
            raise DesignError("give the survey a title: people read it first")
        made = acts.begin(access, document)
    except FranklyError as error:
        return page(request, "new.html", access=access, status=400, error=str(error), title=title)
    return see(f"/surveys/{made.name}/questions")


def imported(file: UploadFile) -> dict[str, Any]:
    """Read a survey document from a JSON or YAML file; it must be a design."""
    name = (file.filename or "").lower()
    try:
        text = file.file.read().decode("utf-8")
        document = json.loads(text) if name.endswith(".json") else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError, RecursionError):
        raise DesignError(
            "this file is neither JSON nor YAML. A survey document is: frankly new writes one"
        ) from None
    return dict(acts.design_of(document).document())
