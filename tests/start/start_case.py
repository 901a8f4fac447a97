# SPDX-License-Identifier: Apache-2.0
"""What the tests of this folder share: a program that starts and ends in many ways, and the jobs made of it. Their arguments:
ACTOR LAUNCHER [unittest arguments]."""
import os
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import PATIENCE, FailedJobs, Job  # noqa: E402

ACTOR, LAUNCHER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SANITIZED = bool(os.environ.get("START_TEST_SANITIZER"))
FABRICS = ["threads"] if os.environ.get("START_TEST_SANITIZER") == "thread" else ["shm", "threads"]


class StartTest(FailedJobs, unittest.TestCase):
    def run_job(self, *arguments, **more):
        text = more.pop("text", None)
        job = Job([ACTOR, *arguments], stdin=subprocess.PIPE if text else subprocess.DEVNULL, **more).end(text)
        self.assertEqual(job.left_behind(), [])
        return job

    def launch(self, *arguments, **more):
        job = Job([LAUNCHER, *arguments], **more).end()
        self.assertEqual(job.left_behind(), [])
        return job

    def assert_gone(self, job):
        for _ in range(PATIENCE * 100):
            if not job.left_behind():
                return
            time.sleep(0.01)
        self.fail(f"left behind: {job.left_behind()}")

    def assert_hellos(self, job, ranks):
        self.assertEqual((job.code, job.err), (0, ""))
        self.assertEqual(sorted(job.out.splitlines()), sorted(f"hello from {r} of {ranks}" for r in range(ranks)))
