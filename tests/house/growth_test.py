#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/growth draws the rows of suite growth and names kinks."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]


def row(name, size, median, baseline, **more):
    return {"name": f"growth_{name}_{size}", "suite": "growth", "row": name, "size": size, "ranks": 2, "median": median, "baseline": "by_hand",
            "baseline_median": baseline, **more}


class Growth(unittest.TestCase):
    def draw(self, rows):
        """Exit code, what it said, and the picture."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
            done = subprocess.run([sys.executable, ROOT / "bench/growth", "--from", folder / "rows.json", "--out", folder / "out.svg"],
                                  capture_output=True, text=True)
            out = folder / "out.svg"
            return done.returncode, done.stdout + done.stderr, out.read_text(encoding="utf-8") if out.exists() else ""

    def lines(self, picture):
        """The curves of the library: the number of points of each."""
        found = xml.etree.ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}polyline")
        return [len(each.get("points").split()) for each in found if each.get("class") == "ours"]

    def test_each_row_is_a_plot_and_each_size_a_point(self):
        status, said, picture = self.draw([row("put", n, n, n) for n in (16, 256, 4096)] + [row("sort", n, n, n) for n in (1024, 4096)])
        self.assertEqual(status, 0, said)
        self.assertEqual(self.lines(picture), [3, 2])
        self.assertNotIn("kink", said)

    def test_a_time_for_an_element_that_doubles_is_a_kink_unless_the_baseline_does_the_same(self):
        flat, steep = row("sort", 1024, 1024, 1024), row("sort", 2048, 3 * 2048, 2048)
        self.assertIn("sort: 1 ns at 1024, 3 ns at 2048: 3.0 times as much; the baseline's: 1.0", self.draw([flat, steep])[1])
        self.assertNotIn("kink", self.draw([flat, {**steep, "baseline_median": 3 * 2048}])[1])

    def test_the_best_baseline_is_drawn(self):
        more = [{"baseline": "other", "baseline_median": 10}]
        picture = self.draw([row("put", n, 1000, 1000, more_baselines=more) for n in (16, 256)])[2]
        self.assertIn("10 ns", picture)

    def test_ranks_are_the_axis_of_rows_without_a_size(self):
        picture = self.draw([{**row("barrier", 0, 100 * n, 200 * n), "ranks": n} for n in (2, 4, 8)])[2]
        self.assertEqual(self.lines(picture), [3])

    def test_what_was_not_measured_is_left_out_and_no_row_at_all_is_an_error(self):
        failed = {"name": "growth_put_4096", "suite": "growth", "row": "put", "problem": "killed"}
        self.assertEqual(self.lines(self.draw([row("put", 16, 1, 1), row("put", 256, 1, 1), failed])[2]), [2])
        status, said, _ = self.draw([failed])
        self.assertNotEqual(status, 0)
        self.assertIn("no row of suite growth was measured", said)


if __name__ == "__main__":
    unittest.main()
