"""A claim: one sentence, the figure we measured, and whether the figure bears it out."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """One line of the evidence table.

    Parameters
    ----------
    text
        What we claim, as a sentence a reader can disagree with.
    figure
        What was measured just now, with its unit or bound.
    holds
        Whether the figure bears the claim out.
    """

    text: str
    figure: str
    holds: bool
