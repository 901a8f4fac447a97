#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every header of the library must compile when it is the only one that is included.

The build compiles most of them so: a source of the library, or a test in a build without precompiled headers, includes its header before
all others, and so does that header with its own first one; an inside which only the header that bears its name includes is a part of
that one. Here are the rest. --all: those that only tests include, too. --known FILE: but
those which FILE knows to compile, with the same text in them and in what they include."""
import argparse
import collections
import concurrent.futures
import hashlib
import json
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


def proven_by(sources):
    """Headers that are the first thing which one of these files, or one of the headers so proven, includes."""
    proven, todo = set(), list(sources)
    while todo:
        first = first_include(todo.pop())
        if first and first.startswith("armilla/") and first not in proven:
            proven.add(first)
            todo.append(ROOT / first)
    return proven


def parts_of_one_header():
    """name_inline.hpp where name.hpp alone, of its folder or of armilla/, includes it."""
    including = collections.defaultdict(set)
    for path in [*(ROOT / "armilla").rglob("*.hpp"), *(ROOT / "armilla").rglob("*.cpp")]:
        for name in re.findall(r'^#include "([^"]+)', path.read_text(), re.MULTILINE):
            including[name].add(str(path.relative_to(ROOT)))
    return {name for name, by in including.items() if name.endswith("_inline.hpp") and [pathlib.Path(one).name for one in by] == [pathlib.Path(name).name.replace("_inline.hpp", ".hpp")]}


def state_of(header):
    """Of its text, of that of all headers of ours that it reaches, and of how they are compiled."""
    reached, todo = set(), [str(header.relative_to(ROOT))]
    while todo:
        name = todo.pop()
        if name not in reached and (ROOT / name).is_file():
            reached.add(name)
            todo += re.findall(r'^#include [<"]([^">]+)', (ROOT / name).read_text(), re.MULTILINE)
    texts = [COMMAND, VERSION, *((ROOT / name).read_text() for name in sorted(reached))]
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


parser = argparse.ArgumentParser()
parser.add_argument("--all", action="store_true")
parser.add_argument("--known", type=pathlib.Path)
arguments = parser.parse_args()
VERSION = subprocess.run([COMMAND[0], "--version"], capture_output=True, text=True, check=True).stdout
known = set(json.loads(arguments.known.read_text())) if arguments.known and arguments.known.exists() else set()
sources = [path for path in (ROOT / "armilla").rglob("*.cpp") if not arguments.all or not path.name.endswith("_test.cpp")]
proven = proven_by(sources) | parts_of_one_header()
headers = sorted(path for path in (ROOT / "armilla").rglob("*.hpp") if str(path.relative_to(ROOT)) not in proven)
if not headers:
    sys.exit("no headers found")
states = {header: state_of(header) for header in headers}
changed = [header for header in headers if states[header] not in known]
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    faults = dict(zip(changed, pool.map(compile_alone, changed)))
if arguments.known:
    arguments.known.write_text(json.dumps([states[header] for header in headers if not faults.get(header)]))
print("\n".join(fault for fault in faults.values() if fault))
bad = sum(map(bool, faults.values()))
sys.exit(f"{bad} of {len(headers)} headers" if bad else 0)
