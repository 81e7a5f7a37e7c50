"""Who may do what: every route of the studio, asked by everybody there is."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.routing import BaseRoute

from frankly.store.drafts import members
from frankly.store.people import Account, add_account
from frankly.studio import access
from frankly.studio.access import POWERS, Needs, Power
from frankly.studio.app import create_app
from tests.live import figure
from tests.studio.people import DESIGN, Studio

FOR_ALL = {
    "/api/v1/openapi.json", "/healthz", "/sign-in", "/static/{file}", "/welcome/{secret}",
    "/preview", "/web",
}  # fmt: skip
"""What needs no account: it shows nothing of any survey."""

KEYS: tuple[Power, ...] = ("read", "design", "run", "members", "mine", "export", "people")
TITLE = str(DESIGN.title)
MINE = {"/sign-out", "/account/password", "/account/keys", "/account/keys/{key}/remove"}
"""Changes that everybody may make, to their own account."""


def routes(found: list[BaseRoute]) -> Iterator[Any]:
    """Walk the routes of an app, those of included rooms too."""
    for route in found:
        inside = getattr(route, "original_router", None)
        if inside is None:
            yield route
        else:
            yield from routes(inside.routes)


def demand(route: Any) -> Needs | None:
    """Give what a route demands of whoever asks."""
    if not isinstance(route, APIRoute):
        return None
    needs = [one.call for one in route.dependant.dependencies if isinstance(one.call, Needs)]
    return needs[0] if needs else None


def holes(app: FastAPI) -> list[str]:
    """List the routes that demand nothing and are not for all."""
    return [
        route.path
        for route in routes(app.routes)
        if demand(route) is None and route.path not in FOR_ALL
    ]


def may(needs: Needs, path: str, who: str) -> int:
    """Tell what somebody is told: 0 when they are let through, else the status."""
    if who in {"nobody", "a wrong key"}:
        return 401 if path.startswith("/api/") else 303
    if "{name}" in path and who in {"another owner", "another analyst"}:
        return 404
    powers: frozenset[Power] = POWERS["analyst" if "analyst" in who else "owner"]
    if who.startswith("key: "):
        powers = frozenset() if not needs.by_key else powers & {who.removeprefix("key: ")}
        powers -= {"people"}
    return 0 if needs.power in powers else 403


def people(studio: Studio) -> dict[str, Callable[[], httpx.Client]]:
    """Everybody there is, each with a new session or key when they ask."""

    def signed_in(name: str) -> Callable[[], httpx.Client]:
        return lambda: studio.signed_in(name)

    def with_key(power: str) -> Callable[[], httpx.Client]:
        return lambda: studio.by_key("ann", power)

    return {
        "nobody": studio.caller,
        "a wrong key": lambda: studio.caller(Authorization="Bearer fk_wrong"),
        "another owner": signed_in("bob"),
        "analyst of the survey": signed_in("carl"),
        "another analyst": signed_in("dora"),
        "owner": signed_in("ann"),
        **{f"key: {power}": with_key(power) for power in KEYS},
    }


def misfit(response: httpx.Response, expected: int, open_end: bool) -> str:
    """Say what is wrong with an answer; nothing when it is as it should be."""
    status, to_sign_in = response.status_code, response.headers.get("location") == "/sign-in"
    if response.is_server_error:
        return f"fails with {status}"
    if expected:
        if status != expected or (expected == 303 and not to_sign_in):
            return f"is told {status}, not {expected}"
        return "is shown the title" if TITLE in response.text else ""
    shut = {401, 403} if open_end else {401, 403, 404}
    return f"is refused with {status}" if status in shut else ""


def matrix(studio: Studio, only: str = "") -> tuple[int, list[str]]:
    """Let everybody ask every route; give how many asked, and what went wrong."""
    asked, wrong = 0, []
    everybody = people(studio)
    for route in routes(studio.app.routes):
        needs = demand(route)
        if needs is None or not re.search(only, route.path):
            continue
        path = re.sub(r"\{[a-z_]+(:path)?\}", "unknown", route.path.replace("{name}", "ward"))
        ends = "{" in route.path.replace("{name}", "")
        for who, client in everybody.items():
            for method in sorted(route.methods):
                with client() as one:
                    told = misfit(one.request(method, path), may(needs, route.path, who), ends)
                asked += 1
                wrong += [f"{who}: {method} {route.path} {told}"] if told else []
    return asked, wrong


@pytest.fixture
def full_studio(studio: Studio, kept_password: str) -> Studio:
    """A survey of ann's that carl may look at, and an analyst who knows nobody."""
    add_account(studio.store, "dora", kept_password, "analyst")
    studio.opened(120)
    return studio


def test_everybody_may_do_what_their_role_or_key_says_and_nothing_else(
    full_studio: Studio, full: bool
) -> None:
    assert holes(full_studio.app) == []
    asked, wrong = matrix(full_studio)
    figure("API", "requests of the authorisation matrix, leaks", (asked, len(wrong)), full=full)
    assert wrong == []
    assert asked >= 12 * 30


def test_what_changes_a_survey_needs_more_than_reading(full_studio: Studio) -> None:
    reading = [
        route.path
        for route in routes(full_studio.app.routes)
        if (needs := demand(route)) is not None
        and needs.power == "read"
        and route.methods - {"GET", "HEAD"}
    ]
    assert set(reading) <= MINE


def test_a_key_opens_nothing_that_its_words_do_not_name(full_studio: Studio) -> None:
    ward = "/api/v1/surveys/ward"
    with full_studio.by_key("ann", "read", "design", "run", "mine", "export") as program:
        for method, path, said in (
            ("GET", f"{ward}/members", None),
            ("PUT", f"{ward}/members/dora", {"role": "analyst"}),
            ("DELETE", f"{ward}/members/carl", None),
        ):
            assert program.request(method, path, json=said).status_code == 403
        page = "/surveys/ward/members"
        assert program.post(page, data={"account": "dora", "role": "analyst"}).status_code == 403
        assert program.post(f"{page}/carl/remove").status_code == 403
        assert program.put(f"{ward}/tables", json={"tables": []}).json()["shares"]
    with full_studio.by_key("ann", "mine") as program:
        chosen = program.put(f"{ward}/tables", json={"tables": [["ill", "sex"]]})
        assert (chosen.status_code, chosen.json()) == (200, None), "it may choose, and read nothing"
    assert members(full_studio.store, "ward") == {"ann": "owner", "carl": "analyst"}


def test_a_route_that_demands_nothing_is_found(studio: Studio) -> None:
    app = create_app(studio.store)

    def careless(name: str) -> Response:
        return Response(name)

    app.add_api_route("/surveys/{name}/careless", careless)
    assert holes(app) == ["/surveys/{name}/careless"]


def careless_identity(_: Any) -> access.Who:
    return access.Who("ann", "owner", POWERS["owner"])


def careless_key(*_: Any) -> tuple[Account, frozenset[str]]:
    return Account("ann", "", "owner"), frozenset(KEYS)


@pytest.mark.parametrize(
    ("name", "careless"),
    [
        ("role_in", lambda *_: "owner"),
        ("identify", careless_identity),
        ("account_of_key", careless_key),
        ("POWERS", {"owner": POWERS["owner"], "analyst": POWERS["owner"]}),
    ],
)
def test_a_careless_door_is_found(
    full_studio: Studio, monkeypatch: pytest.MonkeyPatch, name: str, careless: Any
) -> None:
    monkeypatch.setattr(access, name, careless)
    _, wrong = matrix(full_studio, only="/(invite|members)$")
    assert wrong
