"""Surveys: the list, as a page and for programs."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel
from starlette.responses import Response

from frankly.store.drafts import names_of
from frankly.studio.access import Access, Needs
from frankly.studio.errors import ERRORS
from frankly.studio.view import page, see, summary, tabs_of

__all__ = ["Summary", "router"]

router = APIRouter()

Reader = Annotated[Access, Depends(Needs("read"))]


class Summary(BaseModel):
    """A survey in three words."""

    name: str
    title: str
    state: Literal["draft", "open", "closed", "gone"]


@router.get("/", include_in_schema=False)
def home(request: Request, access: Reader) -> Response:
    """Show the surveys of whoever is signed in."""
    return page(request, "surveys.html", access=access)


@router.get("/api/v1/surveys", responses=ERRORS)
def surveys(access: Reader) -> list[Summary]:
    """List your surveys."""
    mine = names_of(access.store, access.who.name)
    return [Summary.model_validate(summary(access.store, name)) for name in mine]


@router.get("/surveys/{name}/", include_in_schema=False)
def survey(name: str, access: Reader) -> Response:
    """Send the browser to the job that matters now."""
    names = [tab for tab, _ in tabs_of(access)]
    wanted = "results" if "results" in names else names[0]
    return see(f"/surveys/{name}/{wanted}")
