#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs that srun starts: slurm_test.py ACTOR, inside of tests/hosts/slurm."""
import os
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import PATIENCE, Job  # noqa: E402

ACTOR = os.path.abspath(sys.argv[1])


class Slurm(unittest.TestCase):
    def launch(self, *arguments, mpi="pmix", ranks=2):
        return Job(["srun", "-n", str(ranks), "--overcommit", "--mpi=" + mpi, ACTOR, *arguments], fabric="auto").end()

    def test_every_rank_runs_the_function(self):
        for ranks in (1, 2, 4):
            job = self.launch("hello", ranks=ranks)
            self.assertEqual(job.code, 0, job.err)
            self.assertEqual(sorted(job.out.splitlines()), [f"hello from {r} of {ranks}" for r in range(ranks)])

    def test_lines_bear_the_rank(self):
        job = Job(["srun", "-n", "2", "--overcommit", "--mpi=pmix", ACTOR, "hello"], fabric="auto", env={"ARMILLA_LABEL": "1"}).end()
        self.assertEqual((job.code, sorted(job.out.splitlines())), (0, ["[0] hello from 0 of 2", "[1] hello from 1 of 2"]), job.err)

    def test_failures(self):
        for scene, cause, code in (("throw", "the sky falls", 1), ("code", "exited with code 7", 7)):
            job = self.launch(scene, "1")
            self.assertEqual(job.code, code, job.err)
            self.assertEqual(len(job.messages()), 1, job.err)
            self.assertRegex(job.messages()[0], f"rank 1 .*{cause}")
        self.assertNotEqual(self.launch("kill", "1").code, 0)

    def test_a_job_whose_srun_is_killed_ends(self):
        job = Job(["srun", "-n", "2", "--overcommit", "--mpi=pmix", ACTOR, "hang"], fabric="auto")
        job.wait_for_lines(2)
        job.process.kill()
        until = time.monotonic() + PATIENCE
        while job.left_behind() and time.monotonic() < until:
            time.sleep(0.01)
        self.assertEqual(job.left_behind(), [])
        job.end()

    def test_srun_without_pmix_says_what_to_do(self):
        job = self.launch("hello", mpi="none")
        self.assertRegex(job.err, "srun started 2 tasks that cannot find each other; start them with srun --mpi=pmix")
        self.assertNotEqual(job.code, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
