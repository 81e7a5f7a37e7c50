"""Exports: the reports that are shown, as a file that carries its design."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from frankly.store.export import READ_ME
from frankly.store.files import FORMATS, bundle
from frankly.studio.access import Access, Needs
from frankly.studio.api import Name
from frankly.studio.errors import ERRORS
from frankly.studio.snapshot import snapshot
from frankly.studio.view import page

__all__ = ["router"]

router = APIRouter()

Exporter = Annotated[Access, Depends(Needs("export"))]
Ending = Literal["csv", "parquet", "sav", "dta", "xml"]

USES = {
    "csv": "For spreadsheets and every statistics program. A ZIP file: the reports, the design "
    "beside them, and how to read them. No cell is taken for a formula.",
    "parquet": "For Python, R and DuckDB. The design is in the file's metadata; frankly estimate "
    "reads it as it is.",
    "sav": "For SPSS, with words for every code and the design in the file's notes.",
    "dta": "For Stata 14 and later, with words for every code and the design in the file's notes.",
    "xml": "For archives: questions, answers and the design as a DDI-Codebook 2.5. No reports.",
}


@router.get("/surveys/{name}/export", include_in_schema=False)
def export_page(request: Request, access: Exporter) -> Response:
    """Show the tab."""
    shown = snapshot(access.store, access.survey)
    formats = [(ending, one.title, USES[ending]) for ending, one in FORMATS.items()]
    return page(
        request, "export.html", access=access, tab="export", n=shown.n, enough=shown.enough,
        formats=formats, read_me=READ_ME, name=access.survey,
        first=shown.told_names[0] if shown.n else "",
    )  # fmt: skip


@router.get(
    "/api/v1/surveys/{name}/export",
    responses={
        **ERRORS,
        200: {"content": {one.media: {} for one in FORMATS.values()} | {"application/zip": {}},
              "description": "The file; CSV comes in a ZIP file with its design."},
    },
    response_class=Response,
    tags=["export"],
)  # fmt: skip
def export(
    name: Name, access: Exporter, ending: Annotated[Ending, Query(alias="format")]
) -> Response:
    """Give the reports that are shown as a file.

    It holds no key, invitation or time, and its order is random. These are reports, not truths:
    estimate shares with the design that the file carries.
    """
    shown = snapshot(access.store, name)
    file, media, body = bundle(shown.frame(), shown.design, f"{name}.{ending}")
    named = {"Content-Disposition": f'attachment; filename="{file}"'}
    return Response(body, media_type=media, headers=named)
