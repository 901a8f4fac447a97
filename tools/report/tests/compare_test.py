#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""armilla-report compare: what is a change and what is noise."""
import copy
import dataclasses
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
from armilla_report import compare, plan, runner, store  # noqa: E402

import recorded  # noqa: E402


def results():
    return store.empty(True) | {"experiments": {"em3d": recorded.em3d(), "calls": {"state": "done", "rows": recorded.bench_rows()}}}


class Compare(unittest.TestCase):
    def setUp(self):
        self.before = results()
        self.after = copy.deepcopy(self.before)

    def slow_down(self, version, factor):
        for record in self.after["experiments"]["em3d"]["records"]:
            if record["version"] == version:
                record["rounds"] = [[s * factor for s in r] for r in record["rounds"]]

    def test_the_same_is_no_change(self):
        changes, alone = compare.compare(self.before, self.after)
        self.assertGreater(len(changes), 5)
        self.assertEqual((alone, [c for c in changes if c.real]), ([], []))

    def test_a_program_that_became_slower_is(self):
        self.slow_down("bulk/pointers", 1.5)
        real = [c for c in compare.compare(self.before, self.after)[0] if c.real]
        self.assertTrue(real)
        self.assertTrue(all("bulk" in c.what for c in real), [c.what for c in real])
        self.assertIn("worse", compare.text(self.before, self.after))

    def test_less_than_the_noise_is_none(self):
        self.slow_down("bulk/pointers", 1.03)
        self.assertFalse(any(c.real for c in compare.compare(self.before, self.after)[0]))
        for record in self.before["experiments"]["em3d"]["records"]:
            record["rounds"] = [[s * f for s in r] for r, f in zip(record["rounds"], (0.6, 1, 1.4))] \
                if record["version"] == "bulk/pointers" else record["rounds"]
        self.slow_down("bulk/pointers", 1.1)
        self.assertFalse(any(c.real for c in compare.compare(self.before, self.after)[0]))

    def test_of_two_runs_a_slowdown_is_shown_and_noise_is_not(self):
        """Whole runs of programs whose times vary by 4 %, one of which becomes slower by half."""
        em3d = next(item for item in plan.ITEMS if item.id == "em3d")
        short = dataclasses.replace(em3d, commands=(em3d.commands[2],), figures=())

        def run(seed, slower=1.0):
            with tempfile.TemporaryDirectory() as folder:
                build = recorded.make_build(pathlib.Path(folder) / "build")
                recorded.make_changing(build / "bin" / "papers" / "paper_em3d",
                                       f"random.uniform(.98, 1.02) * ({slower} if record['version'] == 'bulk/calls' else 1)", seed)
                work = runner.Runner(HERE.parents[2], build, store.empty(True), folder, quick=True, say=lambda _: None)
                work.run_all([short])
                return work.results

        before = run(100)
        for seed in (200, 300, 400, 500):
            self.assertEqual([c.what for c in compare.compare(before, run(seed))[0] if c.real], [])
        changed = [c for c in compare.compare(before, run(600, 1.5))[0] if c.real]
        self.assertTrue(changed)
        self.assertTrue(all(c.what.startswith("em3d: bulk: calls / global pointers, short cut on") for c in changed), [c.what for c in changed])
        self.assertTrue(all(.35 < c.by < .65 for c in changed), changed)

    def test_says_what_is_in_one_only(self):
        del self.after["experiments"]["calls"]
        self.assertIn("are in one only", compare.text(self.before, self.after))


if __name__ == "__main__":
    unittest.main()
