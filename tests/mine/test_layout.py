"""A tree does not depend on how an engine's tables lie in memory, not even in the last bit."""

from collections.abc import Sequence

import numpy as np

import frankly as fk
from frankly.count import ArrayEngine, Counts, Query


class Turned(ArrayEngine):
    """Gives the same tables, laid out the other way round."""

    def count(self, queries: Sequence[Query]) -> list[Counts]:
        """Count, and turn every table in memory."""
        return [
            Counts.from_table(one.names, one.form, one.table.copy(order="F"))
            for one in super().count(queries)
        ]


def test_a_tree_is_the_same_however_tables_lie_in_memory() -> None:
    rng = np.random.default_rng(7)
    names = ["a", "b", "c", "d"]
    asked = [fk.Attribute(name, [f"{i}" for i in range(7)]) for name in names]
    ill = fk.Attribute("ill", ["no", "yes", "maybe"])
    design = fk.Design(
        [*asked, ill], groups=[fk.Group(["a", "b", "ill"], fk.Unrelated(0.3))], target="ill"
    )
    truths = {name: rng.integers(0, 7, 20_000).astype(str) for name in names}
    truths["ill"] = np.array(["no", "yes", "maybe"])[
        (truths["a"].astype(int) + truths["b"].astype(int)) % 3
    ]
    reports = fk.randomize(design, truths)  # whatever chance does
    turned = Turned(design, reports)
    tables = [one.table for one in turned.count([Query(["a", "b", "ill"])])]
    assert not tables[0].flags.c_contiguous, (
        "the engine must differ in layout for this to mean anything"
    )
    for method in ("inverse", "auto"):
        one = fk.ID3(design=design, method=method).fit(ArrayEngine(design, reports))
        other = fk.ID3(design=design, method=method).fit(turned)
        assert one.learned() == other.learned(), method
