"""Page: the owner's view of one survey, as plain HTML with small drawings."""

from collections.abc import Iterable, Sequence
from html import escape

from frankly.design import Text
from frankly.estimate import Estimate
from frankly.estimate.text import percent
from frankly.studio.results import FEWEST, STEP, Results

__all__ = ["list_page", "results_page"]

SHELL = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><link rel="icon" href="/static/icon.svg">
<link rel="stylesheet" href="/static/tokens.css">
<link rel="stylesheet" href="/static/studio.css"></head>
<body><main><p class="quiet"><a href="/">All surveys</a></p>{body}</main></body></html>"""

LEFT, WIDTH = 4, 292


def words(text: Text, languages: Sequence[str] = ()) -> str:
    """Give a text in the survey's first language."""
    if isinstance(text, str):
        return text
    return next((text[one] for one in languages if one in text), next(iter(text.values()), ""))


def list_page(names: Iterable[tuple[str, str, str]]) -> str:
    """List the surveys: name, title and state."""
    rows = "".join(
        f'<tr><th scope="row"><a href="{escape(name)}">{escape(title or name)}</a></th>'
        f"<td>{escape(state)}</td></tr>"
        for name, title, state in names
    )
    empty = "<p>No survey is open yet. Open one: <code>frankly open survey.yaml</code></p>"
    table = f"<table><tbody>{rows}</tbody></table>" if rows else empty
    return SHELL.format(title="Your surveys", body=f"<h1>Your surveys</h1>{table}")


def results_page(results: Results) -> str:
    """Show state, count and shares with their intervals."""
    design = results.survey.design
    title = words(design.title, design.languages) or results.survey.name
    head = (
        f"<h1>{escape(title)}</h1><p><strong>{results.survey.state}</strong> · "
        f"{count_text(results)} · ε = {design.epsilon:.2f} · fingerprint "
        f"<code>{design.fingerprint[:16]}</code></p>"
    )
    if not results.estimates:
        body = (
            f"<p>Shares are shown from {FEWEST} answers on, and then change in steps of {STEP}, so "
            "that nobody can follow a single answer.</p>"
        )
    else:
        body = "".join(section(results, one) for one in results.estimates)
    return SHELL.format(title=escape(title), body=head + body)


def count_text(results: Results) -> str:
    """Say how many answers are shown."""
    if results.estimates or not results.n:
        return f"{results.n:,} answers"
    return f"at least {results.n:,} answers"


def section(results: Results, one: Estimate) -> str:
    """Show one question: a drawing, and the table behind it."""
    name = one.names[0]
    attribute = results.survey.design[name]
    speak = results.survey.design.languages
    labels = [words(attribute.labels.get(value, value), speak) for value in attribute.values]
    protected = any(name in group.names for form in results.survey.design.forms
                    for group in form.groups)  # fmt: skip
    note = "protected" if protected else "asked in clear"
    ends = one.interval()
    rows = [
        (label, float(one.share[i]), float(one.stderr[i]), float(ends[i][0]), float(ends[i][1]))
        for i, label in enumerate(labels)
    ]
    body = "".join(table_row(*row) for row in rows)
    return (
        f"<section><h2>{escape(words(attribute.prompt, speak) or name)}</h2>"
        f'<p class="quiet">{note} · {one.method} estimate from {one.n:,} answers · '
        "95% intervals</p><table><thead><tr><th>answer</th><th>share</th><th>± points</th>"
        f'<th>interval</th><th class="draw"><span>0%</span><span>50%</span><span>100%</span></th>'
        f"</tr></thead><tbody>{body}</tbody></table></section>"
    )


def table_row(label: str, share: float, error: float, low: float, high: float) -> str:
    """Write one answer: its numbers, and its dot and interval."""
    return (
        f'<tr><th scope="row">{escape(label)}</th><td>{percent(share)}</td>'
        f"<td>± {100 * error:.1f}</td><td>{percent(low)} to {percent(high)}</td>"
        f'<td class="draw">{drawing(share, low, high)}</td></tr>'
    )


def drawing(share: float, low: float, high: float) -> str:
    """Draw a dot and its interval on a line from 0 to 100 %."""
    x, a, b = (LEFT + WIDTH * min(max(v, -0.01), 1.01) for v in (share, low, high))
    return (
        f'<svg viewBox="0 0 300 12" role="img" aria-label="{percent(share)}, from {percent(low)} '
        f'to {percent(high)}"><path class="axis" d="M{LEFT} 6h{WIDTH}"/>'
        f'<path class="span" d="M{a:.1f} 6H{b:.1f}"/><circle cx="{x:.1f}" cy="6" r="3.5"/></svg>'
    )
