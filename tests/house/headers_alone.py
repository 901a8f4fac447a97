#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every header of the library must compile when it is the only one that is included."""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = [os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused",
           "-DARMILLA_CHECKED=1", f"-I{ROOT}", "-x", "c++", "/dev/null", "-include"]


def compile_alone(header):
    done = subprocess.run([*COMMAND, str(header)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "" if done.returncode == 0 else f"{header.relative_to(ROOT)} does not compile alone:\n{done.stdout}"


headers = sorted((ROOT / "armilla").rglob("*.hpp"))
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    faults = [fault for fault in pool.map(compile_alone, headers) if fault]
print("\n".join(faults))
sys.exit(f"{len(faults)} of {len(headers)} headers" if faults else 0)
