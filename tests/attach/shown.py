# SPDX-License-Identifier: Apache-2.0
"""A running job that attached clients look at, for the tests of attached clients: SCRIPT SHOWN TOP OTHER [--fabrics FABRIC...]."""
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import PATIENCE, Job  # noqa: E402

SHOWN, TOP, OTHER = (os.path.abspath(file) for file in sys.argv[1:4])
FABRICS = sys.argv[5:] or ["shm", "threads"]


def clean_environment():
    return {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_")} | {"ARMILLA_TUNED": "none", "ARMILLA_PIN": "none"}


def client(*command, **more):
    return subprocess.run(command, env=clean_environment(), capture_output=True, text=True, check=False, timeout=PATIENCE, **more)


class Shown(Job):
    """A running job of the program; at the end it must have ended well."""

    def __init__(self, test, scene="compute", ranks=2, fabric="shm", program=SHOWN, launcher=()):
        super().__init__([*launcher, program, scene], ranks=ranks, fabric=fabric)
        self.test = test
        self.pid = os.path.basename(program) if launcher else str(self.process.pid)  # by which attached clients find it
        for _ in range(ranks):
            test.assertEqual(self.process.stdout.readline(), "ready\n")

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        try:
            if kind is not None:
                return
            self.process.send_signal(signal.SIGUSR2)
            self.end()
            self.test.assertEqual((self.code, self.out, self.err), (0, "", ""))
            self.test.assertEqual(self.left_behind(), [])
        finally:
            self.process.kill()
            self.process.communicate()

    def look(self, interval=20):
        seen = client(TOP, "--once", "--json", "--interval", str(interval), self.pid)
        self.test.assertEqual((seen.returncode, seen.stderr), (0, ""))
        return json.loads(seen.stdout)

    def look_until(self, good):
        """Ranks go to sleep after a while: looks until that has come about."""
        end = time.monotonic() + PATIENCE
        while True:
            seen = self.look()
            if good(seen["ranks"]):
                return seen
            self.test.assertLess(time.monotonic(), end, seen)
