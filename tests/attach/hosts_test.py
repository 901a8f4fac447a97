#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attached clients of a job on two hosts that share no memory: hosts_test.py SHOWN TOP LAUNCHER CALLER, run on h1 by tests/hosts/hosts."""
import contextlib
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
import unittest

from page import Page
from shown import OTHER as LAUNCHER
from shown import SHOWN, TOP, Shown, clean_environment, client

CALLER = os.path.abspath(sys.argv[4])
RSH = os.environ["TEST_HOSTS_RSH"]
COMMAND = [LAUNCHER, "--hosts", "h1:2,h2:2", "--rsh", RSH]


def on(host, *words):
    return subprocess.run([RSH, host, *words], check=True, capture_output=True, text=True).stdout


@contextlib.contextmanager
def stopped_on(host, process):
    """It stands still meanwhile, and not for ever where the test fails: it holds the output of its job open."""
    on(host, "kill", "-STOP", str(process))
    try:
        yield
    finally:
        on(host, "kill", "-CONT", str(process))


def counted(ranks):
    return [r["counters"]["one_way_calls_sent"] for r in ranks]


def socket_of(process, what):
    """The address of the socket at which attached clients of this host ask."""
    for name in os.listdir(f"/proc/{process}/fd"):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/{process}/fd/{name}") == "/memfd:armilla (deleted)":
                return f"\0armilla-{what}-{os.stat(f'/proc/{process}/fd/{name}').st_ino}"
    raise AssertionError(f"process {process} has no memory open")


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

    @unittest.skipUnless(os.path.exists(os.path.join(os.path.dirname(TOP), "armilla-top-page")), "armilla-top was built without a page")
    def test_the_page_shows_traffic_between_hosts(self):
        with self.job("mix") as job, Page(self, job.pid, "--interval", "200") as page, page.events() as events:
            self.assertEqual(page.get("ask/traffic")[0], 204)
            seen = events.until(lambda s: "traffic" in s and s["traffic"]["unheard"] == 0 and any(map(any, s["traffic"]["bytes_a_second"])))
            self.assertEqual((seen["traffic"]["by"], seen["traffic"]["names"]), ("host", ["this host", "h2"]))
            self.assertTrue(all(all(n > 0 for n in row) for row in seen["traffic"]["bytes"]), seen["traffic"])
            self.assertEqual([(h["host"], h["ranks"]) for h in seen["hosts"]], [("", 2), ("h2", 2)])

    def test_a_rank_of_another_host_moves_and_is_stopped(self):
        with self.job("chat") as job:
            seen = job.look_until(lambda ranks: all(r["messages_a_second"] > 0 for r in ranks))["ranks"]
            with stopped_on("h2", seen[3]["process"]):
                seen = job.look_until(lambda ranks: ranks[3]["doing"] == "stopped")["ranks"]
                self.assertEqual([r["doing"] == "stopped" for r in seen], [False, False, False, True])
            job.look_until(lambda ranks: ranks[3]["doing"] != "stopped")

    def agent_of(self, rank):
        return on("h2", "cut", "-d' '", "-f4", f"/proc/{rank['process']}/stat").strip()

    def test_ranks_whose_agent_is_stopped_are_not_known(self):
        with self.job("chat") as job:
            before = job.look_until(lambda ranks: all(r["known"] for r in ranks))["ranks"]
            with stopped_on("h2", self.agent_of(before[2])):
                for _ in range(3):
                    begin = time.monotonic()
                    seen = job.look()["ranks"]
                    self.assertLess(time.monotonic() - begin, 5)  # two looks of 0.5 s each, on a machine that may be busy
                    self.assertEqual([r["known"] for r in seen], [True, True, False, False])
                    self.assertEqual([(r["doing"], r["program"]) for r in seen[2:]], [("", seen[0]["program"])] * 2)
                self.assertIn("elsewhere", client(TOP, "--once", "--interval", "20", job.pid).stdout)
            after = job.look_until(lambda ranks: all(r["known"] for r in ranks))["ranks"]
            self.assertTrue(all(b > a for a, b in zip(counted(before), counted(after))), "the job has gone on")

    def test_a_stopped_agent_of_the_own_host_holds_up_neither_clients_nor_the_job(self):
        with self.job("chat") as job, contextlib.ExitStack() as held:
            before = job.look_until(lambda ranks: all(r["known"] for r in ranks))["ranks"]
            with open(f"/proc/{before[0]['process']}/stat", encoding="utf-8") as file:
                agent = int(file.read().rpartition(")")[2].split()[1])
            os.kill(agent, signal.SIGSTOP)
            for _ in range(8):
                one = held.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
                one.connect(socket_of(before[0]["process"], "look"))
            begin = time.monotonic()
            self.assertEqual([r["known"] for r in job.look()["ranks"]], [True, True, False, False])
            self.assertLess(time.monotonic() - begin, 5)  # two looks of 0.9 s each
            os.kill(agent, signal.SIGCONT)
            after = job.look_until(lambda ranks: all(r["known"] for r in ranks))["ranks"]
            self.assertTrue(all(b > a for a, b in zip(counted(before), counted(after))), "the job has gone on")

    def test_clients_with_bad_manners_do_no_harm(self):
        dice = random.Random(1)
        with self.job("chat") as job, contextlib.ExitStack() as held:
            ranks = job.look()["ranks"]
            address, before = socket_of(ranks[0]["process"], "look"), counted(ranks)

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

    def test_a_client_may_ask_while_the_job_ends(self):
        with self.job() as job:
            watchers = [subprocess.Popen([TOP, "--interval", "10", job.pid], env=clean_environment(), stdin=subprocess.DEVNULL,
                                         stdout=subprocess.PIPE, text=True) for _ in range(3)]
            for each in watchers:
                each.stdout.readline()
        for each in watchers:
            out, _ = each.communicate(timeout=30)
            self.assertTrue(out.endswith("The job has ended.\n"), out)


class Calls(unittest.TestCase):
    """Attached clients call ranks of the other host, and read and write what they expose."""

    def job(self):
        return Shown(self, scene="serve", ranks=4, fabric="auto", launcher=COMMAND)

    def ask(self, job, rank, what, *more):
        seen = client(CALLER, job.pid, str(rank), what, *more)
        return seen.returncode, seen.stdout

    def begin(self, job, rank, what):
        process = subprocess.Popen([CALLER, job.pid, str(rank), what], env=clean_environment(), stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "begun\n")
        return process

    def assert_served(self, job):
        for rank in range(4):
            self.assertEqual(self.ask(job, rank, "once"), (0, "1.5\n"), f"rank {rank}")

    def assert_waits(self, job, rank, expected):
        """A rank that takes in much does not answer at once, and counts as busy."""
        for _ in range(20):
            code, out = self.ask(job, rank, "waits")
            self.assertEqual(code, 0)
            if re.search(expected, out):
                return
        self.assertRegex(out, expected)

    def test_ranks_of_both_hosts_answer(self):
        with self.job() as job:
            self.assert_served(job)
            self.assertEqual(on("h2", f"ARMILLA_TUNED=none {CALLER} {os.path.basename(SHOWN)} 0 once"), "1.5\n")
            self.assertEqual(self.ask(job, 3, "crowd"), (0, "80 of 80\n"))
            self.assertEqual(self.ask(job, 3, "many"), (0, "500 of 500\n"))
            self.assertEqual(self.ask(job, 3, "fork between"), (0, "0 2.5\n"))

    def test_what_they_expose_is_read_and_written(self):
        with self.job() as job:
            whole = sum(range(200_000))
            lasts = sum(50_000 * r - 1 for r in (1, 2, 3, 4))
            self.assertEqual(self.ask(job, 0, "data"), (0, f"{whole} {whole - lasts - 6}\n"))
            self.assertEqual(self.ask(job, 0, "keys"), (0, "20 of 20, 1000 of 1000, 0 beyond\n"))
            code, out = self.ask(job, 0, "refused")
            self.assertEqual((code, len(out.splitlines())), (0, 6), out)
            self.assertRegex(out, r"(?s)(.*'numbers' of rank [0-3] has 400000 bytes, and none at 399992 to 400008\n){4}.*of the list of all, which maps nothing.*lies on h2: fetch\(\) it first")

    def test_calls_that_are_taken_back_do_not_begin(self):
        with self.job() as job:
            process = job.look_until(lambda ranks: all(r["known"] for r in ranks))["ranks"][3]["process"]
            stop, go_on = (f"{RSH} h2 kill -{how} {process}" for how in ("STOP", "CONT"))
            self.assertEqual(self.ask(job, 3, "take back", stop, go_on), (0, "1.5\n"))

    def test_what_they_throw_comes_back(self):
        with self.job() as job:
            code, out = self.ask(job, 2, "wrong")
            self.assertEqual(code, 1)
            self.assertRegex(out, r"rank 2.*serve\.half.*float64\(float64\)")

    def test_they_say_what_they_wait_for(self):
        with self.job() as job:
            self.assert_waits(job, 0, r"(?s)rank 0 .*rank 1 .*barrier.*rank 2 \(.* on h2\).*barrier.*rank 3 .*barrier")

    def test_a_stopped_rank_is_named(self):
        with self.job() as job:
            process = job.look_until(lambda ranks: all(r["known"] for r in ranks))["ranks"][3]["process"]
            with stopped_on("h2", process):
                code, out = self.ask(job, 3, "impatient")
                self.assertEqual(code, 1)
                self.assertRegex(out, r"'serve\.half' of rank 3 has not begun within 0\.1 s: the rank is stopped by a signal \(on h2\)")
            self.assert_served(job)

    def test_a_stopped_agent_is_named_and_calls_go_on_behind_it(self):
        with self.job() as job:
            rank = job.look_until(lambda ranks: all(r["known"] for r in ranks))["ranks"][2]
            long_one = self.begin(job, 2, "nap")
            agent = on("h2", "cut", "-d' '", "-f4", f"/proc/{rank['process']}/stat").strip()
            with stopped_on("h2", agent):
                code, out = self.ask(job, 2, "impatient")
                self.assertEqual(code, 1)
                self.assertRegex(out, "no way to the host of rank 2 within 5 s: an agent is stopped")
                self.assertEqual(self.ask(job, 1, "once"), (0, "1.5\n"))
                self.assert_waits(job, 1, r"(?s)rank 1 .*barrier.*rank 2 runs on another host, of which nothing is heard")  # what is known is told
            self.assert_served(job)
            long_one.kill()
            long_one.communicate()

    def test_clients_with_bad_manners_do_no_harm(self):
        with self.job() as job:
            before = counted(job.look()["ranks"])[0]
            for what in ["nap", "flood", "much"] * 4:  # more than the agents take at a time
                one = self.begin(job, 3, what)
                one.kill()
                one.communicate()
            stopped = [self.begin(job, rank, what) for rank in (2, 3) for what in ("flood", "much")]
            for each in stopped:
                each.send_signal(signal.SIGSTOP)
            self.assert_served(job)
            job.look_until(lambda ranks: ranks[0]["counters"]["one_way_calls_sent"] > before + 1000)
            for each in stopped:
                each.kill()
                each.communicate()
            self.assert_served(job)

    def test_nonsense_is_no_request(self):
        dice = random.Random(2)
        with self.job() as job, contextlib.ExitStack() as held:
            process = job.look()["ranks"][0]["process"]
            address = socket_of(process, "relay")
            for turn in range(40):
                one = held.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
                one.connect(address)
                with contextlib.suppress(BrokenPipeError, ConnectionResetError, BlockingIOError):
                    one.send((3).to_bytes(4, "little") if turn % 2 else dice.randbytes(dice.choice([1, 4, 400])))
                    for _ in range(20):
                        one.send(dice.randbytes(dice.choice([1, 40, 4096])), socket.MSG_DONTWAIT)
                if turn % 3:
                    one.close()
            held.close()
            self.assert_served(job)

    def test_a_job_ends_while_clients_call(self):
        with self.job() as job:
            clients = [self.begin(job, rank, what) for rank, what in ((2, "flood"), (3, "much"))]
        for rank, each in zip((2, 3), clients):
            out, _ = each.communicate(timeout=30)
            self.assertEqual(each.returncode, 1)
            self.assertRegex(out, f"call: rank {rank} has ended")


if __name__ == "__main__":
    unittest.main(argv=["hosts_test.py"])
