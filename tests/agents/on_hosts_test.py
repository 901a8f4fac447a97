#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""armilla-run --hosts between two hosts that share no memory: on_hosts_test.py ACTOR LAUNCHER, run on h1 by tests/hosts/hosts."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import Job  # noqa: E402

ACTOR, LAUNCHER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
RSH = os.environ["TEST_HOSTS_RSH"]


class OnHosts(unittest.TestCase):
    def launch(self, *arguments):
        return Job([LAUNCHER, "--hosts", "h1:2,h2:2", "--rsh", RSH, ACTOR, *arguments], fabric="auto").end()

    def test_every_rank_runs_the_function(self):
        job = self.launch("hello")
        self.assertEqual((job.code, job.err), (0, ""))
        self.assertEqual(sorted(job.out.splitlines()), [f"hello from {r} of 4" for r in range(4)])

    def test_run_main_ends_everywhere(self):
        self.assertEqual(self.launch("run_main").out, "main on 0 of 4\n")

    def test_failures_name_the_host(self):
        for scene, cause in (("throw", "the sky falls"), ("kill", "was killed by signal 9")):
            for star, host in ((0, "h1"), (3, "h2")):
                with self.subTest(scene=scene, star=star):
                    job = self.launch(scene, str(star))
                    self.assertEqual(len(job.messages()), 1, job.err)
                    self.assertRegex(job.messages()[0], f"rank {star} on {host} .*{cause}")
                    self.assertNotEqual(job.code, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
