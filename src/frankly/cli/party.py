"""frankly party: several organisations, one model, no table shown."""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.parquet as pq

from frankly.cli.output import beside, only_new, spare, writing, written
from frankly.cli.reports import read_reports, tell_unmarked
from frankly.cli.screen import json_option, note, print_json, progress_bar, say
from frankly.collaborate import (
    Home,
    Identity,
    Session,
    State,
    Transcript,
    join,
    make_identity,
    replay,
)
from frankly.collaborate.certificates import fingerprint, name_in
from frankly.collaborate.remote import RelayPost
from frankly.collaborate.seat import Watch
from frankly.collaborate.session import SCHEMES
from frankly.collaborate.tasks import check_task, remarks
from frankly.count import engine_for
from frankly.design import Design, encode_truths
from frankly.errors import PartyError
from frankly.mine import load

__all__ = ["party"]

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
DATA = click.Path(exists=True, path_type=Path)
EXAMPLE = '{"kind": "id3", "target": "ill"}'
identity_option = click.option(
    "--identity",
    "-i",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path("party"),
    show_default=True,
    help="This party's own folder, made by frankly party init.",
)


@click.group()
def party() -> None:
    """Build one model with other organisations, and show nobody a table."""


@party.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path("party"))
@click.option("--name", required=True, help="What the party is called: letters, digits, hyphens.")
@click.option("--host", "hosts", multiple=True, help="For a relay: a name or address it has.")
def init(folder: Path, *, name: str, hosts: Sequence[str]) -> None:
    """Make this party's key and certificate in FOLDER.

    Give certificate.pem to whoever makes the session. Nobody ever needs the key.
    """
    made = make_identity(folder, name, hosts or ("localhost",))
    click.echo(
        f"{made.name} has a key now. Show others {folder / 'certificate.pem'}, nothing else."
    )


@party.command("session")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--design", "-d", "survey", type=FILE, required=True, help="The survey document.")
@click.option("--id", "name", required=True, help="A name that was never used before.")
@click.option(
    "--party", "-p", "parties", type=FILE, multiple=True, help="A party's certificate.pem."
)
@click.option("--relay", "relay_", type=FILE, required=True, help="The relay's certificate.pem.")
@click.option("--url", required=True, help="Where the relay is: https://host:port.")
@click.option("--task", required=True, help=f"What to compute, as JSON, such as {EXAMPLE}.")
@click.option("--scheme", type=click.Choice(SCHEMES), default="masks", show_default=True,
              help="How counts are hidden while they are added.")  # fmt: skip
@click.option("--aggregator", default="", help="For paillier: who adds; by default the first.")
@click.option("--key-holder", default="", help="For paillier: who opens; by default the last.")
@click.option("--bits", default=3072, show_default=True, help="For paillier: the key's length.")
@click.option("--rows", default=2**24, show_default=True, help="The most rows a party may bring.")
@click.option("--minimum-parties", default=3, show_default=True, help="Fewer are refused.")
@click.option("--minimum-cell", default=0, show_default=True,
              help="No result with a smaller pooled cell. Only paillier also keeps it from parties "
              "that look.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a session file, and the survey beside it.")
def write_session(path: Path, survey: Path, **words: Any) -> None:
    """Write the session file PATH that all parties agree on, with the survey beside it."""
    spare([survey, *words["parties"], words["relay_"]], path, beside(path))
    only_new(path, beside(path), force=words["force"])
    design = Design.load(survey)
    roster = roster_of(words["parties"])
    names = list(roster) or [""]
    agreed = Session(
        id=words["name"],
        design=design.fingerprint,
        domains={a.name: list(a.values) for a in design.attributes},
        parties=roster,
        relay={"url": words["url"], "certificate": words["relay_"].read_text()},
        task=json_in(words["task"], f"--task is JSON, for instance {EXAMPLE}"),
        scheme=words["scheme"],
        minimum_parties=words["minimum_parties"],
        minimum_cell=words["minimum_cell"],
        rows=words["rows"],
        bits=words["bits"],
        aggregator=words["aggregator"] or names[0],
        key_holder=words["key_holder"] or names[-1],
    )
    check_task(agreed, design)
    with writing(path) as part:
        agreed.save(part)
        design.save(beside(part))
    click.echo(f"session {agreed.id} {agreed.hash.hex()[:16]}: {', '.join(agreed.names)}")
    for remark in remarks(agreed, design):
        note(remark)


def roster_of(files: Sequence[Path]) -> dict[str, str]:
    """Read the parties' certificates by name, and refuse a name that comes twice."""
    roster: dict[str, str] = {}
    for file in files:
        pem = file.read_text()
        name = name_in(pem)
        if name in roster:
            raise PartyError(
                f"two of the certificates are made out to {name}, and one of the two parties would "
                "be left out. Give every certificate once; a party of the same name needs another "
                "one: frankly party init --name"
            )
        roster[name] = pem
    return roster


def json_in(text: str | bytes, otherwise: str) -> Any:
    """Read JSON, or say what was expected."""
    try:
        return json.loads(text)
    except ValueError:
        raise PartyError(otherwise) from None


@party.command("join")
@click.argument("session", type=FILE)
@click.option("--data", type=DATA, required=True, help="This party's rows; they stay here.")
@click.option("--test", type=DATA, help="This party's test rows, or the rows to classify.")
@click.option("--design", "-d", "survey", type=FILE, help="The survey, if not beside the session.")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Where to put the result.")
@click.option("--patience", default=3600.0, show_default=True, help="Seconds to wait for others.")
@identity_option
@json_option
def join_session(  # noqa: PLR0913 - one keyword for each option
    session: Path,
    *,
    data: Path,
    test: Path | None,
    survey: Path | None,
    output: Path | None,
    patience: float,
    identity: Path,
    machine: bool,
) -> None:
    """Take part in SESSION with this party's own data.

    Run it again after a crash: it goes on where it stopped. Parties whose transcripts
    have the same head have the same result.
    """
    spare([session, data, test, survey], output)
    agreed, me = Session.load(session), Identity(identity)
    design = Design.load(survey or beside(session))
    agreed.check_design(design)
    check_task(agreed, design)
    for remark in remarks(agreed, design):
        note(remark)
    state = State(identity / "sessions" / agreed.hash.hex()[:16])
    with (
        state.alone(),
        RelayPost(agreed, me, patience) as post,
        progress_bar("waiting for parties") as bar,
    ):
        state.same_data(data)
        watch = Watch(patience, lambda _, __, heard, all_: bar(heard, all_))
        home = at_home(agreed, design, me.name, data, test)
        result = join(agreed, design, me, home, post, state, watch)
    written(output, json.dumps(result, indent=2, ensure_ascii=False) + "\n")
    if machine:
        print_json(result)
    else:
        head = Transcript.load(state.transcript).head.hex()
        click.echo(f"session {agreed.id} is done. Parties with the same head have the same result:")
        click.echo(f"  {head}")
        tell(result, state.folder / "result.json")
        note(
            f"the transcript is {state.transcript}; check it with frankly party verify --session "
            f"{session.name}"
        )


def tell(result: dict[str, Any], path: Path) -> None:
    """Print what was learned, or where it is."""
    if "model" in result:
        say(f"\n{load(path).summary()}")
    else:
        note(f"the result is {path}")
    if judged := result.get("accuracy"):
        share, error = judged["accuracy"], judged["stderr"]
        say(
            f"\naccuracy {share:.1%}, standard error {error:.1%}, 95% interval "
            f"[{share - 1.96 * error:.1%}, {share + 1.96 * error:.1%}], from {judged['n']:,} test "
            "rows of all parties"
        )


def at_home(session: Session, design: Design, me: str, data: Path, test: Path | None) -> Home:
    """Open what a party has."""
    if design.hides:
        tell_unmarked(data, f"session {session.id}")
    reports = engine_for(design, read_reports(data, design))
    if test is None and ("holders" in session.task or session.task.get("accuracy")):
        raise PartyError(
            f"session {session.id} needs more rows of every party: the rows to classify, or those "
            "to judge the model by. Nothing was sent. Name them: --test rows.parquet"
        )
    if test is None:
        return Home(reports)
    if "holders" in session.task:
        names = session.task["holders"].get(me, [])
        return Home(reports, rows=own_rows(test, design, names))
    return Home(reports, tests=engine_for(design, read_reports(test, design)))


def own_rows(test: Path, design: Design, names: Sequence[str]) -> dict[str, Any]:
    """Read this party's questions for the rows that are to be classified."""
    table = read_reports(test, design)
    with suppress(pa.ArrowException):
        table = table if isinstance(table, pa.Table) else pq.read_table(test, columns=list(names))
    there = table.column_names if isinstance(table, pa.Table) else []
    missing = [name for name in names if name not in there]
    if missing:
        raise PartyError(
            f"{test.name} is no table with a column for each of this party's questions; {missing} "
            "cannot be read. Give a .parquet or .csv file of the rows to classify, in the agreed "
            "order"
        )
    return {n: encode_truths(design[n], table[n], place=test.name) for n in names}


@party.command()
@click.argument("session", type=FILE)
@click.option("--patience", default=10.0, show_default=True, help="Seconds to wait for the relay.")
@identity_option
@json_option
def status(session: Path, *, patience: float, identity: Path, machine: bool) -> None:
    """Tell how far SESSION is: who has spoken in which step."""
    agreed = Session.load(session)
    with RelayPost(agreed, Identity(identity), patience) as post:
        steps = post.status()
    if machine:
        told = [{"step": one.step, "from": one.senders} for one in steps]
        print_json({"id": agreed.id, "parties": list(agreed.names), "steps": told})
        return
    click.echo(f"session {agreed.id}: {', '.join(agreed.names)}")
    for one in steps:
        click.echo(f"  step {one.step}: heard {', '.join(one.senders)}")
    if not steps:
        click.echo("  nobody has spoken yet")


@party.command()
@click.argument("transcript", type=FILE)
@click.option("--session", type=FILE, help="This party's own session file: whose keys must sign.")
@click.option("--result", type=FILE, help="A result that should follow from it.")
@json_option
def verify(transcript: Path, *, session: Path | None, result: Path | None, machine: bool) -> None:
    """Check TRANSCRIPT and compute the result again from it.

    Signatures, order and the chain of hashes are checked; then the task is done once more with
    nothing but what was sent. Without --session the keys are those that the file itself names, and
    anybody can make such a file: compare their fingerprints with the parties.
    """
    checked, found = replay(transcript)
    if session is not None and Session.load(session).hash != checked.session.hash:
        raise PartyError(f"{transcript.name} belongs to another session than {session.name}")
    none = f"{result and result.name} holds no result. Give what frankly party join -o has written"
    if result is not None and json_in(result.read_bytes(), none) != found:
        raise PartyError(f"{result.name} does not follow from {transcript.name}")
    about = {
        "session": checked.session.id,
        "hash": checked.session.hash.hex(),
        "parties": list(checked.session.names),
        "fingerprints": [fingerprint(pem) for pem in checked.session.parties.values()],
        "known": session is not None,
        "steps": len(checked.steps),
        "head": checked.head.hex(),
    }
    if machine:
        print_json({**about, "result": found})
    else:
        tell_checked(about, "" if session is None else session.name)


def tell_checked(about: dict[str, Any], session: str) -> None:
    """Say what a transcript proves, and by whose keys."""
    click.echo(
        f"session {about['session']}: {about['steps']} steps of {len(about['parties'])} "
        f"parties, all signed and in order; the result follows from them. Head {about['head']}"
    )
    keys = f"the keys in {session}" if session else "keys that this file itself names"
    click.echo(f"signed by {keys}, session {about['hash']}:")
    width = max(map(len, about["parties"]))
    for name, shown in zip(about["parties"], about["fingerprints"], strict=True):
        click.echo(f"  {name:<{width}}  {shown}")
    if not session:
        note(
            "anybody can make such a file. Give your own --session session.toml, or compare the "
            "fingerprints with the parties themselves"
        )
