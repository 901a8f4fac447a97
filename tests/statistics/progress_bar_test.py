#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bar of a job on a terminal: progress_bar_test.py PROGRAM LAUNCHER [--fabrics FABRIC...]."""
import os
import pty
import re
import subprocess
import sys
import unittest

PROGRAM, LAUNCHER = (os.path.abspath(a) for a in sys.argv[1:3])
FABRICS = sys.argv[4:] or ["shm", "threads", "loop"]
BAR = re.compile(r"\r\x1b\[Karmilla: am::count_by_key \[(#+)(\.+)\] +(\d+) %, [0-9.]+ [kM] elements/s, \d+ s left")


def read_all(terminal):
    text = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the last who had it is gone
            part = b""
        if not part:
            return text.decode()
        text += part


class ProgressBarTest(unittest.TestCase):
    def run_job(self, command, ranks=2, fabric=None, on_terminal=True, **variables):
        """What stands on the terminal, or in the pipe."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_")}
        environment |= {"ARMILLA_RANKS": str(ranks), "ARMILLA_FABRIC": fabric or FABRICS[0], "ARMILLA_PIN": "none"} | variables
        if not on_terminal:
            job = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
            self.assertEqual((job.returncode, job.stdout), (0, "done\n"), job.stderr)
            return job.stderr
        child, terminal = pty.fork()
        if child == 0:
            os.execve(command[0], command, environment)
        text = read_all(terminal)
        os.close(terminal)
        self.assertEqual(os.waitpid(child, 0)[1], 0, text)
        return text

    def assert_bar(self, text):
        shares = [int(share) for _, _, share in BAR.findall(text)]
        self.assertTrue(shares, text)
        self.assertEqual(shares, sorted(shares))
        self.assertTrue(0 < shares[0] < 100)
        self.assertRegex(text.split("left")[-1], r"^\r\x1b\[K", "the bar is cleared")

    def test_a_job_has_one_on_its_terminal(self):
        for fabric in FABRICS:
            with self.subTest(fabric=fabric):
                self.assert_bar(self.run_job([PROGRAM, "long"], fabric=fabric, ARMILLA_PROGRESS_BAR="1"))

    def test_the_launcher_asks_for_it(self):
        self.assert_bar(self.run_job([LAUNCHER, "--progress", "-n", "2", PROGRAM, "long"]))

    def test_it_is_on_the_launchers_terminal_if_output_goes_through_pipes(self):
        self.assert_bar(self.run_job([LAUNCHER, "--progress", "--label", "-n", "2", PROGRAM, "long"]))

    def test_nothing_is_shown_without_a_terminal(self):
        self.assertEqual(self.run_job([PROGRAM, "long"], on_terminal=False, ARMILLA_PROGRESS_BAR="1"), "")
        self.assertEqual(self.run_job([LAUNCHER, "--progress", "-n", "2", PROGRAM, "long"], on_terminal=False), "")

    def test_nothing_is_shown_unless_requested(self):
        self.assertNotIn("am::", self.run_job([PROGRAM, "long"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
