"""Training: learn a model from the reports that are shown, and judge it where that can be done."""

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any, Literal

import numpy as np

from frankly.design import Design
from frankly.errors import DesignError, FranklyError
from frankly.judge import accuracy
from frankly.mine import MINERS, Learner, Miner
from frankly.mine.saved import document
from frankly.mine.saved import restored as read_back
from frankly.mine.tree_miner import TreeMiner
from frankly.store import Store
from frankly.store.drafts import keep_model
from frankly.studio.jobs import Job
from frankly.studio.snapshot import Snapshot, counting

__all__ = ["AUDIT", "KINDS", "Kind", "Wanted", "kept_as", "restored", "train", "wanted"]

Kind = Literal["naive-bayes", "id3", "cart", "clusters", "rules"]

KINDS: dict[str, tuple[str, str]] = {
    "naive-bayes": ("Naive Bayes", "How each answer speaks for or against; needs few answers."),
    "id3": ("Decision tree (ID3)", "One question after another; easy to read aloud."),
    "cart": ("Decision tree (CART)", "Yes-or-no splits, cut back where they tell nothing."),
    "clusters": ("Groups of people", "Kinds of people who answer alike; nothing is predicted."),
    "rules": ("Rules", "Answers that go together; nothing is predicted."),
}
"""What can be trained, in words."""


AUDIT = "audit"
"""The name under which an audit is kept beside the models."""

CLEAR = 1.0
"""A tree divides people only where that tells more than its own standard error."""


@dataclass(frozen=True)
class Wanted:
    """A model to train: its kind, and the question to predict if it predicts one."""

    kind: Kind
    target: str | None

    @property
    def predicts(self) -> bool:
        """Whether this kind predicts something."""
        return issubclass(MINERS[self.kind], Miner)

    def made(self, design: Design) -> Learner:
        """Make the miner."""
        more: dict[str, Any] = {"target": self.target} if self.predicts else {}
        if issubclass(MINERS[self.kind], TreeMiner):
            more["gain_noise"] = CLEAR
        return MINERS[self.kind](design=design, **more)


def wanted(design: Design, kind: Kind, target: str | None) -> Wanted:
    """Check what somebody wants to train."""
    one = Wanted(kind, (target or design.target) if issubclass(MINERS[kind], Miner) else None)
    if one.predicts:
        if one.target is None:
            raise DesignError(f"which question is to be predicted? One of {list(design.names)}")
        design[one.target]
        if len(design.names) < 2:
            raise DesignError("there is nothing to predict from: the survey asks one question")
    return one


def kept_as(design: Design, one: Wanted) -> str:
    """Name a model in addresses: training it again takes its place."""
    return one.kind if one.target is None else f"{one.kind}-{design.names.index(one.target)}"


def train(store: Store, shown: Snapshot, one: Wanted, job: Job) -> None:
    """Judge a model learned from two thirds of the reports, then learn it from all, and keep it."""
    judged = {"accuracy": None, "why_not": "", "learned_from": 0}
    if one.predicts:
        job.progress(0, 2)
        judged = judge(shown, one)
        job.progress(1, 2)
    model = one.made(shown.design)
    learn(model, shown, job)
    job.progress(job.done, job.total)
    kept = {"kind": one.kind, "target": one.target, "model": document(model), **judged}
    keep_model(store, shown.survey, job.name, kept)


def learn(model: Any, shown: Snapshot, job: Job) -> None:
    """Let a miner learn, and pass on how far it is if it tells."""
    if "progress" in signature(model.fit).parameters:
        model.fit(shown.engine, progress=job.progress)
    else:
        model.fit(shown.engine)


def judge(shown: Snapshot, one: Wanted) -> dict[str, Any]:
    """Learn from two thirds, and estimate from the others how often that is right.

    The same reports are always parted alike, so that training again tells nothing new.
    """
    order = np.random.default_rng(int(shown.design.fingerprint[:8], 16)).permutation(shown.n)
    cut = 2 * shown.n // 3
    first, rest = (counting(shown.design, shown.rows[part]) for part in (order[:cut], order[cut:]))
    try:
        model = one.made(shown.design).fit(first)
        found = accuracy(model, rest)
        told = {**found.to_dict(), "usual": usual(found.confusion)}
    except FranklyError as error:
        return {"accuracy": None, "why_not": str(error), "learned_from": cut}
    return {"accuracy": told, "why_not": "", "learned_from": cut}


def usual(confusion: Any) -> float:
    """Tell how often somebody is right who always says the most common class."""
    return float(np.asarray(confusion).sum(axis=0).max())


def restored(kept: Mapping[str, Any]) -> Any:
    """Make a kept model live again, by the very reader that files go through."""
    return read_back(Path("model.json"), kept["model"], MINERS[kept["kind"]])
