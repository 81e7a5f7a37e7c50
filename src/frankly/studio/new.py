"""New: begin a survey from nothing, from a sample, or from a file."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request, UploadFile
from starlette.responses import Response

from frankly.errors import DesignError, FranklyError
from frankly.studio import acts
from frankly.studio.access import Access, Needs
from frankly.studio.files import read_survey_file
from frankly.studio.samples import sample as sample_of
from frankly.studio.samples import samples
from frankly.studio.view import page, see, words

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

Designer = Annotated[Access, Depends(Needs("design"))]


@router.get("/new")
def ask(request: Request, access: Designer) -> Response:
    """Ask what the survey is called."""
    return shown(request, access)


def shown(request: Request, access: Access, error: str = "", **typed: str) -> Response:
    """Render the page, with what was typed."""
    told = {"title": "", "sample": "", **typed}
    status = 400 if error else 200
    return page(
        request, "new.html", access=access, status=status, error=error, samples=samples(), **told
    )


@router.post("/new")
def begin(
    request: Request,
    access: Designer,
    title: Annotated[str, Form(max_length=300)] = "",
    sample: Annotated[str, Form(max_length=40)] = "",
    file: UploadFile | None = None,
) -> Response:
    """Begin a draft, and go on to its questions."""
    try:
        document = started_from(sample, file)
        if title.strip():
            document = {**document, "title": title.strip()}
        if not words(document.get("title", "")):
            raise DesignError("give the survey a title: people read it first")
        made = acts.begin(access, document)
    except FranklyError as error:
        return shown(request, access, str(error), title=title, sample=sample)
    return see(f"/surveys/{made.name}/questions")


def started_from(sample: str, file: UploadFile | None) -> dict[str, Any]:
    """Give the document to start from: a file's, a sample's, or one without questions."""
    if file is not None and file.filename:
        return read_survey_file(file.filename, file.file.read())
    return sample_of(sample) if sample else {"attributes": []}
