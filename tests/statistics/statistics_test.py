#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ARMILLA_STATS prints and writes: statistics_test.py PROGRAM [--fabrics FABRIC...]."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
FABRICS = sys.argv[3:] or ["shm", "threads"]
RANKS = [1, 2, 4]


def run(stats, ranks=2, fabric=None, arguments=()):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_")}
    environment |= {"ARMILLA_RANKS": str(ranks), "ARMILLA_FABRIC": fabric or FABRICS[0], "ARMILLA_PIN": "none"}
    if stats is not None:
        environment["ARMILLA_STATS"] = stats
    return subprocess.run([PROGRAM, *arguments], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


class StatisticsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = pathlib.Path(self.folder.name) / "stats.json"

    def everywhere(self, words=""):
        """The report of the program with each number of ranks on each fabric."""
        for fabric in FABRICS:
            for ranks in RANKS:
                job = run(words + str(self.file), ranks, fabric)
                self.assertEqual((job.returncode, job.stdout, job.stderr), (0, "done\n", ""))
                report = json.loads(self.file.read_text())
                self.assertEqual((report["armilla_statistics"], report["ranks"]), (1, ranks))
                if ranks > 1:
                    self.assertEqual(report["fabric"], fabric)
                yield report

    def phase(self, report, name):
        return next(p for p in report["phases"] if p["name"] == name)

    def test_counts_are_what_the_program_did(self):
        for report in self.everywhere():
            for rank in report["by_rank"]:
                self.assertEqual(rank["counters"]["one_way_calls_sent"], 100)
                self.assertEqual(rank["counters"]["two_way_calls_sent"], 10)
                self.assertEqual(rank["counters"]["replies_sent"], 10)
            total = report["total"]["counters"]
            self.assertEqual(total["frames_sent"], total["frames_received"])
            self.assertEqual(total["bytes_sent"], total["bytes_received"])

    def test_totals_are_sums(self):
        for report in self.everywhere():
            for name, value in report["total"]["counters"].items():
                self.assertEqual(value, sum(r["counters"][name] for r in report["by_rank"]), name)
            self.assertAlmostEqual(report["total"]["seconds"], sum(r["seconds"] for r in report["by_rank"]))
            for method in report["total"]["methods"]:
                parts = [m for r in report["by_rank"] for m in r["methods"] if m["name"] == method["name"]]
                for what in ("runs", "messages", "bytes"):
                    self.assertEqual(method[what], sum(m[what] for m in parts), method["name"])

    def test_what_went_to_each_rank_adds_up(self):
        for report in self.everywhere():
            for rank in report["by_rank"]:
                self.assertEqual(len(rank["sent_to"]), report["ranks"])
                lines = [sent % 64 for sent in rank["sent_to"]]
                self.assertEqual(lines, [0] * report["ranks"])
                self.assertGreaterEqual(sum(rank["sent_to"]), rank["counters"]["bytes_sent"])

    def test_says_how_long_calls_were_buffered(self):
        for fabric in FABRICS:
            for ranks in RANKS:
                run(f"{self.file}", ranks, fabric, ["computes"])
                report = json.loads(self.file.read_text())
                counters = self.phase(report, "computes")["counters"]
                self.assertGreaterEqual(counters["buffered_frames"], ranks)
                self.assertGreaterEqual(counters["buffered_ns"], 30_000_000 * ranks)
                for each in report["by_rank"]:
                    self.assertGreaterEqual(each["longest_buffered_ns"][(each["rank"] + 1) % ranks], 30_000_000)

    def test_the_text_says_how_long_calls_were_buffered(self):
        text = run("1", arguments=["computes"]).stderr
        self.assertRegex(text, r"(?m)^ms buffered, longest +from 0 +from 1$")
        self.assertRegex(text, r"(?m)^  to rank 0 +\S+ +[3-9]\d\.\d\d\d$")
        self.assertRegex(text, r"(?m)^  buffered frames +\d")

    def test_methods_have_histograms(self):
        for report in self.everywhere():
            methods = {m["name"]: m for m in report["total"]["methods"]}
            ranks = report["ranks"]
            self.assertEqual(methods["async take(int)"]["sizes"], {"8": 90 * ranks})
            self.assertEqual(methods["async take_text(string)"]["sizes"], {"16": 5 * ranks, "256": 5 * ranks})
            self.assertEqual(methods["call ask(int)"]["messages"], 10 * ranks)
            self.assertEqual(methods["reply int"]["messages"], 10 * ranks)
            for m in methods.values():
                self.assertEqual(sum(m["sizes"].values()), m["messages"])

    def test_phases_add_up(self):
        for report in self.everywhere():
            outer, send, ask = (self.phase(report, n) for n in ("outer", "send", "ask"))
            for name in ("one_way_calls_sent", "two_way_calls_sent", "fences"):
                self.assertEqual(outer["counters"][name], send["counters"][name] + ask["counters"][name], name)
            self.assertEqual(send["counters"]["one_way_calls_sent"], 100 * report["ranks"])
            self.assertEqual(ask["counters"]["two_way_calls_sent"], 10 * report["ranks"])
            self.assertEqual(outer["times"], report["ranks"])
            self.assertLessEqual(send["seconds"] + ask["seconds"], outer["seconds"])

    def test_algorithms_are_phases_and_tell_how_even_they_are(self):
        for fabric in FABRICS:
            for ranks in RANKS:
                run(f"timing,{self.file}", ranks, fabric, ["algorithms"])
                report = json.loads(self.file.read_text())
                size = 100 * (ranks - 1) + 400
                loop = self.phase(report, "am::for_each")
                self.assertEqual((loop["times"], loop["counters"]["algorithms"], loop["counters"]["elements"]), (2 * ranks, 2 * ranks, 2 * size))
                self.assertAlmostEqual(loop["uneven"]["elements"], 400 * ranks / size)
                self.assertTrue(1 <= loop["uneven"]["cpu"] <= ranks, loop["uneven"])
                self.assertEqual(self.phase(report, "am::fill")["counters"]["elements"], size)
                self.assertEqual(report["total"]["counters"]["elements_moved"], 0)

    def test_the_text_says_how_even_algorithms_are(self):
        text = run("timing", arguments=["algorithms"]).stderr
        self.assertRegex(text, r"(?m)^  elements, most by mean +- +- +- +1\.60 +1\.60$")
        self.assertRegex(text, r"(?m)^  cpu, most by mean +\d")

    def test_times_are_those_of_the_clock(self):
        for report in self.everywhere("timing,"):
            for rank in report["by_rank"]:
                parts = rank["components"]
                self.assertEqual(list(parts), ["cpu", "net", "thread_mgmt", "thread_sync", "runtime"])
                self.assertTrue(0 < sum(parts.values()) <= 1.2 * rank["seconds"], parts)
                self.assertGreaterEqual(parts["thread_mgmt"], 0)
                self.assertEqual(parts["thread_sync"], 0)
                self.assertGreater(rank["seconds_per_border"], 0)

    def test_times_are_not_there_unless_asked_for(self):
        for report in self.everywhere():
            self.assertFalse(report["timing"])
            self.assertNotIn("components", report["total"])

    def test_the_text_has_a_column_for_each_rank_and_the_total(self):
        job = run("1")
        self.assertEqual((job.returncode, job.stdout), (0, "done\n"))
        self.assertRegex(job.stderr, r"(?m)^by rank +rank 0 +rank 1 +total$")
        self.assertRegex(job.stderr, r"(?m)^  one-way calls sent +100 +100 +200$")
        self.assertRegex(job.stderr, r"(?m)^by phase, all ranks +outer +send +ask$")
        self.assertRegex(job.stderr, r"(?m)^ +180 +1440 +\d+  async take\(int\)  8:180$")
        self.assertRegex(job.stderr, r"(?m)^KiB sent, by destination +from 0 +from 1\n  to rank 0 +[0-9.]+ +[0-9.]+\n  to rank 1 ")
        self.assertNotIn("cross copies", job.stderr)

    def test_the_text_has_components_if_timed(self):
        text = run("timing").stderr
        for name in ("cpu", "net", "thread management", "thread synchronisation", "runtime", "sum", "of it measuring, about"):
            self.assertRegex(text, rf"(?m)^  {name} +\d")
        self.assertRegex(text, r"; \d+ ns a border\n")

    def test_many_ranks_are_printed_in_several_tables(self):
        text = run("1", 9, "threads").stderr
        self.assertRegex(text, r"(?m)^by rank +rank 0 .* +rank 7$")
        self.assertRegex(text, r"(?m)^by rank +rank 8 +total$")

    def containers(self, ranks, fabric):
        job = run(str(self.file), ranks, fabric, ["containers"])
        self.assertEqual((job.returncode, job.stdout, job.stderr), (0, "done\n", ""))
        report = json.loads(self.file.read_text())
        for rank in report["by_rank"]:
            self.assertEqual(len(rank["containers"]), 3)
        for c in report["containers"]:
            parts = [each["elements"] for r in report["by_rank"] for each in r["containers"] if each["place"] == c["place"]]
            self.assertEqual((sum(parts), max(parts) * ranks), (c["elements"], round(c["most_by_mean"] * c["elements"])))
        return {c["name"]: c for c in report["containers"]}

    def test_containers_are_named(self):
        for fabric in FABRICS:
            for ranks in RANKS:
                with self.subTest(fabric=fabric, ranks=ranks):
                    found = self.containers(ranks, fabric)
                    self.assertEqual(set(found), {"temperature", "ages", ""})
                    temperature, ages, scratch = found["temperature"], found["ages"], found[""]
                    self.assertRegex(temperature["place"], r"^counted\.cpp:\d+$")
                    what = ("type", "made", "operations", "elements", "bytes")
                    self.assertEqual([temperature[w] for w in what], ["am::vector<double>", 1, 2, 1000, 8000])
                    self.assertEqual([ages[w] for w in what[:4]], ["am::unordered_map<int, int>", 1, 0, 100])
                    self.assertEqual([scratch[w] for w in what], ["am::array<int>", 3, 0, 10 * ranks, 40 * ranks])

    def test_the_text_has_containers(self):
        text = run("1", arguments=["containers"]).stderr
        self.assertRegex(text, r"(?m)^ +1 +1000 +7\.8 +1\.00 +2  \"temperature\" \(am::vector<double>, counted\.cpp:\d+\)$")
        self.assertRegex(text, r"(?m)^ +3 +20 +0\.1 +1\.00 +0  am::array<int> \(counted\.cpp:\d+\)$")
        self.assertNotIn("containers, of all ranks", run("1").stderr)

    def test_text_and_file_can_be_had_together(self):
        self.assertIn("one-way calls sent", run(f"1,{self.file}").stderr)
        self.assertEqual(json.loads(self.file.read_text())["ranks"], 2)

    def test_nothing_is_printed_unless_asked_for(self):
        for stats in (None, "0"):
            job = run(stats)
            self.assertEqual((job.returncode, job.stdout, job.stderr), (0, "done\n", ""))

    def test_a_bad_path_is_an_error_at_the_start(self):
        for ranks in (1, 2):
            job = run("/no/such/folder/x.json", ranks)
            self.assertNotEqual(job.returncode, 0)
            self.assertEqual(job.stdout, "")
            self.assertRegex(job.stderr, r"'/no/such/folder/x\.json': No such file or directory; name a file")
            self.assertEqual(len(job.stderr.splitlines()), 1)

    def test_a_bad_word_is_an_error_that_lists_the_good_ones(self):
        job = run("loud")
        self.assertNotEqual(job.returncode, 0)
        self.assertRegex(job.stderr, r"ARMILLA_STATS=loud is not allowed.*timing.*\.json")

    def test_a_job_that_fails_leaves_the_file_of_an_earlier_one(self):
        self.file.write_text("of an earlier job")
        self.assertEqual(run(str(self.file), arguments=["fail"]).returncode, 3)
        self.assertEqual(self.file.read_text(), "of an earlier job")
        self.assertEqual([each.name for each in self.file.parent.iterdir()], [self.file.name])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
