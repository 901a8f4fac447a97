#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks die at random moments, and the others go on: survivors_test.py PROGRAM COUNT [--seed N]
[--hosts LAUNCHER]: beside two hosts of tests/hosts/hosts, the ranks are on both. TEST_FABRIC names a network on this one.

Those that are left must come to the end of their work with teams on which they agree, or having heard of the same losses at the
same meetings; the job must end by code 0, with one line for each rank that was lost, and nothing may stay.
"""
import argparse
import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import FABRIC, FABRIC_OF_HOSTS, Job, over_hosts, read_arguments, until_tried  # noqa: E402

CAUSES = {
    "kill": r"was killed by signal 9 \(SIGKILL\)",
    "segv": r"was killed by signal 11 \(SIGSEGV\)",
    "_exit": r"ended with code 3 before its run\(\) ended",
    "throw": r"ended by an exception: std::runtime_error: had enough",
}


def deaths_of(dice, ranks):
    """What strikes which rank: at least one stays."""
    kind = dice.choice(("one", "one", "two", "at once", "within", "root", "all but one", "chain", "end"))
    delay = lambda: dice.randint(0, dice.choice((100, 2000, 20000)))  # noqa: E731
    how = lambda: dice.choice(list(CAUSES))  # noqa: E731
    victims = dice.sample(range(ranks), min(ranks - 1, {"two": 2, "at once": 2, "within": 2, "all but one": ranks, "chain": ranks}.get(kind, 1)))
    if kind == "root":
        return [(0, how(), "start", delay())]
    if kind == "end":  # its run() has ended, perhaps not that of others
        return [(victims[0], "kill", "end", delay())]
    if kind == "at once":
        moment = delay()
        return [(v, "kill", "start", moment) for v in victims]
    if kind in ("within", "chain"):  # the others hear of the first, and die while they agree
        return [(victims[0], how(), "start", delay())] + [(v, how(), "loss", dice.randint(0, 300)) for v in victims[1:]]
    return [(v, how(), "start", delay()) for v in victims]


def one_after_the_other(ranks):
    """More losses than a rank can have teams."""
    return [(v, "kill", "start", 60_000 * v) for v in range(1, ranks - 1)]


def one_job(survivor, dice, many=False, launcher=None):
    ranks = 20 if many else dice.randint(2, 5)
    seed, steps = dice.randrange(10**6), 4000 if many else dice.choice((40, 200, 400))
    if launcher or FABRIC != "shm":
        steps = dice.choice((20, 40))
    deaths = one_after_the_other(ranks) if many else deaths_of(dice, ranks)
    env = {"ARMILLA_ON_LOSS": "continue", "ARMILLA_PROGRESS_MODE": dice.choice(("poll", "poll", "thread")),
           "ARMILLA_FENCE": dice.choice(("auto", "tree", "dissemination"))}
    if dice.randrange(4) == 0:
        env["ARMILLA_STATS"] = "1"
    words = [os.path.realpath(survivor), str(seed), str(steps)] + [":".join(map(str, d)) for d in deaths]
    scene = f"{ranks} ranks, {' '.join(words[1:])}, {env}"
    began = time.monotonic()
    if launcher:
        job = Job(over_hosts(launcher, ranks) + words, fabric=FABRIC_OF_HOSTS, env=env)
    else:
        job = Job(words, ranks=ranks, env=env)
    job.end()
    problems = []
    struck = {v for v, *_ in deaths}
    done = {int(r) for r in re.findall(r"^rank (\d+) done$", job.out, re.M)}
    lost = {int(r): cause for r, cause in re.findall(r"^armilla: rank (\d+) (?:on \w+ )?\(.*?\) (.*); (?:the other|no rank)", job.err, re.M)}
    if not set(range(ranks)) - struck <= done:
        problems.append(f"only {sorted(done)} are done")
    if "WRONG" in job.out:
        problems.append("a wrong result")
    if job.code != 0:
        problems.append(f"code {job.code}")
    if not set(lost) <= struck or not set(range(ranks)) - done <= set(lost):
        problems.append(f"told of the loss of {sorted(lost)}")
    for v, how, *_ in deaths:
        if v in lost and not re.search(CAUSES[how], lost[v]):
            problems.append(f"the cause of rank {v}'s loss")
    teams = {}
    for rank, team, members in re.findall(r"^rank (\d+) team (\d+): ([\d ]+)$", job.out, re.M):
        if teams.setdefault(team, members) != members or rank not in members.split():
            problems.append(f"ranks disagree about team {team}")
    heard = {r: re.findall(rf"^rank {r} (meeting \d+: \d+)$", job.out, re.M) for r in done}
    if any(told != heard[min(done)] for told in heard.values()):
        problems.append(f"ranks have heard of losses at other meetings: {heard}")
    teams.update(dict.fromkeys(told for all_told in heard.values() for told in all_told))
    if left := job.left_behind():
        problems.append(f"left behind: {left}")
    if problems:
        print(f"{scene}: {'; '.join(problems)} after {time.monotonic() - began:.1f} s\n--- output\n{job.out}--- errors\n{job.err}---", flush=True)
    return not problems, len(lost), len(teams)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", metavar="LAUNCHER")
    chosen, dice = read_arguments(parser)
    failed = losses = teams = 0
    for i in until_tried(chosen.count, lambda: losses and teams):
        good, lost, agreed = one_job(chosen.program, dice, many=i % 300 == 0 and not chosen.hosts and FABRIC == "shm",
                                     launcher=chosen.hosts)
        failed, losses, teams = failed + (not good), losses + lost, teams + agreed
    print(f"{i + 1} jobs, {failed} wrong; {losses} ranks lost, {teams} teams or meetings of those that were left")
    if losses == 0 or teams == 0:
        print("nothing was tried")
    return failed != 0 or losses == 0 or teams == 0


sys.exit(main())
