#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a job says of its waits: diagnosis_test.py WAITER GROUP [--fabrics FABRIC...]."""
import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

WAITER = os.path.abspath(sys.argv[1])
FABRICS = sys.argv[4:] or ["shm", "threads"]
STALLED = 70  # exit code
PATIENCE = 60


def start(scene, ranks=2, fabric=None, stall="0", **more):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_")}
    environment |= {"ARMILLA_RANKS": str(ranks), "ARMILLA_FABRIC": fabric or FABRICS[0], "ARMILLA_PIN": "none",
                    "ARMILLA_TUNED": "none", "ARMILLA_STALL": stall}
    environment |= {"ARMILLA_" + k.upper(): v for k, v in more.items()}
    job = subprocess.Popen([WAITER, scene], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, start_new_session=True)
    job.ranks = ranks
    return job


def run(scene, *arguments, **more):
    job = start(scene, *arguments, **more)
    job.out, job.err = job.communicate(timeout=PATIENCE)
    return job


def everywhere(numbers=(1, 2, 4)):
    return [(ranks, fabric) for fabric in FABRICS for ranks in numbers if ranks > 1 or fabric == FABRICS[0]]


class Reports(unittest.TestCase):
    """What SIGUSR1 and a long wait print, while the job goes on."""

    def ask(self, job, to=None, until=None):
        """Sends the signal once the waits stand, and gives what was printed up to then and after it. Where processors are few, the waits
        may stand late: with `until`, it asks again for as long as that pattern is not there."""
        job.stdout.readline()
        time.sleep(0.5)
        printed, reader = self.gather(job.stderr)
        deadline = time.monotonic() + PATIENCE
        while True:
            os.kill(to or job.pid, signal.SIGUSR1)
            time.sleep(0.7)
            self.assertIsNone(job.poll(), "the signal ended the job")
            asked = time.monotonic()
            while not self.complete(job, "".join(printed)) and time.monotonic() < min(asked + 10, deadline):
                time.sleep(0.1)
            if until is None or re.search(until, "".join(printed)) or time.monotonic() > deadline:
                break
        job.kill()
        job.wait(timeout=PATIENCE)
        reader.join(PATIENCE)
        return "".join(printed)

    def gather(self, stream):
        """A list of all lines of the stream, which grows while they come, and the thread that reads them."""
        printed = []
        reader = threading.Thread(target=lambda: printed.extend(iter(stream.readline, "")), daemon=True)
        reader.start()
        return printed, reader

    def complete(self, job, text):
        return all(re.search(rf"(?m)^rank {r} .*:$|^rank {r} .* is busy", text) for r in range(job.ranks))

    def test_a_sync_var_that_nobody_writes(self):
        for ranks, fabric in everywhere():
            text = self.ask(start("sync_var", ranks, fabric))
            self.assertEqual(text.count("who waits for what"), 1, text)
            for r in range(ranks):
                self.assertRegex(text, rf"rank {r} \(.*waiter, pid \d+\):")
            self.assertEqual(len(re.findall(r"(?m)^  main waits for join of fiber \d+$", text)), ranks, text)
            self.assertEqual(len(re.findall(r"fiber \d+ waits for sync_var::read of 0x[0-9a-f]+, which is not written yet", text)), ranks)

    def test_a_fiber_that_keeps_the_job_from_its_end(self):
        for ranks, fabric in everywhere():
            text = self.ask(start("left_fiber", ranks, fabric))
            self.assertEqual(len(re.findall(r"(?m)^  main waits for the end of fibers that nobody joins$", text)), ranks, text)
            self.assertEqual(len(re.findall(r"fiber \d+ waits for sync_var::read", text)), ranks)

    def test_who_holds_a_lock(self):
        for ranks, fabric in everywhere():
            text = self.ask(start("crosswise", ranks, fabric))
            found = re.findall(r"(fiber \d+) waits for mutex::lock of 0x[0-9a-f]+, held by (fiber \d+)", text)
            self.assertEqual(len(found), 2 * ranks, text)
            self.assertEqual(found[0], found[1][::-1])

    def test_whom_a_call_asked(self):
        for ranks, fabric in everywhere():
            text = self.ask(start("call", ranks, fabric))
            self.assertRegex(text, rf"main waits for future::wait: the reply of rank {ranks - 1} to call wait_for_ever\(\)")
            self.assertRegex(text, r"\(a body\) waits for sync_var::read")

    def test_whom_a_call_into_a_buffer_asked(self):
        for ranks, fabric in everywhere():
            text = self.ask(start("call_into", ranks, fabric))
            self.assertRegex(text, rf"main waits for future::wait: the reply of rank {ranks - 1} to call_into list_for_ever\(\)")

    def test_whom_a_combined_future_waits_for(self):
        for scene, maker, method in (("when_any", "when_any", "call_into list_for_ever"), ("then", "future::then", "call wait_for_ever")):
            for ranks, fabric in everywhere((2,)):
                text = self.ask(start(scene, ranks, fabric))
                self.assertRegex(text, rf"main waits for future::wait of what {maker} gives, which takes the reply of rank 1 to {method}\(\)")

    def test_many_that_wait_for_the_same_are_one_line(self):
        for ranks, fabric in everywhere():
            expected = r"\(a body\)(, .*){7} and 92 more wait for sync_var::read"
            self.assertRegex(self.ask(start("many", ranks, fabric), until=expected), expected)

    def test_who_has_not_come_to_a_barrier(self):
        for ranks, fabric in everywhere((2, 4)):
            text = self.ask(start("barrier", ranks, fabric))
            self.assertEqual(len(re.findall(rf"main waits for barrier 1: rank {ranks - 1} has not come", text)), ranks - 1, text)
            self.assertEqual(len(re.findall(r"main waits for wait_for_message$", text, re.M)), 1, text)

    def test_who_has_not_come_to_a_short_exchange(self):
        for fabric in FABRICS:
            text = self.ask(start("exchange", 2, fabric))
            self.assertRegex(text, r"main waits for \S*all_to_all 1: rank 1 has not come")

    def test_how_long_a_fiber_sleeps(self):
        for ranks, fabric in everywhere():
            text = self.ask(start("sleep_long", ranks, fabric))
            self.assertRegex(text, r"main waits for sleep_for, for [56]\d\.\d s more at most")

    def test_a_rank_that_computes_does_not_answer(self):
        for scene in ("compute_long", "pause_long"):
            for fabric in FABRICS:
                text = self.ask(start(scene, 2, fabric))
                self.assertRegex(text, r"rank 1 \(.*\) is busy")
                self.assertRegex(text, r"main waits for barrier 1: rank 1 has not come")

    def last_child_of(self, pid):
        for _ in range(100):  # it takes a moment to start
            children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout.split()
            if children:
                return int(children[-1])
            time.sleep(0.1)
        self.fail("the job has started no process")

    def test_a_rank_can_be_asked(self):
        for fabric in FABRICS:
            job = start("sync_var", 2, fabric)
            text = self.ask(job, self.last_child_of(job.pid))
            self.assertEqual(text.count("who waits for what"), 1, text)
            self.assertRegex(text, "rank 0 (?s:.*)rank 1")

    def test_a_long_wait_says_so_once(self):
        for ranks, fabric in everywhere():
            job = run("sleep", ranks, fabric, wait_report="400ms")
            self.assertEqual(job.returncode, 0, job.err)
            self.assertRegex(job.err, "who waits for what")
            self.assertLessEqual(job.err.count("who waits for what"), ranks)
            self.assertRegex(job.err, "main waits for sleep_for")


class Stalls(unittest.TestCase):
    """Jobs that would hang for ever."""

    def check(self, scene, expected, numbers=(1, 2, 4), **more):
        for ranks, fabric in everywhere(numbers):
            began = time.monotonic()
            job = run(scene, ranks, fabric, stall="300ms", **more)
            self.assertEqual(job.returncode, STALLED, (scene, ranks, fabric, job.err))
            self.assertLess(time.monotonic() - began, 10)
            self.assertEqual(job.err.count("armilla:"), 1, job.err)
            self.assertRegex(job.err, r"armilla: the job stands still: for 0\.3 s")
            self.assertRegex(job.err, expected)
            for r in range(ranks):
                self.assertRegex(job.err, rf"(?m)^rank {r} .*:$")

    def test_a_sync_var_that_nobody_writes(self):
        self.check("sync_var", "which is not written yet")

    def test_a_channel_into_which_nobody_pushes_is_named_with_the_senders_that_have_not_closed(self):
        self.check("channel", r'main waits for future::\w+ of what remote_channel::pop of "jobs" \(am::remote_channel<int>.*waiter\.cpp:\d+\), '
                              r'which rank \d has not closed, gives')

    def test_locks_taken_crosswise(self):
        self.check("crosswise", r"held by fiber \d")

    def test_a_body_that_never_answers(self):
        self.check("call", r"the reply of rank \d to call wait_for_ever\(\)")

    def test_a_body_that_never_ends_under_a_fence(self):
        for fence in ("flat", "tree", "hypercube"):
            self.check("one_way_call", "fence: bodies that have not ended", fence=fence)

    def test_a_barrier_that_one_does_not_come_to(self):
        self.check("barrier", "has not come", (2, 4))

    def test_servers_whose_main_waits_for_ever(self):
        self.check("serve_for_ever", "which is not written yet")
        self.check("serve_for_ever", "run_main: serving", (2, 4))

    def test_it_is_looked_for_unless_forbidden(self):
        job = start("sync_var", stall="0")
        time.sleep(3)
        self.assertIsNone(job.poll())
        job.kill()
        job.communicate()
        environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_")} | {"ARMILLA_RANKS": "2"}
        job = subprocess.run([WAITER, "sync_var"], env=environment, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(job.returncode, STALLED)
        self.assertIn("for 2.0 s all ranks", job.stderr)


class Orders(unittest.TestCase):
    """ARMILLA_RECORD and ARMILLA_REPLAY."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.name = folder.name + "/run"

    def result(self, ranks, fabric, scene="order", **more):
        job = run(scene, ranks, fabric, **more)
        self.assertEqual(job.returncode, 0, job.err)
        return job.out

    def lines(self, rank):
        with open(f"{self.name}.{rank}", encoding="utf-8") as file:
            return file.read().splitlines()

    def test_a_replay_gives_the_recorded_result(self):
        for ranks, fabric in everywhere((1, 4)):
            recorded = self.result(ranks, fabric, record=self.name)
            self.assertEqual(self.lines(0)[0], f"armilla arrivals 1, rank 0 of {ranks}")
            self.assertGreaterEqual(len(self.lines(0)), 50 * ranks)
            for _ in range(4):
                self.assertEqual(self.result(ranks, fabric, replay=self.name), recorded)

    def test_a_replay_gives_the_result_of_polls_with_a_limit(self):
        for ranks, fabric in everywhere((1, 4)):
            self.result(ranks, fabric, record=self.name)
            arrivals = len(self.lines(0))
            recorded = self.result(ranks, fabric, "order_by_steps", record=self.name)
            self.assertEqual(len(self.lines(0)), arrivals)
            for _ in range(4):
                self.assertEqual(self.result(ranks, fabric, "order_by_steps", replay=self.name), recorded)

    def test_a_replay_of_long_results_takes_in_what_was_recorded(self):
        for ranks, fabric in everywhere((2, 4)):
            recorded = self.result(ranks, fabric, "long_results", record=self.name)
            arrivals = self.lines(0)
            for _ in range(4):
                again = self.name + ".again"
                self.assertEqual(self.result(ranks, fabric, "long_results", replay=self.name, record=again), recorded)
                with open(again + ".0", encoding="utf-8") as file:
                    self.assertEqual(file.read().splitlines(), arrivals)

    def test_a_replay_can_be_recorded(self):
        self.result(4, FABRICS[0], record=self.name)
        before = self.lines(0)
        self.result(4, FABRICS[0], replay=self.name, record=self.name + ".again")
        with open(self.name + ".again.0", encoding="utf-8") as file:
            self.assertEqual(file.read().splitlines(), before)

    def test_an_order_that_cannot_come_ends_the_job(self):
        for ranks, fabric in everywhere((2, 4)):
            self.result(ranks, fabric, record=self.name)
            lines = self.lines(0)
            with open(self.name + ".0", "w", encoding="utf-8") as file:
                file.write("\n".join(lines[:4] + [str(ranks - 1)] * 1000) + "\n")
            job = run("order", ranks, fabric, replay=self.name, stall="300ms")
            self.assertEqual(job.returncode, STALLED, job.err)
            self.assertRegex(job.err, rf"the replay of '.*run\.0' takes in nothing before arrival \d+ has come, from rank {ranks - 1}")

    def test_files_that_do_not_fit_are_refused(self):
        self.result(2, FABRICS[0], record=self.name)
        for ranks, spoil, expected in ((4, None, "replay with as many ranks|cannot be read"), (2, "7", "which is not a rank of this job"),
                                       (2, "x", "which is not a rank of this job")):
            if spoil:
                with open(self.name + ".1", "w", encoding="utf-8") as file:
                    file.write(f"armilla arrivals 1, rank 1 of 2\n{spoil}\n")
            job = run("order", ranks, FABRICS[0], replay=self.name)
            self.assertNotEqual(job.returncode, 0)
            self.assertRegex(job.err, expected)
        job = run("order", 2, FABRICS[0], record="/no/such/folder/x")
        self.assertNotEqual(job.returncode, 0)
        self.assertRegex(job.err, r"'/no/such/folder/x\.\d' cannot be written")


class NoStalls(unittest.TestCase):
    """Jobs in which nothing happens for longer than ARMILLA_STALL, and then goes on."""

    def check(self, scene, numbers=(1, 2, 4), said="", **more):
        for ranks, fabric in everywhere(numbers):
            job = start(scene, ranks, fabric, stall="200ms", **more)
            if scene == "read":
                time.sleep(1.5)
                job.stdin.write("word\n")
            out, err = job.communicate(timeout=PATIENCE)
            self.assertEqual((job.returncode, out), (0, f"here\n{said}done\n"), (scene, ranks, fabric, err))
            self.assertNotIn("stands still", err)

    def test_sleepers(self):
        self.check("sleep")

    def test_answers_that_take_time(self):
        self.check("slow_answer", said="7\n")

    def test_bodies_that_take_time_under_a_fence(self):
        self.check("slow_body")

    def test_progress_threads_that_work_before_they_first_rest(self):
        self.check("safe_body", progress_mode="thread")

    def test_waits_with_a_deadline(self):
        self.check("wait_for", said="late\n")

    def test_a_barrier_where_one_computes(self):
        self.check("compute")

    def test_a_barrier_where_one_sleeps_in_the_system(self):
        self.check("pause")

    def test_reading_the_terminal(self):
        self.check("read", said="word\n")

    def test_something_outside(self):
        self.check("outside")

    def test_a_rank_that_polls(self):
        self.check("busy")

    def test_servers(self):
        self.check("serve")

    def test_waits_that_sleep_at_once(self):
        for scene in ("slow_body", "sleep", "compute"):
            self.check(scene, spin="0", **{"yield": "0"})


class OverNetworks(unittest.TestCase):
    """Where messages are not in memory that somebody sees, the ranks find out whether any is under way."""

    def test_waits_that_nobody_ends(self):
        for scene, expected in (("sync_var", "which is not written yet"), ("crosswise", r"held by fiber \d"),
                                ("call", r"the reply of rank \d to call wait_for_ever\(\)"), ("absent", "has not come")):
            Stalls.check(self, scene, expected, (2, 4))

    def test_bodies_that_never_end_under_a_fence(self):
        for fence in ("flat", "tree", "hypercube"):
            Stalls.check(self, "one_way_call", "fence: bodies that have not ended", (2, 3, 4), fence=fence)

    def test_waits_that_end(self):
        for scene, said in (("sleep", ""), ("slow_answer", "7\n"), ("slow_body", ""), ("wait_for", "late\n"), ("outside", "")):
            NoStalls.check(self, scene, (2, 4), said)

    def test_ranks_that_do_not_wait(self):
        for scene in ("compute", "pause", "busy", "serve"):
            NoStalls.check(self, scene, (2, 4))


def main():
    """Some tests at a time, for they wait more than they compute."""
    tests = list(unittest.defaultTestLoader.loadTestsFromTestCase(globals()[sys.argv[2]]))
    results = [unittest.TextTestResult(unittest.runner._WritelnDecorator(sys.stderr), True, 1) for _ in tests]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda test, result: test.run(result), tests, results))
    for result in results:
        result.printErrors()
    print(f"{len(tests)} tests")
    return 0 if tests and all(result.wasSuccessful() for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
