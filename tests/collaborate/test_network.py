"""Three parties as three processes over mutual TLS: the central model, bit for bit."""

from pathlib import Path

import pytest

from frankly.count import ArrayEngine
from frankly.mine import MINERS
from frankly.mine.saved import document
from tests.collaborate.processes import Village, finished, run
from tests.collaborate.rooms import DESIGN, together


@pytest.mark.parametrize(
    ("scheme", "kind"), [("masks", "naive-bayes"), ("paillier", "naive-bayes"), ("masks", "id3")]
)
def test_three_processes_learn_the_central_model(tmp_path: Path, scheme: str, kind: str) -> None:
    village = Village(tmp_path, scheme=scheme, task={"kind": kind})
    with village.relay():
        finished([village.join(k) for k in range(3)])
        told = run("party", "status", village.session, "-i", village.party(1))
    pile = ArrayEngine.from_codes(DESIGN, together(village.rows))
    central = MINERS[kind](design=DESIGN).fit(pile)
    for k in range(3):
        assert village.result(k)["model"] == document(central)
    assert "step 1: heard" in told.output
    transcript = village.state(0) / "transcript.jsonl"
    words = ["--session", village.session, "--result", tmp_path / "result-2.json"]
    checked = run("party", "verify", transcript, *words)
    assert "all signed and in order; the result follows from them" in checked.output
