"""Privacy: what a design, or a device by itself, lets a collector know."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from frankly.design import Design
from frankly.errors import DesignError
from frankly.judge.after import held_after, surest
from frankly.judge.asking import Asking, asking_device
from frankly.judge.crafted import crafted
from frankly.judge.exposure import (
    LEVELS,
    coin_bound,
    exposed_by_cover,
    exposed_share,
    leaking,
    turned,
)
from frankly.judge.faithful import printed_pse, printed_recoverability
from frankly.judge.measure import Measure, miss
from frankly.judge.prior import Given, Prior, estimated_prior, prior_of
from frankly.judge.statement import (
    AttributePrivacy,
    FormPrivacy,
    GroupPrivacy,
    PrivacyStatement,
    RecordPrivacy,
)
from frankly.mechanism import Coin, Mechanism, Table, Unrelated, Wish
from frankly.mechanism.cover import spread

__all__ = ["privacy"]


def privacy(
    source: Design | Mechanism | Wish,
    prior: Given = None,
    *,
    joint: ArrayLike | None = None,
    reports: Any = None,
    known: Sequence[str] = (),
    faithful: bool = False,
) -> PrivacyStatement:
    """State what a design, or a device by itself, lets a collector know.

    Parameters
    ----------
    source
        A design; or a device, which then hides one question, or a group of the prior's shape.
    prior
        How common each truth is held to be: shares by name, for one question its shares (or
        the share of the second of two values), ``"worst"`` for the prior that each report
        moves most, or nothing: every answer equally likely.
    joint
        How common every combination of answers is, one axis a question of the design: then
        privacy after mining and exposed coins are stated too. Its margins are the prior.
    reports
        Instead of both: reports to estimate them from.
    known
        Questions whose truth the collector knows from elsewhere (scenario I of the papers).
    faithful
        True for the papers' printed PSE and REC, with a warning.

    Examples
    --------
    A "yes" behind a coin of one half raises a guess from 10 in 100 to 25 in 100:

    >>> from frankly import Unrelated, privacy
    >>> stated = privacy(Unrelated(theta=0.5), prior=0.1)
    >>> one = stated.attributes["answer"]
    >>> round(one.pse, 4), round(one.relative, 4), round(one.epsilon, 4)
    (0.1607, 0.8929, 1.0986)
    >>> one.posterior
    array([[0.964, 0.036],
           [0.75 , 0.25 ]])
    """
    askings = asked_by(source, prior)
    basis = what_is_known(source, askings, prior, joint=joint, reports=reports)
    hidden = dict.fromkeys(name for asking in askings for name, _, _ in asking.protected())
    moved = {name: crafted(askings, name) for name in hidden}
    stated = [
        replace(
            attribute_privacy(askings, form, spot, basis, known, faithful=faithful),
            poisoning=moved[spot[0]],
        )
        for form in range(len(askings))
        for spot in askings[form].protected()
    ]
    attributes: dict[str, AttributePrivacy] = {}
    for one in sorted(stated, key=lambda one: (one.epsilon, -one.pse)):
        attributes[one.name] = one
    order = [name for asking in askings for name in asking.names]
    forms = tuple(form_privacy(asking) for asking in askings)
    return PrivacyStatement(
        attributes={name: attributes[name] for name in dict.fromkeys(order) if name in attributes},
        asked=tuple(stated),
        groups=tuple(
            group_privacy(asking, form, group, basis, stated)
            for form, asking in enumerate(askings)
            for group in range(len(asking.groups))
        ),
        forms=forms,
        record=RecordPrivacy(
            max(form.epsilon for form in forms), all(form.enumerated is not None for form in forms)
        ),
        clear=tuple(dict.fromkeys(name for asking in askings for name in asking.clear)),
        basis=basis.basis,
        title=words(source.title, source.languages) if isinstance(source, Design) else "",
        fingerprint=source.fingerprint if isinstance(source, Design) else "",
        faithful=faithful,
    )


def words(text: Any, languages: Sequence[str]) -> str:
    """Give a title in English, as the statement is, or else in the survey's first language."""
    if isinstance(text, str):
        return text
    spoken = (text[one] for one in ("en", *languages, *text) if text.get(one))
    return str(next(spoken, ""))


def asked_by(source: Design | Mechanism | Wish, prior: Given) -> list[Asking]:
    """Read every form of a design, or let a device hide a question by itself."""
    if isinstance(source, Design):
        return [Asking.of(form) for form in source.forms]
    if not isinstance(source, Mechanism | Wish):
        raise DesignError(
            "privacy is stated of a design or of a device such as Unrelated(theta=0.7), "
            f"not of {type(source).__name__}"
        )
    shaped = None if prior is None or isinstance(prior, str | dict) else np.asarray(prior, float)
    return [asking_device(source, shaped)]


def what_is_known(
    source: Any,
    askings: list[Asking],
    prior: Given,
    *,
    joint: ArrayLike | None,
    reports: Any,
) -> Prior:
    """Read prior, joint or reports; only one of the three makes sense."""
    if sum(one is not None for one in (prior, joint, reports)) > 1:
        raise DesignError(
            "give one of prior, joint and reports: a joint brings its own prior, and so do reports"
        )
    if reports is not None:
        if not isinstance(source, Design):
            raise DesignError("reports need the design they were made under, not a device alone")
        return estimated_prior(source, reports)
    if joint is not None:
        names = source.names if isinstance(source, Design) else askings[0].names
        return prior_of(None, askings, (tuple(names), np.asarray(joint, dtype=np.float64)))
    shaped = None if prior is None or isinstance(prior, str | dict) else np.asarray(prior, float)
    if shaped is not None and shaped.ndim > 1:
        return prior_of(None, askings, (askings[0].names, shaped))
    return prior_of(prior, askings, None)


def attribute_privacy(
    askings: Sequence[Asking],
    form: int,
    spot: tuple[str, int, int],
    prior: Prior,
    known: Sequence[str],
    *,
    faithful: bool,
) -> AttributePrivacy:
    """State one question of one form."""
    asking, (name, group, place) = askings[form], spot
    channel = asking.channel(group, place)
    measure = Measure(channel, prior.of(name, channel))
    device = asking.seen_through(group, place)
    values = asking.values[asking.names.index(name)]
    pse, after, lost, highest = measure.pse, None, None, measure.highest
    if prior.joint is not None:
        held = held_after(asking, asking.joint(prior.names, prior.joint), name, known)
        after, highest = miss(held), max(highest, surest(held))
        lost = max(pse - after, 0.0)
    if faithful:
        pse, after, lost = as_printed(asking, prior, measure, spot)
    return AttributePrivacy(
        name=name,
        form=form,
        values=values,
        reports=device.reported(values),
        measure=measure,
        epsilon=device.epsilon([len(channel)]),
        pse=pse,
        after=after,
        recoverability=lost,
        highest=highest,
        clear_in=tuple(i for i, other in enumerate(askings) if name in other.clear),
    )


def as_printed(
    asking: Asking, prior: Prior, measure: Measure, spot: tuple[str, int, int]
) -> tuple[float, float | None, float | None]:
    """Give PSE before, PSE after and REC as the papers print them, where they print any."""
    name, group, place = spot
    device = asking.seen_through(group, place)
    pse = measure.pse
    if isinstance(device, Unrelated) and len(measure.prior) == 2:
        cover = np.broadcast_to(spread(device.cover, (2,), (0,)), (2,))
        pse = printed_pse(float(device.theta), float(measure.prior[1]), float(cover[1]))
    others = [other for other in asking.names if other != name]
    if prior.joint is None or not others or measure.channel.shape[0] != measure.channel.shape[1]:
        return pse, None, None
    reports = asking.push(asking.joint(prior.names, prior.joint))
    right = np.diag(measure.posterior)
    lost = max(
        rules_give(pair_of(reports, asking.names.index(other), asking.names.index(name)), right)
        for other in others
    )
    return pse, pse - lost, lost


def pair_of(table: Table, first: int, second: int) -> Table:
    """Give the margin over two axes, in this order."""
    others = tuple(axis for axis in range(table.ndim) if axis not in (first, second))
    margin: Table = table.sum(axis=others)
    return margin if first < second else margin.T


def rules_give(pair: Table, right: Table) -> float:
    """Give the printed REC of scenario II for the rules from one question to another."""
    whole = pair.sum(axis=1)
    rules = pair / whole[:, None]
    return printed_recoverability(whole, rules, right)[0]


def form_privacy(asking: Asking) -> FormPrivacy:
    """State one form."""
    return FormPrivacy(
        asking.names, asking.clear, asking.weight, asking.record_epsilon, asking.enumerated()
    )


def group_privacy(
    asking: Asking, form: int, group: int, prior: Prior, stated: Sequence[AttributePrivacy]
) -> GroupPrivacy:
    """State one group: the least protected of its questions, and its coin."""
    names = asking.group_names(group)
    mine = [one for one in stated if one.form == form and one.name in names]
    afters = [one.after for one in mine if one.after is not None]
    device = asking.groups[group][0]
    return GroupPrivacy(
        form=form,
        names=names,
        kind=device.kind,
        theta=float(device.theta) if isinstance(device, Coin) else None,
        epsilon=asking.epsilon(group),
        pse=min(one.pse for one in mine),
        relative=min(one.relative for one in mine),
        after=min(afters) if afters else None,
        bound=coin_bound(asking, group),
        leaks=leaking(asking, group),
        exposed=exposed_by_level(asking, group, prior),
        exposed_by_cover=exposed_by_cover(asking, group, together(asking, group, prior, mine)),
        turned=turned(device),
    )


def exposed_by_level(asking: Asking, group: int, prior: Prior) -> dict[float, float | None]:
    """Tell the share of marked truth-tellers by level: computed, or bounded by zero, or None."""
    bound = coin_bound(asking, group)
    if bound is None:
        return {}
    if prior.joint is not None:
        return dict(exposed_share(asking, asking.joint(prior.names, prior.joint), group))
    return {level: 0.0 if bound <= level else None for level in LEVELS}


def together(
    asking: Asking, group: int, prior: Prior, mine: Sequence[AttributePrivacy]
) -> list[Table]:
    """Give how common the answers of a group are: by the joint, or one question after another."""
    if prior.joint is None:
        return [one.prior for one in mine]
    joint = asking.joint(prior.names, prior.joint)
    others = tuple(set(range(joint.ndim)) - set(asking.groups[group][1]))
    return [np.asarray(joint.sum(axis=others))]
