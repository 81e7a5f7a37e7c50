"""Errors: the one shape in which the API says no, documented on every route."""

from typing import Any

from pydantic import BaseModel, Field

from frankly.store import SurveyError

__all__ = ["ERRORS", "NotOpenError", "Place", "Problem", "Refusal"]


class NotOpenError(SurveyError):
    """A draft was asked for what only an opened survey has."""

    def __init__(self, survey: str) -> None:
        super().__init__(f"the survey {survey!r} is a draft. Open it first")
        self.survey = survey


class Place(BaseModel):
    """A part of a request that does not fit; never what stood there."""

    place: str = Field(examples=["body.people"])
    type: str = Field(examples=["int_parsing"])


class Problem(BaseModel):
    """What went wrong, for a program (``type``) and for a person (``message``)."""

    type: str = Field(examples=["SurveyError"])
    message: str = Field(examples=["there is a survey 'ward' already. Choose another name"])
    places: list[Place] = []


class Refusal(BaseModel):
    """The body of every answer that is not the one asked for."""

    error: Problem


SAID = {
    400: "The values are readable but cannot work: `message` says why and what to do.",
    401: "Nobody is signed in, or the key is not known.",
    403: "The account or the key may not do this, or the form is too old.",
    404: "There is nothing here, or it is not yours to see.",
    408: "The request took longer than 30 seconds to arrive.",
    409: "The survey is not in the state that this needs.",
    413: "The request is larger than 4 MiB.",
    422: "The request does not fit the schema: `places` says where.",
}

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": Refusal, "description": words} for status, words in SAID.items()
}
"""What any route of the API may answer instead: give it as ``responses=ERRORS``."""
