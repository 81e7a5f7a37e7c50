"""Typed: the fields of the question form, read into a question or into what is wrong with them."""

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import get_args

from frankly.design import Text
from frankly.errors import DesignError, FranklyError
from frankly.studio.questions import Kind, Question, attributes_of

__all__ = [
    "ABOUT",
    "Wrong",
    "about_from",
    "fields_of",
    "languages_from",
    "lines_in",
    "question_from",
    "slug",
    "text_from",
    "texts_of",
    "title_from",
    "version_from",
]

Fields = Mapping[str, str]

LONGEST, MOST = 2000, 100
"""Letters of a text, and answers of a question."""


@dataclass
class Wrong(Exception):  # noqa: N818 - it holds what is wrong, field by field
    """What is wrong with a form: a sentence for each field."""

    fields: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__("; ".join(self.fields.values()))


def slug(text: str) -> str:
    """Make a short name from a prompt.

    Examples
    --------
    >>> slug("Have you ever taken medicine from the ward?")
    'have_you_ever_taken'
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "_".join(re.findall("[a-z0-9]+", plain)[:4])[:40]


def free_name(prompt: str, taken: Collection[str]) -> str:
    """Make a short name that no other question has; of letters that have no plain ones, a number.

    Examples
    --------
    >>> free_name("Are you ill?", ["are_you_ill"]), free_name("夜勤ですか", ["q1"])
    ('are_you_ill_2', 'q2')
    """
    made = slug(prompt)
    tries = (f"{made}_{i}" if made else f"q{i}" for i in count(2 if made else 1))
    return next(one for one in chain([made], tries) if one and one not in {"form", *taken})


def lines_in(text: str) -> list[str]:
    """Split a text into its lines that say something."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def text_from(form: Fields, key: str, languages: Sequence[str]) -> Text:
    """Read a text: one, or one for each language that was filled in."""
    if len(languages) < 2:
        return form.get(key, "").strip()[:LONGEST]
    told = {one: form.get(f"{key}.{one}", "").strip()[:LONGEST] for one in languages}
    return {one: text for one, text in told.items() if text}


def texts_of(text: Text, key: str, languages: Sequence[str]) -> dict[str, str]:
    """Write a text into the fields of a form."""
    if len(languages) < 2:
        return {key: text if isinstance(text, str) else next(iter(text.values()), "")}
    if isinstance(text, str):
        return {f"{key}.{one}": text if i == 0 else "" for i, one in enumerate(languages)}
    return {f"{key}.{one}": text.get(one, "") for one in languages}


def question_from(form: Fields, languages: Sequence[str], taken: Collection[str] = ()) -> Question:
    """Read a question, or raise `Wrong` with a sentence for each field that does not fit.

    Where no short name was typed, it gets one that is not ``taken``.
    """
    kind: Kind = form["kind"] if form.get("kind") in get_args(Kind) else "yes_no"  # type: ignore[assignment]
    wrong: dict[str, str] = {}
    prompt = text_from(form, "prompt", languages)
    name = name_from(form, prompt, taken, wrong)
    bins = cuts(form, wrong) if kind == "number" else []
    values = values_from(form, kind, bins, wrong)
    made = Question(
        kind, name, prompt, tuple(values), labels_from(form, values, languages, wrong),
        tuple(bins), finer(form, values, wrong) if kind == "choice" else {},
        protected=form.get("protected", "yes") == "yes",
    )  # fmt: skip
    if wrong:
        raise Wrong(wrong)
    try:
        attributes_of(made)
    except FranklyError as error:
        raise Wrong({"cuts" if kind == "number" else "answers": str(error)}) from None
    return made


def name_from(form: Fields, prompt: Text, taken: Collection[str], wrong: dict[str, str]) -> str:
    """Read the short name, or make one from the prompt."""
    first = prompt if isinstance(prompt, str) else next(iter(prompt.values()), "")
    if not first:
        wrong["prompt"] = "Write the question as people will read it"
    name = form.get("name", "").strip() or free_name(first, taken)
    if name == "form" or len(name) > 60:
        wrong["name"] = 'Give a short name of up to 60 letters; "form" is kept'
    elif form.get("kind") == "several" and "." in name:
        wrong["name"] = "The name of a question with ticks has no dot: the ticks are named after it"
    return name


def values_from(
    form: Fields, kind: Kind, bins: Sequence[float], wrong: dict[str, str]
) -> list[str]:
    """Read the answers of a question of this kind."""
    if kind in {"choice", "several"}:
        return answers(form, kind, wrong)
    if kind == "scale":
        return scale(form, wrong)
    return ranges(form, bins, wrong) if kind == "number" else []


def answers(form: Fields, kind: str, wrong: dict[str, str]) -> list[str]:
    """Read answers, one a line."""
    found = lines_in(form.get("answers", ""))
    twice = sorted({one for one in found if found.count(one) > 1})
    if len(found) < (1 if kind == "several" else 2):
        wrong["answers"] = "Write at least two answers, one a line"
    elif twice:
        wrong["answers"] = f"The answer “{twice[0]}” is there twice"
    elif len(found) > MOST:
        wrong["answers"] = f"At most {MOST} answers: more cannot be told apart behind chance"
    return found


def scale(form: Fields, wrong: dict[str, str]) -> list[str]:
    """Read the ends of a scale."""
    try:
        low, high = int(form.get("low", "")), int(form.get("high", ""))
    except ValueError:
        low = high = 0
    if not 0 <= low < high - 1 <= low + 9:
        wrong["low"] = "A scale has 3 to 11 places, such as 1 to 5 or 0 to 10"
        return []
    return [str(place) for place in range(low, high + 1)]


def cuts(form: Fields, wrong: dict[str, str]) -> list[float]:
    """Read cut points, separated by commas or spaces."""
    words = re.split(r"[;,\s]+", form.get("cuts", ""))
    try:
        found = [float(word) for word in words if word]
    except ValueError:
        found = []
    if not found or sorted(set(found)) != found or not all(abs(cut) <= 1e12 for cut in found):
        wrong["cuts"] = "Write rising numbers, such as 18, 30, 50: only the range is used"
        return []
    return found


def ranges(form: Fields, bins: Sequence[float], wrong: dict[str, str]) -> list[str]:
    """Read the names of ranges; none is fine."""
    found = lines_in(form.get("answers", ""))
    if found and bins and len(found) != len(bins) + 1:
        wrong["answers"] = (
            f"{len(bins)} cut points make {len(bins) + 1} ranges: name each, or none of them"
        )
    return found


def labels_from(
    form: Fields, values: Sequence[str], languages: Sequence[str], wrong: dict[str, str]
) -> dict[str, Text]:
    """Read the words for answers: as many lines as there are answers, or none."""
    told: dict[str, list[str]] = {}
    for one in languages if len(languages) > 1 else [""]:
        key = f"labels.{one}" if one else "labels"
        found = lines_in(form.get(key, ""))
        if found and len(found) != len(values):
            wrong[key] = f"Write {len(values)} lines, one for each answer, or none"
        elif found:
            told[one] = found
    if "" in told:
        plain = zip(values, told[""], strict=True)
        return {value: words for value, words in plain if words != value}
    return {value: {one: told[one][i] for one in told} for i, value in enumerate(values) if told}


def finer(form: Fields, values: Sequence[str], wrong: dict[str, str]) -> dict[str, str]:
    """Read finer answers: "widowed = single", one a line."""
    pairs = [line.split("=", 1) for line in lines_in(form.get("merged", ""))]
    if any(len(pair) != 2 or pair[1].strip() not in values for pair in pairs):
        wrong["merged"] = "Write “finer answer = answer”, one a line, with an answer from above"
        return {}
    return {fine.strip(): whole.strip() for fine, whole in pairs}


def fields_of(question: Question, languages: Sequence[str]) -> dict[str, str]:
    """Write a question into the fields of its form."""
    values = question.values
    many = {one: [text_in(question.labels.get(v, v), one) for v in values] for one in languages}
    if len(languages) < 2:
        told = [text_in(question.labels.get(v, v), *languages) for v in values]
        labels = {"labels": "\n".join(told) if question.labels else ""}
    else:
        labels = {f"labels.{k}": "\n".join(v) if question.labels else "" for k, v in many.items()}
    scaled = question.kind == "scale"
    return {
        "kind": question.kind,
        "name": question.name,
        "old": question.name,
        **texts_of(question.prompt, "prompt", languages),
        "answers": "" if scaled else "\n".join(values),
        **labels,
        "low": values[0] if scaled else "1",
        "high": values[-1] if scaled else "5",
        "cuts": ", ".join(f"{cut:g}" if cut % 1 else f"{cut:.0f}" for cut in question.bins),
        "merged": "\n".join(f"{fine} = {whole}" for fine, whole in question.merged.items()),
        "protected": "yes" if question.protected else "no",
    }


def text_in(text: Text, language: str = "") -> str:
    """Give a text in a language, or in any."""
    if isinstance(text, str):
        return text
    return text.get(language) or next(iter(text.values()), "")


def about_from(form: Fields, languages: Sequence[str]) -> dict[str, Text]:
    """Read who asks, why, how long, and whom to ask."""
    told = {key: text_from(form, f"about.{key}", languages) for key in ABOUT}
    return {key: text for key, text in told.items() if text}


ABOUT = {
    "what": "What is it about?",
    "who": "Who asks?",
    "why": "Why?",
    "time": "How long does it take?",
    "contact": "Whom can people ask?",
    "next": "What happens with the answers?",
}
"""What people read before they answer."""


def languages_from(form: Fields, spoken: Sequence[str]) -> list[str]:
    """Read the languages that were ticked, English first where it is one."""
    chosen = [one for one in spoken if form.get(f"language.{one}")]
    if not chosen:
        raise DesignError("choose at least one language")
    return chosen


def title_from(form: Fields, languages: Sequence[str]) -> Text:
    """Read the title, which nobody may leave out."""
    title = text_from(form, "title", languages)
    if not title:
        raise DesignError("give the survey a title: people read it first")
    return title


def version_from(form: Fields) -> int:
    """Read the version."""
    version = form.get("version", "1").strip()
    if not (version.isascii() and version.isdigit() and 1 <= int(version[:8]) <= 10**6):
        raise DesignError("the version is a whole number from 1 on")
    return int(version)
