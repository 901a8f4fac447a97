#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks of a key-value service are killed at random moments: kv_test.py SERVICE COUNT [--broken] [--seed N]
[--hosts LAUNCHER], the latter beside two hosts of tests/hosts/hosts: the ranks are on both, and one on either stays. It loses no acknowledged write.

The program checks what its clients have done and seen. Here: it ends with an answer, and leaves nothing. Of a service that is broken
the answer must be wrong, in one of at most COUNT jobs.
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import PATIENCE, Job, over_hosts, ranks_on_hosts, read_arguments, until_tried  # noqa: E402


class Service(Job):
    """One job of the service. What it prints is read while it runs."""

    def __init__(self, program, ranks, copies, words, env, launcher=None):
        command, env = [program, *words, str(copies)], {"ARMILLA_ON_LOSS": "continue"} | env
        if launcher:
            super().__init__(over_hosts(launcher, ranks) + command, fabric="auto", env=env)
        else:
            super().__init__(command, ranks=ranks, env=env)
        self.copies, self.program, self.launcher = copies, program, launcher
        self.living = {}  # processes by rank
        self.restored = dict.fromkeys(range(ranks), 0)  # behind how many losses each rank has done that
        self.serves = self.ended = False
        self.out = ""
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.out += line
                self.serves |= line.endswith("ranks serve\n")
                if found := re.fullmatch(r"rank (\d+): all copies again behind (\d+) losses\n", line):
                    rank = int(found[1])
                    self.restored[rank] = max(self.restored[rank], int(found[2]))
                self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def wait_until(self, holds):
        """False: the job has ended before."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.ended or holds(), PATIENCE):
                raise TimeoutError("no such line comes")
            return not self.ended

    def wait_for_service(self):
        if not self.wait_until(lambda: self.serves):
            return False
        found = sum(sorted(ranks_on_hosts(self.program), key=len, reverse=True), []) if self.launcher else self.children()
        self.living = dict(enumerate(found))  # started in the order of their numbers
        return True

    def may_die(self):
        """Of several hosts the first rank of either stays: what clients did there is read by ranks of that host."""
        half = (len(self.restored) + 1) // 2 if self.launcher else None
        return sorted(rank for rank in self.living if half is None or rank not in (0, half))

    def wait_for_copies(self):
        lost = len(self.restored) - len(self.living)
        return self.wait_until(lambda: all(self.restored[r] >= lost for r in self.living))

    def strike(self, rank, how):
        try:
            if rank is not None:
                os.kill(self.living[rank], how)
        except ProcessLookupError:
            pass  # the job is over

    def _communicate(self, text=None):
        self.reader.join(PATIENCE)
        if self.reader.is_alive():
            raise subprocess.TimeoutExpired(self.process.args, PATIENCE)
        self.err = self.process.stderr.read()
        self.code = self.process.wait(PATIENCE)


def kill_some(job, dice, seconds):
    """At once as many as may die before the copies are there again; then some more. From the begin on, or when the service is about to end."""
    goes_on = job.wait_for_service()
    time.sleep(dice.choice((0, 0, 0, dice.uniform(0.8, 1.3) * seconds)))
    least = dice.choice((1, 1, 2))
    while goes_on and len(job.living) > least:
        time.sleep(dice.random() * dice.choice((0.002, 0.01, 0.04)))
        victims = dice.sample(job.may_die(), min(dice.randint(1, job.copies - 1), len(job.living) - least, len(job.may_die())))
        if not victims:
            return
        slow = dice.choice([None, *(r for r in job.living if r not in victims)])  # hears late of the loss, and of what was sent before
        job.strike(slow, signal.SIGSTOP)
        for victim in victims:
            time.sleep(dice.choice((0, 0, dice.random() * 0.001)))
            job.strike(victim, signal.SIGKILL)
            del job.living[victim]
        if slow is not None:
            time.sleep(dice.random() * 0.005)
            job.strike(slow, signal.SIGCONT)
        goes_on = job.wait_for_copies()


def one_job(program, dice, broken, launcher):
    ranks, copies = dice.choice((5, 5, 3) if launcher else (4, 4, 8)), dice.choice((2, 3))
    seconds, keys = dice.choice((0.03, 0.1, 0.2)), dice.choice((4, 16, 64))
    env = {"ARMILLA_PROGRESS_MODE": dice.choice(("poll", "poll", "thread"))}
    job = Service(program, ranks, copies, [str(seconds), str(keys)], env, launcher)
    problems = []
    try:
        kill_some(job, dice, seconds)
    except TimeoutError as why:
        problems.append(f"it hangs: {why}")
    if not job.ends():
        problems.append("it hangs")
    lost = set(map(int, re.findall(r"^armilla: rank (\d+) (?:on h\d )?\(.*\) was killed by signal 9", job.err, re.M)))
    said = re.search(r"^(\d+) operations on \d+ keys, \w+; \d+ of \d+ ranks are left$", job.out, re.M)
    wrong = "WRONG" in job.out
    if said is None or (job.code != 0 and not wrong):
        problems.append(f"code {job.code}")
    if not lost <= set(range(ranks)) - set(job.living):
        problems.append(f"lost are {sorted(lost)}")
    if left := job.left_behind():
        problems.append(f"left behind: {left}")
    if problems or (wrong and not broken):
        print(f"{ranks} ranks, {copies} copies, {keys} keys, {seconds} s, {env}: {'; '.join(problems)}\n--- output\n{job.out}--- errors\n{job.err}---", flush=True)
    return {"failed": bool(problems), "wrong": wrong, "lost": len(lost), "operations": int(said[1]) if said else 0}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--broken", action="store_true")
    parser.add_argument("--hosts", metavar="LAUNCHER")
    chosen, dice = read_arguments(parser)
    sums = {}
    for job in until_tried(chosen.count, lambda: sums["lost"]):
        if chosen.broken and sums.get("wrong"):
            break
        for what, n in one_job(os.path.realpath(chosen.program), dice, chosen.broken, chosen.hosts).items():
            sums[what] = sums.get(what, 0) + n
    print(f"{job + 1} jobs: " + ", ".join(f"{n} {what}" for what, n in sums.items()))
    return sums["failed"] != 0 or sums["lost"] == 0 or (sums["wrong"] != 0) != chosen.broken


sys.exit(main())
