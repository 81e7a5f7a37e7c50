"""Getting in: slow for whoever guesses, as ever for whoever belongs, and forged by nobody."""

import re
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from sqlalchemy import update

from frankly.store import Store
from frankly.store.drafts import names_of
from frankly.store.people import add_account, keys_of, look_at_link, make_link
from frankly.store.tables import session
from frankly.studio import accounts
from frankly.studio.access import COOKIE, csrf_token
from tests.live import running
from tests.studio.people import BASE, DOCUMENT, PASSWORD, Studio


def tries(client: httpx.Client, password: str, name: str = "ann") -> httpx.Response:
    return client.post("/sign-in", data={"name": name, "password": password})


def test_ten_failures_slow_an_attacker_and_not_the_owner_elsewhere(studio: Studio) -> None:
    studio.app.state.limit.now = lambda: 0.0  # however slow the machine, no time passes
    with studio.caller("192.0.2.7") as attacker, studio.caller("192.0.2.8") as owner:
        statuses, waits = [], []
        for i in range(14):
            told = tries(attacker, f"a wrong guess {i}")
            statuses.append(told.status_code)
            waits += [int(told.headers["retry-after"])] if told.status_code == 429 else []
        assert statuses[:10] == [401] * 10
        assert statuses[10:] == [429] * 4
        assert min(waits) >= 1
        held = tries(attacker, PASSWORD)
        assert held.status_code == 429, "even the right password waits there"
        assert tries(owner, PASSWORD).status_code == 303
        assert tries(attacker, PASSWORD, name="bob").status_code == 303, "one account, not all"


def test_each_failure_from_the_tenth_on_doubles_the_wait(studio: Studio) -> None:
    limit = studio.app.state.limit
    limit.now = lambda: 0.0
    waits = []
    for _ in range(25):
        limit.failed("ann", "there")
        waits.append(limit.wait("ann", "there"))
    assert waits[:9] == [0] * 9
    assert waits[9:14] == [1, 2, 4, 8, 16]
    assert waits[-1] == limit.longest
    limit.now = lambda: limit.longest + 1.0
    assert limit.wait("ann", "there") == 0


def test_guesses_that_come_at_once_are_counted_before_they_are_tested(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    studio.app.state.limit.now = lambda: 0.0
    together = threading.Barrier(10)

    def tested(*_: object) -> bool:
        together.wait(30)  # nobody has failed before ten are here
        return False

    monkeypatch.setattr(accounts, "is_password", tested)

    def guess(i: int) -> int:
        with studio.caller(f"2001:db8::{i}") as attacker:  # one line has all these addresses
            return tries(attacker, "a wrong guess").status_code

    with ThreadPoolExecutor(20) as crowd:
        assert Counter(crowd.map(guess, range(20))) == {401: 10, 429: 10}


def test_a_new_password_ends_every_other_link_to_change_it(studio: Studio) -> None:
    first, second = (make_link(studio.store, account_name="ann") for _ in range(2))
    new = {"password": "another sentence of hers"}
    with studio.caller() as ann, studio.caller() as finder:
        assert ann.post(f"/welcome/{first}", data=new).status_code == 303
        assert finder.get(f"/welcome/{second}").status_code == 404
        assert finder.post(f"/welcome/{second}", data=new).status_code == 404
        used, unknown = (finder.get(f"/welcome/{one}").text for one in (first, "x" * len(first)))
        assert "This link was used, or has expired" in used
        assert used == unknown, "whoever guesses links learns nothing"


def test_the_first_account_ends_every_other_link_for_a_first_account(tmp_path: Path) -> None:
    with Store(str(tmp_path / "new.sqlite")) as store:
        printed = [make_link(store) for _ in range(3)]  # one at each start
        add_account(store, "ann", "a hash", "owner")
        assert [look_at_link(store, one) for one in printed] == [None] * 3
        later = make_link(store, role="analyst")
        add_account(store, "bob", "a hash", "owner")
        assert look_at_link(store, later) is not None


def test_a_name_that_could_not_stand_in_an_address_is_refused(studio: Studio) -> None:
    with studio.caller() as visitor:
        form = {"name": "ann/ward", "password": PASSWORD}
        refused = visitor.post(f"/welcome/{make_link(studio.store)}", data=form)
    assert refused.status_code == 400
    assert "no slashes" in refused.text


def test_a_stranger_and_a_friend_are_told_the_same(studio: Studio, nobody: httpx.Client) -> None:
    known, unknown = tries(nobody, "a wrong guess"), tries(nobody, "a wrong guess", name="zoe")
    assert known.status_code == unknown.status_code == 401
    assert known.text.replace("ann", "zoe") == unknown.text
    assert tries(nobody, "a wrong guess", name="a\0b").status_code == 401
    assert studio.store.total_rows()["session"] == 0


def test_a_session_is_new_at_every_sign_in_and_ends_when_told(studio: Studio) -> None:
    with studio.caller() as ann:
        ann.cookies.set(COOKIE, "a session somebody else has chosen")
        told = tries(ann, PASSWORD)
        flags = told.headers["set-cookie"].lower()
        assert "httponly" in flags
        assert "samesite=lax" in flags
        assert "path=/" in flags
        mine = re.findall(rf"{COOKIE}=([^;]+)", told.headers["set-cookie"])[0]
        assert mine != "a session somebody else has chosen"
        ann.cookies.clear()
        ann.cookies.set(COOKIE, mine)
        assert ann.get("/").status_code == 200
        assert ann.post("/sign-out", data={"csrf": csrf_token(mine)}).status_code == 303
        ann.cookies.clear()
        ann.cookies.set(COOKIE, mine)
        assert ann.get("/").headers["location"] == "/sign-in"


def test_over_tls_the_cookie_never_travels_without(studio: Studio) -> None:
    with studio.caller() as ann:
        told = ann.post("https://studio/sign-in", data={"name": "ann", "password": PASSWORD})
        assert "secure" in told.headers["set-cookie"].lower()


def test_a_session_ends_by_itself(studio: Studio, ann: httpx.Client) -> None:
    assert ann.get("/").status_code == 200
    with studio.store.writing() as connection:
        connection.execute(update(session).values(ends=int(time.time()) - 1))
    assert ann.get("/").headers["location"] == "/sign-in"
    assert ann.get("/api/v1/surveys").status_code == 401


@pytest.mark.parametrize("word", ["", "wrong", None])
def test_a_forged_form_changes_nothing(studio: Studio, ann: httpx.Client, word: str | None) -> None:
    studio.draft("ward")
    body = {} if word is None else {"csrf": word}
    for path in ("/surveys/ward/open", "/surveys/ward/delete", "/account/keys", "/new"):
        form = {**body, "mode": "invited", "typed": "ward", "label": "x", "powers": "read",
                "title": "forged"}  # fmt: skip
        forged = ann.post(path, data=form, headers={"X-CSRF": word or ""})
        assert forged.status_code == 403
        del ann.headers["X-CSRF"]
        assert ann.post(path, data=form).status_code == 403
        ann.headers["X-CSRF"] = word or ""
    api = ann.post("/api/v1/surveys", json={"document": DOCUMENT})
    assert api.status_code == 403
    assert names_of(studio.store, "ann") == ["ward"]
    assert studio.store.surveys() == []
    assert keys_of(studio.store, "ann") == []


def test_another_sites_page_signs_nobody_in(studio: Studio) -> None:
    secret = make_link(studio.store)
    for head, said, status in (
        ("Sec-Fetch-Site", "cross-site", 403), ("Sec-Fetch-Site", "same-site", 403),
        ("Origin", "https://elsewhere.example", 403), ("Origin", "http://[", 403),
        ("Origin", BASE, 303), ("Origin", "null", 303), ("Sec-Fetch-Site", "same-origin", 303),
    ):  # fmt: skip
        with studio.caller(**{head: said}) as visitor:
            assert tries(visitor, PASSWORD).status_code == status
            if status == 403 or head != "Origin":  # the link works once
                form = {"name": "eve", "password": PASSWORD}
                assert visitor.post(f"/welcome/{secret}", data=form).status_code == status


def test_the_forms_own_word_is_enough_without_script(studio: Studio, ann: httpx.Client) -> None:
    studio.draft("ward")
    shown = ann.get("/surveys/ward/invite").text
    (word,) = set(re.findall(r'name="csrf" value="([^"]+)"', shown))
    del ann.headers["X-CSRF"]
    assert ann.post("/surveys/ward/open", data={"mode": "invited", "csrf": word}).status_code == 303
    with studio.signed_in("bob") as bob:
        bob.headers["X-CSRF"] = word
        assert bob.post("/new", data={"title": "forged"}).status_code == 403


def test_an_account_is_removed_with_everything_that_lets_it_in(
    studio: Studio, ann: httpx.Client, bob: httpx.Client, carl: httpx.Client
) -> None:
    with studio.by_key("bob", "read") as program:
        studio.draft("ward", owner="bob")
        refused = ann.post("/account/people/bob/remove")
        assert refused.status_code == 400
        assert "bob is the only owner of 1 survey. " in refused.text
        assert "ward" not in refused.text, "what is not shared with ann is not named to her"
        bob.put("/api/v1/surveys/ward/members/ann", json={"role": "analyst"})
        assert "1 survey (ward)" in ann.post("/account/people/bob/remove").text
        assert carl.post("/account/people/bob/remove").status_code == 403
        assert ann.post("/account/people/ann/remove").status_code == 400
        bob.put("/api/v1/surveys/ward/members/ann", json={"role": "owner"})
        assert "Remove bob?" in ann.post("/account/people/bob/remove").text
        assert bob.get("/api/v1/surveys").status_code == 200, "nobody is sure yet"
        gone = ann.post("/account/people/bob/remove", data={"sure": "yes"})
        assert "The account is removed" in ann.get(gone.headers["location"]).text
        assert bob.get("/api/v1/surveys").status_code == 401
        assert program.get("/api/v1/surveys").status_code == 401
    assert [one["name"] for one in ann.get("/api/v1/surveys").json()] == ["ward"]


def test_behind_a_proxy_places_and_tls_are_those_of_the_visitor(studio: Studio) -> None:
    url = studio.store.url.removeprefix("sqlite:///")
    words, told = (sys.executable, "-m", "frankly.studio"), {"FRANKLY_BEHIND_PROXY": "yes"}
    with running(url, launch=words, env=told) as live:

        def visitor(address: str) -> httpx.Client:
            said = {"X-Forwarded-For": address, "X-Forwarded-Proto": "https"}
            return httpx.Client(base_url=live.base, headers=said, timeout=60)

        with visitor("192.0.2.7") as attacker, visitor("192.0.2.8") as owner:
            statuses = [tries(attacker, f"a wrong guess {i}").status_code for i in range(13)]
            assert 429 in statuses
            let_in = tries(owner, PASSWORD)
            assert let_in.status_code == 303
            assert "secure" in let_in.headers["set-cookie"].lower()


def test_without_a_proxy_nobody_chooses_where_they_come_from(studio: Studio) -> None:
    url = studio.store.url.removeprefix("sqlite:///")
    with running(url, launch=(sys.executable, "-m", "frankly.studio")) as live:
        statuses = []
        with httpx.Client(base_url=live.base, timeout=60) as attacker:
            for i in range(13):
                attacker.headers["X-Forwarded-For"] = f"192.0.2.{i}"
                statuses.append(tries(attacker, f"a wrong guess {i}").status_code)
    assert 429 in statuses


def test_whoever_tries_many_names_is_slowed_down_and_nobody_elsewhere(
    studio: Studio, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = studio.app.state.limit
    assert limit.crowd == 100
    limit.now, limit.crowd = (lambda: 0.0), 20
    with studio.caller("192.0.2.7") as attacker, studio.caller("192.0.2.8") as owner:
        for _ in range(30):  # many who belong are no crowd
            limit.knock("ann", "192.0.2.7")
            limit.succeeded("ann", "192.0.2.7")
        monkeypatch.setattr(accounts, "is_password", lambda *_: False)
        told = [tries(attacker, "a wrong guess", name=f"name{i}") for i in range(22)]
        assert [one.status_code for one in told] == [401] * 20 + [429] * 2
        assert told[-1].headers["retry-after"] == "1"
        assert tries(owner, "a wrong guess").status_code == 401
        limit.now = lambda: 1.0
        statuses = [tries(attacker, "a wrong guess", name=f"more{i}").status_code for i in (1, 2)]
        assert statuses == [401, 429], "one try a second"


def test_failures_are_forgotten_in_time(studio: Studio) -> None:
    limit = studio.app.state.limit
    for second in range(2000):
        limit.now = lambda at=float(second): at
        limit.failed(f"name{second}", f"place{second}")
    assert len(limit.failures) == 2 * (int(limit.longest) + 1)


SLOW = """
import runpy, time
from argon2.exceptions import VerifyMismatchError
from frankly.studio import passwords
class Slow:
    def hash(self, password):
        return "a hash"
    def verify(self, kept, password):
        time.sleep(1)
        raise VerifyMismatchError
passwords.hasher = Slow()
runpy.run_module("frankly.studio", run_name="__main__")
"""


def test_strangers_who_knock_all_at_once_hold_up_no_page(studio: Studio) -> None:
    """Sixty of them would take half a minute of the forty threads that all pages share."""
    url = studio.store.url.removeprefix("sqlite:///")
    with (
        running(url, launch=(sys.executable, "-c", SLOW)) as live,
        httpx.Client(base_url=live.base, timeout=60) as client,
        ThreadPoolExecutor(60) as crowd,
    ):
        knocks = [crowd.submit(tries, client, "a guess", f"name{i}") for i in range(60)]
        while not any(one.done() for one in knocks):
            time.sleep(0.02)
        start = time.monotonic()
        assert httpx.get(f"{live.base}/sign-in", timeout=60).status_code == 200
        waited = time.monotonic() - start
        told = [one.result() for one in knocks]
    assert waited < 4
    counted = Counter(one.status_code for one in told)
    assert set(counted) == {401, 503}
    assert counted[401] >= 8, "a few wait for their turn"
    busy = [one for one in told if one.status_code == 503]
    assert {one.headers["retry-after"] for one in busy} == {"2"}
    assert "Try again in a few seconds" in busy[0].text


def test_nothing_secret_is_logged_or_kept(studio: Studio, tmp_path: Path) -> None:
    log, words = tmp_path / "log", (sys.executable, "-X", "dev", "-m", "frankly.studio")
    url = studio.store.url.removeprefix("sqlite:///")
    secret = make_link(studio.store, role="owner")
    form = {"name": "eve", "password": "correct horse battery"}
    with running(url, launch=words, log=log) as live, httpx.Client(base_url=live.base) as eve:
        assert eve.post(f"/welcome/{secret}", data=form).status_code == 303
        cookie = eve.cookies[COOKIE]
        eve.headers["X-CSRF"] = csrf_token(cookie)
        shown = eve.post("/account/keys", data={"label": "a program", "powers": ["read"]}).text
        key = re.findall(r"fk_[\w-]+", shown)[0]
        assert tries(eve, "wrong wrong wrong").status_code == 401
        assert eve.post("/api/v1/surveys", content="{broken broken").status_code == 422
        again = eve.get("/account").text
        assert key not in again, "a key is shown once"
        (removing,) = re.findall(r"/account/keys/[^/]+/remove", again)
        assert "Remove the key a program?" in eve.post(removing).text
        assert removing in eve.get("/account").text, "nobody is sure yet"
        gone = eve.post(removing, data={"sure": "yes"})
        assert "The key is removed" in eve.get(gone.headers["location"]).text
        assert removing not in eve.get("/account").text
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for word in (secret, cookie, key, form["password"], "wrong wrong wrong", "broken broken"):
        assert word.encode() not in kept
    assert b"eve" in kept
