"""The face of the package: every name is there when it is asked for, and nothing before."""

import ast
import html
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import frankly as fk

SAID = ast.parse(Path(fk.__file__).read_text())


def promised() -> dict[str, tuple[str, str]]:
    """Read what type checkers are told: for each name its room, and its name there."""
    (block,) = (node for node in SAID.body if isinstance(node, ast.If))
    lines = [line for line in block.body if isinstance(line, ast.ImportFrom)]
    names = [(one, str(line.module)) for line in lines for one in line.names]
    return {one.asname or one.name: (room, one.name) for one, room in names}


def run(script: str, *words: object) -> str:
    """Run a script in a Python of its own."""
    command = [sys.executable, "-W", "error::ImportWarning", "-c", script, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_names_are_what_type_checkers_are_told() -> None:
    said = promised()
    assert sorted(said) == sorted(fk.__all__) == sorted(fk.HOMES)
    for name, (room, there) in said.items():
        assert getattr(fk, name) is getattr(import_module(room), there), name
    shown = {name for name in dir(fk) if not name.startswith("__")}
    assert shown == set(fk.__all__) | set(fk.ROOMS)
    assert "errors" in shown


@pytest.mark.parametrize(
    "before",
    [
        "import frankly.estimate, frankly.randomize, frankly.advise",
        "from frankly.estimate import Shares; from frankly.advise import power, width",
        "from frankly import *; import frankly.estimate.mle, frankly.randomize.draw",
        "import frankly.judge, frankly.cli",
    ],
)
def test_a_function_never_gives_way_to_the_room_of_its_name(before: str) -> None:
    asked = "print(type(fk.estimate), type(fk.randomize), type(fk.advise), type(fk.judge))"
    words = run(
        f"{before}\nimport frankly as fk\n{asked}\nfrom frankly import advise; advise.__call__"
    )
    assert words.split("> <") == [
        "<class 'function'",
        *["class 'function'"] * 2,
        "class 'module'>\n",
    ]


def test_rooms_are_reached_by_name_and_a_slip_is_told() -> None:
    assert run("import frankly as fk; print(fk.count.Query.__name__, fk.errors.__name__)") == (
        "Query frankly.errors\n"
    )
    with pytest.raises(AttributeError, match="no attribute 'estimat'"):
        fk.estimat  # type: ignore[attr-defined]  # noqa: B018


def test_counting_loads_no_miner_and_no_statistics(tmp_path: Path) -> None:
    pq.write_table(pa.table({"ill": ["yes", "no", "no"]}), tmp_path / "a.parquet")
    script = """
import sys
import frankly as fk
print("numpy" in sys.modules)
design = fk.Design([fk.Attribute("ill", ["no", "yes"])])
query = fk.count.Query("ill")
with fk.count.DuckDBEngine(design, sys.argv[1]) as engine:
    for one in (engine, fk.open(sys.argv[1], design)):
        print(one.count([query])[0].table)
print([name for name in ("scipy", "sklearn", "frankly.mine") if name in sys.modules])
"""
    assert run(script, tmp_path / "a.parquet") == "False\n[2 1]\n[2 1]\n[]\n"


def results() -> list[object]:
    """Make one of every result that a notebook's cell may end in; <i> is a name to escape."""
    names, twice = ["<i>", "smokes", "drinks"], ["no", "yes"] * 50
    device = fk.Uniform(theta=0.8)
    questions = [fk.Attribute(name, ["no", "yes"]) for name in names]
    design = fk.Design(questions, groups=[fk.Group(names, device)], target="smokes")
    rows = dict.fromkeys(names, twice)
    model = fk.ID3(design=design).fit(rows)
    by = fk.estimate_by(design, rows, "<i>", "smokes")
    asked = fk.advise(design, n=1000, precision=0.05)
    judged = [fk.accuracy(model, rows), fk.audit(design, rows), fk.privacy(design)]
    return [model, fk.estimate(design, rows, names), by, asked, *judged]


def test_a_result_at_the_end_of_a_cell_is_read_in_its_own_words() -> None:
    for one in results():
        words = one.summary()  # type: ignore[attr-defined]
        assert str(one) == words
        page = one._repr_html_()  # type: ignore[attr-defined]
        assert page.startswith("<pre>")
        assert html.unescape(page) == f"<pre>{words}</pre>"
        assert "<i>" not in page
        assert len(repr(one)) < 160
        assert "\n" not in repr(one)
    assert "0x" not in repr(fk.Tape.seeded(17)) + repr(fk.Tape.secure())
    assert "17" not in repr(fk.Tape.seeded(17)), "a seed is as good as the truths"


def test_a_miner_shows_its_settings_until_it_has_learned() -> None:
    model = results()[0]
    fresh = clone(model)
    assert str(fresh) == repr(fresh) == repr(model)
    assert repr(fresh).startswith("ID3(design=<Design: asks <i>, smokes, drinks;")
    assert "tree from" not in fresh._repr_mimebundle_()["text/plain"]
    assert model._repr_mimebundle_()["text/plain"] == str(model)  # type: ignore[attr-defined]
