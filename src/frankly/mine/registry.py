"""Registry: every miner by its name, and models read back from their files."""

from pathlib import Path

from frankly.mine.cart import CART
from frankly.mine.id3 import ID3
from frankly.mine.latent_classes import LatentClasses
from frankly.mine.miner import Learner
from frankly.mine.naive_bayes import NaiveBayes
from frankly.mine.rules import AssociationRules
from frankly.mine.saved import read
from frankly.mine.tan import TAN

__all__ = ["MINERS", "load"]

MINERS: dict[str, type[Learner]] = {
    miner.kind: miner for miner in (NaiveBayes, TAN, ID3, CART, LatentClasses, AssociationRules)
}
"""Every miner by the name it has in a saved model and on the command line."""


def load(path: str | Path) -> Learner:
    """Read a model that was saved.

    Parameters
    ----------
    path
        A file written by ``model.save(path)``, ``frankly mine -o`` or ``frankly party join -o``.
        It is data only: reading it never runs code.
    """
    return read(path, MINERS)
