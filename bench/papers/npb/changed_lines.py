#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what it takes to turn the MPI programs of this folder into those for Armilla, as the MPC++ paper did for its ports.

    changed_lines.py [--json] [--diff]

A line of the program for Armilla counts as changed if it is not in the MPI program, or stands there elsewhere; blank lines and comments do
not count. The whole is all lines of the MPI program, the shared files included."""
import argparse
import difflib
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
SHARED = ["random.hpp", "run.hpp", "run.cpp"]
PROGRAMS = {name: SHARED + [f"{name}_{part}" for part in ("kernels.hpp", "kernels.cpp", "problem.hpp", "problem.cpp")]
            for name in ("cg", "is")}
PAPER = {"cg": (60, 800), "is": (50, 1000)}


def code_lines(file):
    lines = (line.strip() for line in (HERE / file).read_text().splitlines())
    return [line for line in lines if line and not line.startswith("//")]


def compare(program):
    mpi, armilla = code_lines(f"{program}_mpi.cpp"), code_lines(f"{program}_armilla.cpp")
    same = sum(block.size for block in difflib.SequenceMatcher(None, mpi, armilla, autojunk=False).get_matching_blocks())
    shared = sum(len(code_lines(file)) for file in PROGRAMS[program])
    return {
        "program": program,
        "changed": len(armilla) - same,
        "removed": len(mpi) - same,
        "communicating": len(mpi),
        "lines": len(mpi) + shared,
        "paper_changed": PAPER[program][0],
        "paper_lines": PAPER[program][1],
    }


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("--json", action="store_true", help="a JSON object a line")
    arguments.add_argument("--diff", action="store_true", help="print the lines, too")
    options = arguments.parse_args()
    for program in PROGRAMS:
        counted = compare(program)
        if options.json:
            print(json.dumps(counted))
        else:
            print("{program}: {changed} lines new, {removed} gone, of {lines} ({communicating} of them communicate); "
                  "MPC++: about {paper_changed} of {paper_lines}".format(**counted))
        if options.diff:
            sys.stdout.writelines(line + "\n" for line in difflib.unified_diff(
                code_lines(f"{program}_mpi.cpp"), code_lines(f"{program}_armilla.cpp"), lineterm="", n=0))


if __name__ == "__main__":
    main()
