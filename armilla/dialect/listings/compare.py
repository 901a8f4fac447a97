#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare.py LISTING SOURCE MARK: holds a program to the listing of a paper.

LISTING is a transcript: a heading, an empty line, the listing, a line `---`, and the replacements that are permitted:

    KIND: what the paper has => what the program has | why

KIND is `hole` (the paper leaves something out), `misprint` or `syntax` (C++ has no such). In the listing « » stand around what could
not be read and was reconstructed, ‹ › around what the paper leaves out. The program is what stands in SOURCE between the lines `// MARK {` and `// }`, in all places.

Both are compared token by token, without comments, once every replacement was made wherever it fits. Fails on any other
difference, and on a replacement that fits nowhere.
"""
import difflib
import pathlib
import re
import sys

TOKEN = re.compile(
    r'‹[^›]*›|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\d[\w.]*|<<=|>>=|->\*?|\+\+|--|::|:[=-]|&&|\|\||[<>=!+\-*/%&|^]=|<<|\S')
KINDS = {"hole", "misprint", "syntax"}


def tokens(text):
    return TOKEN.findall(re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL))


def marked(text, mark):
    return "\n".join(re.findall(rf"^\s*// {re.escape(mark)} {{\n(.*?)^\s*// }}$", text, re.MULTILINE | re.DOTALL))


def replacement(line):
    parts = re.fullmatch(r"(\w+): (.*?) => (.*?)\s*\| *(\S.*)", line)
    if not parts or parts[1] not in KINDS:
        sys.exit(f"no replacement: {line!r}; write KIND: from => to | why, with KIND one of {', '.join(sorted(KINDS))}")
    return tokens(parts[2]), tokens(parts[3]), line


def replace(listing, old, new):
    result, i, times = [], 0, 0
    while i < len(listing):
        if listing[i:i + len(old)] == old:
            result += new
            i += len(old)
            times += 1
        else:
            result.append(listing[i])
            i += 1
    return result, times


def read(path):
    """The tokens that the program must have."""
    text, _, rules = path.read_text().partition("\n---\n")
    listing = tokens(text.partition("\n\n")[2].replace("«", "").replace("»", ""))
    for old, new, line in map(replacement, filter(None, rules.splitlines())):
        listing, times = replace(listing, old, new)
        if times == 0:
            sys.exit(f"{path.name}: nothing in the listing to replace: {line}")
    return listing


def main():
    listing_file, source_file, mark = sys.argv[1:]
    listing = read(pathlib.Path(listing_file))
    program = tokens(marked(pathlib.Path(source_file).read_text(), mark))
    if not listing or not program:
        sys.exit(f"nothing to compare: {len(listing)} tokens in {listing_file}, {len(program)} behind '// {mark} {{' in {source_file}")
    codes = difflib.SequenceMatcher(None, listing, program, autojunk=False).get_opcodes()
    for what, a, b, c, d in codes:
        if what != "equal":
            print(f"  {' '.join(listing[a:b]) or '(nothing)'}  ->  {' '.join(program[c:d]) or '(nothing)'}")
    if listing != program:
        sys.exit("the program has left the listing")
    print(f"the {len(program)} tokens of the program are the listing's")


if __name__ == "__main__":
    main()
