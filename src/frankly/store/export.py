"""Export: the reports of a survey as a table that carries its design."""

import numpy as np
import pyarrow as pa

from frankly.design import Design, canonical
from frankly.store.rows import NOT_ASKED, Rows
from frankly.store.store import Store

__all__ = ["report_table"]


def report_table(store: Store, name: str) -> pa.Table:
    """Give all reports, in the order of their random keys; no key, token or time is in it."""
    design = store.survey(name).design
    rows = Rows(design).unpack(store.packed(name))
    form = rows[:, 0]
    columns = [pa.array(labels(design, rows, i), pa.string()) for i in range(len(design.names))]
    names = list(design.names)
    if len(design.forms) > 1:
        columns.append(pa.array(form.astype(np.int32)))
        names.append("form")
    carried = {
        "frankly.design": canonical(design.document()),
        "frankly.fingerprint": design.fingerprint,
    }
    return pa.table(columns, names=names).replace_schema_metadata(carried)


def labels(
    design: Design, rows: "np.ndarray[tuple[int, int], np.dtype[np.uint16]]", i: int
) -> list[str | None]:
    """Write one column's codes as labels; null where the form did not ask."""
    name = design.names[i]
    known = [form.reported(name) if name in form.names else () for form in design.forms]
    return [
        None if code == NOT_ASKED else known[form][code]
        for form, code in zip(rows[:, 0].tolist(), rows[:, 1 + i].tolist(), strict=True)
    ]
