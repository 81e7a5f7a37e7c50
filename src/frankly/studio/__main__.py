"""The owner's server as a process of its own: ``python -m frankly.studio SOCKET``."""

import os
import socket
import sys

from frankly.collect.serve import run
from frankly.store import Store
from frankly.studio.app import create_app

if __name__ == "__main__":
    respondents = os.environ.get("FRANKLY_RESPONDENTS", "http://127.0.0.1:8000")
    with Store(os.environ["FRANKLY_DB"], upgrade=False) as store:
        run(
            create_app(store, respondents=respondents),
            socket.socket(fileno=int(sys.argv[1])),
            behind_proxy=os.environ.get("FRANKLY_BEHIND_PROXY") == "yes",
        )
