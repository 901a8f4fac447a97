#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""./check runs a failed test once more, names those that passed only then and those that were skipped, and fails where one fails
twice; the nightly run fails for both. It names what is written beside build/."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

PRESETS = """{"version": 6, "configurePresets": [
  {"name": "tests", "generator": "Ninja", "binaryDir": "${sourceDir}/build/tests"}]}"""

# The second run of `once` finds what the first one has left.
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(some NONE)
enable_testing()
add_test(NAME good COMMAND true)
add_test(NAME once COMMAND sh -c "test -e seen || { touch seen; echo was not there; exit 1; }")
add_test(NAME elsewhere COMMAND sh -c "exit 77")
set_tests_properties(elsewhere PROPERTIES SKIP_RETURN_CODE 77)
if(TWICE)
  add_test(NAME twice COMMAND sh -c "echo never there; exit 1")
endif()
"""


SKIPPED = "skipped, as what they need is missing (Testing/Temporary/LastTest.log of the build says what):"


class Check(unittest.TestCase):
    def check(self, *more, options=(), git=False):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        shutil.copy(ROOT / "check", root)
        (root / "tools").mkdir()
        (root / "tools/costs").write_text("#!/bin/sh\n", encoding="utf-8")
        (root / "tools/costs").chmod(0o755)
        (root / "CMakePresets.json").write_text(PRESETS, encoding="utf-8")
        (root / "CMakeLists.txt").write_text("\n".join(more) + "\n" + PROJECT, encoding="utf-8")
        if git:
            (root / ".gitignore").write_text("/build/\n*.pyc\n", encoding="utf-8")
            (root / "of_the_user.pyc").touch()
            subprocess.run("git init -q && git add . && git -c user.name=a -c user.email=a commit -qm a", shell=True, cwd=root, check=True)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("CTEST_")}
        return subprocess.run(["bash", "check", "--no-install", "--tier", "tests", *options], cwd=root, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def test_what_passes_the_second_time_is_named_and_counts_as_passed(self):
        run = self.check()
        last = run.stdout.splitlines()[-5:]
        self.assertEqual(last, ["passed only when run once more:", "  tests: once", SKIPPED, "  tests: elsewhere",
                                "4 passed, 0 failed, 1 skipped"], run.stdout)
        self.assertIn("was not there", run.stdout)
        self.assertEqual(run.returncode, 0)

    def test_what_fails_twice_fails(self):
        run = self.check("set(TWICE ON)")
        last = run.stdout.splitlines()[-7:]
        self.assertEqual(last, ["passed only when run once more:", "  tests: once", SKIPPED, "  tests: elsewhere", "failed:", "  tests: twice",
                                "4 passed, 1 failed, 1 skipped"], run.stdout)
        self.assertEqual(run.returncode, 1)

    def test_what_passes_the_second_time_fails_the_nightly_run(self):
        run = self.check(options=["--nightly"])
        self.assertEqual(run.stdout.splitlines()[-1], "4 passed, 1 failed, 1 skipped", run.stdout)
        self.assertEqual(run.returncode, 1)

    def test_what_is_written_beside_build_is_named_and_fails_the_nightly_run(self):
        for option, status in ((), 0), (("--nightly",), 1):
            run = self.check("file(TOUCH made.txt tools/made.pyc)", options=option, git=True)
            self.assertIn("written beside build/ while this ran:\n!! tools/made.pyc\n?? made.txt\n", run.stdout)
            self.assertEqual("  something was written beside build/" in run.stdout, status == 1, run.stdout)
            self.assertEqual(run.returncode, status)

    def test_what_was_there_before_and_what_is_built_pass(self):
        run = self.check(git=True)
        self.assertEqual(run.stdout.splitlines()[-1], "4 passed, 0 failed, 1 skipped", run.stdout)

    def test_a_tier_that_does_not_exist_is_refused(self):
        run = self.check(options=["--tier", "test"])
        self.assertIn("check: no tier 'test'; there are: style tests asan", run.stdout)
        self.assertEqual(run.returncode, 2)


if __name__ == "__main__":
    unittest.main()
