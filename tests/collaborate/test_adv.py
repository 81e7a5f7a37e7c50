"""The bench of games catches what is broken, and says of the rest only what it measured.

Games are few here, so nothing sound is judged by its bar; `frankly bench adv` plays 10,000 a view.
A sound view fails below with a chance under 1e-6: an advantage above 0.5 in 120 games is more than
five standard errors.
"""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from gmpy2 import mpz

from frankly.bench import adv as bench
from frankly.collaborate.adv import Advantage, Direct, Learned, Setting, Sight, bits_of, measure
from frankly.collaborate.adv_masks import mask_settings
from frankly.collaborate.adv_paillier import paillier_settings
from frankly.collaborate.adv_zhan import logarithm, zhan_settings
from frankly.collaborate.paillier import FixedBase, PrivateKey, make_key
from frankly.collaborate.zhan import Ring, product_chain
from frankly.errors import FaithfulWarning

GAMES = 120


@pytest.fixture(scope="module")
def found(key: PrivateKey, powers: FixedBase) -> list[Advantage]:
    short = make_key(512, least=512)
    small = Ring(4, short, FixedBase.build(short.public, uses=1000))
    settings = [
        *mask_settings(),
        *paillier_settings(key, powers),
        *zhan_settings(Ring(4, key, powers), small),
    ]
    return [one for setting in settings for one in measure(setting, GAMES, 200)]


def test_every_broken_scheme_is_caught(found: list[Advantage]) -> None:
    caught = {(one.scheme, one.attack): one.adv for one in found if one.bar == "caught"}
    assert min(caught.values()) > 0.9, caught
    attacks = {attack for _, attack in caught}
    assert attacks == {
        "learned from bits",
        "difference of two",
        "algebraic check",
        "opened",
        "baby step, giant step",
        "taken modulo X",
        "k/N grid",
        "adds up to 1",
        "sizes of the gaps",
    }


def test_no_sound_view_gives_itself_away_at_once(found: list[Advantage]) -> None:
    hidden = [one for one in found if one.bar == "hidden"]
    assert max(abs(one.adv) for one in hidden) < 0.5, hidden
    views = {(one.scheme, one.view) for one in hidden}
    assert views >= {("masks", view) for view in ("relay", "party 1", "party 2", "party 3")}
    roles = ("relay", "aggregator", "key holder", "a sender")
    assert views >= {("paillier", view) for view in roles}
    chain = ("relay", "party 1", "party 2", "party 3", "party 4")
    assert views >= {("protocol 1 refreshed", view) for view in chain}


def test_a_known_leak_is_told_with_its_size(found: list[Advantage]) -> None:
    # 10 r1 > 20 r2 for two uniform r has the chance 1/4, so ADV is 1/2.
    (gaps,) = (one for one in found if one.scheme == "largest, fresh blinds")
    assert 0.0 < gaps.adv < 0.9


@pytest.mark.parametrize("wins", [0, 1000])
def test_the_interval_is_clopper_and_pearsons(wins: int) -> None:
    # With no win in n games the upper limit of the rate is 1 - 0.025 ** (1 / n).
    ends = Advantage("s", "v", "a", 1000, wins, "hidden").interval()
    exact = 2 * (1 - 0.025 ** (1 / 1000)) - 1
    assert ends == pytest.approx((-1, exact) if not wins else (-exact, 1), abs=1e-9)


def test_the_bars_decide_by_the_right_end() -> None:
    def judged(wins: int, bar: str) -> bool:
        return Advantage("s", "v", "a", 10_000, wins, bar).holds  # type: ignore[arg-type]

    assert judged(5000, "hidden")
    assert not judged(5250, "hidden")
    assert judged(10_000, "caught")
    assert not judged(9_700, "caught")
    assert judged(7_000, "told")


def test_the_ideal_world_scores_nothing_and_an_open_one_everything() -> None:
    learned = Learned(bits_of)
    rng = np.random.default_rng(3)
    ideal = Setting("ideal", lambda _: rng.bytes(8), (Sight("all", learned, "hidden"),))
    (nothing,) = measure(ideal, 2000, 1000)
    assert abs(nothing.adv) < 0.12  # more than five standard errors
    open_ = Setting("open", lambda coin: bytes([coin]), (Sight("all", learned, "caught"),))
    (everything,) = measure(open_, 500, 200)
    assert everything.holds
    assert everything.chances == (0.5, 0.5, 1.0)


def test_a_direct_attack_sees_one_run_only() -> None:
    direct = Direct("reads", lambda run: bool(run == 2))
    assert direct.guess([9], np.array([True]), [1, 2]).tolist() == [False, True]


@pytest.mark.parametrize("exponent", [0, 1, 999_999, 10**6, 250_000])
def test_the_eavesdropper_finds_exponents_up_to_a_million(key: PrivateKey, exponent: int) -> None:
    base = mpz(7) ** 1001
    power = pow(base, exponent, key.public.n2)
    assert logarithm(base, power, key.public.n2, 10**6) == exponent


def test_the_eavesdropper_finds_nothing_in_a_refreshed_chain(
    key: PrivateKey, powers: FixedBase
) -> None:
    ring = Ring(4, key, powers, rerandomise=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FaithfulWarning)
        wires = product_chain(ring, [250_000, 3, 5, 7]).wires
    for before, after in pairwise(wires):
        pair = (mpz(before.numbers[0]), mpz(after.numbers[0]))
        assert logarithm(*pair, key.public.n2, 10**6) is None


def test_randomized_response_is_one_more_scheme() -> None:
    for theta in (0.3, 0.7):
        told = bench.told(theta, 4000)
        assert told.exact == pytest.approx(theta)
        assert abs(told.played.adv - theta) < 0.1  # six standard errors
        # With both answers equally common PSE is (1 - ADV²) / 2, and only then.
        assert told.pse[0] == pytest.approx((1 - theta**2) / 2)
        assert told.pse[1] != pytest.approx((1 - theta**2) / 2, abs=0.05)


def test_one_pse_goes_with_two_advantages() -> None:
    rare = bench.told(0.5, 10).pse[1]
    theta = float(np.sqrt(1 - 2 * rare))
    assert bench.told(theta, 10).pse[0] == pytest.approx(rare)
    assert theta - 0.5 > 0.3


def test_the_bench_lays_out_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "settings", lambda _: mask_settings()[:1])
    rows = [row for row in bench.rows(games=60, known=60) if isinstance(row, Advantage)]
    texts = [row for row in bench.rows(games=60, known=60) if isinstance(row, str)]
    assert len(rows) == 1 + len(bench.THETAS)
    assert bench.CLAIM in texts
    laid = bench.table(rows)
    assert laid.row_count == len(rows)
    assert rows[0].to_dict()["pr_t_given_output"] == 0.5
