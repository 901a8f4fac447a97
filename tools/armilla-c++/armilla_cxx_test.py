#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What armilla-c++ makes of its command line: armilla_cxx_test.py ARMILLA_CXX INSTALLED. The first is that of the build, the second
what an installation gets."""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, INSTALLED = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
HELLO = """#include <armilla/call.hpp>
#include <armilla/rank.hpp>
#include <armilla/run.hpp>
int main(int argc, char** argv) {
  return armilla::run(argc, argv, [] { return armilla::call(armilla::ranks() - 1, [](int x) { return x - 41; }, 41).get(); });
}
"""


def run(*words, program=PROGRAM, **more):
    return subprocess.run([program, *words], capture_output=True, text=True, check=False, timeout=100, **more)


def shown(*words, program=PROGRAM):
    done = run("--show", *words, program=program)
    assert done.returncode == 0, done.stderr
    return shlex.split(done.stdout)


class Command(unittest.TestCase):
    def test_a_program_is_compiled_with_options_before_and_libraries_after_the_words_of_the_user(self):
        words = shown("-std=c++23", "-O2", "heat.cpp", "-o", "heat")
        at = words.index("-std=c++23")
        self.assertEqual(words[at:at + 5], ["-std=c++23", "-O2", "heat.cpp", "-o", "heat"])
        self.assertIn("-std=c++20", words[:at])
        self.assertTrue(any(word.startswith("-DARMILLA_CHECKED=") for word in words[:at]))
        self.assertTrue(any("armilla" in word for word in words[at + 5:] if word.startswith("-l")), words)

    def test_what_is_not_linked_gets_no_libraries(self):
        for words in (["-c", "heat.cpp"], ["-E", "heat.cpp"], ["-fsyntax-only", "heat.cpp"], ["-dumpversion"]):
            with self.subTest(words=words):
                self.assertEqual(shown(*words)[-len(words):], words)

    def test_a_library_that_programs_load_has_no_runtime_of_its_own(self):
        self.assertNotIn("-l:libarmilla.a", shown("-shared", "part.cpp", "-o", "part.so"))

    def test_a_compiler_can_be_chosen(self):
        done = run("--show", "-c", "heat.cpp", env={**os.environ, "ARMILLA_CXX": "true"})
        self.assertEqual(shlex.split(done.stdout)[0], "true")

    def test_without_words_it_says_what_is_missing(self):
        done = run()
        self.assertEqual(done.returncode, 2)
        self.assertIn("a file is missing", done.stderr)

    def test_the_compiler_decides_the_exit_code(self):
        self.assertNotEqual(run("-fsyntax-only", "/no/such/file.cpp").returncode, 0)

    def test_a_library_that_is_not_there_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            moved = pathlib.Path(folder) / "bin/armilla-c++"
            moved.parent.mkdir()
            shutil.copy(INSTALLED, moved)
            for words in ([], ["--checked"]):
                done = run("heat.cpp", *words, program=moved)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, "^armilla-c\\+\\+: there is no /.*/libarmilla(-checked)?[.]a; .*install")

    def test_an_installed_tree_may_be_anywhere(self):
        with tempfile.TemporaryDirectory(prefix="with a blank's ") as folder:
            moved = pathlib.Path(folder).resolve() / "bin/armilla-c++"
            moved.parent.mkdir()
            shutil.copy(INSTALLED, moved)
            told = run("heat.cpp", program=moved).stderr  # names the folder of libraries
            library = pathlib.Path(told.split("there is no ")[1].split(";")[0])
            self.assertTrue(library.is_relative_to(moved.parent.parent))
            library.parent.mkdir(parents=True)
            library.touch()
            link = moved.parent.parent / "link"
            link.symlink_to(moved)
            for program in (moved, link):
                words = shown("heat.cpp", program=program)
                self.assertIn(f"-L{library.parent}", words)
                self.assertIn(f"-I{moved.parent.parent}/include", words)


class Programs(unittest.TestCase):
    def test_a_program_compiled_and_linked_in_one_step_and_in_two_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "hello.cpp").write_text(HELLO, encoding="utf-8")
            compiled = run("-O0", "-c", "hello.cpp", cwd=folder)
            self.assertEqual(compiled.returncode, 0, compiled.stderr)
            compiler = shown("-c", "hello.cpp")[0]
            libraries = run("--libs").stdout
            self.assertIn("-DARMILLA_CHECKED=", run("--cflags").stdout)
            for link in (lambda: run("hello.o", "-o", "hello", cwd=folder), lambda: subprocess.run([compiler, "hello.o", "-o", "hello", *shlex.split(libraries)], cwd=folder, capture_output=True, text=True, check=False)):
                linked = link()
                self.assertEqual(linked.returncode, 0, linked.stderr)
                job = subprocess.run([f"{folder}/hello"], env={**os.environ, "ARMILLA_RANKS": "2", "ARMILLA_PIN": "none"}, capture_output=True, text=True, check=False, timeout=100)
                self.assertEqual((job.returncode, job.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
