#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs in a system that refuses what containers are known to refuse: deny_test.py ACTOR LAUNCHER [unittest arguments].
START_TEST_DENY names the program that refuses."""
import os
import signal
import sys
import tempfile
import unittest

from start_case import ACTOR, FABRICS, LAUNCHER, Job, StartTest

DENY = os.environ.get("START_TEST_DENY", os.path.join(os.path.dirname(ACTOR), "deny"))
CANNOT = 77
ERRORS = ("EPERM", "ENOSYS")
WAYS = [("shm", "poll"), ("threads", "poll"), ("threads", "thread"), ("loop", "thread")]
# Work goes on without these.
SPARED = ["membarrier", "process_vm_readv,process_vm_writev", "pidfd_open", "sched_setaffinity", "sched_getaffinity",
          "sched_setaffinity,sched_getaffinity", "set_mempolicy,mbind,get_mempolicy", "perf_event_open", "ptrace", "userfaultfd",
          "close_range", "statx", "rseq", "io_uring_setup", "prctl", "PR_SET_PDEATHSIG", "PR_SET_PTRACER", "PR_SET_CHILD_SUBREAPER",
          "PR_SET_TIMERSLACK", "sched_yield", "sched_getattr", "sched_setattr", "sched_setattr,sched_setscheduler", "signalfd4", "sysinfo", "getrandom", "gettid", "mincore", "madvise", "MADV_HUGEPAGE", "MADV_COLLAPSE", "MADV_DONTFORK",
          "MADV_GUARD_INSTALL", "MADV_POPULATE_READ", "MADV_DONTNEED", "MADV_FREE", "MADV_NOHUGEPAGE", "MADV_REMOVE", "MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED", "MEMBARRIER_CMD_GLOBAL_EXPEDITED", "MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED", "MEMBARRIER_CMD_PRIVATE_EXPEDITED", "FUTEX_WAIT,FUTEX_WAKE",
          "proc", "shm"]
# What a network needs, and what its error says; a rank that waits at a descriptor does without ppoll.
NETWORK = os.path.join(os.path.dirname(ACTOR), "../../lib/armilla/libarmilla-unix.so")
NEEDED_BY_NETWORK = {"accept4": r"it cannot accept \(accept4\)", "epoll_create1": "no epoll", "epoll_ctl": "no epoll",
                     "epoll_wait,epoll_pwait": "no epoll", "getrandom": "no random key"}
# The kernel that docs/guide/linux.md promises has none of these.
LATER_CALLS = "membarrier,pidfd_open,clone3,close_range,statx,rseq,io_uring_setup,userfaultfd"
LATER_ADVICE = "MADV_POPULATE_WRITE,MADV_COLLAPSE,MADV_GUARD_INSTALL"


class Denied(StartTest):
    def under(self, calls, error, fabric, progress, command=(ACTOR, "use"), ranks=3, env=None):
        job = Job([DENY, error, calls, *command], ranks=ranks, fabric=fabric, env={"ARMILLA_PROGRESS_MODE": progress, **(env or {})}).end()
        self.assertEqual(job.left_behind(), [])
        if job.code == CANNOT:
            self.skipTest(f"{calls} cannot be refused here")
        return job

    def each(self, calls):
        for error in ERRORS[:1] if calls in ("proc", "shm") else ERRORS:
            for fabric, progress in WAYS:
                if fabric in FABRICS or fabric == "loop" and "shm" in FABRICS:
                    yield error, fabric, progress

    def test_what_can_be_done_without(self):
        for calls in SPARED:
            for way in self.each(calls):
                with self.subTest(calls=calls, way=way):
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

    def test_the_oldest_kernel_that_is_promised_will_do(self):
        for fabric, progress in WAYS:
            if fabric in FABRICS or fabric == "loop" and "shm" in FABRICS:
                with self.subTest(fabric=fabric, progress=progress):
                    command = (DENY, "EINVAL", LATER_ADVICE, ACTOR, "use")
                    self.assert_hellos(self.under(LATER_CALLS, "ENOSYS", fabric, progress, command=command), 3)

    def test_a_trace_is_written_without_it(self):
        for calls in ("flock", "MADV_POPULATE_WRITE", "MADV_HUGEPAGE"):
            for error, fabric, progress in self.each(calls):
                with self.subTest(calls=calls, way=(error, fabric, progress)):
                    with tempfile.TemporaryDirectory() as folder:
                        trace = os.path.join(folder, "trace.json")
                        job = self.under(calls, error, fabric, progress, env={"ARMILLA_TRACE": trace})
                        self.assertEqual(job.code, 0, job.err)
                        self.assertRegex(job.err, r"^armilla trace: \d+ events of 3 ranks in [^\n]*\n$")
                        self.assertGreater(os.path.getsize(trace), 0)

    def test_a_large_container_does_without_it(self):
        for calls in ("mincore", "sysinfo", "proc", "MADV_DONTNEED", "MADV_POPULATE_WRITE", "MADV_COLLAPSE"):
            for way in self.each(calls):
                with self.subTest(calls=calls, way=way):
                    self.assert_hellos(self.under(calls, *way, command=(ACTOR, "large")), 3)

    def test_progress_by_signal_does_without_signals(self):
        for calls in ("tgkill", "gettid", "FUTEX_WAIT,FUTEX_WAKE"):
            for error in ERRORS:
                with self.subTest(calls=calls, error=error):
                    self.assert_hellos(self.under(calls, error, FABRICS[0], "signal"), 3)

    @unittest.skipUnless("shm" in FABRICS and os.path.exists(NETWORK), "no network between processes")
    def test_a_rank_that_sleeps_at_a_network_needs_no_signal(self):
        for calls in ("tgkill", "gettid"):
            for error in ERRORS:
                for progress in ("poll", "thread"):
                    with self.subTest(calls=calls, error=error, progress=progress):
                        awake = {"ARMILLA_SPIN": "0", "ARMILLA_YIELD": "0"}
                        self.assert_hellos(self.under(calls, error, "unix", progress, command=(ACTOR, "late_use"), env=awake), 3)

    @unittest.skipUnless("shm" in FABRICS and os.path.exists(NETWORK), "no network between processes")
    def test_a_network_does_without_it_or_names_it(self):
        for calls in ("ppoll", "timerfd_create", "timerfd_settime", "eventfd2", "pipe2", "signalfd4", *SPARED[:5]):
            for error in ERRORS:
                with self.subTest(calls=calls, error=error):
                    self.assert_hellos(self.under(calls, error, "unix", "thread", env={"ARMILLA_SPIN": "0", "ARMILLA_YIELD": "0"}), 3)
        for calls, cause in NEEDED_BY_NETWORK.items():
            for error in ERRORS:
                with self.subTest(calls=calls, error=error):
                    self.assert_failed(self.under(calls, error, "unix", "poll"), f"could not start: .*{cause}", 1)

    def test_a_signal_ends_a_job_without_signalfd(self):
        job = Job([DENY, "EPERM", "signalfd4", ACTOR, "hang"], ranks=3, fabric=FABRICS[0])
        job.wait_for_lines(3)
        job.process.terminate()
        job.end()
        self.assertEqual(job.code, -signal.SIGTERM)
        self.assert_gone(job)

    def test_labels_without_pipes_are_named(self):
        for error in ERRORS:
            job = self.under("pipe2", error, FABRICS[0], "poll", env={"ARMILLA_LABEL": "1"})
            self.assert_failed(job, "no pipe for the output of a rank: .*unset ARMILLA_LABEL", 2)

    @unittest.skipUnless("shm" in FABRICS, "ranks are processes that share memory")
    def test_explored_runs_do_without_futexes(self):
        for error in ERRORS:
            job = self.under("FUTEX_WAIT_BITSET,FUTEX_WAKE_BITSET", error, "shm", "poll", command=(LAUNCHER, "--explore", "2", ACTOR, "use"))
            self.assertEqual(job.code, 0, job.err)

    @unittest.skipUnless("shm" in FABRICS, "ranks are processes that share memory")
    def test_an_explored_run_that_cannot_be_started_is_named(self):
        for error in ERRORS:
            job = self.under("clone", error, "shm", "poll", command=(LAUNCHER, "--explore", "2", ACTOR, "use"))
            self.assert_failed(job, "a run cannot be started: ", 127)

    def test_a_process_that_cannot_be_made_is_named(self):
        for way in self.each("vfork"):
            with self.subTest(calls="vfork", way=way):
                self.assert_failed(self.under("vfork,clone", *way), "could not be started: ", 127)

    def test_memory_that_cannot_be_made_is_named(self):
        for way in self.each("memfd_create"):
            with self.subTest(calls="memfd_create", way=way):
                self.assert_failed(self.under("memfd_create", *way), "memfd_create: .*filter that allows this system call", 2)

    def test_a_thread_that_cannot_be_started_is_named(self):
        for way in self.each("clone3"):
            with self.subTest(calls="clone3", way=way):
                job = self.under("clone3", *way)
                if way[0] == "ENOSYS" or way[1:] == ("shm", "poll"):  # the C library knows an older call
                    self.assert_hellos(job, 3)
                else:
                    name = "rank [12]" if way[1] == "threads" else "progress thread"
                    self.assert_failed(job, f'could not start: .*does not start the thread "{name}" .*allow the system call clone3', 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
