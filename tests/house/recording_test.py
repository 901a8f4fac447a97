#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/recording draws what a terminal showed, and kills the rank that it is told."""
import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest
import xml.dom.minidom

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("recording_tool", str(ROOT / "tools/recording"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("recording_tool", loader))
loader.exec_module(tool)
# Two "ranks"; the job ends well if the second one is killed by SIGKILL.
JOB = 'sleep 60 & first=$!; sleep 60 & second=$!; echo begin; { wait $second; code=$?; } 2>/dev/null; kill $first; echo "$LEFT left" >&2; [ $code = 137 ]'


class Recording(unittest.TestCase):
    def test_the_rank_is_killed_and_the_job_goes_on(self):
        lines = tool.record(["LEFT=1", "/bin/bash", "-c", JOB], 0.1, 1)
        self.assertEqual([kind for _, kind, _ in lines], ["c", "o", "k", "e", "c", "c"])
        self.assertIn("rank 1", lines[2][2])
        self.assertEqual((lines[3][2], lines[5][2]), ("1 left", "0"))

    def test_long_pauses_are_shortened(self):
        self.assertEqual([at for at, _, _ in tool.shortened([(0, "c", ""), (1, "o", ""), (9, "o", "")])], [0, 1, 3])

    def test_each_line_appears_when_it_was_printed(self):
        drawn = tool.drawn([(0, "c", "$ a < b"), (2, "o", "done")], "A title")
        picture = xml.dom.minidom.parseString(drawn)
        self.assertEqual([each.firstChild.data for each in picture.getElementsByTagName("text")], ["$ a < b", "done"])
        self.assertNotIn("#l0{", drawn)
        self.assertIn("@keyframes l1{0%,33.33%{opacity:0}", drawn)


if __name__ == "__main__":
    unittest.main()
