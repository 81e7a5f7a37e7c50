"""Running counts: new reports are counted once and added; the old ones are never read again."""

import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from frankly.count.counts import Counts
from frankly.count.given import GivenCounts
from frankly.count.query import Query
from frankly.count.source import open_reports
from frankly.design import Design, whole_or_nothing
from frankly.errors import DesignError, FingerprintError, ReportError

__all__ = ["RunningCounts"]


@dataclass(frozen=True, init=False)
class RunningCounts:
    """An engine over all reports so far, kept as counts that grow.

    By default whole reports are kept, from which any miner learns what it would learn from all
    the reports. Where reports are too many-sided for that, name the tables a miner needs.

    Parameters
    ----------
    design
        What the reports answer.
    tables
        The tables to keep; whole reports of every form unless told otherwise.

    Examples
    --------
    >>> from frankly.design import Attribute
    >>> design = Design([Attribute("ill", ["no", "yes"])])
    >>> monday = RunningCounts(design).append({"ill": ["yes", "no"]})
    >>> tuesday = monday.append({"ill": ["no"]}, {"ill": ["no", "yes"]})
    >>> [kept.count([Query("ill")])[0].table.tolist() for kept in (monday, tuesday)]
    [[1, 1], [3, 2]]
    """

    design: Design
    tables: tuple[Query, ...]
    kept: tuple[Counts, ...]

    def __init__(
        self, design: Design, tables: Sequence[Query] | None = None, kept: Sequence[Counts] = ()
    ) -> None:
        whole = [Query(form.names, index) for index, form in enumerate(design.forms)]
        object.__setattr__(self, "design", design)
        object.__setattr__(self, "tables", tuple(whole if tables is None else tables))
        for query in self.tables:
            query.check(design)
            if query.where:
                raise DesignError(
                    "keep whole tables: conditions are for the questions asked of them"
                )
        object.__setattr__(self, "kept", tuple(kept) or tuple(map(self.nobody, self.tables)))

    def nobody(self, query: Query) -> Counts:
        """Give a table of nobody."""
        form = self.design.forms[query.form]
        sizes = [len(form.reported(name)) for name in query.names]
        none = np.empty((0, len(sizes)), dtype=np.uint8), np.empty(0, dtype=np.int64)
        return Counts.from_cells(query.names, form.fingerprint, sizes, none)

    def append(self, *sources: Any) -> "RunningCounts":
        """Count new reports, and only those; give all counts so far and leave these as they are.

        Parameters
        ----------
        sources
            Anything that `frankly.open` opens: frames, files, databases, engines.
        """
        kept = self.kept
        for source in sources:
            new = open_reports(source, self.design).count(self.tables)
            kept = tuple(old + more for old, more in zip(kept, new, strict=True))
        return RunningCounts(self.design, self.tables, kept)

    @cached_property
    def given(self) -> GivenCounts:
        """The counts so far, as an engine."""
        return GivenCounts(self.design, self.kept)

    @property
    def histograms(self) -> bool:
        """Whether whole reports are kept."""
        return self.given.histograms

    def count(self, queries: Sequence[Query]) -> list[Counts]:
        """Answer all queries from what is kept."""
        return self.given.count(queries)

    def save(self, path: str | Path) -> None:
        """Write design and counts to a file, whole or not at all."""
        tables = [{"names": list(query.names), "form": query.form} for query in self.tables]
        about = {"frankly_counts": 1, "design": self.design.document(), "tables": tables}
        arrays: dict[str, Any] = {
            "about": np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
        }
        for i, counts in enumerate(self.kept):
            arrays[f"rows{i}"], arrays[f"counts{i}"] = counts.cells()
        with whole_or_nothing(Path(path)) as part, part.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, path: str | Path, design: Design | None = None) -> "RunningCounts":
        """Read what `save` wrote; with a design, refuse the counts of another."""
        try:
            with Path(path).open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            about = json.loads(arrays["about"].tobytes())
            made = Design.from_document(about["design"])
            queries = [Query(table["names"], table["form"]) for table in about["tables"]]
            kept = [restored(made, query, arrays, i) for i, query in enumerate(queries)]
        except (ValueError, KeyError, IndexError, zipfile.BadZipFile, EOFError) as error:
            raise ReportError(
                f"{Path(path).name} holds no counts that can be read ({type(error).__name__}). It "
                "may be damaged; counts are written by RunningCounts.save"
            ) from None
        if design is not None and design.fingerprint != made.fingerprint:
            raise FingerprintError(
                f"{Path(path).name} holds counts of design {made.fingerprint[:12]}, but this "
                f"design is {design.fingerprint[:12]}. Counts of different designs never add"
            )
        return cls(made, queries, kept)


def restored(design: Design, query: Query, arrays: dict[str, Any], i: int) -> Counts:
    """Make counts from their cells."""
    form = design.forms[query.form]
    sizes = [len(form.reported(name)) for name in query.names]
    cells = arrays[f"rows{i}"], arrays[f"counts{i}"].astype(np.int64)
    return Counts.from_cells(query.names, form.fingerprint, sizes, cells)
