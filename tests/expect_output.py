#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""expect_output.py REGEX COMMAND...: runs COMMAND; succeeds if it exits with 0 and its output holds REGEX. An argument TEMPORARY is
the name of a file in a folder that is gone afterwards."""
import re
import subprocess
import sys
import tempfile

pattern, command = sys.argv[1], sys.argv[2:]
with tempfile.TemporaryDirectory() as folder:
    command = [f"{folder}/file" if word == "TEMPORARY" else word for word in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
print(done.stdout, end="")
if done.returncode != 0:
    sys.exit(f"expected exit code 0, got {done.returncode}")
if not re.search(pattern, done.stdout, re.MULTILINE):
    sys.exit(f"the output does not hold: {pattern}")
