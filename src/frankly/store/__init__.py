"""Where reports rest: in SQLite by default, in PostgreSQL for scale."""

from frankly.store.counters import Counters
from frankly.store.ingest import Answer, Outcome, Ready, ingest, keep, ready, straight
from frankly.store.rows import NOT_ASKED, Rows
from frankly.store.store import Store, hashed, is_sqlite
from frankly.store.survey import Mode, State, Survey, SurveyError, check_name

__all__ = [
    "NOT_ASKED",
    "Answer",
    "Counters",
    "Mode",
    "Outcome",
    "Ready",
    "Rows",
    "State",
    "Store",
    "Survey",
    "SurveyError",
    "check_name",
    "hashed",
    "ingest",
    "is_sqlite",
    "keep",
    "ready",
    "straight",
]
