"""The first requests to a new worker come at once, each read in a thread of its own."""

import subprocess
import sys

AT_ONCE = """
import sys, threading
sys.setswitchinterval(1e-6)
from frankly.store.store import read_design
from tests.live import DESIGN
import json
document = json.dumps(DESIGN.document())
door = threading.Barrier(24)
def read():
    door.wait()
    read_design.__wrapped__(document)
threads = [threading.Thread(target=read) for _ in range(24)]
for one in threads: one.start()
for one in threads: one.join()
"""


def test_many_threads_may_read_the_first_design() -> None:
    """Without the look ahead in `frankly.design.document` nearly every such process crashes."""
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", AT_ONCE], check=False, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
