"""The owner's side: what a survey has learned so far, with its uncertainty."""

from frankly.studio.app import create_app
from frankly.studio.results import FEWEST, STEP, Results, results

__all__ = ["FEWEST", "STEP", "Results", "create_app", "results"]
