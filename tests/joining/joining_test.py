#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks join a running job, seen from outside: joining_test.py SCENES SERVER WORKER ARMILLA_RUN."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import FABRIC, PATIENCE, FailedJobs, Job  # noqa: E402

SCENES, SERVER, WORKER, ARMILLA_RUN = (sys.argv.pop(1) for _ in range(4))
GOES_ON = {"ARMILLA_ON_LOSS": "continue", "ARMILLA_MAX_RANKS": "4"}


def start(*command, ranks=2, env=None):
    job = Job(command, ranks=ranks, env=GOES_ON | (env or {}))
    job.wait_for_lines(1)
    return job


def join(job, *command, ranks=2, cwd=None, env=None):
    asked = [ARMILLA_RUN, "--join", str(job.process.pid), "-n", str(ranks), *command]
    run = subprocess.run(asked, capture_output=True, text=True, timeout=PATIENCE, cwd=cwd, env=os.environ | (env or {}))
    run.stderr = re.sub(r"^armilla-run: not in it yet: .*\n", "", run.stderr)  # said behind two seconds, by busy machines
    return run


class Joining(FailedJobs, unittest.TestCase):
    def setUp(self):
        self.jobs = []

    def start(self, *command, **how):
        self.jobs.append(start(*command, **how))
        return self.jobs[-1]

    def tearDown(self):
        for job in self.jobs:
            if job.process.poll() is None:
                job.process.kill()
                job.process.communicate()

    def wait_until(self, holds):
        until = time.monotonic() + PATIENCE
        while not holds():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)

    def assert_ends(self, job, said):
        job.end()
        self.assertEqual((job.code, sorted(job.out.splitlines())), (0, sorted(said)), job.out + job.err)
        self.assertEqual(job.left_behind(), [])

    def assert_scene(self, scene, said, env=None):
        job = self.start(SCENES, scene, env=env)
        asked = join(job, SCENES, scene)
        self.assertEqual((asked.returncode, asked.stdout, asked.stderr),
                         (0, f"armilla-run: job {job.process.pid}: ranks 2, 3 are in it\n", ""))
        self.assert_ends(job, said)
        self.assertEqual(job.err.count(" has joined ("), 2, job.err)

    def assert_refused(self, asked, why, code=1):
        self.assertRegex(asked.stderr, why)
        self.assertEqual((asked.returncode, asked.stdout), (code, ""), asked.stderr)

    # ---- what joiners can do, and others with them ----

    def test_they_call_and_are_called(self):
        self.assert_scene("calls", ["rank 0: joiners are called", "rank 0: the world stays", "rank 2: a joiner calls",
                                    "rank 3: a joiner calls"])

    def test_a_team_takes_them_in_by_grow(self):
        self.assert_scene("teams", [f"rank {r}: a team of 4 works" for r in range(4)])

    def test_containers_are_spread_over_joiners(self):
        self.assert_scene("containers", [f"rank {r}: containers are spread over all" for r in range(4)])

    def test_fences_are_those_of_the_first_ranks(self):
        self.assert_scene("fences", [f"rank {r}: fences of the world" for r in range(2)])

    def test_ranks_that_have_not_heard_of_them_reach_them(self):
        self.assert_scene("unheard", ["rank 2: was reached", "rank 3: was reached"])

    def test_a_job_that_waits_for_them_does_not_stand_still(self):
        job = self.start(SCENES, "wait_for_joiners", env={"ARMILLA_STALL": "100ms"})
        time.sleep(0.5)
        self.assertEqual(join(job, SCENES, "wait_for_joiners").returncode, 0)
        self.assert_ends(job, ["rank 0: joiners have come"])

    def test_an_error_of_a_last_one_way_call_fails_the_job(self):
        for _ in range(1 if FABRIC == "shm" else 8):  # a network may be slower than the end of the rank that has failed
            job = Job([SCENES, "error_at_the_end"], ranks=2, env=GOES_ON).end()
            self.assertEqual(job.code, 1, job.err)
            self.assertIn("too late", job.err)

    def test_the_answer_waits_for_nothing_else(self):
        job = self.start(SCENES, "wait_for_joiners", env={"ARMILLA_STALL": "0"})
        self.assertEqual(join(job, SCENES, "wait_for_joiners").returncode, 0)
        self.assertEqual(job.end().code, 0, job.err)

    def test_a_program_of_another_kind_is_refused(self):
        job = self.start(SCENES, "wait_for_joiners")
        self.assert_refused(join(job, SERVER, ranks=1), "rank 2 is not in it")
        self.assertEqual(join(job, SCENES, "wait_for_joiners").returncode, 0)
        job.end()
        self.assertRegex(job.err, "whose ranks use run, and its program uses run_main")

    def test_what_they_send_last_has_come_when_the_job_ends(self):
        self.assert_scene("sends_late", [f"rank {r}: all has come" for r in range(4)])

    def test_long_messages_and_memory(self):
        self.assert_scene("memory", ["rank 0: long messages and memory"])

    def test_where_lost_ranks_are_replaced(self):
        self.assert_scene("teams", [f"rank {r}: a team of 4 works" for r in range(4)], env={"ARMILLA_ON_LOSS": "replace"})

    def test_another_program_in_its_folder_with_its_variables(self):
        with tempfile.TemporaryDirectory() as folder:
            job = self.start(SERVER, "2")
            for rank in (2, 3):
                self.assertEqual(join(job, WORKER, ranks=1, cwd=folder, env={"JOINING_VARIABLE": str(rank)}).returncode, 0)
            self.assert_ends(job, [f"rank {r} of program '{WORKER}' in {folder} with {r}" for r in (2, 3)] + ["2 are done"])

    def test_a_job_of_one_rank(self):
        job = self.start(SERVER, "2", ranks=1)
        self.assertRegex(join(job, WORKER).stdout, "ranks 1, 2 are in it")
        self.assertEqual(job.end().code, 0, job.err)

    def test_a_rank_that_serves(self):
        job = self.start(SERVER, "1", "2")
        self.assertEqual(join(job, SERVER, "1", "2", ranks=1).returncode, 0)
        self.assertEqual(join(job, WORKER, ranks=1).returncode, 0)
        self.assertEqual(job.end().code, 0, job.err)
        self.assertIn("rank 2 serves\n", job.out)

    # ---- those that die ----

    def test_a_joiner_that_is_killed_is_lost_and_its_place_is_free(self):
        job = self.start(SERVER, "1")
        for number in range(3):
            self.assertRegex(join(job, SERVER, "1").stdout, "ranks 2, 3 are in it")
            for process in job.children()[2:]:
                os.kill(process, signal.SIGKILL)
            self.wait_until(lambda: len(job.children()) == 2)
        self.assertRegex(join(job, WORKER, ranks=1).stdout, "rank [23] is in it")
        job.end()
        self.assertEqual(job.code, 0, job.err)
        self.assertEqual(job.err.count("was killed by signal 9"), 6, job.err)
        self.assertEqual(job.err.count(" has joined ("), 7, job.err)

    def test_one_that_never_joins_is_taken_back_with_its_request(self):
        job = self.start(SERVER, "1")
        asked = subprocess.Popen([ARMILLA_RUN, "--join", str(job.process.pid), "sleep", "1000"], stderr=subprocess.PIPE, text=True)
        self.assertIn("not in it yet", asked.stderr.readline())
        asked.send_signal(signal.SIGINT)
        asked.communicate()
        self.wait_until(lambda: len(job.children()) == 2)
        self.assertRegex(join(job, WORKER, ranks=1).stdout, "rank 2 is in it")
        self.assertEqual(job.end().code, 0, job.err)

    # ---- places ----

    def test_nothing_is_there_before(self):
        job = Job([SCENES, "not_there"], ranks=2, env=GOES_ON).end()
        lines = job.out.splitlines()
        self.assertRegex(lines[0], "rank 3 .*has not joined the job yet")
        self.assertRegex(lines[1], "rank 3 .*has not joined the job yet")
        self.assertRegex(lines[2], "rank 9 does not exist")
        self.assertRegex(lines[3], "rank 3 .*has not joined the job yet")
        self.assertEqual(job.code, 0, job.err)

    def test_more_than_there_are_places(self):
        job = self.start(SERVER, "2")
        self.assert_refused(join(job, WORKER, ranks=3), "has 2 free places for 3 ranks; ARMILLA_MAX_RANKS=4")
        self.assertEqual(join(job, WORKER, ranks=2).returncode, 0)
        self.assertEqual(job.end().code, 0, job.err)

    def test_a_job_without_places(self):
        job = self.start(SERVER, "1", env={"ARMILLA_MAX_RANKS": "2"})
        self.assert_refused(join(job, WORKER), "started without places for them; start it with ARMILLA_MAX_RANKS", code=2)

    def test_a_program_that_does_not_join(self):
        job = self.start(SERVER, "1")
        self.assert_refused(join(job, "true", ranks=1), r"rank 2 is not in it: rank 2 \(true, pid \d+\) exited with code 0 and never joined the job")
        self.assert_refused(join(job, "./no_such_program", ranks=1), "'./no_such_program' does not exist", code=127)
        self.assertEqual(join(job, WORKER, ranks=1).returncode, 0)
        self.assertEqual(job.end().code, 0, job.err)

    def test_a_job_that_is_not_there(self):
        asked = subprocess.run([ARMILLA_RUN, "--join", "1", WORKER], capture_output=True, text=True, timeout=PATIENCE)
        self.assert_refused(asked, "process 1 ", code=2)

    def test_options_that_do_not_go_with_it(self):
        asked = subprocess.run([ARMILLA_RUN, "--join", "1", "--label", WORKER], capture_output=True, text=True, timeout=PATIENCE)
        self.assert_refused(asked, "only -n and --env go with it", code=2)

    def test_settings_that_do_not_go_together(self):
        for more, why in (({"ARMILLA_ON_LOSS": "end"}, "set ARMILLA_ON_LOSS=continue, or replace"),
                          ({"ARMILLA_MAX_RANKS": "1"}, "starts with 2 ranks already"),
                          ({"ARMILLA_PROGRESS_MODE": "thread"}, "ranks join only where ranks poll"),
                          ({"ARMILLA_RECORD": "nowhere"}, "ARMILLA_RECORD or ARMILLA_REPLAY"),
                          ({"ARMILLA_FABRIC": "threads"}, "a rank that crashes ends the process"),
                          ({"ARMILLA_FABRIC": "loop"}, "it is for tests of jobs that lose no rank")):
            job = Job([SCENES, "calls"], ranks=2, env=GOES_ON | more).end()
            self.assertRegex(job.err, why)
            self.assertNotEqual(job.code, 0)


if __name__ == "__main__":
    unittest.main()
