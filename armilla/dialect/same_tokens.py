#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""same_tokens.py LISTING SOURCE MARK MOST: holds a program to the listing that it claims to be.

Takes what stands in SOURCE between the lines `// MARK {` and `// }`, in all places, and compares it with LISTING token by token,
without comments. Fails if more than MOST tokens must be taken out or put in to make one the other; prints which.
"""
import difflib
import pathlib
import re
import sys

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\d[\w.]*|->\*?|\+\+|--|::|&&|\|\||[<>=!+\-*/%&|^]=|<<|>>|\S')


def tokens(text):
    return TOKEN.findall(re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL))


def marked(text, mark):
    return "\n".join(re.findall(rf"^\s*// {re.escape(mark)} {{\n(.*?)^\s*// }}$", text, re.MULTILINE | re.DOTALL))


def differences(listing, program):
    """Runs of tokens: (what the listing has, what the program has in its place)."""
    codes = difflib.SequenceMatcher(None, listing, program, autojunk=False).get_opcodes()
    return [(listing[a:b], program[c:d]) for what, a, b, c, d in codes if what != "equal"]


def main():
    listing_file, source_file, mark, most = sys.argv[1:]
    listing = tokens(pathlib.Path(listing_file).read_text())
    program = tokens(marked(pathlib.Path(source_file).read_text(), mark))
    if not listing or not program:
        sys.exit(f"nothing to compare: {len(listing)} tokens in {listing_file}, {len(program)} behind '// {mark} {{' in {source_file}")
    found = differences(listing, program)
    for ours, theirs in found:
        print(f"  {' '.join(ours) or '(nothing)'}  ->  {' '.join(theirs) or '(nothing)'}")
    count = sum(len(a) + len(b) for a, b in found)
    print(f"{len(listing)} tokens in the listing, {len(program)} in the program, {count} differ; {most} may")
    if count > int(most):
        sys.exit("the program has left the listing")


if __name__ == "__main__":
    main()
