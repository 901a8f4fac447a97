#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A backend that is built outside of the tree, by the compiler alone, and used by its name: own_backend_test.py INFO COMPILER."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INFO, COMPILER = os.path.abspath(sys.argv[1]), sys.argv[2]


class OwnBackend(unittest.TestCase):
    def test_a_name_of_ones_own(self):
        with tempfile.TemporaryDirectory() as folder:
            sources = sorted(each for each in (ROOT / "backends/unix").glob("*.cpp") if not each.name.endswith("_test.cpp"))
            subprocess.run([COMPILER, "-std=c++20", "-shared", "-fPIC", f"-I{ROOT}", *sources, "-o", f"{folder}/libarmilla-mine.so"], check=True)
            said = {}
            for ranks in ("1", "2"):
                environment = dict(os.environ, ARMILLA_BACKENDS=folder, ARMILLA_FABRIC="mine", ARMILLA_RANKS=ranks, ARMILLA_PIN="none")
                job = subprocess.run([INFO], env=environment, capture_output=True, text=True, check=False, timeout=60)
                self.assertEqual((job.returncode, job.stderr), (0, ""))
                said[ranks] = job.stdout
        self.assertIn("network      none: there is one rank\n", said["1"])
        self.assertIn("network      unix: ARMILLA_FABRIC=mine: unix-domain sockets\n", said["2"])
        self.assertIn("idle ranks sleep until something comes", said["2"])
        self.assertRegex(said["2"], r"  mine +unix-domain sockets; .*libarmilla-mine\.so\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
