#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/abi-diff on small libraries of which one was changed: of a type of Armilla's headers, and of symbols."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = "armilla/base/core/context.hpp"
SOURCE = """
#include "armilla/base/core/context.hpp"
namespace armilla {
[[gnu::visibility("default")]] int ranks_of(const detail::context& c) { return c.places; }
[[gnu::visibility("default")]] int sum(int a, int b) { return a + b; }
}
"""
MISSING = 77


class AbiDiff(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.old = self.library("old")

    def library(self, name, header=lambda text: text, source=SOURCE, debug="-g"):
        folder = pathlib.Path(self.folder.name) / name
        changed = folder / HEADER
        changed.parent.mkdir(parents=True)
        changed.write_text(header((ROOT / HEADER).read_text(encoding="utf-8")), encoding="utf-8")
        (folder / "source.cpp").write_text(source, encoding="utf-8")
        library = folder / "libarmilla.so"
        subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", debug, "-shared", "-fPIC", "-fvisibility=hidden", "-DARMILLA_CHECKED=0", "-DARMILLA_PARANOID=0",
                        "-I", folder, "-I", ROOT, folder / "source.cpp", "-o", library], check=True)
        return library

    def compare(self, old, new):
        done = subprocess.run([ROOT / "tools/abi-diff", old, new], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_a_library_is_the_same_as_itself_built_again(self):
        code, text = self.compare(self.old, self.library("again"))
        self.assertEqual((code, text), (0, "abi-diff: no difference\n"))

    def test_a_member_that_moves_is_found_and_named(self):
        def wider(text):
            first = "  session_state* session"
            self.assertIn(first, text)
            return text.replace(first, "  std::uint64_t inserted = 0;\n" + first)
        code, text = self.compare(self.old, self.library("wider", header=wider))
        self.assertEqual(code, 2, text)
        self.assertIn("inserted", text)
        self.assertIn("session", text)
        self.assertIn("not compatible", text)

    def test_a_symbol_that_is_gone_is_found_and_named(self):
        code, text = self.compare(self.old, self.library("fewer", source=SOURCE.replace("int sum(int a, int b) {", "int sum(int a, int b, int c) { a += c;")))
        self.assertEqual(code, 2, text)
        self.assertIn("_ZN7armilla3sumEii", text)

    def test_a_new_symbol_is_compatible(self):
        more = SOURCE + 'namespace armilla { [[gnu::visibility("default")]] int one() { return 1; } }\n'
        code, text = self.compare(self.old, self.library("more", source=more))
        self.assertEqual(code, 1, text)
        self.assertIn("_ZN7armilla3oneEv", text)

    def test_what_was_saved_takes_the_place_of_a_library(self):
        saved = pathlib.Path(self.folder.name) / "old.abi"
        subprocess.run([ROOT / "tools/abi-diff", "--save", self.old, saved], check=True)
        self.assertEqual(self.compare(saved, self.old)[0], 0)
        self.assertEqual(self.compare(saved, self.library("fewer", source=SOURCE.replace("sum", "add")))[0], 2)

    def test_without_debug_information_nothing_is_compared(self):
        code, text = self.compare(self.old, self.library("bare", debug="-g0"))
        self.assertEqual(code, 3)
        self.assertIn("has no debug information", text)


if __name__ == "__main__":
    if not shutil.which("abidiff"):
        print("abigail-tools is not installed")
        sys.exit(MISSING)
    unittest.main()
