"""The owner's server as a process of its own: ``python -m frankly.studio SOCKET``."""

import os
import socket
import sys

import uvicorn

from frankly.store import Store
from frankly.studio.app import create_app

if __name__ == "__main__":
    respondents = os.environ.get("FRANKLY_RESPONDENTS", "http://127.0.0.1:8000")
    app = create_app(Store(os.environ["FRANKLY_DB"], upgrade=False), respondents=respondents)
    config = uvicorn.Config(app, access_log=False, log_level="warning", server_header=False)
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(sys.argv[1]))])
