"""Learned: what a model found, laid out for people."""

from dataclasses import replace
from typing import Any

import numpy as np

from frankly.design import Design
from frankly.mine import AssociationRules, LatentClasses
from frankly.mine.information import mutual_information
from frankly.mine.together import AssociationRule
from frankly.mine.tree import WIDE, Rule
from frankly.mine.tree_miner import TreeMiner
from frankly.studio.charts import (
    INTERVALS,
    Chart,
    Panel,
    Row,
    contrast,
    finding,
    labels_of,
    prompt_of,
)

__all__ = ["bayes_charts", "cluster_charts", "headline", "spoken_rules"]

MANY_RULES = 30


def headline(title: str, model: Any) -> str:
    """Say what was found, for a model that predicts nothing or cannot be judged."""
    if isinstance(model, LatentClasses):
        groups = len(model.weights_)
        if groups == 1:
            return "One group: no kinds of people can be told apart"
        return f"{groups} kinds of people, by how they answer"
    if isinstance(model, AssociationRules):
        found = len(model.rules_)
        if not found:
            return "No rules can be told from chance"
        return f"{found} rule{'s' * (found != 1)} that can be told from chance"
    return f"{title} from {model.n_reports_:,} answers"


def bayes_charts(design: Design, model: Any) -> list[Chart]:
    """Lay out naive Bayes: the answers within each class, the most telling question first."""
    classes = np.exp(model.class_log_prior_)
    within = {
        name: np.exp(logs)
        for name, logs in zip(model.features_, model.feature_log_prob_, strict=True)
    }

    def tells(name: str) -> float:
        return float(mutual_information((within[name] * classes[:, None])[None]))

    titles = [f"{model.target_}: {label}" for label in labels_of(design, model.target_)]
    said = f"{{}} within each answer to {model.target_}"
    return [
        replace(grouped(design, name, titles, within[name], None), finding=said.format(name))
        for name in sorted(within, key=lambda name: -tells(name))
    ]


def cluster_charts(design: Design, model: Any) -> list[Chart]:
    """Lay out groups of people: how each group answers every question that was answered."""
    groups = [f"Group {i + 1}" for i in range(len(model.weights_))]
    charts = [
        grouped(design, name, groups, model.profiles_[name], model.profiles_stderr_[name])
        for name in model.profiles_
    ]
    return [sized(chart, model.weights_) for chart in charts]


def sized(chart: Chart, weights: Any) -> Chart:
    """Put beside the name of each group how many people it is."""
    panels = (
        replace(panel, title=f"{panel.title}: {100 * share:.1f}% of people")
        for panel, share in zip(chart.panels, weights, strict=True)
    )
    return replace(chart, panels=tuple(panels))


def grouped(design: Design, name: str, titles: list[str], shares: Any, errors: Any) -> Chart:
    """Lay out one question within each group or class."""
    answers = labels_of(design, name)
    spread = np.zeros_like(shares) if errors is None else errors
    panels = tuple(
        Panel(
            title,
            tuple(
                Row(label, float(s), float(e), float(s - WIDE * e), float(s + WIDE * e))
                for label, s, e in zip(answers, row, wrong, strict=True)
            ),
        )
        for title, row, wrong in zip(titles, shares, spread, strict=True)
    )
    said = contrast(panels) if len(titles) > 1 else finding(panels[0].rows)
    note = (
        "Smoothed shares within each class, without errors."
        if errors is None
        else f"{INTERVALS.capitalize()}."
    )
    return Chart(prompt_of(design, name), said, note, panels, outside=False)


def spoken_rules(design: Design, model: Any) -> list[tuple[str, str]]:
    """Say a tree's leaves, or the rules that were found, each with its figures."""
    if isinstance(model, TreeMiner):
        return [leaf(design, rule) for rule in model.rules()]
    if isinstance(model, AssociationRules):
        return [association(design, rule) for rule in model.rules_[:MANY_RULES]]
    return []


def leaf(design: Design, rule: Rule) -> tuple[str, str]:
    """Say one leaf of a tree, and how many people it is."""
    held = conditions(design, dict(rule.conditions)) or "Everyone"
    said = f"{held} → {answer(design, rule.target, rule.guess)}"
    most = f"{100 * rule.probability:.0f}% of them"
    share = f"; {100 * rule.share:.1f}% ± {100 * WIDE * rule.stderr:.1f} of all people"
    return said, most + (share if rule.conditions else "")


def association(design: Design, rule: AssociationRule) -> tuple[str, str]:
    """Say one rule, how sure it is and how common."""
    held = conditions(design, {name: (value,) for name, value in rule.given})
    sure = f"{100 * rule.confidence:.1f}% of them, {100 * rule.low:.1f}% to {100 * rule.high:.1f}%"
    lift = f"{rule.lift:.2f} ± {WIDE * rule.lift_stderr:.2f} times as common as among all"
    both = f"together {100 * rule.support:.1f}% ± {100 * WIDE * rule.support_stderr:.1f} of people"
    return f"{held} → {answer(design, *rule.then)}", f"{sure}; {lift}; {both}"


def conditions(design: Design, held: dict[str, tuple[str, ...]]) -> str:
    """Say what must hold."""
    return " and ".join(
        f"{name} is {' or '.join(word(design, name, v) for v in values)}"
        for name, values in held.items()
    )


def answer(design: Design, name: str, value: str) -> str:
    """Say a question and its answer."""
    return f"{name} is {word(design, name, value)}"


def word(design: Design, name: str, value: str) -> str:
    """Give the words for one answer."""
    return f"“{labels_of(design, name)[design[name].values.index(value)]}”"
