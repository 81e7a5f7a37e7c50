"""A design refuses what cannot work, travels as one document, and knows itself again."""

import json
import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import frankly as fk
from frankly.design import Panel, schema
from frankly.errors import (
    AskedCoverWarning,
    CoverError,
    DesignError,
    InfiniteEpsilonWarning,
    NotAskedError,
    ThetaError,
)
from tests.strategies import designs

ILL = fk.Attribute("ill", ["no", "yes"])
AGE = fk.Attribute("age", ["young", "middle", "old"])
SEX = fk.Attribute("sex", ["f", "m"])


def hidden(mechanism: object, *attributes: fk.Attribute) -> fk.Design:
    names = [attribute.name for attribute in attributes]
    return fk.Design(list(attributes), groups=[fk.Group(names, mechanism)])  # type: ignore[arg-type]


REFUSED: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "theta 0 of a drawn substitute": (lambda: hidden(fk.Unrelated(0), ILL), ThetaError, "above 0"),
    "flip at one half": (lambda: hidden(fk.Flip(0.5), ILL), ThetaError, "use Unrelated"),
    "flip on many values": (lambda: hidden(fk.Flip(0.7), AGE), DesignError, "no opposite"),
    "theta above one": (lambda: fk.Flip(1.2), ThetaError, r"outside \[0, 1\]"),
    "theta that is no number": (lambda: fk.Flip("often"), ThetaError, "not a number"),
    "theta not a number": (lambda: fk.Flip(math.nan), ThetaError, "not a number"),
    "an attribute twice in a form": (
        lambda: fk.Design([ILL], forms=[fk.Form([fk.Group(["ill"], fk.Flip(0.7))], ["ill"])]),
        DesignError,
        "twice",
    ),
    "an unknown name": (
        lambda: fk.Design([ILL], groups=[fk.Group(["il"], fk.Flip(0.7))]),
        DesignError,
        "does not know",
    ),
    "an empty value": (lambda: fk.Attribute("ill", ["no", " "]), DesignError, "empty value"),
    "a value twice": (lambda: fk.Attribute("ill", ["no", "no"]), DesignError, "twice"),
    "one value": (lambda: fk.Attribute("ill", ["no"]), DesignError, "at least two"),
    "a reserved name": (lambda: fk.Attribute("form", ["a", "b"]), DesignError, "kept for"),
    "a form that asks nothing": (
        lambda: fk.Design([ILL], forms=[fk.Form()]),
        DesignError,
        "ask something",
    ),
    "no attributes": (lambda: fk.Design([]), DesignError, "at least one attribute"),
    "an attribute nobody is asked": (
        lambda: fk.Design([ILL, SEX], forms=[fk.Form(clear=["sex"])]),
        DesignError,
        "no form asks",
    ),
    "two attributes of one name": (lambda: fk.Design([ILL, ILL]), DesignError, "twice"),
    "groups and forms": (lambda: fk.Design([ILL], groups=[], forms=[]), DesignError, "not both"),
    "an unknown target": (lambda: fk.Design([ILL], target="x"), DesignError, "target"),
    "a group without questions": (
        lambda: fk.Group([], fk.Flip(0.7)),
        DesignError,
        "at least one question",
    ),
    "a group without a device": (lambda: hidden("flip", ILL), DesignError, "needs a mechanism"),
    "a cover of zeros": (lambda: fk.Unrelated(0.7, {"ill": [0, 0]}), CoverError, "zero"),
    "a negative cover": (lambda: fk.Unrelated(0.7, {"ill": [2, -1]}), CoverError, "negative"),
    "a cover of other questions": (
        lambda: hidden(fk.Unrelated(0.7, {"sex": [1, 1]}), ILL),
        CoverError,
        "speaks of",
    ),
    "a cover of another size": (
        lambda: hidden(fk.Unrelated(0.7, {"ill": [1, 1, 1]}), ILL),
        CoverError,
        "weights",
    ),
    "a joint cover of another shape": (
        lambda: hidden(fk.Unrelated(0.7, [[1, 1], [1, 1]]), ILL),
        CoverError,
        "shape",
    ),
    "a matrix for two questions": (
        lambda: hidden(fk.Matrix([[7, 3], [3, 7]]), ILL, SEX),
        DesignError,
        "one question",
    ),
    "a singular matrix": (
        lambda: hidden(fk.Matrix([[1, 1], [1, 1]]), ILL),
        DesignError,
        "told apart",
    ),
    "a matrix with too few rows": (
        lambda: hidden(fk.Matrix([[7, 3], [3, 7]]), AGE),
        DesignError,
        "rows",
    ),
    "unnamed reports": (
        lambda: hidden(fk.Matrix([[7, 2, 1], [1, 2, 7]]), ILL),
        DesignError,
        "`reports`",
    ),
    "no cards to draw": (lambda: fk.Kuk(0.8, 0.2, draws=0), DesignError, "at least 1, not 0"),
    "a report without a name": (
        lambda: hidden(fk.Matrix([[7, 3], [3, 7]], reports=["a", " "]), ILL),
        DesignError,
        "empty name",
    ),
    "scores of another shape": (
        lambda: fk.Matrix([[7, 3], [3, 7]], scores=[[1], [2]]),
        DesignError,
        "2 rows of 2",
    ),
    "scores that are ragged": (
        lambda: fk.Matrix([[7, 3], [3, 7]], scores=[[1], [2, 3]]),
        DesignError,
        "2 rows of 2",
    ),
    "forced answers that leave no truth": (
        lambda: fk.Forced({"yes": 0.5, "no": 0.5}),
        ThetaError,
        "leave room",
    ),
    "a forced answer nobody can give": (
        lambda: hidden(fk.Forced({"maybe": 0.1}), ILL),
        DesignError,
        "maybe",
    ),
    "bins that fall": (lambda: fk.Attribute("age", bins=[50, 30]), DesignError, "must rise"),
    "a bin without end": (
        lambda: fk.Attribute("age", bins=[float("inf")]),
        DesignError,
        "must be finite",
    ),
    "a bin with the number of another": (
        lambda: fk.Attribute("age", ["1", "2", "3"], bins=[30, 50]),
        DesignError,
        "Name bins in words, such as '30 to under 50'",
    ),
    "values in one text": (lambda: fk.Attribute("ill", "yes"), DesignError, "Give a list"),
    "words in a list": (
        lambda: fk.Attribute("ill", ["no", "yes"], prompt=[[]]),  # type: ignore[arg-type]
        DesignError,
        "one for each language",
    ),
    "half a character": (
        lambda: fk.Design([fk.Attribute("ill", ["no", "\ud800"])]).fingerprint,
        DesignError,
        "Type that text again",
    ),
    "bins that do not fit": (
        lambda: fk.Attribute("age", ["a", "b"], bins=[1, 2]),
        DesignError,
        "cut points",
    ),
    "a merge into nothing": (
        lambda: fk.Attribute("m", ["a", "b"], merged={"c": "d"}),
        DesignError,
        "none of its values",
    ),
    "a value that counts as another": (
        lambda: fk.Attribute("m", ["a", "b", "c"], merged={"c": "a"}),
        DesignError,
        r"counts \['c'\] as another value",
    ),
    "a die of one's own, and substitutes that are asked": (
        lambda: fk.Design(
            [ILL], groups=[fk.Group(["ill"], fk.Unrelated(0.5, asked=True))], own_device="die"
        ),
        DesignError,
        "Keep one",
    ),
    "uniform without a number": (fk.Uniform, ThetaError, "either theta or epsilon"),
    "a weight of zero": (lambda: fk.Form(clear=["ill"], weight=0), DesignError, "whole number"),
    "a weight that is no number": (
        lambda: fk.Form(clear=["ill"], weight=math.nan),  # type: ignore[arg-type]
        DesignError,
        "whole number",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_work_is_refused_where_it_is_made(what: str) -> None:
    make, error, words = REFUSED[what]
    with pytest.raises(error, match=words):
        make()


def test_theta_is_the_fraction_meant() -> None:
    assert fk.Flip(0.7).theta == Fraction(7, 10)
    assert fk.Flip("2/3").theta == Fraction(2, 3)
    odd = fk.Unrelated(0.3004263129).theta
    assert odd.denominator < 2**32
    assert float(odd) == pytest.approx(0.3004263129, abs=1e-16)
    assert fk.Unrelated(np.float64(0.1)).theta == Fraction(1, 10)


def test_weights_that_no_word_could_draw_are_rounded_and_shown() -> None:
    given = [math.pi, math.e, 1e-12]
    cover = fk.Unrelated(0.7, {"age": given}).cover
    assert isinstance(cover, dict)
    weights = cover["age"]
    assert sum(weights) < 2**32
    assert weights[2] >= 1
    np.testing.assert_allclose(
        np.array(weights) / sum(weights), np.array(given) / sum(given), atol=1e-9
    )


@pytest.mark.parametrize(
    "mechanism",
    [fk.Unrelated(1), fk.Unrelated(0.7, {"ill": [1, 0]}), fk.Mangat(0.7), fk.Triangular(0.3)],
)
def test_infinite_epsilon_warns_unless_accepted_by_name(mechanism: object) -> None:
    with pytest.warns(InfiniteEpsilonWarning, match="accept_infinite_epsilon"):
        hidden(mechanism, ILL)
    groups = [fk.Group(["ill"], mechanism)]  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fk.Design([ILL], groups=groups, accept_infinite_epsilon=True)


def test_a_flip_group_of_two_warns_because_agreement_is_sent_in_clear() -> None:
    with pytest.warns(InfiniteEpsilonWarning):
        design = hidden(fk.Flip(0.7), ILL, SEX)
    assert design.epsilon == math.inf


def test_a_cover_that_is_asked_warns() -> None:
    with pytest.warns(AskedCoverWarning, match="look those up"):
        hidden(fk.Unrelated(0.7, asked=True), ILL)


@given(designs(max_forms=3))
def test_a_design_reads_its_own_document(design: fk.Design) -> None:
    again = fk.Design.from_document(json.loads(json.dumps(design.document())))
    assert again == design
    assert again.fingerprint == design.fingerprint


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_a_design_travels_as_a_file(tmp_path: Path, suffix: str) -> None:
    design = fk.Design(
        [ILL, fk.Attribute("age", bins=[30, 50.5], prompt={"en": "How old?"}), SEX],
        groups=[fk.Group(["ill", "age"], fk.Unrelated("2/3", {"age": [1, 2, 1], "ill": [1, 1]}))],
        title="A survey",
        target="ill",
        languages="de",
        version=0,
        panel=Panel("nurses", 3),
    )
    design.save(tmp_path / f"d{suffix}")
    again = fk.Design.load(tmp_path / f"d{suffix}")
    assert again.fingerprint == design.fingerprint
    assert (again.languages, again.version) == (("de",), 0)
    forms = [fk.Form(clear=["ill"], weight=3.0), fk.Form(clear=["sex"])]  # type: ignore[arg-type]
    two = fk.Design([ILL, SEX], forms=forms)
    assert fk.Design.from_document(two.document()) == two


def test_a_design_does_not_change_with_what_it_was_made_of_or_what_it_wrote() -> None:
    words = {"en": "Ill?"}
    ill = fk.Attribute("ill", ["no", "yes"], prompt=words, labels={"no": words})
    design = fk.Design([ill], title=words, about={"who": words})
    before = design.fingerprint
    written = design.document()
    places = (words, written["title"], written["about"]["who"], written["attributes"][0]["prompt"],
              written["attributes"][0]["labels"]["no"])  # fmt: skip
    for place in places:
        place["en"] = "Well?"
    assert fk.Design.from_document(design.document()).fingerprint == before


def test_a_mistake_in_a_document_is_named_by_its_place(tmp_path: Path) -> None:
    document = hidden(fk.Flip(0.7), ILL).document()
    document["attributes"][0]["value"] = []
    with pytest.raises(DesignError, match=r"no field 'value' in attributes\[0\]"):
        fk.Design.from_document(document)
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(DesignError, match="not valid JSON"):
        fk.Design.load(tmp_path / "broken.json")


def test_the_published_schema_knows_every_mechanism() -> None:
    text = json.dumps(schema())
    assert all(kind in text for kind in ("unrelated", "flip", "matrix"))


def test_a_form_keeps_its_identity_when_only_weights_change() -> None:
    def waves(weight: int) -> fk.Design:
        one = fk.Form([fk.Group(["ill"], fk.Unrelated(0.3))], weight=weight)
        return fk.Design([ILL], forms=[one, fk.Form([fk.Group(["ill"], fk.Unrelated(0.7))])])

    first, second = waves(1), waves(3)
    assert first.fingerprint != second.fingerprint
    assert [f.fingerprint for f in first.forms] == [f.fingerprint for f in second.forms]
    assert len({form.fingerprint for form in first.forms}) == 2


def test_a_form_with_other_cut_points_is_another_form() -> None:
    def ages(cut: int) -> fk.Design:
        return fk.Design([fk.Attribute("age", ["young", "old"], bins=[cut])])

    assert ages(30).forms[0].fingerprint != ages(40).forms[0].fingerprint


def test_the_fingerprint_sees_values_devices_and_words() -> None:
    base = hidden(fk.Unrelated(0.7), ILL)
    others = [
        hidden(fk.Unrelated(0.71), ILL),
        hidden(fk.Unrelated(0.7), fk.Attribute("ill", ["yes", "no"])),
        hidden(fk.Flip(0.7), ILL),
        fk.Design([ILL], groups=[fk.Group(["ill"], fk.Unrelated(0.7))], title="Another"),
    ]
    assert len({base.fingerprint, *(other.fingerprint for other in others)}) == 5
    assert base.forms[0].fingerprint == others[3].forms[0].fingerprint


def test_modules_ask_the_target_and_one_other_question() -> None:
    design = fk.Design.modules([ILL, AGE, SEX], target="ill", mechanism=fk.Uniform(epsilon=1))
    assert [form.names for form in design.forms] == [("age", "ill"), ("sex", "ill")]
    assert all(0.999 < form.epsilon <= 1 for form in design.forms)
    with pytest.raises(NotAskedError, match="Add a form"):
        design.asking(["age", "sex"])


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1, 2, 3, 8])
@pytest.mark.parametrize("sizes", [[2], [2, 2], [5, 7], [16, 16, 16]])
def test_uniform_never_states_more_than_the_wished_epsilon(
    epsilon: float, sizes: list[int]
) -> None:
    attributes = [fk.Attribute(f"q{i}", [str(k) for k in range(n)]) for i, n in enumerate(sizes)]
    design = hidden(fk.Uniform(epsilon=epsilon), *attributes)
    assert epsilon * 0.995 < design.epsilon <= epsilon
    assert hidden(fk.Uniform(epsilon=1000), *attributes).epsilon < 1000


# THREATS P3: reference values at theta 0.7.
@pytest.mark.parametrize(("questions", "epsilon"), [(1, 1.73), (9, 7.09), (14, 10.55)])
def test_epsilon_of_one_group_grows_with_its_questions(questions: int, epsilon: float) -> None:
    attributes = [fk.Attribute(f"q{i}", ["no", "yes"]) for i in range(questions)]
    assert hidden(fk.Unrelated(0.7), *attributes).epsilon == pytest.approx(epsilon, abs=0.005)


def test_a_table_of_another_shape_is_refused() -> None:
    design = hidden(fk.Unrelated(0.7), ILL)
    with pytest.raises(DesignError, match="shape"):
        design.push(np.ones(3), ["ill"])
    with pytest.raises(NotAskedError, match="does not ask"):
        design.push(np.ones(2), ["age"])
