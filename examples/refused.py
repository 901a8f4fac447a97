#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""refused.py REGEX COMMAND...: runs COMMAND; succeeds if it exits with another code than 0 and its output holds REGEX."""
import re
import subprocess
import sys

pattern, command = sys.argv[1], sys.argv[2:]
done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
print(done.stdout, end="")
if done.returncode == 0:
    sys.exit("expected an exit code that is not 0")
if not re.search(pattern, done.stdout, re.MULTILINE):
    sys.exit(f"the output does not hold: {pattern}")
