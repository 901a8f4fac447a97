#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attached clients call ranks of running jobs, with or without manners: call_test.py SHOWN TOP CALLER [--fabrics FABRIC...]."""
import os
import signal
import subprocess
import sys
import unittest

from shown import FABRICS, PATIENCE, Shown, clean_environment, client
from shown import OTHER as CALLER


def start(job, rank, what):
    """An attached client that has begun what it does."""
    process = subprocess.Popen([CALLER, job.pid, str(rank), what], env=clean_environment(), stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    assert line == "begun\n", line
    return process


def end(process):
    process.kill()
    process.communicate(timeout=PATIENCE)


class Call(unittest.TestCase):
    def assert_served(self, job, ranks=(0, 1)):
        for rank in ranks:
            seen = client(CALLER, job.pid, str(rank), "once")
            self.assertEqual((seen.returncode, seen.stdout), (0, "1.5\n"), f"rank {rank}")

    def test_ranks_that_look_and_ranks_that_sleep_answer(self):
        for fabric in FABRICS:
            with self.subTest(fabric), Shown(self, scene="serve", ranks=3, fabric=fabric) as job:
                self.assert_served(job, range(3))

    def test_a_job_of_one_rank_answers(self):
        with Shown(self, scene="serve", ranks=1) as job:
            self.assert_served(job, [0])

    def test_clients_that_are_killed_in_a_call_leave_room_for_others(self):
        with Shown(self, scene="serve") as job:
            for what in ["nap", "flood", "much"] * 6:  # more than there are places
                end(start(job, 1, what))
            self.assert_served(job)

    def test_clients_that_stop_keep_nobody_from_anything(self):
        with Shown(self, scene="serve") as job:
            clients = [start(job, rank, what) for rank in (0, 1) for what in ("flood", "much")]
            for each in clients:
                each.send_signal(signal.SIGSTOP)
            self.assert_served(job)
            before = job.look()["ranks"][0]["counters"]["one_way_calls_sent"]
            job.look_until(lambda ranks: ranks[0]["counters"]["one_way_calls_sent"] > before + 100)
            for each in clients:
                end(each)

    def test_a_client_that_floods_does_not_stop_the_job(self):
        with Shown(self, scene="serve") as job:
            clients = [start(job, 0, "flood") for _ in range(2)]
            seen = job.look_until(lambda ranks: ranks[0]["counters"]["client_calls"] > 1000)
            before = seen["ranks"][0]["counters"]["one_way_calls_sent"]
            job.look_until(lambda ranks: ranks[0]["counters"]["one_way_calls_sent"] > before + 1000)
            for each in clients:
                end(each)

    def test_a_job_ends_while_clients_call(self):
        with Shown(self, scene="serve") as job:
            clients = [start(job, rank, "flood") for rank in (0, 1)]
        for rank, each in enumerate(clients):
            out, _ = each.communicate(timeout=PATIENCE)
            self.assertEqual(each.returncode, 1)
            self.assertRegex(out, f"call: rank {rank} has ended")

    def test_nonsense_in_a_mailbox_is_an_error_or_nothing(self):
        with Shown(self, scene="serve") as job:
            for rank in (0, 1):
                seen = client(CALLER, job.pid, str(rank), "nonsense")
                self.assertEqual((seen.returncode, seen.stdout), (0, "done\n"))
            self.assert_served(job)

    def test_a_child_that_a_client_has_forked_takes_nothing_with_it(self):
        with Shown(self, scene="serve") as job:
            seen = client(CALLER, job.pid, "1", "fork")
            self.assertEqual((seen.returncode, seen.stdout), (0, "1.5\n"))

    def test_a_wrong_signature_is_named(self):
        with Shown(self, scene="serve") as job:
            seen = client(CALLER, job.pid, "1", "wrong")
            self.assertEqual(seen.returncode, 1)
            self.assertIn("an attached client called 'serve.half' as float32(float32), but here it is float64(float64)", seen.stdout)

    def test_a_rank_that_cannot_answer_is_described(self):
        with Shown(self, scene="compute") as job:
            seen = client(CALLER, job.pid, "0", "impatient")
            self.assertEqual(seen.returncode, 1)
            self.assertRegex(seen.stdout, "call: 'serve.half' of rank 0 has not begun within 0.1 s: the rank is busy")
        with Shown(self, scene="serve") as job:
            rank = job.look()["ranks"][1]["process"]
            os.kill(rank, signal.SIGSTOP)
            seen = client(CALLER, job.pid, "1", "impatient")
            os.kill(rank, signal.SIGCONT)
            self.assertRegex(seen.stdout, "'serve.half' of rank 1 has not begun within 0.1 s: the rank is stopped by a signal")
            self.assert_served(job)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
