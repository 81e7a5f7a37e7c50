"""Published: one fixed set of tables a survey, made once from the last snapshot."""

from typing import Any

from frankly.count import Query
from frankly.store import Store, SurveyError
from frankly.store.drafts import publish
from frankly.store.export import spoken
from frankly.studio.crossed import STEP
from frankly.studio.results import results_of
from frankly.studio.snapshot import Snapshot, snapshot

__all__ = ["publish_tables", "tables_to_publish"]

READ_ME = (
    "Estimated shares of the true answers, with their standard errors and 95% intervals, from "
    "reports that chance has protected. This is the only set of tables that this survey publishes."
)


def publish_tables(store: Store, name: str) -> None:
    """Publish what is shown of a closed survey, once."""
    shown = snapshot(store, name)
    if shown.survey.state != "closed":
        raise SurveyError(
            "tables are published when the survey is closed: a later set could be compared with "
            "this one and single somebody out. Close it first"
        )
    shown.refuse_few("a published table")
    publish(store, shown.survey, tables_to_publish(shown))


def tables_to_publish(shown: Snapshot) -> dict[str, Any]:
    """Write the shares of every question and every chosen table whose cells are large enough."""
    found, design = results_of(shown), shown.design
    large = [one for one in found.estimates if not small(shown, one.names[0])]
    refused = [[one] for one in found.untold]
    refused += [list(one.names) for one in found.estimates if one not in large]
    refused += [list(one.names) for one in found.tables if one.shares is None]
    return {
        "frankly_tables": 1,
        "name": shown.survey.name,
        "title": spoken(design, design.title) or shown.survey.name,
        "fingerprint": design.fingerprint,
        "n": shown.n,
        "shares": [one.to_dict() for one in large],
        "tables": [one.shares.to_dict() for one in found.tables if one.shares is not None],
        "refused": refused,
        "read_me": READ_ME,
    }


def small(shown: Snapshot, name: str) -> bool:
    """Tell whether some report of one question is rarer than a published cell may be."""
    forms = [form for form in shown.design.asking([name]) if shown.engine.n[form]]
    counts = shown.engine.count([Query([name], form) for form in forms])
    return any(int(one.table.min()) < STEP for one in counts)
