"""The owner's server as a process of its own: ``python -m frankly.studio SOCKET``."""

import os
import socket
import sys

import uvicorn

from frankly.store import Store
from frankly.studio.app import create_app

if __name__ == "__main__":
    app = create_app(
        Store(os.environ["FRANKLY_DB"], upgrade=False), os.environ["FRANKLY_OWNER_KEY"]
    )
    config = uvicorn.Config(app, access_log=False, log_level="warning", server_header=False)
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(sys.argv[1]))])
