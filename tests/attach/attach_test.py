#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attached clients look into running jobs: attach_test.py SHOWN TOP INFO [--fabrics FABRIC...]."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from shown import FABRICS, PATIENCE, SHOWN, TOP, Shown, clean_environment, client
from shown import OTHER as INFO


class Attach(unittest.TestCase):
    def test_a_rank_that_computes_is_seen_without_its_help(self):
        for fabric in FABRICS:
            with self.subTest(fabric), Shown(self, ranks=3, fabric=fabric) as job:
                seen = job.look_until(lambda ranks: [r["doing"] for r in ranks] == ["busy", "waiting", "waiting"])
                self.assertEqual((seen["process"], seen["program"], seen["threads"]),
                                 (job.process.pid, SHOWN, fabric == "threads"))
                self.assertEqual([r["rank"] for r in seen["ranks"]], [0, 1, 2])
                self.assertEqual([r["counters"]["one_way_calls_sent"] for r in seen["ranks"]], [1000] * 3)
                self.assertEqual([r["waits_for"] for r in seen["ranks"][1:]], ["barrier"] * 2)
                for rank in seen["ranks"]:
                    self.assertGreater(rank["memory"], 0)
                    self.assertTrue(rank["here"])

    def test_a_job_of_one_rank(self):
        with Shown(self, ranks=1) as job:
            (rank,) = job.look()["ranks"]
            self.assertEqual((rank["doing"], rank["process"], rank["counters"]["one_way_calls_sent"]), ("busy", job.process.pid, 1000))

    def test_a_stopped_rank_is_called_so(self):
        with Shown(self) as job:
            pid = job.look()["ranks"][1]["process"]
            self.assertNotEqual(pid, job.process.pid)
            os.kill(pid, signal.SIGSTOP)
            seen = job.look_until(lambda ranks: ranks[1]["doing"] == "stopped")
            os.kill(pid, signal.SIGCONT)
            self.assertEqual(seen["ranks"][1]["counters"]["one_way_calls_sent"], 1000)
            self.assertEqual(seen["ranks"][0]["doing"], "busy")

    def test_what_moves_has_rates(self):
        with Shown(self, scene="chat") as job:
            job.look_until(lambda ranks: all(r["messages_a_second"] > 0 and r["bytes_a_second"] > 0 for r in ranks))
        with Shown(self) as job:
            self.assertEqual([r["messages_a_second"] for r in job.look()["ranks"]], [0, 0])

    def test_what_moves_has_rates_by_method(self):
        for fabric in FABRICS:
            with self.subTest(fabric), Shown(self, scene="mix", fabric=fabric) as job:
                end = time.monotonic() + PATIENCE
                while True:
                    seen = job.look(interval=300)
                    rates = {m["name"]: m for m in seen["methods"]}
                    parts = [next((m for name, m in rates.items() if name.startswith(begin)), None)
                             for begin in ("async count(", "call serve.half", "call quarter(")]
                    if all(parts):
                        break
                    self.assertLess(time.monotonic(), end, seen)
                told = [part["messages_a_second"] for part in parts]
                self.assertTrue(2 < told[0] / told[1] < 4 and 0.7 < told[1] / told[2] < 1.4, seen["methods"])
                self.assertNotIn("call by name", rates)
                for part in parts:
                    self.assertTrue(8 <= part["bytes_a_second"] / part["messages_a_second"] <= 64, part)
                sent = sum(r["messages_a_second"] for r in seen["ranks"])
                self.assertTrue(0.5 < sum(m["messages_a_second"] for m in seen["methods"]) / sent < 2, seen)
                table = client(TOP, "--once", "--methods", "--interval", "200", job.pid).stdout.splitlines()
                self.assertRegex(table[1], r"^ +MSG/s +BYTES/s +METHOD$")
                self.assertTrue(any(re.search(r"^ +[1-9]\d*[kM]? +[1-9]\d*[kM]?  call serve\.half$", line) for line in table), table)
        with Shown(self) as job:
            self.assertEqual(job.look()["methods"], [])  # rank 0 computes, the other waits

    def test_what_lies_unevenly_is_said(self):
        def busy(seen):
            return seen["most_by_mean"]["busy"]

        with Shown(self, ranks=3) as job:  # rank 0 alone computes
            seen = job.look_until(lambda ranks: ranks[0]["busy"] > 4 * (ranks[1]["busy"] + ranks[2]["busy"]))
            self.assertEqual((seen["most_by_mean"]["messages"], seen["most_by_mean"]["bytes"]), (0, 0))
            self.assertTrue(2 < busy(seen) <= 3, seen)
        with Shown(self, ranks=1) as job:
            self.assertEqual(busy(job.look_until(lambda ranks: ranks[0]["busy"] > 0)), 1)
        if "threads" in FABRICS:
            with Shown(self, fabric="threads") as job:
                self.assertEqual(busy(job.look()), 0)
        with Shown(self, scene="chat") as job:
            seen = job.look_until(lambda ranks: all(r["messages_a_second"] > 0 for r in ranks))
            self.assertTrue(1 <= seen["most_by_mean"]["messages"] < 2, seen)

    def test_clients_that_stop_or_are_killed_do_no_harm(self):
        with Shown(self, scene="chat") as job:
            clients = [subprocess.Popen([TOP, "--interval", "10", job.pid], env=clean_environment(), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE) for _ in range(3)]
            for each in clients:
                each.stdout.readline()
            clients[0].kill()
            clients[1].send_signal(signal.SIGSTOP)
            before = job.look()["ranks"][0]["counters"]["one_way_calls_sent"]
            job.look_until(lambda ranks: ranks[0]["counters"]["one_way_calls_sent"] > before)
        for each in clients:
            each.kill()
            each.communicate()

    @unittest.skipUnless(os.path.exists("/proc/self/schedstat"), "the kernel does not count nanoseconds")
    def test_a_client_takes_no_hundredth_of_a_core(self):
        def used(pids):
            total = 0
            for pid in pids:
                with open(f"/proc/{pid}/schedstat") as file:
                    total += int(file.read().split()[0])
            return total * 1e-9

        with Shown(self, ranks=3) as job:
            seen = job.look_until(lambda ranks: [r["doing"] for r in ranks] == ["busy", "waiting", "waiting"])
            # With methods, for which ranks are asked: that is the dearest table.
            watcher = subprocess.Popen([TOP, "--methods", job.pid], env=clean_environment(), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE)
            watcher.stdout.readline()
            # Rank 0 computes anyway; those that wait, and the supervisor, would show what an attached client makes them do.
            all_of_them = [watcher.pid, job.process.pid] + [r["process"] for r in seen["ranks"][1:]]
            before, begin = used(all_of_them), time.monotonic()
            time.sleep(2)
            took = (used(all_of_them) - before) / (time.monotonic() - begin)
            watcher.kill()
            watcher.communicate()
        self.assertLess(took, 0.01)

    def test_a_client_ends_with_the_job(self):
        with Shown(self) as job:
            watcher = subprocess.Popen([TOP, "--interval", "10", job.pid], env=clean_environment(), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, text=True)
            watcher.stdout.readline()
        out, _ = watcher.communicate(timeout=PATIENCE)
        self.assertEqual(watcher.returncode, 0)
        self.assertTrue(out.endswith("The job has ended.\n"), out)

    def test_ranks_say_what_they_wait_for(self):
        for fabric in FABRICS:
            with self.subTest(fabric), Shown(self, ranks=3, fabric=fabric) as job:
                job.look_until(lambda ranks: [r["doing"] for r in ranks] == ["busy", "waiting", "waiting"])
                seen = client(TOP, "--waits", job.pid)
                self.assertEqual((seen.returncode, seen.stderr), (0, ""))
                self.assertRegex(seen.stdout, r"rank 0 \(.*\) is busy")
                self.assertRegex(seen.stdout, r"rank 1 \(.*\):\n  .* waits for barrier")

    def test_a_job_of_one_rank_says_it_to_the_client_alone(self):
        with Shown(self, scene="serve", ranks=1) as job:  # which sees at the end that nothing was printed
            for _ in range(3):
                seen = client(TOP, "--waits", job.pid)
                self.assertRegex(seen.stdout, r"^rank 0 \(")

    def test_the_table(self):
        with Shown(self) as job:
            lines = client(TOP, "--once", "--interval", "1000", job.pid).stdout.splitlines()
            self.assertEqual(len(lines), 5)
            self.assertTrue(lines[0].startswith(f"{SHOWN} ({job.pid}): 2 ranks"), lines[0])
            self.assertRegex(lines[1], r"^Most by mean: busy [12]\.\d\d$")  # no messages are sent
            self.assertRegex(lines[2], r" RANK +PROCESS +DOES ")
            self.assertRegex(lines[3], r"^ +0 +\d+  busy ")

    def test_jobs_are_listed_while_they_run(self):
        def listed():
            seen = client(INFO, "jobs")
            self.assertEqual((seen.returncode, seen.stderr), (0, ""))
            return [line.split() for line in seen.stdout.splitlines()]

        with Shown(self, ranks=3) as one, Shown(self, ranks=2, fabric="threads") as two, Shown(self, ranks=1) as three:
            rows = listed()
            self.assertEqual(rows.count([one.pid, "3", SHOWN]), 1)
            self.assertEqual(rows.count([two.pid, "2", SHOWN, "(threads)"]), 1)
            self.assertEqual(rows.count([three.pid, "1", SHOWN]), 1)
        self.assertFalse({one.pid, two.pid, three.pid} & {row[0] for row in listed()})

    def test_a_job_is_named_by_its_program(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, f"shown{os.getpid()}")
            shutil.copy(SHOWN, program)
            name = os.path.basename(program)
            with Shown(self, program=program) as one:
                self.assertEqual(json.loads(client(TOP, "--once", "--json", "--interval", "10", name).stdout)["process"], one.process.pid)
                with Shown(self, program=program) as two:
                    self.assert_refused(name, f"2 jobs fit; name one by its process; .*{one.pid}.*{program}.*2 ranks")
                    rank = two.look()["ranks"][1]["process"]
                    self.assertEqual(json.loads(client(TOP, "--once", "--json", "--interval", "10", str(rank)).stdout)["process"],
                                     two.process.pid)

    def assert_refused(self, which, why, **more):
        seen = client(TOP, "--once", which, **more)
        self.assertEqual((seen.returncode, seen.stdout), (1, ""))
        self.assertRegex(seen.stderr, f"^armilla-top: .*{why}")

    def test_what_is_no_job(self):
        self.assert_refused("no_such_program", "no job runs 'no_such_program'; ")
        self.assert_refused(str(os.getpid()), f"process {os.getpid()} belongs to no job of this version")
        ended = subprocess.Popen(["true"])
        ended.wait()
        self.assert_refused(str(ended.pid), f"there is no process {ended.pid} on this host")
        self.assertEqual(client(TOP, "--json").returncode, 2)

    @unittest.skipUnless(os.geteuid() == 0, "only the superuser can be somebody else")
    def test_another_user_is_refused(self):
        with tempfile.TemporaryDirectory() as folder, Shown(self) as job:
            os.chmod(folder, 0o755)
            top = shutil.copy(TOP, folder)
            seen = client(top, "--once", job.pid, user=65534, cwd=folder)
            self.assertEqual((seen.returncode, seen.stdout), (1, ""))
            self.assertRegex(seen.stderr, f"process {job.pid} is of user 0, this one of user 65534: only the user whose job it is")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
