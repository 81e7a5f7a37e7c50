"""P13: manipulation is bounded, and the bound is what a simulation shows.

A share f of crafted rows shifts an estimated share by at most f (1 - (1 - theta)/K) / theta.
False alarms: each simulated shift lies within 3 standard errors with probability 0.997; the
seeds are fixed, so a pass stays a pass.
"""

import itertools

import httpx
import numpy as np
import pytest

from frankly import Attribute, Design, Group, Tape, Unrelated, estimate, randomize
from frankly.store import Store
from tests.live import DESIGN, body_for, figure, running, some_report, survey_in

PEOPLE = 40_000


def bound(f: float, theta: float, cells: int) -> float:
    """Tell the worst shift of an empty cell by a share f of crafted rows."""
    return f * (1 - (1 - theta) / cells) / theta


def shifted(f: float, theta: float, cells: int, seed: int) -> tuple[float, float]:
    """Let a share f of people send a crafted row; give the shift and its standard error."""
    values = [f"v{i}" for i in range(cells)]
    group = Group(["q"], Unrelated(theta=theta))
    design = Design([Attribute("q", values)], groups=[group])
    truths = np.array(values[1:])[np.random.default_rng(seed).integers(0, cells - 1, PEOPLE)]
    reports = np.array(randomize(design, {"q": truths}, Tape.seeded(seed))["q"])
    honest = estimate(design, {"q": reports}, ["q"])
    reports[: int(f * PEOPLE)] = values[0]
    crafted = estimate(design, {"q": reports}, ["q"])
    return float(crafted.share[0] - honest.share[0]), float(honest.stderr[0])


@pytest.mark.parametrize(("theta", "cells"), list(itertools.product([0.3, 0.7], [2, 64])))
def test_the_worst_shift_is_the_stated_one(theta: float, cells: int, full: bool) -> None:
    shift, error = shifted(0.05, theta, cells, seed=7)
    stated = bound(0.05, theta, cells)
    figure("P13", f"theta {theta}, {cells} cells, 5 % crafted: shift, stated {stated:.3f}",
           f"{shift:.3f} ± {error:.3f}", full=full)  # fmt: skip
    assert abs(shift - stated) < 3 * error


def test_the_reference_values_hold() -> None:
    # THREATS, P13: 1 % crafted rows.
    assert bound(0.01, 0.7, 2) == pytest.approx(0.012, abs=5e-4)
    assert bound(0.01, 0.3, 64) == pytest.approx(0.033, abs=5e-4)


def test_a_bound_that_forgets_theta_is_caught() -> None:
    shift, error = shifted(0.05, 0.3, 2, seed=7)
    assert abs(shift - 0.05) > 3 * error


def test_only_rows_of_the_domain_are_taken_and_one_an_invitation(url: str) -> None:
    secrets = survey_in(url, 3)
    with running(url) as live, httpx.Client(base_url=live.base, timeout=30) as client:
        for label in ("maybe", "", "YES", "yes ", None, 1, True, ["yes"]):
            body = body_for(DESIGN, secrets[0], {**some_report(), "ill": label})
            assert client.post("/ward/reports", json=body).status_code == 422
        for _ in range(5):
            client.post("/ward/reports", json=body_for(DESIGN, secrets[1], some_report()))
    with Store(url, upgrade=False) as store:
        assert store.size("ward") == 1
