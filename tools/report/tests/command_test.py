#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""armilla-report as it is called: what it says when it is killed, or cannot do what is asked."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
from armilla_report import plan, python  # noqa: E402

import recorded  # noqa: E402

REPORT = HERE.parent / "armilla-report"
WANTED = next(item for item in plan.ITEMS if item.id == "em3d").quick_rounds


@unittest.skipIf(python.missing(), "needs " + ", ".join(python.missing()))
class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"
        self.build = recorded.make_build(self.folder / "build")

    def words(self, *words):
        return [sys.executable, "-B", str(REPORT), *map(str, words)]

    def run_it(self, *words):
        return subprocess.run(self.words(*words), capture_output=True, text=True, timeout=60, check=False)

    def quick(self, *names):
        return ("run", "--quick", "--build", self.build, "--out", self.out, *names)

    def results(self):
        return json.loads((self.out / "results.json").read_text())["experiments"]["em3d"]

    def refused(self, *words):
        """What it says, in one line."""
        done = self.run_it(*words)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_goes_on_after_a_kill(self):
        program = self.build / "bin" / "papers" / "paper_em3d"
        fast, hold = program.read_text(), self.folder / "hold"
        # From its fourth run on, in the second or third round, it hangs.
        recorded.write(program, f"#!/bin/sh\necho x >> {hold}\n[ $(wc -l < {hold}) -gt 3 ] && exec sleep 50\n" + fast)
        work = subprocess.Popen(self.words(*self.quick("em3d")), stdout=subprocess.PIPE, text=True, start_new_session=True)
        for _ in range(300):
            if hold.exists() and hold.read_text().count("x") > 3:
                break
            time.sleep(.1)
        os.killpg(work.pid, signal.SIGKILL)
        work.communicate()
        before = self.results()
        self.assertEqual(before["state"], "begun")
        self.assertIn(before["rounds"], range(1, WANTED))
        recorded.write(program, fast)
        self.assertEqual(self.run_it(*self.quick("em3d")).returncode, 0)
        after = self.results()
        self.assertEqual((after["state"], after["rounds"]), ("done", WANTED))
        self.assertEqual({len(r["rounds"]) for r in after["records"]}, {WANTED})
        self.assertTrue((self.out / "index.html").exists())

    def test_says_which_program_is_missing_or_failed_and_makes_a_page(self):
        recorded.write(self.build / "bin" / "papers" / "paper_em3d_named", "#!/bin/sh\necho 'rank 1: no memory' >&2\nexit 3\n")
        done = self.run_it(*self.quick("em3d", "water"))
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("names ended with code 3: rank 1: no memory", done.stdout)
        self.assertIn("water: skipped: paper_water is not built", done.stdout)
        page = (self.out / "index.html").read_text()
        for words in ("names (names ended with code 3: rank 1: no memory)", "mpi (paper_em3d_mpi is not built)", "paper_water is not built"):
            self.assertIn(words, page)

    def test_refuses_bad_words_in_one_line(self):
        self.assertIn("no program nonsense; there are: calls,", self.refused(*self.quick("nonsense")))
        self.assertIn("no build with programs", self.refused("run", "--out", self.out, "--build", self.folder / "nothing"))
        file = self.folder / "file"
        file.write_text("")
        self.assertIn(f"{file}", self.refused("run", "--out", file))
        self.assertIn("cannot be made", self.refused("run", "--out", file / "under"))
        self.assertIn("cannot be written", self.refused("run", "--out", "/proc"))
        self.out.mkdir()
        (self.out / "results.json").write_text("{half of")
        self.assertIn("cannot be read as results", self.refused(*self.quick("em3d")))
        self.assertIn("cannot be read as results", self.refused("page", self.folder / "nothing"))
        self.assertIn("cannot be read as results", self.refused("compare", self.out, self.out))
        self.assertIn("cannot be read as a trace", self.refused("trace", file))

    def test_a_folder_of_another_kind_of_run_is_refused(self):
        self.assertEqual(self.run_it(*self.quick("calls")).returncode, 0)
        self.assertIn("holds a run with --quick", self.refused("run", "--out", self.out, "--build", self.build, "calls"))


if __name__ == "__main__":
    unittest.main()
