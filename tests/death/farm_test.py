#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workers of a task farm are killed at random moments: farm_test.py FARM COUNT [--seed N]
[--hosts LAUNCHER], the latter beside two hosts of tests/hosts/hosts: the ranks are on both. No task is lost, none counts twice."""
import argparse
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import Job, over_hosts, ranks_on_hosts, read_arguments, until_tried  # noqa: E402


def workers_of(job, farm, launcher):
    """All but rank 0: the oldest child of the supervisor; of several hosts the first one on either stays."""
    if launcher:
        return [pid for host in ranks_on_hosts(farm) for pid in host[1:]]
    return job.children()[1:]


def wait_for_workers(job, farm, launcher, many):
    for _ in range(5000):
        if job.process.poll() is not None or len(workers_of(job, farm, launcher)) == many:
            return
        time.sleep(0.001)
    raise RuntimeError("the ranks did not start")


def one_job(farm, dice, launcher):
    ranks = dice.randint(3, 5) if launcher else dice.randint(2, 5)
    rows, steps = 120, dice.choice((500, 3000))
    on_loss = "continue" if launcher else dice.choice(("continue", "replace"))
    env, words = {"ARMILLA_ON_LOSS": on_loss}, [farm, str(rows), str(steps)]
    job = Job(over_hosts(launcher, ranks) + words, fabric="auto", env=env) if launcher else Job(words, ranks=ranks, env=env)
    many = ranks - (2 if launcher else 1)
    wait_for_workers(job, farm, launcher, many)
    killed = []
    for _ in range(dice.randint(0, many * (3 if on_loss == "replace" else 1))):
        time.sleep(dice.random() * dice.choice((0.001, 0.01, 0.05)))
        workers = workers_of(job, farm, launcher)
        if not workers:
            break
        try:
            killed.append(dice.choice(workers))
            os.kill(killed[-1], signal.SIGKILL)
        except ProcessLookupError:
            break
    job.end()
    lost = re.findall(r"^armilla: rank (\d+) (?:on h\d )?\(.*\) was killed by signal 9", job.err, re.M)
    said = re.fullmatch(r"\d+ steps, right, (\d+) of (\d+) ranks are left, (\d+) tasks were given twice\n", job.out)
    early = job.code == 137 and "the job was stopped" in job.err  # a rank that dies before all have started ends the job
    good = early or (job.code == 0 and said is not None)
    if not good or job.left_behind():
        print(f"{on_loss}, {ranks} ranks, {killed} killed: code {job.code}, left behind: {job.left_behind()}\n--- output\n{job.out}--- errors\n{job.err}---", flush=True)
        return False, 0, 0
    return True, len(lost), int(said[3]) if said else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", metavar="LAUNCHER")
    chosen, dice = read_arguments(parser)
    chosen.program = os.path.realpath(chosen.program)
    failed = losses = again = 0
    for job in until_tried(chosen.count, lambda: losses and (again or chosen.hosts)):
        good, lost, twice = one_job(chosen.program, dice, chosen.hosts)
        failed, losses, again = failed + (not good), losses + lost, again + twice
    print(f"{job + 1} jobs, {failed} wrong; {losses} ranks lost, {again} tasks were given to a second rank")
    return failed != 0 or losses == 0 or (again == 0 and not chosen.hosts)


sys.exit(main())
