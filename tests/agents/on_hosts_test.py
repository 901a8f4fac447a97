#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""armilla-run --hosts between two hosts that share no memory: on_hosts_test.py ACTOR LAUNCHER, run on h1 by tests/hosts/hosts."""
import os
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import Job  # noqa: E402

ACTOR, LAUNCHER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
RSH = os.environ["TEST_HOSTS_RSH"]


class OnHosts(unittest.TestCase):
    def launch(self, *arguments, **more):
        return Job([LAUNCHER, "--hosts", "h1:2,h2:2", "--rsh", RSH, ACTOR, *arguments], fabric="auto", **more).end()

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

    def test_hosts_that_do_not_reach_each_other_are_named(self):
        """By an interface from which nothing comes, to an address that is there."""
        for host, here, there in (("h1", 1, 2), ("h2", 2, 1)):
            steps = ("link add dead type veth peer name end", f"addr add 10.5.0.{here}/24 dev dead", "link set dead up", "link set end up",
                     f"neigh add 10.5.0.{there} lladdr 02:00:00:00:00:09 dev dead")
            subprocess.run([RSH, host, "set -e; " + "; ".join("ip " + step for step in steps)], check=True)
        job = self.launch("hello", env={"UCX_NET_DEVICES": "dead", "FI_TCP_IFACE": "dead", "ARMILLA_LOSS_TIMEOUT": "1s"})
        self.assertEqual(len(job.messages()), 1, job.err)
        self.assertRegex(job.messages()[0], r"h1 \(10.5.0.1, dead\) and h2 \(10.5.0.2, dead\) do not reach each other.*is there a firewall\?")
        self.assertNotEqual(job.code, 0)

    def test_a_network_that_drops_all_packets_is_detected_soon(self):
        """Agents call by another address: packets to that of UCX's interface leave for nobody."""
        for host, here, there in (("h1", 1, 2), ("h2", 2, 1)):
            fault = f"neigh replace 10.99.0.1{there} lladdr 02:00:00:00:00:09 nud permanent dev eth0"
            subprocess.run([RSH, host, f"ip addr add 10.98.0.{here}/24 dev eth0 && ip {fault}"], check=True)
            self.addCleanup(subprocess.run, [RSH, host, f"ip addr del 10.98.0.{here}/24 dev eth0; ip neigh del 10.99.0.1{there} dev eth0"], check=True)
        began = time.monotonic()
        for job in self.meet("10.98.0.1", fabric="ucx", env={"ARMILLA_LOSS_TIMEOUT": "1s"}):
            self.assertRegex(job.err, r"h1 \(10.99.0.11, eth0\) and h2 \(10.99.0.12, eth0\) do not reach each other within 1 s")
            self.assertEqual(job.code, 1)
        self.assertLess(time.monotonic() - began, 30)

    def meet(self, place, **more):
        """The commands of h1 and h2, when they have ended."""
        with tempfile.TemporaryDirectory() as folder:  # of h1's /tmp, which h2 does not see
            key = os.path.join(folder, "key")
            with open(os.open(key, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
                file.write("0123456789abcdef\n")

            def come(*before, key_file):
                with open(key, encoding="utf-8") as text:
                    return Job([*before, LAUNCHER, "--meet", place + ":29400", "--hosts-expected", "2", "--key-file", key_file, "-n", "2", ACTOR, "hello"],
                               stdin=text, **more)

            other, first = come(RSH, "h2", key_file="-"), come(key_file=key)
            return first.end(), other.end()

    def test_hosts_meet_without_a_shell_between_them(self):
        jobs = self.meet("h1", fabric="auto")
        self.assertEqual([(job.code, job.err) for job in jobs], [(0, "")] * 2)
        self.assertEqual(sorted(jobs[0].out.splitlines()), ["hello from 0 of 4", "hello from 1 of 4"])
        self.assertEqual(sorted(jobs[1].out.splitlines()), ["hello from 2 of 4", "hello from 3 of 4"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
