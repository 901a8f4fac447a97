#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks of the examples that outlive them are killed, example by example, for a time: run_for.py SECONDS FARM JACOBI KV
[--hosts LAUNCHER], the latter beside two hosts of tests/hosts/hosts: the ranks are on both.

KILLS_FOR=3600 in the environment takes the place of SECONDS. The first job that goes wrong ends it.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parent
SCRIPTS = (TESTS / "farm_test.py", TESTS.parent.parent / "examples/jacobi/deaths_test.py", TESTS / "kv_test.py")
JOBS = "30"  # at a time: enough for what a script wants to have seen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seconds", type=float)
    parser.add_argument("programs", nargs=3)
    parser.add_argument("--hosts", metavar="LAUNCHER")
    chosen = parser.parse_args()
    seconds, programs = float(os.environ.get("KILLS_FOR", chosen.seconds)), chosen.programs
    over_hosts = ["--hosts", chosen.hosts] if chosen.hosts else []
    began, rounds = time.monotonic(), 0
    while time.monotonic() - began < seconds:
        for script, program in zip(SCRIPTS, programs, strict=True):
            print(f"[{time.monotonic() - began:5.0f} s] {script.name}", flush=True)
            if subprocess.run([sys.executable, script, program, JOBS, *over_hosts], check=False).returncode != 0:
                return 1
        rounds += 1
    print(f"{rounds} times {JOBS} jobs of {len(programs)} examples in {time.monotonic() - began:.0f} s")
    return rounds == 0


sys.exit(main())
