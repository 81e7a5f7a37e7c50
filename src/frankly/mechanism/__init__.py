"""What a respondent's device does; one file a device, one line a device in the registry."""

from frankly.mechanism.base import Axes, Codes, Coin, Domains, Mechanism, Table
from frankly.mechanism.flip import Flip, FlipDocument
from frankly.mechanism.matrix import Matrix, MatrixDocument
from frankly.mechanism.named import Crosswise, Forced, Kuk, Mangat, Triangular, Uniform, Wish
from frankly.mechanism.tape import Tape, Words
from frankly.mechanism.unrelated import Unrelated, UnrelatedDocument

__all__ = [
    "MECHANISMS",
    "AnyDocument",
    "Axes",
    "Codes",
    "Coin",
    "Crosswise",
    "Domains",
    "Flip",
    "Forced",
    "Kuk",
    "Mangat",
    "Matrix",
    "Mechanism",
    "Table",
    "Tape",
    "Triangular",
    "Uniform",
    "Unrelated",
    "Wish",
    "Words",
    "read",
]

AnyDocument = UnrelatedDocument | FlipDocument | MatrixDocument

MECHANISMS: dict[str, type[Mechanism]] = {
    mechanism.kind: mechanism for mechanism in (Unrelated, Flip, Matrix)
}
"""Every device by the name it has in a survey document; the laws run over all of them."""


def read(document: AnyDocument) -> Mechanism:
    """Make a device from its part of a survey document."""
    kind = str(type(document).__struct_config__.tag)
    return MECHANISMS[kind].read(document)
