"""The tutorial for analysts runs, line by line."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "mining.md"


def test_the_tutorial_runs() -> None:
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=options)
    assert failed == 0
    assert tried > 25
