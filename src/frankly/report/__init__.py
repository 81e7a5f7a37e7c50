"""Text, figures and pages made from results."""

from frankly.report.tree_svg import tree_svg

__all__ = ["tree_svg"]
