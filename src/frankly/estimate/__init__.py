"""Counts of reports in, shares of truths out, with honest uncertainty."""

from frankly.estimate.accuracy import Accuracy, Predict, accuracy_of, pulled_scores
from frankly.estimate.conditional import Conditional, estimate_by
from frankly.estimate.estimate import METHODS, Estimate, Method, Target, estimate
from frankly.estimate.interval import fieller, score_interval
from frankly.estimate.mle import Seen, likeliest
from frankly.estimate.moments import Moments, moments
from frankly.estimate.project import project
from frankly.estimate.shares import Asked, Shares
from frankly.mechanism import Codes, Table

__all__ = [
    "METHODS",
    "Accuracy",
    "Asked",
    "Codes",
    "Conditional",
    "Estimate",
    "Method",
    "Moments",
    "Predict",
    "Seen",
    "Shares",
    "Table",
    "Target",
    "accuracy_of",
    "estimate",
    "estimate_by",
    "fieller",
    "likeliest",
    "moments",
    "project",
    "pulled_scores",
    "score_interval",
]
