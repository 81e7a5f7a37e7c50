"""The audit: it finds what there is to find, and says so without the truths."""

import json
import math
from typing import Any

import numpy as np
import pytest

import frankly as fk
from frankly.count import Counts
from frankly.errors import CannotBeToldError, ReportError
from frankly.judge import Asking, exposed_share
from frankly.judge.audit import surely
from frankly.judge.audited import area, figures

NAMES = [f"q{i}" for i in range(8)]
BITS = [fk.Attribute(name, ["no", "yes"]) for name in NAMES]


def people(n: int, seed: int) -> dict[str, Any]:
    """Make up people of two kinds, who mostly agree within their kind."""
    chance = np.random.default_rng(seed)
    kind = chance.random(n) < 0.4
    shares = np.where(kind[:, None], np.linspace(0.1, 0.95, 8), np.linspace(0.9, 0.05, 8))
    codes = chance.random((n, 8)) < shares
    return {name: np.where(codes[:, i], "yes", "no") for i, name in enumerate(NAMES)}


def designed(sizes: list[int], device: fk.Unrelated | fk.Flip, **words: Any) -> fk.Design:
    ends = np.cumsum(sizes)
    groups = [
        fk.Group(NAMES[end - size : end], device) for end, size in zip(ends, sizes, strict=True)
    ]
    return fk.Design(BITS, groups=groups, accept_infinite_epsilon=True, **words)


def audited(design: fk.Design, n: int = 6000, seed: int = 1) -> Any:
    truths = people(n, seed)
    return fk.audit(design, fk.randomize(design, truths, fk.Tape.seeded(seed)), truths)


@pytest.mark.parametrize("sizes", [[8], [4, 4]])
@pytest.mark.parametrize("theta", [0.3, 0.6])
def test_without_truths_the_figures_are_those_with_them(sizes: list[int], theta: float) -> None:
    # 6,000 people, seeded; the standard error of a share of truth-tellers is below .012, so a
    # difference of .05 has a false-alarm rate below 1e-4.
    found = audited(designed(sizes, fk.Unrelated(theta)))
    for level in (0.5, 0.8, 0.9):
        stated, real = (found.strongest.exposed(level, real=real) for real in (False, True))
        assert abs(stated - real) < 0.05
    assert found.checked
    for group in found.groups:
        assert group.real is not None
        assert abs(group.real.auc - group.stated.auc) < 0.05


def test_the_attack_marks_as_many_as_the_joint_says_there_are_to_mark() -> None:
    design = designed([8], fk.Unrelated(0.5))
    truths = people(200_000, 3)
    joint = np.zeros((2,) * 8)
    np.add.at(joint, tuple((np.asarray(truths[name]) == "yes").astype(int) for name in NAMES), 1)
    known = exposed_share(Asking.of(design.forms[0]), joint / joint.sum(), 0)
    found = fk.audit(design, fk.randomize(design, truths, fk.Tape.seeded(3)), truths)
    assert known[0.8] > 0.2
    assert found.exposed[0.8] == pytest.approx(known[0.8], abs=0.06)


def test_answers_that_go_together_one_by_one_are_found_though_classes_blur_them() -> None:
    # Each of 20 answers to a has its own answer to b. Whoever counts pairs knows the 20 of 400
    # that are told: there a coin has the posterior .5 / 20 / (.5 / 20 + .5 / 400) = .952, and
    # every truth-teller is one. Seeded; counts of 250 per pair vary by 6 %, so posteriors by .003.
    values = [str(code) for code in range(20)]
    asked = [fk.Attribute(name, values) for name in "ab"]
    design = fk.Design(asked, groups=[fk.Group(["a", "b"], fk.Unrelated(0.5))])
    chance = np.random.default_rng(1)
    code, pair = chance.integers(0, 20, 10_000), chance.permutation(20)
    truths = {"a": code.astype(str), "b": pair[code].astype(str)}
    reports = fk.randomize(design, truths, fk.Tape.seeded(2))
    found = fk.audit(design, reports, truths)
    assert found.strongest.model == "every combination"
    assert found.exposed[0.9] > 0.99
    assert found.strongest.exposed(0.9, real=False) == pytest.approx(1, abs=0.1)
    assert found.attacks[0].exposed(0.9) < 0.5
    mined = fk.privacy(design, reports=reports)
    assert mined.groups[0].exposed[0.9] == pytest.approx(1, abs=0.1)


def test_well_hidden_groups_beside_it_make_no_group_look_better() -> None:
    # One toss hides six answers that agree, and gives itself away; sixteen others hide well.
    together, alone = [f"q{i}" for i in range(6)], [f"s{i}" for i in range(16)]
    groups = [fk.Group([name], fk.Unrelated(0.5)) for name in alone]
    groups.append(fk.Group(together, fk.Unrelated(0.5)))
    asked = [fk.Attribute(name, ["no", "yes"]) for name in (*alone, *together)]
    chance = np.random.default_rng(1)
    agree = np.where(chance.random(1500) < 0.5, "yes", "no")
    truths = dict.fromkeys(together, agree) | {
        name: np.where(chance.random(1500) < 0.5, "yes", "no") for name in alone
    }
    design = fk.Design(asked, groups=groups)
    found = fk.audit(design, fk.randomize(design, truths, fk.Tape.seeded(1)), truths)
    assert found.exposed[0.9] < 0.2
    assert found.worst.names == tuple(together)
    assert found.worst.best.exposed[0.9] > 0.9
    assert "of the truth-tellers about q0, q1 + 4 at more than 90%" in found.verdict()
    assert "q0, q1 + 4  " in found.summary(), "the table is not cut where it matters"
    assert "and in each attack 3 groups that are exposed no more" in found.summary()
    assert found.to_dict()["worst"] == {"form": 0, "names": together}


def test_nobody_is_marked_beyond_what_epsilon_allows() -> None:
    design = designed([1] * 8, fk.Unrelated(0.5))
    found = audited(design, 3000)
    assert [found.exposed[level] for level in (0.8, 0.9, 0.95)] == [0, 0, 0]
    assert found.precision[0.9] is None
    assert "marks nobody" in str(found)


def test_skewed_answers_behind_a_flip_are_all_restored() -> None:
    chance = np.random.default_rng(2)
    rows = {name: np.where(chance.random(8000) < 0.08, "yes", "no") for name in NAMES}
    design = designed([8], fk.Flip(0.52))
    found = fk.audit(design, fk.randomize(design, rows, fk.Tape.seeded(2)), rows)
    (group,) = found.groups
    assert group.real is not None
    assert group.real.restored is not None
    assert group.real.restored > 0.99
    assert group.stated.restored == pytest.approx(group.real.restored, abs=0.01)


def test_a_flip_below_one_half_hides_no_better_than_its_opposite() -> None:
    # The same answers, turned round: what is marked may not depend on how the coin is named.
    rows = people(3000, 5)
    designs = [designed([1, 3, 4], fk.Flip(theta)) for theta in (0.95, 0.05)]
    straight = fk.randomize(designs[0], rows, fk.Tape.seeded(5))
    opposite = {name: np.where(np.asarray(straight[name]) == "no", "yes", "no") for name in NAMES}
    above, below = (
        fk.audit(design, reports, rows)
        for design, reports in zip(designs, (straight, opposite), strict=True)
    )
    assert above.exposed[0.9] > 0.2
    for level in (0.5, 0.8, 0.9, 0.95):
        assert below.exposed[level] == pytest.approx(above.exposed[level], abs=0.02)
        assert below.precision[level] == pytest.approx(above.precision[level], abs=0.02)
    for one, other in zip(below.groups, above.groups, strict=True):
        assert one.best.restored == pytest.approx(other.best.restored, abs=0.02)
        assert (one.turned, other.turned) == (True, False)
    assert "of the truth-tellers" in str(above)
    assert "of those whose answers were turned" in str(below)


def test_an_audit_of_people_who_never_told_the_truth_is_an_audit() -> None:
    design = designed([8], fk.Unrelated(0.5))
    found = fk.audit(design, {n: ["no"] for n in NAMES}, {n: ["yes"] for n in NAMES})
    assert set(found.exposed.values()) == {0.0}
    never = designed([1] * 8, fk.Flip(0))
    rows = people(200, 1)
    found = fk.audit(never, fk.randomize(never, rows, fk.Tape.seeded(1)), rows)
    assert found.exposed[0.95] == 1
    assert found.precision[0.95] == 1
    json.dumps(found.to_dict(), allow_nan=False)


def test_modules_and_a_target_are_audited_form_by_form() -> None:
    design = fk.Design.modules(BITS, target="q0", mechanism=fk.Uniform(epsilon=2))
    found = audited(design, 3000)
    assert {group.form for group in found.groups} == set(range(7))
    assert {attack.model for attack in found.attacks} == {"8 hidden classes", "naive Bayes on q0"}
    assert found.exposed[0.9] == 0  # 1 - exp(-2) = .865


def test_a_form_keeps_its_number_when_others_have_no_reports_or_ask_the_same() -> None:
    form = fk.Form([fk.Group(NAMES[:2], fk.Unrelated(0.5))])
    design = fk.Design(BITS[:2], forms=[fk.Form([fk.Group(["q0"], fk.Flip(0.9))]), form, form])
    truths = {name: ["no", "yes"] * 300 for name in NAMES[:2]}
    drawn = fk.randomize(fk.Design(BITS[:2], groups=form.groups), truths, fk.Tape.seeded(4))
    asked = [1] * 100 + [2] * 500
    found = fk.audit(design, {**{n: list(drawn[n]) for n in NAMES[:2]}, "form": asked}, truths)
    assert [(group.form, group.people) for group in found.groups] == [(1, 100), (2, 500)]
    for group in found.groups:
        assert group.real is not None
        # Of 100 people 50 ± 5 tell it straight: 20 away has a false-alarm rate below 1e-4.
        assert group.real.straight == pytest.approx(group.people * 0.5, rel=0.4)
        assert 0 <= group.real.auc <= 1


def test_clear_questions_and_matrices_have_no_coin() -> None:
    groups = [fk.Group(["q0"], fk.Crosswise(0.3)), fk.Group(["q1"], fk.Unrelated(0.5))]
    design = fk.Design(BITS[:3], groups=groups)
    rows = {name: ["no", "yes", "no"] * 300 for name in NAMES[:3]}
    found = fk.audit(design, fk.randomize(design, rows, fk.Tape.seeded(1)), rows)
    assert [group.names for group in found.groups] == [("q1",)]
    with pytest.raises(CannotBeToldError, match="no coin"):
        fk.audit(fk.Design(BITS[:1]), {"q0": ["no", "yes"]})


def test_an_audit_is_plain_json_and_carries_the_fingerprint() -> None:
    design = designed([8], fk.Unrelated(0.5))
    found = fk.audit(design, fk.randomize(design, people(500, 1), fk.Tape.seeded(1)))
    read = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert read["fingerprint"] == design.fingerprint
    assert read["checked"] is False
    assert "by the posteriors themselves" in str(found)


def test_truths_of_other_people_are_refused() -> None:
    design = designed([8], fk.Unrelated(0.5))
    reports = fk.randomize(design, people(50, 1), fk.Tape.seeded(1))
    with pytest.raises(ReportError, match="same people"):
        fk.audit(design, reports, people(49, 1))


def test_single_tables_are_not_enough() -> None:
    design = designed([8], fk.Unrelated(0.5))
    one = Counts.from_table(["q0"], design.forms[0].fingerprint, [30, 20])
    with pytest.raises(CannotBeToldError, match="whole reports"):
        fk.audit(design, [one])


def test_the_chance_of_a_straight_report_is_exact() -> None:
    # theta .5, fair: of reports that equal the truth two in three were told straight.
    chance = surely(fk.Unrelated(0.5), [np.array([0, 1])], (2,))
    assert chance == pytest.approx([2 / 3, 2 / 3])
    assert surely(fk.Flip(0.7), [np.array([0, 1])], (2,)) == pytest.approx([1, 1])


def test_marks_are_counted_as_defined() -> None:
    posterior, sent = np.array([0.2, 0.85, 0.97]), np.array([10.0, 10.0, 10.0])
    found = figures(posterior, sent, np.array([1.0, 8.0, 9.0]))
    assert found.exposed[0.9] == pytest.approx(9 / 18)
    assert found.precision[0.8] == pytest.approx(17 / 20)
    assert found.precision[0.95] == pytest.approx(0.9)
    yes = np.array([0.3, 0.9, 0.9])
    pairs = [(a > b) + 0.5 * (a == b) for a in yes for b in (0.1, 0.9)]
    scores = np.array([0.3, 0.9, 0.9, 0.1, 0.9])
    flags = np.array([1.0, 1.0, 1.0, 0.0, 0.0])
    assert area(scores, flags, 1 - flags) == pytest.approx(np.mean(pairs))
    assert math.isclose(area(scores, 1 - flags, flags), 1 - float(np.mean(pairs)))
