"""Every figure can be made, written and believed."""

import csv
import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.text import Text

from frankly.mechanism import Flip, Unrelated
from frankly.mine.tree import Node, Split
from frankly.reproduce import FIGURES, Figure, Lab, frontier, soni_privacy, soni_trees
from frankly.reproduce.data import Bits, adult, split, wdbc
from frankly.reproduce.lu_delta import EVENTS, errors
from frankly.reproduce.lu_people import HIDDEN, asked, customers
from frankly.reproduce.lu_range import leaves, limits
from frankly.reproduce.lu_shop import Shop
from frankly.reproduce.lu_tree import same
from frankly.reproduce.plot import apart, draw
from frankly.reproduce.soni_privacy import after_a_leak, entry
from frankly.reproduce.surveys import answered, hidden, naive_bayes
from frankly.reproduce.write import page, write
from frankly.reproduce.zhan_feedback import told_on
from frankly.reproduce.zhan_privacy import printed, pse
from tests.reproduce.made_up import write_adult


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """A lab with 300 made-up people, eight answers each, and little to do."""
    write_adult(tmp_path, 300)
    (tmp_path / "breast-cancer-wisconsin.data").write_text(
        "\n".join(
            f"{i},{i % 9},{i % 7},{i % 5},1,2,{i % 4},3,1,1,{4 if i % 9 > 4 else 2}"
            for i in range(90)
        )
    )
    few = {"related": (0.6,), "unrelated": (0.3,)}
    monkeypatch.setattr(soni_trees, "THETAS", few)
    monkeypatch.setattr(soni_trees, "GROUPS", (1, 4))
    some = {"modules": (1, 2), "1 group": (0.1,), "1 flip": (0.6,)}
    families = {k: replace(frontier.FAMILIES[k], settings=v) for k, v in some.items()}
    monkeypatch.setattr(frontier, "FAMILIES", families)
    monkeypatch.setattr(Lab, "adult", few_answers)
    return Lab(tmp_path, repeats=2)


def few_answers(lab: Lab, *, test: bool = True) -> Bits:
    whole = adult(lab.data or Path(), test=test)
    return Bits({name: whole.codes[name] for name in whole.names[-8:]}, whole.target)


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_made_and_written(name: str, lab: Lab, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    watched = replace(lab, progress=lambda done, total: seen.append((done, total)))
    figure = FIGURES[name].make(watched)
    assert figure.name == name
    assert not seen or seen[-1][0] == seen[-1][1]
    svg, png, table, text = write(figure, tmp_path / "out")
    assert ET.parse(svg).getroot().tag.endswith("svg")
    assert svg.stat().st_size < 200_000
    assert png.read_bytes().startswith(b"\x89PNG")
    rows = list(csv.reader(table.read_text().splitlines()))
    assert rows[0] == [column.name for column in figure.columns]
    assert len(rows) == len(figure.rows) + 1
    said = text.read_text()
    for part in (figure.title, figure.claim, figure.found, figure.better, figure.caption):
        assert part in said
    assert said.count("\n| ") == len(figure.rows) + 2
    finite(figure)


def finite(figure: Figure) -> None:
    """Refuse a number that cannot be drawn."""
    for panel in figure.panels:
        for line in panel.lines:
            assert all(map(math.isfinite, (*line.x, *line.y)))
            if line.low is not None and line.high is not None:
                ends = zip(line.low, line.high, strict=True)
                assert all(low <= high for low, high in ends)


def test_the_same_seed_gives_the_same_picture(tmp_path: Path) -> None:
    files = [write(FIGURES["lu-delta"].make(Lab(repeats=5)), tmp_path / d) for d in ("a", "b")]
    assert files[0][0].read_bytes() == files[1][0].read_bytes()
    other = FIGURES["lu-delta"].make(Lab(repeats=5, seed=1))
    assert page(other) != files[0][3].read_text()


def test_text_in_a_picture_stays_text_and_is_readable_at_8_cm(tmp_path: Path) -> None:
    shop = FIGURES["lu-shop"].make(Lab())
    svg, *_ = write(shop, tmp_path)
    assert "everybody</text>" in svg.read_text()
    picture = draw(shop)
    assert picture.get_figwidth() == pytest.approx(8 / 2.54, abs=0.01)
    found = [one for one in picture.findobj() if isinstance(one, Text)]
    assert min(float(text.get_fontsize()) for text in found if text.get_text()) >= 6


def test_names_are_moved_apart_and_stay_in_order() -> None:
    places = apart([0.99, 1.0, 1.0, 0.2], [0.1] * 4)
    assert sorted(places) == [places[3], places[0], places[2], places[1]]
    gaps = np.diff(sorted(places))
    assert gaps.min() > 0.09


def test_the_shop_earns_what_the_paper_says() -> None:
    shop = Shop()  # Lu et al., section 5
    assert (shop.everybody(), shop.chosen(0.03)) == (21000, 26300)
    assert shop.chosen(shop.break_even()) == pytest.approx(shop.everybody())


def test_the_feasible_range_is_theta_wide_and_left_as_often_as_simulated() -> None:
    for theta in (0.1, 0.5, 0.9):
        low, high = limits(theta, 1 / 9)
        assert high - low == pytest.approx(theta)
    # 40,000 surveys: the standard error is at most 0.0025, so 4 of them 0.01.
    chance = np.random.default_rng(1)
    seen = chance.binomial(120, 0.3 * 0.05 + 0.7 / 9, 40_000) / 120
    outside = ((seen - 0.7 / 9) / 0.3 < -1e-12).mean()
    assert leaves(0.3, 1 / 9, 120) == pytest.approx(outside, abs=0.01)


def test_the_printed_sums_hold_for_a_fair_cover_only() -> None:
    for prior in (0.1, 0.3, 0.5):
        assert printed(0.6, prior, 0.5) == pytest.approx(pse(0.6, prior, 0.5))
    # Zhan and Matwin 2007, section 4.1, away from Wy = 0.5.
    assert abs(printed(0.6, 0.3, 0.2) - pse(0.6, 0.3, 0.2)) > 0.02


def test_a_bit_of_feedback_proves_half_of_the_coins_and_is_never_wrong() -> None:
    train, test = split(wdbc(), 2)
    design = hidden(train.attributes, "class", Unrelated(theta=0.5))
    model = naive_bayes(answered(design, train, "feedback"), "inverse")
    truth = model.predict_codes(test.codes) == test.codes["class"]
    chance = np.random.default_rng(3)
    runs = np.array([told_on(model, test, truth, 0.5, chance) for _ in range(300)])
    # 300 tests of about 57 truth-tellers: standard error 0.004, so 5 of them 0.02.
    assert runs[:, 0].mean() == pytest.approx(0.5, abs=0.02)
    for column in (1, 2):  # both ways to the accuracy are unbiased
        error = runs[:, column].std() / np.sqrt(len(runs))
        assert abs(runs[:, column].mean() - truth.mean()) < 4.5 * error


def test_hiding_one_more_attribute_only_touches_events_that_name_it() -> None:
    truths = customers(200, np.random.default_rng(4))
    two = errors(asked(0.6), truths, 800, "two")
    three = errors(asked(0.6, (*HIDDEN, "gender")), truths, 800, "three")
    for event in EVENTS:
        for found in (two[event], three[event]):  # unbiased; false-alarm rate below 1e-4 in all
            assert abs(found.mean()) < 4.5 * found.std() / np.sqrt(len(found))
    ratio = {event: three[event].std() / two[event].std() for event in EVENTS}
    # The standard error of each ratio is about 0.035.
    assert ratio["HA"] == pytest.approx(1, abs=0.14)
    assert ratio["LOB"] == pytest.approx(1, abs=0.14)
    assert ratio["MMB"] > 1.1


def test_a_leaked_answer_turns_a_flip_round_and_only_warns_of_a_drawn_one() -> None:
    assert after_a_leak(Flip(theta=0.7), 0.4, 0.2) == 0
    drawn = after_a_leak(Unrelated(theta=0.5), 0.4, 0.2)
    assert 0 < drawn < entry(Unrelated(theta=0.5), 0.2)
    assert soni_privacy.mean_after(wdbc(), Flip(theta=0.7), 1) == 0


def test_trees_are_the_same_only_if_questions_and_answers_are() -> None:
    leaf, other = Node(0.5, 0.0, (0.9, 0.1)), Node(0.5, 0.0, (0.1, 0.9))

    def tree(name: str, *leaves: Node) -> Node:
        return Node(1.0, 0.0, (0.5, 0.5), Split(name, ((0,), (1,)), 0.1, 0.0), leaves)

    assert same(tree("age", leaf, other), tree("age", leaf, other))
    assert not same(tree("age", leaf, other), tree("sex", leaf, other))
    assert not same(tree("age", leaf, other), tree("age", other, leaf))
    assert not same(tree("age", leaf, other), leaf)
