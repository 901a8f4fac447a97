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

from . import lines, machine, store

FIELDS = {"program": str, "version": str, "by": str, "ranks": int, "fabric": str, "size": dict, "unit": str, "samples": list,
          "verified": bool}


class Failed(Exception):
    """Why a command gave no figures."""


def find_build(root, named=None):
    """The build folder: the one that was named, or the newest release build with programs in it."""
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
        self.share = None  # until when the present experiment may begin another round

    # ---- commands ----

    def executable(self, command):
        if command.launcher == "script":
            return self.root / command.program
        return self.build / "bin" / "papers" / command.program

    def why_not(self, command):
        """Why a command cannot run here; empty if it can."""
        needed = [self.executable(command)]
        if command.launcher == "programs":
            needed += [self.build / "bin" / "papers" / command.peer, self.build / "bin" / "armilla-run"]
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
                    str(self.build / "bin" / "papers"), "--out", out]
        words = [str(self.executable(command)), "--json", *(str(a) for a in arguments)]
        if command.launcher == "programs":
            peer = [str(self.build / "bin" / "papers" / command.peer), *words[1:]]
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
        return min(limit, max(5.0, self.deadline - time.monotonic() + 20)) if self.deadline else limit

    def run(self, command):
        """The records of one run."""
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "records"
            printed = self.finished(command, str(out)).stdout
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
            entry["records"].append(record | {"rounds": [samples]})
        else:
            rounds = known["rounds"]
            known.update(record)
            known["rounds"] = rounds + [samples]

    def run_experiment(self, experiment):
        results = self.results["experiments"]
        entry = results.setdefault(experiment.id, {"state": "begun", "rounds": 0, "seconds": 0.0, "records": [], "left_out": {}})
        entry["left_out"] = {c.label: why for c in experiment.commands if (why := self.why_not(c))}
        commands = [c for c in experiment.commands if c.label not in entry["left_out"] and not (self.quick and c.quick == ())]
        if not commands:
            entry["state"] = "skipped"
            entry["why"] = "; ".join(sorted(set(entry["left_out"].values()))) or "not part of --quick"
            return
        wanted = experiment.quick_rounds if self.quick else experiment.rounds
        while entry["rounds"] < wanted:
            if self.share and entry["rounds"] > 0 and time.monotonic() > self.share:
                entry["why"] = f"only {entry['rounds']} of {wanted} rounds: its share of the time was used up"
                break
            start = time.monotonic()
            for command in commands:
                if command.label in entry["left_out"]:
                    continue
                try:
                    for record in self.run(command):
                        self.add(entry, command, record)
                except Failed as why:
                    entry["left_out"][command.label] = str(why)
                    self.say(f"    {why}")
            entry["rounds"] += 1
            entry["seconds"] += time.monotonic() - start
            self.save()
        if any(figure.kind == "bars" for figure in experiment.figures):
            self.take_components(entry, commands)
        entry["state"] = "done" if entry["records"] else "failed"
        if entry["state"] == "failed":
            entry["why"] = "; ".join(entry["left_out"].values())

    def take_components(self, entry, commands):
        """Where the time goes: one more run of the versions for Armilla, measured inside; its samples do not count."""
        if entry.get("components") or (self.share and time.monotonic() > self.share):
            return
        entry["components"] = []
        for command in commands:
            if command.label in entry["left_out"] or command.launcher != "armilla":
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

    def bench(self, suite, rows):
        """Rows of armilla-bench as it writes them."""
        program = self.build / "bin" / "armilla-bench"
        if not program.exists():
            raise Failed("armilla-bench is not built")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "rows.json"
            words = [str(program), suite, "--json", str(file), *(["--quick"] if self.quick else []),
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
            rows = self.bench("micro", ("am_rtt",))
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

    def estimate(self, item):
        known = self.results["experiments"].get(item.id, {})
        rounds = 1 if not hasattr(item, "rounds") else item.quick_rounds if self.quick else item.rounds
        if known.get("state") in ("done", "skipped"):
            return 0
        if known.get("rounds"):
            return known["seconds"] / known["rounds"] * (rounds - known["rounds"])
        if hasattr(item, "commands") and all(self.why_not(c) for c in item.commands):
            return 0
        return item.seconds * rounds * (1 if self.quick else 3)

    def run_all(self, items):
        if not self.results["machine"]:
            self.results["machine"] = machine.describe(self.root, self.build)
            self.results["changed_lines"] = self.changed_lines()
        for i, item in enumerate(items):
            if self.results["experiments"].get(item.id, {}).get("state") == "done":
                self.say(f"[{i + 1}/{len(items)}] {item.id}: there already")
                continue
            if self.deadline:
                now = time.monotonic()
                self.share = now + 0.8 * (self.deadline - now) / max(1, sum(self.estimate(later) > 0 for later in items[i:]))
            left = sum(self.estimate(later) for later in items[i:])
            if self.deadline and time.monotonic() > self.deadline:
                self.results["experiments"][item.id] = {"state": "skipped", "why": "the time was used up"}
                self.say(f"[{i + 1}/{len(items)}] {item.id}: left out, the time is used up")
                continue
            self.say(f"[{i + 1}/{len(items)}] {item.id}: {item.title}; about {duration(left)} left")
            if self.estimate(item) > 0:
                self.yardstick(item.id)
            if hasattr(item, "commands"):
                self.run_experiment(item)
            else:
                self.run_bench(item)
            entry = self.results["experiments"][item.id]
            if entry["state"] != "done":
                self.say(f"    {entry['state']}: {entry.get('why', '')}")
            self.save()
        self.yardstick("")
        self.save()


def duration(seconds):
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
