#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A job on two hosts to which something happens: hosts_test.py SCENE MORTAL LAUNCHER [COUNT [FABRIC [PROGRESS_MODE]]], beside two hosts of tests/hosts/hosts.

  deaths     COUNT times one rank dies, in any way: all others hear why
  cut        the cable of h2 is pulled
  still      everything on h2 stands still
  launcher   armilla-run is killed
  agent      its agent on h2 is killed

Each time the job must end with one message, and nothing may stay.
"""
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from jobs import Job, processes_on  # noqa: E402
from causes import CAUSES  # noqa: E402

HOSTS = os.path.join(os.path.dirname(HERE), "hosts", "hosts")
SCENE, MORTAL, LAUNCHER = sys.argv[1], os.path.realpath(sys.argv[2]), os.path.realpath(sys.argv[3])
FABRIC = sys.argv[5] if len(sys.argv) > 5 else "auto"
PROGRESS = {"ARMILLA_PROGRESS_MODE": sys.argv[6]} if len(sys.argv) > 6 else {}
TIMEOUT, SLACK = 2.0, 1.0  # seconds
CUT_OFF = r"rank [23] on h2 (?:has not been heard from|cannot be reached)"


class Scene:
    """One job and what is wrong with it. How none: `victim` is how many ranks a host has."""

    def __init__(self, folder, how="none", victim=2, seed=1, delay_us=0):
        self.clock = os.path.join(folder, "clock")
        with open(self.clock, "wb") as file:
            file.write(bytes(24))
        command = [HOSTS, "run", "h1", LAUNCHER, "--hosts", "h1:2,h2:2", "--rsh", os.environ["TEST_HOSTS_RSH"], MORTAL, self.clock]
        self.job = Job([*command, how, str(victim), str(seed), str(delay_us)], fabric=FABRIC,
                       env={"ARMILLA_LOSS_TIMEOUT": f"{TIMEOUT * 1000:.0f}ms", **PROGRESS})
        self.problems = []

    def read_clock(self):
        with open(self.clock, "rb") as file:
            return struct.unpack("qq", file.read(16))

    def wait_for_traffic(self):
        until = time.monotonic() + 20
        while self.read_clock()[1] == 0 and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(TIMEOUT / 2)  # the hosts have heard of each other

    def stamp(self):
        with open(self.clock, "r+b") as file:
            file.write(struct.pack("q", time.monotonic_ns()))

    def want(self, condition, problem):
        if not condition:
            self.problems.append(problem)

    def end(self, ranks, cause, message, within):
        """All of `ranks` hear of the loss by `cause`, and the job ends; within that many seconds."""
        self.job.end()
        ended = (time.monotonic_ns() - self.read_clock()[0]) / 1e9
        heard = {int(r): int(us) / 1e6 for r, us in re.findall(rf"^rank (\d+) lost \d+ after (\d+) us: .*{cause}", self.job.out, re.M)}
        self.want(set(ranks) <= set(heard), f"heard by {sorted(heard)}")
        self.want(all(heard.get(r, 0) <= within for r in ranks), f"heard after {heard} s")
        self.want(ended <= within + SLACK, f"ended after {ended:.1f} s")
        self.want("not refused" not in self.job.out, "a later operation was not refused")
        messages = self.job.messages()
        self.want(len(messages) == 1 and re.search(message, messages[0]), "not one clear message")
        self.want(self.job.code != 0, "code 0")
        self.want_nothing_left()
        if self.problems:
            print(f"{'; '.join(self.problems)}\n--- output\n{self.job.out}--- errors\n{self.job.err}---", flush=True)
        return heard, ended

    def want_nothing_left(self):
        until = time.monotonic() + 2 + SLACK
        while processes() and time.monotonic() < until:
            time.sleep(0.01)
        self.want(not processes(), f"left behind: {processes()}")
        for pid in processes():
            os.kill(pid, signal.SIGKILL)


def processes(host=None, name=None):
    """Of the job: all, or those of a host, or of one program."""
    programs = (MORTAL, LAUNCHER) if name is None else (name,)
    return sorted(pid for h in ((host,) if host else ("h1", "h2")) for pid in processes_on(h, programs))


def deaths(folder, count):
    seed = random.SystemRandom().randrange(10**9)
    print(f"seed {seed}", flush=True)
    dice = random.Random(seed)
    failed, hears, ends = 0, [], []
    for _ in range(count):
        how, victim = dice.choice([one for one in CAUSES if one != "outside"]), dice.randrange(4)
        delay = dice.randint(50_000, 300_000)  # UCX 1.13 may fail an assertion of its own when it is just connecting them
        scene = Scene(folder, how, victim, dice.randrange(10**6), delay)
        cause, code = CAUSES[how]
        others = [r for r in range(4) if r != victim]
        heard, ended = scene.end(others, rf"(?:rank {victim} on h{victim // 2 + 1} {cause}|ended (?:in .* )?after the loss of rank {victim});",
                                 rf"^armilla: rank {victim} on h{victim // 2 + 1} .*{cause}", 1.0)
        scene.want(scene.job.code == code, f"code {scene.job.code}, not {code}")
        if scene.problems:
            print(f"that was: {how} of {victim} after {delay} us; {'; '.join(scene.problems)}", flush=True)
        failed += bool(scene.problems)
        hears += heard.values()
        ends.append(ended)
    print(f"{count} deaths, {failed} wrong; heard after {max(hears, default=0) * 1e3:.1f} ms at most; job ended after "
          f"{max(ends) * 1e3:.0f} ms at most")
    return failed


def cut(scene):
    scene.stamp()
    subprocess.run([HOSTS, "cut", "h2"], check=True)
    return scene.end({0, 1}, CUT_OFF, r"on h2 |h2, with ranks", TIMEOUT + SLACK)


def still(scene):
    stopped = processes("h2")
    scene.stamp()
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    return scene.end({0, 1}, CUT_OFF, r"on h2 |h2, with ranks", TIMEOUT + SLACK)


def launcher(scene):
    root = [pid for pid in processes("h1", LAUNCHER) if b"--agent" not in open(f"/proc/{pid}/cmdline", "rb").read()]
    scene.stamp()
    os.kill(root[0], signal.SIGKILL)
    return scene.end((), "", "armilla-run ended", 1.0)


def agent(scene):
    agents = processes("h2", LAUNCHER)
    scene.stamp()
    os.kill(agents[0], signal.SIGKILL)
    return scene.end({0, 1}, r"rank [23] on h2 cannot be reached any more: the agent of armilla-run on its host ended",
                     "the agent on h2 ended, and with it ranks 2 to 3", 1.0)


def main():
    with tempfile.TemporaryDirectory(dir=os.path.dirname(MORTAL)) as folder:  # /tmp is each host's own
        if SCENE == "deaths":
            return deaths(folder, int(sys.argv[4])) != 0
        scene = Scene(folder)
        scene.wait_for_traffic()
        heard, ended = {"cut": cut, "still": still, "launcher": launcher, "agent": agent}[SCENE](scene)
        print(f"{SCENE}: heard after {heard} s, ended after {ended:.2f} s")
        return bool(scene.problems)


sys.exit(main())
