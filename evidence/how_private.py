"""Write docs/how-private.md: ``python -m evidence.how_private``. Every number is computed here."""

from pathlib import Path
from typing import Any

import numpy as np

import frankly as fk
from evidence.sources import CHECKOUT, data
from frankly.judge import PrivacyStatement
from frankly.judge.text import in_hundred, number
from frankly.report import respondent_text
from frankly.reproduce.data import Bits, adult, split

__all__ = ["FILE", "page"]

FILE: Path = CHECKOUT / "docs" / "how-private.md"

TEXT = """\
# How private is it?

*Every number on this page was written by `python -m evidence.how_private`, from the code that
users call.*

## One answer

A question is asked behind a coin that tells the truth half of the time. Before, 10 in 100 people
were thought to say yes.

```python
import frankly as fk

stated = fk.privacy(fk.Unrelated(theta=0.5), prior=0.1)
print(stated)
```

```text
{one}
```

So a *yes* in the data raises a guess from {before} to {after}. The same fact has several
names, and a statement gives all of them:

| notion | says | here |
|---|---|---|
| odds | how far a report moves a guess | {before} to {after} |
| PSE | how often a guess misses that is drawn as likely as the report makes it | {pse:.3f} |
| relative PSE | the share of that uncertainty which the report leaves | {relative:.0%} |
| Bayes risk | how often the best guess misses | {risk:.3f} |
| information | what a report tells on average | {bits:.3f} bits |
| epsilon | the largest log-odds a report shifts, whatever is known before | {epsilon:.3f} |

PSE is small here because few people say yes at all: without any report it would be {bare:.3f}. That
is why the relative figure stands beside it.

## A whole report: the Adult example

The papers hide all answers by one toss and measure one answer at a time. But a whole report betrays
its own coin: people's answers go together, drawn ones do not. Here are Adult's 14 questions and
income, {people:,} people, as 15 yes-or-no answers. *Exposed* are truth-tellers whom a collector
with nothing but the reports marks with more than 90 % certainty; *right* is the share of marks
that are.

| design | least PSE | left | record epsilon | exposed | right |
|---|---|---|---|---|---|
{rows}

PSE hardly tells these designs apart; epsilon and the attack do. All are right: PSE asks what one
answer tells, epsilon what a whole report tells in the worst case, the attack what it tells about
these very people. A toss an answer exposes no coin, and yet its epsilon is the largest: fifteen
reports that each tell a little tell two opposite people apart. Only asking each person less makes
all of them small. A flip is worst: two answers that are turned together still agree or disagree,
so at theta .51 {restored:.1%} of all whole records are restored.
And a flip that nearly always turns tells as much as one that hardly ever does: behind
`Flip(0.05)` the turned answers are exposed, as many as the straight ones behind `Flip(0.95)`.

```python
print(fk.audit(design, reports))
```

No truths are needed for that. Where truths are at hand, as here, they check the marks.

## What to do instead

Ask each person fewer things. `fk.advise` proposes it:

```python
advice = fk.advise(questions, target="income", mine="naive_bayes", n=39_000, max_epsilon=2)
print(advice.sentence())
```

```text
{sentence}
```

Every person answers one question and the target, hidden together. Nobody can be exposed above 90 %
(no coin's posterior passes 1 - e^-epsilon), and naive Bayes still works on these very rows:

| design | record epsilon | naive Bayes accuracy, mean of {runs} runs |
|---|---|---|
{scores}

## Limits before a survey opens

```console
$ frankly check survey.yaml --max-epsilon 2 --max-posterior 0.8
```

ends with 1 when a limit is broken. A survey in which some report would be proof (epsilon infinite)
is refused unless its document says `accept_infinite_epsilon: true`.
A question that one form protects and another asks in clear keeps no limit: some people
send it as it is, and the statement says how many.

## What respondents read

```text
{respondent}
```
"""

RUNS = 5


def grouped(bits: Bits, sizes: list[int], device: Any) -> fk.Design:
    """Put Adult's questions into groups."""
    names = list(bits.names)
    groups = [
        fk.Group(names[end - size : end], device)
        for end, size in zip(np.cumsum(sizes), sizes, strict=True)
    ]
    return fk.Design(
        bits.attributes, groups=groups, target=bits.target, accept_infinite_epsilon=True
    )


def audited(bits: Bits, design: fk.Design) -> Any:
    """Attack Adult under a design."""
    truths = dict(bits.codes)
    return fk.audit(design, fk.randomize(design, truths, fk.Tape.seeded("how private")), truths)


def stated_on(bits: Bits, design: fk.Design) -> PrivacyStatement:
    """State a design's privacy with Adult's own shares as prior."""
    return fk.privacy(design, {name: float(codes.mean()) for name, codes in bits.codes.items()})


def row(bits: Bits, words: str, design: fk.Design) -> str:
    """Write one design of the table."""
    stated, found = stated_on(bits, design), audited(bits, design)
    left = min(one.relative for one in stated.attributes.values())
    right = found.precision[0.9]
    return (
        f"| {words} | {stated.pse:.3f} | {left:.0%} | {number(stated.record.epsilon)} | "
        f"{found.exposed[0.9]:.0%} | {'–' if right is None else f'{right:.0%}'} |"
    )


def accuracy(bits: Bits, design: fk.Design) -> float:
    """Learn naive Bayes through a design, and test it on rows it has not seen."""
    scores = []
    for run in range(RUNS):
        train, test = split(bits, seed=run)
        reports = fk.randomize(design, dict(train.codes), fk.Tape.seeded(f"how private {run}"))
        model = fk.NaiveBayes(design=design, target=bits.target).fit(reports)
        features = {name: code for name, code in test.codes.items() if name != bits.target}
        scores.append(float((model.predict_codes(features) == test.codes[bits.target]).mean()))
    return float(np.mean(scores))


def designs(bits: Bits) -> dict[str, fk.Design]:
    """List the designs of the first table."""
    one = {
        f"one toss for all, theta {theta:g}": grouped(bits, [15], fk.Unrelated(theta))
        for theta in (0.1, 0.3, 0.5, 0.7)
    }
    return {
        **one,
        "four groups, theta 0.5": grouped(bits, [4, 4, 4, 3], fk.Unrelated(0.5)),
        "a toss an answer, theta 0.5": grouped(bits, [1] * 15, fk.Unrelated(0.5)),
        "modules, epsilon 2": modules(bits, 2),
        "modules, epsilon 1": modules(bits, 1),
    }


def modules(bits: Bits, epsilon: float) -> fk.Design:
    """Ask each person one question and the target."""
    device = fk.Uniform(epsilon=epsilon)
    return fk.Design.modules(bits.attributes, target=bits.target, mechanism=device)


def page() -> str:
    """Write the page."""
    bits = adult(data())
    alone = fk.privacy(fk.Unrelated(0.5), 0.1)
    one = alone.attributes["answer"]
    known = designs(bits)
    flipped = audited(bits, grouped(bits, [15], fk.Flip(0.51)))
    advice = fk.advise(
        bits.attributes, target=bits.target, mine="naive_bayes", n=39_000, max_epsilon=2
    )
    learned = {
        name: known[name]
        for name in ("one toss for all, theta 0.1", "modules, epsilon 2", "modules, epsilon 1")
    }
    scores = [
        f"| {name} | {number(design.epsilon)} | {accuracy(bits, design):.3f} |"
        for name, design in learned.items()
    ]
    ill = fk.Attribute("ill", ["no", "yes"])
    small = fk.Design([ill], groups=[fk.Group(["ill"], fk.Unrelated(0.5))])
    return TEXT.format(
        one=alone,
        before=in_hundred(float(one.prior[1])),
        after=in_hundred(float(one.posterior[1, 1])),
        pse=one.pse,
        relative=one.relative,
        risk=one.bayes_risk,
        bits=one.information,
        epsilon=one.epsilon,
        bare=one.measure.pse_without_report,
        people=bits.n,
        rows="\n".join(row(bits, words, design) for words, design in known.items()),
        restored=flipped.groups[0].best.restored,
        sentence=advice.sentence(),
        scores="\n".join(scores),
        runs=RUNS,
        respondent=respondent_text(small),
    )


if __name__ == "__main__":
    FILE.write_text(page(), encoding="utf-8")
