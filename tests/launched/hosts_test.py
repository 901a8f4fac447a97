#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks that die under Open MPI's mpirun on two hosts: hosts_test.py ACTOR, beside two hosts of tests/hosts/hosts. All others, on both
hosts, hear which died and how, and it is said once."""
import os
import re
import signal
import sys
import time
import unittest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [TESTS, os.path.join(TESTS, "ports")]
from jobs import PATIENCE, Job  # noqa: E402
from ports import running  # noqa: E402

HOSTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hosts", "hosts")
ACTOR = os.path.abspath(sys.argv[1])
CAUSES = {"kill": r"was killed by signal 9 \(SIGKILL\)", "segv": r"was killed by signal 11 \(SIGSEGV\)"}


class Deaths(unittest.TestCase):
    def test_all_hosts_hear_of_a_death(self):
        for victim, scene in ((0, "kill"), (1, "segv"), (3, "kill")):
            with self.subTest(victim=victim, scene=scene):
                job = Job([HOSTS, "mpirun", "openmpi", "-n", "4", ACTOR, scene + "_alone", str(victim)], fabric="auto").end()
                lost = rf"rank {victim} on h{victim // 2 + 1}"
                heard = re.findall(rf"(\d) heard: {lost} {CAUSES[scene]}", job.out)
                self.assertEqual(sorted(map(int, heard)), [r for r in range(4) if r != victim], job.out + job.err)
                self.assertEqual(len(job.messages()), 1, job.err)
                self.assertRegex(job.messages()[0], f"{lost} .*{CAUSES[scene]}")
                self.assertNotEqual(job.code, 0)

    def test_all_hosts_end_when_the_launcher_is_killed(self):
        job = Job([HOSTS, "mpirun", "openmpi", "-n", "4", ACTOR, "hang"], fabric="auto")
        job.wait_for_lines(4)
        for pid in {parent_of(rank) for rank in running(ACTOR)}:
            if os.path.basename(os.readlink(f"/proc/{pid}/exe")) in ("orterun", "prterun"):
                os.kill(pid, signal.SIGKILL)
        until = time.monotonic() + PATIENCE
        while running(ACTOR) and time.monotonic() < until:
            time.sleep(0.01)
        self.assertEqual(running(ACTOR), [])
        self.assertEqual(len(job.end().messages()), 1, job.err)


def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        return int(stat.read().rsplit(")", 1)[1].split()[1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
