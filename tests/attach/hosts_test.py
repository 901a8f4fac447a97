#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Guests of a job on two hosts that share no memory: hosts_test.py SHOWN TOP LAUNCHER, run on h1 by tests/hosts/hosts."""
import contextlib
import os
import random
import signal
import socket
import subprocess
import time
import unittest

from shown import OTHER as LAUNCHER
from shown import TOP, Shown, clean_environment, guest

RSH = os.environ["TEST_HOSTS_RSH"]
COMMAND = [LAUNCHER, "--hosts", "h1:2,h2:2", "--rsh", RSH]


def on(host, *words):
    return subprocess.run([RSH, host, *words], check=True, capture_output=True, text=True).stdout


def counted(ranks):
    return [r["counters"]["statements_sent"] for r in ranks]


class Hosts(unittest.TestCase):
    def job(self, scene="compute"):
        return Shown(self, scene=scene, ranks=4, fabric="auto", launcher=COMMAND)

    def test_ranks_of_another_host_are_seen(self):
        with self.job() as job:
            seen = job.look_until(lambda ranks: [r["doing"] for r in ranks] == ["busy", "waiting", "waiting", "waiting"])["ranks"]
            self.assertEqual([(r["rank"], r["here"], r["known"]) for r in seen],
                             [(0, True, True), (1, True, True), (2, False, True), (3, False, True)])
            self.assertEqual([r["host"] for r in seen], ["", "", "h2", "h2"])
            self.assertEqual([r["waits_for"] for r in seen[1:]], ["barrier"] * 3)
            self.assertEqual(counted(seen), [1000] * 4)
            self.assertTrue(all(r["memory"] > 0 and r["segment"] > 0 and r["process"] > 0 for r in seen), seen)
            # From there it is the other way round.
            table = on("h2", f"ARMILLA_TUNED=none {TOP} --once --interval 20 {job.pid}").splitlines()[-4:]
            self.assertEqual([line.endswith("on h1") for line in table], [True, True, False, False], table)

    def test_a_rank_of_another_host_moves_and_is_stopped(self):
        with self.job("chat") as job:
            seen = job.look_until(lambda ranks: all(r["messages_a_second"] > 0 for r in ranks))["ranks"]
            process = str(seen[3]["process"])
            on("h2", "kill", "-STOP", process)
            seen = job.look_until(lambda ranks: ranks[3]["doing"] == "stopped")["ranks"]
            self.assertEqual([r["doing"] == "stopped" for r in seen], [False, False, False, True])
            on("h2", "kill", "-CONT", process)
            job.look_until(lambda ranks: ranks[3]["doing"] != "stopped")

    def agent_of(self, rank):
        return on("h2", "cut", "-d' '", "-f4", f"/proc/{rank['process']}/stat").strip()

    def test_ranks_whose_agent_is_stopped_are_not_known(self):
        with self.job("chat") as job:
            before = job.look_until(lambda ranks: all(r["known"] for r in ranks))["ranks"]
            agent = self.agent_of(before[2])
            on("h2", "kill", "-STOP", agent)
            for _ in range(3):
                begin = time.monotonic()
                seen = job.look()["ranks"]
                self.assertLess(time.monotonic() - begin, 5)  # two looks of 0.5 s each, on a machine that may be busy
                self.assertEqual([r["known"] for r in seen], [True, True, False, False])
                self.assertEqual([(r["doing"], r["program"]) for r in seen[2:]], [("", seen[0]["program"])] * 2)
            self.assertIn("elsewhere", guest(TOP, "--once", "--interval", "20", job.pid).stdout)
            on("h2", "kill", "-CONT", agent)
            after = job.look_until(lambda ranks: all(r["known"] for r in ranks))["ranks"]
            self.assertTrue(all(b > a for a, b in zip(counted(before), counted(after))), "the job has gone on")

    def test_a_stopped_agent_of_the_own_host_holds_up_neither_guests_nor_the_job(self):
        with self.job("chat") as job, contextlib.ExitStack() as held:
            before = job.look_until(lambda ranks: all(r["known"] for r in ranks))["ranks"]
            with open(f"/proc/{before[0]['process']}/stat", encoding="utf-8") as file:
                agent = int(file.read().rpartition(")")[2].split()[1])
            os.kill(agent, signal.SIGSTOP)
            for _ in range(8):
                one = held.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
                one.connect(self.socket_of(before[0]))
            begin = time.monotonic()
            self.assertEqual([r["known"] for r in job.look()["ranks"]], [True, True, False, False])
            self.assertLess(time.monotonic() - begin, 5)  # two looks of 0.9 s each
            os.kill(agent, signal.SIGCONT)
            after = job.look_until(lambda ranks: all(r["known"] for r in ranks))["ranks"]
            self.assertTrue(all(b > a for a, b in zip(counted(before), counted(after))), "the job has gone on")

    def socket_of(self, rank):
        """The address of the socket at which guests of this host ask."""
        process = rank["process"]
        for name in os.listdir(f"/proc/{process}/fd"):
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{process}/fd/{name}") == "/memfd:armilla (deleted)":
                    return f"\0armilla-look-{os.stat(f'/proc/{process}/fd/{name}').st_ino}"
        return self.fail("rank 0 has no memory open")

    def test_guests_with_bad_manners_do_no_harm(self):
        dice = random.Random(1)
        with self.job("chat") as job, contextlib.ExitStack() as held:
            ranks = job.look()["ranks"]
            address, before = self.socket_of(ranks[0]), counted(ranks)

            def call():
                one = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                held.enter_context(one)
                one.connect(address)
                return one

            for _ in range(40):  # silent ones that take no answer, those that talk nonsense, those that leave at once
                call()
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    one = call()
                    for _ in range(20):
                        one.send(dice.randbytes(dice.choice([1, 8, 4096])), socket.MSG_DONTWAIT)
                call().close()
            watchers = [subprocess.Popen([TOP, "--interval", "10", job.pid], env=clean_environment(), stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE) for _ in range(4)]
            for each in watchers:
                each.stdout.readline()
            for each in watchers[:3]:
                each.kill()
            watchers[3].send_signal(signal.SIGSTOP)
            seen = job.look_until(lambda ranks: all(r["known"] for r in ranks))["ranks"]
            job.look_until(lambda ranks: all(b > a for a, b in zip(counted(seen), counted(ranks))))
            self.assertTrue(all(b > a for a, b in zip(before, counted(seen))))
        for each in watchers:
            each.kill()
            each.communicate()

    def test_a_guest_may_ask_while_the_job_ends(self):
        with self.job() as job:
            watchers = [subprocess.Popen([TOP, "--interval", "10", job.pid], env=clean_environment(), stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, text=True) for _ in range(3)]
            for each in watchers:
                each.stdout.readline()
        for each in watchers:
            out, _ = each.communicate(timeout=30)
            self.assertTrue(out.endswith("The job has ended.\n"), out)


if __name__ == "__main__":
    unittest.main(argv=["hosts_test.py"])
