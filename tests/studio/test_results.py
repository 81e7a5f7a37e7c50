"""Results: shares with their intervals, from reports that are all shown together."""

import itertools
import re

import httpx
import pytest

import frankly as fk
from frankly.advise import Plan, lines_of, width_at
from frankly.estimate.text import percent
from frankly.store import Answer, Rows, hashed, ingest
from frankly.store.export import report_table
from frankly.studio.results import results
from frankly.studio.snapshot import snapshot
from tests.studio.people import DESIGN, Studio


def page(client: httpx.Client, path: str = "/surveys/ward/results", status: int = 200) -> str:
    response = client.get(path)
    assert response.status_code == status, response.text
    return response.text


def test_an_empty_survey_teaches_what_to_expect(studio: Studio, ann: httpx.Client) -> None:
    studio.opened()
    shown = page(ann)
    wide = 100 * width_at(lines_of(DESIGN, ["ill"]), 200, Plan())
    assert "No answers yet" in shown
    assert f"known to about ± {wide:.0f} points" in shown


def test_below_a_hundred_only_a_round_number_is_told(studio: Studio, ann: httpx.Client) -> None:
    studio.opened(47)
    assert "At least 40 have come" in page(ann)
    told = ann.get("/api/v1/surveys/ward/results").json()
    assert (told["n"], told["come"], told["shares"]) == (0, 40, [])


def test_page_and_api_tell_the_same_shares_digit_for_digit(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.opened(230)
    told = ann.get("/api/v1/surveys/ward/results").json()
    shown = page(ann)
    table = report_table(studio.store, "ward")
    assert [one["names"] for one in told["shares"]] == [["ill"], ["drinks"], ["sex"]]
    for one in told["shares"]:
        expected = fk.estimate(DESIGN, table, one["names"]).to_dict()
        assert one["rows"] == expected["rows"]
        assert one["n"] == 230
        for row in one["rows"]:
            assert f"<td>{percent(row['share'])}</td>" in shown
            assert f"{percent(row['low'])} to {percent(row['high'])}" in shown
            assert f"{100 * row['low']:.1f} to {100 * row['high']:.1f}</span>" in shown
    assert "±" not in shown, "beside a share stands its interval; ± is for what is to be expected"


def test_every_drawing_says_what_it_shows(studio: Studio, ann: httpx.Client) -> None:
    studio.opened(150)
    shown = page(ann)
    drawn = re.findall(r'<svg[^>]*aria-label="([^"]*)"', shown)
    assert len(drawn) == 7
    assert all(re.fullmatch(r"-?[\d.]+%, from -?[\d.]+% to [\d.]+%", words) for words in drawn)
    ends = [
        svg.count('class="end"') + svg.count('class="arrow"') for svg in shown.split("<svg")[1:]
    ]
    assert ends == [2] * 7, "an interval narrower than its dot is seen by its ends"
    assert "style=" not in shown
    assert "<style" not in shown


def test_nothing_is_told_of_a_closed_survey_with_few_answers(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.opened(60)
    studio.store.close_survey("ward")
    assert "Too few answers came for results" in ann.get("/surveys/ward/invite").text
    assert "Too few answers to tell" in page(ann)
    refused = ann.get("/api/v1/surveys/ward/export?format=csv")
    assert refused.status_code == 400
    assert "at least 100" in refused.json()["error"]["message"]


def test_the_last_few_answers_of_a_closed_survey_are_not_subtracted(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.opened(120)
    assert "What 120 answers tell" in page(ann)
    studio.answer(7, seed=2)
    studio.store.close_survey("ward")
    shown = page(ann)
    assert "What 120 answers tell" in shown
    assert "Up to 10 answers stay untold: they came after the figures were last looked at" in shown


def test_a_closed_survey_that_nobody_looked_at_tells_all(studio: Studio) -> None:
    studio.opened(127)
    studio.store.close_survey("ward")
    assert results(studio.store, "ward").n == 127


def test_closing_holds_back_fewer_than_ten_of_a_large_form(studio: Studio) -> None:
    studio.opened(2000)
    assert snapshot(studio.store, "ward").n == 2000
    studio.answer(15, seed=2)
    assert snapshot(studio.store, "ward").n == 2000, "an open survey moves by a hundredth"
    studio.store.close_survey("ward")
    found = snapshot(studio.store, "ward")
    assert (found.n, found.left_out) == (2015, 0)


def one_each(questions: int) -> fk.Design:
    asked = [fk.Attribute(f"q{i:02}", ["no", "yes"], prompt=f"Did {i}?") for i in range(questions)]
    hidden = [fk.Group([one.name], fk.Unrelated(theta="3/4")) for one in asked]
    return fk.Design(asked, forms=[fk.Form([one]) for one in hidden])


def test_whatever_several_small_forms_leave_untold_is_named(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.opened(300, design=one_each(30))
    studio.store.close_survey("ward")
    told = ann.get("/api/v1/surveys/ward/results").json()
    shown, names = page(ann), {f"q{i:02}" for i in range(30)}
    left, untold = 300 - told["n"], told["untold"]
    assert untold
    assert {one["names"][0] for one in told["shares"]} == names - set(untold)
    assert 0 <= told["left_out"] - left < 10
    assert f"Up to {told['left_out']} answers stay untold: each of the 30 forms" in shown
    assert f"{len(untold)} of the 30 questions are not told: no form that asks them" in shown
    assert all(f"<li>Did {int(name[1:])}?</li>" in shown for name in untold)
    assert "last looked at" not in shown
    example = re.search(r"frankly estimate ward.parquet (\w+)", page(ann, "/surveys/ward/export"))
    assert example
    assert example[1] == told["shares"][0]["names"][0]
    published = ann.post("/api/v1/surveys/ward/published").json()
    assert all([name] in published["refused"] for name in untold)


def test_too_small_forms_are_the_reason_that_is_given(studio: Studio, ann: httpx.Client) -> None:
    studio.opened(119, design=one_each(16))
    enough = "100 answers in forms of 10 or more"
    assert f"Shares appear at {enough}" in page(ann)
    assert "At least 110 have come, spread over 16 forms" in page(ann)
    invite = page(ann, "/surveys/ward/invite")
    assert "At least 110 answers so far" in invite
    assert f"Shares are shown from {enough} on" in invite
    assert "See the results" not in invite
    for path in ("model", "export"):
        assert f" at {enough}</h1>" in page(ann, f"/surveys/ward/{path}")
    assert f"An audit takes at least {enough}" in page(ann, "/surveys/ward/privacy")
    refused = ann.get("/api/v1/surveys/ward/export?format=csv").json()["error"]["message"]
    assert f"takes at least {enough}, and there are fewer" in refused


def test_a_count_that_was_shown_never_goes_down(studio: Studio, ann: httpx.Client) -> None:
    studio.opened(design=one_each(12))
    seen = []
    for seed in range(25):
        studio.answer(10, seed=seed)
        told = ann.get("/api/v1/surveys/ward/results").json()
        seen.append((told["n"], told["come"]))
    for place in (0, 1):
        counts = [one[place] for one in seen]
        assert counts == sorted(counts)
    assert [come for _, come in seen] == list(range(10, 260, 10))
    assert seen[-1][0] >= 100


def test_a_form_changes_by_ten_reports_or_not_at_all(studio: Studio) -> None:
    forms = [
        fk.Form([fk.Group(["ill"], fk.Unrelated(theta=0.7))], ["sex"], 20),
        fk.Form([fk.Group(["drinks"], fk.Unrelated(theta=0.5))], ["sex"], 1),
    ]
    design = fk.Design(DESIGN.attributes, forms=forms)
    studio.opened(design=design, name="two")
    seen = []
    for seed in range(60):
        studio.answer(7, "two", seed=seed)
        rows = snapshot(studio.store, "two").rows
        seen.append(tuple(int((rows[:, 0] == form).sum()) for form in (0, 1)))
    for before, after in itertools.pairwise(seen):
        assert all(b == a or b - a >= 10 for a, b in zip(before, after, strict=True))
    assert seen[-1][0] > 300
    assert seen[-1][1] >= 10


def test_forms_that_contradict_each_other_are_shown_with_a_warning(
    studio: Studio, ann: httpx.Client
) -> None:
    ill = fk.Attribute("ill", ["no", "yes"])
    forms = [fk.Form([fk.Group(["ill"], fk.Unrelated(theta=0.9))]), fk.Form(clear=["ill"])]
    design = fk.Design([ill], forms=forms)
    studio.opened(design=design)
    said = [(0, 1)] * 80 + [(0, 0)] * 40 + [(1, 0)] * 119 + [(1, 1)]  # openly hardly anybody is
    ingest(
        studio.store,
        [
            Answer("ward", hashed(secret), hashed(f"r {secret}"), Rows(design).pack(form, [code]))
            for (form, code), secret in zip(said, studio.store.invite("ward", 240), strict=True)
        ],
    )
    assert '<p class="warn">The forms contradict each other: yes is ' in page(ann)


def test_what_is_remembered_tells_no_order(studio: Studio) -> None:
    studio.opened(150)
    rows = snapshot(studio.store, "ward").rows
    again = snapshot(studio.store, "ward").rows
    assert rows.tolist() == sorted(rows.tolist()) == again.tolist()
    packed = studio.store.reports("ward")
    assert sorted(packed.tolist()) == rows.tolist()


def test_the_owner_learns_how_many_rows_stand_alone(studio: Studio, ann: httpx.Client) -> None:
    wide = fk.Attribute("village", [f"v{i}" for i in range(60)])
    design = fk.Design([*DESIGN.attributes, wide], groups=DESIGN.groups)
    studio.opened(120, design=design, name="wide")
    told = ann.get("/api/v1/surveys/wide/results").json()["unique_in_clear"]
    columns = report_table(studio.store, "wide").to_pydict()
    pairs = list(zip(columns["sex"], columns["village"], strict=True))
    assert told == pytest.approx(sum(pairs.count(pair) == 1 for pair in pairs) / 120)
    assert told > 0
    assert f"{percent(told)} of the answers are the only ones" in page(ann, "/surveys/wide/results")


def test_an_analyst_reads_and_a_stranger_finds_nothing(
    studio: Studio, carl: httpx.Client, bob: httpx.Client
) -> None:
    studio.opened(130)
    assert "What 130 answers tell" in page(carl)
    assert "Publish these tables" not in page(carl)
    page(bob, status=404)


def test_what_an_earlier_version_remembered_starts_anew(studio: Studio) -> None:
    studio.opened(130)
    studio.store.show(studio.store.survey("ward"), 120, '[[0, "[]", {"0": 120}]]')
    assert snapshot(studio.store, "ward").n == 130
