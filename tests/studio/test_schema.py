"""Whatever is sent to the API: no failure of ours, and no answer that is not documented.

Schemathesis reads the OpenAPI document of a studio that runs as a process of its own, and makes
requests that fit it and requests that do not.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from frankly.store.people import make_key
from tests.live import figure, running
from tests.studio.people import DOCUMENT, Studio

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
SHORT, FULL = 3, 60
"""Cases for each operation, kind of request and kind of survey."""


@dataclass
class Sender:
    """Sends cases to a running studio, and remembers what came back."""

    base: str
    key: str
    times: int
    session: requests.Session = field(default_factory=requests.Session)
    answers: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.session.headers["Authorization"] = f"Bearer {self.key}"

    def send(self, case: Any) -> None:
        """Send one case; raise when the answer is a failure or undocumented."""
        answer = case.call_and_validate(session=self.session, checks=CHECKS)
        self.answers[answer.status_code] = self.answers.get(answer.status_code, 0) + 1

    def run(self, strategy: Any) -> None:
        """Send as many cases of a strategy as were asked for."""

        @settings(
            max_examples=self.times,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=strategy)
        def cases(case: Any) -> None:
            self.send(case)

        cases()


@contextmanager
def sending(studio: Studio, times: int, *words: str) -> Iterator[Sender]:
    """Run a studio as a process of its own, with a key for every power."""
    key = make_key(
        studio.store, "ann", "all", ["read", "design", "run", "members", "mine", "export"]
    )
    url = studio.store.url.removeprefix("sqlite:///")
    with running(url, launch=(sys.executable, *words)) as live:
        made = Sender(live.base, key, times)
        yield made
        made.session.close()


@pytest.fixture
def sender(studio: Studio, full: bool) -> Iterator[Sender]:
    """The studio as it is."""
    with sending(studio, FULL if full else SHORT, "-m", "frankly.studio") as made:
        yield made


def kinds(studio: Studio, path: str, i: int) -> list[dict[str, str]]:
    """Make what an operation is tried on: nothing, a draft and an open survey of its own."""
    if "{name}" not in path:
        return [{}]
    studio.draft(f"draft-{i}")
    studio.opened(120, name=f"open-{i}")
    return [{}, {"name": f"draft-{i}"}, {"name": f"open-{i}"}]


def test_no_request_makes_the_api_fail_or_say_what_is_not_documented(
    studio: Studio, sender: Sender, full: bool
) -> None:
    schema = schemathesis.openapi.from_url(f"{sender.base}/api/v1/openapi.json")
    operations: list[Any] = [cast("Ok[Any]", one).ok() for one in schema.get_all_operations()]
    for i, operation in enumerate(operations):
        for known in kinds(studio, operation.path, i):
            for mode in GenerationMode:
                if mode is GenerationMode.NEGATIVE and not negatable(operation, known):
                    continue
                sender.run(operation.as_strategy(mode, path_parameters=known or None))
    sent = sum(sender.answers.values())
    figure("API", "cases of schemathesis, none failed or undocumented", f"{sent:,}", full=full)
    assert {200, 404, 422} <= set(sender.answers)
    assert sent >= (5000 if full else 200)


BREAK = """
import runpy
from frankly.studio import acts, app
whole = app.problem
{}
runpy.run_module("frankly.studio", run_name="__main__")
"""
MUTANTS = {
    "fails": "acts.close = lambda access: access.nothing",
    "answers with another status": (
        "app.problem = lambda request, status, *rest, **more: "
        "whole(request, 410 if status == 409 else status, *rest, **more)"
    ),
}


@pytest.mark.parametrize("how", list(MUTANTS))
def test_an_api_that_is_wrong_is_found(studio: Studio, how: str) -> None:
    studio.draft("ward")
    with sending(studio, SHORT, "-c", BREAK.format(MUTANTS[how])) as sender:
        schema = schemathesis.openapi.from_url(f"{sender.base}/api/v1/openapi.json")
        close = schema["/api/v1/surveys/{name}/close"]["POST"]
        with pytest.raises(FailureGroup):
            sender.run(close.as_strategy(path_parameters={"name": "ward"}))


def negatable(operation: Any, known: dict[str, str]) -> bool:
    """Tell whether an operation takes anything that could be wrong."""
    free = [one for one in operation.iter_parameters() if one.name not in known]
    return bool(free) or bool(list(operation.body))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """List every place in a document."""
    yield path
    inside: Any = enumerate(value) if isinstance(value, list) else ()
    for step, part in value.items() if isinstance(value, dict) else inside:
        yield from places(part, (*path, step))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text()
    | st.sampled_from(["7/10", "1/0", "unrelated", "flip", "matrix", "ill", "no", "yes", 2**70]),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(), inside, max_size=3),
    max_leaves=5,
)  # fmt: skip


@st.composite
def altered(draw: st.DrawFn) -> Any:
    """A survey document in which one or two places hold something else."""
    document: Any = json.loads(json.dumps(DOCUMENT))
    for _ in range(draw(st.integers(1, 2))):
        path = draw(st.sampled_from(list(places(document))[1:]))
        at = document
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = draw(ANYTHING)
    return document


def test_no_survey_document_makes_the_studio_fail(sender: Sender, full: bool) -> None:
    headers = {"Content-Type": "application/json"}
    names: list[str] = []

    @settings(
        max_examples=300 if full else 60, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(document=altered())
    def begun_and_opened(document: Any) -> None:
        at = f"{sender.base}/api/v1/surveys"
        made = sender.session.post(at, data=json.dumps({"document": document}), headers=headers)
        assert made.status_code in {201, 400, 422}, made.text
        if made.status_code == 201:
            names.append(made.json()["name"])
            opened = sender.session.post(f"{at}/{names[-1]}/open", json={})
            assert opened.status_code in {200, 400, 409}, opened.text
            assert sender.session.get(f"{at}/{names[-1]}").status_code == 200
            for tab in ("invite", "questions", "protection", "privacy"):
                shown = sender.session.get(f"{sender.base}/surveys/{names[-1]}/{tab}")
                assert shown.status_code < 500, (tab, document)

    begun_and_opened()
    assert len(names) > 20
