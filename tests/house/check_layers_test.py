#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check-layers must accept a good tree and name each kind of fault."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = SPDX + "#pragma once\n"


class CheckLayers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("cmake/layers.txt", "# comment\n0 low\n1 left\n1 right\n2 high\n")
        self.write("armilla/low/of_low.hpp", HEADER)
        self.write("armilla/left/of_left.hpp", HEADER + '#include "armilla/low/of_low.hpp"\n')
        self.write("armilla/right/of_right.hpp", HEADER)
        self.write("armilla/high/of_high.hpp", HEADER + '#include <vector>\n#include "armilla/left/of_left.hpp"\n')
        self.write("armilla/armilla.hpp", HEADER + '#include "armilla/high/of_high.hpp"\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def check(self, *arguments):
        done = subprocess.run([sys.executable, ROOT / "tools/check-layers", "--root", self.root, *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def refused(self, part, *arguments):
        status, output = self.check(*arguments)
        self.assertEqual(status, 1, output)
        self.assertIn(part, output)

    def test_accepts_a_good_tree(self):
        status, output = self.check()
        self.assertEqual(status, 0, output)

    def test_refuses_a_higher_layer(self):
        self.write("armilla/low/b.cpp", SPDX + '#include "armilla/left/of_left.hpp"\n')
        self.refused("armilla/low/b.cpp:2: error: layer low (0) may not include the higher layer left (1)")

    def test_refuses_a_sibling(self):
        self.write("armilla/left/b.cpp", SPDX + "#include <armilla/right/of_right.hpp>\n")
        self.refused("may not include its sibling right")

    def test_refuses_the_whole_library_inside_a_layer(self):
        self.write("armilla/low/b.cpp", SPDX + "#include <armilla/armilla.hpp>\n")
        self.refused("which holds all layers")

    def test_lets_a_test_of_the_whole_library_include_everything(self):
        self.write("armilla/low/b_test.cpp", SPDX + '#include <armilla/armilla.hpp>\n#include "armilla/high/of_high.hpp"\n')
        self.assertEqual(self.check()[0], 0)

    def test_refuses_a_costly_header_that_users_reach(self):
        self.write("armilla/low/of_low.hpp", HEADER + "#include <functional>\n")
        self.refused("armilla/low/of_low.hpp:3: error: <functional> is costly")

    def test_refuses_insides_that_users_reach(self):
        self.write("cmake/layers.txt", "0 low\n1 left\n1 right\n1 fabric\n2 high\n")
        self.write("armilla/fabric/a.hpp", HEADER)
        self.write("armilla/high/of_high.hpp", HEADER + '#include "armilla/fabric/a.hpp"\n')
        self.write("armilla/armilla.hpp", HEADER + '#include "armilla/high/of_high.hpp"\n')
        self.refused("armilla/high/of_high.hpp:3: error: armilla.hpp reaches armilla/fabric/a.hpp")

    def test_lets_users_reach_what_a_call_inlines(self):
        self.write("cmake/layers.txt", "0 low\n1 left\n1 right\n1 fabric\n2 high\n")
        self.write("armilla/fabric/notify.hpp", HEADER)
        self.write("armilla/high/of_high.hpp", HEADER + '#include "armilla/fabric/notify.hpp"\n')
        self.write("armilla/armilla.hpp", HEADER + '#include "armilla/high/of_high.hpp"\n')
        self.assertEqual(self.check()[0], 0)

    def test_lets_a_source_use_a_costly_header(self):
        self.write("armilla/low/a.cpp", SPDX + "#include <functional>\n")
        self.assertEqual(self.check()[0], 0)

    def test_refuses_relative_and_missing_includes(self):
        self.write("armilla/low/b.cpp", SPDX + '#include "a.hpp"\n#include "armilla/low/none.hpp"\n')
        self.refused("write the path from the root")
        self.refused("armilla/low/none.hpp does not exist", "--strict")

    def test_refuses_missing_pragma_and_licence(self):
        self.write("armilla/low/b.hpp", "")
        self.refused("no #pragma once")
        self.refused("SPDX")

    def make_rooms(self):
        self.write("cmake/layers.txt", "# comment\n0 low: first\n1 left\n    0 floor: second\n    1 one\n    1 other\n1 right\n2 high\n")
        self.write("armilla/first.hpp", HEADER)
        self.write("armilla/second.hpp", HEADER + '#include "armilla/left/floor/a.hpp"\n')
        self.write("armilla/left/floor/a.hpp", HEADER + '#include "armilla/first.hpp"\n')
        self.write("armilla/left/one/a.hpp", HEADER + '#include "armilla/second.hpp"\n')
        self.write("armilla/left/other/a.hpp", HEADER + '#include "armilla/left/floor/a.hpp"\n')
        self.write("armilla/left/of_left.hpp", HEADER + '#include "armilla/left/one/a.hpp"\n#include "armilla/left/other/a.hpp"\n')

    def test_accepts_rooms_and_headers_of_users_that_include_lower_ones(self):
        self.make_rooms()
        status, output = self.check("--strict")
        self.assertEqual(status, 0, output)

    def test_refuses_a_higher_room_a_sibling_and_the_whole_layer(self):
        self.make_rooms()
        self.write("armilla/left/floor/b.hpp", HEADER + '#include "armilla/left/one/a.hpp"\n')
        self.refused("room left/floor (0) may not include the higher room left/one (1)")
        self.write("armilla/left/floor/b.hpp", HEADER)
        self.write("armilla/left/one/b.hpp", HEADER + '#include "armilla/left/other/a.hpp"\n')
        self.refused("room left/one (1) may not include its sibling left/other (1)")
        self.write("armilla/left/one/b.hpp", HEADER + '#include "armilla/left/of_left.hpp"\n')
        self.refused("room left/one (1) may not include what is of the whole layer left")

    def test_holds_a_header_of_users_to_its_layer_and_room(self):
        self.make_rooms()
        self.write("armilla/first.hpp", HEADER + '#include "armilla/left/floor/a.hpp"\n')
        self.refused("layer low (0) may not include the higher layer left (1)")
        self.write("armilla/first.hpp", HEADER)
        self.write("armilla/second.hpp", HEADER + '#include "armilla/left/one/a.hpp"\n')
        self.refused("armilla/second.hpp:3: error: room left/floor (0) may not include the higher room left/one (1)")

    def test_lets_a_test_take_what_it_needs_from_all_rooms_of_its_layer(self):
        self.make_rooms()
        self.write("armilla/left/floor/a_test.cpp", SPDX + '#include "armilla/left/one/a.hpp"\n')
        self.assertEqual(self.check()[0], 0)
        self.write("armilla/left/floor/a_test.cpp", SPDX + '#include "armilla/high/of_high.hpp"\n')
        self.refused("may not include the higher layer high")

    def test_refuses_a_header_of_users_without_a_layer_and_a_long_folder_when_strict(self):
        self.make_rooms()
        self.write("armilla/third.hpp", HEADER)
        self.refused("armilla/third.hpp:1: error: cmake/layers.txt does not say", "--strict")
        for i in range(200):
            self.write(f"armilla/left/floor/h{i}.hpp", HEADER)
        self.refused("armilla/left/floor:1: error: 201 files; make rooms of at most", "--strict")

    def test_refuses_a_type_that_two_layers_have_when_strict(self):
        def has(word):
            return f"\nnamespace armilla::detail {{\n\n{word}\n\n}}  // namespace armilla::detail\n"

        self.write("armilla/low/a.hpp", HEADER + has("struct one {\n  int x;\n};"))
        self.write("armilla/high/a.hpp", HEADER + has("struct one;\nnamespace {\nstruct one {\n};\n}  // namespace\nstruct other {\n  struct one {};\n};"))
        self.write("armilla/high/b.hpp", HEADER + "\nnamespace armilla {\n\nstruct one {\n};\n\n}  // namespace armilla\n")
        status, output = self.check("--strict")
        self.assertNotIn("rename one", output)
        self.write("armilla/right/a.hpp", HEADER + "\nnamespace armilla {\nnamespace detail {\n\ntemplate <class T>\nclass one final : T {\n};\n\n}  // namespace detail\n}  // namespace armilla\n")
        self.refused("armilla/right/a.hpp:8: error: layer low has a type of the name one, too (armilla/low/a.hpp:6); both are armilla::detail::one: rename one", "--strict")

    def test_refuses_a_source_that_is_never_compiled_when_strict(self):
        self.write("armilla/low/b.cpp", SPDX)
        self.write("armilla/low/CMakeLists.txt", "armilla_layer(low SOURCES bb.cpp)\n")
        self.refused("never compiled", "--strict")


if __name__ == "__main__":
    unittest.main()
