#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/reference writes what the headers say of each public name, and nothing of `detail`; --check finds those without a line."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = {
    "cmake/layers.txt": "7 rpc: asked\n",
    "armilla/armilla.hpp": '#include "armilla/asked.hpp"\n#include "armilla/rpc/ask.hpp"\n',
    "armilla/asked.hpp": "#pragma once\n/// Asking.\n///\n///     asked();\n///\n/// **Rules.**\n/// - one\nnamespace armilla {\n/// Whether anything was asked.\nbool asked();\n}\n",
    "armilla/rpc/ask.hpp": """namespace armilla {
namespace detail {
/// Not for users.
void hidden();
}
/// Asks `dest`.
///
///     ask(1, 2);
///
/// Ends soon. Cost: little.
///
/// **Rules.** Two:
/// - *one*
/// - two
///
/// | a   | b   |
/// |-----|-----|
/// | `1` | 2   |
template <class T>
T ask(int dest, T&& value);
template <class T>
T ask(T&& value);
void unexplained();
namespace detail {
struct base_of_thing {
  int hidden_text();
};
}
/// A thing.
class thing : detail::base_of_thing {
  using base = detail::base_of_thing;
 public:
  /// From the base.
  using base::inherited;  // void inherited(int i);
                          // void inherited(double d)

  /// Another.
  using base::operator[];  // int operator[](int i)

  /// How much.
  int size() const;
 private:
  /// Nothing to see.
  int kept_;
};
}
""",
    "armilla/rpc/inside.hpp": "namespace armilla {\n/// In a header that users do not reach.\nvoid remote_away();\n}\n",
}


@unittest.skipUnless(shutil.which("doxygen"), "no doxygen here: tools/install-packages site")
class Reference(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        for name, text in {**HEADERS, "tools/reference": (ROOT / "tools/reference").read_text(encoding="utf-8")}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        subprocess.run([sys.executable, root / "tools/reference", root / "out"], check=True)
        cls.page = (root / "out/01-rpc.md").read_text(encoding="utf-8")
        cls.root = root
        cls.index = (root / "out/index.md").read_text(encoding="utf-8")

    def test_overloads_stand_under_one_name_with_their_text(self):
        signatures = "```cpp\ntemplate <class T>\nT ask(int dest, T&& value);\n\ntemplate <class T>\nT ask(T&& value);\n```\n"
        self.assertIn(f"## ask\n\n{signatures}\nAsks `dest`.\n\n```cpp\nask(1, 2);\n```\n\nEnds soon. Cost: little.\n", self.page)
        self.assertIn("**Rules.** Two:\n\n- *one*\n- two\n\n| a | b |\n|---|---|\n| `1` | 2 |\n", self.page)

    def test_a_class_shows_its_public_members(self):
        self.assertIn("```cpp\nint size() const;\n```\n\nHow much.\n", self.page)
        self.assertNotIn("kept_", self.page)

    def test_what_comes_from_a_base_is_shown_as_it_is_written(self):
        page = self.page
        self.assertIn("```cpp\nvoid inherited(int i);\n```\n\nFrom the base.", page)

    def test_nothing_of_the_inside_is_shown(self):
        self.assertEqual(re.findall("hidden|unexplained|remote_away", self.page + self.index), [])

    def test_what_a_header_says_of_its_topic_stands_before_its_names(self):
        self.assertIn("## armilla/asked.hpp\n\nAsking.\n\n```cpp\nasked();\n```\n\n**Rules.**\n\n- one\n\n## asked\n", self.page)

    def test_the_index_points_at_each_name(self):
        self.assertIn("[`ask`](01-rpc.md#ask) · [`asked`](01-rpc.md#asked) · [`thing`](01-rpc.md#thing)", self.index)

    def test_a_header_of_users_is_of_the_layer_that_the_table_says(self):
        self.assertIn("Whether anything was asked.\n\n`#include \"armilla/asked.hpp\"`", self.page)

    def unlisted(self, code):
        (self.root / "tests/names").mkdir(parents=True, exist_ok=True)
        (self.root / "tests/names/core.cpp").write_text(f"void lines() {{\n{code}\n}}\n", encoding="utf-8")
        done = subprocess.run([sys.executable, self.root / "tools/reference", "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1 if done.stdout else 0)
        return re.findall(r"public name ([\w:]+);", done.stdout)

    def test_a_name_without_a_line_is_told(self):
        self.assertEqual(self.unlisted("am::thing t;"), ["ask", "asked", "thing::inherited", "thing::size", "unexplained"])

    def test_a_member_is_used_as_a_member(self):
        self.assertEqual(self.unlisted("am::ask(1, 2), am::asked(), am::unexplained(); am::thing t; t.inherited(1); int size;"), ["thing::size"])
        self.assertEqual(self.unlisted("am::ask(1, 2), am::asked(), am::unexplained(); am::thing t; t.inherited(1); t.size();"), [])


if __name__ == "__main__":
    unittest.main()
