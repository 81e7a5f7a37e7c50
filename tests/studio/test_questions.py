"""The designer: questions are written, changed and moved, and stay protected as planned."""

from html import unescape
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import frankly as fk
from frankly.store.drafts import find_draft
from frankly.studio.files import open_design
from frankly.studio.questions import (
    Question,
    attributes_of,
    move,
    put,
    questions_in,
    remove,
    renames,
    rewrite,
)
from frankly.studio.typed import fields_of, question_from
from tests.studio.people import DOCUMENT, Studio

PAGE = "/surveys/draft/questions"
EDIT = f"{PAGE}/edit"


def document(studio: Studio) -> dict[str, Any]:
    found = find_draft(studio.store, "draft")
    assert found is not None
    return dict(found.document)


def hidden(design: fk.Design) -> list[str]:
    return [name for form in design.forms for group in form.groups for name in group.names]


def test_a_survey_is_written_from_nothing(studio: Studio, ann: httpx.Client) -> None:
    studio.draft(document={"title": "New", "attributes": []})
    assert "Write the first question" in ann.get(PAGE).text
    written = (
        {"prompt": "Did you cheat?", "kind": "yes_no"},
        {"prompt": "How often?", "kind": "choice", "answers": "never\nonce\noften",
         "labels": "Never\nOnce\nOften", "name": "often"},
        {"prompt": "How sure?", "kind": "scale", "low": "1", "high": "5", "name": "sure"},
        {"prompt": "Your age?", "kind": "number", "cuts": "18, 30", "protected": "no",
         "name": "age"},
        {"prompt": "What helped?", "kind": "several", "answers": "phone\nnotes",
         "labels": "A phone\nNotes", "name": "helped"},
        {"prompt": "What hurt?", "kind": "several", "answers": "a cough\nfever", "name": "hurt"},
    )  # fmt: skip
    for form in written:
        assert ann.post(EDIT, data=form).status_code == 303
    design = fk.Design.from_document(document(studio))
    assert design.names == ("did_you_cheat", "often", "sure", "age", "helped.phone",
                            "helped.notes", "hurt.a cough", "hurt.fever")  # fmt: skip
    assert [design[name].prompt for name in design.names[4:]] == [
        "A phone", "Notes", "a cough", "fever"
    ], "people read the words of a tick, or the answer itself, never its name"  # fmt: skip
    assert fields_of(questions_in(document(studio))[-1], ["en"])["labels"] == ""
    assert design["sure"].values == ("1", "2", "3", "4", "5")
    assert design["age"].bins == (18, 30)
    assert design["often"].labels["once"] == "Once"
    assert design.about is not None
    assert design.about["helped"] == "What helped?"
    assert sorted(hidden(design)) == sorted(set(design.names) - {"age"})
    assert design.epsilon == pytest.approx(2.0, abs=1e-4)
    page = ann.get(PAGE).text
    assert page.count("<li id=") == 6
    assert "asked in clear" in page


def test_what_is_wrong_is_said_at_the_field_and_nothing_typed_is_lost(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.draft()
    form = {"prompt": "", "kind": "choice", "answers": "only one", "labels": "a\nb", "name": "form"}
    page = ann.post(EDIT, data=form)
    assert page.status_code == 400
    for key in ("prompt", "answers", "labels", "name"):
        assert f'href="#f-{key}"' in page.text
        assert f'id="f-{key}"' in page.text
        assert f'id="wrong-{key}"' in page.text
    assert "only one" in page.text
    taken = ann.post(EDIT, data={"prompt": "Again?", "name": "ill"})
    assert taken.status_code == 400
    assert "There is a question" in unescape(taken.text)
    assert document(studio) == DOCUMENT
    empty = ann.post(EDIT, data={"prompt": "", "kind": "yes_no", "name": ""}).text
    assert 'id="wrong-prompt"' in empty
    assert 'id="wrong-name"' not in empty, "a short name may be empty"
    for form in (
        {"kind": "scale", "low": "1", "high": "2"}, {"kind": "scale", "low": "x", "high": "9"},
        {"kind": "number", "cuts": "30, 18"}, {"kind": "number", "cuts": "nan"},
        {"kind": "choice", "answers": "a\na"}, {"kind": "several", "answers": "a", "name": "x.y"},
        {"kind": "choice", "answers": "a\nb", "merged": "c = d"},
    ):  # fmt: skip
        assert ann.post(EDIT, data={"prompt": "Which?", **form}).status_code == 400


def test_a_short_name_is_made_in_any_script(studio: Studio, ann: httpx.Client) -> None:
    studio.draft(document={"title": "New", "attributes": []})
    for prompt in ("هل أنت مريض؟", "夜勤ですか", "Are you ill?", "Are you ill?", "Form?"):
        assert ann.post(EDIT, data={"prompt": prompt, "kind": "yes_no", "name": ""}).is_redirect
    again = {"old": "q2", "prompt": "夜勤でしたか", "kind": "yes_no", "name": ""}
    assert ann.post(EDIT, data=again).is_redirect
    names = [one["name"] for one in document(studio)["attributes"]]
    assert names == ["q1", "q2", "are_you_ill", "are_you_ill_2", "form_2"]


def test_questions_move_change_and_go_and_the_protection_follows(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.draft()
    ann.post(f"{PAGE}/move", data={"question": "drinks", "by": "up"})
    assert [one["name"] for one in document(studio)["attributes"]] == ["drinks", "ill", "sex"]
    ann.post(EDIT, data={"old": "ill", "name": "sick", "prompt": "Sick?", "kind": "yes_no"})
    design = fk.Design.from_document(document(studio))
    assert design.names == ("drinks", "sick", "sex")
    assert design.target == "sick"
    theta = {g.names: float(g.device.theta) for g in design.groups}  # type: ignore[attr-defined]
    assert theta == {("sick",): 0.7, ("drinks",): 0.5}, "a device that fits stays"
    ann.post(EDIT, data={"old": "sex", "name": "sex", "prompt": "Your sex?", "kind": "choice",
                         "answers": "f\nm\nother", "protected": "yes"})  # fmt: skip
    assert "sex" in hidden(fk.Design.from_document(document(studio)))
    asked = ann.post(f"{PAGE}/remove", data={"question": "sick"})
    assert "Remove sick?" in asked.text
    assert len(document(studio)["attributes"]) == 3, "nothing goes before somebody is sure"
    gone = ann.post(f"{PAGE}/remove", data={"question": "sick", "sure": "yes"})
    assert "The question is removed." in ann.get(gone.headers["location"]).text
    design = fk.Design.from_document(document(studio))
    assert (design.names, design.target) == (("drinks", "sex"), None)
    ann.post(f"{PAGE}/remove", data={"question": "drinks", "sure": "yes"})
    ann.post(f"{PAGE}/remove", data={"question": "sex", "sure": "yes"})
    assert "Write the first question" in ann.get(PAGE).text


def test_a_layout_that_was_kept_covers_what_is_added_later(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.draft()
    kept = {"layout": "one each", "epsilon": 1.5, "people": 800}
    assert ann.put("/api/v1/surveys/draft/protection", json=kept).status_code == 200
    ann.post(EDIT, data={"prompt": "Do you smoke?", "name": "smokes"})
    design = fk.Design.from_document(document(studio))
    assert [form.groups[0].names for form in design.forms] == [("ill",), ("drinks",), ("smokes",)]
    assert all(form.clear == ("sex",) for form in design.forms)
    assert design.epsilon == pytest.approx(1.5, abs=1e-4)


def yes_no(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "values": ["no", "yes"], "prompt": f"{name}?"} for name in names]


def hides(kind: str, theta: str, *names: str, **more: Any) -> dict[str, Any]:
    return {"names": list(names), "mechanism": {"kind": kind, "theta": theta, **more}}


TICKS = {
    "about": {"took": "What did you take?"},
    "attributes": yes_no("took.pens", "took.drugs", "age"),
    "groups": [hides("unrelated", "1/2", "took.drugs")],
}
ARMS = {
    "attributes": yes_no("ill", "sex"),
    "forms": [
        {"groups": [hides("unrelated", "7/10", "ill")], "clear": ["sex"], "weight": 3},
        {"clear": ["ill", "sex"]},
    ],
}
HARD = {
    "attributes": yes_no("ill", "late", "old"),
    "groups": [hides("flip", "7/10", "late"),
               hides("unrelated", "1/4", "ill", cover={"ill": [3, 1]})],
    "target": "ill",
}  # fmt: skip
SPLIT = {"attributes": yes_no("one", "two"), "forms": [{"clear": ["one"]}, {"clear": ["two"]}]}


def protection(document: Any) -> Any:
    """Everything that hides an answer: which forms there are, and what each does with which."""
    design = open_design(document)
    return [
        ({group.names: group.device for group in form.groups}, set(form.clear), form.weight)
        for form in design.forms
    ]


@pytest.mark.parametrize(
    "written", [TICKS, ARMS, HARD, SPLIT], ids=["ticks", "arms", "hard", "split"]
)
@pytest.mark.parametrize("plan", [{}, {"layout": "own tosses", "epsilon": 6.0}])
def test_no_move_and_no_new_wording_changes_how_anything_is_protected(
    written: dict[str, Any], plan: dict[str, Any]
) -> None:
    before = protection(written)
    for one in questions_in(written):
        moved = [move(questions_in(written), one.name, by) for by in (-1, 1)]
        same = question_from(fields_of(one, ["en"]) | {"prompt": "In other words?"}, ["en"])
        for there in (*moved, put(questions_in(written), same, one.name)):
            found, kept = rewrite(written, plan, there)
            assert protection(found) == before
            again, _ = rewrite(found, kept, questions_in(found))
            assert protection(again) == before
    added, _ = rewrite(written, plan, [*questions_in(written), Question("yes_no", "more", "?")])
    assert protected(written) < protected(added)


def protected(document: Any) -> set[tuple[str, ...]]:
    return {names for groups, _, _ in protection(document) for names in groups}


def test_ticks_of_which_only_some_are_protected_are_shown_one_by_one(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.draft(document=TICKS)
    page = ann.get(PAGE).text
    assert page.count("<li id=") == 3
    assert page.count("</svg>protected") == 1
    for name in ("took.pens", "took.drugs", "age"):
        form = fields_of(next(o for o in questions_in(document(studio)) if o.name == name), ["en"])
        assert ann.post(EDIT, data=form).status_code == 303
    assert ann.post(f"{PAGE}/move", data={"question": "age", "by": "up"}).status_code == 303
    assert protection(document(studio)) == protection(TICKS)
    ann.post(f"{PAGE}/move", data={"question": "age", "by": "down"})
    assert ann.post(
        EDIT, data={"old": "took.pens", "name": "took.pens", "prompt": "pens"}
    ).is_redirect
    assert [one.kind for one in questions_in(document(studio))] == ["several", "yes_no"]


def test_a_device_goes_with_its_question_and_never_reveals_more_than_before() -> None:
    def now(written: Any, there: list[Question], renamed: Any = None) -> fk.Design:
        return open_design(rewrite(written, {}, there, renamed)[0])

    asked = {one.name: one for one in questions_in(HARD)}
    sick = Question("yes_no", "sick", "Sick?")
    renamed = now(HARD, put(list(asked.values()), sick, "ill"), renames(asked["ill"], sick))
    assert renamed.epsilon == pytest.approx(open_design(HARD).epsilon)
    assert renamed.target == "sick"
    often = Question("choice", "late", "How often?", ("never", "once", "often"))
    wider = now(HARD, put(list(asked.values()), often, "late"))
    assert wider.epsilon <= open_design(HARD).epsilon, "no flip has three sides"
    pair = {"attributes": yes_no("a", "b"), "groups": [hides("flip", "7/10", "a", "b")]}
    alone = now(pair, remove(questions_in(pair), "b"))
    assert alone.epsilon == pytest.approx(0.8473, abs=1e-4), "still a flip, now of one answer"
    ticks = {
        "about": {"took": "Which?"}, "attributes": yes_no("took.a", "took.b"),
        "groups": [hides("unrelated", "1/10", "took.a"), hides("unrelated", "9/10", "took.b")],
    }  # fmt: skip
    (old,) = questions_in(ticks)
    turned = Question("several", "had", "Which?", ("b", "a"))
    groups = now(ticks, [turned], renames(old, turned)).groups
    assert {g.names[0]: float(g.device.theta) for g in groups} == {"had.a": 0.1, "had.b": 0.9}  # type: ignore[attr-defined]


def test_a_plan_that_somebody_wrote_over_is_followed_no_more(
    studio: Studio, ann: httpx.Client
) -> None:
    studio.draft()
    api = "/api/v1/surveys/draft"
    ann.put(f"{api}/protection", json={"layout": "own tosses", "epsilon": 8})
    ann.put(api, json={"document": DOCUMENT})
    shown = ann.get("/surveys/draft/protection").text
    assert 'value="as written" checked' in shown, "the page shows what stands, not what was meant"
    ann.post(f"{PAGE}/move", data={"question": "sex", "by": "up"})
    assert protection(document(studio)) == protection(DOCUMENT)


def test_it_is_said_when_a_die_no_longer_fits(studio: Studio, ann: httpx.Client) -> None:
    studio.draft()
    die = {"layout": "own tosses", "epsilon": 3, "own_device": "die"}
    assert ann.put("/api/v1/surveys/draft/protection", json=die).status_code == 200
    moved = ann.post(f"{PAGE}/move", data={"question": "drinks", "by": "up"})
    assert moved.headers["location"] == PAGE
    assert document(studio)["own_device"] == "die"
    new = ann.post(EDIT, data={"prompt": "Sure?", "kind": "scale", "low": "1", "high": "5"})
    assert "own_device" not in document(studio)
    assert "the page draws for them now" in ann.get(new.headers["location"]).text


def test_a_second_language_gets_its_own_fields(studio: Studio, ann: httpx.Client) -> None:
    studio.draft()
    page = ann.post(f"{PAGE}/about", data={
        "title": "Nights", "about.who": "The office", "language.en": "on", "language.de": "on",
        "version": "3",
    })  # fmt: skip
    assert page.headers["location"].endswith("/about")
    assert "title.de" in ann.get(f"{PAGE}/about").text
    ann.post(f"{PAGE}/about", data={
        "title.en": "Nights", "title.de": "Nächte", "about.who.de": "Das Büro",
        "language.en": "on", "language.de": "on", "version": "3",
    })  # fmt: skip
    ann.post(EDIT, data={
        "old": "drinks", "name": "drinks", "kind": "choice", "prompt.en": "Do you drink?",
        "prompt.de": "Trinken Sie?", "answers": "never\nsometimes\noften",
        "labels.de": "nie\nmanchmal\noft",
    })  # fmt: skip
    design = fk.Design.from_document(document(studio))
    assert design.title == {"en": "Nights", "de": "Nächte"}
    assert (design.languages, design.version) == (("en", "de"), 3)
    assert design["drinks"].labels["often"] == {"de": "oft"}
    assert design["drinks"].prompt == {"en": "Do you drink?", "de": "Trinken Sie?"}
    refused = ann.post(f"{PAGE}/about", data={"title.en": "", "version": "0"})
    assert refused.status_code == 400


def test_an_opened_survey_is_shown_but_never_changed(studio: Studio, ann: httpx.Client) -> None:
    studio.opened()
    page = ann.get("/surveys/ward/questions").text
    assert "its questions are frozen" in page
    assert 'action="/surveys/ward/duplicate"' in page
    assert "Remove" not in page
    for act in ("edit", "move", "remove", "about"):
        form = {"question": "ill", "prompt": "?", "by": "up"}
        assert ann.post(f"/surveys/ward/questions/{act}", data=form).status_code == 409


words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Zs"]),
                min_size=1, max_size=8)  # fmt: skip


@st.composite
def drawn(draw: st.DrawFn) -> Question:
    kind = draw(st.sampled_from(["yes_no", "choice", "scale", "number", "several"]))
    name = draw(words.filter(lambda one: one != "form" and "." not in one))
    made: dict[str, Any] = {"values": (), "bins": ()}
    if kind in {"choice", "several"}:
        made["values"] = tuple(draw(st.lists(words, min_size=2, max_size=5, unique=True)))
    if kind == "scale":
        low = draw(st.integers(0, 5))
        made["values"] = tuple(str(low + i) for i in range(draw(st.integers(3, 11))))
    if kind == "number":
        cuts = draw(st.lists(st.integers(-99, 99), min_size=1, max_size=4, unique=True))
        made["bins"] = tuple(sorted(cuts))
    labels = {}
    if made["values"] and draw(st.booleans()):
        labels = {v: {"en": draw(words), "de": draw(words)} for v in made["values"]}
    prompt = {"en": draw(words), "de": draw(words)}
    return Question(kind, name, prompt, labels=labels, protected=draw(st.booleans()), **made)  # type: ignore[arg-type]


@given(drawn())
@settings(max_examples=150, deadline=None)
def test_a_question_survives_its_form(question: Question) -> None:
    found = question_from(fields_of(question, ["en", "de"]), ["en", "de"])
    assert attributes_of(found) == attributes_of(question)
    assert (found.name, found.prompt, found.protected) == (
        question.name, question.prompt, question.protected
    )  # fmt: skip


@given(st.lists(drawn(), min_size=1, max_size=5, unique_by=lambda one: one.name),
       st.integers(0, 4), st.sampled_from([-1, 1]))  # fmt: skip
@settings(max_examples=80, deadline=None)
def test_a_document_keeps_its_questions_whatever_moves(
    questions: list[Question], which: int, by: int
) -> None:
    document, plan = rewrite({"title": "T", "attributes": []}, {}, questions)
    again = questions_in(document)
    kinds = [(one.name, one.protected, attributes_of(one)) for one in again]
    assert kinds == [(one.name, one.protected, attributes_of(one)) for one in questions]
    name = questions[which % len(questions)].name
    moved, _ = rewrite(document, plan, move(again, name, by))
    design = fk.Design.from_document(moved)
    protected = {name for one in questions if one.protected for name in one.names}
    assert set(hidden(design)) == protected
    assert sorted(design.names) == sorted(name for one in questions for name in one.names)
