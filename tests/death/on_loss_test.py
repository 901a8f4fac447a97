#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ARMILLA_ON_LOSS seen from outside: exit codes, messages, and where it is refused. on_loss_test.py SURVIVOR SCENES ARMILLA_RUN."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import FailedJobs, Job  # noqa: E402

SURVIVOR, SCENES, ARMILLA_RUN = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
GO_ON = {"ARMILLA_ON_LOSS": "continue"}


def job(deaths, ranks=4, fabric="shm", env=None, launcher=(), steps=1000):  # enough for a death in the middle, beside other work, too
    return Job([*launcher, SURVIVOR, "7", str(steps), *deaths], ranks=ranks, fabric=fabric, env=GO_ON if env is None else env).end()


class OnLoss(FailedJobs, unittest.TestCase):
    def assert_goes_on(self, run, lost, done):
        self.assertEqual(run.code, 0, run.err)
        self.assertEqual(len(run.messages()), len(lost), run.err)
        for rank in lost:
            self.assertRegex(run.err, rf"armilla: rank {rank} \(.*\) was killed by signal 9 \(SIGKILL\); the other")
        self.assertEqual(sorted(line for line in run.out.splitlines() if line.endswith("done")), [f"rank {r} done" for r in done])
        self.assertEqual(run.left_behind(), [])

    def test_the_others_go_on(self):
        self.assert_goes_on(job(["1:kill:start:2000"]), lost=[1], done=[0, 2, 3])

    def assert_scene(self, scene, ranks, said, losses=1, **env):
        run = Job([SCENES, scene], ranks=ranks, env=GO_ON | env).end()
        self.assertEqual((run.code, len(run.messages())), (0, losses), run.out + run.err)
        self.assertEqual(sorted(run.out.splitlines()), said)

    def test_a_half_without_lost_ranks_is_revoked_with_the_whole(self):
        self.assert_scene("half", 4, ["rank 0 of 3: d", "rank 1 of 3: d", "rank 2 of 3: d"])

    def test_a_half_is_revoked_that_is_made_after_the_whole_is_given_up(self):
        for _ in range(30):  # it hears of all at the wrong moment once in eight times
            self.assert_scene("late_half", 4, ["rank 0 of 3: d", "rank 1 of 3: d", "rank 2 of 3: d"])

    def test_a_rank_at_its_end_is_left_out(self):
        self.assert_scene("ended", 3, ["rank 0 of 1: 4"])

    def test_another_call_without_a_loss_revokes_nothing(self):
        self.assert_scene("again", 3, ["rank 0 of 2: 5", "rank 1 of 2: 5"])

    def test_a_job_that_stands_still_after_a_loss_is_found(self):
        for fabric in ("shm", "unix"):
            self.assert_stands_still(Job([SCENES, "stands_still"], ranks=3, fabric=fabric, env=GO_ON | {"ARMILLA_STALL": "300ms"}).end())

    def test_a_job_of_several_agents_that_stands_still_after_a_loss_is_found(self):
        self.assert_stands_still(self.run_on_two_agents("localhost:2,127.0.0.2:1", "stands_still", ARMILLA_STALL="300ms"))

    def assert_stands_still(self, run):
        self.assertEqual(run.code, 70, run.out + run.err)
        self.assertEqual(len(run.messages()), 2, run.err)  # the loss, and this: the rank that says it is not one more that is lost
        self.assertEqual(run.left_behind(), [])
        for said in (r"the job stands still: for 0\.3 s", r"rank 0 \(.*:\n.*is not written yet", r"rank 2 \(.*:\n.*rank 0 has not come"):
            self.assertRegex(run.err, said)

    def test_the_next_fence_throws_what_a_handler_of_losses_throws(self):
        run = Job([SCENES, "handler_throws_at_a_fence"], ranks=3, env=GO_ON).end()
        self.assertEqual(run.code, 0, run.err)
        for rank in (0, 2):
            self.assertRegex(run.out, rf"(?m)^rank {rank}: std::logic_error: nobody asked \(in a one-way call of rank [02]\)$")

    def test_the_end_of_the_job_tells_what_a_handler_of_losses_throws(self):
        run = Job([SCENES, "handler_throws"], ranks=3, env=GO_ON).end()
        self.assertNotEqual(run.code, 0)  # no rank is left
        for rank in (0, 2):
            self.assertRegex(run.err, rf"rank {rank} .*std::logic_error \(nobody asked")

    def test_counters_wait_again(self):
        self.assert_scene("counted", 3, ["rank 0 of 2: 5", "rank 1 of 2: 5"])

    def test_what_was_written_to_the_lost_is_no_news_behind_the_agreement(self):
        self.assert_scene("written", 3, ["rank 0 of 2: 5", "rank 1 of 2: 5"], ARMILLA_ACCESS_BY_MESSAGE="on")

    def test_stores_that_a_fence_has_completed_are_not_lost(self):
        self.assert_scene("stored", 3, ["rank 0 of 2: 5", "rank 1 of 2: 5"], ARMILLA_ACCESS_BY_MESSAGE="on")

    def test_stores_to_the_lost_are_told_once(self):
        self.assert_scene("stored_late", 3, ["rank 0 is told 1 times", "rank 2 is told 1 times"], ARMILLA_ACCESS_BY_MESSAGE="on")

    def test_stores_of_the_lost_are_refused_to_none(self):
        self.assert_scene("refused", 3, ["rank 0 of 2: 5", "rank 1 of 2: 5"], ARMILLA_ACCESS="opened", ARMILLA_ACCESS_BY_MESSAGE="on",
                          ARMILLA_CROSS_COPY="off")

    def test_what_the_lost_had_sent_runs_before_a_fence_tells(self):
        for _ in range(10):
            self.assert_scene("published", 4, [f"rank {r}: 1000 and 500" for r in (0, 2, 3)])

    def test_a_body_of_the_lost_may_wait_for_the_word_of_its_loss(self):
        self.assert_scene("body_waits", 2, ["the body of the lost rank goes on, with 400000"])

    def test_a_channel_goes_on_without_a_sender(self):
        self.assert_scene("channel_without_a_sender", 3, ["popped 5006, told of 1 losses"])

    def test_pushes_to_a_lost_receiver_fail(self):
        self.assert_scene("channel_without_a_receiver", 3, ["rank 0: 1 1 1", "rank 2: 1 1 1"])

    def test_sets_whose_names_are_lost_are_those_of_the_keys_that_are_left(self):
        for scene in ("sets_without_their_names", "sets_recovered_twice"):
            self.assert_scene(scene, 4, ["rank 0: 0 1", "rank 3: 0 1"], losses=2)

    def test_one_way_calls_to_the_lost_are_dropped_and_counted(self):
        self.assert_scene("dropped", 3, ["rank 0: 12", "rank 2: 12"])

    def test_a_meeting_that_one_has_passed_is_over_for_all(self):
        self.assert_scene("passed", 4, [f"rank {r}: 0 1" for r in (0, 2, 3)], ARMILLA_BARRIER="flat")

    def test_a_fence_is_given_up_when_survivors_are_asked_for(self):
        self.assert_scene("mixed", 4, [f"rank {i} of 3: d" for i in range(3)])

    def test_a_fence_among_those_left_revokes_halves(self):
        self.assert_scene("half_and_fence", 4, ["rank 0 of 2: 5", "rank 1 of 2: 5"], losses=2)

    def test_rank_0_may_be_lost(self):
        self.assert_goes_on(job(["0:kill:start:2000"]), lost=[0], done=[1, 2, 3])

    def test_under_armilla_run(self):
        self.assert_goes_on(job(["2:kill:start:2000"], ranks=None, launcher=[ARMILLA_RUN, "-n", "4"]), lost=[2], done=[0, 1, 3])

    def test_one_message_says_how_many_go_on(self):
        self.assertIn("the other 3 ranks go on", job(["1:kill:start:2000"]).err)
        self.assertIn("the other rank goes on", job(["1:kill:start:2000"], ranks=2).err)

    def test_a_job_that_loses_all_ends_by_the_first_loss(self):
        run = job(["0:kill:start:500000", "1:_exit:start:2000"], ranks=2, steps=10**6)
        self.assertEqual(run.code, 3, run.err)
        self.assertRegex(run.messages()[-1], r"rank 0 .*SIGKILL.*; no rank is left")

    def test_ranks_that_fail_at_the_same_time_are_all_told(self):
        for _ in range(10):
            run = Job([SCENES, "all_throw"], ranks=2, env=GO_ON).end()
            self.assertEqual((run.code, len(run.messages())), (1, 2), run.err)
            self.assertEqual(run.err.count("each of us"), 2, run.err)

    def test_without_a_loss_nothing_is_said(self):
        run = job([])
        self.assertEqual((run.code, run.err), (0, ""))

    def test_by_default_the_job_ends(self):
        self.assert_failed(job(["1:kill:start:2000"], env={}, steps=10**6), r"rank 1 .*SIGKILL.*the job was stopped", 137)

    def test_statistics_are_those_of_the_ranks_that_are_left(self):
        run = job(["0:kill:start:2000"], env=GO_ON | {"ARMILLA_STATS": "1"})
        self.assertEqual(run.code, 0, run.err)
        self.assertRegex(run.err, r"one-way calls sent +0 +[1-9]")

    def test_other_fabrics_refuse(self):
        for fabric in ("threads", "loop"):
            run = job([], fabric=fabric)
            self.assertNotEqual(run.code, 0)
            self.assertRegex(run.err, rf"ARMILLA_ON_LOSS=continue with ARMILLA_FABRIC={fabric}: .*set ARMILLA_FABRIC=shm")

    def test_over_a_network_the_others_go_on(self):
        self.assert_goes_on(job(["1:kill:start:2000"], fabric="unix", steps=200), lost=[1], done=[0, 2, 3])

    def run_on_two_agents(self, hosts, scene, **env):
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as rsh:
            rsh.write('shift; exec "$@"\n')
            rsh.flush()
            return Job([ARMILLA_RUN, "--hosts", hosts, "--rsh", f"sh {rsh.name}", SCENES, scene], fabric="auto", env=GO_ON | env).end()

    def test_two_agents_of_one_machine_are_two_hosts(self):
        run = self.run_on_two_agents("localhost:2,127.0.0.2:2", "without_an_agent")
        self.assertEqual(run.code, 0, run.err)
        self.assertEqual(run.messages(), ["armilla: the agent on localhost ended, and with it ranks 0 to 1; the other 2 ranks go on"])
        self.assertEqual(sorted(line.partition(":")[0] for line in run.out.splitlines()), ["rank 0 of 2", "rank 1 of 2"])
        self.assertEqual(run.left_behind(), [])

    def test_several_hosts_let_none_join(self):
        run = job([], ranks=None, launcher=[ARMILLA_RUN, "--hosts", "a:2,b:2"], env=GO_ON | {"ARMILLA_MAX_RANKS": "5"})
        self.assertNotEqual(run.code, 0)
        self.assertRegex(run.err, r"ARMILLA_MAX_RANKS=5 is for the ranks of one host; leave --hosts")


unittest.main()
