#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation and the table of options agree: options_page_test.py ARMILLA-INFO."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INFO = os.path.abspath(sys.argv.pop(1))
PAGE = ROOT / "docs/guide/options.md"
VARIABLE = re.compile(r"\bARMILLA_[A-Z0-9_]*[A-Z0-9]\b(?!\*)")
# Beside options a text may name what the build, the tests or the code define.
DEFINING = ["CMakePresets.json", "check", "**/CMakeLists.txt", "cmake/*", "armilla/**/*.hpp", "bench/**/*.py", "bench/**/*.cpp",
            "tests/hosts/*", "tools/*/*"]


def printed():
    return subprocess.run([INFO, "--options-page"], capture_output=True, text=True, check=True).stdout


class OptionsPage(unittest.TestCase):
    def test_the_page_is_what_the_table_says(self):
        self.assertEqual(PAGE.read_text(encoding="utf-8"), printed(), "write it again: build/<preset>/bin/armilla-info --options-page > docs/guide/options.md")

    def test_it_lists_every_option_once_with_its_default(self):
        manual = re.findall(r"^(ARMILLA_\w+)\n", subprocess.run([INFO], capture_output=True, text=True, check=True,
                                                                env={"ARMILLA_FABRIC": "shm"}).stdout, re.M)
        page = re.findall(r"^### (ARMILLA_\w+)\n\n.+\n\nAllowed: .+\. Default: .+\.", PAGE.read_text(encoding="utf-8"), re.M)
        self.assertGreater(len(manual), 30)
        self.assertEqual(page, manual)

    def test_the_texts_name_no_option_that_does_not_exist(self):
        defined = set(VARIABLE.findall(printed()))
        for pattern in DEFINING:
            for path in ROOT.glob(pattern):
                if path.is_file():
                    defined |= set(VARIABLE.findall(path.read_text(encoding="utf-8", errors="replace")))
        for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
            for name in VARIABLE.findall(path.read_text(encoding="utf-8")):
                with self.subTest(page=path.name):
                    self.assertIn(name, defined)


if __name__ == "__main__":
    unittest.main()
