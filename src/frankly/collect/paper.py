"""Paper: a survey answered with one's own die and without any script."""

import re
import secrets
from collections.abc import Mapping
from html import escape
from urllib.parse import parse_qs

from frankly.collect.reading import report_row
from frankly.collect.refusal import Refusal
from frankly.design import Design, Group, Text
from frankly.mechanism import Unrelated
from frankly.store import Answer, Survey, hashed

__all__ = ["answer_from_form", "form_page", "said_page"]

SIDES = {"die": 6, "coin": 2, "birthday": 12}

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "lead": "You decide by chance yourself. This form only takes the result.",
        "die": "Take a die.",
        "coin": "Take a coin.",
        "birthday": "Think of someone whose birthday nobody here knows.",
        "truth": "give your true answers below",
        "other": "for each question below go by chance again, and give what it says",
        "die_on": "Throw {0} to {1}",
        "birthday_on": "Born in months {0} to {1}",
        "coin_on": "Heads|Tails",
        "clear": "These are sent as you answer them.",
        "code": "Your code, from the invitation",
        "send": "Send",
        "final": "Once sent, an answer cannot be taken back.",
        "stored": "Thank you. This is exactly what was sent",
        "refused": "This could not be sent",
    },
    "de": {
        "lead": "Sie entscheiden selbst durch Zufall. Dieses Formular nimmt nur das Ergebnis.",
        "die": "Nehmen Sie einen Würfel.",
        "coin": "Nehmen Sie eine Münze.",
        "birthday": "Denken Sie an jemanden, dessen Geburtstag hier niemand kennt.",
        "truth": "geben Sie unten Ihre wahren Antworten",
        "other": "lassen Sie für jede Frage noch einmal den Zufall sprechen und geben Sie das an",
        "die_on": "Wurf {0} bis {1}",
        "birthday_on": "Geboren in den Monaten {0} bis {1}",
        "coin_on": "Kopf|Zahl",
        "clear": "Diese werden gesendet, wie Sie antworten.",
        "code": "Ihr Code, aus der Einladung",
        "send": "Senden",
        "final": "Einmal gesendet, lässt sich eine Antwort nicht zurücknehmen.",
        "stored": "Danke. Genau dies wurde gesendet",
        "refused": "Das konnte nicht gesendet werden",
    },
    "ar": {
        "lead": "أنت تقرر بالحظ بنفسك. هذه الاستمارة تأخذ النتيجة فقط.",
        "die": "خذ نردًا.",
        "coin": "خذ قطعة نقود.",
        "birthday": "فكّر في شخص لا يعرف أحد هنا عيد ميلاده.",
        "truth": "أعطِ أجوبتك الحقيقية أدناه",
        "other": "اترك الحظ يقرر لكل سؤال أدناه مرة أخرى، وأعطِ ما يقوله",
        "die_on": "الرمية من {0} إلى {1}",
        "birthday_on": "مولود في الأشهر من {0} إلى {1}",
        "coin_on": "صورة|كتابة",
        "clear": "تُرسَل هذه كما تجيب عنها.",
        "code": "رمزك من الدعوة",
        "send": "إرسال",
        "final": "بعد الإرسال لا يمكن سحب الجواب.",
        "stored": "شكرًا. هذا بالضبط ما أُرسل",
        "refused": "تعذّر الإرسال",
    },
}

SHELL = """<!doctype html>
<html lang="{lang}" dir="{dir}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<link rel="icon" href="/web/icon.svg"><link rel="stylesheet" href="/web/tokens.css">
<link rel="stylesheet" href="/web/page.css"></head>
<body><main><h1>{title}</h1>{body}</main></body></html>"""


class Speaker:
    """The words of one survey in its first language that we speak."""

    def __init__(self, design: Design) -> None:
        self.lang = next((one for one in design.languages if one in WORDS), "en")
        self.words = WORDS[self.lang]

    def text(self, text: Text) -> str:
        """Give a text of the survey, safe to put into a page."""
        if isinstance(text, str):
            return escape(text)
        return escape(text.get(self.lang) or next(iter(text.values()), ""))

    def page(self, title: str, body: str) -> bytes:
        """Put a page together."""
        way = "rtl" if self.lang == "ar" else "ltr"
        return SHELL.format(lang=self.lang, dir=way, title=title, body=body).encode()

    def runs(self, own: str, weights: tuple[int, ...]) -> list[str]:
        """Share the sides out by weights, in words."""
        if own == "coin":
            return self.words["coin_on"].split("|")
        sides, start, found = SIDES[own], 1, []
        for weight in weights:
            end = start + weight * sides // sum(weights) - 1
            found.append(self.words[f"{own}_on"].format(start, end))
            start = end + 1
        return found


def form_page(survey: Survey) -> bytes:
    """Make the form: what to throw, the questions, and the code."""
    design, speak = survey.design, Speaker(survey.design)
    if design.own_device is None:
        raise Refusal("missing", "path")
    parts = [f"<p>{speak.words['lead']}</p>"]
    for group in design.forms[0].groups:
        parts += [guide(speak, design, group), *(field(speak, design, n) for n in group.names)]
    if design.forms[0].clear:
        parts.append(f'<p class="tag open">{speak.words["clear"]}</p>')
        parts += [field(speak, design, name) for name in design.forms[0].clear]
    if survey.mode == "invited":
        parts.append(
            f'<h2><label for="code">{speak.words["code"]}</label></h2>'
            '<p><input id="code" name="code" type="text" required autocomplete="off" '
            'autocapitalize="characters" spellcheck="false"></p>'
        )
    receipt = f'<input type="hidden" name="receipt" value="{secrets.token_hex(16)}">'
    send = f'<p class="warn">{speak.words["final"]}</p><button class="go">{speak.words["send"]}'
    form = f'<form method="post" action="paper">{"".join(parts)}{receipt}{send}</button></form>'
    return speak.page(speak.text(design.title) or escape(survey.name), form)


def guide(speak: Speaker, design: Design, group: Group) -> str:
    """Say what to throw for a group, and what each throw means."""
    own, device = str(design.own_device), group.device
    if not isinstance(device, Unrelated):
        raise Refusal("missing", "path")
    theta = device.theta
    straight, other = speak.runs(own, (theta.numerator, theta.denominator - theta.numerator))
    lines = [f"{straight}: {speak.words['truth']}.", f"{other}: {speak.words['other']}:"]
    for name in group.names:
        attribute = design[name]
        cover = device.cover
        weights = cover[name] if isinstance(cover, Mapping) else (1,) * attribute.size
        labels = [speak.text(attribute.labels.get(v, v)) for v in attribute.values]
        pairs = zip(speak.runs(own, weights), labels, strict=True)
        lines.append(", ".join(f"{throw}: “{label}”" for throw, label in pairs))
    items = "".join(f"<li>{line}</li>" for line in lines)
    return f'<div class="card"><h2>{speak.words[own]}</h2><ul>{items}</ul></div>'


def field(speak: Speaker, design: Design, name: str) -> str:
    """Make the choices of one question."""
    attribute = design[name]
    options = "".join(
        f'<label class="option"><input type="radio" name="q.{escape(name)}" '
        f'value="{escape(value)}" required autocomplete="off">'
        f"{speak.text(attribute.labels.get(value, value))}</label>"
        for value in attribute.values
    )
    prompt = speak.text(attribute.prompt) or escape(name)
    return f"<fieldset><legend><h2>{prompt}</h2></legend>{options}</fieldset>"


def answer_from_form(body: bytes, survey: Survey) -> tuple[Answer, dict[str, str]]:
    """Read a form that was sent: the answer, and the report as it will be shown."""
    if survey.design.own_device is None:
        raise Refusal("missing", "path")
    fields = fields_of(body)
    names = survey.design.names
    report = {name: fields[f"q.{name}"] for name in names if f"q.{name}" in fields}
    for name in names:
        if name not in report:
            raise Refusal("field", f"report.{name}")
    if not re.fullmatch("[0-9a-f]{32}", fields.get("receipt", "")):
        raise Refusal("field", "receipt")
    secret = hashed(plain_code(fields.get("code", ""))) if survey.mode == "invited" else None
    row = report_row(survey.design, report)
    return Answer(survey.name, secret, hashed(fields["receipt"]), row), report


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


def said_page(survey: Survey, report: Mapping[str, str]) -> bytes:
    """Say exactly what was stored."""
    design, speak = survey.design, Speaker(survey.design)
    rows = "".join(
        f'<tr><th scope="row">{speak.text(design[name].prompt) or escape(name)}</th>'
        f"<td>{speak.text(design[name].labels.get(value, value))}</td></tr>"
        for name, value in report.items()
    )
    return speak.page(speak.words["stored"], f"<table><tbody>{rows}</tbody></table>")
