"""One worker as a process of its own: ``FRANKLY_DB=… python -m frankly.collect SOCKET``."""

import os
import socket
import sys

from frankly.collect.serve import serve

if __name__ == "__main__":
    serve(os.environ["FRANKLY_DB"], socket.socket(fileno=int(sys.argv[1])))
