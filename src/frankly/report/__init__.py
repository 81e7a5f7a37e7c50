"""Text, figures and pages made from results."""

from frankly.report.chart import for_page
from frankly.report.curves_svg import front_svg, pse_svg
from frankly.report.odds_svg import odds_svg
from frankly.report.privacy_html import privacy_html, privacy_markdown
from frankly.report.respondent import Odds, odds_of, respondent_text
from frankly.report.tree_svg import tree_svg

__all__ = [
    "Odds",
    "for_page",
    "front_svg",
    "odds_of",
    "odds_svg",
    "privacy_html",
    "privacy_markdown",
    "pse_svg",
    "respondent_text",
    "tree_svg",
]
