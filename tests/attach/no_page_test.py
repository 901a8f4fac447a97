#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An armilla-top without an HTTP library says so: no_page_test.py SHOWN TOP CALLER."""
import sys
import unittest

from shown import TOP, Shown, client


class NoPage(unittest.TestCase):
    def test_the_option_says_what_is_missing(self):
        with Shown(self) as job:
            seen = client(TOP, job.pid, "--serve")
            self.assertEqual((seen.returncode, seen.stdout), (1, ""))
            self.assertRegex(seen.stderr, "^armilla-top: --serve: this armilla-top was built without cpp-httplib; install it .* and build again\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
