#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""expect_error.py REGEX COMPILER ARGUMENTS...: succeeds if the compiler refuses, and says what REGEX describes."""
import os
import re
import subprocess
import sys

pattern, command = sys.argv[1], sys.argv[2:]
done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                      env={**os.environ, "LC_ALL": "C"})
if done.returncode == 0:
    sys.exit("the file compiles, but must be refused")
errors = "\n".join(line for line in done.stdout.splitlines() if "error:" in line)
if not re.search(pattern, errors):
    print(done.stdout[:6000])
    sys.exit(f"the file is refused, as it must be, but no error says: {pattern}")
