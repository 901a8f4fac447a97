#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/baselines/baseline records counts and ratios, and fails where a path takes over 3 % more instructions."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = {"suite": "micro", "name": "am_rtt", "fabric": "shm", "ranks": 2, "baseline": "mpi_rtt", "ratio": 0.78, "ratio_min": 0.74, "ratio_max": 0.87}


class Baseline(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "run.json").write_text(json.dumps({"date": "2026-01-01", "rows": [ROW]}), encoding="utf-8")
        done = self.baseline("record", "abc", self.steps("call  100 instructions\nput    20 instructions, at most 21"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.record = json.loads(done.stdout)
        (self.folder / "abc.json").write_text(done.stdout, encoding="utf-8")

    def steps(self, text, status=0):
        program = self.folder / "steps"
        program.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\nexit {status}\n", encoding="utf-8")
        program.chmod(0o755)
        return f"gnu-12={program}"

    def baseline(self, *words):
        return subprocess.run([sys.executable, ROOT / "bench/baselines/baseline", *words, "--run", self.folder / "run.json"], capture_output=True,
                              text=True, check=False)

    def compared(self, *words):
        done = self.baseline("compare", self.folder / "abc.json", self.steps(*words))
        return done.returncode, done.stdout + done.stderr

    def test_a_record_has_counts_and_ratios(self):
        self.assertEqual(self.record["instructions"], {"gnu-12": {"call": 100, "put": 20}})
        self.assertEqual(self.record["ratios"], {"micro.am_rtt shm 2": {"mpi_rtt": [0.78, 0.74, 0.87]}})
        self.assertEqual(self.record["ratios_from"], {"date": "2026-01-01"})

    def test_three_percent_more_pass_and_four_do_not(self):
        status, said = self.compared("call 103 instructions\nput 20 instructions\nadded 5 instructions")
        self.assertEqual(status, 0, said)
        self.assertIn("0.78 [0.74 .. 0.87] ->     0.78", said)
        status, said = self.compared("call 104 instructions\nput 20 instructions")
        self.assertEqual(status, 1, said)
        self.assertRegex(said, r"call +100 -> +104 +\+4.0 %  ABOVE")

    def test_a_path_that_is_missing_fails(self):
        status, said = self.compared("call 100 instructions")
        self.assertEqual(status, 1, said)
        self.assertRegex(said, "put .*missing  ABOVE")

    def test_a_program_that_cannot_count_decides_nothing(self):
        self.assertEqual(self.compared("", 77)[0], 77)
        self.assertEqual(self.compared("call 1 instructions", 1)[0], 1)

    def test_an_unknown_compiler_is_an_error(self):
        done = self.baseline("compare", self.folder / "abc.json", self.steps("").replace("gnu-12", "gnu-99"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("it has: gnu-12", done.stderr)

    def test_the_records_of_the_tree_have_all_paths_with_limits(self):
        for limits in (ROOT / "tests/steps").glob("*.limits"):
            names = {line.split()[0] for line in limits.read_text(encoding="utf-8").splitlines()}
            for file in (ROOT / "bench/baselines").glob("*.json"):
                record = json.loads(file.read_text(encoding="utf-8"))
                self.assertEqual(record["commit"], file.stem)
                self.assertLessEqual(set(record["instructions"][limits.stem]), names)


if __name__ == "__main__":
    unittest.main()
