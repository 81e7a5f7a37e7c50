"""Miners: they ask for shares of the truth, and for nothing else."""

from frankly.mine.cart import CART
from frankly.mine.id3 import ID3
from frankly.mine.latent_classes import LatentClasses
from frankly.mine.miner import Learner, Miner
from frankly.mine.naive_bayes import NaiveBayes
from frankly.mine.registry import MINERS, load
from frankly.mine.rules import AssociationRules
from frankly.mine.tan import TAN

__all__ = [
    "CART",
    "ID3",
    "MINERS",
    "TAN",
    "AssociationRules",
    "LatentClasses",
    "Learner",
    "Miner",
    "NaiveBayes",
    "load",
]
