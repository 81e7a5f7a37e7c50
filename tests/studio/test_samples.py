"""The samples: each is a survey that could be opened, in two languages."""

import httpx
import pytest

import frankly as fk
from frankly.errors import DesignError
from frankly.studio.figures import figures
from frankly.studio.files import read_survey_file, write_survey_file
from frankly.studio.protection import Protection
from frankly.studio.questions import questions_in, rewrite
from frankly.studio.samples import sample, samples

NAMES = [one.name for one in samples()]


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_a_design_in_two_languages(name: str) -> None:
    document = sample(name)
    design = fk.Design.from_document(document)
    assert design.languages == ("en", "de")
    assert 4 <= len(design.attributes) <= 6
    assert set(design.title) == {"en", "de"}
    for one in design.attributes:
        assert set(one.prompt) == {"en", "de"}
        assert all(set(text) == {"en", "de"} for text in one.labels.values())
        assert one.values == ("no", "yes") or one.labels or one.values[0] == "1"
    assert design.about is not None
    assert {"what", "who", "why", "time", "contact"} <= set(design.about)
    hidden = {name for group in design.groups for name in group.names}
    assert design.target in hidden
    assert len(design.forms[0].clear) <= 1
    assert 1 < design.epsilon < 8


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_goes_through_the_whole_designer(name: str) -> None:
    document = sample(name)
    told = figures(document, Protection(people=1000, target=document["target"]))
    assert told.error is not None
    assert told.error < 0.15
    again, _ = rewrite(document, {}, questions_in(document))
    assert (
        fk.Design.from_document(again).fingerprint == fk.Design.from_document(document).fingerprint
    )
    data, _ = write_survey_file("xlsx", document)
    assert read_survey_file("x.xlsx", data) == document


def test_an_unknown_sample_names_those_there_are() -> None:
    assert len(NAMES) == 6
    with pytest.raises(DesignError, match="harassment"):
        sample("weather")


def test_a_draft_begins_from_a_sample(ann: httpx.Client) -> None:
    page = ann.get("/new").text
    for one in samples():
        assert one.title in page
    begun = ann.post("/new", data={"sample": "exams", "title": ""})
    assert begun.status_code == 303, begun.text
    shown = ann.get(begun.headers["location"]).text
    assert "did you copy from somebody?" in shown
