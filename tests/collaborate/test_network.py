"""Three parties as three processes over mutual TLS: the central model, bit for bit."""

import base64
import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import frankly as fk
from frankly.cli import main
from frankly.collaborate import Transcript
from frankly.collaborate.vertical import CONSENT
from frankly.count import ArrayEngine
from frankly.mine import MINERS
from frankly.mine.saved import document
from tests.collaborate.processes import Village, finished, run
from tests.collaborate.rooms import DESIGN, labels, made_up, together


def printed(party: Path) -> str:
    """Give a certificate's fingerprint from its bytes, written as openssl does."""
    lines = (party / "certificate.pem").read_text().splitlines()
    whole = hashlib.sha256(base64.b64decode("".join(lines[1:-1]))).hexdigest().upper()
    return ":".join(whole[at : at + 2] for at in range(0, 64, 2))


@pytest.mark.parametrize(
    ("scheme", "kind"),
    [
        ("masks", "naive-bayes"),
        ("paillier", "naive-bayes"),
        ("masks", "id3"),
        ("masks", "tan"),
        ("masks", "rules"),
    ],
)
def test_three_processes_learn_the_central_model(tmp_path: Path, scheme: str, kind: str) -> None:
    village = Village(tmp_path, scheme=scheme, task={"kind": kind})
    with village.relay():
        said = finished([village.join(k) for k in range(3)])
        told = run("party", "status", village.session, "-i", village.party(1))
    pile = ArrayEngine.from_codes(DESIGN, together(village.rows))
    central = MINERS[kind](design=DESIGN).fit(pile)
    for k in range(3):
        assert village.result(k)["model"] == document(central)
        model = fk.load(tmp_path / f"result-{k}.json")
        assert document(model) == document(central)
        assert model.summary() in said[k]
    assert "step 1: heard" in told.output
    transcript = village.state(0) / "transcript.jsonl"
    assert all(Transcript.load(transcript).head.hex() in text for text in said)
    words = ["--session", village.session, "--result", tmp_path / "result-2.json"]
    checked = run("party", "verify", transcript, *words)
    assert "all signed and in order; the result follows from them" in checked.output
    assert "signed by the keys in session.toml" in checked.output
    alone = run("party", "verify", transcript)
    assert "signed by keys that this file itself names" in alone.output
    assert "anybody can make such a file" in alone.stderr
    for k in range(3):
        assert printed(village.party(k)) in alone.output, "what openssl prints"
    other = CliRunner().invoke(main, ["party", "verify", str(transcript), "--result", __file__])
    assert (other.exit_code, "holds no result" in other.stderr) == (2, True), other.output


def test_a_joint_model_is_judged_in_the_session_and_afterwards(tmp_path: Path) -> None:
    village = Village(tmp_path, task={"kind": "naive-bayes", "accuracy": True})
    lacking = CliRunner().invoke(main, [str(word) for word in village.join_words(0)])
    assert (lacking.exit_code, "--test" in lacking.stderr) == (2, True), lacking.output
    with village.relay():
        said = finished([village.join(k, "--test", village.data(k)) for k in range(3)])
    rows = village.result(0)["accuracy"]["n"]
    assert all(
        f"from {rows:,} test rows of all parties" in text.replace("\n", " ") for text in said
    )
    assert all("standard error" in text and "95% interval [" in text for text in said)
    judged = run("judge", tmp_path / "result-0.json", village.data(1))
    assert "accuracy" in judged.output


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_vertical_parties_bring_their_rows_as_csv_or_parquet(tmp_path: Path, ending: str) -> None:
    holders = {"party-0": ["smokes"], "party-1": ["age"], "party-2": ["ward"]}
    task = {"kind": "vertical-naive-bayes", "target": "ill", "alpha": 1.0, "rows": 300}
    task[CONSENT] = True
    village = Village(tmp_path, rows=[made_up(300, 4)] * 3, task={**task, "holders": holders})
    test = tmp_path / f"rows.{ending}"
    table = pa.table(labels(village.rows[0]))
    wrong = tmp_path / f"wrong.{ending}"
    wrong.write_text("smokes\nsmokes 1\n")
    words = village.join_words(1, "--test", wrong)
    refused = CliRunner().invoke(main, [str(word) for word in words])
    assert (refused.exit_code, "cannot be read" in refused.stderr) == (2, True), refused.output
    (pacsv.write_csv if ending == "csv" else pq.write_table)(table, test)
    with village.relay():
        finished([village.join(k, "--test", test) for k in range(3)])
    assert len(village.result(2)["classes"]) == 300
