"""Every figure and table of the papers, from the same code that users call."""

from frankly.reproduce.figure import Column, Figure, Line, Note, Panel
from frankly.reproduce.lab import Lab
from frankly.reproduce.registry import FIGURES, Entry

__all__ = ["FIGURES", "Column", "Entry", "Figure", "Lab", "Line", "Note", "Panel"]
