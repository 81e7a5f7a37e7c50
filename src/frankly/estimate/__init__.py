"""Counts of reports in, shares of truths out, with honest uncertainty."""

from frankly.estimate.conditional import Conditional, estimate_by
from frankly.estimate.estimate import METHODS, Estimate, Method, Target, estimate
from frankly.estimate.interval import fieller, score_interval
from frankly.estimate.mle import Seen, likeliest
from frankly.estimate.moments import Moments, moments
from frankly.estimate.project import project
from frankly.estimate.shares import Asked, Shares

__all__ = [
    "METHODS",
    "Asked",
    "Conditional",
    "Estimate",
    "Method",
    "Moments",
    "Seen",
    "Shares",
    "Target",
    "estimate",
    "estimate_by",
    "fieller",
    "likeliest",
    "moments",
    "project",
    "score_interval",
]
