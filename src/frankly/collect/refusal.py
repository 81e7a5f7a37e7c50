"""Refusals: what is told to whoever sends something we cannot take. Never what was sent."""

from dataclasses import dataclass

from frankly.errors import EngineError

__all__ = ["HELP", "Refusal", "told"]

HELP: dict[str, tuple[int, str]] = {
    "json": (400, "The body must be one JSON object in UTF-8. Send it from the survey's page."),
    "invitation": (403, "This invitation is not known. Use the link exactly as you received it."),
    "missing": (404, "There is nothing at this address. Use the link exactly as you received it."),
    "script": (404, "This survey has no form on paper. Answer it in a browser, with JavaScript."),
    "method": (405, "This address does not take that method."),
    "timeout": (408, "The request took too long to arrive. Send it again."),
    "used": (409, "This invitation was used before, and the first answer stays."),
    "closed": (410, "The survey is closed and takes no more answers."),
    "size": (413, "A report is never larger than 64 KiB. Send it from the survey's page."),
    "type": (415, "Send application/json, as the survey's page does."),
    "field": (422, "This field is missing, of another type, or unknown."),
    "design": (422, "This report was made for another version. Load the survey's page again."),
    "value": (422, "This is none of the values that reports of the question can have."),
    "asked": (422, "The form that was drawn does not ask this question: send null for it."),
    "busy": (503, "The answer could not be stored just now. Keep the page open; it tries again."),
}  # fmt: skip
"""For each type of refusal its status and what to do."""


@dataclass(eq=False)  # not frozen: Python itself writes the traceback into exceptions
class Refusal(Exception):  # noqa: N818 - it is an answer, not a failure
    """A request that is refused.

    Attributes
    ----------
    kind
        Which of `HELP`.
    location
        The part of the request that was wrong: a name from our own design, never the input.

    Examples
    --------
    >>> Refusal("value", "report.ill").status
    422
    """

    kind: str
    location: str

    @property
    def status(self) -> int:
        """The HTTP status."""
        return HELP[self.kind][0]

    def document(self) -> dict[str, str]:
        """Say it as plain JSON values."""
        return {"type": self.kind, "location": self.location, "help": HELP[self.kind][1]}


def told(error: Exception) -> str:
    """Tell the log what failed: a store in its own words, anything else by its name alone.

    The words of other errors could hold what somebody sent.

    Examples
    --------
    >>> told(ValueError("yes"))
    'ValueError'
    """
    return str(error) if isinstance(error, EngineError) else type(error).__name__
