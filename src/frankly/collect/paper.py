"""Paper: a survey answered with one's own die and without any script."""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from urllib.parse import parse_qs

from frankly.collect.reading import report_row
from frankly.collect.refusal import Refusal
from frankly.collect.speaker import Speaker
from frankly.design import Design, Group
from frankly.mechanism import Unrelated
from frankly.store import Answer, Survey, hashed

__all__ = ["AGAIN", "Paper", "answer_from_form", "fields_of"]

AGAIN = {"invitation", "used", "field", "busy", "design"}
"""What is wrong with a form that is then given again, as it was filled in, or new and empty."""

RECEIPT = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True)
class Paper:
    """One survey as a form, as one reader sees it.

    Parameters
    ----------
    survey
        What is asked.
    wished
        The reader's languages, as ``Accept-Language`` says them.
    fields
        What was filled in before, where something was wrong with it.
    refusal
        What was wrong.
    """

    survey: Survey
    wished: str
    fields: Mapping[str, str] = field(default_factory=dict)
    refusal: Refusal | None = None

    @property
    def design(self) -> Design:
        """What is asked."""
        return self.survey.design

    @property
    def speak(self) -> Speaker:
        """Our words, and the survey's."""
        return Speaker(self.wished, self.design.languages)

    @property
    def title(self) -> str:
        """The survey's name for people."""
        return self.speak.text(self.design.title) or escape(self.survey.name)

    def form(self) -> bytes:
        """Make the form: what to throw, the questions, and the code."""
        if self.design.own_device is None:
            raise Refusal("script", "path")
        words, asked, parts = self.speak.words, self.design.forms[0], []
        for group in asked.groups:
            parts += [self.guide(group), *(self.question(name) for name in group.names)]
        if asked.clear:
            parts.append(f'<div class="row"><p class="tag open">{words["clear"]}</p></div>')
            parts += [self.question(name) for name in asked.clear]
        if self.survey.mode == "invited":
            parts.append(self.code())
        form = (
            f'<p>{words["lead"]}</p><form method="post" action="paper">{"".join(parts)}'
            f'<input type="hidden" name="receipt" value="{self.receipt()}">'
            f'<input type="hidden" name="design" value="{self.design.fingerprint}">'
            f'<div class="row"><p class="warn">{words["final"]}</p></div>'
            f'<button class="go">{words["send"]}</button></form>'
        )
        return self.speak.page(self.title, form, self.problem())

    def receipt(self) -> str:
        """Keep what recognises this form when it is sent again, or make it."""
        kept = self.fields.get("receipt", "")
        return kept if RECEIPT.fullmatch(kept) else secrets.token_hex(16)

    def wrong(self, location: str) -> tuple[str, str]:
        """Mark a field: its message, and the attributes that tie it to that."""
        if self.refusal is None or self.refusal.location != location:
            return "", ""
        return f'<p id="wrong" class="wrong">{self.said()}</p>', ' aria-describedby="wrong"'

    def said(self) -> str:
        """Say what is wrong, and what to do."""
        refusal = self.refusal
        if refusal is None:
            return ""
        if refusal.kind == "field":
            return self.speak.words["answer"]
        return ". ".join(self.speak.refusal(refusal.kind))

    def problem(self) -> str:
        """Say above everything else what is wrong, and lead to the field."""
        if self.refusal is None:
            return ""
        place, said = self.refusal.location, self.said()
        whole = self.refusal.kind in {"busy", "design"}
        link = said if whole else f'<a href="#{escape(place)}">{said}</a>'
        head = self.speak.words["problem"]
        return f'<div class="error" role="alert"><strong>{head}</strong> {link}</div>'

    def guide(self, group: Group) -> str:
        """Say what to throw for a group, and what each throw means."""
        speak, own, device = self.speak, str(self.design.own_device), group.device
        if not isinstance(device, Unrelated):
            raise Refusal("script", "path")
        words, theta = speak.words, device.theta
        straight, other = speak.runs(own, (theta.numerator, theta.denominator - theta.numerator))
        lines = [f"{straight}: {words['truth']}.", f"{other}: {words[f'{own}_again']}."]
        for name in group.names:
            attribute, cover = self.design[name], device.cover
            weights = cover[name] if isinstance(cover, Mapping) else (1,) * attribute.size
            labels = [words["quoted"].format(self.label(name, v)) for v in attribute.values]
            pairs = zip(speak.runs(own, weights), labels, strict=True)
            lines.append("<br>".join([self.prompt(name), *map(": ".join, pairs)]))
        items = "".join(f"<li>{line}</li>" for line in lines)
        return f'<div class="card"><h2>{words[own]}</h2><ul>{items}</ul></div>'

    def prompt(self, name: str) -> str:
        """Give a question as people read it."""
        return self.speak.text(self.design[name].prompt) or escape(name)

    def label(self, name: str, value: str) -> str:
        """Give a value as people read it."""
        given = self.design[name].labels.get(value)
        if given is None and value in {"yes", "no"}:
            return self.speak.words[value]
        return self.speak.text(given or value)

    def question(self, name: str) -> str:
        """Make the choices of one question, with the one that was chosen before."""
        attribute, place = self.design[name], f"report.{name}"
        message, tie = self.wrong(place)
        options = "".join(
            f'<label class="option"><input type="radio" name="q.{escape(name)}" '
            f'value="{escape(value)}" required autocomplete="off"'
            f"{' checked' if self.fields.get(f'q.{name}') == value else ''}>"
            f"<span>{self.label(name, value)}</span></label>"
            for value in attribute.values
        )
        legend = f"<legend><h2>{self.prompt(name)}</h2></legend>"
        return f'<fieldset id="{escape(place)}"{tie}>{legend}{message}{options}</fieldset>'

    def code(self) -> str:
        """Make the field for the code of the invitation."""
        message, tie = self.wrong("invitation")
        invalid = ' aria-invalid="true"' if message else ""
        return (
            f'<h2><label for="invitation">{self.speak.words["code"]}</label></h2>{message}'
            f'<p><input id="invitation" name="code" type="text" required autocomplete="off" '
            f'autocapitalize="characters" spellcheck="false" '
            f'value="{escape(self.fields.get("code", ""))}"{invalid}{tie}></p>'
        )

    def stored(self, report: Mapping[str, str]) -> bytes:
        """Say exactly what was stored."""
        rows = "".join(
            f'<tr><th scope="row">{self.prompt(name)}</th><td>{self.label(name, value)}</td></tr>'
            for name, value in report.items()
        )
        return self.speak.page(self.speak.words["stored"], f"<table><tbody>{rows}</tbody></table>")


def answer_from_form(fields: Mapping[str, str], survey: Survey) -> tuple[Answer, dict[str, str]]:
    """Read the fields of a form: the answer, and the report as it will be shown."""
    if survey.design.own_device is None:
        raise Refusal("script", "path")
    if fields.get("design") != survey.design.fingerprint:
        raise Refusal("design", "design")
    names = survey.design.names
    report = {name: fields[f"q.{name}"] for name in names if f"q.{name}" in fields}
    for name in names:
        if name not in report:
            raise Refusal("field", f"report.{name}")
    if not RECEIPT.fullmatch(fields.get("receipt", "")):
        raise Refusal("value", "receipt")
    secret = hashed(plain_code(fields.get("code", ""))) if survey.mode == "invited" else None
    row = report_row(survey.design, report)
    made_by = survey.design.fingerprint
    return Answer(survey.name, secret, hashed(fields["receipt"]), row, made_by), report


def fields_of(body: bytes) -> dict[str, str]:
    """Read the fields of a form, each once."""
    try:
        found = parse_qs(body.decode(), max_num_fields=2000, errors="strict")
    except ValueError:
        raise Refusal("json", "body") from None
    return {name: values[0] for name, values in found.items()}


def plain_code(typed: str) -> str:
    """Read a typed code: spaces, hyphens and the letters O, I and L do not matter.

    Examples
    --------
    >>> plain_code(" k7qf-2m9x 41tb-o0il ")
    'K7QF2M9X41TB0011'
    """
    return re.sub(r"[\s-]", "", typed.upper()).translate(str.maketrans("OIL", "011"))
