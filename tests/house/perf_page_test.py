#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/perf-page prints the rows of a recorded run, also those of docs/perf/run.json."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = {"name": "am_rtt", "suite": "micro", "unit": "ns", "median": 349, "runs": 10, "yardstick_ns": 285, "x_yardstick": 1.23, "state": "other",
       "noisy": False, "baseline": "mpi_rtt", "baseline_median": 450, "ratio": 0.78, "ratio_min": 0.74, "ratio_max": 0.87,
       "targets": [{"against": "mpi_rtt", "limit": 0.7, "got": 0.78, "judged": True, "pass": False}]}
NOISY = {"name": "put_1m", "suite": "memory", "unit": "ns", "median": 22600, "runs": 3, "yardstick_ns": 0, "x_yardstick": 0, "state": "none",
         "noisy": True, "targets": [{"against": "ns", "limit": 9, "got": 12, "judged": False, "pass": False}]}
FAILED = {"name": "ucx_am_rtt", "suite": "network", "problem": "no UCX"}


class PerfPage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def make(self, run):
        for name, text in (("run.json", json.dumps(run)), ("reasons.json", '{"am_rtt": "Two stores more."}')):
            (self.folder / name).write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, ROOT / "tools/perf-page", self.folder / "run.json", "--reasons", self.folder / "reasons.json"],
                              capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_a_miss_is_bold_and_has_its_reason(self):
        status, page = self.make([ROW])
        self.assertEqual(status, 0)
        self.assertIn("|`am_rtt`|349 ns|`mpi_rtt` **0.78** >0.7|", page)
        self.assertIn("- `am_rtt`: Two stores more.", page)

    def test_misses_of_one_reason_stand_together(self):
        self.assertIn("- `am_rtt`, `am_rtt`: Two stores more.", self.make([ROW, ROW])[1])

    def test_a_suite_that_was_taken_again_says_where_and_when(self):
        run = {"machine": "a Xeon", "date": "2026-11-22", "command": "armilla-bench all", "rows": [ROW, NOISY], "suites": {"memory": {"date": "2026-11-24"}}}
        status, page = self.make(run)
        self.assertEqual(status, 0)
        self.assertIn("Taken by `armilla-bench all`, a Xeon, 2026-11-22.", page)
        self.assertIn("`micro`: raw line 285", page)
        self.assertIn("`memory`: 2026-11-24, no row with the raw line.", page)

    def test_a_noisy_row_is_marked_and_what_is_not_judged_misses_nothing(self):
        page = self.make([NOISY])[1]
        self.assertIn("|`put_1m`*|22.6 us||", page)
        self.assertNotIn("Above the target", page)

    def test_a_row_shows_the_ratios_that_are_judged_and_else_the_first(self):
        more = [{"baseline": "hand_rtt", "ratio": 1.1, "ratio_min": 1, "ratio_max": 1.2}]
        self.assertIn("|`am_rtt`|349 ns|`mpi_rtt` **0.78** >0.7|", self.make([ROW | {"more_baselines": more}])[1])
        self.assertIn("|`am_rtt`|349 ns|`mpi_rtt` 0.78|", self.make([ROW | {"more_baselines": more, "targets": []}])[1])
        hand = [{"against": "hand_rtt", "limit": 1.2, "got": 1.1, "judged": True, "pass": True}]
        self.assertIn("|`am_rtt`|349 ns|`hand_rtt` 1.1|", self.make([ROW | {"more_baselines": more, "targets": hand}])[1])

    def test_a_median_above_its_limit_is_bold(self):
        high = [{"against": "ns", "limit": 300, "got": 349, "judged": True, "pass": False}]
        self.assertIn("|`am_rtt`|349 ns|`mpi_rtt` 0.78; median **349** >300|", self.make([ROW | {"targets": high}])[1])

    def test_a_row_without_a_figure_says_why(self):
        self.assertIn("|`ucx_am_rtt`|no figure: no UCX|", self.make([FAILED])[1])

    def test_a_page_says_machine_and_date_and_a_table_the_line(self):
        page = self.make({"machine": "two cores", "date": "2026-01-02", "command": "armilla-bench micro", "rows": [ROW, NOISY]})[1]
        self.assertIn("Taken by `armilla-bench micro`, two cores, 2026-01-02.", page)
        self.assertIn("`micro`: raw line 285 to 285 ns (slow state).", page)
        self.assertIn("<summary>Global memory: 1 rows, 0 above the target</summary>", page)

    def test_the_page_has_each_row_of_the_run(self):
        done = subprocess.run([ROOT / "tools/perf-page"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads((ROOT / "docs/perf/run.json").read_text(encoding="utf-8"))["rows"]
        self.assertEqual(done.stdout.count("\n|`"), len(rows))


if __name__ == "__main__":
    unittest.main()
