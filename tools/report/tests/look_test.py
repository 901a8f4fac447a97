#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""armilla-report look and picture: the page in a real browser, where there is one."""
import pathlib
import shutil
import sys
import tempfile
import unittest
import xml.dom.minidom

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
from armilla_report import browser, look, python, store  # noqa: E402

import recorded  # noqa: E402

NO_BROWSER = "" if any(map(shutil.which, browser.NAMES)) else "there is no browser"


def wrong_page(body):
    return ("<!doctype html><meta name=viewport content='width=device-width'><style>body{background:#fff;color:#222}"
            f"@media (prefers-color-scheme:dark){{body{{background:#000;color:#ddd}}}}</style><body>{body}")


class Look(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    @unittest.skipIf(python.missing() or NO_BROWSER, ", ".join(python.missing()) or NO_BROWSER)
    def test_nothing_is_wrong_with_the_page(self):
        from armilla_report import page
        results = store.empty(True) | {"experiments": {"em3d": recorded.em3d(), "calls": {"state": "done", "rows": recorded.bench_rows()}}}
        page.write(results, self.folder)
        files, wrong = look.look(self.folder)
        self.assertEqual(wrong, [])
        self.assertEqual({f.name for f in files}, {f"{light}-{screen}.png" for light in ("light", "dark") for screen in ("phone", "desk")})
        for file in files:
            self.assertEqual(file.read_bytes()[:4], b"\x89PNG")

    @unittest.skipIf(NO_BROWSER, NO_BROWSER)
    def test_finds_what_is_wrong(self):
        svg = "<figure><svg viewBox='0 0 300 40' width=300 height=40>{}</svg></figure>"
        for body, screens, words in (("<div style='width:800px'>wide</div>", ["phone"], "the page is wider than the screen"),
                                     ("<p style='color:#888'>faint</p>", ["desk", "phone"], "contrast 3.5"),
                                     (svg.format("<text x=280 y=20>much too long</text>"), ["desk", "phone"], "cut off"),
                                     (svg.format("<text x=10 y=20>this</text><text x=12 y=21>that</text>"), ["desk"], "one on the other"),
                                     (svg.format("<text x=10 y=20 style='font-size:5px'>small</text>"), ["desk"], "smaller than")):
            (self.folder / "index.html").write_text(wrong_page(body))
            _, wrong = look.look(self.folder)
            for screen in screens:
                self.assertTrue(any(w.startswith(f"light-{screen}: {words}") for w in wrong), (words, wrong))

    def test_says_what_is_missing(self):
        with self.assertRaisesRegex(store.ReportError, "no page there"):
            look.look(self.folder)

    @unittest.skipIf(python.missing(), ", ".join(python.missing()))
    def test_a_picture_for_the_readme_needs_nothing_of_the_page(self):
        from armilla_report import overview
        files = overview.write(store.empty(True) | {"experiments": {"em3d": recorded.em3d()}}, self.folder / "report")
        self.assertEqual([f.name for f in files], ["report-light.svg", "report-dark.svg"])
        for file in files:
            xml.dom.minidom.parse(str(file))
            self.assertNotIn("var(", file.read_text())
            self.assertIn("EM3D: ghost: global pointers / MPI", file.read_text())
        with self.assertRaisesRegex(store.ReportError, "no ratio"):
            overview.write(store.empty(True), self.folder / "report")


if __name__ == "__main__":
    unittest.main()
