#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workers of a task farm are killed at random moments: farm_test.py FARM COUNT [--seed N]. No task is lost, none counts twice."""
import argparse
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import Job, read_arguments  # noqa: E402


def workers_of(job, ranks):
    """The processes of ranks 1 and more, once all have started; rank 0 is the oldest child of the supervisor."""
    for _ in range(2000):
        found = sorted(job.children())
        if len(found) == ranks:
            return found[1:]
        if job.process.poll() is not None:
            return []
        time.sleep(0.001)
    raise RuntimeError("the ranks did not start")


def one_job(farm, dice):
    ranks = dice.randint(2, 5)
    rows, steps = 120, dice.choice((500, 3000))
    on_loss = dice.choice(("continue", "replace"))
    job = Job([farm, str(rows), str(steps)], ranks=ranks, env={"ARMILLA_ON_LOSS": on_loss})
    killed = []
    workers = workers_of(job, ranks)
    first = min(job.children()) if workers else 0
    for _ in range(dice.randint(0, len(workers) * (3 if on_loss == "replace" else 1))):
        time.sleep(dice.random() * dice.choice((0.001, 0.01, 0.05)))
        workers = [pid for pid in job.children() if pid != first]
        if not workers:
            break
        try:
            killed.append(dice.choice(workers))
            os.kill(killed[-1], signal.SIGKILL)
        except ProcessLookupError:
            break
    job.end()
    lost = re.findall(r"^armilla: rank (\d+) \(.*\) was killed by signal 9", job.err, re.M)
    said = re.fullmatch(r"\d+ steps, right, (\d+) of (\d+) ranks are left, (\d+) tasks were given twice\n", job.out)
    early = job.code == 137 and "the job was stopped" in job.err  # a rank that dies before all have started ends the job
    good = early or (job.code == 0 and said is not None)
    if not good or job.left_behind():
        print(f"{on_loss}, {ranks} ranks, {killed} killed: code {job.code}, left behind: {job.left_behind()}\n--- output\n{job.out}--- errors\n{job.err}---", flush=True)
        return False, 0, 0
    return True, len(lost), int(said[3]) if said else 0


def main():
    chosen, dice = read_arguments(argparse.ArgumentParser())
    failed = losses = again = 0
    for _ in range(chosen.count):
        good, lost, twice = one_job(chosen.program, dice)
        failed, losses, again = failed + (not good), losses + lost, again + twice
    print(f"{chosen.count} jobs, {failed} wrong; {losses} ranks lost, {again} tasks were given to a second rank")
    return failed != 0 or losses == 0 or again == 0


sys.exit(main())
