"""Doors: one port, and a door to it for each worker.

Behind a single door the worker that wakes first lets in nearly everybody who comes together, and
keeps them for as long as their browsers, or a proxy, hold the line. With a door each the system
deals people out by chance. A door stays open while its worker is started again: whoever knocked
meanwhile waits for a moment, and is let in.
"""

import socket

from frankly.errors import FranklyError

__all__ = ["doors", "listen"]

BACKLOG = 2048
"""So many people may stand at a door."""


def listen(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """Open a port; 0 lets the system choose.

    Parameters
    ----------
    shared
        Whether other doors may be opened to it.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if shared:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise FranklyError(
            f"port {port} on {host} cannot be opened ({error.strerror}). Is the service running "
            "already? Choose another port with --port and --owner-port"
        ) from error
    listening.listen(BACKLOG)
    return listening


def doors(host: str, port: int, workers: int) -> list[socket.socket]:
    """Open a port with a door for each worker; one that somebody else has is refused.

    Examples
    --------
    >>> opened = doors("127.0.0.1", 0, 2)
    >>> len({door.getsockname() for door in opened})
    1
    >>> for door in opened:
    ...     door.close()
    """
    only = listen(host, port)
    if workers == 1 or not hasattr(socket, "SO_REUSEPORT"):
        return [only] * workers
    port = only.getsockname()[1]
    only.close()  # it was ours alone: another service would have kept it from us
    return [listen(host, port, shared=True) for _ in range(workers)]
