"""Whole tables: one column a question, one row a person; truths in, reports out."""

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from frankly.design import Attribute, Design
from frankly.design.attribute import NUMBER
from frankly.design.encode import encode_truths, smallest_type
from frankly.design.frame import arrow_columns
from frankly.errors import ValueRefusedError
from frankly.mechanism import Codes
from frankly.mechanism import Tape as AnyTape
from frankly.randomize.draw import BLOCK, Drawn, draw_blocks
from frankly.randomize.frames import dresser
from frankly.randomize.labels import ReportSchema, reported_values
from frankly.randomize.tape import Tape

__all__ = ["draw_table", "randomize", "truths_of"]

Frame = TypeVar("Frame")

WRITTEN = f"^({NUMBER.pattern})$"


def randomize(design: Design, truths: Frame, tape: AnyTape | None = None) -> Frame:
    """Draw the report of every person in a table.

    Parameters
    ----------
    design
        The survey.
    truths
        One row a person, one column an attribute: a pyarrow Table or RecordBatch, a pandas
        or polars DataFrame, or a dict of columns. Other columns are left out, never sent.
    tape
        Where chance comes from: the operating system unless told otherwise. Give
        ``Tape.seeded(7)`` in simulations only, for whoever knows the seed knows the truth.

    Returns
    -------
    Frame
        A table of the same kind: the design's attributes in their order, null where the
        person's form did not ask, and the column ``form`` when there are several forms.
        Arrow tables carry the design and its fingerprint in their metadata, pandas frames
        in their attrs.

    Raises
    ------
    ValueRefusedError
        A value is missing or unknown: named by row and column, before anything is drawn.

    Examples
    --------
    >>> from frankly.design import Group
    >>> from frankly.mechanism import Flip
    >>> ill = Attribute("ill", ["no", "yes"])
    >>> design = Design([ill], groups=[Group(["ill"], Flip(theta=0.7))])
    >>> randomize(design, {"ill": ["no", "yes"]}, tape=Tape.recorded([0, 2**32 - 10]))
    {'ill': ['no', 'no']}
    """
    dress = dresser(truths)
    columns = arrow_columns(truths, design.names)
    codes = truths_of(design, columns)
    schema = ReportSchema.of(design, {name: column.type for name, column in columns.items()})
    made: Frame = dress(schema.table(draw_table(design, codes, tape or Tape.secure())), truths)
    return made


def draw_table(design: Design, truths: Mapping[str, Codes], tape: AnyTape) -> Drawn:
    """Draw the reports of a whole table of codes."""
    rows = len(next(iter(truths.values())))
    form = np.zeros(rows, dtype=np.intp)
    columns = {name: np.empty_like(codes) for name, codes in truths.items()}
    for block, drawn in enumerate(draw_blocks(design, truths, tape)):
        here = slice(block * BLOCK, (block + 1) * BLOCK)
        form[here] = drawn.form
        for name, codes in drawn.columns.items():
            columns[name][here] = codes
    return Drawn(form, columns)


def truths_of(
    design: Design, columns: Mapping[str, Any], *, place: str = "", before: int = 0
) -> dict[str, Codes]:
    """Give the codes of true answers, in a type that has room for their reports."""
    codes = {}
    for attribute in design.attributes:
        column = columns[attribute.name]
        if attribute.bins is not None and is_text(column.type):
            column = as_numbers(attribute, column, place=place, before=before)
        own = encode_truths(attribute, column, place=place, before=before)
        cells = max(attribute.size, len(reported_values(design, attribute.name)))
        codes[attribute.name] = own.astype(smallest_type(cells), copy=False)
    return codes


def is_text(kind: pa.DataType) -> bool:
    """Tell whether an Arrow type holds texts, also as the categories of a dictionary."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(test(kind) for test in tests)


def as_texts(column: Any) -> Any:
    """Write texts of any Arrow kind out; of polars' own, Arrow casts no dictionary."""
    if not pa.types.is_dictionary(column.type):
        return column.cast(pa.string())
    chunks = [chunk.dictionary.cast(pa.string()).take(chunk.indices) for chunk in column.chunks]
    return pa.chunked_array(chunks, pa.string())


def as_numbers(attribute: Attribute, column: Any, *, place: str, before: int) -> Any:
    """Read numbers that were written as text; where none is, the texts may name bins."""
    texts = as_texts(column)
    written = pc.fill_null(pc.match_substring_regex(texts, WRITTEN), fill_value=False)
    if not pc.any(written).as_py():
        return column
    other = pc.index(written, value=False).as_py()
    if other >= 0:
        where = f"{place}, " if place else ""
        raise ValueRefusedError(
            f'{where}row {before + other + 1}, column "{attribute.name}": a number is expected, '
            "and this is none. Correct the row or leave it out"
        )
    return pc.cast(pc.utf8_trim_whitespace(texts), pa.float64())
