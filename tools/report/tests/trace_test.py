#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""armilla-report trace, on what tests/statistics/counted wrote with ARMILLA_TRACE on two ranks."""
import pathlib
import sys
import tempfile
import unittest
import xml.dom.minidom

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
from armilla_report import python, store  # noqa: E402

import recorded  # noqa: E402

FILE = recorded.DATA / "trace.json"


@unittest.skipIf(python.missing(), "needs " + ", ".join(python.missing()))
class Trace(unittest.TestCase):
    def setUp(self):
        from armilla_report import trace
        self.trace = trace
        self.events, self.other = trace.load(FILE)
        self.frame = trace.slices(self.events)

    def test_totals_are_what_the_program_did(self):
        table = self.trace.totals(self.frame, ["body", "reply"], ["name"])
        self.assertEqual(table.loc["call ask(int)", "times"], 20)
        self.assertEqual(table.loc["reply int", "times"], 20)
        self.assertEqual(table.loc["call ask(int)", "bytes"], 20 * 16)
        self.assertTrue((table["total us"] > 0).all())

    def test_bodies_belong_to_phases(self):
        table = self.trace.totals(self.frame, ["body"], ["phase", "name"])
        self.assertEqual({phase for phase, name in table.index if name == "async take(int)"} - {"send", "outer"}, set())
        phases = self.trace.totals(self.frame, ["phase"], ["name"])
        self.assertEqual(phases.loc["send", "times"], 2)

    def test_traffic_has_a_cell_for_each_pair(self):
        matrix = self.trace.traffic(self.frame, 2)
        self.assertEqual(matrix.shape, (2, 2))
        self.assertGreater(matrix[0, 1], 0)
        self.assertGreater(matrix[1, 0], 0)
        sent = self.frame[self.frame["kind"] == "send"]
        self.assertEqual(matrix.sum(), sent["bytes"].sum())
        self.assertEqual(self.trace.sizes(self.frame).sum(), len(sent))

    def test_writes_text_and_pictures(self):
        with tempfile.TemporaryDirectory() as folder:
            text = self.trace.describe(FILE, folder)
            for name in ("traffic.svg", "sizes.svg"):
                xml.dom.minidom.parse(str(pathlib.Path(folder) / name))
        self.assertIn("2 ranks", text)
        self.assertIn("call ask(int)", text)

    def test_many_ranks_make_a_picture_without_numbers(self):
        import numpy
        self.assertEqual(self.trace.heat_map(numpy.ones((32, 32))).count(" B</text>"), 1)  # the title's

    def test_refuses_what_is_no_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.json"
            for text in ("", "[]", '{"traceEvents": []}'):
                path.write_text(text)
                with self.assertRaises(store.ReportError):
                    self.trace.load(path)
            with self.assertRaises(store.ReportError):
                self.trace.load(path.with_name("none.json"))


if __name__ == "__main__":
    unittest.main()
