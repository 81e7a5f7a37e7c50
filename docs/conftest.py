"""What the pages' examples find around them; one page talks to a real studio."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from frankly import Tape, randomize
from frankly.cli.demo import answer_all
from frankly.store import Store
from frankly.store.people import add_account, make_key
from tests.live import running


@pytest.fixture(autouse=True)
def a_studio(
    request: pytest.FixtureRequest, tmp_path: Path, doctest_namespace: dict[str, object]
) -> Iterator[None]:
    """Run a studio for studio.md: its ``address``, a ``key``, and ``people_answer``."""
    if request.node.path.name != "studio.md":
        yield
        return
    url = str(tmp_path / "frankly.sqlite")
    with Store(url) as store:
        add_account(store, "ann", "no hash", "owner")
        key = make_key(store, "ann", "docs", ["read", "design", "run", "members", "mine", "export"])

        def people_answer(name: str, n: int) -> None:
            design, chance = store.survey(name).design, np.random.default_rng(4)
            truths = {a.name: chance.choice(a.values, n, p=[0.8, 0.2]) for a in design.attributes}
            answer_all(store, name, randomize(design, truths, Tape.seeded(4)))

        launch = (sys.executable, "-m", "frankly.studio")
        with running(url, launch=launch) as live:
            given = {"address": live.base, "key": key, "people_answer": people_answer}
            doctest_namespace.update({**given, "folder": tmp_path})
            yield
