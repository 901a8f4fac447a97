#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every public function with parameters has a row: EDGES in a test of this folder, or a name in elsewhere.txt.

Names are those of tools/reference: functions, members, constructors. Needs doxygen: exit code 77 without it. A section of
elsewhere.txt is headed by [file of a test], which must name each function below it, or by [no edge] for functions whose parameters
have none."""
import importlib.machinery
import importlib.util
import pathlib
import re
import shutil
import sys
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def reference():
    loader = importlib.machinery.SourceFileLoader("reference", str(ROOT / "tools/reference"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("reference", loader))
    loader.exec_module(module)
    return module


def parameters(signature):
    found = re.search(r"(?:[\w~]+|operator\S+)\((.*)\)", signature.split("\n  requires")[0].split("\n")[-1])
    return "" if found is None else found.group(1)


def takes_arguments(name, signature):
    """Not operators, not what copies, moves or destroys, and not what no call chooses."""
    last, given = name.rsplit("::", 1)[-1], parameters(signature)
    if last.startswith(("~", "operator")) or "=delete" in signature or "unsendable" in signature or given in ("", "void"):
        return False
    owner = name.rsplit("::", 2)[-2] if "::" in name else ""
    return last != owner or not re.fullmatch(rf"(const )?{last}(<.*>)? ?&{{1,2}}( \w+|\w+)?", given)


def public_names(entries):
    named = ((entry.name, entry) for entry in entries if entry.kind == "function")
    members = ((f"{entry.name}::{m.name}", m) for entry in entries for m in entry.members if m.kind == "function")
    return {name for name, f in (*named, *members) if takes_arguments(name, f.signature)}


def rows(text):
    """The names of EDGES(test, name...) in a test."""
    return {name.strip() for row in re.findall(r"^EDGES\(([^)]*)\)", text, re.MULTILINE) for name in row.split(",")[1:]}


def sections(text):
    """{heading: names} of elsewhere.txt."""
    found, names = {}, None
    for line in text.splitlines():
        if line.startswith("["):
            names = found.setdefault(line.strip("[] "), set())
        elif line.strip() and not line.startswith("#"):
            names.update(line.split())
    return found


def inherited(root):
    """The functions that public headers take from a base, under a text of their own: one row, of any of its classes, tests such a function."""
    found = set()
    for header in (root / "armilla").glob("*.hpp"):
        name = None
        for line in header.read_text(encoding="utf-8").splitlines():
            if begin := re.match(r"(?:class|struct) (\w+)\b(?!.*;$)", line):
                name = begin[1]
            elif using := re.match(r"  using base::(\w+);", line):
                found.add(f"{name}::{using[1]}")
    return found


def problems(public, tested, elsewhere, root, free=frozenset()):
    listed = set().union(*elsewhere.values()) if elsewhere else set()
    rows_of_bases = {name.rsplit("::", 1)[-1] for name in tested | listed}
    for name in sorted(public - tested - listed - {name for name in free if name.rsplit("::", 1)[-1] in rows_of_bases}):
        yield f"{name} has no row: call it at the edges of its arguments in an EDGES test of tests/arguments"
    for name in sorted((tested | listed) - public):
        yield f"{name} has a row, and is no public function with parameters"
    for heading, names in elsewhere.items():
        if heading == "no edge":
            continue
        if not (root / heading).is_file():
            yield f"elsewhere.txt: there is no file {heading}"
            continue
        text = (root / heading).read_text(encoding="utf-8")
        yield from (f"elsewhere.txt: {heading} does not name {name}" for name in sorted(names)
                    if not re.search(rf"\b{name.rsplit('::', 1)[-1]}\b", text))


class Arguments(unittest.TestCase):
    maxDiff = None

    def test_every_function_has_a_row(self):
        tested = set().union(*(rows(test.read_text(encoding="utf-8")) for test in HERE.glob("*_test.cpp")))
        elsewhere = sections((HERE / "elsewhere.txt").read_text(encoding="utf-8"))
        self.assertIn("bag::save", inherited(ROOT))
        self.assertEqual(list(problems(public_names(reference().all_entries()), tested, elsewhere, ROOT, inherited(ROOT))), [])

    def test_a_new_function_fails(self):
        self.assertEqual(len(list(problems({"a", "b"}, {"a"}, {}, ROOT))), 1)
        self.assertEqual(list(problems({"a", "b::c"}, {"a"}, {"no edge": {"b::c"}}, ROOT)), [])

    def test_rows_that_are_not_true_fail(self):
        self.assertEqual(len(list(problems({"a"}, {"a", "gone"}, {}, ROOT))), 1)
        self.assertEqual(len(list(problems({"a"}, set(), {"no/such_test.cpp": {"a"}}, ROOT))), 1)
        self.assertEqual(len(list(problems({"unlikely_name"}, set(), {"tests/rank_test.hpp": {"unlikely_name"}}, ROOT))), 1)

    def test_what_takes_arguments(self):
        self.assertTrue(takes_arguments("team::split", "team split(int color, int key=0) const"))
        self.assertTrue(takes_arguments("team::team", "team(const grid &g)"))
        self.assertFalse(takes_arguments("team::team", "team(const team& o) noexcept"))
        self.assertFalse(takes_arguments("fence", "void fence()"))
        self.assertEqual(rows("EDGES(test, one,\n      two::three) {\n  EDGES(four, five);"), {"one", "two::three"})


if __name__ == "__main__":
    if shutil.which("doxygen") is None:
        sys.exit(77)
    unittest.main()
