"""Studio: connect to one with a key, and find its surveys."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from frankly.connect.answers import State
from frankly.connect.calling import Caller
from frankly.connect.survey import RemoteSurvey
from frankly.design import Design
from frankly.errors import DeniedError, FranklyError

if TYPE_CHECKING:
    import httpx

__all__ = ["Studio", "connect"]

KEY = re.compile(r"fk_[A-Za-z0-9_-]+")
NAME = re.compile(r"[a-z0-9-]+")
LOCAL = {"127.0.0.1", "::1", "localhost"}


def connect(url: str, key: str) -> "Studio":
    """Connect to a studio.

    Parameters
    ----------
    url
        Where the studio is. A key travels with every request, so this is ``https``, or ``http``
        on this very machine.
    key
        Made on the account's page of the studio; it may do what was ticked there.

    Examples
    --------
    >>> connect("http://127.0.0.1:8001", "fk_a_key")
    Studio('http://127.0.0.1:8001')
    """
    if not safe(url):
        raise FranklyError(
            "a key travels with every request, and whoever sits between could take it: the "
            "studio's address begins with https://, or with http://127.0.0.1 on this machine"
        )
    if not KEY.fullmatch(key):
        raise FranklyError(
            "this is no key: a key begins with fk_, and goes on with letters, digits, - and _ "
            "alone. Copy it whole, as the account's page shows it once"
        )
    try:
        import httpx  # noqa: PLC0415 - counting and estimating go without
    except ModuleNotFoundError:
        raise FranklyError(
            "frankly.connect needs the package httpx. Get it with: pip install 'frankly[server]'"
        ) from None
    headers = {"Authorization": f"Bearer {key}"}
    return Studio(httpx.Client(base_url=url.rstrip("/"), headers=headers, timeout=300))


def safe(url: str) -> bool:
    """Tell whether a key may travel to this address."""
    try:
        parts = urlsplit(url)
    except ValueError:  # no address at all
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOCAL)


class Studio:
    """A studio at an address; use it in a ``with`` statement, or close it."""

    def __init__(self, client: "httpx.Client") -> None:
        self.client, self.caller = client, Caller(client)

    def __repr__(self) -> str:
        return f"Studio({str(self.client.base_url).rstrip('/')!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self.client.close()

    def surveys(self) -> list["RemoteSurvey"]:
        """List the surveys that the key's account may see."""
        found = self.caller.read(list[dict[str, str]], "GET", "")
        return [RemoteSurvey(self.caller, one["name"]) for one in found]

    def survey(self, name: str) -> "RemoteSurvey":
        """Give a survey by its short name."""
        if not NAME.fullmatch(name):
            raise DeniedError(
                f"no survey is called {name!r}: names have small letters, digits and hyphens. "
                "`surveys()` lists those that this key may see",
                404,
            )
        found = RemoteSurvey(self.caller, name)
        found.state  # noqa: B018 - refuses here what is not there
        return found

    def begin(
        self,
        survey: Design | Mapping[str, Any],
        *,
        name: str = "",
        plan: Mapping[str, Any] | None = None,
    ) -> "RemoteSurvey":
        """Begin a survey as a draft, from a design or from a document not yet finished."""
        document = survey.document() if isinstance(survey, Design) else dict(survey)
        body = {"name": name, "document": document, "plan": dict(plan or {})}
        return RemoteSurvey(self.caller, self.caller.read(State, "POST", "", json=body).name)
