"""Counts of reports in, shares of truths out, with honest uncertainty."""

from frankly.estimate.accuracy import Accuracy, Predict, accuracy_of, pulled_scores
from frankly.estimate.branches import View, views_of
from frankly.estimate.combine import Combination
from frankly.estimate.conditional import Conditional, estimate_by
from frankly.estimate.em import Fit, fit_mixture
from frankly.estimate.estimate import METHODS, Estimate, Method, Target, estimate
from frankly.estimate.heterogeneity import Difference, Heterogeneity, heterogeneity
from frankly.estimate.interval import fieller, score_interval
from frankly.estimate.mixture import Mixture
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
    "Combination",
    "Conditional",
    "Difference",
    "Estimate",
    "Fit",
    "Heterogeneity",
    "Method",
    "Mixture",
    "Moments",
    "Predict",
    "Seen",
    "Shares",
    "Table",
    "Target",
    "View",
    "accuracy_of",
    "estimate",
    "estimate_by",
    "fieller",
    "fit_mixture",
    "heterogeneity",
    "likeliest",
    "moments",
    "project",
    "pulled_scores",
    "score_interval",
    "views_of",
]
