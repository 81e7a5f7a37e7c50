"""Samples: surveys on common topics, to start from."""

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import yaml

from frankly.errors import DesignError
from frankly.studio.files import read_survey_file
from frankly.studio.view import words

__all__ = ["Sample", "sample", "samples"]


@dataclass(frozen=True)
class Sample:
    """A survey to start from: its name, and what it is about."""

    name: str
    title: str
    about: str


@lru_cache(maxsize=1)
def samples() -> tuple[Sample, ...]:
    """List the samples by title.

    Examples
    --------
    >>> [one.name for one in samples()]
    ['alcohol_drugs', 'workplace', 'exams', 'health', 'harassment', 'taxes']
    """
    found = [one for one in files(__name__).iterdir() if one.name.endswith(".yaml")]
    told = [(one.name[:-5], yaml.safe_load(one.read_text(encoding="utf-8"))) for one in found]
    listed = [Sample(name, words(d["title"]), words(d["about"]["what"])) for name, d in told]
    return tuple(sorted(listed, key=lambda one: one.title))


def sample(name: str) -> dict[str, Any]:
    """Give the document of a sample.

    Examples
    --------
    >>> sample("exams")["target"]
    'copied'
    """
    if name not in {one.name for one in samples()}:
        raise DesignError(
            f"there is no sample {name!r}. There are: {', '.join(one.name for one in samples())}"
        )
    return read_survey_file(f"{name}.yaml", files(__name__).joinpath(f"{name}.yaml").read_bytes())
