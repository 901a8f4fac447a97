#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The two small judges of the tests, expect_error.py and expect_output.py, must be able to say no."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
CXX = os.environ.get("CXX", "g++")


def run(*command):
    return subprocess.run([sys.executable, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).returncode


class ExpectError(unittest.TestCase):
    def status(self, source, pattern, *bound):
        with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
            file.write(source)
            file.flush()
            return run(TESTS / "compile_fail/expect_error.py", *bound, pattern, CXX, "-std=c++20", "-fsyntax-only", file.name)

    def test_accepts_the_sentence(self):
        self.assertEqual(self.status('static_assert(false, "send a view");', "send a view"), 0)

    def test_refuses_another_sentence(self):
        self.assertNotEqual(self.status('static_assert(false, "send a view");', "send a copy"), 0)

    def test_refuses_too_many_lines(self):
        many = "void f(int) = delete;  // name it\nint main() { f(1); }"
        self.assertEqual(self.status(many, "name it", "--lines", "10"), 0)
        self.assertNotEqual(self.status(many, "name it", "--lines", "1"), 0)

    def test_refuses_a_file_that_compiles(self):
        self.assertNotEqual(self.status("int x;", "x"), 0)


class ExpectOutput(unittest.TestCase):
    def status(self, pattern, code):
        return run(TESTS / "expect_output.py", pattern, sys.executable, "-c", code)

    def test_accepts_the_output(self):
        self.assertEqual(self.status("^sum 42$", "print('hello'); print('sum', 42)"), 0)

    def test_refuses_another_output(self):
        self.assertNotEqual(self.status("^sum 42$", "print('sum 421')"), 0)

    def test_refuses_a_failure_with_the_right_output(self):
        self.assertNotEqual(self.status("^sum 42$", "print('sum 42'); exit(3)"), 0)


if __name__ == "__main__":
    unittest.main()
