#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that ARCHITECTURE.md and the pages of design name exist, and have the names that stand behind them in brackets."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FILE = re.compile(r"`([a-z_0-9/]+\.[ch]pp)`(?: \(([^()]*)\))?")
NAME = re.compile(r"`([a-z_:]+)`")


def meant(file):
    """The files that a page means: by their path below armilla/ or the root, or by their name alone."""
    for start in (ROOT / "armilla", ROOT):
        if (start / file).exists():
            return [start / file]
    return [] if "/" in file else [f for folder in ("armilla", "backends", "tools") for f in (ROOT / folder).rglob(file)]


def wrong(text):
    """What a page says that is not so."""
    said = []
    for file, behind in FILE.findall(text):
        files = meant(file)
        if not files:
            said.append(f"there is no {file}")
        for name in NAME.findall(behind) if files else []:
            word = re.compile(rf"\b{name.split('::')[-1]}\b")
            if not any(word.search(f.read_text(encoding="utf-8")) for f in files):
                said.append(f"{file} has no {name}")
    return said


class DesignPages(unittest.TestCase):
    def test_the_files_and_names_of_each_page_exist(self):
        for page in [DOCS / "ARCHITECTURE.md", *sorted((DOCS / "design").glob("*.md"))]:
            with self.subTest(page.name):
                self.assertEqual(wrong(page.read_text(encoding="utf-8")), [])

    def test_a_file_that_is_gone_is_found(self):
        self.assertEqual(wrong("`am/never.hpp`, `outbox.hpp`, `am/endpoint/outbox.hpp`"), ["there is no am/never.hpp"])

    def test_a_name_that_has_moved_is_found(self):
        self.assertEqual(wrong("`am/endpoint/outbox.hpp` (`push`, `outbox::run_fence_in`: why)"), ["am/endpoint/outbox.hpp has no outbox::run_fence_in"])


if __name__ == "__main__":
    unittest.main()
