#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/site finds links to what is not there, and what a browser would fetch from elsewhere; and says what it needs."""
import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("site_tool", str(ROOT / "tools/site"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("site_tool", loader))
loader.exec_module(tool)


class Site(unittest.TestCase):
    def faults(self, **pages):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in pages.items():
                (pathlib.Path(folder) / f"{name}.html").write_text(text, encoding="utf-8")
            return list(tool.faults_of(pathlib.Path(folder)))

    def test_links_that_hold_are_no_faults(self):
        self.assertEqual(self.faults(a='<a href="b.html#here">', b='<h2 id="here"><a href="#here">'), [])

    def test_a_page_that_is_not_there(self):
        self.assertEqual(self.faults(a='<a href="b.html">'), ["a.html: no b.html"])

    def test_a_heading_that_is_not_there(self):
        self.assertEqual(self.faults(a='<a href="b.html#gone">', b='<h2 id="here">'), ["a.html: no heading b.html#gone"])

    def test_a_picture_that_is_not_there(self):
        self.assertEqual(self.faults(a='<img src="a.svg">'), ["a.html: no a.svg"])

    def test_what_comes_from_elsewhere(self):
        self.assertEqual(self.faults(a='<link rel="stylesheet" href="https://fonts.example/a.css">'),
                         ["a.html: fetches https://fonts.example/a.css from elsewhere"])

    def test_a_link_to_elsewhere_is_the_readers_choice(self):
        self.assertEqual(self.faults(a='<a href="https://example.org">'), [])

    def test_what_only_other_tools_read_is_not_shown(self):
        self.assertEqual(tool.staged("<!-- check-docs\nint x;\n-->\n\n```cpp decl\nint y;\n```\n"), "```cpp\nint y;\n```\n")

    def test_a_missing_program_is_named(self):
        run = subprocess.run([sys.executable, ROOT / "tools/site", "check"], env={**os.environ, "PATH": "/nowhere"}, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual((run.returncode, run.stdout), (tool.MISSING, "site: skipped, no mkdocs and no doxygen here: "
                                                                      "tools/install-packages site\n"))


if __name__ == "__main__":
    unittest.main()
