"""frankly pool: randomized tables of several holders in, one model out."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click

from frankly.cli.mine import made, method_option, setting
from frankly.cli.output import only_alike, spare, writing
from frankly.cli.reports import carried_by, design_option, tell_unmarked
from frankly.cli.screen import json_option, note, print_json, say
from frankly.cli.sources import called, file_of, names_of, note_copies, refuse_twice
from frankly.count import (
    DuckDBEngine,
    Engine,
    ParquetEngine,
    PooledEngine,
    SparkEngine,
    open_reports,
)
from frankly.count.sql import is_url
from frankly.design import Design
from frankly.errors import CannotBeToldError, EngineError, NotAskedError, ReportError
from frankly.estimate import Heterogeneity, heterogeneity
from frankly.mine import MINERS, Learner
from frankly.mine.saved import document

__all__ = ["pool"]

TREES = ("naive-bayes", "id3", "cart")


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@design_option
@click.option("--mixed", is_flag=True, help="The sources may be of different designs.")
@click.option("--miner", type=click.Choice(TREES), help="What to learn from all sources together.")
@click.option("--target", metavar="NAME", help="The attribute to predict.")
@method_option
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting of the miner, for instance max_depth=3.",
)
@click.option(
    "--engine",
    type=click.Choice(["auto", "duckdb", "spark"]),
    default="auto",
    show_default=True,
    help="What counts the files; auto chooses by what they are.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Save the model as JSON, for frankly judge.",
)
@json_option
def pool(  # noqa: PLR0913 - one parameter an option
    sources: tuple[str, ...],
    *,
    survey: Path | None,
    mixed: bool,
    miner: str | None,
    target: str | None,
    method: str | None,
    settings: tuple[str, ...],
    engine: str,
    output: Path | None,
    machine: bool,
) -> None:
    """Pool the reports of several holders.

    SOURCE is a .parquet or .csv file made by frankly randomize, a folder of .parquet files, or a
    table of a database by its URL (postgresql://...#table, sqlite:///file#table). Each holder
    randomizes its own table; whoever pools them never sees a truth.
    """
    refuse_twice(sources)
    spare([*map(file_of, sources), survey], output)
    only_alike(model=output)
    if miner is None and (output or settings or method):
        raise ReportError(
            "--output, --set and --method are about a model, and none is learned: name it with "
            "--miner"
        )
    shared = None if survey is None else Design.load(survey)
    with ExitStack() as stack:
        engines = {
            name: stack.enter_context(opened(one, shared, engine, mixed=mixed))
            for name, one in zip(names_of(sources), sources, strict=True)
        }
        pooled = PooledEngine(engines, mixed=mixed)
        refuse_unknown(pooled.design, target)
        numbers = pooled.numbers()
        differ = differences(pooled, target)
        model = (
            None
            if miner is None
            else learned(pooled, miner, settings, target=target, method=method)
        )
    if model is not None and output is not None:
        with writing(output) as part:
            model.save(part)
    note_copies([one for one, n in zip(sources, numbers.values(), strict=True) if n])
    tell(pooled, numbers, differ, model, machine=machine)


def refuse_unknown(design: Design, target: str | None) -> None:
    """Refuse a target that nobody was asked, with a miner and without."""
    if target is not None and target not in design.names:
        raise NotAskedError(
            f"the target {target!r} is none of the questions {list(design.names)}. Name one of "
            "them, or leave --target out"
        )


@contextmanager
def opened(source: str, shared: Design | None, engine: str, *, mixed: bool) -> Iterator[Engine]:
    """Open one source under its design, and close it."""
    own = None if is_url(source) else carried_by(Path(source))
    design = own if mixed and own is not None else shared or own
    if design is None:
        raise ReportError(
            f"{called(source)} does not carry the design it was randomized under. Name it: "
            "--design survey.yaml"
        )
    if own is None and not is_url(source):
        tell_unmarked(Path(source), "the survey that --design names")
    counting = chosen(source, design, "auto" if is_url(source) else engine)
    try:
        yield counting
    finally:
        if hasattr(counting, "close"):
            counting.close()


def chosen(source: str, design: Design, engine: str) -> Any:
    """Make the engine that was named, or the one that fits the source."""
    if engine == "duckdb":
        return DuckDBEngine(design, source)
    return on_spark(design, source) if engine == "spark" else open_reports(source, design)


def on_spark(design: Design, source: str) -> Engine:
    """Read a file or a folder with the Spark session of this machine or cluster."""
    ParquetEngine(design, source)  # states its design, or another, in its metadata
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        raise EngineError(
            "Spark is not installed. Get it with: pip install 'frankly[spark]', and Java 17"
        ) from None
    builder: Any = SparkSession.builder
    frame = builder.appName("frankly pool").getOrCreate().read.parquet(source)
    return SparkEngine(design, frame, place=called(source))


def differences(pooled: PooledEngine, target: str | None) -> Heterogeneity | None:
    """Test whether the sources differ: every attribute, with the target if there is one."""
    if len(pooled.sources) < 2:
        return None
    design = pooled.design
    aim = target or design.target
    features = [name for name in design.names if name != aim]
    tables = [[name, aim] if aim and asked(design, [name, aim]) else [name] for name in features]
    try:
        differ = heterogeneity(pooled.sources, tables)
    except CannotBeToldError as error:
        note(str(error))
        return None
    few = [name for name in pooled.sources if name not in differ.sources]
    if few:
        note(f"too few reports to be compared with the others: {', '.join(few)}")
    return differ


def asked(design: Design, names: Sequence[str]) -> bool:
    """Tell whether some form asks all of these."""
    return any(form.asks(names) for form in design.forms)


def learned(
    pooled: PooledEngine, miner: str, settings: Sequence[str], **named: str | None
) -> Learner:
    """Learn from all sources together."""
    wanted = {**named, **dict(map(setting, settings))}
    given = {key: value for key, value in wanted.items() if value is not None}
    model: Learner = made(MINERS[miner], pooled.design, given).fit(pooled)
    return model


def tell(
    pooled: PooledEngine,
    numbers: dict[str, int],
    differ: Heterogeneity | None,
    model: Any,
    *,
    machine: bool,
) -> None:
    """Print what was pooled, how far the sources differ, and the model."""
    if machine:
        print_json(
            {
                "reports": sum(numbers.values()),
                "sources": numbers,
                "fingerprint": pooled.design.fingerprint,
                "heterogeneity": None if differ is None else differ.to_dict(),
                "model": None if model is None else document(model),
            }
        )
        return
    width = max(map(len, [*numbers, "together"]))
    for name, n in numbers.items():
        say(f"{name:<{width}}  {n:>12,} reports")
    click.echo(f"{'together':<{width}}  {sum(numbers.values()):>12,} reports\n")
    if differ is not None:
        say(differ.summary())
    if model is not None:
        say(f"\n{model.summary()}")
        note(f"{model.method_}: {model.why_}")
