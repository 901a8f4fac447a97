#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""At which addresses the ranks of a job over two hosts can be called: hosts_test.py ACTOR LAUNCHER, beside two hosts of
tests/hosts/hosts, from outside."""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import FailedJobs, Job  # noqa: E402
from ports import ports_of, running  # noqa: E402

HOSTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hosts", "hosts")
ACTOR, LAUNCHER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
RANKS = 4
LISTENERS = {"ucx": "UCX", "ofi": "libfabric"}
FABRICS = [name for name in LISTENERS if os.path.exists(os.path.join(os.path.dirname(LAUNCHER), f"../lib/armilla/libarmilla-{name}.so"))]


def on_each(command):
    for host in ("h1", "h2"):
        subprocess.run([HOSTS, "run", host, "sh", "-c", command.replace("HOST", host[1])], check=True)


def by_agents(scene):
    return [HOSTS, "run", "h1", LAUNCHER, "--hosts", "h1:2,h2:2", "--rsh", os.environ["TEST_HOSTS_RSH"], ACTOR, scene]


def by_mpirun(scene):
    return [HOSTS, "mpirun", "openmpi", "-n", str(RANKS), ACTOR, scene]


class BetweenHosts(FailedJobs, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        on_each("ip link add also0 type veth peer name also1 && ip link set also1 up; ip addr add 10.77.HOST.1/24 dev also0; ip link set also0 up")

    def tearDown(self):
        on_each("ip addr del 203.0.113.HOST/24 dev eth0 2>/dev/null; ip addr replace 10.99.0.1HOST/24 dev eth0")

    def test_only_the_interface_between_the_hosts_is_listened_at(self):
        for start in (by_mpirun, by_agents):
            with self.subTest(start=start.__name__):
                job = Job(start("hang"), fabric="auto")
                try:
                    job.wait_for_lines(RANKS)
                    ports = [ports_of(pid) for pid in running(ACTOR)]
                finally:
                    job.process.terminate()
                    job.end()
                self.assertEqual(len(ports), RANKS)
                self.assertEqual({address for of_one in ports for _, address in of_one}, {"10.99.0.11", "10.99.0.12"}, ports)
                self.assertTrue(all(any(kind == "tcp" for kind, _ in of_one) for of_one in ports), ports)

    def test_a_public_address_is_refused_but_for_those_who_trust_it(self):
        on_each("ip addr del 10.99.0.1HOST/24 dev eth0; ip addr add 203.0.113.HOST/24 dev eth0")
        rsh = os.environ["TEST_HOSTS_RSH"]
        command = [HOSTS, "run", "h1", LAUNCHER, "--hosts", "h1:1,h2:1", "--rsh", rsh, ACTOR, "hello"]
        self.assertNotEqual(FABRICS, [])
        for fabric in FABRICS:
            with self.subTest(fabric=fabric):
                refused = Job(command, fabric=fabric).end()
                self.assert_failed(refused, LISTENERS[fabric] + r" listens at tcp 203\.0\.113\.1:\d+, a public address.*ARMILLA_TRUST_NETWORK=1")
                trusted = Job(command, fabric=fabric, env={"ARMILLA_TRUST_NETWORK": "1"}).end()
                self.assertEqual((trusted.code, trusted.err), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
