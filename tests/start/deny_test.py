#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs in a system that refuses what containers are known to refuse: deny_test.py ACTOR LAUNCHER [unittest arguments].
START_TEST_DENY names the program that refuses."""
import os
import sys
import unittest

from start_case import ACTOR, FABRICS, LAUNCHER, Job, StartTest

DENY = os.environ.get("START_TEST_DENY", os.path.join(os.path.dirname(ACTOR), "deny"))
CANNOT = 77
ERRORS = ("EPERM", "ENOSYS")
WAYS = [("shm", "poll"), ("threads", "poll"), ("threads", "thread"), ("loop", "thread")]
# Work goes on without these.
SPARED = ["membarrier", "process_vm_readv,process_vm_writev", "pidfd_open", "sched_setaffinity", "sched_getaffinity",
          "sched_setaffinity,sched_getaffinity", "set_mempolicy,mbind,get_mempolicy", "perf_event_open", "ptrace", "userfaultfd",
          "close_range", "statx", "rseq", "io_uring_setup", "prctl", "sched_yield", "signalfd4", "sysinfo", "getrandom", "proc", "shm"]


class Denied(StartTest):
    def under(self, calls, error, fabric, reception, command=(ACTOR, "use"), ranks=3):
        job = Job([DENY, error, calls, *command], ranks=ranks, fabric=fabric, env={"ARMILLA_PROGRESS_MODE": reception}).end()
        self.assertEqual(job.left_behind(), [])
        if job.code == CANNOT:
            self.skipTest(f"{calls} cannot be refused here")
        return job

    def each(self, calls):
        for error in ERRORS[:1] if calls in ("proc", "shm") else ERRORS:
            for fabric, reception in WAYS:
                if fabric in FABRICS or fabric == "loop" and "shm" in FABRICS:
                    with self.subTest(calls=calls, error=error, fabric=fabric, reception=reception):
                        yield error, fabric, reception

    def test_what_can_be_done_without(self):
        for calls in SPARED:
            for way in self.each(calls):
                self.assert_hellos(self.under(calls, *way), 3)

    def test_one_rank_does_without_it_too(self):
        for calls in SPARED:
            with self.subTest(calls=calls):
                self.assert_hellos(self.under(calls, "EPERM", FABRICS[0], "poll", ranks=1), 1)

    def test_the_launcher_does_without_it_too(self):
        for calls in SPARED:
            with self.subTest(calls=calls):
                job = self.under(calls, "EPERM", FABRICS[0], "poll", command=(LAUNCHER, "-n", "2", ACTOR, "use"))
                self.assert_hellos(job, 2)

    def test_memory_that_cannot_be_made_is_named(self):
        for way in self.each("memfd_create"):
            self.assert_failed(self.under("memfd_create", *way), "memfd_create: .*filter that allows this system call", 2)

    def test_a_thread_that_cannot_be_started_is_named(self):
        for way in self.each("clone3"):
            job = self.under("clone3", *way)
            if way[0] == "ENOSYS" or way[1:] == ("shm", "poll"):  # the C library knows an older call
                self.assert_hellos(job, 3)
            else:
                name = "rank [12]" if way[1] == "threads" else "progress thread"
                self.assert_failed(job, f'could not start: .*does not start the thread "{name}" .*allow the system call clone3', 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
