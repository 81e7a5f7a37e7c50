"""Pages and pictures of privacy: everything said, nothing fetched, nothing echoed raw."""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import frankly as fk
from frankly.advise import LAYOUTS, landscape
from frankly.judge.text import in_hundred
from frankly.report import (
    front_svg,
    odds_of,
    odds_svg,
    privacy_html,
    privacy_markdown,
    pse_svg,
    respondent_text,
)
from frankly.report.chart import room
from frankly.report.privacy_pages import audit_section
from frankly.report.respondent import example
from tests.strategies import designs

SVG = "{http://www.w3.org/2000/svg}"
ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "conformance" / "privacy.json"
JARGON = re.compile(r"epsilon|posterior|prior|theta|coin|random|noise|lie|fake|garbled|PSE", re.I)

WARD = fk.Design(
    [
        fk.Attribute("mistake", ["no", "yes"]),
        fk.Attribute("took <b>", ["never", "once & again", "more often"]),
        fk.Attribute("when", ["days", "nights"], prompt={"de": "Wann?", "en": "When do you work?"}),
        fk.Attribute("shift", ["days", "nights"]),
    ],
    groups=[fk.Group(["mistake"], fk.Uniform(0.5)), fk.Group(["took <b>"], fk.Uniform(0.7))],
    title="Nights <script>",
)


def texts(svg: str) -> str:
    return " ".join("".join(node.itertext()) for node in ET.fromstring(svg).iter())


def test_the_picture_says_the_odds_of_every_question() -> None:
    stated = fk.privacy(WARD, {"mistake": 0.1})
    words = texts(odds_svg(stated))
    for one in stated.attributes.values():
        report, truth = one.measure.most_moved()
        assert one.name in words
        assert in_hundred(float(one.posterior[report, truth])) in words
    assert odds_svg(stated).count("<circle") == 2 * len(stated.attributes)


def test_dots_stand_where_the_shares_are() -> None:
    svg = odds_svg(fk.privacy(fk.Unrelated(0.5), 0.1))
    before, after = (float(x) for x in re.findall(r'cx="([\d.]+)"', svg))
    assert before == pytest.approx(16 + 328 * 0.1)
    assert after == pytest.approx(16 + 328 * 0.25)


@pytest.mark.parametrize(
    "begin", ["have_you_ever_taken_money_from_the_till_", "ｗ盗" * 20, "W" * 40]
)
def test_long_names_run_into_no_figure_and_stay_apart(begin: str) -> None:
    names = [f"{begin}_work_{i:02d}" for i in range(14)]
    asked = [fk.Attribute(name, ["no, never at all", "yes, once or more"]) for name in names]
    groups = [fk.Group([name], fk.Uniform(0.5)) for name in names]
    svg = odds_svg(fk.privacy(fk.Design(asked, groups=groups)))
    rows: dict[str, str] = {}
    for y, words in re.findall(r'<text x="[\d.]+" y="([\d.]+)"[^>]*>([^<]*)<', svg):
        rows[y] = rows.get(y, "") + words
    below = {y: words for y, words in rows.items() if float(y) > 84}
    assert max(map(room, below.values())) <= 42  # plain letters of 7.8 px each in 328 px
    assert sum(words.endswith(names[i][-8:]) for i in range(12) for words in below.values()) == 12
    assert "the 12 of 14 that move most" in svg


def test_a_rare_guess_is_said_out_of_as_many_people_before_as_after() -> None:
    svg = odds_svg(fk.privacy(fk.Unrelated(0.5), prior=0.0004))
    assert "4 in 10000 → 1 in 1000" in svg
    assert ">0 →" not in svg


def test_a_page_tells_what_each_form_reads_where_forms_differ() -> None:
    ill = fk.Attribute("ill", ["no", "yes"])
    forms = [fk.Form([fk.Group(["ill"], fk.Uniform(theta))]) for theta in (0.2, 0.8, 0.2)]
    design = fk.Design([ill], forms=forms)
    page = privacy_html(fk.privacy(design), design)
    assert "Whoever gets form 0, 2 reads:" in page
    assert "80 send their own answer" in page
    assert "Whoever gets" not in privacy_html(fk.privacy(WARD), WARD)


@given(designs(most=4, max_forms=2))
def test_every_picture_is_xml_within_its_frame(design: fk.Design) -> None:
    for svg in (odds_svg(fk.privacy(design)),):
        root = ET.fromstring(svg)
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        for node in root.iter():
            for axis, most in (("x", width), ("y", height), ("cx", width), ("cy", height)):
                assert 0 <= float(node.attrib.get(axis, 0)) <= most
        assert root.find("{http://www.w3.org/2000/svg}title") is not None


def test_curves_are_the_privacy_they_show() -> None:
    svg = pse_svg(priors=(0.2,))
    words = texts(svg)
    assert f"0.5 → {fk.privacy(fk.Unrelated(0.5), 0.2).pse:.3g}" in words
    assert svg.count('class="curve"') == 1
    asked = [fk.Attribute(name, ["no", "yes"]) for name in "abc"]
    advice = fk.advise(asked, n=4000, max_epsilon=1)
    front = front_svg(advice)
    assert 'class="chosen"' in front
    assert all(one.layout in texts(front) for one in advice.front() if one.error < 0.25)
    refused = front_svg(fk.advise(asked, n=200, precision=0.03, max_epsilon=0.5))
    assert 'class="chosen"' not in refused


@pytest.mark.parametrize("people", [4, 20, 500])
def test_a_setting_above_the_picture_is_marked_at_its_edge(people: int) -> None:
    asked = [fk.Attribute(name, ["no", "yes"]) for name in "abcdefg"]
    advice = landscape(asked, people)
    wide = max((one for one in advice.candidates if one.error > 0.25), key=lambda one: one.error)
    svg = front_svg(replace(advice, best=wide), called="yours")
    root = ET.fromstring(svg)
    said = [node.text or "" for node in root.iter(f"{SVG}text")]
    assert {"yours: above;", "ask more people"} <= set(said)
    for node in root.iter(f"{SVG}text"):
        if node.text in ("yours: above;", "ask more people"):
            away = 6.5 * len(node.text) * (-1 if node.get("text-anchor") == "end" else 1)
            assert 0 < float(node.attrib["x"]) + away < 360 - 84 + 19, "no curve is named there"
    (arrow,) = [node for node in root.iter(f"{SVG}path") if node.get("class") == "chosen"]
    assert arrow.attrib["d"].split()[1].startswith("76.0"), "at the upper edge"
    lines = svg.count('class="curve"') + svg.count('class="after"')
    assert lines == sum(one in said for one in LAYOUTS), "no label without a line"
    assert (lines == 0) == ("Ask more people." in said)
    curves = [node for node in root.iter(f"{SVG}path") if node.get("class") == "curve"]
    assert len({node.get("stroke-dasharray") for node in curves}) == len(curves), (
        "told apart in grey"
    )


def test_the_prior_is_said_to_the_end() -> None:
    assert "Prior: every answer equally likely" in texts(odds_svg(fk.privacy(WARD)))


def test_a_page_stands_alone_and_escapes_what_owners_wrote() -> None:
    page = privacy_html(fk.privacy(WARD), WARD)
    assert "<script" not in page
    assert "took <b>" not in page
    assert "took &lt;b&gt;" in page
    assert re.findall(r"(?:src|href|url\()\s*=?", page) == []
    assert 'lang="en"' in page
    assert WARD.fingerprint in page
    assert respondent_text(WARD).splitlines()[0] in page


def test_page_and_markdown_carry_the_audit() -> None:
    design = fk.Design(
        [fk.Attribute("q", ["no", "yes"])], groups=[fk.Group(["q"], fk.Uniform(0.5))]
    )
    reports = fk.randomize(design, {"q": ["no", "yes", "no"] * 100}, fk.Tape.seeded(1))
    audit, stated = fk.audit(design, reports), fk.privacy(design)
    page = privacy_html(stated, design, audit)
    assert "What an attacker finds" in page
    assert audit.verdict() in page
    assert audit.verdict() in audit.summary(), "page and terminal say the same"
    assert '<th scope="col">restored</th>' not in page, "no column without a figure"
    text = privacy_markdown(stated, audit)
    assert "## What an attacker finds" in text
    for block in re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE):
        assert len({row.count(" | ") for row in block.strip().splitlines()}) == 1


def test_behind_a_flip_that_turns_most_nobody_is_called_a_truth_teller() -> None:
    design = fk.Design(
        [fk.Attribute("q", ["no", "yes"])], groups=[fk.Group(["q"], fk.Flip(theta=0.02))]
    )
    reports = fk.randomize(design, {"q": ["no", "yes", "no"] * 100}, fk.Tape.seeded(1))
    section = audit_section(fk.audit(design, reports))
    assert "those whose answers were turned" in section.lead
    assert "ruth-teller" not in section.lead
    assert "restored" in section.head


@pytest.mark.parametrize(
    ("title", "said"),
    [({"ar": "ليال", "en": "Nights"}, "Nights"), ({"ar": "ليال", "de": "Nächte"}, "Nächte")],
)
def test_the_title_is_english_or_in_the_first_language(title: dict[str, str], said: str) -> None:
    design = fk.Design(WARD.attributes, groups=WARD.groups, title=title, languages=["de", "ar"])
    assert f"<title>Privacy of {said}</title>" in privacy_html(fk.privacy(design), design)


def test_a_bar_in_a_name_does_not_break_the_table() -> None:
    design = fk.Design(
        [fk.Attribute("a|b", ["no", "yes"])], groups=[fk.Group(["a|b"], fk.Uniform(0.5))]
    )
    assert "a\\|b" in privacy_markdown(fk.privacy(design))


@given(designs(most=4, max_forms=2))
def test_respondents_read_fewer_than_120_plain_words(design: fk.Design) -> None:
    for form in range(len(design.forms)):
        text = respondent_text(design, form)
        assert len(text.split()) < 120
        assert not JARGON.search(text)


def test_respondents_read_true_numbers() -> None:
    text = respondent_text(WARD)
    assert "Depending on the question, 50 to 70 of 100 people like you send their own" in text
    assert "without protection: “When do you work?”, “shift”." in text
    # exp(ε) = (1 + .5/(.5/2)) (1 + .7/(.3/3)) = 3 · 8
    assert "at most 24 times (ε = 3.18)" in text
    # Of three values at theta .7 the most telling report is right in .7 + .3/3 = 80 of 100.
    sure = max(float(one.posterior.max()) for one in fk.privacy(WARD).attributes.values())
    assert f"about {100 - 100 * sure:.0f} would really answer" in example(WARD.forms[0])
    flipped = fk.Design(
        [fk.Attribute(n, ["no", "yes"]) for n in "ab"],
        groups=[fk.Group(["a", "b"], fk.Flip(0.7))],
        accept_infinite_epsilon=True,
    )
    assert "can be proof" in respondent_text(flipped)
    assert "One draw decides for all" in respondent_text(flipped)
    assert "without protection" in respondent_text(fk.Design([fk.Attribute("a", ["no", "yes"])]))


def test_golden_statements_are_what_python_says() -> None:
    lines = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert len(lines) >= 20
    for one in lines:
        design = fk.Design.from_document(one["design"])
        stated = fk.privacy(design)
        assert [f.to_dict()["epsilon"] for f in stated.forms] == [f["epsilon"] for f in one["odds"]]
        for form, said in zip(design.forms, one["odds"], strict=True):
            assert respondent_text(design, said["form"]) == said["text"]
            for group, odds in zip(form.groups, said["groups"], strict=True):
                mine = odds_of(group)
                assert (mine.sentence() if mine else None) == odds["sentence"]
                size = form.sizes(group.names)[0]
                device = group.device if len(group.names) == 1 else group.device.seen_through([0])
                assert device.push(np.eye(size), (0,)).T.tolist() == odds["channels"][0]


def test_the_documentation_prints_what_the_code_prints() -> None:
    # The Adult half of the page takes data from outside the clone: `make evidence` checks it.
    page = (ROOT / "docs" / "how-private.md").read_text(encoding="utf-8")
    assert str(fk.privacy(fk.Unrelated(theta=0.5), prior=0.1)) in page
    ill = fk.Attribute("ill", ["no", "yes"])
    small = fk.Design([ill], groups=[fk.Group(["ill"], fk.Unrelated(0.5))])
    assert respondent_text(small) in page
