# SPDX-License-Identifier: Apache-2.0
"""Runs the plan: commands of an experiment in turn, round by round, so that what is compared ran close together."""
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from . import judge, lines, machine, store

FIELDS = {"program": str, "version": str, "by": str, "ranks": int, "fabric": str, "size": dict, "unit": str, "samples": list,
          "verified": bool}
MOST_ROUNDS = 9  # of a run with a limit of time
FULL = 10  # a round of all sizes, by a quick one, about


class Failed(Exception):
    """Why a command gave no figures."""


def papers_of(build):
    """The folder of the papers' programs, in a build or in an installed tree."""
    installed = build / "libexec" / "armilla" / "papers"
    return installed if installed.is_dir() else build / "bin" / "papers"


def find_build(root, named=None):
    """The build folder: the one that was named, the prefix of an installed tree, or a build with programs in it."""
    prefix = pathlib.Path(root).parent  # of an installed tree
    if not named and (prefix / "libexec" / "armilla" / "papers").is_dir():
        return prefix
    folders = [pathlib.Path(named)] if named else [pathlib.Path(root) / "build" / "release", *(pathlib.Path(root) / "build").glob("*")]
    for folder in folders:
        if (folder / "bin").is_dir():
            return folder.resolve()
    raise store.ReportError(f"{folders[0]}: no build with programs in bin/; cmake --preset release && cmake --build --preset release")


def parse_line(text, command):
    """A record of one line that a program printed, or Failed."""
    try:
        line = json.loads(text)
    except ValueError as why:
        raise Failed(f"{command.label} printed what is no JSON: {text[:80]!r}") from why
    for field, kind in FIELDS.items():
        if not isinstance(line.get(field), kind):
            raise Failed(f"{command.label}: a line without a usable '{field}': {text[:80]!r}")
    if not line["verified"]:
        raise Failed(f"{command.label}: version {line['version']} gave wrong results")
    return line


class Runner:
    def __init__(self, root, build, results, out, quick=False, say=print, budget=None):
        self.root, self.build, self.results, self.out = pathlib.Path(root), pathlib.Path(build), results, pathlib.Path(out)
        self.quick, self.say = quick, say
        self.deadline = time.monotonic() + budget if budget else None

    # ---- commands ----

    def executable(self, command):
        if command.launcher == "script":
            return self.root / command.program
        return papers_of(self.build) / command.program

    def why_not(self, command):
        """Why a command cannot run here; empty if it can."""
        needed = [self.executable(command)]
        if command.launcher == "programs":
            needed += [papers_of(self.build) / command.peer, self.build / "bin" / "armilla-run"]
        for program in needed:
            if not program.exists():
                return f"{program.name} is not built"
        if command.launcher == "mpi" and shutil.which("mpirun") is None:
            return "there is no mpirun"
        return ""

    def words(self, command, out=""):
        arguments = command.quick if self.quick and command.quick is not None else command.args
        if command.launcher == "script":
            return [sys.executable, str(self.executable(command)), *(str(a) for a in arguments), "--bin",
                    str(papers_of(self.build)), "--out", out]
        words = [str(self.executable(command)), "--json", *(str(a) for a in arguments)]
        if command.launcher == "programs":
            peer = [str(papers_of(self.build) / command.peer), *words[1:]]
            words = [str(self.build / "bin" / "armilla-run"), "-n", "1", *words, ":", "-n", str(command.ranks - 1), *peer]
        if command.launcher == "mpi":
            words = ["mpirun", "--oversubscribe", "--bind-to", "core" if command.ranks <= len(os.sched_getaffinity(0)) else "none",
                     "-n", str(command.ranks), *words]
        return words

    def environment(self, command):
        env = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_") or k == "ARMILLA_TUNED"}
        env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        if command.launcher == "armilla":
            env["ARMILLA_RANKS"] = str(command.ranks)
        env |= dict(pair.split("=", 1) for pair in command.env)
        return env

    def limit(self):
        limit = 120.0 if self.quick else 1800.0
        return min(limit, max(5.0, self.deadline - time.monotonic() + 5)) if self.deadline else limit

    def run(self, command):
        """The records of one run."""
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "records"
            done = self.finished(command, str(out))
            if done.returncode == 77 and not out.exists():
                raise Failed((done.stdout.strip() or command.label).split("\n")[-1])
            printed = done.stdout
            text = out.read_text() if out.exists() else printed if command.launcher != "script" else ""
        return [parse_line(line, command) for line in text.splitlines() if line.strip().startswith("{")]

    def finished(self, command, out):
        """A run that ended well; Failed if it did not."""
        try:
            done = subprocess.run(self.words(command, out), env=self.environment(command), capture_output=True, text=True,
                                  timeout=self.limit(), check=False)
        except subprocess.TimeoutExpired as why:
            raise Failed(f"{command.label} took longer than {why.timeout:.0f} s") from why
        except OSError as why:
            raise Failed(f"{command.label} could not be started: {why}") from why
        if done.returncode != 0 and not (command.launcher == "script" and done.returncode == 77):  # a part of it is not possible here
            last = (done.stderr.strip() or done.stdout.strip()).split("\n")[-1]
            raise Failed(f"{command.label} ended with code {done.returncode}: {last[:200]}")
        return done

    # ---- experiments ----

    def add(self, entry, command, record):
        record["command"] = command.label
        record["size"] = record["size"] | {name: record[name] for name in ("network", "hosts", "carrier") if name in record}
        samples = record.pop("samples")
        record.pop("verified")
        if record.get("source"):
            record["lines"] = lines.count_file(self.root, record["source"])
        key = store.key_of(record)
        known = next((r for r in entry["records"] if store.key_of(r) == key), None)
        if known is None:
            entry["records"].append(known := record | {"rounds": []})
        rounds = known["rounds"]
        rounds += [[] for _ in range(entry["rounds"] - len(rounds))]  # those in which it was missing: pairs are of one round
        known.update(record)
        known["rounds"] = [*rounds[:entry["rounds"]], [*sum(rounds[entry["rounds"]:], []), *samples]]

    def begin(self, experiment):
        """The entry of an experiment and the commands of it that can run here."""
        entry = self.results["experiments"].setdefault(
            experiment.id, {"state": "begun", "rounds": 0, "seconds": 0.0, "records": [], "left_out": {}})
        if not entry["rounds"]:
            entry["left_out"] = {c.label: why for c in experiment.commands if (why := self.why_not(c))}
        commands = [c for c in experiment.commands if c.label not in entry["left_out"] and not (self.quick and c.quick == ())]
        return entry, commands

    def wanted(self, item):
        return 1 if not hasattr(item, "rounds") else item.quick_rounds if self.quick else item.rounds

    def run_round(self, experiment):
        """Each command once. Saved as a whole, so what is paired ran in one round, also where a run was stopped between."""
        entry, commands = self.begin(experiment)
        for record in entry["records"]:  # a round that was broken off does not count
            record["rounds"] = record["rounds"][:entry["rounds"]]
        start = time.monotonic()
        for command in commands:
            try:
                for record in self.run(command):
                    self.add(entry, command, record)
            except Failed as why:
                entry["left_out"][command.label] = str(why)
                self.say(f"    {why}")
        if not commands:
            entry["state"] = "failed" if entry["rounds"] else "skipped"
            entry["why"] = "; ".join(sorted(set(entry["left_out"].values()))) or "not part of --quick"
            return
        entry["rounds"] += 1
        entry["seconds"] += time.monotonic() - start

    def finish(self, experiment):
        """Says how an experiment ended, once it gets no more rounds."""
        entry = self.results["experiments"].setdefault(experiment.id, {"state": "skipped", "why": "the time was used up"})
        if entry["state"] != "begun":
            return
        wanted = self.wanted(experiment)
        if not entry.get("rounds"):
            entry["state"], entry["why"] = "skipped", "the time was used up"
        elif not entry["records"]:
            entry["state"], entry["why"] = "failed", "; ".join(entry["left_out"].values())
        else:
            entry["state"] = "done"
            if entry["rounds"] < wanted:
                entry["why"] = f"only {entry['rounds']} of {wanted} rounds: the time was used up"

    def take_components(self, entry, commands):
        """Where the time goes: one more run of the versions for Armilla, measured inside; its samples do not count."""
        entry["components"] = []
        for command in commands:
            if command.launcher != "armilla" or self.late(entry["seconds"] / max(1, entry["rounds"])):
                continue
            try:
                timed = dataclasses.replace(command, env=(*command.env, "ARMILLA_STATS=timing"))
                with tempfile.TemporaryDirectory() as folder:
                    done = self.finished(timed, str(pathlib.Path(folder) / "records"))
                border = re.search(r"; (\d+) ns a border", done.stderr)
                for text in done.stdout.splitlines():
                    record = parse_line(text, command) if text.startswith("{") else {}
                    if record.get("components"):
                        record["command"] = command.label
                        record["ns_per_border"] = int(border[1]) if border else 0
                        entry["components"].append({k: v for k, v in record.items() if k not in ("samples", "verified", "checks", "counts")})
            except Failed as why:
                self.say(f"    components: {why}")

    def bench(self, suite, rows, *more):
        """Rows of armilla-bench as it writes them."""
        program = self.build / "bin" / "armilla-bench"
        if not program.exists():
            raise Failed("armilla-bench is not built")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "rows.json"
            words = [str(program), suite, "--json", str(file), *more, *(["--quick"] if self.quick else []),
                     *(["--rows", ",".join(rows)] if rows else [])]
            try:
                done = subprocess.run(words, capture_output=True, text=True, timeout=self.limit(), check=False)
                return json.loads(file.read_text())
            except subprocess.TimeoutExpired as why:
                raise Failed(f"armilla-bench {suite} took longer than {why.timeout:.0f} s") from why
            except (OSError, ValueError) as why:
                raise Failed(f"armilla-bench {suite} wrote no rows (code {done.returncode})") from why

    def run_bench(self, bench):
        entry = self.results["experiments"].setdefault(bench.id, {"state": "begun", "seconds": 0.0, "rows": []})
        start = time.monotonic()
        try:
            entry["rows"] = self.bench(bench.suite, bench.quick_rows if self.quick and bench.quick_rows else bench.rows)
            entry["state"] = "done"
        except Failed as why:
            entry["state"], entry["why"] = "skipped", str(why)
        entry["seconds"] = time.monotonic() - start

    def yardstick(self, before):
        """The raw line now; it shows in which state the machine was."""
        try:
            rows = self.bench("micro", ("am_rtt",), "--any-state")
        except Failed:
            return
        self.results["yardsticks"] += [{"before": before, "line_ns": r["yardstick_ns"], "am_rtt_ns": r["median"]} for r in rows
                                       if r.get("yardstick_ns")]

    # ---- all of it ----

    def save(self):
        store.save(self.results, self.out / "results.json")

    def changed_lines(self):
        """By program: how many lines make the MPI twin a program of Armilla."""
        script = self.root / "bench/papers/npb/changed_lines.py"
        try:
            done = subprocess.run([sys.executable, str(script), "--json"], capture_output=True, text=True, timeout=60, check=True)
            return {line["program"]: line for line in map(json.loads, done.stdout.splitlines())}
        except (OSError, ValueError, KeyError, subprocess.SubprocessError):
            return {}

    def round_seconds(self, item):
        """Of the next round of an item, as measured, or as the plan guesses."""
        known = self.results["experiments"].get(item.id, {})
        if known.get("rounds"):
            return known["seconds"] / known["rounds"]
        if hasattr(item, "commands") and all(self.why_not(c) for c in item.commands):
            return 0
        return item.seconds * (1 if self.quick else FULL)

    def rounds_left(self, item):
        known = self.results["experiments"].get(item.id, {})
        return self.wanted(item) - known.get("rounds", 0) if known.get("state", "begun") == "begun" else 0

    def seconds_left(self, items):
        left = sum(self.rounds_left(item) * self.round_seconds(item) for item in items)
        return min(left, max(0.0, self.deadline - time.monotonic())) if self.deadline else left

    def late(self, seconds=0.0):
        """Whether something that takes so long would end after the time that there is."""
        return bool(self.deadline) and time.monotonic() + seconds > self.deadline

    def run_benches(self, items):
        for item in items:
            if hasattr(item, "suite") and self.results["experiments"].get(item.id, {}).get("state") != "done" and not self.late():
                self.say(f"{item.id}: {item.title}; about {duration(self.seconds_left(items))} left")
                self.run_bench(item)
                self.save()

    def run_rounds(self, items):
        """A round of every experiment, then the next: what is stopped early has something of each, and a disturbance of the
        machine spoils a round and not a program."""
        experiments = [item for item in items if hasattr(item, "commands")]
        for number in range(1, 1 + max((self.wanted(item) for item in experiments), default=0)):
            for item in experiments:
                known = self.results["experiments"].get(item.id, {}).get("rounds", 0)
                if self.rounds_left(item) <= 0 or known >= number or self.late(self.round_seconds(item) if known else 0):
                    continue
                self.say(f"round {number} of {self.wanted(item)}, {item.id}: {item.title}; about {duration(self.seconds_left(items))} left")
                if number == 1:
                    self.yardstick(item.id)
                self.run_round(item)
                self.save()

    def run_components(self, items):
        for item in items:
            entry = self.results["experiments"].get(item.id, {})
            if any(figure.kind == "bars" for figure in getattr(item, "figures", ())) and entry.get("records") \
                    and entry["state"] == "begun" and "components" not in entry and not self.late():
                self.say(f"{item.id}: where the time goes")
                self.take_components(entry, self.begin(item)[1])
                self.save()

    def run_more(self, items):
        """What is left of the time goes to ratios that have a target and are noisy."""
        while self.deadline:
            doubtful = [item for item in items if self.is_doubtful(item) and not self.late(1.2 * self.round_seconds(item))]
            if not doubtful:
                return
            for item in doubtful:
                if not self.late(1.2 * self.round_seconds(item)):
                    self.say(f"one more round, {item.id}: a ratio with a target is noisy")
                    self.run_round(item)
                    self.save()

    def is_doubtful(self, item):
        entry = self.results["experiments"].get(item.id, {})
        return (hasattr(item, "commands") and entry.get("state") == "begun" and self.wanted(item) <= entry["rounds"] < MOST_ROUNDS
                and any(v.noisy and v.limit is not None for v in judge.judge_all(item, entry)))

    def run_all(self, items):
        if not self.results["machine"]:
            self.results["machine"] = machine.describe(self.root, self.build)
            self.results["changed_lines"] = self.changed_lines()
        for item in items:
            known = self.results["experiments"].get(item.id, {})
            if known.get("state") == "done":
                self.say(f"{item.id}: there already")
            elif known:  # what did not work before may work now
                known["state"] = "begun"
                known.pop("why", None)
        self.run_benches(items)
        self.run_rounds(items)
        self.run_components(items)
        self.run_more(items)
        self.yardstick("")
        for item in items:
            self.finish(item)
            entry = self.results["experiments"][item.id]
            line = [y["line_ns"] for y in self.results["yardsticks"]]
            entry["line_ns"] = store.median(line) if line else None
            if entry.get("why"):
                self.say(f"{item.id}: {entry['state']}: {entry['why']}")
        self.save()


def duration(seconds):
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
