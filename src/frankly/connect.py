"""Connect: a studio from Python, with a key; every call is one request of its API."""

import json
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar
from urllib.parse import quote, urlsplit

import msgspec

from frankly.design import Design
from frankly.errors import DeniedError, FranklyError, StudioError

if TYPE_CHECKING:
    import httpx

__all__ = ["RemoteSurvey", "Results", "Shares", "State", "Studio", "Table", "connect"]

API = "/api/v1/surveys"
LOCAL = {"127.0.0.1", "::1", "localhost"}

T = TypeVar("T")


class State(msgspec.Struct, frozen=True):
    """A survey as it stands.

    Attributes
    ----------
    state
        ``draft``, ``open`` or ``closed``.
    epsilon
        What one person's answers can reveal; None where a report can prove something.
    why_not
        Why a draft cannot be opened yet.
    """

    name: str
    title: str
    state: Literal["draft", "open", "closed"]
    document: dict[str, Any]
    plan: dict[str, Any] = {}
    mode: Literal["invited", "anyone"] | None = None
    fingerprint: str | None = None
    epsilon: float | None = None
    why_not: str = ""


class Shares(msgspec.Struct, frozen=True):
    """Estimated shares of the truth: in ``rows`` one answer each, with its error and interval."""

    names: list[str]
    method: str
    n: int
    rows: list[dict[str, str | float | None]]
    by: list[str] = []
    level: float = 0.95


class Table(msgspec.Struct, frozen=True):
    """A cross-table: whole, or the reason why it is not told."""

    names: list[str]
    told: bool
    why_not: str = ""
    shares: Shares | None = None


class Results(msgspec.Struct, frozen=True):
    """What may be told of a survey now: nothing below 100 answers, then in steps."""

    name: str
    state: Literal["open", "closed"]
    n: int
    shares: list[Shares]
    tables: list[Table] = []


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
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOCAL):
        raise FranklyError(
            "a key travels with every request, and whoever sits between could take it: the "
            "studio's address begins with https://, or with http://127.0.0.1 on this machine"
        )
    try:
        import httpx  # noqa: PLC0415 - counting and estimating go without
    except ModuleNotFoundError:
        raise FranklyError(
            "frankly.connect needs the package httpx. Get it with: pip install 'frankly[server]'"
        ) from None
    headers = {"Authorization": f"Bearer {key}"}
    return Studio(httpx.Client(base_url=url.rstrip("/"), headers=headers, timeout=300))


class Studio:
    """A studio at an address; use it in a ``with`` statement, or close it."""

    def __init__(self, client: "httpx.Client") -> None:
        self.client = client

    def __repr__(self) -> str:
        return f"Studio({str(self.client.base_url).rstrip('/')!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self.client.close()

    def ask(self, method: str, path: str, **more: Any) -> bytes:
        """Send one request; raise the studio's own words when it refuses."""
        import httpx  # noqa: PLC0415 - it is there, or there would be no client

        try:
            response = self.client.request(method, f"{API}{path}", **more)
        except httpx.HTTPError as error:
            raise StudioError(
                f"the studio at {self.client.base_url} does not answer ({type(error).__name__}). "
                "Is it running, and is this its address?"
            ) from None
        if response.is_success:
            return response.content
        raise refusal(response.status_code, response.content)

    def read(self, kind: type[T], method: str, path: str, **more: Any) -> T:
        """Send one request, and read its answer."""
        return msgspec.json.decode(self.ask(method, path, **more), type=kind, strict=False)

    def surveys(self) -> list["RemoteSurvey"]:
        """List the surveys that the key's account may see."""
        found = self.read(list[dict[str, str]], "GET", "")
        return [RemoteSurvey(self, one["name"]) for one in found]

    def survey(self, name: str) -> "RemoteSurvey":
        """Give a survey by its short name."""
        found = RemoteSurvey(self, name)
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
        return RemoteSurvey(self, self.read(State, "POST", "", json=body).name)


class RemoteSurvey:
    """A survey in a studio."""

    def __init__(self, studio: Studio, name: str) -> None:
        self.studio, self.name = studio, name

    def __repr__(self) -> str:
        return f"RemoteSurvey({self.name!r})"

    @property
    def state(self) -> State:
        """How the survey stands now."""
        return self.studio.read(State, "GET", f"/{self.name}")

    @property
    def design(self) -> Design:
        """What it asks, and how it hides the answers."""
        return Design.from_document(self.state.document)

    def write(self, survey: Design | Mapping[str, Any]) -> State:
        """Write a draft anew."""
        document = survey.document() if isinstance(survey, Design) else dict(survey)
        body = {"document": document}
        return self.studio.read(State, "PUT", f"/{self.name}", json=body)

    def open(
        self, mode: Literal["invited", "anyone"] = "invited", *, accept_infinite_epsilon: str = ""
    ) -> State:
        """Open it: from now on it takes answers and never changes."""
        body = {"mode": mode, "accept_infinite_epsilon": accept_infinite_epsilon}
        return self.studio.read(State, "POST", f"/{self.name}/open", json=body)

    def invite(self, count: int) -> list[str]:
        """Make links that work once each; they are told now and never again."""
        body = {"count": count}
        return self.links("invitations", body)

    def unused(self, links: Iterable[str]) -> list[str]:
        """Tell which of these links nobody has used, for reminders."""
        return self.links("unused", {"links": list(links)})

    def links(self, what: str, body: Mapping[str, Any]) -> list[str]:
        """Ask for links."""
        path = f"/{self.name}/{what}"
        return self.studio.read(dict[str, list[str]], "POST", path, json=body)["links"]

    def results(self) -> Results:
        """Tell the shares of every question, as far as may be told now."""
        return self.studio.read(Results, "GET", f"/{self.name}/results")

    def close(self) -> State:
        """Close it: it takes no more answers, ever."""
        return self.studio.read(State, "POST", f"/{self.name}/close")

    def duplicate(self, name: str = "") -> "RemoteSurvey":
        """Copy questions and protection into a new draft."""
        made = self.studio.read(State, "POST", f"/{self.name}/duplicate", json={"name": name})
        return RemoteSurvey(self.studio, made.name)

    def delete(self, *, confirm: str) -> None:
        """Delete it with all its answers and bytes; say its name to confirm."""
        self.studio.ask("DELETE", f"/{self.name}", params={"confirm": confirm})

    def members(self) -> dict[str, str]:
        """Tell who may see it, and as what."""
        return self.studio.read(dict[str, str], "GET", f"/{self.name}/members")

    def let_in(self, account: str, role: Literal["analyst", "owner"] = "analyst") -> None:
        """Let somebody with an account see it."""
        self.studio.ask("PUT", f"/{self.name}/members/{quote(account)}", json={"role": role})

    def let_out(self, account: str) -> None:
        """Shut somebody out."""
        self.studio.ask("DELETE", f"/{self.name}/members/{quote(account)}")


def refusal(status: int, content: bytes) -> StudioError:
    """Read the studio's words."""
    try:
        message = str(json.loads(content)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        message = f"the studio answered {status}. Is this a studio's address?"
    return (DeniedError if status in {401, 403, 404} else StudioError)(message, status)
