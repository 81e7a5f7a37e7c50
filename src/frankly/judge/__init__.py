"""How good a result is and how private a design is: accuracy, privacy, and an attack."""

from frankly.judge.accuracy import accuracy
from frankly.judge.after import pse_after
from frankly.judge.asking import Asking
from frankly.judge.audit import audit
from frankly.judge.audited import Attack, Audit, Figures, GroupAudit
from frankly.judge.crafted import poisoning
from frankly.judge.exposure import coin_posterior, exposed_share, uniqueness
from frankly.judge.faithful import printed_pse, printed_recoverability
from frankly.judge.limits import Limits
from frankly.judge.measure import Measure, miss
from frankly.judge.privacy import privacy
from frankly.judge.statement import (
    AttributePrivacy,
    FormPrivacy,
    GroupPrivacy,
    PrivacyStatement,
    RecordPrivacy,
)

__all__ = [
    "Asking",
    "Attack",
    "AttributePrivacy",
    "Audit",
    "Figures",
    "FormPrivacy",
    "GroupAudit",
    "GroupPrivacy",
    "Limits",
    "Measure",
    "PrivacyStatement",
    "RecordPrivacy",
    "accuracy",
    "audit",
    "coin_posterior",
    "exposed_share",
    "miss",
    "poisoning",
    "printed_pse",
    "printed_recoverability",
    "privacy",
    "pse_after",
    "uniqueness",
]
