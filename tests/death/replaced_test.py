#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks are killed at random moments, and others take their places: replaced_test.py REPLACED COUNT [--seed N]. TEST_FABRIC: over a network."""
import argparse
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import FABRIC, Job, read_arguments  # noqa: E402

# Engines that start have handlers of their own.
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGSEGV if FABRIC == "shm" else signal.SIGKILL)


def kill_some(job, dice, until):
    """Several at once, also those that have just come; never the oldest one of all, lest none is left, in most jobs."""
    killed = 0
    spared = min(job.children(), default=0) if dice.random() < 0.9 else 0
    while time.monotonic() < until and job.process.poll() is None:
        time.sleep(dice.random() * dice.choice((0.001, 0.02, 0.1) if FABRIC == "shm" else (0.02, 0.2, 1)))
        found = [pid for pid in job.children() if pid != spared]
        for victim in dice.sample(found, min(dice.choice((1, 1, 1, 2, 3)), len(found))):
            try:
                os.kill(victim, dice.choice(SIGNALS))
                killed += 1
            except ProcessLookupError:
                pass
    return killed


def one_job(program, dice):
    ranks = dice.randint(2, 6)
    starts = 0.05 if FABRIC == "shm" else 1.5  # seconds: a rank that dies before all have started ends the job
    seconds = starts + dice.choice((0.3, 0.6, 1.0) if FABRIC == "shm" else (1, 2, 3))
    began = time.monotonic()
    job = Job([program, str(dice.randrange(10**6)), str(int((began + seconds) * 1000))], ranks=ranks, env={"ARMILLA_ON_LOSS": "replace"})
    time.sleep(starts)
    killed = kill_some(job, dice, began + starts + (seconds - starts) * 0.7)
    job.end()
    back = len(re.findall(r"^armilla: rank \d+ was replaced", job.err, re.M))
    lost = len(re.findall(r"^armilla: rank \d+ \(.*\) was killed by signal", job.err, re.M))
    early = job.code in (137, 139) and "the job was stopped" in job.err  # a rank that dies before all have started ends the job
    none = job.code in (137, 139) and "no rank is left" in job.err
    good = early or none or (job.code == 0 and "WRONG" not in job.out)
    if not good or job.left_behind():
        print(f"{ranks} ranks, {killed} killed: code {job.code}, left behind: {job.left_behind()}\n--- output\n{job.out}--- errors\n{job.err}---", flush=True)
        return False, 0, 0
    return True, lost, back


def main():
    chosen, dice = read_arguments(argparse.ArgumentParser())
    failed = losses = returns = 0
    for _ in range(chosen.count):
        good, lost, back = one_job(chosen.program, dice)
        failed, losses, returns = failed + (not good), losses + lost, returns + back
    print(f"{chosen.count} jobs, {failed} wrong; {losses} ranks lost, {returns} others in their places")
    return failed != 0 or returns * (2 if FABRIC == "shm" else 4) < losses  # a network takes some time to open


sys.exit(main())
