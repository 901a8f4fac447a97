# SPDX-License-Identifier: Apache-2.0
"""The lines that make a version parallel: those between `// parallel` and `// end of parallel` in its source."""
import pathlib
import re

BEGIN = re.compile(r"^\s*//\s*parallel\b", re.IGNORECASE)
END = re.compile(r"^\s*//\s*end of parallel\b", re.IGNORECASE)


def count(text):
    """Lines with code between the marks; comments, blank lines and single brackets do not count. None without marks."""
    inside, seen, lines = False, False, 0
    for line in text.splitlines():
        if END.match(line):
            inside = False
        elif BEGIN.match(line):
            inside = seen = True
        elif inside and re.sub(r"//.*", "", line).strip(" \t{}();"):
            lines += 1
    return lines if seen else None


def count_file(root, source):
    path = pathlib.Path(root) / source
    try:
        path.resolve().relative_to(pathlib.Path(root).resolve())
        return count(path.read_text())
    except (OSError, ValueError):
        return None
