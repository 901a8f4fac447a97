#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks of a program are killed at random moments; it must end with the bits that it has without: deaths_test.py PROGRAM COUNT [--seed N]."""
import argparse
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "tests"))
from jobs import Job, read_arguments  # noqa: E402

ANSWER = re.compile(r"^(\d+ steps), error .*, (bits [0-9a-f]{16}): right$", re.M)
WORDS = ["48", "20000", "100"]


def ranks_of(job):
    """The processes that are children of the first one."""
    try:
        with open(f"/proc/{job.process.pid}/task/{job.process.pid}/children", encoding="ascii") as f:
            return [int(pid) for pid in f.read().split()]
    except OSError:
        return []


def start(program, ranks):
    return Job([program, *WORDS], ranks=ranks, env={"ARMILLA_ON_LOSS": "continue"})


def one_job(program, dice, seconds, wanted):
    ranks = dice.choice((2, 4, 4, 8))
    job = start(program, ranks)
    job.wait_for_lines(1)  # until all have started no rank may die
    began = time.monotonic()
    for moment in sorted(dice.uniform(0, seconds) for _ in range(dice.randint(1, ranks - 1))):
        time.sleep(max(0.0, began + moment - time.monotonic()))
        living = ranks_of(job)
        if len(living) > 1:
            os.kill(dice.choice(living), signal.SIGKILL)
    job.end()
    found = ANSWER.search(job.out)
    lost = len(re.findall(r"was killed by signal 9", job.err))
    good = job.code == 0 and found is not None and found.groups() == wanted and job.left_behind() == []
    if not good:
        print(f"{ranks} ranks, code {job.code}, not {wanted}\n--- output\n{job.out}--- errors\n{job.err}---", flush=True)
    return good, lost, job.out.count("go on from step"), len(re.findall("go on from step [1-9]", job.out))


def main():
    chosen, dice = read_arguments(argparse.ArgumentParser())
    began = time.monotonic()
    whole = start(chosen.program, 4).end()
    seconds = time.monotonic() - began
    answer = ANSWER.search(whole.out)
    if answer is None:
        print(whole.out, whole.err)
        return 1
    print(f"{answer[0]} in {seconds:.2f} s", flush=True)
    wrong = lost = recovered = late = 0
    for _ in range(chosen.count):
        good, losses, times, behind = one_job(chosen.program, dice, seconds, answer.groups())
        wrong, lost, recovered, late = wrong + (not good), lost + losses, recovered + times, late + behind
    print(f"{chosen.count} jobs, {wrong} wrong; {lost} ranks lost, {recovered} times from memory, {late} of them behind the beginning")
    return wrong != 0 or lost == 0 or late == 0


sys.exit(main())
