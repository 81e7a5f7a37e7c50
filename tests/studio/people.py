"""The studio in one process: its people, their clients, and surveys to work on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import numpy as np
from fastapi import FastAPI

from frankly import Attribute, Design, Group, Tape, Unrelated, randomize
from frankly.cli.demo import answer_all
from frankly.store import Answer, Rows, Store, hashed, ingest
from frankly.store.drafts import Draft, add_draft, add_member, put_member
from frankly.store.people import make_key, start_session
from frankly.studio.access import COOKIE, csrf_token
from tests.live import in_loop

PASSWORD = "a sentence of their own"
BASE = "http://studio"

DOCUMENT: dict[str, Any] = {
    "title": "Nights on the ward",
    "attributes": [
        {"name": "ill", "values": ["no", "yes"], "prompt": "Are you ill?"},
        {"name": "drinks", "values": ["never", "sometimes", "often"], "prompt": "Do you drink?"},
        {"name": "sex", "values": ["f", "m"], "prompt": "Your sex?"},
    ],
    "groups": [
        {"names": ["ill"], "mechanism": {"kind": "unrelated", "theta": "7/10"}},
        {"names": ["drinks"], "mechanism": {"kind": "unrelated", "theta": "1/2"}},
    ],
    "target": "ill",
}
"""Two protected questions, the first of them to be predicted, and one in clear."""

DESIGN = Design(
    [
        Attribute("ill", ["no", "yes"], prompt="Are you ill?"),
        Attribute("drinks", ["never", "sometimes", "often"], prompt="Do you drink?"),
        Attribute("sex", ["f", "m"], prompt="Your sex?"),
    ],
    groups=[Group(["ill"], Unrelated(theta="7/10")), Group(["drinks"], Unrelated(theta="1/2"))],
    title="Nights on the ward",
    target="ill",
)
"""The same as a design."""


class InProcess(httpx.BaseTransport):
    """Carry requests to an app in this process, from an address of one's choice.

    Each runs in a loop of its own, in a thread of its own: the browser's driver has one in this.
    """

    def __init__(self, app: FastAPI, address: str = "127.0.0.1") -> None:
        self.app, self.address = app, address

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        body = request.read()
        asked = httpx.Request(request.method, request.url, headers=request.headers, content=body)
        inner = httpx.ASGITransport(
            self.app, raise_app_exceptions=False, client=(self.address, 1234)
        )

        async def answer() -> httpx.Response:
            response = await inner.handle_async_request(asked)
            content = await response.aread()
            return httpx.Response(response.status_code, headers=response.headers, content=content)

        return in_loop(answer())


@dataclass(frozen=True)
class Studio:
    """A store, the app over it, and hands to do things with."""

    store: Store
    app: FastAPI

    def caller(self, address: str = "127.0.0.1", **headers: str) -> httpx.Client:
        """Somebody who is not signed in."""
        return httpx.Client(
            transport=InProcess(self.app, address), base_url=BASE, headers=headers, timeout=60
        )

    def signed_in(self, name: str) -> httpx.Client:
        """Somebody with a session; every request carries its form's word as the pages' script does.

        Send a form without it by ``headers={"X-CSRF": ""}`` and a field ``csrf``.
        """
        secret = start_session(self.store, name)
        made = self.caller(**{"X-CSRF": csrf_token(secret)})
        made.cookies.set(COOKIE, secret)
        return made

    def by_key(self, name: str, *powers: str) -> httpx.Client:
        """Build a program of somebody's, with a key for these powers."""
        secret = make_key(self.store, name, "a key", powers)
        return self.caller(Authorization=f"Bearer {secret}")

    def draft(
        self,
        name: str = "draft",
        owner: str = "ann",
        document: Mapping[str, Any] = DOCUMENT,
        **plan: Any,
    ) -> Draft:
        """Begin a survey."""
        return add_draft(self.store, Draft(name, document, plan), owner)

    def opened(
        self, n: int = 0, name: str = "ward", owner: str = "ann", design: Design = DESIGN
    ) -> list[str]:
        """Open a survey, let carl look at it, and answer it n times; give three unused secrets."""
        self.store.open_survey(name, design, "invited")
        with self.store.writing() as connection:
            put_member(connection, name, owner, "owner")
        if owner != "carl":
            add_member(self.store, name, "carl", "analyst", by=owner)
        if n:
            self.answer(n, name)
        return self.store.invite(name, 3)

    def answer(self, n: int, name: str = "ward", seed: int = 1) -> None:
        """Answer a survey as n made-up people, each through the device."""
        design = self.store.survey(name).design
        chance = np.random.default_rng(seed)
        truths = {a.name: chance.choice(a.values, n).tolist() for a in design.attributes}
        reports = randomize(design, truths, Tape.seeded(seed))
        if len(design.forms) == 1:
            answer_all(self.store, name, reports)
            return
        rows, asked = Rows(design), reports["form"]
        batch = []
        for i, secret in enumerate(self.store.invite(name, n)):
            form = design.forms[asked[i]]
            codes = [
                form.reported(one).index(reports[one][i]) if one in form.names else None
                for one in design.names
            ]
            row = rows.pack(asked[i], codes)
            batch.append(Answer(name, hashed(secret), hashed(f"receipt {secret}"), row))
        ingest(self.store, batch)
