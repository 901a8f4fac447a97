#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every header of the library must compile when it is the only one that is included.

The build compiles most of them so: a source of the library includes its own header before all others, and no precompiled one.
Here are the rest."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = [os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused",
           "-DARMILLA_CHECKED=1", f"-I{ROOT}", "-x", "c++", "/dev/null", "-include"]


def compile_alone(header):
    done = subprocess.run([*COMMAND, str(header)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "" if done.returncode == 0 else f"{header.relative_to(ROOT)} does not compile alone:\n{done.stdout}"


def first_include(source):
    found = re.search(r'^#include [<"]([^">]+)', source.read_text(), re.MULTILINE)
    return found and found[1]


sources = [path for path in (ROOT / "armilla").rglob("*.cpp") if not path.name.endswith("_test.cpp")]
proven = {first_include(source) for source in sources}
headers = sorted(path for path in (ROOT / "armilla").rglob("*.hpp") if str(path.relative_to(ROOT)) not in proven)
if not headers:
    sys.exit("no headers found")
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    faults = [fault for fault in pool.map(compile_alone, headers) if fault]
print("\n".join(faults))
sys.exit(f"{len(faults)} of {len(headers)} headers" if faults else 0)
