"""Which theta, which groups, which forms, and how many people."""

from frankly.advise.advice import Advice, Candidate, Relaxed
from frankly.advise.appraise import appraise, landscape
from frankly.advise.compare import Compared, Comparison, compare_devices
from frankly.advise.layouts import LAYOUTS, Layout, Mine, Questions, fitting
from frankly.advise.line import Line, lines_of
from frankly.advise.power import (
    Difference,
    People,
    approximate_power,
    exact_power,
    people_for_power,
)
from frankly.advise.request import advise
from frankly.advise.theta import theta_for
from frankly.advise.width import Plan, half_width, people_for, width_at

__all__ = [
    "LAYOUTS",
    "Advice",
    "Candidate",
    "Compared",
    "Comparison",
    "Difference",
    "Layout",
    "Line",
    "Mine",
    "People",
    "Plan",
    "Questions",
    "Relaxed",
    "advise",
    "appraise",
    "approximate_power",
    "compare_devices",
    "exact_power",
    "fitting",
    "half_width",
    "landscape",
    "lines_of",
    "people_for",
    "people_for_power",
    "theta_for",
    "width_at",
]
