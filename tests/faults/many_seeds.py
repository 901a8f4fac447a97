#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""many_seeds.py PROGRAM [ARGUMENT...]: runs a test program over a network, under many random faults, and reports the faults under which it failed.
NETWORK: as in ARMILLA_FABRIC, by default the one inside the library (loop); others bring their own timing, and move bulk by
themselves. SCHEDULES: how many jobs (10); FIRST_SCHEDULE: the first one's number, for one that failed;
AT_ONCE: how many jobs run beside each other (1), for most of their time they wait; SLOWEST: seconds that a job may take (300);
ARMILLA_RANKS: of each job (2)."""
import concurrent.futures
import os
import random
import subprocess
import sys

NETWORK = os.environ.get("NETWORK", "loop")
SLOWEST_S = int(os.environ.get("SLOWEST", "300"))


def faults(number, ranks):
    """What is wrong in schedule `number`: always the same."""
    dice = random.Random(number)
    words = [f"seed={number}"]
    if dice.random() < 0.5:
        words.append(f"delay={dice.randrange(1, 30)}us")
    if dice.random() < 0.7:
        words.append(f"jitter={dice.randrange(1, 60)}us")
    for word, most, often in (("reorder", 0.2, 0.5), ("swap", 0.2, 0.3), ("duplicate", 0.2, 0.3), ("drop", 0.05, 0.3), ("stop", 0.002, 0.3)):
        if dice.random() < often:
            words.append(f"{word}={dice.uniform(0, most):.4f}")
    if dice.random() < 0.2:
        words.append(f"slow={dice.randrange(ranks)}")
    return ",".join(words)


def name_of(program):
    return " ".join([os.path.basename(program[0]), *program[1:]])


def run(program, number, ranks):
    """What is to be said of a job that failed, or nothing."""
    how = faults(number, ranks)
    job = dict(os.environ, ARMILLA_FABRIC=NETWORK, ARMILLA_RANKS=str(ranks), ARMILLA_PIN="none", ARMILLA_FAULTS=how)
    job["FIRST_ROUND"] = str(100_000 * number)  # of tests/faults/schedules_test.cpp
    try:
        done = subprocess.run(program, env=job, capture_output=True, text=True, timeout=SLOWEST_S, check=False)
        said, code = done.stdout + done.stderr, done.returncode
    except subprocess.TimeoutExpired as late:
        said, code = (late.stderr or b"").decode(errors="replace"), f"none within {SLOWEST_S} s"
    if code == 0:
        return ""
    return f"FAILED: {name_of(program)} on {ranks} ranks over {NETWORK}, schedule {number}, ARMILLA_FAULTS={how}: exit code {code}\n{said[-3000:]}"


def main():
    first = int(os.environ.get("FIRST_SCHEDULE", "1"))
    jobs = int(os.environ.get("SCHEDULES", "10"))
    ranks = int(os.environ.get("ARMILLA_RANKS", "2"))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("AT_ONCE", "1"))) as pool:
        program = sys.argv[1:]
        for said in pool.map(lambda number: run(program, number, ranks), range(first, first + jobs)):
            if said:
                failed += 1
                print(said, flush=True)
        print(f"{name_of(program)}: {jobs} schedules over {NETWORK}", flush=True)
    return 1 if failed else 0


sys.exit(main())
