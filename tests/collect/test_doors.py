"""Doors: one port, a door for each worker, and nobody else's."""

import socket
import sys
from collections import Counter

import pytest

from frankly.collect.doors import doors, listen
from frankly.errors import FranklyError

REUSE = sys.platform == "linux"


def knock(port: int) -> socket.socket:
    """Come to a port."""
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def waiting(door: socket.socket) -> int:
    """Let in everybody who stands at a door."""
    door.setblocking(False)
    found = 0
    while True:
        try:
            door.accept()[0].close()
        except BlockingIOError:
            return found
        found += 1


def test_people_are_dealt_out_over_the_doors() -> None:
    # By chance one of two doors gets fewer than 5 of 40 people once in 12 million.
    opened = doors("127.0.0.1", 0, 2)
    people = [knock(opened[0].getsockname()[1]) for _ in range(40)]
    found = Counter({i: waiting(door) for i, door in enumerate(opened)})
    for one in (*people, *opened):
        one.close()
    assert found.total() == 40
    assert not REUSE or min(found.values()) >= 5


@pytest.mark.parametrize("workers", [1, 2])
def test_a_port_that_another_service_has_is_refused(workers: int) -> None:
    """Doors that may be shared would otherwise be shared with a service that runs already."""
    opened = doors("127.0.0.1", 0, workers)
    port = opened[0].getsockname()[1]
    for others in (1, 2):
        with pytest.raises(FranklyError, match="Is the service running already"):
            doors("127.0.0.1", port, others)
    for door in opened:
        door.close()


def test_one_worker_has_the_port_alone() -> None:
    only = listen("127.0.0.1", 0)
    with pytest.raises(FranklyError, match="cannot be opened"):
        listen("127.0.0.1", only.getsockname()[1], shared=True)
    only.close()
