"""Chart: the frame all our small pictures share; drawn for a phone, readable in grey."""

import re
from collections.abc import Sequence
from html import escape
from unicodedata import east_asian_width
from zlib import crc32

__all__ = ["WIDTH", "document", "for_page", "line", "mark", "middle", "room", "short", "text"]

WIDTH = 360
"""Pictures are this wide in their own units, and grow with the page they stand on."""

WIDE = frozenset("mwMW@%")
"""Letters that are half as wide again as others."""

STYLE = """\
<style>
  svg { color-scheme: light dark; --ink: light-dark(#1b2226, #eef2f2);
    --paper: light-dark(#ffffff, #12181a); --line: light-dark(#c3cccd, #46555a);
    --grey: light-dark(#55636a, #a9b7bb); --accent: light-dark(#0b5c63, #6fd0d4);
    --brick: light-dark(#a3291c, #ff9a8c) }
  .paper { fill: var(--paper) }
  text { font: 12px system-ui, sans-serif; fill: var(--ink) }
  .title { font-size: 14px; font-weight: 600 }
  .small { font-size: 11px; fill: var(--grey) }
  .label { font-size: 11px; paint-order: stroke; stroke: var(--paper); stroke-width: 4px }
  .track { stroke: var(--line); stroke-width: 2; fill: none }
  .grid { stroke: var(--line); stroke-width: 1; fill: none }
  .move { stroke: var(--accent); stroke-width: 4; fill: none }
  .curve { stroke: var(--accent); stroke-width: 2; fill: none }
  .before { fill: var(--paper); stroke: var(--ink); stroke-width: 2 }
  .after { fill: var(--accent) }
  .chosen { fill: var(--brick) }
</style>"""


def document(title: str, about: str, height: float, parts: Sequence[str]) -> str:
    """Put a picture together: its finding as title, its table in words, its marks."""
    mine = crc32(f"{title}{about}".encode())
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
        f'width="100%" style="max-width:{WIDTH + 120}px" role="img" '
        f'aria-labelledby="t{mine} d{mine}">'
    )
    return "\n".join(
        [
            head,
            f'<title id="t{mine}">{escape(title)}</title>',
            f'<desc id="d{mine}">{escape(about)}</desc>',
            STYLE,
            f'<rect class="paper" width="{WIDTH}" height="{height:g}"/>',
            *parts,
            "</svg>\n",
        ]
    )


def for_page(svg: str) -> str:
    """Give one of our pictures without its own style, for a page whose stylesheet dresses it.

    A strict page allows no style inside; its own rules for ``svg.picture`` take over.

    Examples
    --------
    >>> for_page('<svg style="max-width:480px"><style>text { fill: red }</style></svg>')
    '<svg class="picture"></svg>'
    """
    bare = re.sub(r"\s*<style>.*?</style>", "", svg, flags=re.DOTALL)
    head, end, rest = bare.partition(">")
    plain = re.sub(r' style="[^"]*"', "", head)
    return plain.replace("<svg", '<svg class="picture"', 1) + end + rest


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    """Write words at a place."""
    named = f' class="{kind}"' if kind else ""
    where = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{named}{where}>{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Draw a straight line."""
    return f'<path class="{kind}" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>'


def mark(x: float, y: float, kind: str, r: float = 5) -> str:
    """Draw a dot; what was before is hollow, so that nothing depends on colour."""
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{r:g}"/>'


def short(words: str, most: int) -> str:
    """Cut words that would not fit into the room of so many plain letters."""
    if room(words) <= most:
        return words
    return f"{upto(words, most - 1)}…"


def middle(words: str, most: int) -> str:
    """Cut names that would not fit in the middle, as long names often differ at their ends.

    Examples
    --------
    >>> middle("money_from_the_till_03", 14)
    'money_…ill_03'
    """
    if room(words) <= most:
        return words
    half = (most - 1) / 2
    return f"{upto(words, half)}…{upto(words[::-1], half)[::-1]}"


def upto(words: str, most: float) -> str:
    """Give the beginning that fits."""
    while room(words) > most:
        words = words[:-1]
    return words


def room(words: str) -> float:
    """Tell how many plain letters take as much room; others are wider, and some twice as wide.

    Examples
    --------
    >>> room("till"), room("WWW"), room("日本")
    (4, 4.5, 4)
    """
    return sum(
        2 if east_asian_width(one) in "WF" else 1.5 if one in WIDE else 1.2 if one.isupper() else 1
        for one in words
    )
