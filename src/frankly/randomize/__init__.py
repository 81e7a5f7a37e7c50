"""The respondent's side: the tape of chance, one record in, one report out."""

from frankly.randomize.draw import BLOCK, Drawn, draw, draw_blocks
from frankly.randomize.table import randomize
from frankly.randomize.tape import Tape

__all__ = ["BLOCK", "Drawn", "Tape", "draw", "draw_blocks", "randomize"]
