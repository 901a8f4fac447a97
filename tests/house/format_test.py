#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/format: which files it gives to the formatter, which is a stub here that notes its arguments."""
import os
import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/format"


class Format(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.noted = self.folder / "noted"
        stub = self.folder / "formatter"
        stub.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> "{self.noted}"\n', encoding="utf-8")
        stub.chmod(0o755)

    def formatted(self, *words):
        job = subprocess.run([TOOL, *words], env={**os.environ, "CLANG_FORMAT": str(self.folder / "formatter")},
                             capture_output=True, text=True, check=False)
        self.assertEqual(job.returncode, 0, job.stderr)
        noted = self.noted.read_text(encoding="utf-8").split() if self.noted.exists() else []
        return [word for word in noted if not word.startswith("-")], job.stderr

    def test_files_of_cxx_are_formatted(self):
        self.assertEqual(self.formatted("a.cpp", "b.hpp")[0], ["a.cpp", "b.hpp"])

    def test_other_files_are_left_as_they_are_and_named(self):
        files, said = self.formatted("CMakeLists.txt", "a.cpp", "docs/perf.md")
        self.assertEqual(files, ["a.cpp"])
        self.assertIn("CMakeLists.txt is left as it is", said)
        self.assertIn("docs/perf.md is left as it is", said)

    def test_nothing_but_other_files_formats_nothing(self):
        self.assertEqual(self.formatted("tools/format")[0], [])
        self.assertEqual(self.formatted("--check", "tools/format")[0], [])


if __name__ == "__main__":
    unittest.main()
