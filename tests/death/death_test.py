#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A rank of a job under traffic dies at a random moment: death_test.py MORTAL COUNT [--fabrics shm loop] [--seed N].

Every other rank must hear of it in its program, the job must end within a second with one message, and nothing may stay.
"""
import argparse
import os
import re
import signal
import struct
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from causes import CAUSES  # noqa: E402
from jobs import Job, read_arguments  # noqa: E402

LIMIT_NS = 1_000_000_000
ON_THREADS = ("throw",)  # all else ends the process, and with it all ranks


class Clock:
    """The file in which the one that dies writes when."""

    def __init__(self, folder):
        self.name = os.path.join(folder, "clock")

    def reset(self):
        with open(self.name, "wb") as file:
            file.write(bytes(24))

    def read(self):
        with open(self.name, "rb") as file:
            return struct.unpack("qq", file.read(16))

    def stamp(self):
        with open(self.name, "r+b") as file:
            file.write(struct.pack("q", time.monotonic_ns()))


def kill_from_outside(clock, delay_us):
    until = time.monotonic() + 20
    while clock.read()[1] == 0 and time.monotonic() < until:
        time.sleep(0.001)
    time.sleep(delay_us / 1e6)
    pid = clock.read()[1]
    clock.stamp()
    os.kill(pid, signal.SIGKILL)


def one_death(mortal, clock, dice, fabric):
    how = dice.choice(ON_THREADS if fabric == "threads" else list(CAUSES))
    ranks = dice.randint(2, 4)
    victim, seed, delay = dice.randrange(ranks), dice.randrange(10**6), dice.choice((0, 300, 3000, 20000))
    delay = dice.randint(0, delay)
    clock.reset()
    reception = dice.choice(("poll", "thread"))
    collectives = dice.choice(("flat", "pairs")) if fabric == "loop" else "auto"
    scene = f"{fabric}, {reception}, {collectives}, {ranks} ranks, {how} of {victim}, seed {seed}, after {delay} us"
    job = Job([mortal, clock.name, how, str(victim), str(seed), str(delay)], ranks=ranks, fabric=fabric,
              env={"ARMILLA_PROGRESS_MODE": reception, "ARMILLA_COLLECTIVES": collectives})
    if how == "outside":
        kill_from_outside(clock, delay)
    job.end()
    ended = time.monotonic_ns() - clock.read()[0]
    left = job.left_behind()
    cause, code = CAUSES[how]
    heard = dict(re.findall(rf"^rank (\d+) lost \d+ after (\d+) us: .*(?:rank {victim} .*{cause}|ended (?:in .* )?after the loss of rank {victim}); .*$", job.out, re.M))
    problems = []
    if sorted(map(int, heard)) != [r for r in range(ranks) if r != victim]:
        problems.append(f"heard by {sorted(heard)}")
    if "not refused" in job.out:
        problems.append("a later operation was not refused")
    if len(job.messages()) != 1 or not re.search(rf"rank {victim} .*{cause}", job.messages()[0]):
        problems.append("not one clear message")
    if job.code != code:
        problems.append(f"code {job.code}, not {code}")
    if ended > LIMIT_NS:
        problems.append(f"{ended / 1e6:.0f} ms from death to end")
    if left:
        problems.append(f"left behind: {left}")
    if problems:
        print(f"{scene}: {'; '.join(problems)}\n--- output\n{job.out}--- errors\n{job.err}---", flush=True)
    return not problems, [int(us) for us in heard.values()], ended


def taken_from_us():
    """Seconds for which the processors of this machine were taken away, the sum of all of them."""
    with open("/proc/stat", encoding="ascii") as file:
        return int(file.readline().split()[8]) / os.sysconf("SC_CLK_TCK")


def one_fair_death(*scene):
    """A death while the processors were ours: where they were taken away, no time says anything, and it is tried again."""
    for _ in range(4):
        began, taken = time.monotonic(), taken_from_us()
        result = one_death(*scene)
        share = (taken_from_us() - taken) / max(time.monotonic() - began, 0.1)
        if result[0] or share < 0.1:
            break
        print(f"once more: {share:.2f} processors were taken away", flush=True)
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fabrics", nargs="+", default=["shm", "loop"])
    chosen, dice = read_arguments(parser)
    failed, hears, ends = 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock(folder)
        for i in range(chosen.count):
            good, heard, ended = one_fair_death(chosen.program, clock, dice, chosen.fabrics[i % len(chosen.fabrics)])
            failed += not good
            hears += heard
            ends.append(ended)
    hears.sort()
    ends.sort()
    if hears:
        print(f"{chosen.count} deaths, {failed} wrong; heard after {hears[len(hears) // 2]} us (median), {hears[-1]} us at most; "
              f"job ended after {ends[len(ends) // 2] / 1e6:.1f} ms (median), {ends[-1] / 1e6:.1f} ms at most")
    return failed != 0


sys.exit(main())
