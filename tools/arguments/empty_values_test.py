#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No option of a program takes an empty value: empty_values_test.py PROGRAM."""
import os
import re
import subprocess
import sys
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
OPTION = re.compile(r"^  (-\S.*?) (\[?[A-Z][A-Z=:\[\]]*)(?:  |$)", re.MULTILINE)


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=60)


class EmptyValues(unittest.TestCase):
    def test_all_options_with_a_value_are_looked_at(self):
        words = [re.split(r"  +", line.strip())[0].split() for line in run("--help").stdout.splitlines() if line.startswith("  -")]
        self.assertTrue(words)
        self.assertEqual(len(OPTION.findall(run("--help").stdout)), sum(not line[-1].startswith("-") for line in words))

    def test_each_option_refuses_one(self):
        for names, value in OPTION.findall(run("--help").stdout):
            name = names.split(", ")[-1]
            for words in ([name, ""], [f"{name}="])[value.startswith("["):]:
                with self.subTest(words=words):
                    job = run(*words)
                    self.assertIn(f"{names} wants a value that is not empty: {value} (see ", job.stderr)
                    self.assertEqual(job.returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
