#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks die before, between and in the middle of checkpoints, and the others recover: keep_test.py KEEPER COUNT [--kinds K,...] [--seed N]
[--policies P,...] [--join LAUNCHER] [--hosts LAUNCHER], the latter beside two hosts of tests/hosts/hosts: the ranks are on both.

Policies: `continue`; `replace`: other processes come into the places of the lost; `join`: ranks join the running job, also in such places.

The program compares what comes back with what was kept. Here: all that are left come to their end, those that agree agree on the
step and on how much is gone, and the job leaves nothing.
"""
import argparse
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import PATIENCE, Job, over_hosts, read_arguments  # noqa: E402

KINDS = ("blocks", "cyclic", "vector", "raw", "texts", "dealt texts", "plate", "map", "multimap", "set", "multiset", "list",
         "ordered map")
ELEMENTS = (0, 7, 5000, 60_000, 400_000)  # the last takes ten times as long: where there are few jobs, they are smaller
POLICIES = ("continue", "replace", "join")


def deaths_of(dice, ranks, copies):
    """(rank, when, delay): before the first checkpoint, in the middle of one, between them; one, and with its neighbours."""
    first = dice.randrange(ranks)
    victims = [first]
    with_it = dice.choice(("alone", "alone", "neighbour", "all holders", "all holders", "another", "later", "while they recover", "one after the other"))
    if with_it == "neighbour":
        victims.append((first + 1) % ranks)
    elif with_it == "all holders":
        victims += [(first + k) % ranks for k in range(1, copies + 1)]
    elif with_it == "another":
        victims.append(dice.randrange(ranks))
    victims = list(dict.fromkeys(victims))[:ranks - 1]
    moment = dice.choice(("before", "in", "in", "in", "between"))
    when = str(dice.randint(1, 4))
    delay = {"in": lambda: dice.randint(0, dice.choice((300, 2000, 6000))), "between": lambda: dice.randint(3000, 12000)}
    if moment == "before":
        deaths = [(v, "start", dice.randint(0, 300)) for v in victims]
    else:
        common = delay[moment]()
        deaths = [(v, when, common + dice.randint(0, 50)) for v in victims]
    others = [r for r in range(ranks) if r not in victims]
    dice.shuffle(others)
    if with_it == "later" and len(others) > 1:
        deaths.append((others[0], str(int(when) + dice.randint(1, 3)), dice.randint(0, 3000)))
    if with_it == "while they recover":
        deaths += [(v, "loss", dice.randint(0, dice.choice((200, 3000)))) for v in others[:max(1, len(others) // 2)][:len(others) - 1]]
    if with_it == "one after the other":
        deaths += [(v, str(int(when) + 2 * k + 1), dice.randint(0, 3000)) for k, v in enumerate(others[:-1])]
    return deaths


def join_at_times(job, dice, launcher, words):
    """Ranks that come into the job, until it is over."""
    asked = []
    while job.process.poll() is None and len(asked) < 12:
        time.sleep(dice.random() * dice.choice((0.005, 0.05)))
        command = [launcher, "--join", str(job.process.pid), "-n", str(dice.choice((1, 1, 2))), *words]
        asked.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True))
    return asked


def one_job(keeper, dice, chosen):
    kinds, launcher = chosen.kinds.split(","), chosen.hosts
    policy = dice.choice([p for p in chosen.policies.split(",") if p != "join" or (chosen.join and not launcher)])
    ranks, copies = dice.choice((2, 4, 4, 5) if launcher else (2, 4, 4, 8)), dice.choice((1, 1, 2, 3))
    kind = dice.choice([kind for kind in kinds if kind != "raw" or (not launcher and policy == "continue")])
    seed, steps, elements = dice.randrange(10**6), dice.choice((25, 60)), dice.choice(ELEMENTS if chosen.count >= 30 else ELEMENTS[:-1])
    deaths = deaths_of(dice, ranks, copies)
    env = {"ARMILLA_ON_LOSS": "replace" if policy == "replace" else "continue",
           "ARMILLA_PROGRESS_MODE": dice.choice(("poll", "poll", "thread")) if policy == "continue" else "poll",
           "ARMILLA_FENCE": dice.choice(("auto", "tree", "dissemination"))}
    if policy == "join":
        env["ARMILLA_MAX_RANKS"] = str(ranks + 2)
    words = [os.path.realpath(keeper), kind, str(seed), str(steps), str(elements), str(copies)] + [":".join(map(str, d)) for d in deaths]
    words += [f"{(ranks + 1) // 2}:second host"] if launcher else []
    scene = f"{ranks} ranks, {' '.join(words[1:])}, {env}"
    began = time.monotonic()
    job = Job(over_hosts(launcher, ranks) + words, fabric="auto", env=env) if launcher else Job(words, ranks=ranks, fabric="shm", env=env)
    asked = join_at_times(job, dice, chosen.join, words) if policy == "join" else []
    problems = [] if job.ends() else ["it hangs"]
    for one in asked:
        one.wait(timeout=PATIENCE)
    struck = {v for v, *_ in deaths}
    done = {int(r) for r in re.findall(r"^rank (\d+) done$", job.out, re.M)}
    lost = {int(r) for r in re.findall(r"^armilla: rank (\d+) (?:on h\d )?\(.*?\) was killed by signal 9", job.err, re.M)}
    if not set(range(ranks)) - struck <= done:
        problems.append(f"only {sorted(done)} are done")
    if "WRONG" in job.out or job.code != 0:
        problems.append(f"a wrong result, code {job.code}")
    if not lost <= struck or not set(range(ranks)) - done <= lost:
        problems.append(f"told of the loss of {sorted(lost)}")
    agreed = {}  # by size of the team: it only shrinks
    recovered = re.findall(r"^rank \d+ of (\d+) goes on from step (\d+), (\d+) gone$", job.out, re.M)
    for size, *what in recovered:
        if agreed.setdefault(size, what) != what and len(struck) == 1:
            problems.append(f"teams of {size} recovered {agreed[size]} and {what}")
    if left := job.left_behind():
        problems.append(f"left behind: {left}")
    if problems:
        print(f"{scene}: {'; '.join(problems)} after {time.monotonic() - began:.1f} s\n--- output\n{job.out}--- errors\n{job.err}---", flush=True)
    return {"wrong": bool(problems), policy: 1, "joined": sum(one.returncode == 0 for one in asked), "lost": len(lost), "recovered": len(recovered) > 0,
            "with elements gone": any(g != "0" for *_, g in recovered), "had nothing": "had nothing" in job.out}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--policies", default=",".join(POLICIES))
    parser.add_argument("--join", metavar="LAUNCHER")
    parser.add_argument("--hosts", metavar="LAUNCHER")
    chosen, dice = read_arguments(parser)
    sums = {}
    for _ in range(chosen.count):
        for what, n in one_job(chosen.program, dice, chosen).items():
            sums[what] = sums.get(what, 0) + n
    print(f"{chosen.count} jobs: " + ", ".join(f"{n} {what}" for what, n in sums.items()))
    wanted = ("lost", "recovered") if chosen.hosts or chosen.count < 30 else ("lost", "recovered", "with elements gone", "had nothing")
    untried = [what for what in wanted if sums[what] == 0 and "raw" != chosen.kinds]
    if untried:
        print(f"not tried: {untried}")
    return sums["wrong"] != 0 or untried != []


sys.exit(main())
