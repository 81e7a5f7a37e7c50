"""The privacy statement: laws over random designs, then the numbers people quote."""

import itertools
import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import frankly as fk
from frankly.count import Counts
from frankly.errors import DesignError, FaithfulWarning, TooWideError
from frankly.judge import (
    Asking,
    Limits,
    coin_posterior,
    miss,
    poisoning,
    printed_pse,
    printed_recoverability,
    pse_after,
    uniqueness,
)
from tests.strategies import designs, mechanisms, seeds, table

BITS = ["no", "yes"]


def bits(count: int) -> list[fk.Attribute]:
    return [fk.Attribute(f"q{i}", BITS) for i in range(count)]


def one_group(count: int, device: fk.Unrelated | fk.Flip) -> fk.Design:
    group = fk.Group([f"q{i}" for i in range(count)], device)
    return fk.Design(bits(count), groups=[group], accept_infinite_epsilon=True)


def every_report(form: fk.Form) -> list[np.ndarray]:
    """Push each whole truth by itself: the chances of every report, one row a truth."""
    hidden = [name for group in form.groups for name in group.names]
    sizes = form.sizes(hidden)
    rows = []
    for at in np.ndindex(sizes):
        truth = np.zeros(sizes)
        truth[at] = 1
        rows.append(form.push(truth, hidden).ravel())
    return rows


# Laws ---------------------------------------------------------------------------------------


@given(designs(most=3, max_forms=2))
def test_the_stated_epsilon_is_the_one_found_by_trying_everything(design: fk.Design) -> None:
    stated = fk.privacy(design)
    worst = 0.0
    for form in design.forms:
        for one, other in itertools.permutations(every_report(form), 2):
            for chance, against in zip(one, other, strict=True):
                if chance > 0:
                    worst = max(worst, math.log(chance / against) if against > 0 else math.inf)
    assert stated.record.epsilon == pytest.approx(worst, abs=1e-9)
    for said in stated.forms:
        assert said.enumerated is not None
        assert said.enumerated == pytest.approx(said.epsilon, abs=1e-9)


@given(st.data(), st.lists(st.integers(2, 4), min_size=1, max_size=3))
def test_every_registered_device_states_its_own_epsilon(
    data: st.DataObject, sizes: list[int]
) -> None:
    names = [f"q{i}" for i in range(len(sizes))]
    device = data.draw(mechanisms(sizes, names))
    shape = np.full(sizes, 1 / math.prod(sizes))
    stated = fk.privacy(device, shape)
    assert stated.forms[0].enumerated == pytest.approx(device.epsilon(sizes), abs=1e-9)


@given(designs(most=4), seeds)
def test_pse_is_the_expected_miss_by_definition(design: fk.Design, seed: int) -> None:
    joint = table(seed, design.sizes(design.names))
    for name, one in fk.privacy(design, joint=joint).attributes.items():
        form = design.forms[one.form]
        axis = design.names.index(name)
        prior = joint.sum(axis=tuple(i for i in range(joint.ndim) if i != axis))
        both = np.stack([form.push(row, [name]) for row in np.diag(prior)])
        seen = both.sum(axis=0)
        expected = sum(
            both[t, r] * (1 - both[t, r] / seen[r])
            for t, r in np.ndindex(both.shape)
            if seen[r] > 0
        )
        assert one.pse == pytest.approx(expected, abs=1e-9)


@given(designs(most=4), seeds)
def test_mining_never_adds_privacy(design: fk.Design, seed: int) -> None:
    stated = fk.privacy(design, joint=table(seed, design.sizes(design.names)))
    for one in stated.attributes.values():
        assert one.after is not None
        assert one.recoverability is not None
        assert one.after <= one.pse + 1e-12
        assert one.recoverability >= 0
        assert one.pse - one.after == pytest.approx(one.recoverability, abs=1e-12)


@given(designs(most=4), seeds)
def test_knowing_more_truths_never_adds_privacy(design: fk.Design, seed: int) -> None:
    joint = table(seed, design.sizes(design.names))
    form = Asking.of(design.forms[0])
    own = form.joint(design.names, joint)
    for name, _, _ in form.protected():
        others = [other for other in form.names if other != name]
        less, more = pse_after(form, own, name), pse_after(form, own, name, others)
        assert more <= less + 1e-12


@given(st.lists(st.integers(2, 4), min_size=1, max_size=3), seeds, st.data())
def test_one_question_a_group_and_independent_answers_leave_nothing_to_mine(
    sizes: list[int], seed: int, data: st.DataObject
) -> None:
    names = [f"q{i}" for i in range(len(sizes))]
    asked = [
        fk.Attribute(n, [f"v{k}" for k in range(s)]) for n, s in zip(names, sizes, strict=True)
    ]
    groups = [
        fk.Group([n], data.draw(mechanisms([s], [n]))) for n, s in zip(names, sizes, strict=True)
    ]
    design = fk.Design(asked, groups=groups, accept_infinite_epsilon=True)
    joint = np.ones(())
    for i, size in enumerate(sizes):
        joint = np.multiply.outer(joint, table(seed + i, [size]))
    for one in fk.privacy(design, joint=joint).attributes.values():
        assert one.after == pytest.approx(one.pse, abs=1e-12)


@given(st.integers(1, 99), st.lists(st.integers(2, 3), min_size=1, max_size=4), seeds)
def test_no_coin_of_a_uniform_device_is_surer_than_its_epsilon_allows(
    percent: int, sizes: list[int], seed: int
) -> None:
    names = [f"q{i}" for i in range(len(sizes))]
    asked = [
        fk.Attribute(n, [f"v{k}" for k in range(s)]) for n, s in zip(names, sizes, strict=True)
    ]
    design = fk.Design(asked, groups=[fk.Group(names, fk.Uniform(f"{percent}/100"))])
    chance = np.random.default_rng(seed)
    cells = math.prod(sizes)
    joint = chance.dirichlet(np.full(cells, 0.05)).reshape(sizes)
    form = Asking.of(design.forms[0])
    posterior = coin_posterior(form, joint, 0)
    assert posterior.max() <= -math.expm1(-design.epsilon) + 1e-12
    sure = np.zeros(cells)
    sure[0] = 1
    reached = coin_posterior(form, sure.reshape(sizes), 0).max()
    assert reached == pytest.approx(-math.expm1(-design.epsilon), abs=1e-12)


@given(designs(most=3), seeds)
def test_no_guess_moves_further_than_the_record_allows(design: fk.Design, seed: int) -> None:
    stated = fk.privacy(design, joint=table(seed, design.sizes(design.names)))
    worst = fk.privacy(design, "worst")
    for name, one in stated.attributes.items():
        assert one.change <= worst.attributes[name].change + 1e-9
        assert one.change <= stated.record.change + 1e-9
    for one in worst.attributes.values():
        if math.isfinite(one.epsilon) and one.epsilon < math.log(99**2):
            assert one.change == pytest.approx(math.tanh(one.epsilon / 4), abs=1e-9)


@given(designs(most=3, max_forms=3))
def test_a_statement_is_plain_json(design: fk.Design) -> None:
    stated = fk.privacy(design)
    read = json.loads(json.dumps(stated.to_dict(), allow_nan=False))
    assert [one["name"] for one in read["attributes"]] == list(stated.attributes)
    assert read["fingerprint"] == design.fingerprint
    assert len(str(stated).splitlines()) <= 45


# What people quote --------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "epsilon"), [(1, 1.73), (9, 7.09), (14, 10.55)])
def test_theta_seven_tenths_costs_what_the_threat_model_says(count: int, epsilon: float) -> None:
    assert fk.privacy(one_group(count, fk.Unrelated(0.7))).record.epsilon == pytest.approx(
        epsilon, abs=0.005
    )


@given(st.floats(0.05, 6), st.integers(2, 40))
def test_a_wished_epsilon_is_never_exceeded(wish: float, size: int) -> None:
    stated = fk.privacy(fk.Uniform(epsilon=wish), np.full(size, 1 / size))
    assert stated.record.epsilon <= wish
    assert stated.record.epsilon == pytest.approx(wish, rel=1e-2)


def test_a_device_alone_may_tell_nothing_or_everything() -> None:
    # Identities of PSE with fair covers (Zhan & Matwin, section 5.3, corrected).
    nothing, everything = (fk.privacy(fk.Unrelated(theta), 0.2) for theta in (0, 1))
    assert nothing.attributes["answer"].pse == pytest.approx(0.32)
    assert nothing.record.epsilon == 0
    assert nothing.attributes["answer"].poisoning == math.inf
    assert everything.attributes["answer"].pse == 0
    assert everything.record.epsilon == math.inf
    told, risk = (fk.privacy(fk.Unrelated(1)).attributes["answer"].information, 0.2)
    assert told == pytest.approx(1)  # a whole yes or no is one bit
    assert nothing.attributes["answer"].information == 0
    assert nothing.attributes["answer"].bayes_risk == pytest.approx(risk)
    assert fk.privacy(fk.Flip(0.5), 0.2).attributes["answer"].relative == pytest.approx(1)
    for theta in (0.1, 0.4, 0.9):
        half = fk.privacy(fk.Unrelated(theta)).attributes["answer"]
        assert half.pse == pytest.approx((1 - theta**2) / 2)
        flip = fk.privacy(fk.Flip((1 + theta) / 2), 0.2).attributes["answer"]
        same = fk.privacy(fk.Unrelated(theta), 0.2).attributes["answer"]
        assert same.pse == pytest.approx(flip.pse)


def test_a_flipped_group_gives_itself_away() -> None:
    stated = fk.privacy(one_group(3, fk.Flip(0.6)))
    assert stated.record.epsilon == math.inf
    assert stated.groups[0].leaks == 1
    assert stated.attributes["q0"].epsilon == pytest.approx(math.log(0.6 / 0.4))
    assert "infinite" in str(stated)


def test_a_drawn_cover_exposes_nobody_and_an_asked_one_says_how_many() -> None:
    # THREATS P4: theta * P(A != Y): 35 % for one fair question, 70 % for nine, at theta .7.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        asked = [one_group(count, fk.Unrelated(0.7, asked=True)) for count in (1, 9)]
    shares = [fk.privacy(design).groups[0].exposed_by_cover for design in asked]
    assert shares == [pytest.approx(0.35), pytest.approx(0.7 * (1 - 2**-9))]
    assert fk.privacy(one_group(9, fk.Unrelated(0.7))).groups[0].exposed_by_cover is None


@pytest.mark.parametrize("asked", [False, True])
def test_a_group_of_many_questions_is_stated_without_laying_out_its_combinations(
    *, asked: bool
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wide = one_group(60, fk.Unrelated(0.7, asked=asked))
    stated = fk.privacy(wide, {f"q{i}": 0.2 for i in range(60)})
    assert stated.record.epsilon == pytest.approx(math.log1p(0.7 / 0.3 * 2.0**60))
    assert stated.groups[0].exposed_by_cover == (pytest.approx(0.7) if asked else None)


def test_an_attacker_who_knows_the_cover_finds_out_what_is_stated() -> None:
    # 40,000 people; |z| < 5 has a false-alarm rate below 1e-6.
    chance = np.random.default_rng(4)
    truth, cover = chance.random(40_000) < 0.3, chance.random(40_000) < 0.5
    straight = chance.random(40_000) < 0.7
    report = np.where(straight, truth, cover)
    found = float((report != cover).mean())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        design = one_group(1, fk.Unrelated(0.7, asked=True))
    stated = fk.privacy(design, {"q0": 0.3}).groups[0].exposed_by_cover
    assert stated is not None
    assert abs(found - stated) < 5 * math.sqrt(stated * (1 - stated) / 40_000)
    assert (truth[report != cover] == report[report != cover]).all()


@pytest.mark.parametrize(
    ("theta", "cells", "shift"), [(0.7, 2, 0.0121), (0.3, 64, 0.033)]
)  # THREATS P13
def test_crafted_reports_move_a_share_by_what_is_stated(
    theta: float, cells: int, shift: float
) -> None:
    question = fk.Attribute("q", [str(k) for k in range(cells)])
    design = fk.Design([question], groups=[fk.Group(["q"], fk.Uniform(theta))])
    bound = poisoning(design.forms[0], ["q"])
    assert bound == pytest.approx(0.01 * (1 - (1 - theta) / cells) / theta)
    assert bound == pytest.approx(shift, abs=5e-4)
    honest = np.zeros(cells)
    honest[0] = 1
    seen = design.push(honest, ["q"])
    crafted = 0.99 * seen
    crafted[1] += 0.01
    moved = design.pull(crafted, ["q"])[1] - design.pull(seen, ["q"])[1]
    assert moved == pytest.approx(bound)
    assert fk.privacy(design).attributes["q"].poisoning == pytest.approx(bound)


def test_a_crafting_crowd_moves_the_estimate_as_far_as_stated() -> None:
    # 20,000 reports, 5 % crafted, all "yes"; three standard errors, alarm rate 0.3 %, seeded.
    design = one_group(1, fk.Unrelated(0.5))
    truths = {"q0": ["no"] * 19_000}
    reports = fk.randomize(design, truths, fk.Tape.seeded(3))
    mixed = {"q0": [*reports["q0"], *["yes"] * 1_000]}
    found = fk.estimate(design, mixed, "q0")
    stated = poisoning(design.forms[0], ["q0"], 0.05)
    assert abs(found.share[1] - stated) < 3 * found.stderr[1]


@pytest.mark.parametrize("thetas", [(0.7,) * 5, (0.2, 0.8), (0.4, 1.0)])
def test_crafted_reports_may_all_come_through_one_form(thetas: tuple[float, ...]) -> None:
    # Equal devices in forms that ask other questions; or one question hidden in two ways. Counts
    # as expected, so there is no chance in this.
    alike = len(set(thetas)) == 1
    names = [f"q{i}" if alike else "q0" for i in range(len(thetas))]
    forms = [
        fk.Form([fk.Group([name], fk.Uniform(theta))])
        for name, theta in zip(names, thetas, strict=True)
    ]
    asked = bits(len(set(names)))
    design = fk.Design(asked, forms=forms, accept_infinite_epsilon=True)
    stated = fk.privacy(design).attributes["q0"].poisoning
    moved = []
    for crafted in design.asking(["q0"]):
        tables = []
        for index in design.asking(["q0"]):
            seen = 99_000 / len(forms) * design.forms[index].push(np.array([1.0, 0.0]), ["q0"])
            seen[1] += 1000 * (index == crafted)
            made = Counts.from_table(
                ["q0"], design.forms[index].fingerprint, seen.round().astype(int)
            )
            tables.append(made)
        moved.append(fk.estimate(design, tables, "q0").share[1])
    assert max(moved) <= stated + 1e-3
    if alike:
        assert max(moved) == pytest.approx(stated, abs=1e-3)
        assert stated > 4 * poisoning(design.forms[0], ["q0"])


def test_rows_that_nobody_shares_are_counted() -> None:
    rows = {"age": [30, 30, 31, 31], "sex": ["f", "f", "f", "m"]}
    assert uniqueness(rows, ["age", "sex"]) == 0.5
    assert uniqueness(rows, ["age"]) == 0
    assert uniqueness({"age": []}, ["age"]) == 0


def test_an_answer_that_leaks_takes_its_group_with_it() -> None:
    apart = fk.Design(bits(2), groups=[fk.Group([f"q{i}"], fk.Uniform(0.5)) for i in range(2)])
    together = fk.privacy(one_group(2, fk.Unrelated(0.5)))
    assert [group.leaks for group in fk.privacy(apart).groups] == [0, 0]
    assert together.groups[0].leaks == pytest.approx(2 / 3)
    assert "if one answer leaks" in str(together)
    # The claim itself: q0 is known to be yes and its report agrees.
    joint = np.full((2, 2), 0.25)
    asking = Asking.of(one_group(2, fk.Unrelated(0.5)).forms[0])
    held = np.zeros((2, 2))
    held[1] = joint[1]
    straight = 0.5 * held[1].sum()
    agrees = asking.push(held)[1].sum()
    assert straight / agrees == pytest.approx(2 / 3)


def test_a_known_cover_finds_out_those_whom_the_joint_says() -> None:
    # Truths always differ from each other, so the cover says both only by chance of 2 * .09.
    cover = {"q0": [9, 1], "q1": [9, 1]}
    design = one_group(2, fk.Unrelated(0.7, cover, asked=True))
    stated = fk.privacy(design, joint=[[0, 0.5], [0.5, 0]]).groups[0].exposed_by_cover
    assert stated == pytest.approx(0.7 * (1 - 0.09), abs=1e-12)
    alone = fk.privacy(design, {"q0": 0.5, "q1": 0.5}).groups[0].exposed_by_cover
    assert alone == pytest.approx(0.7 * (1 - 0.25), abs=1e-12)


def test_a_question_in_several_forms_is_judged_by_the_weakest() -> None:
    forms = [fk.Form([fk.Group(["q0"], fk.Uniform(theta))]) for theta in (0.3, 0.8)]
    stated = fk.privacy(fk.Design(bits(1), forms=[*forms, fk.Form(clear=["q0"])]))
    assert stated.attributes["q0"].form == 1
    assert stated.attributes["q0"].clear_in == (2,)
    assert stated.clear == ("q0",)
    assert stated.record.epsilon == pytest.approx(math.log(9))


def test_a_prior_may_come_from_reports() -> None:
    design = one_group(2, fk.Unrelated(0.5))
    truths = {"q0": ["no"] * 900 + ["yes"] * 100, "q1": ["no"] * 900 + ["yes"] * 100}
    reports = fk.randomize(design, truths, fk.Tape.seeded(1))
    stated = fk.privacy(design, reports=reports)
    for name, one in stated.attributes.items():  # the very shares that an estimate states
        likeliest = fk.estimate(design, reports, name, "mle").share
        assert one.prior == pytest.approx(likeliest, abs=1e-9)
        assert one.after is not None
        assert one.after <= one.pse + 1e-9
    modules = fk.Design.modules(bits(3), target="q0", mechanism=fk.Uniform(epsilon=2))
    rows = {f"q{i}": ["no", "yes", "no", "no"] * 300 for i in range(3)}
    assert fk.privacy(modules, reports=fk.randomize(modules, rows, fk.Tape.seeded(2))).basis == (
        "estimated from the reports"
    )


def test_a_mined_joint_is_the_one_behind_the_reports() -> None:
    # 60,000 people; PSE after mining from reports alone is within .02 of that with the truth.
    chance = np.random.default_rng(6)
    kind = chance.random(60_000) < 0.5
    rows = {
        f"q{i}": np.where(chance.random(60_000) < np.where(kind, 0.9, 0.2), "yes", "no")
        for i in range(4)
    }
    joint = np.zeros((2,) * 4)
    np.add.at(joint, tuple((rows[f"q{i}"] == "yes").astype(int) for i in range(4)), 1 / 60_000)
    groups = [fk.Group([f"q{i}"], fk.Uniform(0.6)) for i in range(4)]
    design = fk.Design(bits(4), groups=groups)
    mined = fk.privacy(design, reports=fk.randomize(design, rows, fk.Tape.seeded(6)))
    known = fk.privacy(design, joint=joint)
    for name, one in mined.attributes.items():
        assert one.after == pytest.approx(known.attributes[name].after, abs=0.02)
        assert one.recoverability is not None
        assert one.recoverability > 0.02
    single = [
        Counts.from_table([f"q{i}"], design.forms[0].fingerprint, [500, 500]) for i in range(4)
    ]
    alone = fk.privacy(design, reports=single)
    assert alone.attributes["q0"].after is None


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ({"nobody": 0.1}, "speaks of"),
        ([0.5, 0.6], "add up to 1"),
        ("best", "worst"),
        ([0.2, 0.3, 0.5], "2 shares"),
    ],
)
def test_a_prior_that_is_none_is_refused(prior: object, words: str) -> None:
    with pytest.raises(DesignError, match=words):
        fk.privacy(one_group(1, fk.Unrelated(0.5)), prior)  # type: ignore[arg-type]


def test_only_one_source_of_priors_is_taken() -> None:
    with pytest.raises(DesignError, match="one of prior"):
        fk.privacy(one_group(1, fk.Unrelated(0.5)), 0.1, joint=[0.9, 0.1])
    with pytest.raises(DesignError, match="by name"):
        fk.privacy(one_group(2, fk.Unrelated(0.5)), 0.1)
    with pytest.raises(DesignError, match="a design or of a device"):
        fk.privacy(0.7)  # type: ignore[arg-type]
    with pytest.raises(DesignError, match="not a device alone"):
        fk.privacy(fk.Flip(0.7), reports={"answer": BITS})


def test_privacy_after_mining_is_refused_where_it_cannot_be_held() -> None:
    wide = Asking.of(one_group(23, fk.Unrelated(0.5)).forms[0])
    with pytest.raises(TooWideError, match="fewer questions"):
        pse_after(wide, np.full((2,) * 23, 2.0**-23), "q0", ["q1"])


# Faithful -----------------------------------------------------------------------------------


def test_printed_figures_warn_and_agree_only_with_a_fair_cover() -> None:
    with pytest.warns(FaithfulWarning, match="as printed"):
        fair = fk.privacy(fk.Unrelated(0.5), 0.3, faithful=True)
    assert fair.attributes["answer"].pse == pytest.approx(
        fk.privacy(fk.Unrelated(0.5), 0.3).attributes["answer"].pse
    )
    with pytest.warns(FaithfulWarning):
        skewed = fk.privacy(fk.Unrelated(0.5, [0.7, 0.3]), 0.3, faithful=True)
    # Zhan & Matwin 2007, components 1 to 4, W_a = W_y = .3, theta = .5 (ours: .315).
    assert skewed.attributes["answer"].pse == pytest.approx(0.3553295454545455)
    assert "as printed" in str(skewed)
    with pytest.warns(FaithfulWarning), pytest.raises(DesignError, match="none of"):
        printed_pse(0.5, 0.3, 0.3, "mine")


def test_printed_recoverability_is_one_for_any_coherent_rules() -> None:
    rules = np.array([[0.3, 0.7], [0.9, 0.1]])
    with pytest.warns(FaithfulWarning):
        total, largest = printed_recoverability(np.array([0.4, 0.6]), rules)
    assert [total, largest] == pytest.approx([1, 0.54])
    design = fk.Design(bits(2), groups=[fk.Group([f"q{i}"], fk.Uniform(0.5)) for i in range(2)])
    with pytest.warns(FaithfulWarning):
        stated = fk.privacy(design, joint=[[0.4, 0.15], [0.09, 0.36]], faithful=True)
    one = stated.attributes["q1"]
    assert one.recoverability == pytest.approx(1.5000981301137633)
    assert one.after is not None
    assert one.after < 0


# Limits -------------------------------------------------------------------------------------


def test_limits_say_what_is_broken_and_pass_what_is_not() -> None:
    stated = fk.privacy(one_group(4, fk.Unrelated(0.5)), {"q0": 0.1})
    assert Limits(max_epsilon=3, max_posterior=0.97, min_privacy=0.1).broken(stated) == []
    broken = Limits(max_epsilon=2, max_posterior=0.9, max_exposed=0.1, min_privacy=0.2)
    sentences = broken.broken(stated)
    assert [s.split()[0] for s in sentences] == ["epsilon", "a", "how", "'q0'"]
    assert Limits(max_exposed=0).broken(fk.privacy(fk.Uniform(0.5))) == []
    alike = np.zeros((2,) * 4)
    alike[0, 0, 0, 0] = alike[1, 1, 1, 1] = 0.5
    exposed = Limits(max_exposed=0.5).broken(
        fk.privacy(one_group(4, fk.Unrelated(0.9)), joint=alike)
    )
    assert exposed == ["1.000 of truth-tellers are exposed, more than 0.500"]


def test_a_guess_without_a_report_misses_as_often_as_the_shares_say() -> None:
    assert miss(np.array([0.9, 0.1])) == pytest.approx(0.18)
