"""A tree drawn: well-formed, complete, readable aloud, and silent about what it was not told."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from frankly.count import ArrayEngine
from frankly.design import Attribute, Design
from frankly.mine import CART, ID3
from frankly.mine.tree import Node, Split, Tree
from frankly.report import tree_svg
from frankly.report.tree_svg import finding
from tests.mine.survey import attributes, in_clear, people

SVG = "{http://www.w3.org/2000/svg}"
SIZES = {"a": 2, "b": 3, "c": 4, "class": 3}


@pytest.fixture
def model() -> ID3:
    engine = in_clear(SIZES, people(SIZES, 4000, 1))
    return ID3(design=engine.design, target="class", max_depth=2).fit(engine)


def test_every_node_is_drawn_with_its_classes_its_share_and_the_ways_between(model: ID3) -> None:
    drawing = ET.fromstring(tree_svg(model))
    nodes = [node for _, node in model.tree_.root.walk()]
    assert len(drawing.findall(f"{SVG}g")) == len(nodes)
    assert len(drawing.findall(f"{SVG}path")) == len(nodes) - 1
    words = " ".join(one.text or "" for one in drawing.iter(f"{SVG}text"))
    for node in nodes[1:]:
        size = f"{node.share:.1%} ± {1.96 * node.stderr:.1%} of all"
        assert size in words
        assert size in model.summary(), "the text and the picture mean the same by ±"
    for node in nodes:
        if node.split is not None:
            gain = f"gain {node.split.gain:.3f} ± {1.96 * node.split.stderr:.3f}"
            assert f"by {node.split.name}, {gain}" in words
            assert f"by {node.split.name}, {gain}" in model.summary()


def test_a_bar_is_as_long_as_the_share_it_stands_for(model: ID3) -> None:
    drawing = ET.fromstring(tree_svg(model))
    widths = [
        float(bar.attrib["width"]) for bar in drawing.findall(f"{SVG}g")[0].iter(f"{SVG}rect")
    ]
    assert [w / sum(widths) for w in widths] == pytest.approx(model.tree_.root.classes, abs=0.002)


def test_nothing_lies_outside_the_picture_or_on_another_node(model: ID3) -> None:
    drawing = ET.fromstring(tree_svg(model))
    _, _, width, height = map(float, drawing.attrib["viewBox"].split())
    places = []
    for one in drawing.findall(f"{SVG}g"):
        texts = list(one.iter(f"{SVG}text"))
        x, top = float(texts[0].attrib["x"]), float(texts[0].attrib["y"]) - 12
        bottom = float(texts[-1].attrib["y"]) + 4
        assert 0 <= x < width - 200
        assert 60 < top < bottom < height
        places.append((x, top, bottom))
    for i, (x, top, bottom) in enumerate(places):
        others = [place for j, place in enumerate(places) if j != i and place[0] == x]
        assert all(bottom <= other[1] or other[2] <= top for other in others)


def test_a_screen_reader_hears_the_finding_and_the_whole_tree(model: ID3) -> None:
    drawing = ET.fromstring(tree_svg(model))
    assert drawing.attrib["role"] == "img"
    title, told = drawing.find(f"{SVG}title"), drawing.find(f"{SVG}desc")
    assert title is not None
    assert told is not None
    assert model.tree_.root.split is not None
    assert title.text == f"{model.tree_.root.split.name} tells most about class"
    assert str(model.tree_) in (told.text or "")
    assert drawing.attrib["aria-labelledby"].split() == [title.attrib["id"], told.attrib["id"]]


def test_neighbouring_classes_differ_without_colour(model: ID3) -> None:
    drawing = ET.fromstring(tree_svg(model))
    fills = {bar.attrib["fill"] for g in drawing.findall(f"{SVG}g") for bar in g.iter(f"{SVG}rect")}
    assert fills == {"#ffffff", "#0b5c5c", "url(#lines)"}


def test_labels_are_text_never_markup() -> None:
    design = Design(
        [Attribute("<b>&", ["<script>", '"x"']), Attribute("class", ["<i>", "&amp;"])],
    )
    code = np.array([0, 1] * 100, dtype=np.uint8)
    engine = ArrayEngine.from_codes(design, {"<b>&": code, "class": code})
    drawn = tree_svg(CART(design=design, target="class").fit(engine))
    assert "<script>" not in drawn
    words = [one.text for one in ET.fromstring(drawn).iter(f"{SVG}text")]
    assert "<b>& is <script>" in words


def test_a_tree_without_a_split_is_drawn_and_says_so() -> None:
    rng = np.random.default_rng(1)
    sizes = {"a": 2, "class": 2}
    codes = {name: rng.integers(0, 2, 200, np.uint8) for name in sizes}
    engine = ArrayEngine.from_codes(Design(attributes(sizes)), codes)
    flat = ID3(design=engine.design, target="class", gain_noise=5.0).fit(engine)
    drawing = ET.fromstring(tree_svg(flat))
    title = drawing.find(f"{SVG}title")
    assert title is not None
    assert title.text == "Nothing clearly tells about class"
    assert len(drawing.findall(f"{SVG}g")) == 1


@pytest.mark.parametrize(("wrong", "said"), [(0.04, "a tells most"), (0.06, "Nothing clearly")])
def test_a_gain_within_its_error_is_no_finding(wrong: float, said: str) -> None:
    leaves = Node(0.5, 0.1, (0.6, 0.4)), Node(0.5, 0.1, (0.4, 0.6))
    root = Node(1.0, 0.0, (0.5, 0.5), Split("a", ((0,), (1,)), 0.1, wrong), leaves)
    tree = Tree(root, "class", {"a": ("no", "yes"), "class": ("no", "yes")})
    assert finding(tree).startswith(said)


def test_a_title_fits_its_picture_and_is_left_to_the_page_where_one_stands_around_it() -> None:
    engine = in_clear(SIZES, people(SIZES, 200, 1))
    flat = ID3(design=engine.design, target="class", gain_noise=99.0).fit(engine)
    alone, within = (ET.fromstring(tree_svg(flat, titled=titled)) for titled in (True, False))
    title = next(iter(alone.iter(f"{SVG}text")))
    assert title.text is not None
    assert 24 + 11 * len(title.text) <= float(alone.attrib["width"])  # 20 px and bold
    assert title.text not in [one.text for one in within.iter(f"{SVG}text")]
    assert float(within.attrib["width"]) <= 358  # a phone, less its margins
