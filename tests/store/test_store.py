"""The store: one invitation, one report; counters that agree with rows; nothing left behind."""

import os
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from conformance.designs import random_design
from frankly import Attribute, Design, Form, Group, Unrelated
from frankly.count import Query
from frankly.count.store import StoreEngine, live_counts
from frankly.errors import InfiniteEpsilonWarning
from frankly.store import Answer, Counters, Mode, Outcome, Rows, Store, SurveyError, hashed, ingest
from frankly.store.counters import LARGEST
from frankly.store.tray import LATEST
from tests.live import DESIGN, packed

FORMS = Design(
    [Attribute("ill", ["no", "yes"]), Attribute("drinks", ["a", "b", "c"])],
    forms=[
        Form([Group(["ill", "drinks"], Unrelated(theta=0.5))], weight=2),
        Form([Group(["ill"], Unrelated(theta=0.8))]),
    ],
    target="ill",
)


def answers(store: Store, rows: list[bytes], name: str = "ward") -> list[Answer]:
    """Invite as many people, each with one of these rows."""
    made = store.invite(name, len(rows))
    return [
        Answer(name, hashed(secret), hashed(secrets.token_hex(16)), row)
        for secret, row in zip(made, rows, strict=True)
    ]


def test_a_report_comes_out_as_it_went_in(url: str) -> None:
    rows = [Rows(DESIGN).pack(0, [i % 2, i % 3, 1]) for i in range(50)]
    with Store(url) as store:
        store.open_survey("ward", DESIGN, "invited")
        assert set(ingest(store, answers(store, rows))) == {"stored"}
        assert sorted(packed(store)) == sorted(rows)
        assert store.size("ward") == 50
        store.close_survey("ward")
        assert sorted(packed(store)) == sorted(rows)


def test_an_invitation_is_used_once_and_a_retry_is_recognised(url: str) -> None:
    row, other = (Rows(DESIGN).pack(0, [i, 0, 0]) for i in (0, 1))
    with Store(url) as store:
        store.open_survey("ward", DESIGN, "invited")
        (first,) = answers(store, [row])
        second = Answer("ward", first.secret, hashed("another receipt"), other)
        stranger = Answer("ward", hashed("nobody"), hashed("x"), row)
        assert ingest(store, [first, first, second]) == ["stored", "again", "taken"]
        assert ingest(store, [second, first, stranger]) == ["taken", "again", "unknown"]
        assert packed(store) == [row]
        store.close_survey("ward")
        assert ingest(store, [first, second]) == ["again", "closed"]
        assert ingest(store, [Answer("gone", None, hashed("y"), row)]) == ["missing"]


def test_anyone_may_answer_an_open_link_and_a_retry_is_still_recognised(url: str) -> None:
    row = Rows(DESIGN).pack(0, [0, 0, 0])
    with Store(url) as store:
        store.open_survey("ward", DESIGN, "anyone")
        answer = Answer("ward", None, hashed("a receipt"), row)
        assert ingest(store, [answer]) == ["stored"]
        assert ingest(store, [answer]) == ["again"]
        assert store.size("ward") == 1


def test_live_counters_equal_a_full_scan_in_every_form(url: str) -> None:
    rng = np.random.default_rng(1)
    design = Design(FORMS.attributes, forms=[*FORMS.forms, FORMS.forms[1]], target="ill")
    with Store(url) as store:
        store.open_survey("ward", design, "invited")
        forms = rng.integers(0, 3, 300)
        rows = [
            Rows(design).pack(int(f), [int(rng.integers(2)), None if f else int(rng.integers(3))])
            for f in forms
        ]
        todo = answers(store, rows)
        queries = [
            Query([], 0), Query(["ill"], 0), Query(["ill"], 1), Query(["drinks", "ill"], 0),
            Query(["ill"], 2),
        ]  # fmt: skip
        for tidy in (False, True, False):  # whether they were sorted in or not, or some of them
            ingest(store, [todo.pop() for _ in range(100)], tidy=tidy)
            engine = StoreEngine(design, store, "ward")
            assert engine.count(queries) == engine.scan.count(queries)
            assert "scan" in engine.__dict__
        fresh = StoreEngine(design, store, "ward")
        fresh.count(queries)
        assert "scan" not in fresh.__dict__, "live counters should have sufficed"
        where = [Query(["drinks"], 0, [("ill", "yes")])]
        assert fresh.count(where) == fresh.scan.count(where)


def test_a_table_too_large_to_be_counted_live_is_read_from_the_reports(url: str) -> None:
    street = Attribute("street", [f"{i}" for i in range(LARGEST + 1)])
    job = Attribute("job", [f"{i}" for i in range(600)])
    design = Design([street, job, Attribute("ill", ["no", "yes"])], target="ill")
    rows = [Rows(design).pack(0, [i * 50, i, i % 2]) for i in range(20)]
    with Store(url) as store:
        store.open_survey("ward", design, "anyone")
        ingest(store, [Answer("ward", None, hashed(f"{i}"), row) for i, row in enumerate(rows)])
        live = {one.names for one in live_counts(design, store.counted("ward"))}
        assert live == {(), ("job",), ("ill",)}
        engine = StoreEngine(design, store, "ward")
        asked = [Query(names) for names in (["street"], ["job"], ["job", "ill"], ["ill"], [])]
        assert engine.count(asked) == engine.scan.count(asked)


def test_workers_that_take_each_others_places_lose_no_report_and_no_count(url: str) -> None:
    rows = [Rows(DESIGN).pack(0, [i % 2, i % 3, 1]) for i in range(240)]
    with Store(url) as one, Store(url, upgrade=False) as other, Store(url, upgrade=False) as third:
        one.open_survey("ward", DESIGN, "invited")
        todo = answers(one, rows)
        for start in range(0, 120, 8):  # in turns: each remembers places that the others take
            for place, store in enumerate((one, other)):
                part = todo[start : start + 8][place::2]
                assert set(ingest(store, part)) == {"stored"}
        with ThreadPoolExecutor(3) as pool:  # all at once, with the counters of one process
            parts = zip((one, other, third), (todo[120 + i :: 3] for i in range(3)), strict=True)
            done = [pool.submit(one_by_one, store, part) for store, part in parts]
        assert {outcome for each in done for outcome in each.result()} == {"stored"}
        assert sorted(packed(one)) == sorted(rows)
        assert one.size("ward") == len(rows)
        engine = StoreEngine(DESIGN, one, "ward")
        asked = [Query(name) for name in DESIGN.names]
        assert engine.count(asked) == engine.scan.count(asked)


def one_by_one(store: Store, part: list[Answer]) -> list[Outcome]:
    """Store some answers, each in a batch of its own."""
    return [outcome for answer in part for outcome in ingest(store, [answer])]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.filterwarnings("ignore::frankly.errors.FranklyWarning")
def test_counters_add_up_whatever_the_design(seed: int) -> None:
    random = Random(seed)
    design = random_design(random)
    rows, packed = Rows(design), []
    for index, form in enumerate(design.forms):
        codes = [
            random.randrange(len(form.reported(name))) if name in form.names else None
            for name in design.names
        ]
        packed.append(rows.pack(index, codes))
    counters = Counters(design)
    tally = counters.tally(rows.unpack(packed))
    assert sorted(tally) == list(range(len(design.forms)))
    for index, vector in tally.items():
        form, tables = design.forms[index], dict(counters.tables(index, vector))
        pairs = {(name, design.target) for name in form.names if name != design.target}
        asked = pairs if design.target in form.names else set()
        assert set(tables) == {(), *((name,) for name in form.names), *asked}
        for names, table in tables.items():
            code = tuple(rows.unpack(packed)[index][1 + design.names.index(n)] for n in names)
            assert table.sum() == table[code] == 1
            assert table.shape == tuple(len(form.reported(name)) for name in names)
    assert rows.unpack(packed).shape == (len(packed), 1 + len(design.names))


def test_a_survey_that_proves_something_is_not_opened_unless_it_says_so(tmp_path: Path) -> None:
    with pytest.warns(InfiniteEpsilonWarning):
        certain = Design(
            [Attribute("ill", ["no", "yes"])], groups=[Group(["ill"], Unrelated(theta=1))]
        )
    with Store(str(tmp_path / "s.sqlite")) as store:
        with pytest.raises(SurveyError, match="accept_infinite_epsilon"):
            store.open_survey("ward", certain, "invited")
        store.open_survey("plain", Design([Attribute("ill", ["no", "yes"])]), "invited")


def test_an_opened_survey_never_changes(url: str) -> None:
    with Store(url) as store:
        store.open_survey("ward", DESIGN, "invited")
        with pytest.raises(SurveyError, match="already"):
            store.open_survey("ward", FORMS, "invited")
        assert store.survey("ward").design.fingerprint == DESIGN.fingerprint


@pytest.mark.parametrize("name", ["", "web", "A", "a b", "-a", "a" * 41, "../x", "healthz"])
def test_a_name_that_cannot_stand_in_a_link_is_refused(tmp_path: Path, name: str) -> None:
    with Store(str(tmp_path / "s.sqlite")) as store, pytest.raises(SurveyError, match="link"):
        store.open_survey(name, DESIGN, "invited")


def test_unused_invitations_are_known_for_reminders(url: str) -> None:
    with Store(url) as store:
        store.open_survey("ward", DESIGN, "invited")
        made = store.invite("ward", 5)
        row = Rows(DESIGN).pack(0, [0, 0, 0])
        ingest(store, [Answer("ward", hashed(made[2]), hashed("r"), row)])
        assert store.unused("ward", [*made, "stranger"]) == [*made[:2], *made[3:]]


def test_two_stores_of_one_file_do_not_overwrite_each_other(tmp_path: Path) -> None:
    path = str(tmp_path / "s.sqlite")
    rows = [Rows(DESIGN).pack(0, [0, 1, 1])] * 700
    with Store(path) as one, Store(path, upgrade=False) as two:
        one.open_survey("ward", DESIGN, "invited")
        for _ in range(3):  # both remember the same sheet, and find out
            assert set(ingest(one, answers(one, rows))) == {"stored"}
            assert set(ingest(two, answers(two, rows))) == {"stored"}
        assert len(one.reports("ward")) == one.size("ward") == 6 * 700


@pytest.mark.parametrize("mode", ["invited", "anyone"])
def test_what_another_worker_did_meanwhile_is_seen(url: str, mode: Mode) -> None:
    """What a worker has in mind of a survey is compared with what is there."""
    row = Rows(DESIGN).pack(0, [0, 1, 1])
    with Store(url) as one, Store(url, upgrade=False) as two:
        one.open_survey("ward", DESIGN, mode)
        sent = answers(one, [row] * 8) if mode == "invited" else [
            Answer("ward", None, hashed(f"{i}"), row) for i in range(8)
        ]  # fmt: skip
        for worker, answer in zip((one, two, one, two), sent, strict=False):
            assert ingest(worker, [answer], tidy=False) == ["stored"]
        assert ingest(one, sent[3:5], tidy=False) == ["again", "stored"]  # the fourth was two's
        other = "taken" if mode == "invited" else "stored"
        changed = [replace(answer, receipt=hashed("another")) for answer in sent[3:4]]
        assert ingest(one, changed, tidy=False) == [other]
        assert two.tidy()  # now it stands elsewhere
        assert ingest(one, sent[:2], tidy=False) == ["again", "again"]
        assert ingest(two, sent[4:6], tidy=False) == ["again", "stored"]
        two.close_survey("ward")
        assert ingest(one, sent[6:7], tidy=False) == ["closed"]
        two.delete_survey("ward")
        assert ingest(one, sent[6:7], tidy=False) == ["missing"]
        two.open_survey("ward", DESIGN, mode)
        again = answers(two, [row]) if mode == "invited" else sent[:1]
        assert ingest(one, again, tidy=False) == ["stored"]
        assert one.size("ward") == len(one.reports("ward")) == 1


def test_a_worker_notices_that_a_name_has_gone_to_another_survey(url: str) -> None:
    """Open like the one it knows, and for anyone as well, but with other questions."""
    sent = [
        Answer("ward", None, hashed(f"{i}"), Rows(DESIGN).pack(0, [0, 1, 1]), DESIGN.fingerprint)
        for i in range(3)
    ]
    with Store(url) as one, Store(url, upgrade=False) as two:
        one.open_survey("ward", DESIGN, "anyone")
        for answer in sent[:2]:
            assert ingest(one, [answer]) == ["stored"]
        two.delete_survey("ward")
        two.open_survey("ward", FORMS, "anyone")
        assert ingest(one, sent[2:]) == ["other"]
        assert one.size("ward") == len(one.reports("ward")) == 0


def test_a_worker_that_often_looks_goes_on_storing(url: str) -> None:
    """Each look, and each batch that failed, once cost the statement that stores."""
    row = Rows(DESIGN).pack(0, [0, 1, 1])
    with Store(url) as store:
        for name in ("ward", "other"):
            store.open_survey(name, DESIGN, "invited")
        mine, theirs = answers(store, [row] * 30), answers(store, [row] * 30, "other")
        for i in range(8):
            both = [mine[i], theirs[i]]
            assert ingest(store, both, tidy=False) == ["stored", "stored"]
            stranger = Answer("ward", hashed(f"nobody {i}"), hashed("x"), row)
            assert ingest(store, [stranger], tidy=False) == ["unknown"]
        assert ingest(store, [mine[0], theirs[8]], tidy=False) == ["again", "stored"]
        stranger = Answer("ward", hashed("nobody"), hashed("x"), row)
        assert ingest(store, [stranger, theirs[9]], tidy=False) == ["unknown", "stored"]
        for i in range(10, 20):
            assert ingest(store, [mine[i]], tidy=False) == ["stored"]
            assert ingest(store, [mine[i + 10], theirs[i]], tidy=False) == ["stored", "stored"]
        assert store.size("ward") == len(store.reports("ward")) == 28


@pytest.mark.parametrize("mistake", [RuntimeError, KeyboardInterrupt])
def test_a_connection_in_which_something_went_wrong_is_not_used_again(
    tmp_path: Path, mistake: type[BaseException]
) -> None:
    with Store(str(tmp_path / "s.sqlite")) as store:
        with store.at_once() as first:
            pass
        with store.at_once() as again:
            assert again is first
        with pytest.raises(mistake), store.at_once():
            raise mistake
        with store.at_once() as other:
            assert other is not first


def test_two_workers_fill_few_sheets_however_many_surveys_are_answered(tmp_path: Path) -> None:
    """Each new sheet tells that what is on it came later: only who met another may begin one."""
    path, row = str(tmp_path / "s.sqlite"), Rows(DESIGN).pack(0, [0, 1, 1])
    names = [f"ward-{i}" for i in range(10)]
    with Store(path) as one, Store(path, upgrade=False) as two:
        for name in names:
            one.open_survey(name, DESIGN, "anyone")
        for i in range(8):
            for name in names:
                for worker in (one, two):
                    answer = Answer(name, None, hashed(f"{i} {name} {id(worker)}"), row)
                    assert ingest(worker, [answer], tidy=False) == ["stored"]
        assert [len(one.reports(name)) for name in names] == [16] * 10
        assert one.tidy()
        assert [len(one.reports(name)) for name in names] == [16] * 10
        assert one.total_rows()["report"] == len(names)


def test_answers_to_many_surveys_lie_on_one_sheet_each(tmp_path: Path) -> None:
    row, names = Rows(DESIGN).pack(0, [0, 1, 1]), [f"ward-{i}" for i in range(5)]
    with Store(str(tmp_path / "s.sqlite")) as store:
        for name in names:
            store.open_survey(name, DESIGN, "anyone")
        for i in range(4):
            batch = [Answer(name, None, hashed(f"{i} {name}"), row) for name in names]
            assert set(ingest(store, batch)) == {"stored"}
        assert [len(store.reports(name)) for name in names] == [4] * 5
        assert store.total_rows()["report"] == 5


def test_looking_for_blank_places_does_not_read_the_whole_survey(tmp_path: Path) -> None:
    with Store(str(tmp_path / "s.sqlite")) as store, store.at_once() as raw:
        plan = raw.execute(f"EXPLAIN QUERY PLAN {LATEST}", {"survey": "ward"}).fetchall()
    read = [words for *_, words in plan if "report" in words]
    assert len(read) == 2
    assert "INTEGER PRIMARY KEY (rowid=?)" in read[0]
    assert "COVERING INDEX" in read[1]


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", ":memory:"])
def test_a_store_in_memory_leaves_no_file(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Store(url) as store:
        store.open_survey("ward", DESIGN, "anyone")
        row = Rows(DESIGN).pack(0, [0, 1, 1])
        assert ingest(store, [Answer("ward", None, hashed("r"), row)]) == ["stored"]
        store.close_survey("ward")
        assert len(store.reports("ward")) == store.size("ward") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_log_is_empty_after_every_batch(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store(str(path)) as store:
        store.open_survey("ward", DESIGN, "invited")
        for answer in answers(store, [Rows(DESIGN).pack(0, [0, 1, 1])] * 3):
            ingest(store, [answer])
            assert os.path.getsize(f"{path}-wal") == 0  # noqa: PTH202


def test_an_engine_refuses_another_design(tmp_path: Path) -> None:
    with Store(str(tmp_path / "s.sqlite")) as store:
        store.open_survey("ward", DESIGN, "invited")
        with pytest.raises(ValueError, match="Take the design from the store"):
            StoreEngine(FORMS, store, "ward")


def test_a_batch_that_fails_leaves_nothing_and_the_next_one_works(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = Rows(DESIGN).pack(0, [0, 1, 1])
    with Store(url) as store:
        store.open_survey("ward", DESIGN, "invited")
        batch = answers(store, [row] * 20)
        keep = store.dialect.keep

        def broken(*words: object) -> Iterator[tuple[int, bool]]:
            yield from keep(*words)  # type: ignore[arg-type]
            raise RuntimeError("a mistake, after everything was written")

        with monkeypatch.context() as patched:
            patched.setattr(store.dialect, "keep", broken)
            with pytest.raises(RuntimeError):
                ingest(store, batch)
        assert (store.size("ward"), packed(store)) == (0, [])
        assert set(ingest(store, batch)) == {"stored"}
        assert store.size("ward") == len(store.reports("ward")) == 20


def test_nothing_that_sqlite_might_undo_goes_through_another_file(tmp_path: Path) -> None:
    with Store(str(tmp_path / "s.sqlite")) as store, store.at_once() as raw:
        assert raw.execute("PRAGMA temp_store").fetchone() == (2,)
