"""EM through the device: the likelihood is the device's own, it climbs, and it finds the model."""

import sys

import numpy as np
import pytest
from hypothesis import given

import frankly as fk
from frankly.count import ArrayEngine, Counts, GivenCounts
from frankly.errors import ConvergenceError
from frankly.estimate import Mixture, fit_mixture, views_of
from frankly.estimate.em import step
from tests.strategies import designs, seeds

YES = ["no", "yes"]


def expected(design: fk.Design, model: Mixture, n: float = 1e6) -> GivenCounts:
    """Give the reports to expect if a model were the truth."""
    tables = []
    for form in design.forms:
        seen = form.push(model.margin(form.names), form.names)
        tables.append(Counts.from_table(form.names, form.fingerprint, np.rint(n * seen)))
    return GivenCounts(design, tables)


def drawn(design: fk.Design, seed: int, target: str | None = None, k: int = 2) -> Mixture:
    """Draw a model of the truth, with the target as its class or with k hidden ones."""
    rng = np.random.default_rng(seed)
    size = design[target].size if target else k
    tables = {
        a.name: rng.dirichlet(np.ones(a.size), size) for a in design.attributes if a.name != target
    }
    return Mixture(rng.dirichlet(np.full(size, 5.0)), tables, target)


def survey(device: fk.Unrelated | fk.Flip, names: str = "abcdec") -> fk.Design:
    attributes = [fk.Attribute(name, YES) for name in dict.fromkeys(names)]
    group = fk.Group([a.name for a in attributes], device)
    return fk.Design(attributes, groups=[group], target="c", accept_infinite_epsilon=True)


@given(designs(most=4, max_forms=2), seeds)
def test_the_chance_of_a_report_is_what_the_device_pushes(design: fk.Design, seed: int) -> None:
    target = design.names[seed % len(design.names)] if seed % 3 else None
    model = drawn(design, seed, target)
    every = [
        Counts.from_table(f.names, f.fingerprint, np.ones([len(f.reported(n)) for n in f.names]))
        for f in design.forms
    ]
    for view in views_of(GivenCounts(design, every)):
        form = view.form
        pushed = form.push(model.margin(form.names), form.names)
        assert np.allclose(view.chances(model)[2].sum(axis=1), pushed.ravel())


@given(designs(most=4, max_forms=2), seeds)
def test_a_step_never_leads_down(design: fk.Design, seed: int) -> None:
    truth, model = (drawn(design, s, design.names[0]) for s in (seed, seed + 1))
    views = views_of(expected(design, truth, 1e4))
    heights = []
    for _ in range(4):
        model, height = step(views, model, 1.0)
        heights.append(height)
    assert (np.diff(heights) >= -1e-6 * abs(heights[0])).all()


@pytest.mark.parametrize("device", [fk.Unrelated(0.2), fk.Unrelated(0.9), fk.Flip(0.6)])
def test_the_model_behind_the_reports_is_found(device: fk.Unrelated | fk.Flip) -> None:
    design = survey(device)
    truth = drawn(design, 3, "c")
    start = drawn(design, 4, "c")
    near = truth.moved(0.5 * truth.logs() + 0.5 * start.logs())
    fit = fit_mixture(views_of(expected(design, truth)), near, prior=0.0, tolerance=1e-12)
    assert fit.model.distance(truth) < 0.01
    assert fit.gain <= 1e-12
    assert fit.residual <= 1e-4


def test_a_group_that_is_turned_round_is_told_from_its_mirror_image() -> None:
    design = survey(fk.Flip(0.55))
    truth = drawn(design, 5, "c")
    fit = fit_mixture(views_of(expected(design, truth)), truth.mirrored(design.names))
    assert fit.model.distance(truth) < 0.02
    assert truth.mirrored(design.names).mirrored(design.names).distance(truth) < 1e-12


def test_hidden_classes_are_found() -> None:
    design = survey(fk.Unrelated(0.5))
    sure = {name: np.array([[0.9, 0.1], [0.2, 0.8]]) for name in design.names}
    truth = Mixture(np.array([0.6, 0.4]), sure)
    fit = fit_mixture(views_of(expected(design, truth)), Mixture.drawn(design, 2, seed=1))
    order = np.argsort(-fit.model.weights)
    assert np.allclose(fit.model.weights[order], [0.6, 0.4], atol=0.01)
    assert np.allclose(fit.model.tables["a"][order], sure["a"], atol=0.02)


def test_the_coin_behind_a_report_is_told_by_bayes() -> None:
    design = survey(fk.Unrelated(0.3))
    model = drawn(design, 6, "c")
    (view,) = views_of(expected(design, model))
    (told,) = view.told(model)
    own = 0.3 * model.margin(design.forms[0].names).ravel()
    by_hand = own / (own + 0.7 / 32)
    cells = expected(design, model).given[0].cells()[0]
    flat = np.ravel_multi_index(tuple(cells.T), (2,) * 5)
    assert np.allclose(told, by_hand[flat])


def test_a_fit_that_does_not_settle_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["frankly.estimate.em"], "STEPS", 3)
    design = survey(fk.Unrelated(0.1))
    views = views_of(expected(design, drawn(design, 7, "c")))
    with pytest.raises(ConvergenceError, match="did not settle"):
        fit_mixture(views, drawn(design, 8, "c"))


def test_reports_count_by_how_many_there_are_of_each() -> None:
    design = survey(fk.Unrelated(0.5))
    rng = np.random.default_rng(1)
    codes = {name: rng.integers(0, 2, 300) for name in design.names}
    twice = {name: np.repeat(column, 2) for name, column in codes.items()}
    start = drawn(design, 1, "c")
    one, two = (
        fit_mixture(views_of(ArrayEngine.from_codes(design, c)), start, prior=p)
        for c, p in ((codes, 1.0), (twice, 2.0))
    )
    assert one.model.distance(two.model) < 1e-6


def test_reports_that_were_drawn_say_nothing_about_the_class() -> None:
    design = survey(fk.Unrelated(0.2))
    model = drawn(design, 9, "c")
    (view,) = views_of(expected(design, model))
    weights = np.zeros(2)
    view.expect(model, weights, {name: np.zeros((2, 2)) for name in design.names})
    assert weights.sum() == pytest.approx(view.counts @ view.told(model)[0])
