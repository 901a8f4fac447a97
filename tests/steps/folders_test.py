#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The way of a call to a member, folder by folder: which layer calls which, as the processor goes there.

folders_test.py PROGRAM SOURCES LIBRARIES

PROGRAM prints the address of each instruction that it executes. A function belongs to the folder of its source file; if it was compiled
without debug lines, to the one layer whose library (LIBRARIES/libarmilla_<layer>.a) has its symbol. A step from one folder into another
counts if it is a call, not if it is a return. Left out are the leaves base, stats and wire, and all code outside the library: what these
call counts for their caller.
"""
import bisect
import pathlib
import re
import subprocess
import sys

LEAVES = {"base", "stats", "wire"}
MOST_FOLDERS = 6
NOT_ALLOWED = 77

# Of each part of the way: the folders in the order in which they are first entered, and the calls from a lower folder up into a
# higher one, without those that repeat. docs/ARCHITECTURE.md, "The way of a call", shows the same.
EXPECTED = {
    "out": (["object", "rpc", "am", "ring", "fabric"], []),
    "in": (["rpc", "am", "fiber", "object"], ["am -> rpc", "rpc -> object"]),
    "back": (["am", "ring", "fabric", "fiber", "rpc"], ["am -> rpc"]),
}
# What is inlined where the library has no debug lines, and so is not always seen.
SOMETIMES = {"in": {"ring"}, "body": set(), "out": set(), "back": set()}


def lines_of(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.splitlines()


def functions_of(file):
    """(address, symbol) of the functions of a program, by address."""
    found = []
    for line in lines_of("nm", "--defined-only", file):
        address, kind, name = line.split(maxsplit=2)
        if kind in "tTwW":
            found.append((int(address, 16), name))
    return sorted(found)


def plain(symbol):
    return re.sub(r"(\.(cold|part|constprop|isra|lto_priv|localalias)(\.\d+)?)+$", "", symbol)


def layers_of(libraries):
    """symbol -> layer, of symbols that one layer alone defines."""
    owners = {}
    for library in pathlib.Path(libraries).glob("libarmilla_*.a"):
        layer = library.stem.removeprefix("libarmilla_")
        for line in lines_of("nm", "--defined-only", str(library)):
            parts = line.split(maxsplit=2)
            if len(parts) == 3 and parts[1] in "tTwW":
                owners.setdefault(plain(parts[2]), set()).add(layer)
    return {symbol: next(iter(layers)) for symbol, layers in owners.items() if len(layers) == 1}


class map_of_program:
    """Tells the function and the folder of a place."""

    def __init__(self, program, sources, libraries):
        self.functions = functions_of(program)
        self.starts = [address for address, _ in self.functions]
        self.program = program
        self.root = str(pathlib.Path(sources).resolve())
        self.layers = layers_of(libraries)
        self.folders, self.headers = height_of(sources), layers_of_headers(sources)
        self.known = {}

    def function(self, place):
        return bisect.bisect_right(self.starts, place) - 1

    def learn(self, indices):
        indices = sorted(set(indices))
        text = "\n".join(hex(self.starts[i]) for i in indices)
        for i, line in zip(indices, lines_of("addr2line", "-e", self.program, text=text)):
            self.known[i] = self.folder(line, self.functions[i][1])

    def folder(self, line, symbol):
        file = re.search(r"(?:^|.*/)armilla/(?:(\w+)/[\w/]+|(\w+))\.\w+:", line)  # the last one: a clone may be called so, too
        if file and file.group(1) in self.folders:
            return file.group(1)
        if file and file.group(2) in self.headers:
            return self.headers[file.group(2)]
        return self.layers.get(plain(symbol)) if line.endswith((":?", ":0")) else None


def ways_of(program):
    """way -> the places of its instructions."""
    run = subprocess.run([program], capture_output=True, text=True, check=False)
    if run.returncode == NOT_ALLOWED:
        sys.exit(NOT_ALLOWED)
    assert run.returncode == 0, run.stderr
    ways = {}
    for line in run.stdout.splitlines():
        if line.startswith("way "):
            ways[line[4:]] = places = []
        else:
            places.append(int(line, 16))
    return ways


def calls_of(places, where):
    """(from folder, to folder, function) of each call from one folder into another."""
    functions = [where.function(place) for place in places]
    where.learn(functions)
    stack, calls = [], []
    for place, function in zip(places, functions):
        if place != where.starts[function]:  # the same function, or a return, or another fiber goes on
            stack = stack[: stack.index(function) + 1] if function in stack else [function]
            continue
        folder = where.known[function]
        above = next((where.known[f] for f in reversed(stack) if where.known[f] not in LEAVES | {None}), None)
        stack.append(function)
        if folder not in LEAVES | {None, above}:
            calls.append((above, folder, where.functions[function][1]))
    return calls


def height_of(sources):
    """folder -> its number in cmake/layers.txt."""
    lines = (pathlib.Path(sources) / "cmake" / "layers.txt").read_text()
    return {name: int(number) for number, name in re.findall(r"^(\d+) +(\w+)", lines, re.MULTILINE)}


def layers_of_headers(sources):
    """header of armilla/ -> its layer."""
    lines, layer, found = (pathlib.Path(sources) / "cmake" / "layers.txt").read_text().splitlines(), "", {}
    for line in lines:
        if m := re.match(r"( *)\d+ +(\w+)(?:: *(.*))?", line):
            layer = layer if m[1] else m[2]
            found |= {header: layer for header in (m[3] or "").split()}
    return found


def once(items):
    return list(dict.fromkeys(items))


def seen_of(calls, height):
    """As in EXPECTED."""
    upward = [f"{above} -> {folder}" for above, folder, _ in calls if above and height[folder] >= height[above]]
    return once(folder for _, folder, _ in calls), once(upward)


def tell(way, calls):
    print(f"{way}:", file=sys.stderr)
    names = lines_of("c++filt", text="\n".join(name for _, _, name in calls))
    for (above, folder, _), name in zip(calls, names):
        print(f"  {above or 'the program'} -> {folder}: {name[:120]}", file=sys.stderr)


def main(program, sources, libraries):
    where, height = map_of_program(program, sources, libraries), height_of(sources)
    good, folders = True, set()
    for way, places in ways_of(program).items():
        calls = calls_of(places, where)
        folders.update(folder for _, folder, _ in calls)
        if way not in EXPECTED:
            continue
        entered, upward = seen_of(calls, height)
        if ([f for f in entered if f not in SOMETIMES[way]], upward) != EXPECTED[way]:
            print(f"{way}: expected {EXPECTED[way]}, found {(entered, upward)}", file=sys.stderr)
            tell(way, calls)
            good = False
    if len(folders) > MOST_FOLDERS:
        print(f"the call enters {len(folders)} folders, at most {MOST_FOLDERS}: {sorted(folders)}", file=sys.stderr)
        good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
