#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How a changed line becomes a schema, on small texts."""
import unittest

from sample import carried_over, is_plausible, place
from schema import combine, schemata
from source_text import Source, mask

CODE = """#pragma once
namespace a {
struct b {
  b(int x) : y(x + 1), z{2} {}
  int f(int n) {
    if (n > 3) [[unlikely]]
      return g(n, 1);
    for (int i = 0; i < n; ++i) g(i, n);
    const int m = n + 2;
    g(m, 4);  // and more
    if constexpr (sizeof(int) == 4) g(1, 2);
    auto l = [&](int k) { return k * 2; };
    switch (n) {
      case 1: return 1;
      default: break;
    }
    return m - 1;
  }
  int y = 0;
  static constexpr int z = 5;
};
}  // namespace a
"""
ON = "::armilla_mutant::on(7)"


def made(changed, original):
    """The first schema of a changed line of CODE, or None."""
    lines = CODE.split("\n")
    number = next(i for i, line in enumerate(lines) if line.strip() == original) + 1
    found = next(schemata(CODE, number, lines[number - 1].replace(original, changed), 7), None)
    return found and found[2]


class Schemas(unittest.TestCase):
    def test_a_condition_becomes_a_choice(self):
        self.assertEqual(made("if (n >= 3) [[unlikely]]", "if (n > 3) [[unlikely]]"), f"({ON} ? (n >= 3) : (n > 3))")

    def test_so_does_the_condition_of_a_loop(self):
        self.assertEqual(made("for (int i = 0; i <= n; ++i) g(i, n);", "for (int i = 0; i < n; ++i) g(i, n);"), f"({ON} ? (i <= n) : (i < n))")

    def test_and_where_a_loop_begins(self):
        self.assertEqual(made("for (int i = 1; i < n; ++i) g(i, n);", "for (int i = 0; i < n; ++i) g(i, n);"), f"({ON} ? (1) : (0))")

    def test_a_statement_without_braces_gets_them(self):
        self.assertEqual(made("return g(n, 2);", "return g(n, 1);"), f"{{ if ({ON}) {{ return g(n, 2);\n}} else {{ return g(n, 1);\n}} }}")

    def test_a_deleted_statement(self):
        self.assertEqual(made("/*g(m, 4);  // and more*/", "g(m, 4);  // and more"), f"{{ if (!{ON}) {{ g(m, 4);\n}} }}")

    def test_a_declaration_stays_one(self):
        self.assertEqual(made("const int m = n - 2;", "const int m = n + 2;"), f"({ON} ? (n - 2) : (n + 2))")

    def test_a_lambda_is_code(self):
        self.assertEqual(made("auto l = [&](int k) { return k / 2; };", "auto l = [&](int k) { return k * 2; };"),
                         f"{{ if ({ON}) {{ return k / 2;\n}} else {{ return k * 2;\n}} }}")

    def test_members_in_a_constructor_and_their_default(self):
        self.assertEqual(made("b(int x) : y(x - 1), z{2} {}", "b(int x) : y(x + 1), z{2} {}"), f"({ON} ? (x - 1) : (x + 1))")
        self.assertEqual(made("int y = 1;", "int y = 0;"), f"({ON} ? (1) : (0))")

    def test_constants_are_left_alone(self):
        self.assertIsNone(made("if constexpr (sizeof(int) != 4) g(1, 2);", "if constexpr (sizeof(int) == 4) g(1, 2);"))
        self.assertIsNone(made("static constexpr int z = 6;", "static constexpr int z = 5;"))
        self.assertIsNone(made("case 2: return 1;", "case 1: return 1;"))

    def test_comments_are_left_alone(self):
        self.assertIsNone(made("g(m, 4);  // or more", "g(m, 4);  // and more"))

    def test_the_last_return_stays(self):
        self.assertNotIn("if (!", made("/*return m - 1;*/", "return m - 1;") or "")

    def test_several_schemas_of_one_text(self):
        text = combine(CODE, [s for line, changed in ((6, "    if (n < 3) [[unlikely]]"), (17, "    return m + 1;"))
                              for s in [next(schemata(CODE, line, changed, line))]])
        self.assertIn("if ((::armilla_mutant::on(6) ? (n < 3) : (n > 3))) [[unlikely]]", text)
        self.assertIn("if (::armilla_mutant::on(17)) { return m + 1;", text)
        self.assertTrue(text.startswith('#pragma once\n#include "armilla/base/mutant.hpp"\n'))


class Texts(unittest.TestCase):
    def test_a_mask_is_as_long_as_its_text(self):
        text = 'a("x{" R"m(}")m" \'{\', 1\'000); // {\n#if X {\n/* } */'
        self.assertEqual(len(mask(text)), len(text))
        self.assertNotIn("{", mask(text))
        self.assertIn("1'000", mask(text))

    def test_blocks_are_known(self):
        source = Source(CODE)
        self.assertEqual([source.kind(i) for i in source.opening if source.masked[i] == "{"][:5], ["namespace", "type", "init", "code", "code"])


class Choice(unittest.TestCase):
    def plausible(self, original, mutated):
        return is_plausible(original, mask(original), mutated)

    def test_operators_have_spaces_and_templates_do_not(self):
        self.assertTrue(self.plausible("  if (a < b) f();", "  if (a > b) f();"))
        self.assertFalse(self.plausible("  x<int> y = f();", "  x>int> y = f();"))
        self.assertFalse(self.plausible("  T* a = b;", "  T+ a = b;"))

    def test_digits_of_names_stay(self):
        self.assertFalse(self.plausible("  f(uint32_t(a));", "  f(uint(32+1)_t(a));"))
        self.assertTrue(self.plausible("  f(3, a);", "  f((3+1), a);"))

    def test_a_line_that_moved_is_found(self):
        mutant = {"file": "armilla/a/a.hpp", "line": 2, "original": "  return x + 1;", "mutated": "  return x - 1;",
                  "before": ["int f(int x) {"], "after": ["}", "int g() {"]}
        texts = {"armilla/b/b.hpp": "\n\nint f(int x) {\n    return x + 1;\n}\nint g() {\n}\n", "armilla/a/a.hpp": "int h();\n"}
        found = place(mutant, texts)
        self.assertEqual((found["file"], found["line"], found["mutated"]), ("armilla/b/b.hpp", 4, "    return x - 1;"))
        self.assertIsNone(place(mutant, {"armilla/a/a.hpp": "int h();\n"}))

    def test_so_is_a_change_in_a_line_that_changed(self):
        mutant = {"original": "  if (count > most) give_up(count);", "mutated": "  if (count >= most) give_up(count);"}
        self.assertEqual(carried_over(mutant, "    if (count > most) give_up(count, why);"), "    if (count >= most) give_up(count, why);")


if __name__ == "__main__":
    unittest.main()
