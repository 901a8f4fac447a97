#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hosts of a job that goes on are cut off, stand still or lose their agent, at random moments: suspects_test.py PROGRAM COUNT
[--seed N] --hosts LAUNCHER, beside three hosts of tests/hosts/hosts.

All ranks of such a host are lost; what comes back later does not come back into the job. A host that stands still for less than the
time-out is none of them. Ranks of other hosts may be killed beside it. The others come to the end of their work with teams on which
they agree, as in survivors_test.py.
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
from jobs import FABRIC_OF_HOSTS, HOSTS, Job, processes_on, read_arguments  # noqa: E402

TIMEOUT = 1.5  # seconds
RANKS = {"h1": (0, 1), "h2": (2, 3), "h3": (4,)}


class Strike:
    """What happens to one host. `over` puts right what does not end with the job."""

    def __init__(self, host, how, program, dice):
        self.host, self.how, self.program = host, how, program
        self.seconds = TIMEOUT * dice.uniform(0.1, 0.4) if how == "pause" else TIMEOUT * dice.uniform(2.5, 4)

    def loses_it(self):
        return self.how != "pause"

    def happen(self, launcher):
        if self.how == "cut":
            subprocess.run([HOSTS, "cut", self.host], check=True)
        else:
            for pid in self.processes(launcher):
                send(pid, signal.SIGKILL if self.how == "agent" else signal.SIGSTOP)
        time.sleep(self.seconds if self.how != "agent" else 0)
        self.over(launcher)

    def over(self, launcher):
        if self.how == "cut":
            subprocess.run([HOSTS, "join", self.host], check=True)
        elif self.how != "agent":
            for pid in self.processes(launcher):
                send(pid, signal.SIGCONT)

    def processes(self, launcher):
        """Of the job on that host, but armilla-run itself; of an agent nothing else."""
        found = processes_on(self.host, (self.program, launcher) if self.how != "agent" else (launcher,))
        return [pid for pid in found if not is_root(pid, launcher)]


def is_root(pid, launcher):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as words:
            return os.readlink(f"/proc/{pid}/exe") == launcher and b"--agent" not in words.read()
    except OSError:
        return False


def send(pid, what):
    try:
        os.kill(pid, what)
    except ProcessLookupError:
        pass


def strikes_of(dice, program):
    """One or two hosts: armilla-run is on h1, which keeps its cable."""
    hosts = dice.sample(["h1", "h2", "h3"], dice.choice((1, 1, 2)))
    return [Strike(h, dice.choice(("agent", "still", "pause") + (("cut",) if h != "h1" else ())), program, dice) for h in hosts]


def one_job(program, launcher, dice):
    strikes = strikes_of(dice, program)
    struck = {r for s in strikes if s.loses_it() for r in RANKS[s.host]}
    killed = [r for r in range(5) if r not in struck and dice.randrange(6) == 0]
    killed = killed[:max(0, 4 - len(struck))]
    deaths = [f"{r}:kill:{dice.choice(('start', 'loss'))}:{dice.randint(0, 20_000)}" for r in killed]
    env = {"ARMILLA_ON_LOSS": "continue", "ARMILLA_LOSS_TIMEOUT": f"{TIMEOUT * 1000:.0f}ms",
           "ARMILLA_PROGRESS_MODE": dice.choice(("poll", "poll", "thread")), "ARMILLA_FENCE": dice.choice(("auto", "tree", "dissemination"))}
    words = [program, str(dice.randrange(10**6)), str(dice.choice((100, 400))), *deaths]
    scene = f"{[(s.host, s.how, round(s.seconds, 2)) for s in strikes]}, {' '.join(words[1:])}, {env}"
    hosts = ",".join(f"{h}:{len(r)}" for h, r in RANKS.items())
    job = Job([HOSTS, "run", "h1", launcher, "--hosts", hosts, "--rsh", os.environ["TEST_HOSTS_RSH"], *words], fabric=FABRIC_OF_HOSTS, env=env)
    job.wait_for_lines(1)  # all have begun
    time.sleep(dice.random() * dice.choice((0.001, 0.02, 0.2)))
    at_work = [threading.Thread(target=s.happen, args=(launcher,)) for s in strikes]
    for thread in at_work:
        thread.start()
    problems = [] if job.ends() else ["it hangs"]
    for thread in at_work:
        thread.join()
    until = time.monotonic() + 3 * TIMEOUT + 2
    while job.left_behind() and time.monotonic() < until:
        time.sleep(0.01)
    done = {int(r) for r in re.findall(r"^rank (\d+) done$", job.out, re.M)}
    if not set(range(5)) - struck - set(killed) <= done:
        problems.append(f"only {sorted(done)} are done")
    if "WRONG" in job.out or job.code != 0:
        problems.append(f"a wrong result, or code {job.code}")
    lost_hosts = set(re.findall(r"^armilla: (?:the agent on )?(h\d)[ ,]", job.err, re.M))
    if wrongly := lost_hosts - {s.host for s in strikes if s.loses_it()}:
        problems.append(f"taken for lost: {sorted(wrongly)}")
    teams = {}
    for rank, team, members in re.findall(r"^rank (\d+) team (\d+): ([\d ]+)$", job.out, re.M):
        if int(rank) not in struck and (teams.setdefault(team, members) != members or rank not in members.split()):
            problems.append(f"ranks disagree about team {team}")
    if left := job.left_behind():
        problems.append(f"left behind: {left}")
        for pid in left:
            send(pid, signal.SIGKILL)
    if problems:
        print(f"{scene}: {'; '.join(problems)}\n--- output\n{job.out}--- errors\n{job.err}---", flush=True)
    return {"wrong": bool(problems), "hosts lost": len(lost_hosts), "ranks killed": len(killed), "teams": len(teams)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", metavar="LAUNCHER", required=True)
    chosen, dice = read_arguments(parser)
    sums = {}
    for _ in range(chosen.count):
        for what, n in one_job(os.path.realpath(chosen.program), os.path.realpath(chosen.hosts), dice).items():
            sums[what] = sums.get(what, 0) + n
    print(f"{chosen.count} jobs: " + ", ".join(f"{n} {what}" for what, n in sums.items()))
    return sums["wrong"] != 0 or sums["hosts lost"] == 0


sys.exit(main())
