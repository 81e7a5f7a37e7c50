"""P6: a survey that takes the name of a deleted one loses no answer and takes none of the old."""

import httpx

from frankly import Attribute, Design
from frankly.store import Store
from tests.live import DESIGN, body_for, figure, running, some_report

TYPO = Design([Attribute("ill", ["no", "yes", "a litle"])], title="With a mistake")


def test_answers_beneath_running_workers_go_to_the_survey_that_is_there(
    url: str, full: bool
) -> None:
    with Store(url) as store, running(url, workers=2) as live:
        store.open_survey("ward", TYPO, "anyone")
        with httpx.Client(base_url=live.base, timeout=30) as client:
            old = body_for(TYPO, None, {"ill": "a litle"})
            assert client.post("/ward/reports", json=old).status_code == 201
        store.delete_survey("ward")
        store.open_survey("ward", DESIGN, "invited")
        invited = store.invite("ward", 60)
        for i, secret in enumerate(invited):  # a connection each, so that both workers are met
            body = body_for(DESIGN, secret, some_report(i))
            sent = httpx.post(f"{live.base}/ward/reports", json=body, timeout=30)
            assert sent.status_code == 201, sent.text
        late = httpx.post(
            f"{live.base}/ward/reports", json=body_for(TYPO, None, {"ill": "a litle"}), timeout=30
        )
        assert late.status_code == 422
        assert late.json()["type"] == "design"
        lost = len(invited) - len(store.reports("ward"))
    figure("P6", "a name used again: of 60 acknowledged lost", lost, full=full)
    assert lost == 0
