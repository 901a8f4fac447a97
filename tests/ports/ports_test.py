#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""At which addresses the processes of a job can be called: ports_test.py ACTOR LAUNCHER BACKENDS."""
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import FailedJobs, Job  # noqa: E402
from ports import ports_of, running  # noqa: E402

ACTOR, LAUNCHER, BACKENDS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
UCX = os.path.exists(f"{BACKENDS}/libarmilla-ucx.so")
OFI = os.path.exists(f"{BACKENDS}/libarmilla-ofi.so")
OPENMPI = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]


class OnOneHost(FailedJobs, unittest.TestCase):
    def ports(self, command, count, **more):
        job = Job([*command, ACTOR, "hang"], **more)
        try:
            job.wait_for_lines(count)
            processes = running(ACTOR, job.left_behind())
            self.assertGreaterEqual(len(processes), count)
            return [port for pid in processes for port in ports_of(pid)]
        finally:
            job.process.terminate()
            job.end()

    def test_shared_memory_needs_no_port(self):
        self.assertEqual(self.ports([], 2, ranks=2), [])
        self.assertEqual(self.ports([LAUNCHER, "-n", "2"], 2), [])
        self.assertEqual(self.ports([LAUNCHER, "--hosts", "localhost:2", "--rsh", self.rsh()], 2, fabric="auto"), [])

    @unittest.skipUnless(UCX, "no UCX")
    def test_ucx_on_one_host_needs_no_port(self):
        self.assertEqual(self.ports([], 2, ranks=2, fabric="ucx"), [])

    @unittest.skipUnless(UCX, "no UCX")
    def test_ucx_by_tcp_on_one_host_stays_on_the_loopback(self):
        ports = self.ports([], 2, ranks=2, fabric="ucx", env={"UCX_TLS": "tcp"})
        self.assertEqual(set(ports), {("tcp", "127.0.0.1")})

    @unittest.skipUnless(OFI, "no libfabric")
    def test_libfabric_on_one_host_stays_on_the_loopback(self):
        self.assertEqual(set(self.ports([], 2, ranks=2, fabric="ofi")), {("tcp", "127.0.0.1")})

    @unittest.skipUnless(UCX and shutil.which(OPENMPI[0]), "no UCX, or no Open MPI")
    def test_a_launcher_changes_nothing(self):
        for fabric in ("auto", "ucx"):
            with self.subTest(fabric=fabric):
                self.assertEqual(self.ports([*OPENMPI, "-n", "2"], 2, fabric=fabric), [])

    def rsh(self):
        return os.path.join(os.path.dirname(os.path.abspath(__file__)), "here-rsh")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
