"""Accuracy of a model on true answers, judged by reports of people it has not seen."""

from typing import Any

from frankly.errors import DesignError
from frankly.estimate import Accuracy, Target
from frankly.mine import Miner
from frankly.mine.rows import reports_engine

__all__ = ["accuracy"]


def accuracy(
    model: Miner, reports: Any, y: Any = None, *, target: Target = "population"
) -> Accuracy:
    """Estimate how often a model is right about true answers, from randomized test reports.

    Nobody's true answers are needed, nor whether anybody's substitutes were predicted right:
    that follows from the known cover.

    Parameters
    ----------
    model
        A fitted miner.
    reports, y
        Test reports, made under the model's design: a frame, a file or an engine; or the
        features' reports and the target's apart.
    target
        ``population`` when the people are a sample: the error then holds sampling and coin.
        ``people`` when the question is about these very people: the coin alone.

    Examples
    --------
    >>> import frankly as fk
    >>> ill, smokes = fk.Attribute("ill", ["no", "yes"]), fk.Attribute("smokes", ["no", "yes"])
    >>> hidden = fk.Group(["ill", "smokes"], fk.Unrelated(theta=0.5))
    >>> design = fk.Design([ill, smokes], groups=[hidden], target="ill")
    >>> truths = {"ill": ["no", "no", "yes"] * 3000, "smokes": ["no", "no", "yes"] * 3000}
    >>> model = fk.NaiveBayes(design=design).fit(fk.randomize(design, truths, fk.Tape.seeded(1)))
    >>> print(fk.accuracy(model, fk.randomize(design, truths, fk.Tape.seeded(2))))
    accuracy on true answers   from 9,000 reports
    ─────────────────────────────────────────────
    accuracy  ...%  ± ...%   [...%, ...%]   for the population
    agreement with the reports, which is no accuracy: ...%
    predicted no    truly no: ...
    predicted yes   truly no: ...
    """
    if target not in ("population", "people"):
        raise DesignError(f"target is population or people, not {target!r}")
    engine = reports_engine(model.known_design(), model.known_target(), reports, y)
    return model.accuracy(engine, target)
