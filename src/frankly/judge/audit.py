"""Audit: attack the reports, and tell how many truth-tellers are found out.

The attacker has nothing but the design and the reports. A model of the truth is fitted to
whole reports by EM, and where that foretells reports better every combination of answers by
itself; under it every report's coin has a posterior, and coins with a high one are marked.
Without truths the posteriors themselves say how many marks are right; with truths the marks
are counted for real. (Behind a flip near one half, people who come in opposite kinds look the
same from both sides, and the posteriors may be too sure.)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from frankly.count import ArrayEngine, Engine, Query, engine_for
from frankly.design import Design, Form, arrow_columns, encode_truths
from frankly.errors import CannotBeToldError, ReportError
from frankly.estimate.branches import View, views_of
from frankly.estimate.em import Fit
from frankly.estimate.joint import Joint
from frankly.estimate.mixture import Mixture
from frankly.judge.asking import Asking
from frankly.judge.audited import Attack, Audit, Figures, GroupAudit, figures
from frankly.judge.exposure import coin_posterior, turned
from frankly.judge.fitted import CLASSES, fit, fitted_classes, fitted_joint, grown
from frankly.mechanism import Codes, Coin, Flip, Mechanism, Table, Unrelated
from frankly.mechanism.cover import spread

__all__ = ["audit"]


def audit(
    design: Design, reports: Any, truths: Any = None, *, classes: int = CLASSES, seed: int = 0
) -> Audit:
    """Attack reports with nothing but their design, and tell who is exposed.

    Parameters
    ----------
    design
        The survey.
    reports
        A frame, a Parquet file, or an engine that can count whole reports.
    truths
        The true answers behind the reports, row by row, if they are at hand (a simulation, a
        data holder's own table): the marks are then checked for real.
    classes
        How many hidden classes the stronger attack assumes.
    seed
        Where its search starts.

    Examples
    --------
    Six answers that all agree, hidden by one toss, give their coin away:

    >>> import frankly as fk
    >>> names = [f"q{i}" for i in range(6)]
    >>> asked = [fk.Attribute(name, ["no", "yes"]) for name in names]
    >>> design = fk.Design(asked, groups=[fk.Group(names, fk.Unrelated(theta=0.5))])
    >>> truths = {name: ["no", "yes", "no"] * 500 for name in names}
    >>> found = fk.audit(design, fk.randomize(design, truths, fk.Tape.seeded(1)), truths)
    >>> found.exposed[0.9] > 0.9
    True
    """
    engine = engine_for(design, reports)
    if not engine.histograms:
        raise CannotBeToldError(
            "an audit looks at whole reports, and this source only has single tables. Give the "
            "reports themselves"
        )
    views = views_of(engine)
    if not any(isinstance(g.device, Coin) for view in views for g in view.form.groups):
        raise CannotBeToldError(
            "there is no coin to find out: no report, or no group with a coin. Clear questions "
            "and single-question matrices are covered by the privacy statement: privacy(design, "
            "reports=...)"
        )
    chances = None if truths is None else told_straight(design, engine, truths)
    models = suspicions(engine, views, classes, seed)
    found = [attack(model, views, chances) for model in models]
    return Audit(design.fingerprint, sum(int(view.counts.sum()) for view in views), tuple(found))


@dataclass(frozen=True)
class Suspicion:
    """A model of the truth, how likely it makes the reports, and whom it suspects.

    ``told`` gives for each form and group how likely every different report was told straight.
    """

    name: str
    log_likelihood: float
    told: Mapping[int, Sequence[Table]]

    @classmethod
    def by(cls, name: str, fitted: Fit, views: list[View]) -> "Suspicion":
        """Suspect people by a fitted model."""
        told = {view.number: view.told(fitted.model) for view in views}
        return cls(name, fitted.log_likelihood, told)


def suspicions(engine: Engine, views: list[View], classes: int, seed: int) -> list[Suspicion]:
    """Fit every model of the truth that the design allows; the strongest likelihood last."""
    design = engine.design
    alone, several = fitted_classes(design, views, classes, seed)
    found = [Suspicion.by(f"{classes} hidden classes", several, views)]
    target = design.target
    if target is not None and all(target in view.form.names for view in views):
        start = grown(alone.model, design[target].size, seed)
        tables = {name: table for name, table in start.tables.items() if name != target}
        known = Mixture(alone.model.tables[target][0], tables, target)
        found.append(Suspicion.by(f"naive Bayes on {target}", fit(views, known), views))
    joint = fitted_joint(engine, several.model)
    if joint is not None:
        found.append(by_combination(engine, views, joint))
    return sorted(found, key=lambda one: one.log_likelihood)


def by_combination(engine: Engine, views: list[View], joint: Joint) -> Suspicion:
    """Suspect people by how common their combination of answers is."""
    told, likelihood = {}, 0.0
    for view in views:
        asking, margin = Asking.of(view.form), joint.margin(view.form.names)
        cells = tuple(engine.count([Query(view.form.names, view.number)])[0].cells()[0].T)
        likelihood += float(view.counts @ np.log(np.maximum(asking.push(margin)[cells], 1e-300)))
        told[view.number] = [
            coin_posterior(asking, margin, place)[cells]
            if isinstance(group.device, Coin)
            else np.zeros(len(view.counts))
            for place, group in enumerate(view.form.groups)
        ]
    return Suspicion("every combination", likelihood, told)


def attack(model: Suspicion, views: list[View], chances: dict[int, list[Table]] | None) -> Attack:
    """Mark every coin under one model, form by form and group by group."""
    groups = []
    for view in views:
        for place, posterior in enumerate(model.told[view.number]):
            device = view.form.groups[place].device
            if isinstance(device, Coin):
                real = None
                if chances is not None:
                    mass = chances[view.number][place]
                    real = counted(posterior, view.counts, mass, device)
                groups.append(
                    GroupAudit(
                        form=view.number,
                        names=view.form.groups[place].names,
                        theta=float(device.theta),
                        people=int(view.counts.sum()),
                        stated=counted(posterior, view.counts, view.counts * posterior, device),
                        real=real,
                        turned=turned(device),
                    )
                )
    return Attack(model.name, model.log_likelihood, tuple(groups))


def counted(posterior: Table, people: Table, straight: Table, device: Mechanism) -> Figures:
    """Count marks; a flip can also be turned back where its coin is guessed.

    Below one half a flip tells by turning, so those it turned are the ones to be marked.
    """
    if turned(device):
        posterior, straight = 1 - posterior, people - straight
    guess = np.where(posterior > 0.5, straight, people - straight).sum() / people.sum()
    turned_back = float(guess) if isinstance(device, Flip) else None
    return figures(posterior, people, straight, turned_back)


def told_straight(design: Design, engine: Engine, truths: Any) -> dict[int, list[Table]]:
    """Tell for each form, group and different report how many of its senders told it straight.

    A report that equals the truth may still have been drawn; how often is known exactly.
    """
    if not isinstance(engine, ArrayEngine):
        raise ReportError(
            "to check an audit against truths the reports must be in memory, row by row. Read "
            "the file into a table first"
        )
    columns = arrow_columns(truths, design.names)
    codes = {a.name: encode_truths(a, columns[a.name]) for a in design.attributes}
    if len(next(iter(codes.values()))) != sum(engine.n):
        raise ReportError(
            f"there are {sum(engine.n):,} reports and "
            f"{len(next(iter(codes.values()))):,} rows of truths. Both need the same people in "
            "the same order"
        )
    return {
        index: straight_in(form, index, engine, codes)
        for index, form in enumerate(design.forms)
        if engine.n[index]
    }


def straight_in(
    form: Form, index: int, engine: ArrayEngine, codes: Mapping[str, Codes]
) -> list[Table]:
    """Tell, for the different reports of one form, how many were told straight, by group."""
    cells, _ = engine.count([Query(form.names, index)])[0].cells()
    rows = engine.rows[index]
    mine = {name: engine.codes(index, name) for name in form.names}
    people = np.stack([mine[name] for name in form.names], axis=1).astype(cells.dtype)
    _, place = np.unique(np.concatenate([cells, people]), axis=0, return_inverse=True)
    where = np.argsort(place[: len(cells)])[place[len(cells) :]]
    found: list[Table] = []
    for group in form.groups:
        truth = [codes[n] if rows is None else codes[n][rows] for n in group.names]
        same = np.all([t == mine[n] for t, n in zip(truth, group.names, strict=True)], axis=0)
        chance = same * surely(
            group.device, [mine[n] for n in group.names], form.sizes(group.names)
        )
        found.append(np.bincount(where, chance, len(cells)).astype(np.float64))
    return found


def surely(device: Mechanism, reports: list[Codes], sizes: tuple[int, ...]) -> Table:
    """Tell how likely a report that equals the truth was told straight."""
    theta = float(device.theta) if isinstance(device, Coin) else 1.0
    if not isinstance(device, Unrelated):
        return np.ones(len(reports[0]))
    cover = np.broadcast_to(spread(device.cover, sizes, tuple(range(len(sizes)))), sizes)
    return np.asarray(theta / (theta + (1 - theta) * cover[tuple(reports)]))
