"""Survey: one survey in a studio, from draft to deletion."""

import io
import time
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar
from urllib.parse import quote

from frankly.connect.answers import Audit, Model, Privacy, Results, State
from frankly.connect.calling import Caller
from frankly.design import Design
from frankly.errors import FranklyError, StudioError

__all__ = ["RemoteSurvey"]

Kind = Literal["naive-bayes", "id3", "cart", "clusters", "rules"]
Work = TypeVar("Work", Model, Audit)

ENDINGS = ("csv", "parquet", "sav", "dta", "xml", "zip")
"""How a file of reports may end."""


class RemoteSurvey:
    """A survey in a studio."""

    def __init__(self, caller: Caller, name: str) -> None:
        self.caller, self.name = caller, name

    def __repr__(self) -> str:
        return f"RemoteSurvey({self.name!r})"

    @property
    def state(self) -> State:
        """How the survey stands now."""
        return self.caller.read(State, "GET", f"/{self.name}")

    @property
    def design(self) -> Design:
        """What it asks, and how it hides the answers."""
        return Design.from_document(self.state.document)

    def write(self, survey: Design | Mapping[str, Any]) -> State:
        """Write a draft anew."""
        document = survey.document() if isinstance(survey, Design) else dict(survey)
        body = {"document": document}
        return self.caller.read(State, "PUT", f"/{self.name}", json=body)

    def open(
        self, mode: Literal["invited", "anyone"] = "invited", *, accept_infinite_epsilon: str = ""
    ) -> State:
        """Open it: from now on it takes answers and never changes."""
        body = {"mode": mode, "accept_infinite_epsilon": accept_infinite_epsilon}
        return self.caller.read(State, "POST", f"/{self.name}/open", json=body)

    def invite(self, count: int) -> list[str]:
        """Make links that work once each; they are told now and never again."""
        return self.links("invitations", {"count": count})

    def unused(self, links: Iterable[str]) -> list[str]:
        """Tell which of these links nobody has used, for reminders."""
        return self.links("unused", {"links": list(links)})

    def links(self, what: str, body: Mapping[str, Any]) -> list[str]:
        """Ask for links."""
        path = f"/{self.name}/{what}"
        return self.caller.read(dict[str, list[str]], "POST", path, json=body)["links"]

    def results(self) -> Results:
        """Tell the shares of every question, as far as may be told now."""
        return self.caller.read(Results, "GET", f"/{self.name}/results")

    def tables(self, *pairs: tuple[str, str]) -> Results:
        """Choose the cross-tables to be told: the first question, by the second.

        They are told to a key that may read; any other has chosen them, and is refused here.
        """
        body = {"tables": [list(pair) for pair in pairs]}
        self.caller.ask("PUT", f"/{self.name}/tables", json=body)
        return self.results()

    def train(self, kind: Kind, *, target: str | None = None, wait: float = 600) -> Model:
        """Train a model on what is shown, and wait for it, this many seconds at most."""
        at = f"/{self.name}/models"
        made = self.caller.read(Model, "POST", at, json={"kind": kind, "target": target})
        return settled(lambda: self.caller.read(Model, "GET", f"{at}/{made.name}"), wait)

    def models(self) -> list[Model]:
        """List the models."""
        return self.caller.read(list[Model], "GET", f"/{self.name}/models")

    def save_model(self, name: str, path: str | Path) -> Path:
        """Write a model to a file that `frankly.load` reads."""
        return written(path, self.caller.ask("GET", f"/{self.name}/models/{name}/document"))

    def privacy(self) -> Privacy:
        """State what the survey lets its owner know."""
        return self.caller.read(Privacy, "GET", f"/{self.name}/privacy")

    def audit(self, wait: float = 600) -> Audit:
        """Attack the reports that are shown, and wait for what it finds."""
        at = f"/{self.name}/audit"
        self.caller.ask("POST", at)
        return settled(lambda: self.caller.read(Audit, "GET", at), wait)

    def export(self, path: str | Path) -> Path:
        """Write the reports that are shown to a file, whose ending says the format.

        One of ``.parquet``, ``.sav``, ``.dta``, ``.xml`` (DDI, without reports), or ``.csv``, which
        puts the design and how to read it beside the reports; ``.zip`` holds these three in one.
        """
        path = Path(path)
        ending = path.suffix.removeprefix(".").lower()
        if ending not in ENDINGS:
            ends = ", ".join(f".{one}" for one in ENDINGS)
            raise FranklyError(f"{path.name} should end in one of {ends}: it says the format")
        params = {"format": "csv" if ending == "zip" else ending}
        content = self.caller.ask("GET", f"/{self.name}/export", params=params)
        try:
            return unpacked(path, content, self.name) if ending == "csv" else written(path, content)
        except (zipfile.BadZipFile, KeyError):
            raise self.caller.strange() from None

    def close(self) -> State:
        """Close it: it takes no more answers, ever."""
        return self.caller.read(State, "POST", f"/{self.name}/close")

    def duplicate(self, name: str = "") -> "RemoteSurvey":
        """Copy questions and protection into a new draft."""
        made = self.caller.read(State, "POST", f"/{self.name}/duplicate", json={"name": name})
        return RemoteSurvey(self.caller, made.name)

    def delete(self, *, confirm: str) -> None:
        """Delete it with all its answers and bytes; say its name to confirm."""
        self.caller.ask("DELETE", f"/{self.name}", params={"confirm": confirm})

    def members(self) -> dict[str, str]:
        """Tell who may see it, and as what."""
        return self.caller.read(dict[str, str], "GET", f"/{self.name}/members")

    def let_in(self, account: str, role: Literal["analyst", "owner"] = "analyst") -> None:
        """Let somebody with an account see it."""
        self.caller.ask("PUT", f"/{self.name}/members/{quote(account)}", json={"role": role})

    def let_out(self, account: str) -> None:
        """Shut somebody out."""
        self.caller.ask("DELETE", f"/{self.name}/members/{quote(account)}")


def settled(look: Callable[[], Work], wait: float) -> Work:
    """Look at some work until it is over; raise the studio's words when it failed."""
    end = time.monotonic() + wait
    while True:
        seen = look()
        if seen.state in {"failed", "stopped"}:
            raise StudioError(seen.said or "the work was stopped", 409)
        if seen.state == "done":
            return seen
        if time.monotonic() > end:
            raise StudioError(f"the work is not done after {wait:g} seconds, and goes on there")
        time.sleep(0.1)


def written(path: str | Path, content: bytes) -> Path:
    """Write a file whole."""
    path = Path(path)
    path.write_bytes(content)
    return path


def unpacked(path: Path, content: bytes, survey: str) -> Path:
    """Write the CSV file of a ZIP file under a name of one's own, with what belongs beside it."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for ending in ("", ".design.json", ".readme.txt"):
            held = archive.read(f"{survey}.csv{ending}")
            if ending == ".readme.txt":
                held = held.replace(f"{survey}.csv".encode(), path.name.encode())
            path.with_name(path.name + ending).write_bytes(held)
    return path
