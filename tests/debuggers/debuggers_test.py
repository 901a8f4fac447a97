#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs under valgrind and gdb: debuggers_test.py DEBUGGED LAUNCHER Valgrind|Gdb. Ends with 77 where that is not installed."""
import os
import re
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import Job  # noqa: E402

DEBUGGED, LAUNCHER, GROUP = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
VALGRIND = ["valgrind", "--trace-children=yes", "-q", "--error-exitcode=9"]


class Valgrind(unittest.TestCase):
    def test_a_right_program_has_no_errors(self):
        for ranks, fabric in ((1, "shm"), (2, "shm"), (2, "threads"), (2, "loop")):
            with self.subTest(ranks=ranks, fabric=fabric):
                job = Job([*VALGRIND, DEBUGGED], ranks=ranks, fabric=fabric).end()
                self.assertEqual(job.code, 0, job.err)
                self.assertIn("all are done", job.out)
                self.assertNotRegex(job.err, "client switching stacks|Invalid|uninitialised", job.err)

    def test_an_error_in_a_body_that_waited_is_found(self):
        job = Job([*VALGRIND, DEBUGGED, "wrong"], ranks=2).end()
        self.assertRegex(job.err, r"Conditional jump or move depends on uninitialised(.*\n)+?.*decide_by_nothing.*\n.*ask_further")
        self.assertNotEqual(job.code, 0)


class Gdb(unittest.TestCase):
    def gdb(self, *arguments, commands):
        job = Job([LAUNCHER, "--gdb", "-n", "2", DEBUGGED, *arguments], stdin=-1)
        return job.end("set pagination off\nset confirm off\n" + commands)

    def test_breakpoints_hold_in_all_ranks(self):
        # What gdb does by itself when a rank has ended it does between two commands: there must be some left.
        job = self.gdb(commands="break everything_begins\nrun\nprint $_inferior\ncontinue\nprint $_inferior\ninfo inferiors\n" + 8 * "continue\n")
        self.assertEqual(len(re.findall(r"hit Breakpoint 1", job.out)), 2, job.out + job.err)
        self.assertEqual(sorted(re.findall(r"\$\d = (\d)", job.out)), ["2", "3"], job.out)
        self.assertRegex(job.out, r"1 .*armilla-run(.*\n)+?.*2 .*debugged(.*\n)+?.*3 .*debugged")
        self.assertIn("all are done", job.out)

    def test_a_crash_shows_the_stack_of_the_body(self):
        job = self.gdb("crash", commands="run\nbacktrace\nkill inferiors 1 2 3\n")
        self.assertRegex(job.out, r"received signal SIGSEGV(.*\n)+?.*ask_further \(depth=0\)")

    def test_wrong_use(self):
        job = Job([LAUNCHER, "--gdb", "--hosts", "localhost:2", DEBUGGED]).end()
        self.assertEqual(job.code, 2)
        self.assertIn("--gdb takes the ranks of one host", job.err)


if __name__ == "__main__":
    if shutil.which(GROUP.lower()) is None:
        print(f"SKIP: no {GROUP.lower()}")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *(sys.argv[4:] or [GROUP])])
