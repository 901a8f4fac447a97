#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A rank ends in each way, under traffic, in each progress mode: ends_test.py ACTOR FABRIC [--rounds N] [--load N].

The job's one message must name that rank and what happened to it, the exit code must fit, and no process may stay. --load: that many
processes compute meanwhile.
"""
import argparse
import concurrent.futures
import multiprocessing
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import Job  # noqa: E402

RANKS, STAR = 3, 1
MODES = ("poll", "signal", "thread")
EARLY = r"ended with code {} before its run\(\) ended"
WAYS = {  # what is said, and the exit code
    "code": ("exited with code 7", 7),
    "throw": ("ended by an exception: std::runtime_error: the sky falls", 1),
    "throw_bytes": (r"ended by an exception: std::runtime_error: red .*", 1),
    "exit3": (EARLY.format(3), 3),
    "exit0": (EARLY.format(0), 1),
    "quick_exit": (EARLY.format(3), 3),
    "_exit0": (EARLY.format(0), 1),
    "terminate": ("ended by an exception: std::logic_error: inside noexcept", 1),
    "kill": (r"was killed by signal 9 \(SIGKILL\)", 137),
    "segv": (r"was killed by signal 11 \(SIGSEGV\)(, core dumped)?", 139),
    "served_exit": (EARLY.format(3), 3),
    "throw_while_serving": ("ended by an exception: std::runtime_error: the sky falls", 1),
    "throw_before_reply": ("ended by an exception: std::runtime_error: the sky falls", 1),  # of the progress thread, which the rank must await
    "rank_lost": (None, 0),  # of another rank, where ranks go on without those that are lost
    "supervisor": (None, -9),  # is killed
}
SERVED = ("served_exit", "throw_while_serving", "throw_before_reply")  # by its progress thread
LOST_TWICE = (rf"armilla: rank {RANKS - 1} \(.*, pid \d+\) was killed by signal 9 \(SIGKILL\); the other 2 ranks go on\n"
              rf"armilla: rank {STAR} \(.*, pid \d+\) ended (?:in \S+ )?after the loss of rank {RANKS - 1}; the other rank goes on\n")
NOT_SEEN_BY_THREADS = ("kill", "quick_exit", "_exit0")  # which of them it was


def one(actor, fabric, linger, mode, way):
    """What is wrong with that cell; nothing: it is right."""
    cause, code = WAYS[way]
    scene = "hang" if way == "supervisor" else f"traffic_{way}"
    going_on = {"ARMILLA_ON_LOSS": "continue"} if way == "rank_lost" else {}
    if linger:
        going_on["ARMILLA_FAULTS"] = "linger=300ms"
    job = Job([actor, scene, str(STAR)], ranks=RANKS, fabric=fabric, env=going_on | {"ARMILLA_PROGRESS_MODE": mode})
    if way == "supervisor":
        job.wait_for_lines(RANKS)
        job.process.send_signal(signal.SIGKILL)
    if not job.ends():
        return f"hangs: {job.err}"
    for _ in range(500):
        if not job.left_behind():
            break
        time.sleep(0.01)
    else:
        return f"left behind: {job.left_behind()}"
    if job.code != code:
        return f"code {job.code}, not {code}: {job.err}"
    if way == "rank_lost":
        return None if re.fullmatch(LOST_TWICE, job.err) else job.err
    if cause is None:
        return None
    who = f"one of the ranks 0 to {RANKS - 1}" if fabric == "threads" and way in NOT_SEEN_BY_THREADS else f"rank {STAR}"
    if len(job.messages()) != 1 or not re.fullmatch(rf"armilla: {who} \(.*, pid \d+\) {cause}; the job was stopped", job.messages()[0]):
        return job.err
    return None


def compute():
    while True:
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("actor")
    parser.add_argument("fabric")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--load", type=int, default=0)
    parser.add_argument("--ways", nargs="+", default=list(WAYS))
    parser.add_argument("--linger", action="store_true", help="the network takes long to go, and ends a process that uses it meanwhile")
    parser.add_argument("--modes", nargs="+", default=list(MODES))
    chosen = parser.parse_args()
    load = [multiprocessing.Process(target=compute, daemon=True) for _ in range(chosen.load)]
    for each in load:
        each.start()
    cells = [(mode, way) for _ in range(chosen.rounds) for mode in chosen.modes for way in chosen.ways
             if (way not in SERVED or mode == "thread") and (way != "rank_lost" or chosen.fabric == "shm")]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda cell: one(chosen.actor, chosen.fabric, chosen.linger, *cell), cells))
    wrong = [f"{chosen.fabric}, {mode}, {way}: {text}" for (mode, way), text in zip(cells, results) if text is not None]
    for each in load:
        each.kill()
    print("\n".join(wrong + [f"{len(cells)} ends, {len(wrong)} wrong"]))
    return bool(wrong)


sys.exit(main())
