#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""expect_error.py [--lines N | --first N] REGEX COMPILER ARGUMENTS...: succeeds if the compiler refuses, and says what REGEX describes.

With --lines: in at most N lines beside includes and source (of g++; others list more), and in any of them: g++ shows the line of a function that is deleted.
With --first: among the first N lines of however many (of g++)."""
import os
import re
import subprocess
import sys

arguments = sys.argv[1:]
most_lines = first_lines = None
if arguments[0] == "--first":
    first_lines, arguments = int(arguments[1]), arguments[2:]
elif arguments[0] == "--lines":
    most_lines, arguments = int(arguments[1]), arguments[2:]
pattern, command = arguments[0], arguments[1:]
done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                      env={**os.environ, "LC_ALL": "C"})
if done.returncode == 0:
    sys.exit("the file compiles, but must be refused")
lines = done.stdout.splitlines()
# Which headers include which says nothing of a mistake, and of the source later releases show more.
said = [line for line in lines if line and not re.match(r"\s*(\d+ )?\||In file included|                 from", line)]
if most_lines is not None and len(said) > most_lines and "clang" not in os.path.basename(command[0]):
    print(done.stdout[:6000])
    sys.exit(f"the compiler says {len(said)} lines; {most_lines} at most would do")
if first_lines is not None:
    most_lines, lines = first_lines, lines[:None if "clang" in os.path.basename(command[0]) else first_lines]
errors = "\n".join(line for line in lines if most_lines is not None or "error:" in line)
if not re.search(pattern, errors):
    print(done.stdout[:6000])
    sys.exit(f"the file is refused, as it must be, but no error says: {pattern}")
