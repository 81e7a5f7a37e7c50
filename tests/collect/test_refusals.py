"""Bad input: every malformed request gets a 4xx that helps, repeats nothing and stores nothing."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frankly import Attribute, Design, Form, Group, Unrelated
from frankly.collect import HELP, create_app
from frankly.store import Mode, Store, Survey, SurveyError
from tests.live import DESIGN, body_for, in_loop, running, some_report

DOCUMENTED = {200, 201} | {status for status, _ in HELP.values()}
FORMS = Design(
    [Attribute("ill", ["no", "yes"]), Attribute("drinks", ["a", "b", "c"])],
    forms=[
        Form([Group(["ill", "drinks"], Unrelated(theta=0.5))]),
        Form([Group(["ill"], Unrelated(theta=0.8))]),
    ],
)

OWN = Design(
    [Attribute("ill", ["no", "yes"]), Attribute("sex", ["f", "m"])],
    groups=[Group(["ill"], Unrelated(theta="2/3"))],
    own_device="die",
)


class Desk:
    """An app over a store with three surveys, and invitations to them."""

    def __init__(self, client: httpx.Client, store: Store) -> None:
        self.client, self.store = client, store
        self.codes = iter(store.invite("ward", 500))
        self.seen: Counter[int] = Counter()

    def post(self, path: str, body: Any, **headers: str) -> Any:
        """Send something, and look at every answer the same way."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = {"content-type": "application/json", **headers}
        answer = self.client.post(path, content=content, headers=sent)
        self.seen[answer.status_code] += 1
        assert answer.status_code in DOCUMENTED, answer.status_code
        if answer.status_code >= 400:
            told = answer.json()
            assert set(told) == {"type", "location", "help"}
            assert HELP[told["type"]] == (answer.status_code, told["help"])
        return answer

    def size(self) -> int:
        return sum(self.store.size(name) for name in self.store.surveys())


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    path: Path = tmp_path_factory.mktemp("desk") / "s.sqlite"
    with Store(str(path)) as store:
        store.open_survey("ward", DESIGN, "invited")
        store.open_survey("forms", FORMS, "anyone")
        store.open_survey("old", DESIGN, "invited")
        store.close_survey("old")
        with running(str(path)) as live, httpx.Client(base_url=live.base, timeout=30) as client:
            yield Desk(client, store)


def test_a_report_is_stored_once_and_a_retry_is_welcome(desk: Desk) -> None:
    before, body = desk.size(), body_for(DESIGN, next(desk.codes), some_report())
    assert desk.post("/ward/reports", body).status_code == 201
    assert desk.post("/ward/reports", body).status_code == 200
    other = {**body, "receipt": "0" * 32}
    assert desk.post("/ward/reports", other).status_code == 409
    assert desk.size() == before + 1


def wrong(desk: Desk) -> dict[str, tuple[str, Any, dict[str, str], int, str]]:
    """List what may be wrong: path, body, headers, and the status and type that answer it."""
    good = body_for(DESIGN, next(desk.codes), some_report())
    report = good["report"]
    formed = {"form": 1, "ill": "no", "drinks": None}

    def forms(**change: Any) -> dict[str, Any]:
        return {**body_for(FORMS, None, {**formed, **change}), "invitation": None}

    ward = "/ward/reports"

    def ill(value: Any) -> dict[str, Any]:
        return {**good, "report": {**report, "ill": value}}

    plain: dict[str, str] = {}
    form = {"content-type": "application/x-www-form-urlencoded"}
    return {
        "no json": (ward, b"{", plain, 400, "json"),
        "empty": (ward, b"", plain, 400, "json"),
        "not utf-8": (ward, b'{"design": "\xff"}', plain, 400, "json"),
        "a list": (ward, [], plain, 422, "field"),
        "deep": (ward, b"[" * 50_000, plain, 422, "field"),
        "too large": (ward, b" " * 70_000, plain, 413, "size"),
        "another type": (ward, good, {"content-type": "text/plain"}, 415, "type"),
        "unknown field": (ward, {**good, "time": 1}, plain, 422, "field"),
        "no report": (ward, {**good, "report": None}, plain, 422, "field"),
        "another design": (ward, {**good, "design": "0" * 64}, plain, 422, "design"),
        "a short receipt": (ward, {**good, "receipt": "ab"}, plain, 422, "field"),
        "no invitation": (ward, {**good, "invitation": None}, plain, 403, "invitation"),
        "a stranger": (ward, {**good, "invitation": "A" * 22}, plain, 403, "invitation"),
        "a long token": (ward, {**good, "invitation": "A" * 999}, plain, 403, "invitation"),
        "a value": (ward, ill("x"), plain, 422, "value"),
        "a code": (ward, ill(1), plain, 422, "value"),
        "a null": (ward, ill(None), plain, 422, "value"),
        "a missing answer": (ward, {**good, "report": {"ill": "no"}}, plain, 422, "field"),
        "one too many": (ward, {**good, "report": {**report, "x": "y"}}, plain, 422, "field"),
        "not asked": ("/forms/reports", forms(drinks="a"), plain, 422, "asked"),
        "no such form": ("/forms/reports", forms(form=2), plain, 422, "value"),
        "form as text": ("/forms/reports", forms(form="1"), plain, 422, "value"),
        "form as truth": ("/forms/reports", b'{"form":true}', plain, 422, "field"),
        "closed": ("/old/reports", good, plain, 410, "closed"),
        "no survey": ("/none/reports", good, plain, 404, "missing"),
        "no page": ("/ward/nothing", good, plain, 404, "missing"),
        "no paper": ("/ward/paper", b"code=x", form, 404, "script"),
    }


def test_each_mistake_gets_its_own_help_and_nothing_is_stored(desk: Desk) -> None:
    before = desk.size()
    for what, (path, body, headers, status, kind) in wrong(desk).items():
        answer = desk.post(path, body, **headers)
        assert (answer.status_code, answer.json()["type"]) == (status, kind), what
    assert desk.size() == before


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "GET"])
def test_other_methods_are_refused(desk: Desk, method: str) -> None:
    answer = desk.client.request(method, "/ward/reports")
    assert (answer.status_code, answer.json()["type"]) == (405, "method")


def test_every_response_carries_the_headers_and_no_cookie(desk: Desk) -> None:
    for path in (
        "/ward/",
        "/ward/design.json",
        "/web/page.js",
        "/none/",
        "/ward/reports",
        "/healthz",
    ):
        answer = desk.client.get(path)
        assert answer.headers["content-security-policy"].startswith(
            "default-src 'none'; script-src"
        )
        assert answer.headers["integrity-policy"] == "blocked-destinations=(script)"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in answer.headers
        assert "server" not in answer.headers


PERSON = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8", "accept-language": "de"}


@pytest.mark.parametrize("accept", ["application/json", "*/*"])
def test_people_get_a_page_and_programs_get_json(desk: Desk, accept: str) -> None:
    for path, kind in {
        "/": "missing", "/none/": "missing", "/ward/paper": "script", "/ward/reports": "method"
    }.items():  # fmt: skip
        page = desk.client.get(path, headers=PERSON)
        told = desk.client.get(path, headers={"accept": accept})
        assert told.json()["type"] == kind
        assert page.status_code == told.status_code == HELP[kind][0]
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert page.text.startswith('<!doctype html>\n<html lang="de"')
        policy = "content-security-policy"
        assert page.headers[policy] == told.headers[policy]


def test_a_form_with_a_mistake_comes_back_as_it_was_filled_in(desk: Desk) -> None:
    with suppress(SurveyError):
        desk.store.open_survey("die", OWN, "invited")
    good = {"q.ill": "yes", "q.sex": "m", "receipt": "0" * 32, "code": '"><b>'}
    good["design"] = OWN.fingerprint
    wrong = {"invitation": (403, good), "report.sex": (422, {**good, "q.sex": ""})}
    for place, (status, fields) in wrong.items():
        answer = desk.client.post("/die/paper", data=fields, headers=PERSON)
        assert answer.status_code == status
        assert f'<a href="#{place}">' in answer.text
        assert answer.text.count('id="wrong"') == answer.text.count(f'id="{place}"') == 1
        assert answer.text.count('value="yes" required autocomplete="off" checked') == 1
        assert answer.text.count(" checked>") == sum(bool(fields[f"q.{n}"]) for n in OWN.names)
        assert f'name="receipt" value="{"0" * 32}"' in answer.text
        assert 'value="&quot;&gt;&lt;b&gt;"' in answer.text
    assert desk.store.size("die") == 0


def test_a_form_that_was_thrown_for_another_survey_of_the_name_is_not_counted(desk: Desk) -> None:
    rarer = Design(
        OWN.attributes, groups=[Group(["ill"], Unrelated(theta="1/6"))], own_device="die"
    )
    desk.store.open_survey("again", OWN, "anyone")
    form = desk.client.get("/again/paper", headers=PERSON).text
    receipt = re.search('name="receipt" value="([0-9a-f]+)"', form)
    assert receipt
    filled = {"q.ill": "yes", "q.sex": "m", "receipt": receipt[1], "design": OWN.fingerprint}
    assert f'name="design" value="{OWN.fingerprint}"' in form
    desk.store.delete_survey("again")
    desk.store.open_survey("again", rarer, "anyone")
    without = {name: value for name, value in filled.items() if name != "design"}
    for fields in (filled, without):
        answer = desk.client.post("/again/paper", data=fields, headers=PERSON)
        assert answer.status_code == 422
        assert "Diese Umfrage hat sich geändert, seit Sie sie geöffnet haben" in answer.text
        assert f'name="design" value="{rarer.fingerprint}"' in answer.text
        assert "Wurf 1:" in answer.text
        assert " checked" not in answer.text
        assert receipt[1] not in answer.text
    assert desk.store.size("again") == 0
    filled["design"] = rarer.fingerprint
    assert desk.client.post("/again/paper", data=filled, headers=PERSON).status_code == 201


@pytest.mark.parametrize("modes", [("invited", "anyone"), ("anyone", "invited")])
def test_a_worker_that_remembers_who_might_answer_looks_again(
    desk: Desk, modes: tuple[Mode, Mode]
) -> None:
    """The design is the same, so that only the invitation tells another survey of the name."""
    name = "-".join(modes)
    for mode in modes:
        desk.store.open_survey(name, DESIGN, mode)
        secret = desk.store.invite(name, 1)[0] if mode == "invited" else None
        body = body_for(DESIGN, secret, some_report())
        assert desk.post(f"/{name}/reports", body).status_code == 201
        if mode == modes[0]:
            desk.store.delete_survey(name)


def test_a_wrong_invitation_reads_the_survey_once_and_no_more(tmp_path: Path) -> None:
    with Store(str(tmp_path / "s.sqlite")) as store:
        store.open_survey("ward", DESIGN, "invited")
        reads, survey = list[str](), store.survey

        def counted(name: str) -> Survey:
            reads.append(name)
            return survey(name)

        store.survey = counted  # type: ignore[method-assign]

        async def send() -> None:
            transport = httpx.ASGITransport(create_app(store))
            async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
                await client.get("/ward/")
                for secret in (None, "?"):
                    reads.clear()
                    body = body_for(DESIGN, secret, some_report())
                    answer = await client.post("/ward/reports", json=body)
                    assert (answer.status_code, reads) == (403, ["ward"])

        in_loop(send())


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)
LABELS = st.sampled_from(["no", "yes", "never", "often", "f", "m", "a"]) | ANY


@st.composite
def almost(draw: st.DrawFn) -> tuple[str, bytes]:
    """Draw a body that is right but for one to three changes."""
    body: dict[str, Any] = body_for(DESIGN, draw(st.just("A" * 22) | st.text(max_size=80)), {})
    body["report"] = {name: draw(LABELS) for name in DESIGN.names}
    for _ in range(draw(st.integers(1, 3))):
        change = draw(st.sampled_from(["drop", "add", "swap", "inside"]))
        key = draw(st.sampled_from(sorted(body)) if body else st.just("x"))
        if change == "drop":
            body.pop(key, None)
        elif change == "add":
            body[draw(st.text(max_size=12))] = draw(ANY)
        elif change == "swap":
            body[key] = draw(ANY)
        elif isinstance(body.get("report"), dict):
            body["report"][draw(st.text(max_size=8) | st.sampled_from(DESIGN.names))] = draw(ANY)
    written = json.dumps(body).encode("utf-8", "surrogatepass")
    cut = draw(st.none() | st.integers(0, len(written)))
    return draw(st.sampled_from(["/ward/reports", "/forms/reports", "/old/reports"])), written[:cut]


BAD: list[Any] = [
    None, True, 0, -1, 2**70, 1.5, "", "x" * 5000, [], {}, [None], {"a": 1}, "\u0000", "'; --", "é",
]  # fmt: skip


def mutated(random: Random) -> bytes:
    """Make a body that is right but for a few changes of shape, value or bytes."""
    body: Any = body_for(DESIGN, "A" * 22, dict(some_report(random.randrange(12))))
    for _ in range(random.randint(1, 3)):
        place = (
            random.choice([body, body["report"]]) if isinstance(body.get("report"), dict) else body
        )
        key = random.choice([*place, "extra"])
        if random.random() < 0.3:
            place.pop(key, None)
        else:
            place[key] = random.choice(BAD)
    written = bytearray(json.dumps(body).encode())
    for _ in range(random.choice([0, 0, 1, 3])):
        written[random.randrange(len(written))] = random.randrange(256)
    return bytes(written[: random.choice([len(written), random.randrange(len(written))])])


def test_thousands_of_malformed_reports_get_help_and_store_nothing(desk: Desk) -> None:
    before, sent, random = desk.size(), Counter[int](), Random(5)
    paths = ["/ward/reports"] * 4 + ["/forms/reports", "/old/reports", "/x/reports"]
    for _ in range(5000):
        answer = desk.post(random.choice(paths), mutated(random))
        assert 400 <= answer.status_code < 500
        sent[answer.status_code] += 1
    assert desk.size() == before
    assert set(sent) <= DOCUMENTED - {503}
    assert {400, 403, 404, 422} <= set(sent)


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(almost())
def test_shapes_nobody_thought_of_are_refused_too(desk: Desk, case: tuple[str, bytes]) -> None:
    assert 400 <= desk.post(*case).status_code < 500


@settings(max_examples=200, suppress_health_check=list(HealthCheck))
@given(
    method=st.sampled_from(["GET", "POST", "PUT", "HEAD", "DELETE"]),
    path=st.text(st.characters(codec="ascii", exclude_characters="#?"), max_size=30),
    headers=st.dictionaries(
        st.sampled_from(["content-type", "content-length", "accept-encoding", "x-forwarded-for"]),
        st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=20),
    ),
)
def test_strange_paths_methods_and_headers_never_break_the_service(
    desk: Desk, method: str, path: str, headers: dict[str, str]
) -> None:
    headers.pop("content-length", None)
    answer = desk.client.request(method, "/" + quote(path), headers=headers)
    assert answer.status_code < 500
