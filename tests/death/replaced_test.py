#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks are killed at random moments, and others take their places: replaced_test.py REPLACED COUNT [--seed N]
[--hosts LAUNCHER]: beside two hosts of tests/hosts/hosts, the ranks are on both. TEST_FABRIC names a network on this one."""
import argparse
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import FABRIC, FABRIC_OF_HOSTS, Job, over_hosts, ranks_on_hosts, read_arguments  # noqa: E402


PAUSES = {"shm": (0.001, 0.02, 0.1), "ofi": (0.2, 1, 2)}  # seconds at most between deaths; libfabric takes long to open in a new process


def kill_some(job, ranks_of, dice, until, fabric):
    """Several at once, also those that have just come; never the oldest one of all, lest none is left, in most jobs."""
    signals = (signal.SIGKILL,) if fabric != "shm" else (signal.SIGKILL, signal.SIGKILL, signal.SIGSEGV)  # engines of networks have handlers of their own
    killed = 0
    spared = min(ranks_of(job), default=0) if dice.random() < 0.9 else 0
    while time.monotonic() < until and job.process.poll() is None:
        time.sleep(dice.random() * dice.choice(PAUSES.get(fabric, (0.02, 0.2, 1))))
        found = [pid for pid in ranks_of(job) if pid != spared]
        for victim in dice.sample(found, min(dice.choice((1, 1, 1, 2, 3)), len(found))):
            try:
                os.kill(victim, dice.choice(signals))
                killed += 1
            except ProcessLookupError:
                pass
    return killed


def one_job(program, dice, launcher, starts):
    ranks = dice.randint(2, 6)
    fabric = FABRIC_OF_HOSTS if launcher else FABRIC
    starts = starts or (2.5 if launcher else 0.05 if fabric == "shm" else 1.5)  # a rank that dies before all have started ends the job
    seconds = starts + dice.choice((0.3, 0.6, 1.0) if fabric == "shm" else (2, 4) if fabric == "ofi" else (1, 2, 3))
    began = time.monotonic()
    words = [os.path.realpath(program), str(dice.randrange(10**6)), str(int((began + seconds) * 1000))]
    env = {"ARMILLA_ON_LOSS": "replace"}
    if launcher:
        job = Job(over_hosts(launcher, ranks) + words, fabric=FABRIC_OF_HOSTS, env=env)
    else:
        job = Job(words, ranks=ranks, env=env)
    time.sleep(starts)
    ranks_of = (lambda _: sum(ranks_on_hosts(program), [])) if launcher else Job.children
    killed = kill_some(job, ranks_of, dice, began + starts + (seconds - starts) * 0.7, fabric)
    job.end()
    back = len(re.findall(r"^armilla: rank \d+ was replaced", job.err, re.M))
    lost = len(re.findall(r"^armilla: rank \d+ (?:on \w+ )?\(.*\) was killed by signal", job.err, re.M))
    early = job.code in (137, 139) and "the job was stopped" in job.err  # a rank that dies before all have started ends the job
    none = job.code in (137, 139) and "no rank is left" in job.err
    good = early or none or (job.code == 0 and "WRONG" not in job.out)
    if not good or job.left_behind():
        print(f"{ranks} ranks, {killed} killed: code {job.code}, left behind: {job.left_behind()}\n--- output\n{job.out}--- errors\n{job.err}---", flush=True)
        return False, 0, 0
    return True, lost, back


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", metavar="LAUNCHER")
    parser.add_argument("--starts", type=float, metavar="SECONDS", help="how long a job may start, on a busy machine")
    chosen, dice = read_arguments(parser)
    failed = losses = returns = 0
    for _ in range(chosen.count):
        good, lost, back = one_job(chosen.program, dice, chosen.hosts, chosen.starts)
        failed, losses, returns = failed + (not good), losses + lost, returns + back
    print(f"{chosen.count} jobs, {failed} wrong; {losses} ranks lost, {returns} others in their places")
    return failed != 0 or returns * (4 if chosen.hosts or FABRIC != "shm" else 2) < losses  # a network takes some time to open


sys.exit(main())
