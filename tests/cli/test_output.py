"""What a command writes never costs what it reads, and appears whole or not at all."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

import frankly as fk
from frankly.cli import main
from frankly.cli.output import writing

ANSWERS = "ill,smokes,drinks\n" + "yes,yes,no\nno,no,no\nno,yes,yes\n" * 200


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def ward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a survey, truths, and reports in both formats and in a folder."""
    monkeypatch.chdir(tmp_path)
    asked = [fk.Attribute(name, ["no", "yes"]) for name in ("ill", "smokes", "drinks")]
    groups = [fk.Group([name], fk.Uniform(0.7)) for name in ("ill", "smokes")]
    fk.Design(asked, groups=groups, target="ill").save("s.yaml")
    Path("t.csv").write_text(ANSWERS)
    Path("all").mkdir()
    for seed, name in enumerate(["r.parquet", "r.csv", "all/one.parquet"]):
        made = run("randomize", "t.csv", "-d", "s.yaml", "-o", name, "--simulate", "--seed", seed)
        assert made.exit_code == 0, made.output
    Path("old.json").write_text("old")
    Path("l.parquet").symlink_to("r.parquet")
    return tmp_path


def bytes_in(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(
    "words",
    [
        "check s.yaml --html s.yaml",
        "check s.yaml --markdown ./s.yaml",
        "check s.yaml --svg all/../s.yaml",
        "check s.yaml --reports r.parquet --html r.parquet",
        "mine id3 r.parquet -o r.parquet",
        "mine id3 r.parquet --svg r.parquet",
        "mine id3 r.parquet -o l.parquet",
        "mine id3 l.parquet -o r.parquet",
        "mine id3 r.csv -o r.csv.design.json",
        "mine id3 all -o all/one.parquet",
        "mine id3 r.parquet -d s.yaml -o s.yaml",
        "audit r.parquet --html r.parquet",
        "audit r.parquet --truths t.csv --html t.csv",
        "audit r.parquet -d s.yaml --html s.yaml",
        "pool r.parquet r.csv --miner id3 -o r.parquet",
        "pool r.parquet all --miner id3 -o all/one.parquet",
        "pool r.parquet sqlite:///t.csv#t --miner id3 -o t.csv",
        "advise --questions s.yaml --n 1000 --precision 0.05 -o s.yaml",
        "advise --questions s.yaml --n 1000 --precision 0.05 -o s.yaml --force",
        "advise --questions s.yaml --n 1000 --precision 0.05 --svg s.yaml",
        "randomize t.csv -d s.yaml -o t.csv --force",
        "randomize t.csv -d r.csv.design.json -o r.csv --force",
        "convert s.yaml s.yaml --force",
        "check s.yaml --html t.csv",
        "check s.yaml --markdown r.parquet",
        "check s.yaml --svg old.json",
        "audit r.parquet --html t.csv",
        "mine id3 r.parquet -o t.csv",
        "mine id3 r.parquet -o old.json",
        "pool r.parquet r.csv --miner id3 -o old.json",
        "mine id3 r.parquet --svg s.yaml",
        "advise --questions s.yaml --n 1000 --precision 0.05 --svg t.csv",
    ],
)
def test_what_a_command_reads_and_data_of_another_kind_is_never_written_over(
    ward: Path, words: str
) -> None:
    before = bytes_in(ward)
    refused = run(*words.split())
    assert refused.exit_code == 2, refused.output
    assert "would be lost" in refused.stderr
    assert bytes_in(ward) == before


@pytest.mark.parametrize(
    "words",
    [
        "randomize t.csv -d s.yaml -o r.parquet",
        "randomize t.csv -d s.yaml -o r.csv",
        "advise --questions s.yaml --n 1000 --precision 0.1 -o r.csv",
        "convert s.yaml old.json",
    ],
)
def test_what_cannot_be_made_again_is_replaced_only_by_force(ward: Path, words: str) -> None:
    before = bytes_in(ward)
    refused = run(*words.split())
    assert refused.exit_code == 2, refused.output
    assert "--force" in refused.stderr
    assert bytes_in(ward) == before
    assert run(*words.split(), "--force").exit_code == 0
    after = bytes_in(ward)
    assert after.keys() == before.keys()
    assert after != before


def test_a_design_alone_is_also_not_written_over(ward: Path) -> None:
    (ward / "r.csv").unlink()
    refused = run("randomize", "t.csv", "-d", "s.yaml", "-o", "r.csv")
    assert (refused.exit_code, "r.csv.design.json" in refused.stderr) == (2, True)


def test_an_export_never_replaces_another_unless_forced(ward: Path) -> None:
    assert run("open", "s.yaml", "--name", "ward").exit_code == 0
    (ward / "k.csv").write_text("precious")
    refused = run("export", "ward", "-o", "k.csv")
    assert (refused.exit_code, (ward / "k.csv").read_text()) == (2, "precious")
    assert "--force" in refused.stderr
    assert run("export", "ward", "-o", "k.csv", "--force").exit_code == 0
    assert (ward / "k.csv").read_text() != "precious"
    beside = sorted(path.name for path in ward.glob("*k.csv*"))
    assert beside == ["k.csv", "k.csv.design.json", "k.csv.readme.txt"]


def test_pictures_pages_and_models_may_be_replaced(ward: Path) -> None:
    for name in ("m.svg", "m.html"):
        (ward / name).write_text("old")
    assert run("mine", "naive-bayes", "r.parquet", "-o", "m.json").exit_code == 0
    old = (ward / "m.json").read_text()
    assert run("mine", "id3", "r.parquet", "-o", "m.json", "--svg", "m.svg").exit_code == 0
    assert run("check", "s.yaml", "--html", "m.html").exit_code == 0
    assert all((ward / name).read_text() != "old" for name in ("m.svg", "m.html"))
    assert (ward / "m.json").read_text() != old


@pytest.mark.parametrize(
    "words",
    [
        "estimate {} ill",
        "mine naive-bayes {} -o ../m.json",
        "audit {} --html ../a.html",
        "pool {} ../r.parquet",
        "judge ../nb.json {}",
        "check ../s.yaml --reports {} --html ../c.html",
    ],
)
@pytest.mark.parametrize("folder", [".", "../all", "deeper/.."])
def test_the_folder_one_is_in_is_a_folder_of_reports(
    ward: Path, monkeypatch: pytest.MonkeyPatch, words: str, folder: str
) -> None:
    assert run("mine", "naive-bayes", "r.parquet", "-o", "nb.json").exit_code == 0
    (ward / "all" / "deeper").mkdir()
    monkeypatch.chdir(ward / "all")
    shown = run(*words.format(folder).split())
    assert shown.exit_code == 0, shown.output
    assert "pool" not in words or "all " in shown.output


def test_the_design_beside_a_folder_is_found_from_inside(
    ward: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = pq.read_table("r.parquet").replace_schema_metadata(None)
    pq.write_table(plain, ward / "all" / "one.parquet")
    monkeypatch.chdir(ward / "all")
    refused = run("estimate", ".", "ill")
    assert (refused.exit_code, "all does not carry the survey" in refused.stderr) == (2, True)
    refused = run("estimate", "/", "ill")
    assert (refused.exit_code, "no reports at '/'" in refused.stderr) == (2, True)
    fk.Design.load(ward / "s.yaml").save(ward / "all.design.json")
    assert run("estimate", ".", "ill").exit_code == 0


def test_one_file_is_not_written_twice(ward: Path) -> None:
    refused = run("check", "s.yaml", "--html", "x", "--svg", "x")
    assert (refused.exit_code, "twice" in refused.stderr) == (2, True)
    assert not (ward / "x").exists()


@pytest.mark.parametrize(
    "words",
    [
        "new none/s.yaml",
        "check s.yaml --html none/x",
        "mine id3 r.parquet -o none/x",
        "randomize t.csv -d s.yaml -o none/x.csv",
        "backup none/x",
    ],
)
def test_a_folder_that_is_not_there_is_said_before_any_work(ward: Path, words: str) -> None:
    refused = run(*words.split())
    assert (refused.exit_code, "no folder none" in refused.stderr) == (2, True)
    assert not (ward / "none").exists()


def test_a_link_stays_a_link_and_a_device_a_device(ward: Path) -> None:
    (ward / "page.html").write_text("old")
    Path("now.html").symlink_to("page.html")
    assert run("check", "s.yaml", "--html", "now.html", "--svg", "/dev/null").exit_code == 0
    assert (ward / "now.html").is_symlink()
    assert "<html" in (ward / "page.html").read_text()
    assert not Path("/dev/null").is_file()


def test_what_breaks_off_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError), writing(target) as part:
        part.write_text(f"half {1 / part.write_text('')}")
    assert bytes_in(tmp_path) == {"page.html": b"old"}
    assert list(tmp_path.iterdir()) == [target]


def test_a_full_device_is_said_in_words(ward: Path) -> None:
    refused = run("check", ward / "s.yaml", "--html", "/dev/full")
    assert (refused.exit_code, "No space left" in refused.stderr) == (1, True)


@contextmanager
def small_files() -> Iterator[None]:
    """Let the system refuse to write more than 200 bytes to a file, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize(
    "words",
    [
        "check s.yaml --html page.html",
        "mine id3 r.parquet -o model.json",
        "advise --questions s.yaml --n 1000 --precision 0.1 --svg a.svg",
        "new other.yaml",
        "randomize t.csv -d s.yaml -o new.csv",
        "open s.yaml --name other",
    ],
)
def test_a_disk_that_takes_no_more_is_said_in_words(ward: Path, words: str) -> None:
    assert run("open", "s.yaml", "--name", "ward").exit_code == 0
    before = bytes_in(ward)
    with small_files():
        refused = run(*words.split())
    assert refused.exit_code == 1, refused.output
    assert refused.stderr.startswith("frankly: ")
    after = bytes_in(ward)
    assert {name: after[name] for name in after if ".sqlite-" not in name} == {
        name: before[name] for name in before if ".sqlite-" not in name
    }


@pytest.mark.parametrize("end", ["csv", "parquet", "sav", "dta", "xml"])
def test_an_export_that_finds_no_room_is_said_in_words(
    ward: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    assert run("open", "s.yaml", "--name", "ward").exit_code == 0
    module = import_module("frankly.cli.export")
    write: Any = module.write_file

    def cramped(*words: Any) -> None:
        with small_files():
            write(*words)

    monkeypatch.setattr(module, "write_file", cramped)
    refused = run("export", "ward", "-o", f"k.{end}")
    assert refused.exit_code == 1, refused.output
    assert refused.stderr.startswith("frankly: ")
    assert not [path for path in ward.iterdir() if f"k.{end}" in path.name]
