"""Registry: every figure by its name, and the paper it comes from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from frankly.reproduce import (
    frontier,
    lu_delta,
    lu_range,
    lu_shop,
    lu_tree,
    soni_privacy,
    soni_trees,
    zhan_accuracy,
    zhan_feedback,
    zhan_privacy,
    zhan_related,
)
from frankly.reproduce.figure import Figure
from frankly.reproduce.lab import Lab

__all__ = ["FIGURES", "Entry"]


@dataclass(frozen=True)
class Entry:
    """One figure: how it is made, where it comes from, what it shows, which data it needs."""

    make: Callable[[Lab], Figure]
    source: str
    shows: str
    data: str = "none"


ZHAN, SONI, LU = "Zhan and Matwin 2007", "Soni and Shrivastva", "Lu et al. 2009"
CANCER = "Breast Cancer"

FIGURES: Mapping[str, Entry] = {
    "zhan-adult": Entry(
        zhan_accuracy.adult, f"{ZHAN}, Figs 2 and 4", "accuracy and its variance by theta", "Adult"
    ),
    "zhan-cancer": Entry(
        zhan_accuracy.cancer, f"{ZHAN}, Figs 3 and 5", "accuracy and its variance by theta", CANCER
    ),
    "zhan-privacy": Entry(
        zhan_privacy.figure, f"{ZHAN}, Fig. 6", "privacy of an answer by theta, sound and printed"
    ),
    "zhan-related": Entry(
        zhan_related.figure,
        f"{ZHAN}, Fig. 7",
        "related against unrelated, at equal theta and at equal privacy",
        f"Adult, {CANCER}",
    ),
    "zhan-feedback": Entry(
        zhan_feedback.figure, f"{ZHAN}, section 3.4", "what the feedback bit gives away", "Adult"
    ),
    "soni-id3": Entry(
        soni_trees.id3, f"{SONI}, sections 3 and 4", "ID3 by groups and theta", "Adult"
    ),
    "soni-cart": Entry(
        soni_trees.cart, f"{SONI}, sections 3 and 4", "CART by groups and theta", "Adult"
    ),
    "soni-privacy": Entry(
        soni_privacy.figure, f"{SONI}, section 3.5", "privacy by groups, in three ways", "Adult"
    ),
    "lu-range": Entry(lu_range.figure, f"{LU}, Fig. 1", "which observed shares stand for a share"),
    "lu-tree": Entry(lu_tree.figure, f"{LU}, Fig. 2", "how often the tree is the same"),
    "lu-delta": Entry(lu_delta.figure, f"{LU}, Fig. 3", "errors by theta and what is hidden"),
    "lu-shop": Entry(lu_shop.figure, f"{LU}, section 5", "what mining together earns a shop"),
    "frontier": Entry(
        frontier.figure, "ours", "accuracy by record epsilon and by exposure, all schemes", "Adult"
    ),
}
"""All figures, in the order of the papers; ours last."""
