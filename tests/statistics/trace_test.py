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

import trace_rules

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
        """Perfetto would show all of it: slices lie in each other, arrows have two ends in slices and lead forward, tracks have names."""
        events = trace["traceEvents"]
        self.assertEqual(trace_rules.broken(trace)[:5], [])
        last = {}
        for e in events:  # of a track in the order of time, so that other viewers need not sort; those of `who` are written when they end
            if e["ph"] in "BEX" and e.get("cat") != "who":
                track = e["pid"], e["tid"]
                self.assertGreaterEqual(e["ts"], last.get(track, 0), e)
                last[track] = e["ts"]
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
                        self.assertEqual(begun[pid, "reply int"], 10)
                        self.assertGreaterEqual(begun[pid, "fence"], 2)
                        for phase in ("outer", "send", "ask"):
                            self.assertEqual(begun[pid, phase], 1)
                    # Ten two-way calls and ten answers a rank have arrows, and some one-way calls.
                    self.assertGreaterEqual(sum(e["ph"] == "s" for e in events), 20 * ranks)
                    self.assertTrue(any(e["ph"] == "C" for e in events))

    def test_says_how_long_frames_were_buffered(self):
        for fabric in FABRICS:
            self.assertEqual(self.run_job(2, fabric, ["computes"]).returncode, 0)
            events = self.check(self.trace())
            bars = {(e["pid"], e["name"], e["ph"]) for e in events if e.get("cat") == "buffered"}
            self.assertLessEqual({(1, "buffered for rank 1", "b"), (1, "buffered for rank 1", "e"), (2, "buffered for rank 0", "b")}, bars)
            self.assertGreaterEqual(max(e["args"].get("buffered_us", 0) for e in events if e.get("cat") == "send"), 30_000)

    def test_algorithms_name_their_containers(self):
        for fabric in FABRICS:
            self.assertEqual(self.run_job(2, fabric, ["containers"]).returncode, 0)
            ends = [e for e in self.check(self.trace()) if e["ph"] == "E" and "of" in e.get("args", {})]
            self.assertEqual(len(ends), 4)  # fill and count on two ranks
            for e in ends:
                self.assertRegex(e["args"]["of"], r'^"temperature" \(am::vector<double>, counted\.cpp:\d+\)$')

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

    def test_the_rules_find_mistakes(self):
        name = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "rank 0"}},
                {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "main"}}]

        def event(kind, ts, **more):
            return {"ph": kind, "name": "n", "cat": "c", "pid": 1, "tid": 2, "ts": ts, **more}

        def arrow(kind, ts, number=7):
            return event(kind, ts, id=number, **({"bp": "e"} if kind == "f" else {}))

        good = [event("B", 1), event("X", 1, dur=.5), arrow("s", 1.2), event("X", 2, dur=.01), arrow("f", 2), event("E", 3)]
        self.assertEqual(trace_rules.broken({"traceEvents": name + good}), [])
        for wrong, words in (([*good, event("E", 4)], "not the innermost"), ([event("B", 1)], "stays open"),
                             ([event("X", 1, dur=2), event("X", 2, dur=2)], "overlaps"),
                             ([event("X", 1, dur=2), event("B", 2), event("E", 4)], "with another slice open in it"),
                             ([event("X", 1, dur=9), arrow("f", 2), arrow("s", 3)], "before it began"),
                             ([event("X", 1, dur=9), arrow("s", 2)], "has no end"), ([arrow("s", 1)], "in no slice"),
                             ([event("X", 1, dur=1, tid=3)], "without a name"), ([event("X", -1, dur=1)], "before the beginning"),
                             ([{"ph": "X", "pid": 1, "tid": 2, "ts": 1, "dur": 1, "cat": "c"}], "lacks {'name'}")):
            self.assertIn(words, " ".join(trace_rules.broken({"traceEvents": name + wrong})))

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
