"""Export: the reports of a survey as a table that carries its design."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from frankly.design import Design, Text, canonical
from frankly.store.batch import by_chance
from frankly.store.rows import NOT_ASKED
from frankly.store.store import Store
from frankly.store.survey import SurveyError

__all__ = ["READ_ME", "report_labels", "report_table", "spoken", "table_of"]

READ_ME = (
    "These are reports, not truths. For a protected question a report is sometimes the person's "
    "own answer and sometimes one drawn by chance, and nobody can tell which. Do not tabulate, "
    "average or model these columns as they are. `frankly estimate`, which reads the Parquet and "
    "CSV exports, and frankly.estimate in Python know the design, and give shares of the truth "
    "with their errors."
)
"""What every exported file says."""


def report_table(store: Store, name: str) -> pa.Table:
    """Give all reports, in an order of chance; no key, token or time is in it.

    As they lie, those that came together may be neighbours while the survey is open.
    """
    found, reports = store.survey(name), store.reports(name)
    if store.survey(name).mark != found.mark:
        raise SurveyError(
            f"the survey {name!r} was deleted meanwhile, and another opened by its name"
        )
    return table_of(found.design, reports[by_chance(len(reports))])


def table_of(design: Design, rows: NDArray[np.uint16]) -> pa.Table:
    """Write rows of codes as labels, with the design beside them.

    Examples
    --------
    >>> from frankly.design import Attribute
    >>> from frankly.store import Rows
    >>> design = Design([Attribute("ill", ["no", "yes"])])
    >>> table = table_of(design, Rows(design).unpack([Rows(design).pack(0, [1])]))
    >>> table.to_pydict(), sorted(table.schema.metadata)
    ({'ill': ['yes']}, [b'frankly.design', b'frankly.fingerprint', b'frankly.read_me'])
    """
    names = list(design.names)
    columns = [labelled(design, rows, i) for i in range(len(names))]
    if len(design.forms) > 1:
        columns.append(pa.array(rows[:, 0].astype(np.int32)))
        names.append("form")
    carried = {
        "frankly.design": canonical(design.document()),
        "frankly.fingerprint": design.fingerprint,
        "frankly.read_me": READ_ME,
    }
    return pa.table(columns, names=names).replace_schema_metadata(carried)


def labelled(design: Design, rows: NDArray[np.uint16], i: int) -> pa.Array:
    """Write one column's codes as labels; null where the form did not ask."""
    name, form, codes = design.names[i], rows[:, 0], rows[:, 1 + i]
    known = report_labels(design, name)
    places = np.zeros((len(design.forms), len(known)), dtype=np.int32)
    for index, asked in enumerate(design.forms):
        if name in asked.names:
            own = asked.reported(name)
            places[index, : len(own)] = [known.index(label) for label in own]
    missing = codes == NOT_ASKED
    found = places[form, np.where(missing, 0, codes)]
    return pa.DictionaryArray.from_arrays(
        pa.array(found, mask=missing), pa.array(known, pa.string())
    ).cast(pa.string())


def report_labels(design: Design, name: str) -> tuple[str, ...]:
    """List what reports of one question can say, over all forms that ask it."""
    asking = [form for form in design.forms if name in form.names]
    return tuple(dict.fromkeys(label for form in asking for label in form.reported(name)))


def spoken(design: Design, text: Text) -> str:
    """Give a text in the survey's first language.

    Examples
    --------
    >>> from frankly.design import Attribute
    >>> design = Design([Attribute("ill", ["no", "yes"])], languages=["fr", "en"])
    >>> spoken(design, {"en": "Are you ill?", "fr": "Malade ?"})
    'Malade ?'
    """
    if isinstance(text, str):
        return text
    return next((text[one] for one in design.languages if one in text), next(iter(text.values())))
