"""Privacy HTML: the statement as a page that stands alone, and as Markdown."""

from html import escape
from importlib.resources import files

from frankly.design import Design
from frankly.judge import Audit, PrivacyStatement
from frankly.report.odds_svg import odds_svg
from frankly.report.privacy_pages import GLOSSARY, Section, audit_section, finding, sections
from frankly.report.respondent import respondent_text

__all__ = ["privacy_html", "privacy_markdown"]

STYLE = """\
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 var(--sans) }
body { overflow-wrap: anywhere }
main { max-width: 720px; margin: 0 auto; padding: 24px 16px 64px }
h1 { font-size: var(--display); line-height: 1.2; margin: 0 0 16px }
h2 { font-size: var(--large); margin: 48px 0 8px }
p { max-width: 66ch; margin: 0 0 12px }
.lead { font-size: var(--large) }
.said { border-inline-start: 4px solid var(--accent); padding: 12px 16px; background: var(--soft) }
.said p { margin: 0 0 8px }
.wide { overflow-x: auto }
.wide:focus-visible { outline: var(--focus) }
table { border-collapse: collapse; font-size: var(--small); font-variant-numeric: tabular-nums }
th, td { text-align: start; vertical-align: top; padding: 8px 16px 8px 0 }
th { overflow-wrap: normal }
td { min-width: 8ch }
td:first-child { min-width: 14ch }
th, td { border-bottom: 1px solid var(--line) }
th { color: var(--grey); font-weight: 600 }
small, dd { color: var(--grey) }
dt { font-weight: 600; margin-top: 12px }
dd { margin: 0; max-width: 66ch }
code { font-family: var(--mono); overflow-wrap: anywhere }
@media print { .wide { overflow: visible } }
"""


def privacy_html(
    statement: PrivacyStatement, design: Design | None = None, audit: Audit | None = None
) -> str:
    """Write a privacy statement as one page, with its picture and nothing from elsewhere.

    Parameters
    ----------
    statement
        What `privacy` stated.
    design
        The survey, to show what its respondents are told.
    audit
        What an audit found, if there was one.

    Examples
    --------
    >>> from frankly import Unrelated, privacy
    >>> privacy_html(privacy(Unrelated(theta=0.5)))[:15]
    '<!doctype html>'
    """
    title = f"Privacy of {statement.title}" if statement.title else "Privacy statement"
    body = [f"<h1>{escape(finding(statement))}</h1>"]
    body.append(f'<p class="lead">{escape(title)}</p>')
    if design is not None:
        body += ["<h2>What a respondent is told</h2>", *told(design)]
    body += ["<h2>How far one report moves a guess</h2>", odds_svg(statement)]
    tables = [*sections(statement), *([audit_section(audit)] if audit else [])]
    body += [section_html(section) for section in tables]
    body += notes_html(statement)
    style = files("frankly").joinpath("web/tokens.css").read_text(encoding="utf-8") + STYLE
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>{style}</style></head>",
            f"<body><main>{''.join(body)}</main></body></html>\n",
        ]
    )


def told(design: Design) -> list[str]:
    """Give what respondents read; where forms differ, each text with its forms."""
    texts: dict[str, list[int]] = {}
    for form in range(len(design.forms)):
        texts.setdefault(respondent_text(design, form), []).append(form)
    parts = []
    for text, forms in texts.items():
        numbers = ", ".join(map(str, forms))
        whose = f"<p>Whoever gets form {numbers} reads:</p>" if len(texts) > 1 else ""
        parts.append(whose + said(text))
    return parts


def said(text: str) -> str:
    """Set off what respondents read."""
    lines = "".join(f"<p>{escape(line)}</p>" for line in text.splitlines())
    return f'<div class="said">{lines}</div>'


def section_html(section: Section) -> str:
    """Write one table."""
    heads = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in section.head)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in section.rows
    )
    label = escape(section.heading)
    return (
        f"<h2>{label}</h2><p>{escape(section.lead)}</p>"
        f'<div class="wide" role="region" aria-label="{label}" tabindex="0">'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def notes_html(statement: PrivacyStatement) -> list[str]:
    """Explain the words, and say whose statement this is."""
    terms = "".join(f"<dt>{escape(t)}</dt><dd>{escape(words)}</dd>" for t, words in GLOSSARY)
    parts = [f"<h2>What is this?</h2><dl>{terms}</dl>"]
    if statement.fingerprint:
        parts.append(f"<p><small>Design <code>{statement.fingerprint}</code></small></p>")
    return parts


def privacy_markdown(statement: PrivacyStatement, audit: Audit | None = None) -> str:
    """Write a privacy statement as Markdown.

    Examples
    --------
    >>> from frankly import Unrelated, privacy
    >>> print(privacy_markdown(privacy(Unrelated(theta=0.5))).splitlines()[0])
    # Whatever was known before, no report moves a guess by more than 27 points
    """
    tables = [*sections(statement), *([audit_section(audit)] if audit else [])]
    parts = [f"# {finding(statement)}", *(section_markdown(section) for section in tables)]
    if statement.fingerprint:
        parts.append(f"Design `{statement.fingerprint}`")
    return "\n\n".join(parts) + "\n"


def section_markdown(section: Section) -> str:
    """Write one table."""
    rows = [section.head, ["---"] * len(section.head), *section.rows]
    lines = "\n".join(f"| {' | '.join(map(cell, row))} |" for row in rows)
    return f"## {section.heading}\n\n{section.lead}\n\n{lines}"


def cell(words: str) -> str:
    """Keep a bar from ending a cell."""
    return words.replace("|", "\\|")
