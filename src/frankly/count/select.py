"""Select: the texts that SQL engines send, with names and labels quoted."""

from collections.abc import Callable, Sequence

from frankly.count.groups import Condition, at_most, conditions
from frankly.count.plan import Job
from frankly.design import Design

__all__ = ["by_number", "by_text", "grouped", "literal", "quoted", "stacked", "table_name"]

Test = Callable[[Condition], str]
"""Writes the test of one condition."""


def quoted(name: str) -> str:
    """Quote the name of a column or a table.

    Examples
    --------
    >>> quoted('the "best" name')
    '"the ""best"" name"'
    """
    return '"' + name.replace('"', '""') + '"'


def table_name(name: str) -> str:
    """Quote a table's name, perhaps with the schema it is in.

    Examples
    --------
    >>> table_name("survey.reports")
    '"survey"."reports"'
    """
    return ".".join(quoted(part) for part in name.split("."))


def literal(text: str) -> str:
    """Quote a text.

    Examples
    --------
    >>> literal("don't know")
    "'don''t know'"
    """
    return "'" + text.replace("'", "''") + "'"


def by_text(written: str, condition: Condition) -> str:
    """Write a test of what a database writes for a column."""
    return f"{written} IN ({', '.join(map(literal, condition.texts))})"


def by_number(number: str, condition: Condition) -> str:
    """Write a test of a column of floats; a label that is no number is in no row."""
    numbers = [f"CAST({literal(repr(one))} AS DOUBLE PRECISION)" for one in condition.numbers]
    return f"{number} IN ({', '.join(numbers)})" if numbers else "FALSE"


def in_any_type(condition: Condition) -> str:
    """Write a test for DuckDB, which looks at the type of the column before it looks at rows."""
    column = quoted(condition.name)
    text = by_text(f"CAST({column} AS VARCHAR)", condition)
    number = by_number(f"TRY_CAST({column} AS DOUBLE)", condition)
    return f"CASE WHEN typeof({column}) IN ('FLOAT', 'DOUBLE') THEN {number} ELSE {text} END"


def filtered(design: Design, job: Job, test: Test) -> str:
    """Write which rows a job counts; nothing when it counts all."""
    tests = [test(condition) for condition in conditions(design, job)]
    return f" WHERE {' AND '.join(tests)}" if tests else ""


def grouped(design: Design, jobs: Sequence[Job], source: str, test: Test) -> str:
    """Write one query for jobs that count the same rows: all their groupings in one pass.

    The first column tells the job, then all names, then the number of rows. A condition is
    written by ``test``, which knows the types of the columns.
    """
    names = tuple(dict.fromkeys(name for job in jobs for name in job.names))
    which = "0"
    if len(jobs) > 1:
        masks = {job.names: mask_of(job.names, names) for job in jobs}
        cases = [f"WHEN {masks[job.names]} THEN {i}" for i, job in enumerate(jobs)]
        columns = ", ".join(map(quoted, names))
        which = f"CASE GROUPING({columns}) {' '.join(cases)} END"
    sets = ", ".join(f"({', '.join(map(quoted, job.names))})" for job in jobs)
    most = sum(at_most(design, job) for job in jobs)
    chosen = ", ".join([which, *map(quoted, names), "count(*)"])
    where = filtered(design, jobs[0], test)
    return f"SELECT {chosen} FROM {source}{where} GROUP BY GROUPING SETS ({sets}) LIMIT {most}"  # noqa: S608 - quoted


def mask_of(kept: Sequence[str], names: Sequence[str]) -> int:
    """Tell what GROUPING says of a set: one bit a name, 1 where it is not in the set."""
    return sum(1 << i for i, name in enumerate(reversed(names)) if name not in kept)


def stacked(design: Design, jobs: Sequence[Job], source: str) -> str:
    """Write one query for DuckDB, one part a job: its number, all names, the number of rows."""
    names = tuple(dict.fromkeys(name for job in jobs for name in job.names))
    return " UNION ALL ".join(
        f"({one(job, i, names)} FROM {source}{filtered(design, job, in_any_type)}"
        f"{by(job)} LIMIT {at_most(design, job)})"
        for i, job in enumerate(jobs)
    )


def one(job: Job, index: int, names: Sequence[str]) -> str:
    """Write what is selected for one job; names that it does not group by are null."""
    chosen = [quoted(name) if name in job.names else f"NULL AS {quoted(name)}" for name in names]
    return f"SELECT {', '.join([f'{index} AS frankly_job', *chosen, 'count(*) AS frankly_n'])}"


def by(job: Job) -> str:
    """Write what a job groups by."""
    return f" GROUP BY {', '.join(map(quoted, job.names))}" if job.names else ""
