#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ARMILLA_TRACE writes: trace_test.py PROGRAM [--fabrics FABRIC...]."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
FABRICS = sys.argv[3:] or ["shm", "threads", "loop"]
RANKS = [1, 2, 4]


class TraceTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = pathlib.Path(self.folder.name) / "trace.json"

    def run_job(self, ranks=2, fabric=None, arguments=(), file=None, **more):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_")}
        environment |= {"ARMILLA_RANKS": str(ranks), "ARMILLA_FABRIC": fabric or FABRICS[0], "ARMILLA_PIN": "none",
                        "ARMILLA_TRACE": str(file or self.file), **more}
        return subprocess.run([PROGRAM, *arguments], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60)

    def trace(self):
        """What was written; the ranks' parts are gone then."""
        self.assertEqual([p.name for p in self.file.parent.iterdir()], [self.file.name])
        return json.loads(self.file.read_text())

    def check(self, trace):
        """Slices lie in each other, arrows have two ends and do not lead back in time."""
        events = trace["traceEvents"]
        open_, last, left = collections.Counter(), {}, {}
        for e in events:
            if e["ph"] not in "BEX":
                continue
            track = e["pid"], e["tid"]
            if e.get("cat") != "who":  # those are written when they end
                self.assertGreaterEqual(e["ts"], last.get(track, 0) - 0.0011, e)
                last[track] = e["ts"]
            open_[track] += {"B": 1, "E": -1}.get(e["ph"], 0)
            self.assertGreaterEqual(open_[track], 0, e)
        self.assertEqual(set(open_.values()) - {0}, set())
        for e in events:
            if e["ph"] == "s":
                self.assertNotIn(e["id"], left)
                left[e["id"]] = e["ts"]
        ends = [e for e in events if e["ph"] == "f"]
        self.assertEqual(sorted(left), sorted(e["id"] for e in ends))
        for e in ends:
            self.assertGreaterEqual(e["ts"], left[e["id"]] - 1)
        return events

    def test_says_what_each_rank_did(self):
        for fabric in FABRICS:
            for ranks in RANKS:
                with self.subTest(fabric=fabric, ranks=ranks):
                    job = self.run_job(ranks, fabric)
                    self.assertEqual((job.returncode, job.stdout), (0, "done\n"), job.stderr)
                    trace = self.trace()
                    events = self.check(trace)
                    self.assertEqual((trace["otherData"]["ranks"], trace["otherData"]["missing"]), (ranks, 0))
                    begun = collections.Counter((e["pid"], e["name"]) for e in events if e["ph"] in "BX" and e.get("cat") != "send")
                    for pid in range(1, ranks + 1):
                        self.assertEqual(begun[pid, "call ask(int)"], 10)
                        self.assertEqual(begun[pid, "answer int"], 10)
                        self.assertGreaterEqual(begun[pid, "fence"], 2)
                        for phase in ("outer", "send", "ask"):
                            self.assertEqual(begun[pid, phase], 1)
                    # Ten questions and ten answers a rank have arrows, and some statements.
                    self.assertGreaterEqual(sum(e["ph"] == "s" for e in events), 20 * ranks)
                    self.assertTrue(any(e["ph"] == "C" for e in events))

    def test_fibers_have_tracks(self):
        self.assertEqual(self.run_job(arguments=["fibers"]).returncode, 0)
        events = self.check(self.trace())
        names = {e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        self.assertTrue({"main", "who runs", "phases", "fiber 1", "fiber 2"} <= names, names)

    def test_the_oldest_are_dropped_and_counted(self):
        job = self.run_job(4, ARMILLA_TRACE_EVENTS="1K", arguments=["many"])
        self.assertEqual(job.returncode, 0)
        trace = self.trace()
        self.check(trace)
        dropped = trace["otherData"]["dropped"]
        self.assertEqual(len(dropped), 4)
        self.assertGreater(min(dropped.values()), 0)
        self.assertLessEqual(trace["otherData"]["events"], 4 * 1024)
        self.assertIn(f"{sum(dropped.values())} older ones were dropped", job.stderr)

    def test_jobs_that_fail_leave_one_too(self):
        for how, ranks in (("fail", 1), ("fail", 2), ("throw", 1), ("throw", 2), ("kill", 2), ("kill", 4)):
            for fabric in FABRICS:
                with self.subTest(how=how, ranks=ranks, fabric=fabric):
                    self.assertNotEqual(self.run_job(ranks, fabric, [how]).returncode, 0)
                    trace = self.trace()
                    events = self.check(trace)
                    self.assertEqual(trace["otherData"]["missing"], 0)
                    self.assertEqual(sum(e["ph"] == "B" and e["name"] == "call ask(int)" for e in events), 10 * ranks)

    def test_a_bad_path_is_an_error_at_the_start(self):
        for ranks in (1, 2):
            job = self.run_job(ranks, file="/no/such/folder/x.json")
            self.assertNotEqual(job.returncode, 0)
            self.assertEqual(job.stdout, "")
            self.assertRegex(job.stderr, r"ARMILLA_TRACE: .*'/no/such/folder/x\.json.*No such file or directory.*; name a file")
        self.assertRegex(self.run_job(file="trace.txt").stderr, r"ARMILLA_TRACE=trace.txt is not allowed.*\.json")

    def test_with_times_both_are_there(self):
        job = self.run_job(ARMILLA_STATS="timing")
        self.assertEqual(job.returncode, 0)
        self.assertIn("thread synchronisation", job.stderr)
        self.check(self.trace())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
