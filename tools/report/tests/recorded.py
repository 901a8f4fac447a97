# SPDX-License-Identifier: Apache-2.0
"""A build whose programs print what the real ones printed once, so that the tests take no time."""
import json
import pathlib

DATA = pathlib.Path(__file__).resolve().parent / "data"
PROGRAM = """#!/bin/sh
case "$*" in
  *--by-message*) cat {data}/{name}_by_message.jsonl ;;
  *) cat {data}/{name}.jsonl ;;
esac
"""
BENCH = """#!/bin/sh
while [ $# -gt 1 ]; do [ "$1" = --json ] && cp {data}/bench_micro.json "$2"; shift; done
"""
CHANGING = """#!/usr/bin/env python3
import json, pathlib, random
count = pathlib.Path("{count}")
run = int(count.read_text()) if count.exists() else 0
count.write_text(str(run + 1))
random.seed({seed} + run)
for i, line in enumerate(open("{file}")):
    record = json.loads(line)
    factor = {factor}
    print(json.dumps(record | {{"samples": [s * factor for s in record["samples"]]}}))
"""


def make_build(folder, programs=("paper_em3d",)):
    binaries = pathlib.Path(folder) / "bin" / "papers"
    binaries.mkdir(parents=True)
    for name in programs:
        write(binaries / name, PROGRAM.format(data=DATA, name=name))
    write(binaries.parent / "armilla-bench", BENCH.format(data=DATA))
    return folder


def make_changing(program, factor, seed=0):
    """In place of it one whose times are multiplied by an expression of `run`, the record's number `i`, and `record`."""
    count = program.with_suffix(f".{seed}.count")
    count.unlink(missing_ok=True)
    write(program, CHANGING.format(file=DATA / f"{program.name}.jsonl", count=count, factor=factor, seed=seed))


def make_noisy(program):
    """In place of it one that takes, by turns, as long as it says and twice that, for each record another time."""
    make_changing(program, "1 + (run + i) % 2")


def write(path, text):
    path.write_text(text)
    path.chmod(0o755)


def lines(name):
    return (DATA / name).read_text().splitlines()


def em3d():
    """Three rounds of what EM3D printed once, the middle one 2 % slower, as an entry of the results."""
    entry = {"state": "done", "rounds": 3, "seconds": 1.0, "records": []}
    for file, command in (("paper_em3d.jsonl", "armilla"), ("paper_em3d_by_message.jsonl", "messages"), ("paper_em3d_mpi.jsonl", "mpi")):
        for line in lines(file):
            record = json.loads(line)
            samples = record.pop("samples")
            entry["records"].append(record | {"command": command, "rounds": [samples, [s * 1.02 for s in samples], samples]})
    return entry


def bench_rows():
    return json.loads((DATA / "bench_micro.json").read_text())
