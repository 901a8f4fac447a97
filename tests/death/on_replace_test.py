#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ARMILLA_ON_LOSS=replace seen from outside: on_replace_test.py SCENES ARMILLA_RUN DENY, which is in tests/start. TEST_FABRIC: over
a network. Beside two hosts of tests/hosts/hosts the ranks are on both."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import FABRIC, FABRIC_OF_HOSTS, FailedJobs, Job, over_hosts  # noqa: E402

SCENES, ARMILLA_RUN, DENY = (sys.argv.pop(1) for _ in range(3))
NOT_HERE = 77  # what DENY says of a system that lets no process be denied a call
REPLACE = {"ARMILLA_ON_LOSS": "replace"}
OVER_HOSTS = "TEST_HOSTS_RSH" in os.environ
of_one_host = unittest.skipIf(OVER_HOSTS, "is about one host")


def job(scene, *words, ranks=4, fabric=FABRIC, env=None, launcher=()):
    if OVER_HOSTS:
        return Job([*over_hosts(ARMILLA_RUN, ranks), os.path.realpath(SCENES), scene, *words], fabric=FABRIC_OF_HOSTS, env=REPLACE | (env or {})).end()
    return Job([*launcher, SCENES, scene, *words], ranks=ranks, fabric=fabric, env=REPLACE | (env or {})).end()


class OnReplace(FailedJobs, unittest.TestCase):
    def assert_scene(self, scene, said, back=1, **more):
        run = job(scene, **more)
        self.assertEqual((run.code, sorted(run.out.splitlines())), (0, said), run.out + run.err)
        self.assertEqual(run.err.count("was replaced"), back, run.err)
        self.assertEqual(run.left_behind(), [])
        return run

    def test_what_was_asked_before_is_answered_to_none(self):
        self.assert_scene("old_replies", ["rank 1: replies are those that were asked for"])

    def test_names_of_objects_are_old(self):
        self.assert_scene("old_objects", ["rank 0: an old name finds nothing"])

    def test_objects_are_made_again_if_their_class_says_how(self):
        self.assert_scene("objects_again", ["rank 0: 220, not yet, 5, none, none, none", "rank 0: made 4 times"])

    def test_methods_are_asked_for_again(self):
        self.assert_scene("old_methods", ["rank 0: names find the methods"])

    def test_parts_of_distributed_objects_are_fresh(self):
        self.assert_scene("parts", ["rank 0: a fresh part counts"])

    def test_a_part_that_it_does_not_make_is_lost(self):
        self.assert_scene("unmade_parts", ["rank 0: a part that is not made again is lost"])

    def test_containers_of_before_are_lost_with_their_rank(self):
        self.assert_scene("old_containers", ["rank 0: they are lost with their rank"])

    def test_it_is_not_in_the_team_of_all(self):
        self.assert_scene("fences_of_all", ["rank 0: it is not in the team of all ranks"])

    def test_a_new_rank_calls_no_fence_of_all(self):
        self.assert_scene("fence_in_new_rank", ["rank 1: no fence of all ranks"])

    def test_without_a_team_it_ends_with_the_others(self):
        self.assert_scene("alone", ["rank 1: no team any more"])

    def test_a_job_of_which_all_have_failed_has_failed(self):
        for milliseconds in range(0, 40, 4):
            run = job("all_fail", str(milliseconds))
            self.assertIn(run.code, (1, 137), run.err)  # whichever is lost first
            self.assertEqual(run.left_behind(), [])

    def test_it_comes_into_one_team(self):
        self.assert_scene("one_team", ["rank 1: one team"])

    def test_it_comes_into_a_team_with_its_elements(self):
        self.assert_scene("with_elements", ["rank 0: elements of 4 ranks"])

    @of_one_host
    def test_where_memory_cannot_be_cleared_the_others_go_on_and_are_told(self):
        denied = [DENY, "EPERM", "MADV_REMOVE"]
        if Job([*denied, "true"]).end().code == NOT_HERE:
            self.skipTest("this system denies nothing")
        run = self.assert_scene("no_memory", [], back=0, launcher=denied)
        self.assertEqual(run.err.count("the memory of a lost rank cannot be cleared: Operation not permitted"), 10, run.err)

    def test_in_a_session(self):
        self.assert_scene("by_session", ["rank 1: joined"])

    def test_it_serves_under_run_main(self):
        self.assert_scene("serves", ["rank 0: served"])

    @of_one_host
    def test_under_armilla_run(self):
        self.assert_scene("serves", ["rank 0: served"], ranks=None, launcher=[ARMILLA_RUN, "-n", "4"])

    def test_one_comes_as_long_as_any_rank_works(self):
        self.assert_scene("late", [])

    def test_one_that_cannot_live_is_given_up(self):
        run = self.assert_scene("short_lives", [], back=10)
        self.assertRegex(run.err, r"10 processes in a row lived less than 100 ms, so the rank is not replaced again")

    def test_a_program_says_what_new_ranks_run(self):
        run = job("nothing_said")
        self.assertNotEqual(run.code, 0)
        self.assertRegex(run.err, r"call armilla::on_join\(f\) before run, or set ARMILLA_ON_LOSS=continue")

    @of_one_host
    def test_where_it_cannot_be_it_is_refused(self):
        self.assertRegex(job("serves", fabric="threads").err, r"ARMILLA_ON_LOSS=replace with ARMILLA_FABRIC=threads: .*set ARMILLA_FABRIC=shm")
        self.assertRegex(job("serves", env={"ARMILLA_PROGRESS_MODE": "thread"}).err, r"unset ARMILLA_PROGRESS_MODE")
        self.assertRegex(job("serves", env={"ARMILLA_RECORD": "x"}).err, r"set ARMILLA_ON_LOSS=continue")


unittest.main()
