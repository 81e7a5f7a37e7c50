"""ID3: divide by the attribute that tells most, one branch a value."""

from collections.abc import Sequence
from typing import ClassVar

from frankly.mine.grow import Branches, Splitter
from frankly.mine.impurity import ENTROPY, Floats, Impurity
from frankly.mine.tree_miner import TreeMiner

__all__ = ["ID3"]


class Multiway:
    """One branch a value, chosen by entropy; an attribute divides a path once."""

    impurity: Impurity = ENTROPY
    again: bool = False

    def divide(self, table: Floats, codes: Sequence[int], smallest: float) -> Branches:
        """Give every code its own branch."""
        del table, smallest
        return tuple((code,) for code in codes)


class ID3(TreeMiner):
    """Grow a tree with one branch a value, by information gain within each node.

    Parameters
    ----------
    design, target, method, max_depth, min_leaf, noise, gain_noise
        See `TreeMiner`.

    Examples
    --------
    >>> import frankly as fk
    >>> words = ["no", "yes"]
    >>> design = fk.Design([fk.Attribute(name, words) for name in ("smokes", "old", "ill")])
    >>> smokes, old = words * 50, ["no"] * 50 + ["yes"] * 50
    >>> ill = ["yes" if "no" not in both else "no" for both in zip(smokes, old)]
    >>> model = fk.ID3(design=design, target="ill", method="inverse")
    >>> model = model.fit({"smokes": smokes, "old": old, "ill": ill})
    >>> print(model.summary())
    ill   ID3 tree from 100 reports, inverse estimate; gains in entropy; ± is half a 95% interval
    ─────────────────────────────────────────────────────────────────────────────────────────────
    everyone: no 75.0%, 100.0% of all; split by smokes, gain 0.311 ± 0.109
      smokes is no: no 100.0%, 50.0% ± 9.8% of all
      smokes is yes: no 50.0%, 50.0% ± 9.8% of all; split by old, gain 1.000 ± 0.021
        old is no: no 100.0%, 25.0% ± 8.5% of all
        old is yes: yes 100.0%, 25.0% ± 8.5% of all
    >>> print(model.rules()[0])
    if smokes is no then ill is no (100.0%; 50.0% ± 9.8% of all people)
    """

    kind: ClassVar[str] = "id3"
    splitter: ClassVar[Splitter] = Multiway()
