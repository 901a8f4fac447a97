#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random pairs and triples of features in small jobs whose result is known: pairs_test.py PAIRS COUNT [--seed N] [--fabrics FABRIC...]
[--top FILE --caller FILE --armilla-run FILE] [--checked FILE] [--python FOLDER] [--mpirun FILE]

Of each table one value or two: how ranks are connected, how they make progress, what a loss does, what is watched, what the
program does, and with whom. Some jobs have attached clients that look at them and call them meanwhile, some ranks that join, some are of the
checked library, some are ranks of Python (FOLDER: <build>/python); where these are not given, or not built, the job is a plain one.
Without a seed COUNT jobs are those of seeds 1 to COUNT, so that each run has the same ones. A job that ends
otherwise than it must is told with the command that starts it again.
"""
import argparse
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import PATIENCE, Job  # noqa: E402

PROGRESS = ({}, {"ARMILLA_PROGRESS_MODE": "thread"}, {"ARMILLA_PROGRESS_MODE": "signal"}, {"ARMILLA_POLL_EVERY": "3"})
WATCHED = ({}, {"ARMILLA_TRACE": "trace.json"}, {"ARMILLA_STATS": "stats.json"}, {"ARMILLA_RECORD": "record"}, {"ARMILLA_WAIT_REPORT": "20"})
TUNED = ({}, {"ARMILLA_AGGREGATE": "64"}, {"ARMILLA_EAGER": "128"}, {"ARMILLA_ACCESS_BY_MESSAGE": "on"}, {"ARMILLA_CROSS_COPY": "off"},
         {"ARMILLA_RING": "8K"}, {"ARMILLA_COLLECTIVES": "pairs"}, {"ARMILLA_STACK": "64K"}, {"ARMILLA_SPIN": "0"})
FEATURES = ("one_way_calls", "two_way_calls", "collectives", "map", "vector", "queue", "files", "saves", "objects", "memory", "kept")
FENCE = {"one_way_calls", "map", "queue", "saves", "kept"}  # of which one fiber of a rank at a time may be inside


PYTHON_FEATURES = ("calls", "one_way_calls", "collectives", "arrays", "dictionaries")
KINDS = ("plain",) * 8 + ("client", "join", "python", "checked")
JOINERS = 2


def drawn_python(dice, seed, env):
    env |= {"ARMILLA_FABRIC": dice.choice(("shm", "loop")), "ARMILLA_RANKS": str(dice.choice((2, 3)))}  # an interpreter takes long to start
    env.pop("ARMILLA_RECORD", None)  # of C++ alone
    if env.get("ARMILLA_PROGRESS_MODE") == "signal":
        del env["ARMILLA_PROGRESS_MODE"]  # an interpreter has signals of its own
    return env, [str(seed), *dice.sample(PYTHON_FEATURES, dice.choice((1, 2, 3)))]


def drawn(seed, fabrics, kinds):
    """The kind of one job, its environment and its words. Kinds that are not there become plain ones."""
    dice = random.Random(seed)
    kind = dice.choice(KINDS)
    env = {"ARMILLA_FABRIC": dice.choice(fabrics), "ARMILLA_RANKS": str(dice.choice((2, 3, 4, 5)))}
    how = dice.choice((["world"], ["halves"], ["fibers"], ["halves", "fibers"]))
    for table in dice.sample((PROGRESS, WATCHED, TUNED), dice.randint(1, 3)):
        env |= dice.choice(table[1:])
    if kind not in kinds:
        kind = "plain"
    if kind == "python":
        return kind, *drawn_python(dice, seed, env)
    if kind == "join":
        env["ARMILLA_FABRIC"] = "shm"
        env |= {"ARMILLA_ON_LOSS": dice.choice(("continue", "replace")), "ARMILLA_MAX_RANKS": str(int(env["ARMILLA_RANKS"]) + JOINERS)}
        env.pop("ARMILLA_PROGRESS_MODE", None)  # ranks join where ranks poll
        env.pop("ARMILLA_RECORD", None)
    if env["ARMILLA_FABRIC"] not in ("shm", "threads"):
        env.pop("ARMILLA_RECORD", None)  # only where ranks share memory
    if env["ARMILLA_FABRIC"] == "shm" and kind == "plain" and env.get("ARMILLA_PROGRESS_MODE") is None and "ARMILLA_RECORD" not in env and dice.random() < 0.25:
        how = how + ["death"]
        env["ARMILLA_ON_LOSS"] = "continue"
    if kind in ("client", "join"):
        how = how + [kind]
    features = dice.sample(FEATURES, dice.choice((1, 2, 2, 3)))
    while "fibers" in how and len(FENCE.intersection(features)) > 1:
        features = dice.sample(FEATURES, 2)
    return kind, env, [str(seed), ",".join(how), *features]


class Tried:
    """One job. `fault` is what is wrong with it, or empty."""

    def __init__(self, chosen, kind, env, words, folder):
        self.chosen, self.kind, self.env, self.words, self.folder = chosen, kind, env, words, folder
        self.command = [chosen.checked if kind == "checked" else chosen.program, *words]
        if kind == "python":
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pairs_ranks.py")
            self.command = [chosen.python + "/venv/bin/python", "-m", "armilla", "-n", env["ARMILLA_RANKS"], script, *words]
            self.env = env | {"PYTHONPATH": chosen.python + "/package"}
        if env["ARMILLA_FABRIC"] == "mpi":
            self.command = [chosen.mpirun, "-n", env["ARMILLA_RANKS"], *self.command]
            self.env = {k: v for k, v in env.items() if k != "ARMILLA_RANKS"} | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        self.expected, self.asked = "right\n", []

    def ask(self, *command):
        """Runs an attached client or a request beside the job."""
        env = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_")}
        self.asked.append(subprocess.run(command, env=env, cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE))
        return self.asked[-1]

    def attach(self, job):
        pid, last = str(job.process.pid), str(int(self.env["ARMILLA_RANKS"]) - 1)
        for _ in range(3):
            seen = self.ask(self.chosen.top, "--once", "--json", "--interval", "20", pid)
            if seen.returncode != 0 or len(json.loads(seen.stdout)["ranks"]) != int(last) + 1:
                return f"armilla-top gives {seen.returncode}, {seen.stdout!r}, {seen.stderr!r}"
            called = self.ask(self.chosen.caller, pid, last, "once")
            if called.stdout != "1.5\n":
                return f"a call from outside gives {called.stdout!r}, {called.stderr!r}"
        return ""

    def join(self, job):
        asked = self.ask(self.chosen.armilla_run, "--join", str(job.process.pid), "-n", str(JOINERS), *self.command)
        return f"the ranks do not join: {asked.stderr}" if asked.returncode != 0 else ""

    def beside(self, job):
        """What happens while it runs."""
        fault = ""
        if self.kind in ("client", "join"):
            job.wait_for_lines(1)
            try:
                fault = (self.attach if self.kind == "client" else self.join)(job)
            except (subprocess.TimeoutExpired, ValueError) as error:
                fault = str(error)
            if fault:
                job.process.terminate()
        with open(os.path.join(self.folder, "seen"), "w", encoding="utf-8"):
            pass
        return fault

    def fault(self):
        job = Job(self.command, env=self.env, cwd=self.folder)
        fault = self.beside(job)
        if not job.ends():
            return "it hangs"
        death = "death" in self.words[1].split(",")
        # MPICH's UCX prints this of replies that nobody waits for, when MPI ends.
        out = re.sub(r"^.*UCX  WARN  unexpected tag-receive descriptor.*\n", "", job.out, flags=re.M)
        if fault or out != self.expected or (job.code != 0 and not death):
            return f"{fault} exit code {job.code}, prints {job.out!r}\n{job.err}"
        if job.left_behind():
            return "processes are left"
        return ""

    def again(self):
        return shlex.join(["env", *(f"{k}={v}" for k, v in self.env.items()), *self.command])


def kinds_of(chosen):
    """Those that can be had here."""
    kinds = {"plain"}
    if chosen.top and chosen.caller:
        kinds.add("client")
    if chosen.armilla_run and "shm" in chosen.fabrics:
        kinds.add("join")
    if chosen.checked and os.path.exists(chosen.checked):
        kinds.add("checked")
    if chosen.python and os.path.exists(chosen.python + "/venv/complete") and os.path.exists(chosen.python + "/package/armilla"):
        kinds.add("python")
    return kinds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, help="of one job only")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--fabrics", nargs="+", default=["shm", "threads", "loop"])
    for file in ("top", "caller", "armilla-run", "checked", "python", "mpirun"):
        parser.add_argument("--" + file, type=os.path.abspath)
    chosen = parser.parse_args()
    kinds, counts = kinds_of(chosen), {}
    seeds = [chosen.seed] if chosen.seed is not None else range(chosen.first, chosen.first + chosen.count)
    faults = 0
    for seed in seeds:
        kind, env, words = drawn(seed, chosen.fabrics, kinds)
        counts[kind] = counts.get(kind, 0) + 1
        with tempfile.TemporaryDirectory() as folder:
            tried = Tried(chosen, kind, env, words, folder)
            fault = tried.fault()
        if fault:
            faults += 1
            print(f"seed {seed} ({kind}): {tried.again()}: {fault}", flush=True)
    print(f"{len(seeds)} jobs ({', '.join(f'{n} {kind}' for kind, n in sorted(counts.items()))}), {faults} not as they must be")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
