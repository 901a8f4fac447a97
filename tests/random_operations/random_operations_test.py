#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random operations on every container, against models: random_operations_test.py PROGRAM [--fabrics FABRIC...] [--minutes N] [--scenes SCENE...]

Each job plays one scene (one container) from one seed. Without --minutes each scene is played once on one of the fabrics, from fixed seeds: each
run has the same jobs. With --minutes jobs with random seeds follow each other for so long. A job that goes wrong is printed with the command that
repeats it.
"""
import argparse
import os
import random
import shlex
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import Job  # noqa: E402

SETTINGS = ({}, {}, {"ARMILLA_ACCESS_BY_MESSAGE": "on"}, {"ARMILLA_AGGREGATE": "64"}, {"ARMILLA_EAGER": "128"}, {"ARMILLA_RING": "8K"},
            {"ARMILLA_PROGRESS_MODE": "thread"}, {"ARMILLA_COLLECTIVES": "pairs"}, {"ARMILLA_SPIN": "0"})


def fault_of(program, fabric, ranks, env, words):
    """What is wrong with that job; empty: nothing. The second: the command that repeats it."""
    job = Job([program, *words], ranks=ranks, fabric=fabric, env=env)
    again = shlex.join(["env", f"ARMILLA_FABRIC={fabric}", f"ARMILLA_RANKS={ranks}", *(f"{k}={v}" for k, v in env.items()), program, *words])
    if not job.ends():
        return "it hangs", again
    if (job.code, job.out) != (0, "right\n"):
        return f"exit code {job.code}, prints {job.out!r}\n{job.err}", again
    return "", again


def few_jobs(scenes, fabrics):
    for number, scene in enumerate(scenes):
        dice = random.Random(number)
        yield fabrics[number % len(fabrics)], dice.choice((2, 3, 4)), dice.choice(SETTINGS), [str(number), "8", scene]


def jobs_for(minutes, scenes, fabrics):
    dice = random.SystemRandom()
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        for scene in scenes:
            yield dice.choice(fabrics), dice.randint(1, 5), dice.choice(SETTINGS), [str(dice.randrange(10**9)), dice.choice(("5", "40")), scene]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--fabrics", nargs="+", default=["shm", "threads", "loop"])
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--scenes", nargs="+", help="these only")
    chosen = parser.parse_args()
    scenes = chosen.scenes or subprocess.run([chosen.program], capture_output=True, text=True, check=True).stdout.split()
    jobs = jobs_for(chosen.minutes, scenes, chosen.fabrics) if chosen.minutes else few_jobs(scenes, chosen.fabrics)
    count = faults = 0
    for fabric, ranks, env, words in jobs:
        fault, again = fault_of(chosen.program, fabric, ranks, env, words)
        count += 1
        if fault:
            faults += 1
            print(f"{again}: {fault}", flush=True)
    print(f"{count} jobs, {faults} not as they must be")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
