#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What armilla-info tells: info_test.py INFO LAUNCHER BACKENDS."""
import os
import shutil
import subprocess
import sys
import unittest

INFO, LAUNCHER, BACKENDS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
NAMES = ["ucx", "ofi", "mpi-openmpi", "mpi-mpich", "pmix"]


def ask(*command, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_")}
    environment |= {"ARMILLA_TUNED": "none", "ARMILLA_PIN": "none"} | variables
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


class Info(unittest.TestCase):
    def said(self, *command, **variables):
        job = ask(*command, **variables)
        self.assertEqual((job.returncode, job.stderr), (0, ""))
        return job.stdout

    def test_backends(self):
        text = self.said(INFO, "--backends")
        for name in NAMES:
            if os.path.exists(f"{BACKENDS}/libarmilla-{name}.so"):
                self.assertRegex(text, rf"  {name} +[^;]*\d+\.\d+[^;]*; .*libarmilla-{name}\.so\n")
            else:
                self.assertNotRegex(text, rf"  {name} ")

    def test_one_rank(self):
        text = self.said(INFO)
        self.assertIn("started by   nobody: a job of one rank\n", text)
        self.assertIn("network      none: there is one rank\n", text)
        self.assertIn("All options\n\nThe job\n\nARMILLA_RANKS\n", text)
        for option in ("ARMILLA_BACKENDS", "ARMILLA_FABRIC", "ARMILLA_LAUNCHER"):
            self.assertIn(f"\n{option}\n", text)

    def test_several_ranks_print_once(self):
        for text in (self.said(INFO, ARMILLA_RANKS="3"), self.said(LAUNCHER, "-n", "3", INFO)):
            self.assertIn("started by   Armilla's own supervisor\n", text)
            self.assertEqual(text.count("ranks        3 on 1 host\n"), 1)
            self.assertIn("host 0       ranks 0 1 2\n", text)
            self.assertIn("network      none: all ranks share memory\n", text)
        self.assertIn("none: the ranks are threads of one process", self.said(INFO, ARMILLA_RANKS="3", ARMILLA_FABRIC="threads"))

    def test_changed_options(self):
        self.assertIn("not at their defaults\n  ARMILLA_PIN=none\n  ARMILLA_RING=64K\n", self.said(INFO, ARMILLA_RING="64K"))

    @unittest.skipUnless(os.path.exists(f"{BACKENDS}/libarmilla-ucx.so"), "no UCX")
    def test_a_forced_network(self):
        text = self.said(INFO, ARMILLA_RANKS="2", ARMILLA_FABRIC="ucx")
        self.assertRegex(text, r"network      ucx: ARMILLA_FABRIC=ucx: UCX \d")
        self.assertRegex(text, r"segments     (1 of 1 over the network are mapped|.*asked.*checked build)")
        for way in ({"ARMILLA_ACCESS": "opened"}, {"ARMILLA_ACCESS_BY_MESSAGE": "on"}, {"UCX_TLS": "tcp"}):
            self.assertIn("segments     over the network their owners are asked", self.said(INFO, ARMILLA_RANKS="2", ARMILLA_FABRIC="ucx", **way))

    @unittest.skipUnless(os.path.exists(f"{BACKENDS}/libarmilla-ofi.so"), "no libfabric")
    def test_libfabric_and_its_provider(self):
        self.assertRegex(self.said(INFO, ARMILLA_RANKS="2", ARMILLA_FABRIC="ofi", FI_PROVIDER="tcp"),
                         r"network      ofi: ARMILLA_FABRIC=ofi: libfabric \d+\.\d+, tcp.* on lo\n")

    @unittest.skipUnless(os.path.exists(f"{BACKENDS}/libarmilla-pmix.so") and shutil.which("mpirun.openmpi"), "no Open MPI with PMIx")
    def test_a_launcher(self):
        text = self.said("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "2", INFO)
        self.assertRegex(text, r"started by   mpirun of Open MPI, joined by PMIx .*\n")
        self.assertIn("sign of      mpi-openmpi: mpirun of Open MPI started it\n", text)
        self.assertEqual(text.count("This job"), 1)

    def test_security(self):
        text = self.said(INFO, "--security")
        self.assertRegex(text, r"Interfaces of this machine.*\n(  .*\n)+\nPorts of a job\n")
        self.assertIn("UCX and libfabric are refused on public addresses", text)
        self.assertRegex(text, r"Ports that this job has open.*\n  rank 0 +none\n")
        self.assertIn("UCX and libfabric may listen on public addresses", self.said(INFO, "--security", ARMILLA_TRUST_NETWORK="1"))

    @unittest.skipUnless(os.path.exists(f"{BACKENDS}/libarmilla-ucx.so"), "no UCX")
    def test_security_names_each_port_and_who_may_call(self):
        text = self.said(INFO, "--security", ARMILLA_RANKS="2", ARMILLA_FABRIC="ucx", UCX_TLS="tcp")
        for rank in (0, 1):
            self.assertRegex(text, rf"  rank {rank} +tcp 127\.0\.0\.1:\d+: all users of this host\n")

    @unittest.skipUnless(os.path.exists(f"{BACKENDS}/libarmilla-ucx.so"), "no UCX")
    def test_security_says_who_can_end_a_job_of_ucx(self):
        text = self.said(INFO, "--security", ARMILLA_RANKS="2", ARMILLA_FABRIC="ucx")
        self.assertIn("local sockets by which all users of this host can end the job", text)
        for rank in (0, 1):
            self.assertRegex(text, rf"  rank {rank} +unix @\S+: all users of this host\n")

    def test_wrong_use(self):
        self.assertEqual(ask(INFO, "--what").returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
