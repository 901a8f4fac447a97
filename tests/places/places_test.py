#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which places in a user's program are named by errors, crashes and lists of waits: places_test.py PROGRAM lines|names."""
import os
import re
import selectors
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from jobs import Job  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
LINES = sys.argv[2] == "lines"  # compiled with -g
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "places.cpp")


def line(comment):
    with open(SOURCE, encoding="utf-8") as source:
        return next(n for n, text in enumerate(source, 1) if text.rstrip().endswith("// " + comment))


def place(comment, function):
    """As it is printed: a line or, without -g, the function and an offset in it."""
    return rf"at places\.cpp:{line(comment)}, in {function}" if LINES else rf"in {function}( \[clone \S+\])?\+0x[0-9a-f]+"


READ = r"heat::read\(int\)"


class Places(unittest.TestCase):
    def run_scene(self, scene, ranks=3, fabric="shm", **env):
        return Job([PROGRAM, scene], ranks=ranks, fabric=fabric, env=env).end()

    def ends_by(self, scene, *places):
        for fabric in ("shm", "threads"):
            with self.subTest(scene=scene, fabric=fabric):
                job = self.run_scene(scene, fabric=fabric)
                self.assertNotEqual(job.code, 0)
                self.assertRegex(job.err, r"(?m)^armilla: (rank|ranks) [^\n]*\n(  [^\n]*\n)*?" + "".join(rf"  {each}\n" for each in places) + r"\Z")
                self.assertLessEqual(job.err.count("\n"), 6, job.err)

    def test_a_call_names_the_caller_and_where_the_function_threw(self):
        self.ends_by("call", place("asks", r"heat::ask\(int\)"), "rank 1 threw " + place("throws", READ))

    def test_a_chain_of_calls_names_the_innermost(self):
        self.ends_by("chain", place("asks one more", r"heat::ask_by_one_more\(int\)"), "rank 2 threw " + place("throws", READ))

    def test_a_method_of_an_object_names_the_function_in_it(self):
        job = self.run_scene("object")
        self.assertRegex(job.err, "rank 1 threw " + place("throws", READ))

    def test_a_fence_names_where_a_one_way_call_threw(self):
        self.ends_by("async", place("fences", r"heat::tell\(int\)"), "rank 1 threw " + place("throws", READ))

    def test_a_fence_names_where_a_fiber_of_it_threw(self):
        self.ends_by("fiber", place("fences for a fiber", r"heat::spawn_there\(int\)"), "rank 1 threw " + place("throws", READ))

    def test_an_exception_of_the_users_own_type_has_a_place(self):
        self.ends_by("own", place("throws", READ))

    def test_an_algorithm_names_where_a_function_threw_on_another_rank(self):
        job = self.run_scene("for_each")
        self.assertRegex(job.err, "rank 1 threw " + place("throws at", r"heat::element\(int\)"))

    def test_whoever_catches_it_gets_both(self):
        job = self.run_scene("caught")
        both = "|".join(each.removeprefix("at ") for each in (place("asks", r"heat::ask\(int\)"), place("throws", READ)))
        self.assertRegex(job.out, both.replace("|", r"\|"))
        self.assertEqual(job.code, 0, job.err)

    def test_a_machine_reads_both(self):
        job = self.run_scene("call", ARMILLA_ERRORS="json")
        for key, where in (("place", place("asks", r"heat::ask\(int\)")), ("thrown_at", place("throws", READ))):
            self.assertRegex(job.err, f'"{key}":"{where.removeprefix("at ")}"')

    def test_whatever_calls_the_function_that_throws_the_place_is_in_that(self):
        for scene in ("parfor", "join", "then", "create", "reduce", "lines", "bitmap", "list", "map"):
            with self.subTest(scene=scene):
                job = self.run_scene("throw in " + scene)
                self.assertNotEqual(job.code, 0)
                self.assertRegex(job.err, rf"(?m)^  (rank \d threw )?{place('throws', READ)}$")

    def test_a_crash_names_the_function_as_in_the_program(self):
        job = self.run_scene("crash")
        self.assertRegex(job.err, r"(?m)^rank 1: SIGSEGV arose " + place("crashes", r"heat::crash\(int\*\)") + "$")

    def test_a_crash_ends_the_job_also_where_the_search_for_its_place_hangs_and_alarms_are_blocked(self):
        job = self.run_scene("locked_crash")
        self.assertEqual(job.code, 139, job.err)
        self.assertRegex(job.err, r"(?m)^rank 1: SIGSEGV arose " + (rf"at \S*places\.cpp:{line('crashes')}$" if LINES else r"in \S*crash\S*\+0x"))

    def stalls(self, scene, *lines, fabrics=("shm", "threads", "loop")):
        """The job stands still, and its report has these lines, one below the other."""
        for fabric in fabrics:
            with self.subTest(scene=scene, fabric=fabric):
                job = self.run_scene(scene, fabric=fabric, ARMILLA_STALL="300ms")
                self.assertEqual(job.code, 70, job.err)
                self.assertRegex(job.err, r"(?m)^" + "\n".join(lines) + "$")

    def test_a_stall_names_the_line_of_each_wait(self):
        self.stalls("wait", r"rank 0 \(.*\):", "  main waits for barrier 1: rank 1 has not come", "    " + place("meets", r"heat::meet\(\)"),
                    r"rank 1 \(.*\):", r"  main waits for join of fiber \d+", "    " + place("joins", r"heat::join\(\)"),
                    r"  fiber \d+ waits for sync_var::read of \w+, which is not written yet", "    " + place("waits", r"heat::wait\(\)"),
                    r"rank 2 \(.*\):", "  main waits for barrier 1: rank 1 has not come", "    " + place("meets", r"heat::meet\(\)"))

    def test_a_stall_names_the_line_of_a_called_function_that_waits(self):
        self.stalls("body", r"rank 0 \(.*\):", "  main waits for future::wait: the reply of rank 1 to call .*", "    " + place("asks for ever", r"heat::ask_for_ever\(\)"),
                    r"rank 1 \(.*\):", r"  main waits for the end of all ranks: .*(\n    (at|in) .*)?", r"  fiber \d+ \(a body\) waits for sync_var::read of \w+, which is not written yet",
                    "    " + place("waits", r"heat::wait\(\)"))

    def test_fibers_that_wait_in_one_line_share_it(self):
        self.stalls("many", r"rank 0 \(.*\):", r"  main waits for join of fiber \d+", "    " + place("joins all", r"heat::wait_often\(\)"),
                    r"  (fiber \d+, ){7}fiber \d+ and 92 more wait for sync_var::read of .*", "    " + place("waits", r"heat::wait\(\)"), fabrics=("shm",))

    def test_a_report_on_request_names_the_lines_and_the_job_goes_on(self):
        job = Job([PROGRAM, "wait"], ranks=3, env={"ARMILLA_STALL": "0"})
        time.sleep(1)  # it knows the signal by then
        waits = "    " + place("waits", r"heat::wait\(\)")
        said = self.read_until(job, waits, lambda: job.process.send_signal(signal.SIGUSR1))
        self.assertRegex(said, waits)
        self.assertRegex(said, "    " + place("meets", r"heat::meet\(\)"))
        self.assertIsNone(job.process.poll())
        job.process.terminate()
        job.end()

    def read_until(self, job, pattern, ask=lambda: None):
        """What it prints up to that; in each second in which it prints nothing, it is asked."""
        said, end = "", time.monotonic() + 50
        with selectors.DefaultSelector() as ready:
            ready.register(job.process.stderr, selectors.EVENT_READ)
            while not re.search(pattern, said) and time.monotonic() < end:
                if not ready.select(1):
                    ask()
                elif some := os.read(job.process.stderr.fileno(), 65536):
                    said += some.decode()
                else:
                    break
        return said

    def is_silent(self, scene, what):
        for fabric in ("shm", "threads"):
            with self.subTest(fabric=fabric):
                job = Job([PROGRAM, scene], ranks=3, fabric=fabric, env={"ARMILLA_STALL": "100ms"})
                said = self.read_until(job, "rank 2 ")
                job.process.terminate()
                job.end()
                self.assertRegex(said, r"rank 1 \(.*\) is busy.*: " + what)

    def test_a_rank_that_computes_is_reported_with_the_place(self):
        self.is_silent("spin", "it computes, " + place("spins", r"heat::spin\(\)"))

    def test_a_rank_that_waits_for_a_mutex_which_it_holds_is_reported_with_the_place(self):
        self.is_silent("lock", "it waits for a lock of the system, " + place("locks", r"heat::hold\(\)") + r" \(a std::mutex .*; use am::mutex\)")

    def test_an_exit_in_the_middle_names_who_called_it(self):
        self.ends_by("exit", place("leaves", r"heat::leave\(int\)"))

    def test_an_exception_out_of_a_destructor_has_a_place(self):
        self.ends_by("destructor", place("throws", READ))

    def test_of_ranks_that_crash_alike_the_first_says_where_and_the_report_is_about_it(self):
        job = self.run_scene("crash_of_all", ranks=4)
        self.assertEqual(len(re.findall(" arose ", job.err)), 1, job.err)
        rank = re.search(r"(?m)^rank (\d): SIGSEGV arose", job.err).group(1)
        self.assertIn(f"armilla: rank {rank} (", job.err)
        self.assertLessEqual(len(job.err.splitlines()), 3, job.err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
