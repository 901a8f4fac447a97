#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that use MPI and hang, or that no launcher started: mpi_scenes_test.py BESIDE_MPI MPIRUN ARMILLA_RUN."""
import os
import re
import signal
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import Job  # noqa: E402

PROGRAM, MPIRUN, ARMILLA_RUN = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
BY_MPIRUN = ["timeout", "--kill-after=2", "30", MPIRUN, "--oversubscribe", "--bind-to", "none", "-n", "3"]
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def line_of(job, start):
    """The next line of its errors that begins so; empty where the job ends before."""
    for line in job.process.stderr:
        if re.match(start, line):
            return line
    return ""


class Hanging(unittest.TestCase):
    def assert_reported(self, scene, place, fabric="auto"):
        job = Job([*BY_MPIRUN, PROGRAM, scene], fabric=fabric, env=ROOT | {"ARMILLA_STALL": "100ms"})
        try:
            headline = line_of(job, r"armilla: rank 1 has taken in no messages")
            self.assertRegex(headline, r"no messages for 1\.5 s, and another rank waits \(the job goes on;")
            busy = line_of(job, r"rank 1 \(")
            self.assertRegex(busy, rf"rank 1 \(.*, pid \d+\) is busy( and has not waited yet|; it last waited .*): {place}")
            # the rank that reports, with what it waits for: 0 for the reply of 1, or 2 at its end for all
            self.assertRegex(line_of(job, r"rank [02] \("), r"rank [02] \(.*, pid \d+\):$")
            self.assertRegex(line_of(job, " "), "  main waits for (.*the reply of rank 1 to|the end of all ranks)")
        finally:
            job.process.send_signal(signal.SIGTERM)
            job.end()

    def test_a_rank_that_spins_is_reported(self):
        self.assert_reported("spin", "it computes")

    def test_a_rank_that_receives_by_mpi_is_reported(self):
        self.assert_reported("recv", "it (computes|sleeps)")

    def test_a_rank_that_ends_mpi_is_reported(self):
        self.assert_reported("finalize", "it (computes|sleeps)")

    def test_a_rank_that_locks_twice_is_reported(self):
        self.assert_reported("mutex", "it sleeps in a system call")

    def test_a_rank_that_pauses_is_reported_over_mpi(self):
        self.assert_reported("pause", "it sleeps in a system call", "mpi")


class Alone(unittest.TestCase):
    def test_mpi_before_run_without_its_launcher_is_one_of_one(self):
        expected = [f"rank {r} of 2, MPI's 0 of 1" for r in range(2)]
        for command, ranks in (([PROGRAM, "sizes"], 2), ([ARMILLA_RUN, "-n", "2", PROGRAM, "sizes"], None)):
            with self.subTest(command=command):
                job = Job(command, ranks=ranks, env=ROOT).end()
                self.assertEqual((job.code, sorted(job.out.splitlines())), (0, expected), job.err)


unittest.main()
