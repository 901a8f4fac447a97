#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The installed headers as a user's compiler sees them: headers.py PREFIX CXX. PKG_CONFIG_PATH names the installed tree.

  - what is installed is what a program reaches, and nothing else;
  - neither they nor what the installed examples make of their templates give warnings that users ask for.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

PREFIX, CXX = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
INCLUDE = PREFIX / "include"
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion"]
ENTRIES = ["armilla/armilla.hpp", "armilla/algorithms.hpp", *(f"armilla/{name}.hpp" for name in ("attach", "client_call", "exposed", "exposed_map")), "armilla/plugin.hpp", *sorted(str(p.relative_to(INCLUDE)) for p in (INCLUDE / "armilla/dialect").glob("*.hpp"))]
EVERYTHING = "".join(f"#include <{name}>\n" for name in ENTRIES)
# What the standard library deprecates where the compiler sees it from a user's program.
SORTS = """#include <armilla/algorithms.hpp>
int main(int argc, char** argv) {
  return armilla::run(argc, argv, [] {
    const std::vector<armilla::weighted_edge<double>> edges{{0, 1, 2.0}};
    const armilla::graph<void, double> weighted(2, edges);
    const armilla::sparse_matrix<double> matrix(2, 2, std::vector<armilla::matrix_entry<double>>{});
    armilla::vector<double> numbers(armilla::top_k(armilla::vector<bool>(3), 2).size());
    armilla::stable_sort(numbers);
  });
}
"""


def flags(library):
    said = subprocess.run(["pkg-config", "--cflags", library], capture_output=True, text=True, check=True).stdout.split()
    assert not any(word.startswith("-isystem") for word in said), said  # which would hide all warnings
    return said


def compiled(compiler, *words, source=""):
    return subprocess.run([compiler, *words, *(["-x", "c++", "-"] if source else [])], input=source, capture_output=True, text=True,
                          check=False, env={**os.environ, "LC_ALL": "C"})


def checked(compiler, library, *words, source=""):
    return compiled(compiler, *flags(library), *WARNINGS, "-fsyntax-only", *words, source=source)


def compilers():
    other = shutil.which("clang++-19") if "clang" not in CXX else shutil.which("g++")
    return [CXX, *([other] if other else [])]


def libraries():
    return [name for name in ("armilla", "armilla-checked") if subprocess.run(["pkg-config", "--exists", name], check=False).returncode == 0]


class Headers(unittest.TestCase):
    def test_what_is_installed_is_what_a_program_reaches(self):
        done = compiled(CXX, *flags("armilla"), "-M", source=EVERYTHING)
        self.assertEqual(done.returncode, 0, done.stderr)
        read = {path.resolve() for path in map(pathlib.Path, re.findall(r"[^\s\\]+", done.stdout)) if path.suffix == ".hpp"}
        read = {path for path in read if INCLUDE in path.parents}
        self.assertEqual(sorted(read), sorted(INCLUDE.rglob("*.*")))

    def assert_silent(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line for line in done.stderr.splitlines() if "warning:" in line and (str(INCLUDE) in line or "/include/c++/" in line)], [])

    def test_no_warnings(self):
        for library in libraries():
            for compiler in compilers():
                with self.subTest(library=library, compiler=compiler):
                    self.assert_silent(checked(compiler, library, source=EVERYTHING))

    def test_no_warnings_of_sorts_that_keep_the_order(self):
        for compiler in compilers():
            with self.subTest(compiler=compiler):
                self.assert_silent(checked(compiler, "armilla", source=SORTS))

    def test_no_warnings_of_what_a_program_instantiates(self):
        sources = sorted((PREFIX / "share/armilla/examples/tour").glob("*.cpp"))
        self.assertTrue(sources)
        jobs = [(compiler, source) for source in sources for compiler in compilers()]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for (compiler, source), done in zip(jobs, pool.map(lambda job: checked(job[0], "armilla", "-I", str(PREFIX / "share/armilla"), str(job[1])), jobs)):
                with self.subTest(source=source.name, compiler=compiler):
                    self.assert_silent(done)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
