"""Meanwhile: what happens while a survey is opened, closed or deleted goes to no other one."""

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager

import pytest
from sqlalchemy import Connection, insert

from frankly import Attribute, Design, Group, Unrelated
from frankly.design import Panel
from frankly.store import Answer, Mode, Rows, Store, SurveyError, hashed, ingest
from frankly.store import store as the_store
from frankly.store.drafts import (
    Draft,
    add_draft,
    add_member,
    members,
    open_draft,
    own_survey,
    owners,
    put_member,
)
from frankly.store.people import add_account, remove_account
from frankly.store.tables import invitation, shown
from tests.live import DESIGN, Postgres


def first(store: Store, act: Callable[[], object]) -> None:
    """Let something happen right before the store's next transaction that writes."""
    writing = store.writing

    def late() -> AbstractContextManager[Connection]:
        store.writing = writing  # type: ignore[method-assign]
        act()
        return writing()

    store.writing = late  # type: ignore[assignment, method-assign]


def renewed(store: Store, mode: Mode = "invited") -> None:
    """Delete a survey and open another of its name."""
    store.delete_survey("ward")
    store.open_survey("ward", DESIGN, mode)


@pytest.mark.parametrize("act", [Store.delete_survey, Store.close_survey, None])
def test_nobody_is_invited_to_a_survey_that_ends_meanwhile(
    url: str, act: Callable[[Store, str], object] | None
) -> None:
    with Store(url) as store, Store(url, upgrade=False) as other:
        store.open_survey("ward", DESIGN, "invited")
        first(store, lambda: act(other, "ward") if act else renewed(other))
        with pytest.raises(SurveyError, match=r"deleted meanwhile|is closed"):
            store.invite("ward", 3)
        assert store.total_rows()["invitation"] == 0


def test_a_long_list_of_invitations_lets_others_write_in_between(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(the_store, "CHUNK", 10)
    with Store(url) as store, Store(url, upgrade=False) as other:
        store.open_survey("ward", DESIGN, "invited")
        other.open_survey("else", DESIGN, "anyone")
        writing, between = store.writing, list[str]()

        def counted() -> AbstractContextManager[Connection]:
            row = Rows(DESIGN).pack(0, [0, 0, 0])
            answer = Answer("else", None, hashed(f"{len(between)}"), row)
            between.extend(ingest(other, [answer]))
            return writing()

        store.writing = counted  # type: ignore[assignment, method-assign]
        made = store.invite("ward", 25)
        assert between == ["stored"] * 3
        assert store.unused("ward", made) == made
        assert len(set(made)) == 25


def test_a_survey_for_anyone_has_no_invitations(url: str) -> None:
    with Store(url) as store:
        store.open_survey("ward", DESIGN, "anyone")
        with pytest.raises(SurveyError, match="needs no invitations"):
            store.invite("ward", 3)
        assert store.total_rows()["invitation"] == 0


def test_nobody_is_let_into_a_survey_that_was_deleted_meanwhile(url: str) -> None:
    with Store(url) as store, Store(url, upgrade=False) as other:
        add_account(store, "ann", "x", "owner")
        add_account(store, "bob", "x", "analyst")
        store.open_survey("ward", DESIGN, "invited")
        own_survey(store, "ward")
        add_member(store, "ward", "bob", "analyst", by="ann")
        first(store, lambda: renewed(other))
        with pytest.raises(SurveyError, match="deleted meanwhile"):
            add_member(store, "ward", "bob", "analyst", by="ann")
        assert members(store, "ward") == {}
        with store.writing() as connection:
            put_member(connection, "ward", "bob", "analyst")
        own_survey(store, "ward")
        assert owners(store, "ward") == ["ann"]


def leave(store: Store) -> None:
    """Leave rows of a survey that is gone, as versions before this one could."""
    with store.writing() as connection:
        values = {"survey": "ward", "secret": hashed("old"), "receipt": bytes(32)}
        connection.execute(insert(invitation).values(**values))
        connection.execute(insert(shown).values(survey="ward", n=1, counts="{}"))


def test_a_survey_begins_with_nothing_of_an_earlier_one_of_its_name(url: str) -> None:
    with Store(url) as store:
        add_account(store, "ann", "x", "owner")
        leave(store)
        with store.writing() as connection:
            put_member(connection, "ward", "bob", "analyst")
        store.open_survey("ward", DESIGN, "invited")
        assert members(store, "ward") == {}
        store.delete_survey("ward")
        add_draft(store, Draft("ward", DESIGN.document()), "ann")
        leave(store)
        open_draft(store, "ward", DESIGN, "invited")
        assert owners(store, "ward") == ["ann"]
        assert store.last_shown("ward") is None
        assert store.unused("ward", ["old"]) == []
        with pytest.raises(SurveyError, match="already"):
            store.open_survey("ward", DESIGN, "anyone")
        assert owners(store, "ward") == ["ann"]


def test_only_the_survey_that_was_meant_is_closed_or_deleted(url: str) -> None:
    with Store(url) as store, Store(url, upgrade=False) as other:
        store.open_survey("ward", DESIGN, "invited")
        anew = store.anew

        def late() -> AbstractContextManager[Connection]:
            renewed(other)
            return anew()

        store.anew = late  # type: ignore[assignment, method-assign]
        for act in (store.close_survey, store.delete_survey):
            with pytest.raises(SurveyError, match="deleted meanwhile"):
                act("ward")
        assert store.survey("ward").state == "open"


WAVE = Design(
    [Attribute("ill", ["no", "yes"])],
    groups=[Group(["ill"], Unrelated(theta=0.7))],
    panel=Panel("nurses", 1e6),
)


def test_closing_waits_for_everyday_acts_and_they_for_it(postgres: Postgres) -> None:
    """Without one table at which all queue, some of these nearly always wait in a circle."""
    url = postgres.database()
    with Store(url) as store:
        add_account(store, "ann", "x", "owner")
    done = threading.Event()

    def drafts(mine: Store, i: int) -> None:
        add_draft(mine, Draft(f"d{i}", DESIGN.document()), "ann")
        open_draft(mine, f"d{i}", DESIGN, "anyone")

    def panels(mine: Store, i: int) -> None:
        mine.open_survey(f"p{i}", WAVE, "anyone")

    def people(mine: Store, i: int) -> None:
        add_account(mine, f"u{i}", "x", "analyst")
        remove_account(mine, f"u{i}")

    def over_and_over(act: Callable[[Store, int], None]) -> int:
        with Store(url, upgrade=False) as mine:
            i = 0
            while not done.is_set() and i < 500:
                act(mine, i)
                i += 1
        return i

    def closing() -> None:
        try:
            with Store(url, upgrade=False) as mine:
                for i in range(15):
                    mine.open_survey(f"c{i}", DESIGN, "anyone")
                    mine.close_survey(f"c{i}")
        finally:
            done.set()

    with ThreadPoolExecutor(4) as pool:
        loops = [pool.submit(over_and_over, act) for act in (drafts, panels, people)]
        pool.submit(closing).result()
        assert all(loop.result() > 0 for loop in loops)


START = """
import sys
from frankly.store import Store
print(flush=True)
sys.stdin.readline()
Store(sys.argv[1]).close()
"""


def test_commands_that_start_together_make_the_tables_once(postgres: Postgres) -> None:
    url = postgres.database()
    started = [
        subprocess.Popen(
            [sys.executable, "-c", START, url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for one in started:
        assert one.stdout
        one.stdout.readline()
    for one in started:
        assert one.stdin
        one.stdin.write("\n")
        one.stdin.flush()
    for one in started:
        _, said = one.communicate(timeout=60)
        assert one.returncode == 0, said
