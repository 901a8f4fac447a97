#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks of a program are killed at random moments; it must end with the bits that it has without: deaths_test.py PROGRAM COUNT [--seed N]
[--hosts LAUNCHER], the latter beside two hosts of tests/hosts/hosts: the ranks are on both."""
import argparse
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "tests"))
from jobs import Job, over_hosts, ranks_on_hosts, read_arguments, until_tried  # noqa: E402

ANSWER = re.compile(r"^(\d+ steps), error .*, (bits [0-9a-f]{16}): right$", re.M)
WORDS = ["48", "20000", "100"]


def start(program, ranks, launcher):
    go_on = {"ARMILLA_ON_LOSS": "continue"}
    if launcher:
        return Job([*over_hosts(launcher, ranks), program, *WORDS], fabric="auto", env=go_on)
    return Job([program, *WORDS], ranks=ranks, env=go_on)


def ranks_of(job, program, launcher):
    return sum(ranks_on_hosts(program), []) if launcher else job.children()


def one_job(program, dice, seconds, wanted, launcher):
    ranks = dice.choice((2, 4, 4) if launcher else (2, 4, 4, 8))
    job = start(program, ranks, launcher)
    job.wait_for_lines(1)  # until all have started no rank may die
    began = time.monotonic()
    for moment in sorted(dice.uniform(0, seconds) for _ in range(dice.randint(1, ranks - 1))):
        time.sleep(max(0.0, began + moment - time.monotonic()))
        living = ranks_of(job, program, launcher)
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
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", metavar="LAUNCHER")
    chosen, dice = read_arguments(parser)
    chosen.program = os.path.realpath(chosen.program)
    began = time.monotonic()
    whole = start(chosen.program, 4, chosen.hosts).end()
    seconds = time.monotonic() - began
    answer = ANSWER.search(whole.out)
    if answer is None:
        print(whole.out, whole.err)
        return 1
    print(f"{answer[0]} in {seconds:.2f} s", flush=True)
    wrong = lost = recovered = late = 0
    for job in until_tried(chosen.count, lambda: lost and late):
        good, losses, times, behind = one_job(chosen.program, dice, seconds, answer.groups(), chosen.hosts)
        wrong, lost, recovered, late = wrong + (not good), lost + losses, recovered + times, late + behind
    print(f"{job + 1} jobs, {wrong} wrong; {lost} ranks lost, {recovered} times from memory, {late} of them behind the beginning")
    return wrong != 0 or lost == 0 or late == 0


sys.exit(main())
