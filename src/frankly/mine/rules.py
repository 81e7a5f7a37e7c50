"""Association rules: what goes together, corrected for the device, with intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any, ClassVar

from frankly.design import Design, Form
from frankly.errors import DesignError
from frankly.estimate import Asked, Shares
from frankly.mine.miner import Learner
from frankly.mine.settings import check_number, check_whole
from frankly.mine.together import AssociationRule, Items, Itemset, Together, intervals
from frankly.mine.tree import WIDE

__all__ = ["AssociationRules"]

ABOVE = (
    "What lies above 100% is no mistake: a confidence divides one unbiased estimate by another,\n"
    "and both may miss by chance."
)


CUSTOMARY = 0.95
"""How sure intervals are where nobody says otherwise."""


class AssociationRules(Learner):
    """Find answers that go together.

    An itemset is followed up as long as its support may reach ``min_support``: it is dropped
    only when the upper end of its interval lies below. Only answers that some form asks
    together can be looked at together.

    Parameters
    ----------
    design, method
        As for every miner; supports are always unbiased (``inverse``).
    min_support, min_confidence
        The least estimated support and confidence that are told.
    max_size
        The most answers in an itemset.
    level
        How sure the intervals are.
    chance
        How many rules may be told, on average, although their answers have nothing to do with
        each other. The more rules are looked at, the more telling each must be.

    Attributes
    ----------
    itemsets_, rules_
        What was found, the most common and the strongest first.
    looked_
        How many rules were looked at.

    Examples
    --------
    >>> import frankly as fk
    >>> words = ["no", "yes"]
    >>> design = fk.Design([fk.Attribute("smokes", words), fk.Attribute("coughs", words)])
    >>> reports = {"smokes": ["no"] * 70 + ["yes"] * 30, "coughs": ["no"] * 65 + ["yes"] * 35}
    >>> found = fk.AssociationRules(design=design, min_support=0.2).fit(reports)
    >>> print(found.summary(most=1))
    4 rules from 6 itemsets   inverse estimate from 100 reports; ± is half a 95% interval
    ─────────────────────────────────────────────────────────────────────────────────────
    4 were looked at; chance alone brings at most 0.05 on average
    coughs is yes → smokes is yes
        confidence 85.7% [70.6%, 97.7%], support 30.0% ± 9.0%, lift 2.86 ± 0.76
    and 3 more
    """

    kind: ClassVar[str] = "rules"

    def __init__(
        self,
        *,
        design: Design | None = None,
        method: str = "inverse",
        min_support: float = 0.1,
        min_confidence: float = 0.5,
        max_size: int = 3,
        level: float = CUSTOMARY,
        chance: float = 0.05,
    ) -> None:
        self.design = design
        self.method = method
        self.min_support = min_support
        self.min_confidence = min_confidence
        self.max_size = max_size
        self.level = level
        self.chance = chance

    def check(self) -> None:
        """Refuse parameters that make no sense."""
        if self.method not in ("inverse", "auto"):
            raise DesignError(
                f"only method='inverse' gives supports with intervals; this is {self.method!r}"
            )
        above = "a share above 0, at most 1"
        check_number("min_support", self.min_support, lambda share: 0 < share <= 1, above)
        whole = "a share from 0 to 1"
        check_number("min_confidence", self.min_confidence, lambda share: 0 <= share <= 1, whole)
        sure = "a share between 0 and 1, such as 0.95"
        check_number("level", self.level, lambda level: 0 < level < 1, sure)
        few = "a number of rules above 0, such as 0.05"
        check_number("chance", self.chance, lambda chance: chance > 0, few)
        check_whole("max_size", self.max_size, 1)

    def learn(self, shares: Shares) -> None:
        """Look at single answers, then at pairs of those that may be common, and so on."""
        itemsets: list[Itemset] = []
        rules: list[AssociationRule] = []
        alive: set[Items] = set()
        self.looked_ = 0
        for size in range(1, self.max_size + 1):
            looked = self.look(shares, size, alive)
            self.looked_ += sum(table.questions for table in looked)
            found = [
                (table, one) for table in looked for one in table.itemsets(alive, self.min_support)
            ]
            alive = {one.items for _, one in found}
            told = [(table, one) for table, one in found if one.support >= self.min_support]
            itemsets += [one for _, one in told]
            rules += [rule for table, one in told for rule in table.rules(one)]
        self.itemsets_ = tuple(sorted(itemsets, key=lambda one: -one.support))
        self.rules_ = tuple(sorted(filter(self.worth, rules), key=lambda rule: -rule.lift))

    def look(self, shares: Shares, size: int, alive: set[Items]) -> list[Together]:
        """Ask at once for all tables of one size that may hold something."""
        forms = [
            form for form, n in zip(shares.design.forms, shares.pulled.numbers, strict=True) if n
        ]
        wanted = [Asked(names) for names in namings(shares.design, forms, size, alive)]
        ends = intervals(shares, wanted, self.level)
        people = [float(sum(one.n)) for one in shares.pulled.counted(wanted)]
        whole = zip(wanted, shares.tables(wanted), ends, people, strict=True)
        return [
            Together(shares, asked, table, both, self.level, n) for asked, table, both, n in whole
        ]

    def worth(self, rule: AssociationRule) -> bool:
        """Tell whether a rule is strong enough, and beyond what chance brings among so many."""
        telling = rule.chance * self.looked_ <= self.chance
        return rule.confidence >= self.min_confidence and telling and len(rule.given) > 0

    def summary(self, most: int = 20) -> str:
        """Say the strongest rules in a small table."""
        title = (
            f"{len(self.rules_)} rules from {len(self.itemsets_)} itemsets   inverse estimate "
            f"from {self.n_reports_:,} reports; ± is half a 95% interval"
        )
        if self.level != CUSTOMARY:
            title += f", brackets are {self.level:.0%} intervals"
        by_chance = f"chance alone brings at most {self.chance:g} on average"
        lines = [title, "─" * len(title), f"{self.looked_:,} were looked at; {by_chance}"]
        for rule in self.rules_[:most]:
            ends = f"[{rule.low:.1%}, {rule.high:.1%}]"
            lines.append(f"{rule}")
            lines.append(
                f"    confidence {rule.confidence:.1%} {ends}, support {rule.support:.1%} ± "
                f"{WIDE * rule.support_stderr:.1%}, lift {rule.lift:.2f} ± "
                f"{WIDE * rule.lift_stderr:.2f}"
            )
        if len(self.rules_) > most:
            lines.append(f"and {len(self.rules_) - most} more")
        if any(max(rule.confidence, rule.high) > 1 for rule in self.rules_[:most]):
            lines.append(ABOVE)
        return "\n".join(lines)

    def learned(self) -> dict[str, Any]:
        """Give what was found as plain JSON values."""
        return {
            "itemsets": [asdict(one) for one in self.itemsets_],
            "rules": [asdict(rule) for rule in self.rules_],
            "looked": self.looked_,
        }

    def restore(self, learned: Mapping[str, Any]) -> None:
        """Take back what `learned` gave."""
        self.looked_ = learned["looked"]
        self.itemsets_ = tuple(
            Itemset(**{**one, "items": paired(one["items"])}) for one in learned["itemsets"]
        )
        self.rules_ = tuple(
            AssociationRule(**{**rule, "given": paired(rule["given"]), "then": tuple(rule["then"])})
            for rule in learned["rules"]
        )


def paired(items: Sequence[Sequence[str]]) -> Items:
    """Read answers back from JSON."""
    return tuple((name, label) for name, label in items)


def namings(
    design: Design, forms: Sequence[Form], size: int, alive: set[Items]
) -> list[tuple[str, ...]]:
    """List the sets of names that some form asks together and that may hold an itemset."""
    living = {tuple(name for name, _ in items) for items in alive}
    found: dict[tuple[str, ...], None] = {}
    for form in forms:
        asked = [name for name in design.names if name in form.names]
        for names in combinations(asked, size):
            if size == 1 or all(part in living for part in combinations(names, size - 1)):
                found[names] = None
    return list(found)
