"""The respondent's side: the tape of chance, one record in, one report out."""

from frankly.randomize.draw import BLOCK, Drawn, draw, draw_blocks
from frankly.randomize.file import Progress, RandomizedFile, randomize_file
from frankly.randomize.source import open_source
from frankly.randomize.table import randomize
from frankly.randomize.tape import Tape

__all__ = [
    "BLOCK",
    "Drawn",
    "Progress",
    "RandomizedFile",
    "Tape",
    "draw",
    "draw_blocks",
    "open_source",
    "randomize",
    "randomize_file",
]
