#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""refused.py [--code N] REGEX COMMAND...: runs COMMAND; succeeds if it exits with N, or another code than 0, and its output holds REGEX."""
import re
import subprocess
import sys

words = sys.argv[1:]
code = None
if words[0] == "--code":
    code, words = int(words[1]), words[2:]
pattern, command = words[0], words[1:]
done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
print(done.stdout, end="")
if done.returncode == 0:
    sys.exit("expected an exit code that is not 0")
if code is not None and done.returncode != code:
    sys.exit(f"expected exit code {code}, got {done.returncode}")
if not re.search(pattern, done.stdout, re.MULTILINE):
    sys.exit(f"the output does not hold: {pattern}")
