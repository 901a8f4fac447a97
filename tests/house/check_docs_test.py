#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check-docs must find blocks, compile them as their hints say, and name page and line of what is wrong."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class CheckDocs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # A library of nothing: what is tested here is the tool.
        (self.folder / "armilla").mkdir()
        (self.folder / "armilla/armilla.hpp").write_text("namespace armilla { inline int rank() { return 0; } }\n")
        for name in ("algorithms", "attach", "exposed", "exposed_map", "client_call", "hdf5", "json_lines", "post"):
            (self.folder / f"armilla/{name}.hpp").touch()
        (self.folder / "armilla/more.hpp").write_text("inline int more = 3;\n")
        # What each file begins with, and no page here needs, takes most of the time.
        for name in ("algorithm", "array", "chrono", "cmath", "functional", "map", "numeric", "optional", "span", "thread"):
            (self.folder / name).touch()

    def check(self, text, *arguments, name="page.md"):
        page = self.folder / name
        page.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, ROOT / "tools/check-docs", f"--flag=-I{self.folder}", *arguments, page],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def accepted(self, text):
        status, output = self.check(text)
        self.assertEqual(status, 0, output)

    def refused(self, text, part):
        status, output = self.check(text)
        self.assertEqual(status, 1, output)
        self.assertIn(part, output)

    def test_an_example_in_a_header_is_compiled(self):
        text = ("/// Counts.\n///\n///     struct many {\n///       int n;\n///\n///     };\n///\n/// Text.\n///\n///     const int a = am::rank();\n"
                "class thing {\n  /// Adds.\n  ///\n  ///     int b = am::rank();\n  int add();\n};\n")
        status, output = self.check(text, name="page.hpp")
        self.assertEqual((status, output), (0, "docs: 0 pages, 1 headers, 0 files, 3 blocks of C++, 0 ignored, 0 errors\n"))
        status, output = self.check(text, "--list", name="page.hpp")
        self.assertEqual([line.partition("page.hpp")[2] for line in output.splitlines()], [":3: decl", ":10: body", ":14: body"])
        status, output = self.check(text.replace("b = am::rank()", "b = unknown"), name="page.hpp")
        self.assertEqual(status, 1)
        self.assertIn("page.hpp:14:", output)

    def test_a_file_is_compiled_as_it_is(self):
        self.assertEqual(self.check("int f() { return 1; }\n", name="names.cpp"), (0, "docs: 0 pages, 0 headers, 1 files, 0 blocks of C++, 0 ignored, 0 errors\n"))
        status, output = self.check("\nint f() { return unknown; }\n", name="names.cpp")
        self.assertEqual(status, 1)
        self.assertIn("names.cpp:2:", output)

    def test_a_line_that_goes_on_is_no_example(self):
        text = "/// - one\n///     and more\n/// 1. two\n///     and more\nint f();\n"
        self.assertEqual(self.check(text, "--list", name="page.hpp"), (0, ""))

    def test_what_programs_print_is_held_to_the_page(self):
        build = self.folder / "build"
        (build / "lib").mkdir(parents=True)
        subprocess.run(["ar", "cr", str(build / "lib/libarmilla.a")], check=True)
        page = ("```cpp\n#include <cstdio>\nint main() { std::puts(\"one\"); std::puts(\"two\"); }\n```\n"
                "<!-- check-docs prints\nprograms: count\nrun: ./count\n-->\n```text\ntwo\none\n```\n")
        again = page + "<!-- check-docs prints\nrun: ./count | head -n 1\n-->\n```text\none\n```\n"  # the same programs
        for text, expected, part in ((page, 0, "1 outputs, 0 errors"), (again, 0, "2 outputs, 0 errors"),
                                     (again.replace("```text\none\n", "```text\n1\n"), 1, "page.md:13: error: `./count | head"),
                                     (page.replace("programs: count\n", ""), 1, "0 names for 1 programs"),
                                     (page.replace("\ntwo", "\nthree"), 1, "page.md:5: error: `./count`"),
                                     (page.replace("```text", "```sh"), 1, "no block ```text follows"),
                                     (page.replace("count\nrun", "count more\nrun"), 1, "2 names for 1 programs"),
                                     (page.replace("run: ./count\n", ""), 1, "stand `programs: NAME...`")):
            status, output = self.check(text, "--run", str(build))
            self.assertEqual(status, expected, output)
            self.assertIn(part, output)

    def test_a_block_is_the_body_of_a_function(self):
        self.accepted("# Title\n```cpp\nstd::vector<int> v{1};\nfor (int i : v) std::printf(\"%d\", i);\n```\n")

    def test_an_error_names_page_and_line(self):
        self.refused("text\n\n```cpp\nint good;\nbad();\n```\n", "page.md:5:")

    def test_a_program_is_compiled_as_it_stands(self):
        self.accepted("```cpp\n#include <armilla/armilla.hpp>\nint main() { return armilla::rank(); }\n```\n")
        self.refused("```cpp\nint main() { return armilla::rank(); }\n```\n", "page.md:2:")

    def test_programs_are_compiled_together_as_if_alone(self):
        program = "```cpp\n#include <armilla/armilla.hpp>\n{0}\nstatic int one() {{ return {1}; }}\nint main() {{ return one(); }}\n```\n"
        self.accepted(program.format("", "1") + program.format("#include <armilla/more.hpp>", "more") + program.format("", "2"))
        self.refused(program.format("", "1") + program.format("#include <armilla/more.hpp>", "more") + program.format("", "more"), "page.md:16:")

    def test_programs_that_run_may_be_left_out(self):
        page = "```cpp\nint main() { return unknown; }\n```\n<!-- check-docs prints\nprograms: one\nrun: ./one\n-->\n```text\n```\n"
        self.assertEqual(self.check(page, "--except-run")[0], 0)
        self.refused(page, "page.md:2:")
        self.assertEqual(self.check(page + "```cpp\nbad();\n```\n", "--except-run")[0], 1)

    def test_declarations_stand_in_a_namespace(self):
        self.accepted("```cpp decl\ntemplate <class T> T twice(T x) { return x + x; }\n```\n```cpp decl\nint twice(int);\n```\n")

    def test_hidden_declarations_help_later_blocks(self):
        self.accepted("<!-- check-docs\nstruct thing { int x; };\n-->\n```cpp\nthing t{1};\n```\n")

    def test_a_continued_block_knows_the_one_before(self):
        self.accepted("```cpp\nint x = 1;\n```\nand\n```cpp continued\nx = 2;\n```\n")
        self.refused("```cpp\nint x = 1;\n```\nand\n```cpp continued\ny = 2;\n```\n", "page.md:6:")

    def test_a_quotation_stands_in_its_file(self):
        quoted = "armilla/base/values/types.hpp"
        lines = [line for line in (ROOT / quoted).read_text(encoding="utf-8").splitlines() if line.strip()]
        self.accepted(f"```cpp of {quoted}\n{lines[0]}\n...\n  {lines[-1]}\n```\n")
        self.refused(f"```cpp of {quoted}\n{lines[0]}\n{lines[-1]}\n```\n", f"page.md:2: error: {quoted} does not say so")
        self.refused(f"```cpp of {quoted}\n{lines[-1]}\n...\n{lines[0]}\n```\n", "page.md:4: error:")
        self.refused("```cpp of armilla/none.hpp\nint x;\n```\n", "page.md:2: error: there is no armilla/none.hpp to quote")

    def test_python_may_be_quoted(self):
        page = "```python of tools/check-docs\nimport argparse\n{}\n```\n"
        self.accepted(page.format("import concurrent.futures"))
        self.refused(page.format("import nothing"), "page.md:2: error: tools/check-docs does not say so: 'import argparse'")
        self.accepted("```cmake of CMakeLists.txt\ninclude(ArmillaTest)\n```\n")
        self.accepted("```python of examples/python/tour.ipynb\na.sort()\na[10:13].tolist()\n```\n")
        self.refused("```python of examples/python/tour.ipynb\n\"a.sort()\\n\"\n```\n", "does not say so")

    def test_only_few_blocks_may_be_ignored(self):
        self.accepted("```cpp ignore\n???\n```\n" * 2)
        self.refused("```cpp ignore\n???\n```\n" * 3, "3 of 3 blocks are not compiled")

    @unittest.skipUnless(shutil.which("mpicxx"), "no MPI")
    def test_a_block_of_mpi_is_compiled_by_its_compiler(self):
        self.accepted("```cpp mpi\nint rank = 0;\nMPI_Comm_rank(MPI_COMM_WORLD, &rank);\n```\n")
        self.refused("```cpp mpi\nint rank = 0;\nMPI_Comm_rank(rank);\n```\n", "page.md:3:")

    def test_a_block_of_another_system_needs_a_source(self):
        self.accepted("```cpp other\n???\n```\n\n## Sources\n\nits manual\n")
        self.refused("```cpp other\n???\n```\n", "page.md:2: error: no section `## Sources`")

    def test_an_unknown_hint_is_an_error(self):
        self.refused("```cpp nonsense\n```\n", "no hint 'nonsense'")


if __name__ == "__main__":
    unittest.main()
