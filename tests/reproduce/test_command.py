"""frankly reproduce: lists, makes, and helps when it cannot."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from frankly.cli import main
from frankly.reproduce import FIGURES


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["reproduce", *(str(word) for word in words)])


@pytest.mark.parametrize("words", [("--list",), ()])
def test_the_list_names_every_figure(words: tuple[str, ...]) -> None:
    shown = run(*words)
    assert shown.exit_code == 0
    assert all(name in shown.output for name in FIGURES)
    listed = json.loads(run(*words, "--json").output)["figures"]
    assert [row["figure"] for row in listed] == list(FIGURES)


def test_a_figure_becomes_four_files(tmp_path: Path) -> None:
    shown = run("lu-shop", "lu-range", "--out", tmp_path / "new")
    assert shown.exit_code == 0, shown.output
    made = {path.name for path in (tmp_path / "new").iterdir()}
    names = ("lu-shop", "lu-range")
    assert made == {f"{n}.{kind}" for n in names for kind in ("svg", "png", "csv", "md")}
    told = json.loads(run("lu-shop", "--out", tmp_path, "--json").output)
    assert told["figures"][0]["figure"] == "lu-shop"


def test_an_unknown_figure_is_refused_before_any_work(tmp_path: Path) -> None:
    shown = run("lu-shop", "fig-9", "--out", tmp_path / "new")
    assert shown.exit_code == 2
    assert "there is no figure 'fig-9'" in shown.output
    assert not (tmp_path / "new").exists()


def test_a_folder_without_the_data_is_named(tmp_path: Path) -> None:
    shown = run("zhan-adult", "--data", tmp_path, "--out", tmp_path)
    assert shown.exit_code == 2
    assert "adult.data is not in" in shown.output


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("frankly.reproduce.write", "frankly.reproduce.plot"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    shown = run("lu-shop")
    assert shown.exit_code == 2
    assert "pip install 'frankly[plot]'" in shown.output
