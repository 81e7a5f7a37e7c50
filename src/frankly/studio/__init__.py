"""The owner's side: design a survey, watch its estimates, mine, and take the data home."""

from frankly.studio.app import create_app
from frankly.studio.results import FEWEST, STEP, Results, results

__all__ = ["FEWEST", "STEP", "Results", "create_app", "results"]
