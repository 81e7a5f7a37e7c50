"""Write: a figure as files: SVG and PNG to look at, CSV to compute with, a page to read."""

import csv
from pathlib import Path

from frankly.reproduce.figure import Figure
from frankly.reproduce.plot import save

__all__ = ["page", "table", "write"]


def write(figure: Figure, folder: Path) -> list[Path]:
    """Write a figure's four files into a folder, and say which.

    Parameters
    ----------
    figure
        What was found.
    folder
        Where; made if it is not there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{figure.name}.{kind}" for kind in ("svg", "png", "csv", "md")]
    save(figure, *paths[:2])
    with paths[2].open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([column.name for column in figure.columns])
        out.writerows([exact(cell) for cell in row] for row in figure.rows)
    paths[3].write_text(page(figure), encoding="utf-8")
    return paths


def exact(cell: str | float) -> str:
    """Write a cell for machines."""
    return cell if isinstance(cell, str) else format(cell, ".6g")


def page(figure: Figure) -> str:
    """Write the page: what the paper claims, what we see, what we do instead.

    Examples
    --------
    >>> from frankly.reproduce.figure import Column
    >>> one = Figure(
    ...     "shop",
    ...     "Both sums are right",
    ...     "Lu, 5",
    ...     "21,000",
    ...     "21,000",
    ...     "Nothing",
    ...     "No data",
    ...     (),
    ...     [Column("week", ",")],
    ...     [(21000,)],
    ... )
    >>> print(page(one).splitlines()[0])
    # Both sums are right
    """
    made = f"Made by `frankly reproduce {figure.name}`; the same numbers in full are in "
    parts = [
        f"# {figure.title}",
        f"*{figure.source}*",
        f"![{figure.title}. The table below holds the numbers.]({figure.name}.svg)",
        figure.caption,
        f"**The paper claims.** {figure.claim}",
        f"**We find.** {figure.found}",
        f"**We do better.** {figure.better}",
        table(figure),
        f"{made}[{figure.name}.csv]({figure.name}.csv).",
    ]
    return "\n\n".join(parts) + "\n"


def table(figure: Figure) -> str:
    """Write the table behind a figure."""
    head = [column.name for column in figure.columns]
    rule = ["---" if isinstance(cell, str) else "---:" for cell in figure.rows[0]]
    body = [
        [column.said(cell) for column, cell in zip(figure.columns, row, strict=True)]
        for row in figure.rows
    ]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *body])
