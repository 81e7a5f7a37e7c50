"""Every error Frankly raises on purpose.

::

    FranklyError
    ├── DesignError             a survey that cannot work, refused where it is made
    │   ├── ThetaError          a theta outside its range, or one that tells nothing
    │   ├── CoverError          a cover that does not fit its questions
    │   └── NotAskedError       no form of the design asks all of these together
    ├── ReportError             data that does not fit the design
    │   ├── ValueRefusedError   a value that is missing or not among the attribute's values
    │   └── FingerprintError    reports of another design
    ├── MixedFormsError         counts of different forms, which never add
    ├── TooWideError            a table with more cells than is sensible
    ├── ConvergenceError        a fit whose certificate did not close
    ├── CannotBeToldError       a question these reports cannot answer
    ├── EngineError             a database or a cluster that failed, or whose file was moved
    ├── PartyError              a joint computation that stops rather than go wrong
    │   ├── HeadroomError       numbers too large to be added without spilling over
    │   └── NoResultError       a session that is over, and has no result
    └── StudioError             what a studio refused, in its own words
        └── DeniedError         a key that is not known, or may not do this

    FranklyWarning
    ├── InfiniteEpsilonWarning  a design whose reports can prove something for certain
    ├── AskedCoverWarning       substitutes that are asked of people, not drawn
    └── FaithfulWarning         a paper's own way, where we know a sounder one

Messages say what was expected, what came, why it matters and what to do. None of them
ever holds a respondent's answer: a refused value is named by its row and column.
"""

__all__ = [
    "AskedCoverWarning",
    "CannotBeToldError",
    "ConvergenceError",
    "CoverError",
    "DeniedError",
    "DesignError",
    "EngineError",
    "FaithfulWarning",
    "FingerprintError",
    "FranklyError",
    "FranklyWarning",
    "HeadroomError",
    "InfiniteEpsilonWarning",
    "MixedFormsError",
    "NoResultError",
    "NotAskedError",
    "PartyError",
    "ReportError",
    "StudioError",
    "ThetaError",
    "TooWideError",
    "ValueRefusedError",
]


class FranklyError(Exception):
    """Anything Frankly refuses on purpose."""


class DesignError(FranklyError, ValueError):
    """A survey that cannot work, refused where it is made."""


class ThetaError(DesignError):
    """A theta outside its range, or one at which reports tell nothing."""


class CoverError(DesignError):
    """A cover that does not fit the questions it stands in for."""


class NotAskedError(DesignError):
    """No form of the design asks all of these questions of one person."""


class ReportError(FranklyError, ValueError):
    """Data that does not fit the design."""


class ValueRefusedError(ReportError):
    """A value that is missing, or not among the values of its attribute."""


class FingerprintError(ReportError):
    """Reports that were made under another design."""


class MixedFormsError(FranklyError, ValueError):
    """Counts of different forms or names; estimates combine, counts do not."""


class TooWideError(FranklyError, ValueError):
    """A table with more cells than anybody can estimate or store."""


class ConvergenceError(FranklyError, ArithmeticError):
    """A fit whose certificate of convergence did not close."""


class CannotBeToldError(FranklyError, ArithmeticError):
    """A question that these reports cannot answer."""


class PartyError(FranklyError, RuntimeError):
    """A joint computation that stops rather than go wrong."""


class HeadroomError(PartyError, OverflowError):
    """Numbers too large to be added without spilling over into their neighbours."""


class NoResultError(PartyError):
    """A session that is over for a party, and has no result: only a new one helps."""


class StudioError(FranklyError, RuntimeError):
    """What a studio refused, in its own words.

    Attributes
    ----------
    status
        The status of its answer; 0 when there was none.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class DeniedError(StudioError):
    """A key that is not known, or may not do this; or a survey that is not its to see."""


class EngineError(FranklyError, OSError):
    """A database or a cluster that could not be reached, was moved, or failed while it counted."""


class FranklyWarning(UserWarning):
    """Something the owner of a survey should know."""


class InfiniteEpsilonWarning(FranklyWarning):
    """Some report of this design proves something about its sender for certain."""


class AskedCoverWarning(FranklyWarning):
    """The substitute answers are asked of people, who may be known."""


class FaithfulWarning(FranklyWarning):
    """A paper's own way of doing it, where a sounder one is the default."""
