#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processes that ranks fork: fork_test.py ACTOR LAUNCHER [unittest arguments]."""
import sys
import unittest

from start_case import FABRICS, SANITIZED, StartTest

LOST = (r"^armilla: process \d+, which rank \d has forked, is no rank: it came back from a body or a fiber, or it reached for memory of "
        "the job")


class Forked(StartTest):
    """The job goes on after each, and its code is 0."""

    def each(self, scene, *arguments, star=1):
        for fabric in FABRICS + (["loop"] if "shm" in FABRICS else []):
            for ranks in (1, 2, 4):
                with self.subTest(scene=scene, fabric=fabric, ranks=ranks):
                    job = self.run_job(scene, str(star % ranks), *arguments, ranks=ranks, fabric=fabric)
                    self.assertEqual(job.code, 0, job.err)
                    yield job

    def lines(self, job):
        return sorted(job.out.splitlines())

    def test_a_child_that_returns_from_the_function_ends_with_its_code(self):
        for job in self.each("fork_return", "300"):
            self.assertEqual((self.lines(job), job.err), (["child ended with 44"], ""))

    def test_an_exception_of_a_child_is_told_as_its_own(self):
        for job in self.each("fork_throw"):
            self.assertEqual(self.lines(job), ["child ended with 1"])
            self.assertRegex(job.err, r"^armilla: process \d+, which rank \d has forked, ended by an exception: std::runtime_error: a child's \\x1b$")

    def test_the_exit_of_a_child_is_no_rank_s(self):
        for job in self.each("fork_exit", "3"):
            self.assertEqual((self.lines(job), job.err), (["child ended with 3"], ""))

    def test_calls_of_a_child_throw(self):
        for scene in ("fork_rank", "fork_barrier", "fork_call", "fork_run", "fork_pointer"):
            for job in self.each(scene):
                end, said = self.lines(job)
                self.assertRegex(said, r"^refused: armilla: .*: process \d+, which rank \d has forked, is no rank; let the rank do this")
                self.assertEqual((end, job.err), ("child ended with 0", ""))

    @unittest.skipIf(SANITIZED, "sanitizers handle faults themselves")
    def test_a_child_has_no_memory_of_the_job(self):
        for job in self.each("fork_memory"):
            self.assertEqual(self.lines(job), ["child ended with 1"])
            self.assertRegex(job.err, LOST)

    @unittest.skipIf(SANITIZED, "sanitizers handle faults themselves")
    def test_a_child_that_returns_from_a_body_or_fiber_does_nothing_for_the_rank(self):
        for scene in ("fork_fiber", "fork_two_way_call"):
            for job in self.each(scene):
                self.assertEqual(self.lines(job), ["child ended with 1"])
                self.assertRegex(job.err, LOST)
        for job in self.each("fork_one_way_call"):
            self.assertEqual(self.lines(job), ["child ended with 1"] * 3)
        for job in self.each("fork_many"):
            self.assertEqual(self.lines(job), ["child ended with 1", "other"])

    def test_what_starts_other_programs_works(self):
        for job in self.each("fork_programs"):
            self.assertEqual((self.lines(job), job.err), (["3 4 5"], ""))

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_a_child_leaves_the_scope_of_a_session(self):
        job = self.run_job("session_fork", "1", ranks=3)
        self.assertEqual((job.code, job.err), (0, ""))
        self.assertEqual(self.lines(job), ["child ended with 6"] + [f"hello from {r} of 3" for r in range(3)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
