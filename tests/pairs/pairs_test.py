#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random pairs and triples of features in small jobs whose result is known: pairs_test.py PAIRS COUNT [--seed N]

Of each table one value or two: how ranks are connected, how they make progress, what a loss does, what is watched, what the
program does, and with whom. Without a seed COUNT jobs are those of seeds 1 to COUNT, so that each run has the same ones. A job that ends
otherwise than it must is told with the command that starts it again.
"""
import argparse
import os
import random
import shlex
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import Job  # noqa: E402

FABRICS = ("shm", "threads", "loop")
PROGRESS = ({}, {"ARMILLA_PROGRESS_MODE": "thread"}, {"ARMILLA_PROGRESS_MODE": "signal"}, {"ARMILLA_POLL_EVERY": "3"})
WATCHED = ({}, {"ARMILLA_TRACE": "trace.json"}, {"ARMILLA_STATS": "stats.json"}, {"ARMILLA_RECORD": "record"}, {"ARMILLA_WAIT_REPORT": "20"})
TUNED = ({}, {"ARMILLA_AGGREGATE": "64"}, {"ARMILLA_EAGER": "128"}, {"ARMILLA_ACCESS_BY_MESSAGE": "on"}, {"ARMILLA_CROSS_COPY": "off"},
         {"ARMILLA_RING": "8K"}, {"ARMILLA_COLLECTIVES": "pairs"}, {"ARMILLA_STACK": "64K"}, {"ARMILLA_SPIN": "0"})
FEATURES = ("statements", "questions", "collectives", "map", "vector", "queue", "files", "saves", "objects", "memory", "kept")
FENCE = {"statements", "map", "queue", "saves", "kept"}  # of which one fiber of a rank at a time may be inside


def drawn(seed):
    """The environment and the words of one job."""
    dice = random.Random(seed)
    env = {"ARMILLA_FABRIC": dice.choice(FABRICS), "ARMILLA_RANKS": str(dice.choice((2, 3, 4, 5)))}
    how = dice.choice((["world"], ["halves"], ["fibers"], ["halves", "fibers"]))
    for table in dice.sample((PROGRESS, WATCHED, TUNED), dice.randint(1, 3)):
        env |= dice.choice(table[1:])
    if env["ARMILLA_FABRIC"] == "loop":
        env.pop("ARMILLA_RECORD", None)  # only where ranks share memory
    if env["ARMILLA_FABRIC"] == "shm" and env.get("ARMILLA_PROGRESS_MODE") is None and "ARMILLA_RECORD" not in env and dice.random() < 0.25:
        how = how + ["death"]
        env["ARMILLA_ON_LOSS"] = "continue"
    features = dice.sample(FEATURES, dice.choice((1, 2, 2, 3)))
    while "fibers" in how and len(FENCE.intersection(features)) > 1:
        features = dice.sample(FEATURES, 2)
    return env, [str(seed), ",".join(how), *features]


def fault_of(program, env, words):
    """What is wrong with that job; empty: nothing."""
    with tempfile.TemporaryDirectory() as folder:
        job = Job([program, *words], env=env, cwd=folder)
        if not job.ends():
            return "it hangs"
        death = "death" in words[1].split(",")
        if job.out != "right\n" or (job.code != 0 and not death):
            return f"exit code {job.code}, prints {job.out!r}\n{job.err}"
        if job.left_behind():
            return "processes are left"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, help="of one job only")
    chosen = parser.parse_args()
    seeds = [chosen.seed] if chosen.seed is not None else range(1, chosen.count + 1)
    faults = 0
    for seed in seeds:
        env, words = drawn(seed)
        fault = fault_of(chosen.program, env, words)
        if fault:
            faults += 1
            print(f"seed {seed}: {shlex.join(['env', *(f'{k}={v}' for k, v in env.items()), chosen.program, *words])}: {fault}", flush=True)
    print(f"{len(seeds)} jobs, {faults} not as they must be")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
