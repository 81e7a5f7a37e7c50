"""Pages that teach by commands: every line runs as it is written, from an empty folder."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.collaborate.processes import Running, finished, free_port, run

ROOT = Path(__file__).parents[2]
PYTHON = re.compile(
    r"^```python\n((?:.*\n)*?)```$|^    python3 - <<'END'\n((?:.*\n)*?)    END$", re.M
)


def steps(page: str) -> Iterator[str]:
    """Give a page's Python (fenced, or told to python3) and commands (indented), in order."""
    text = (ROOT / "docs" / page).read_text().replace("\\\n", "")
    for part in re.split(
        r"(?<=\n)(?=```python)|(?<=```\n)|(?=^    python3)|(?<=END\n)", text, flags=re.M
    ):
        python = PYTHON.match(part)
        if python:
            yield re.sub("^    ", "", python[2], flags=re.M) if python[2] else python[1]
        else:
            yield from (f"$ {line.strip()}" for line in re.findall(r"^    .*$", part, re.M))


def play(page: str, port: int) -> None:
    """Do what a page says, here: the first command with & serves until it is killed."""
    behind: list[Running] = []
    for step in steps(page):
        if not step.startswith("$ "):
            exec(compile(step, page, "exec"), {})
            continue
        words = shlex.split(step[2:].replace("8443", str(port)))
        found = [
            [str(path) for path in Path().glob(word)] if "*" in word else [word] for word in words
        ]
        match [word for one in found for word in one]:
            case ["frankly", *most, "&"]:
                behind.append(Running(most, Path(f"said-{len(behind)}")))
            case ["frankly", *most]:
                run(*most)
            case ["wait"]:
                finished(behind[1:])
            case ["kill", "%1"]:
                behind.pop(0).kill()
            case brackets:
                assert brackets in (["("], [")"]), step


@pytest.mark.parametrize(
    ("page", "made"),
    [
        ("collaborate.md", {"north.json", "south.json", "west.json"}),
        ("pooling.md", {"shop-a.parquet", "counts.npz"}),
    ],
)
def test_a_page_runs_as_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str, made: set[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    play(page, free_port())
    assert made <= {path.name for path in tmp_path.iterdir()}
