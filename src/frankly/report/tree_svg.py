"""Tree SVG: a tree drawn from left to right, readable in print and aloud."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import count
from typing import Protocol

from frankly.mine.tree import WIDE, Node, Tree

__all__ = ["Grown", "caption", "finding", "tree_svg"]

COLUMN, ROW, TOP, MARGIN = 336, 74, 112, 24
BARE, LETTER = 16, 12
"""Where the nodes begin without a title, and how wide a letter of the title may be."""
TEXT, BAR, THICK = 252, 130, 14
"""Widths of a node's words and of its bar, and the bar's height, which is everyone."""

FILLS = ("#ffffff", "#0b5c5c", "url(#lines)", "#c4c8cc", "url(#dots)", "#5b6268")
"""Told apart by lightness and pattern, so that the picture survives a grey printer."""

STYLE = """\
  <style>
    text { font: 13px system-ui, sans-serif; fill: #1b1f23 }
    .title { font-size: 20px; font-weight: 600 }
    .what { font-weight: 600 }
    .small { font-size: 12px; fill: #4a5056 }
    .bar { stroke: #1b1f23 }
    .way { fill: none; stroke: #c4c8cc }
  </style>
  <defs>
    <pattern id="lines" width="5" height="5" patternUnits="userSpaceOnUse">
      <rect class="fill0" width="5" height="5" fill="#fff"/>
      <path class="thin" d="M0 5 5 0" stroke="#1b1f23"/>
    </pattern>
    <pattern id="dots" width="4" height="4" patternUnits="userSpaceOnUse">
      <rect class="fill0" width="4" height="4" fill="#fff"/>
      <circle class="full" cx="2" cy="2" r="1" fill="#1b1f23"/>
    </pattern>
  </defs>"""


class Grown(Protocol):
    """What can be drawn: a fitted ID3 or CART."""

    tree_: Tree
    n_reports_: int
    method_: str


@dataclass(frozen=True)
class Place:
    """A node, where it stands, and what leads to it."""

    node: Node
    words: str
    x: float
    y: float
    below: tuple["Place", ...]

    def walk(self) -> Iterator["Place"]:
        """Give this place and all to its right."""
        yield self
        for place in self.below:
            yield from place.walk()


def tree_svg(model: Grown, *, titled: bool = True) -> str:
    """Draw a fitted tree as SVG.

    Each node shows what leads to it, a bar of its classes and its share of all people; the
    ways between nodes are as thick as the share that goes along.

    Parameters
    ----------
    model
        A fitted `ID3` or `CART`.
    titled
        False where the page around it says title and caption.

    Examples
    --------
    >>> import frankly as fk
    >>> words = ["no", "yes"]
    >>> design = fk.Design([fk.Attribute("smokes", words), fk.Attribute("ill", words)])
    >>> model = fk.ID3(design=design, target="ill")
    >>> model = model.fit({"smokes": words * 50, "ill": words * 40 + ["no"] * 20})
    >>> tree_svg(model).splitlines()[1]
    '  <title id="finding">smokes tells most about ill</title>'
    """
    tree = model.tree_
    top = TOP if titled else BARE
    place = placed(tree, tree.root, ("everyone", 0), count(), top)
    height = top + ROW * sum(1 for _ in tree.leaves()) + MARGIN
    found, about = finding(tree), caption(model)
    widest = max(LETTER * len(found), 7 * len(about[0])) if titled else 0
    width = 2 * MARGIN + max(tree.depth * COLUMN + TEXT, widest)
    heads = [text(MARGIN, 36, found, "title"), text(MARGIN, 58, about[0], "small")]
    heads.append(text(MARGIN, 74, about[1], "small"))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-labelledby="finding tree">'
    )
    lines = [
        head,
        f'  <title id="finding">{escape(found)}</title>',
        f'  <desc id="tree">{escape(f"{about[0]}. {about[1]} {tree}")}</desc>',
        STYLE,
        f'  <rect class="paper" width="{width}" height="{height}" fill="#fff"/>',
        *(heads if titled else []),
        *(way for one in place.walk() for way in ways(one)),
        *(drawn for one in place.walk() for drawn in node_lines(tree, one)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def finding(tree: Tree) -> str:
    """State what the tree says in a sentence; a gain within its error says nothing clearly."""
    split = tree.root.split
    if split is None or split.gain <= WIDE * split.stderr:
        return f"Nothing clearly tells about {tree.target}"
    return f"{split.name} tells most about {tree.target}"


def caption(model: Grown) -> tuple[str, str]:
    """Say where a tree comes from, and how to read its picture."""
    told = (
        f"{type(model).__name__} tree from {model.n_reports_:,} reports, {model.method_} estimate"
    )
    if model.method_ != "inverse":
        told += " (shares are pulled by the fit)"
    return told, f"Bars: shares of {model.tree_.target}. ± is half a 95% interval."


def placed(
    tree: Tree, node: Node, at: tuple[str, int], rows: Iterator[int], top: float = TOP
) -> Place:
    """Find a place for a node: leaves below each other, others beside the middle of theirs."""
    words, depth = at
    below = []
    if node.split is not None:
        name = node.split.name
        for codes, child in zip(node.split.branches, node.children, strict=True):
            label = f"{name} is {' or '.join(tree.labels(name, codes))}"
            below.append(placed(tree, child, (label, depth + 1), rows, top))
    y = (below[0].y + below[-1].y) / 2 if below else top + ROW * (next(rows) + 0.5)
    return Place(node, words, MARGIN + COLUMN * depth, y, tuple(below))


def ways(place: Place) -> Iterator[str]:
    """Draw the ways to the nodes below, as thick as the people who go along."""
    start, middle = place.x + TEXT, place.x + (TEXT + COLUMN) / 2
    for child in place.below:
        thick = max(1.0, THICK * min(child.node.share, 1.0))
        yield (
            f'  <path class="way" stroke-width="{thick:.1f}" d="M{place.x + BAR} {place.y:.1f}'
            f'H{start}C{middle} {place.y:.1f} {middle} {child.y:.1f} {child.x} {child.y:.1f}"/>'
        )


def node_lines(tree: Tree, place: Place) -> Iterator[str]:
    """Draw one node: what leads to it, its classes, its share, and what divides it."""
    node, x, y = place.node, place.x, place.y
    labels = tree.values[tree.target]
    yield f"  <g><title>{escape(place.words)}</title>"
    yield text(x, y - 13, short(place.words), "what")
    yield from bar(x, y, node.classes)
    if node is tree.root:
        named = (f"{label} {share:.0%}" for label, share in zip(labels, node.classes, strict=True))
        yield text(x, y + 22, short(", ".join(named)))
    else:
        guess = f"{labels[node.guess]} {node.classes[node.guess]:.0%}"
        size = f"{node.share:.1%} ± {WIDE * node.stderr:.1%} of all"
        yield text(x, y + 22, f"{short(guess, 20)}; {size}")
    if node.split is not None:
        gain = f"{node.split.gain:.3f} ± {WIDE * node.split.stderr:.3f}"
        yield text(x, y + 37, short(f"by {node.split.name}, gain {gain}"), "small")
    yield "  </g>"


def bar(x: float, y: float, classes: Sequence[float]) -> Iterator[str]:
    """Draw the classes' shares as one bar."""
    for place, (share, fill) in enumerate(zip(classes, FILLS * len(classes), strict=False)):
        width = BAR * share
        if width > 0:
            yield (
                f'  <rect class="bar fill{place % len(FILLS)}" x="{x:.1f}" y="{y - THICK / 2:.1f}" '
                f'width="{width:.1f}" height="{THICK}" fill="{fill}"/>'
            )
        x += width


def text(x: float, y: float, words: str, kind: str = "") -> str:
    """Write a line."""
    styled = f' class="{kind}"' if kind else ""
    return f'  <text x="{x:.0f}" y="{y:.0f}"{styled}>{escape(words)}</text>'


def short(words: str, most: int = 40) -> str:
    """Cut long words; the whole is in the node's title."""
    return words if len(words) <= most else words[: most - 1] + "…"
