"""P10: errors, logs and metrics never contain answers, tokens or addresses."""

import json
import os
import secrets
import sys
from pathlib import Path

import httpx

from frankly import Attribute, Design, Group, Unrelated
from tests.live import body_for, figure, running, survey_in


def canaries() -> dict[str, str]:
    """Make one unmistakable word for every place something could leak from."""
    places = ("path", "query", "agent", "referer", "cookie", "forwarded", "field", "value",
              "name", "token", "receipt", "broken")  # fmt: skip
    return {place: f"canary{place}{secrets.token_hex(8)}" for place in places}


def searched(folder: Path, words: dict[str, str]) -> dict[str, list[str]]:
    """Search every file under a folder, as text, as UTF-16 and as hex."""
    found: dict[str, list[str]] = {}
    for file in folder.rglob("*"):
        data = file.read_bytes() if file.is_file() else b""
        for place, word in words.items():
            forms = (word.encode(), word.encode("utf-16-le"), word.encode().hex().encode())
            if any(form in data for form in forms):
                found.setdefault(place, []).append(file.name)
    return found


def provoke(base: str, design: Design, invited: list[str], words: dict[str, str]) -> str:
    """Send every canary in valid and invalid requests; give everything that came back."""
    headers = {"user-agent": words["agent"], "referer": f"http://{words['referer']}/",
               "cookie": f"a={words['cookie']}", "x-forwarded-for": words["forwarded"]}  # fmt: skip
    back: list[str] = []
    with httpx.Client(base_url=base, headers=headers, timeout=30) as client:
        good = body_for(design, invited[0], {"ill": "yes"})
        bodies = [
            good,
            {**good, words["field"]: 1},
            {**good, "report": {"ill": words["value"]}},
            {**good, "report": {words["name"]: "yes"}},
            {**good, "invitation": words["token"]},
            {**good, "receipt": words["receipt"]},
            {**good, "design": words["value"]},
            [words["broken"]],
        ]
        for body in bodies:
            answer = client.post(f"/ward/reports?x={words['query']}", json=body)
            back += [answer.text, str(answer.headers)]
        broken = [b'{"' + words["broken"].encode(), words["broken"].encode() * 9000, b"\xff" * 9]
        for content in broken:
            kind = {"content-type": "application/json"}
            back.append(client.post("/ward/reports", content=content, headers=kind).text)
        for path in (f"/{words['path']}/", f"/ward/{words['path']}", f"/web/{words['path']}.js"):
            back.append(client.get(path, params={"q": words["query"]}).text)
    return "".join(back)


def test_no_canary_is_found_anywhere(url: str, tmp_path: Path, full: bool) -> None:
    design = Design(
        [Attribute("ill", ["no", "yes"])], groups=[Group(["ill"], Unrelated(theta=0.7))]
    )
    invited = survey_in(url, 3, design)
    words = canaries()
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    env = {"TMPDIR": str(temporary)}
    with running(url, log=tmp_path / "log", env=env) as live:
        back = provoke(live.base, design, invited, words)
        found = searched(tmp_path, {**words, "invitation": invited[0]})
    echoed = [place for place, word in words.items() if word in back]
    hits = sum(map(len, found.values())) + len(echoed)
    kind = "PostgreSQL" if "://" in url else "SQLite"
    figure("P10", f"canaries in logs, answers, temporary files, database ({kind})", hits, full=full)
    assert (found, echoed) == ({}, [])
    assert (tmp_path / "log").exists()


TALKATIVE = """
import os, socket, sys
import uvicorn
from frankly.collect.app import create_app
from frankly.collect import reading
from frankly.collect.refusal import Refusal
from frankly.store import Store
def decoded(body):
    try:
        return reading.DECODER.decode(body)
    except Exception as error:
        raise Refusal("field", str(error) + body.decode(errors="replace"))
reading.decoded = decoded
app = create_app(Store(os.environ["FRANKLY_DB"], upgrade=False))
door = socket.socket(fileno=int(sys.argv[1]))
uvicorn.Server(uvicorn.Config(app, access_log=True)).run(sockets=[door])
"""


def test_a_server_with_an_access_log_and_an_echo_is_caught(tmp_path: Path) -> None:
    url, mutant = str(tmp_path / "s.sqlite"), tmp_path / "talkative.py"
    mutant.write_text(TALKATIVE)
    design = Design(
        [Attribute("ill", ["no", "yes"])], groups=[Group(["ill"], Unrelated(theta=0.7))]
    )
    invited, words = survey_in(url, 3, design), canaries()
    launch = (sys.executable, str(mutant))
    with running(url, log=tmp_path / "log", launch=launch) as live:
        back = provoke(live.base, design, invited, words)
        found = searched(tmp_path, words)
    assert {"path", "query"} <= set(found)
    assert words["field"] in back


FAILING = """
import os, socket, sys
from frankly.collect import app, serve
def fail(body, survey):
    raise KeyError(body.decode(errors="replace"))
app.answer_from = fail
serve.serve(os.environ["FRANKLY_DB"], socket.socket(fileno=int(sys.argv[1])))
"""


def test_a_mistake_of_ours_is_named_in_the_log_without_its_words(tmp_path: Path) -> None:
    url, script = str(tmp_path / "s.sqlite"), tmp_path / "failing.py"
    script.write_text(FAILING)
    design = Design(
        [Attribute("ill", ["no", "yes"])], groups=[Group(["ill"], Unrelated(theta=0.7))]
    )
    (secret,), words = survey_in(url, 1, design), canaries()
    body = body_for(design, secret, {"ill": words["value"]})
    with running(url, log=tmp_path / "log", launch=(sys.executable, str(script))) as live:
        told = httpx.post(f"{live.base}/ward/reports", json=body, timeout=30)
        found = searched(tmp_path, {**words, "invitation": secret})
    assert told.status_code == 503
    assert told.json()["type"] == "busy"
    assert "content-security-policy" in told.headers
    assert "KeyError" in (tmp_path / "log").read_text()
    assert (found, words["value"] in told.text) == ({}, False)


def test_a_token_in_the_store_would_be_found(tmp_path: Path) -> None:
    words = {"token": "canary" + secrets.token_hex(8)}
    (tmp_path / "db").write_text(json.dumps({"secret": words["token"]}))
    assert searched(tmp_path, words) == {"token": ["db"]}
    assert os.listdir(tmp_path) == ["db"]  # noqa: PTH208
