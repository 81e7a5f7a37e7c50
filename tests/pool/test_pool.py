"""frankly pool: several holders, one model, and nothing half done."""

import json
import re
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import frankly as fk
from frankly.cli import main
from frankly.count import ArrayEngine
from tests.live import Postgres

ATTRIBUTES = [
    fk.Attribute("age", bins=[30, 50]),
    fk.Attribute("income", ["high", "middle", "low"]),
    fk.Attribute("sex", ["f", "m"]),
    fk.Attribute("buys", ["no", "yes"]),
]


def survey(theta: float) -> fk.Design:
    """Lu's customers: age and income hidden together, the rest in clear."""
    groups = [fk.Group(["age", "income"], fk.Uniform(theta=theta))]
    return fk.Design(ATTRIBUTES, groups=groups, target="buys")


def customers(n: int, seed: int, older: int = 0) -> dict[str, Any]:
    """Make up a holder's table; ages are numbers, and the design cuts them."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n) + older
    income = np.array(["high", "middle", "low"])[rng.integers(0, 3, n)]
    sex = np.array(["f", "m"])[rng.integers(0, 2, n)]
    likely = 0.15 + 0.5 * (age >= 50) + 0.2 * (income == "high")
    buys = np.array(["no", "yes"])[(rng.random(n) < likely).astype(int)]
    return {"age": age, "income": income, "sex": sex, "buys": buys, "name": np.full(n, "?")}


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


class Holders:
    """Files of several holders, each randomized on its own."""

    def __init__(self, folder: Path, sizes: tuple[int, ...], theta: float = 0.7) -> None:
        self.folder = folder
        self.design = folder / "d.json"
        survey(theta).save(self.design)
        self.files = [self.holder(f"h{i}", n, i) for i, n in enumerate(sizes)]

    def holder(self, name: str, n: int, seed: int, **more: Any) -> Path:
        """Randomize one holder's table with the command line."""
        truths, reports = self.folder / f"{name}.truths.parquet", self.folder / f"{name}.parquet"
        pq.write_table(pa.table(customers(n, seed, **more)), truths)
        made = run(
            "randomize", truths, "-d", self.design, "-o", reports, "--simulate", "--seed", seed
        )
        assert made.exit_code == 0, made.output
        return reports


@pytest.mark.parametrize("sizes", [(2000, 700), (40, 1200, 300, 90), (900, 50, 1500, 300, 20)])
@pytest.mark.parametrize("miner", ["id3", "naive-bayes", "cart"])
def test_unequal_holders_give_the_model_of_the_pooled_table(
    sizes: tuple[int, ...], miner: str, tmp_path: Path
) -> None:
    holders = Holders(tmp_path, sizes)
    model = tmp_path / "model.json"
    done = run(
        "pool", *holders.files, "-d", holders.design, "--miner", miner, "-o", model, "--json"
    )
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["sources"] == {f"h{i}.parquet": n for i, n in enumerate(sizes)}
    design = fk.Design.load(holders.design)
    whole = pa.concat_tables([pq.read_table(path) for path in holders.files])
    kinds: dict[str, Any] = {"id3": fk.ID3, "naive-bayes": fk.NaiveBayes, "cart": fk.CART}
    expected = kinds[miner](design=design).fit(ArrayEngine(design, whole))
    assert found["model"]["learned"] == json.loads(json.dumps(expected.learned()))
    assert json.loads(model.read_text()) == found["model"]


def test_every_engine_and_a_database_pool_alike(tmp_path: Path, postgres: Postgres) -> None:
    import psycopg  # noqa: PLC0415

    holders = Holders(tmp_path, (800, 300))
    reports = pq.read_table(holders.files[1])
    names = ", ".join(f"{name} text" for name in reports.column_names)
    rows = list(zip(*(column.to_pylist() for column in reports.columns), strict=True))
    url = postgres.database()
    with psycopg.connect(url) as connection:
        connection.execute(f"CREATE TABLE reports ({names})")
        marks = ", ".join(["%s"] * len(reports.column_names))
        connection.cursor().executemany(f"INSERT INTO reports VALUES ({marks})", rows)
    with closing(sqlite3.connect(tmp_path / "s.sqlite")) as lite:
        lite.execute(f"CREATE TABLE reports ({names})")
        lite.executemany(f"INSERT INTO reports VALUES ({marks.replace('%s', '?')})", rows)
        lite.commit()
    first = ["pool", holders.files[0], "-d", holders.design, "--miner", "id3", "--json"]
    ways = [
        [*first, holders.files[1]],
        [*first, holders.files[1], "--engine", "duckdb"],
        [*first, f"{url}#reports"],
        [*first, f"sqlite:///{tmp_path / 's.sqlite'}#reports"],
    ]
    found = [json.loads(run(*way).stdout) for way in ways]
    assert all(one["model"] == found[0]["model"] for one in found)
    assert [one["heterogeneity"] for one in found] == [found[0]["heterogeneity"]] * 4


@pytest.mark.usefixtures("spark")
@pytest.mark.filterwarnings("ignore:.*:ResourceWarning", "ignore:.*:FutureWarning")
def test_spark_pools_like_every_engine_and_refuses_alike(tmp_path: Path) -> None:
    holders = Holders(tmp_path, (300, 120))
    words = ["-d", holders.design, "--miner", "naive-bayes", "--json"]
    here, there = (
        run("pool", *holders.files, *words, "--engine", engine) for engine in ("auto", "spark")
    )
    assert (there.exit_code, there.stdout) == (0, here.stdout), there.output
    spoil, said = BAD["a value outside the domain"]
    pq.write_table(spoil(pq.read_table(holders.files[1])), tmp_path / "b.parquet")
    model = tmp_path / "m.json"
    refused = run(
        "pool", holders.files[0], tmp_path / "b.parquet", *words, "--engine", "spark", "-o", model
    )
    assert (refused.exit_code, refused.stdout, model.exists()) == (2, "", False)
    assert re.search(said, refused.stderr), refused.stderr
    assert "secret" not in refused.output


def test_holders_that_differ_are_told_and_those_alike_are_not(tmp_path: Path) -> None:
    holders = Holders(tmp_path, (3000, 3000))
    alike = run("pool", *holders.files)
    assert alike.exit_code == 0
    assert "no difference beyond chance" in alike.stdout
    assert "together" in alike.stdout
    older = holders.holder("older", 3000, 5, older=25)
    differ = run("pool", holders.files[0], older)
    assert "they differ" in differ.stdout
    assert "p = < 0.001 for all tables" in differ.stdout


def test_different_designs_are_refused_and_mixed_on_demand(tmp_path: Path) -> None:
    holders = Holders(tmp_path, (3000,))
    other = survey(0.4)
    other.save(holders.design)
    files = [holders.files[0], holders.holder("other", 3000, 8)]
    for words in (["-d", holders.design], []):
        refused = run("pool", *files, *words, "--miner", "id3", "-o", tmp_path / "m.json")
        assert refused.exit_code == 2
        assert ("--mixed" if not words else "design") in refused.stderr
        assert not (tmp_path / "m.json").exists()
    mixed = run("pool", *files, "--mixed", "--miner", "id3", "--set", "method=inverse", "--json")
    assert mixed.exit_code == 0, mixed.output
    found = json.loads(mixed.stdout)
    assert found["reports"] == 6000
    assert found["model"]["design"]["forms"] != [other.forms[0].document()]


BAD: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a column is missing": (lambda t: t.drop_columns(["sex"]), r"b.parquet.*sex"),
    "a value outside the domain": (
        lambda t: t.set_column(2, "sex", pa.array(["secret"] * t.num_rows)),
        r"b.parquet.*column .sex.",
    ),
    "a value is missing": (
        lambda t: t.set_column(2, "sex", pa.nulls(t.num_rows, pa.string())),
        r"b.parquet.*missing",
    ),
    "another fingerprint": (
        lambda t: t.replace_schema_metadata({"frankly.fingerprint": "ab" * 32}),
        r"b.parquet.*abababababab",
    ),
    "a fingerprint that is no text": (
        lambda t: t.replace_schema_metadata({b"frankly.fingerprint": b"\xff"}),
        r"b.parquet holds reports of design",
    ),
}


@pytest.mark.parametrize("engine", ["auto", "duckdb"])
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named_and_leaves_nothing_behind(
    case: str, engine: str, tmp_path: Path
) -> None:
    spoil, said = BAD[case]
    holders = Holders(tmp_path, (200, 200))
    bad = tmp_path / "b.parquet"
    pq.write_table(spoil(pq.read_table(holders.files[1])), bad)
    before = sorted(tmp_path.iterdir())
    words = ["-d", holders.design, "--engine", engine, "--miner", "id3", "-o", tmp_path / "m.json"]
    refused = run("pool", holders.files[0], bad, *words)
    assert refused.exit_code == 2
    assert re.search(said, refused.stderr), refused.stderr
    assert "secret" not in refused.output
    assert refused.stdout == ""
    assert sorted(tmp_path.iterdir()) == before


def test_a_source_named_twice_or_not_there_is_refused(tmp_path: Path) -> None:
    holders = Holders(tmp_path, (50,))
    twice = run("pool", holders.files[0], holders.files[0])
    assert (twice.exit_code, "named twice" in twice.stderr) == (2, True)
    gone = run("pool", tmp_path / "none.parquet", "-d", holders.design)
    assert (gone.exit_code, "there are no reports at" in gone.stderr) == (2, True)
    (tmp_path / "semicolons.csv").write_text("ill;sex\nno;f\n", encoding="utf-8")
    alone = run("pool", tmp_path / "semicolons.csv", "-d", holders.design)
    assert (alone.exit_code, "separated by commas" in alone.stderr) == (2, True)
    nameless = run("pool", f"sqlite:///{tmp_path / 's.sqlite'}")
    assert (nameless.exit_code, "--design" in nameless.stderr) == (2, True)
    for words in (["-o", tmp_path / "m.json"], ["--set", "max_depth=3"], ["--method", "em"]):
        idle = run("pool", holders.files[0], *words)
        assert (idle.exit_code, "--miner" in idle.stderr) == (2, True)


def test_nobody_counts_twice_by_another_name(tmp_path: Path) -> None:
    first, second = Holders(tmp_path, (50, 60)).files
    (tmp_path / "x").mkdir()
    (tmp_path / "link.parquet").symlink_to(first)
    (tmp_path / "x" / "LINK.PARQUET").symlink_to(first)
    for other in (tmp_path / "link.parquet", tmp_path / "x", tmp_path / "h*.parquet"):
        twice = run("pool", first, other)
        assert (twice.exit_code, "named twice" in twice.stderr) == (2, True), other
    copy = tmp_path / "copy.parquet"
    copy.write_bytes(first.read_bytes())
    shown = run("pool", first, copy)
    place = tmp_path.name
    assert f"{place}/h0.parquet and {place}/copy.parquet are the same to" in shown.stderr
    assert "same to the letter" not in run("pool", first, second).stderr


@pytest.mark.parametrize("command", ["pool", "estimate"])
def test_a_design_that_something_has_changed_is_asked_for(tmp_path: Path, command: str) -> None:
    holders = Holders(tmp_path, (50,))
    table = pq.read_table(holders.files[0]).replace_schema_metadata({"frankly.design": "{\xff"})
    pq.write_table(table, tmp_path / "b.parquet")
    refused = run(command, tmp_path / "b.parquet", *(["sex"] if command == "estimate" else []))
    assert refused.exit_code == 2, refused.output
    assert "b.parquet carries a design that cannot be read" in refused.stderr


def test_holders_with_names_alike_are_told_apart(tmp_path: Path) -> None:
    sources: list[object] = []
    for i, place in enumerate(["x", "y", "y/x"]):
        (tmp_path / place).mkdir()
        holder = Holders(tmp_path / place, ())
        sources.append(holder.holder("r", 50 + i, i))
        table = pq.read_table(sources[-1]).to_pylist()
        with closing(sqlite3.connect(tmp_path / f"{i}.sqlite")) as base, base:
            base.execute("CREATE TABLE reports (age, income, sex, buys)")
            base.executemany("INSERT INTO reports VALUES (:age, :income, :sex, :buys)", table)
    urls = [f"sqlite:///{tmp_path}/{i}.sqlite#reports" for i in range(2)]
    shown = run("pool", *sources, *urls, "-d", holder.design, "--json")
    assert shown.exit_code == 0, shown.output
    assert json.loads(shown.stdout)["sources"] == {
        "x/r.parquet (1)": 50,
        "y/r.parquet": 51,
        "x/r.parquet (3)": 52,
        "table reports of 0.sqlite": 50,
        "table reports of 1.sqlite": 51,
    }
    again = run("pool", urls[0], urls[0], "-d", holder.design)
    assert (again.exit_code, "named twice" in again.stderr) == (2, True)


def test_holders_with_few_reports_are_named_and_spoil_nothing(tmp_path: Path) -> None:
    holders = Holders(tmp_path, (600, 500))
    few = [holders.holder("none", 0, 7), holders.holder("two", 2, 8)]
    miner = ["--miner", "id3"]
    every = run("pool", *holders.files, *few, *miner)
    assert every.exit_code == 0, every.output
    assert "too few reports to be compared with the others: none.parquet, two.parquet" in (
        every.stderr
    )
    table = r"do the sources differ\?.*for all tables together"
    compared = re.search(table, every.stdout, re.DOTALL)
    without = re.search(table, run("pool", *holders.files, *miner).stdout, re.DOTALL)
    assert compared is not None
    assert without is not None
    assert compared[0] == without[0]
    alone = run("pool", holders.files[0], *few, *miner)
    assert alone.exit_code == 0, alone.output
    assert "cannot be told" in alone.stderr
    assert "do the sources differ" not in alone.stdout
    assert "id3" in alone.stdout.lower()


@pytest.mark.parametrize("miner", [(), ("--miner", "id3")])
def test_a_target_that_nobody_was_asked_is_refused(tmp_path: Path, miner: tuple[str, ...]) -> None:
    holders = Holders(tmp_path, (50, 50))
    refused = run("pool", *holders.files, "--target", "nosuch", *miner)
    assert (refused.exit_code, "'nosuch' is none of" in refused.stderr) == (2, True)
    assert run("pool", *holders.files, "--target", "sex", *miner).exit_code == 0


def test_a_database_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    holders = Holders(tmp_path, (50,))
    url = "postgresql://me:hidden@127.0.0.1:1/survey#reports"
    failed = run("pool", url, holders.files[0], "-d", holders.design)
    assert failed.exit_code == 1
    assert "hidden" not in failed.output
    assert failed.stdout == ""


def small_files() -> None:
    """Let the system refuse to write more than 2 kB, as a full disk would."""
    import signal  # noqa: PLC0415 - in the child

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))


@pytest.mark.parametrize("command", ["randomize", "pool"])
def test_a_disk_that_takes_no_more_leaves_no_part_behind(command: str, tmp_path: Path) -> None:
    holders = Holders(tmp_path, (3000, 3000))
    words = {
        "randomize": [tmp_path / "h0.truths.parquet", "-d", holders.design, "-o", "new.parquet"],
        "pool": [*holders.files, "--miner", "id3", "--set", "noise=0", "-o", "new.json"],
    }[command]
    before = sorted(tmp_path.iterdir())
    done = subprocess.run(
        [sys.executable, "-B", "-m", "frankly", command, *map(str, words)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=small_files,
    )
    assert done.returncode in (1, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("frankly: ") or "frankly: " in done.stderr
    assert sorted(tmp_path.iterdir()) == before
