"""Files: read in pieces, written whole or not at all, and never quoted."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import frankly as fk
from frankly.errors import ReportError, ValueRefusedError
from frankly.randomize import randomize_file
from frankly.randomize.file import PIECE
from frankly.randomize.source import pieces

DESIGN = fk.Design(
    [
        fk.Attribute("ill", ["no", "yes"]),
        fk.Attribute("age", bins=[30, 50]),
        fk.Attribute("visits", ["0", "1", "2"]),
    ],
    forms=[
        fk.Form([fk.Group(["ill", "visits"], fk.Unrelated(0.7))], weight=3),
        fk.Form([fk.Group(["ill"], fk.Flip(0.8))], ["age"]),
    ],
)
ROWS = PIECE + 1000


def truths(rows: int = ROWS) -> pa.Table:
    chance = np.random.default_rng(rows)
    return pa.table(
        {
            "name": [f"person {row}" for row in range(rows)],
            "ill": np.array(["no", "yes"])[chance.integers(0, 2, rows)],
            "age": chance.integers(18, 90, rows),
            "visits": chance.integers(0, 3, rows),
        }
    )


@pytest.fixture(params=["parquet", "csv"])
def suffix(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def write(table: pa.Table, path: Path, **how: Any) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(table, path, **how)
    else:
        pyarrow.csv.write_csv(table, path)
    return path


def read(path: Path) -> pa.Table:
    """Read reports as texts, null where there is none."""
    if path.suffix == ".parquet":
        return as_texts(pq.read_table(path))
    texts = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys((*DESIGN.names, "form"), pa.string()),
        strings_can_be_null=True,
    )
    return pyarrow.csv.read_csv(path, convert_options=texts).combine_chunks()


def as_texts(reports: pa.Table) -> pa.Table:
    names = reports.column_names
    return pa.table({name: reports[name].cast(pa.string()) for name in names}).combine_chunks()


def test_a_file_gives_the_reports_that_its_table_gives(tmp_path: Path, suffix: str) -> None:
    table = truths()
    source = write(table, tmp_path / f"truths.{suffix}")
    target = tmp_path / f"reports.{suffix}"
    made = randomize_file(DESIGN, source, target, tape=fk.Tape.seeded(1))
    assert read(target).equals(as_texts(fk.randomize(DESIGN, table, fk.Tape.seeded(1))))
    assert (made.rows, made.left_out) == (ROWS, ("name",))


def test_the_size_of_row_groups_does_not_matter(tmp_path: Path) -> None:
    table = truths()
    for rows in (7001, ROWS):
        source = write(table, tmp_path / f"{rows}.parquet", row_group_size=rows)
        randomize_file(DESIGN, source, tmp_path / f"{rows}.out.parquet", tape=fk.Tape.seeded(2))
    first, second = (read(tmp_path / f"{rows}.out.parquet") for rows in (7001, ROWS))
    assert first.equals(second)


@pytest.mark.parametrize("lengths", [[], [0], [5], [10], [3, 3, 3, 3], [25, 1], [9, 1, 30]])
def test_pieces_have_one_length_and_lose_nothing(lengths: list[int]) -> None:
    rows = iter(range(sum(lengths)))
    batches = [pa.record_batch({"row": [next(rows) for _ in range(n)]}) for n in lengths]
    cut = [piece["row"].to_pylist() for piece in pieces(batches, 10)]
    assert [row for piece in cut for row in piece] == list(range(sum(lengths)))
    assert all(len(piece) == 10 for piece in cut[:-1])
    assert all(0 < len(piece) <= 10 for piece in cut)


def test_parquet_reports_carry_the_design(tmp_path: Path) -> None:
    source = write(truths(10), tmp_path / "truths.parquet")
    made = randomize_file(DESIGN, source, tmp_path / "reports.parquet")
    metadata = pq.read_schema(made.files[0]).metadata
    assert fk.Design.from_document(json.loads(metadata[b"frankly.design"])) == DESIGN
    assert metadata[b"frankly.fingerprint"].decode() == DESIGN.fingerprint


def test_csv_reports_lie_beside_their_design(tmp_path: Path) -> None:
    source = write(truths(10), tmp_path / "truths.csv")
    made = randomize_file(DESIGN, source, tmp_path / "reports.csv")
    assert [path.name for path in made.files] == ["reports.csv", "reports.csv.design.json"]
    assert fk.Design.load(made.files[1]).fingerprint == DESIGN.fingerprint


def test_columns_that_are_not_asked_are_nowhere_in_the_output(tmp_path: Path, suffix: str) -> None:
    source = write(truths(50), tmp_path / f"truths.{suffix}")
    made = randomize_file(DESIGN, source, tmp_path / f"reports.{suffix}")
    assert not any(b"person" in path.read_bytes() for path in made.files)


def test_progress_is_told_to_the_end(tmp_path: Path) -> None:
    told: list[tuple[int, int | None]] = []
    source = write(truths(), tmp_path / "truths.parquet")
    randomize_file(DESIGN, source, tmp_path / "r.parquet", progress=lambda *done: told.append(done))
    assert told == [(PIECE, ROWS), (ROWS, ROWS)]


def with_a_bad_last_row(table: pa.Table) -> pa.Table:
    ill = [*table["ill"].to_pylist()[:-1], "SECRET"]
    return table.set_column(1, "ill", [ill])


def test_a_bad_value_in_the_last_row_leaves_nothing_behind(tmp_path: Path, suffix: str) -> None:
    source = write(with_a_bad_last_row(truths()), tmp_path / f"truths.{suffix}")
    expected = f'truths.{suffix}, row {ROWS}, column "ill"'
    with pytest.raises(ValueRefusedError, match=expected) as refused:
        randomize_file(DESIGN, source, tmp_path / f"reports.{suffix}")
    assert "SECRET" not in str(refused.value)
    assert list(tmp_path.iterdir()) == [source]


def test_a_failure_leaves_the_older_reports_as_they_were(tmp_path: Path, suffix: str) -> None:
    source = write(with_a_bad_last_row(truths(50)), tmp_path / f"truths.{suffix}")
    target = tmp_path / f"reports.{suffix}"
    target.write_text("what was there")
    with pytest.raises(ValueRefusedError):
        randomize_file(DESIGN, source, target)
    assert target.read_text() == "what was there"
    assert sorted(tmp_path.iterdir()) == [target, source]


FULL_DISK = """
import resource, signal, sys
import frankly as fk
from frankly.randomize import randomize_file
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    randomize_file(fk.Design.load(sys.argv[1]), sys.argv[2], sys.argv[3])
except OSError:
    print("refused by the system")
"""


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, suffix: str) -> None:
    # The child may write no file above 100 kB; the system refuses as on a full disk.
    source = write(truths(), tmp_path / f"truths.{suffix}")
    design = tmp_path / "design.json"
    DESIGN.save(design)
    target = tmp_path / f"reports.{suffix}"
    run = [sys.executable, "-c", FULL_DISK, *map(str, (design, source, target))]
    child = subprocess.run(run, capture_output=True, text=True, check=False)
    assert child.stdout == "refused by the system\n", child.stderr
    assert sorted(tmp_path.iterdir()) == [design, source]


@pytest.mark.parametrize("before", [1, 600_000], ids=["at once", "when much is read already"])
def test_a_torn_row_is_refused_without_quoting_it(tmp_path: Path, before: int) -> None:
    source = tmp_path / "truths.csv"
    source.write_text("ill,age,visits\n" + before * "yes,33,1\n" + "yes,33,SECRET,1\n")
    with pytest.raises(ReportError, match=r"truths\.csv cannot be read") as refused:
        randomize_file(DESIGN, source, tmp_path / "reports.csv")
    error: BaseException | None = refused.value
    while error is not None:
        assert "SECRET" not in repr(error)
        error = error.__context__
    assert list(tmp_path.iterdir()) == [source]


def test_line_breaks_in_what_people_wrote_are_no_new_rows(tmp_path: Path) -> None:
    """Also where a file is longer than the block that it is read in."""
    rows, said = 30_000, '"' + "well,\nno,f\n" * 20 + '",'
    (tmp_path / "t.csv").write_text("said,ill\n" + f"{said}no\n{said}yes\n" * (rows // 2))
    design = fk.Design([fk.Attribute("ill", ["no", "yes"])])
    made = randomize_file(design, tmp_path / "t.csv", tmp_path / "r.parquet")
    assert made.rows == rows
    assert pq.read_table(tmp_path / "r.parquet")["ill"].to_pylist()[-2:] == ["no", "yes"]


def test_an_empty_line_is_a_missing_value_where_a_row_has_one_value(tmp_path: Path) -> None:
    source = tmp_path / "truths.csv"
    source.write_text("ill\nyes\n\nno\n")
    one = fk.Design([fk.Attribute("ill", ["no", "yes"])])
    with pytest.raises(ValueRefusedError, match="row 2"):
        randomize_file(one, source, tmp_path / "reports.csv")


def test_a_damaged_file_is_refused(tmp_path: Path, suffix: str) -> None:
    source = tmp_path / f"truths.{suffix}"
    source.write_bytes(b"ill,age,visits\n\xff\xfe,33,1\n")
    with pytest.raises(ReportError):
        randomize_file(DESIGN, source, tmp_path / f"reports.{suffix}")
    assert list(tmp_path.iterdir()) == [source]


def test_what_cannot_work_is_refused_at_once(tmp_path: Path) -> None:
    source = write(truths(5), tmp_path / "truths.csv")
    for target, why in (
        (source, "would replace the truths"),
        (tmp_path / "reports.xlsx", r"\.parquet or \.csv"),
        (tmp_path / "nowhere" / "reports.csv", "its folder must exist"),
    ):
        with pytest.raises(ReportError, match=why):
            randomize_file(DESIGN, source, target)
    with pytest.raises(ReportError, match=r"there is no file absent\.csv"):
        randomize_file(DESIGN, tmp_path / "absent.csv", tmp_path / "reports.csv")
    lacking = write(truths(5).drop_columns(["age"]), tmp_path / "lacking.csv")
    with pytest.raises(ReportError, match='the column "age" is missing'):
        randomize_file(DESIGN, lacking, tmp_path / "reports.csv")
    assert sorted(tmp_path.iterdir()) == [lacking, source]


def test_an_empty_file_gives_an_empty_file(tmp_path: Path, suffix: str) -> None:
    source = write(truths(0), tmp_path / f"truths.{suffix}")
    made = randomize_file(DESIGN, source, tmp_path / f"reports.{suffix}")
    assert read(made.files[0]).to_pydict() == {name: [] for name in (*DESIGN.names, "form")}
