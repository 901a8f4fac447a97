#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of features in docs/guide/networks.md, cell by cell: features_test.py PROGRAM LAUNCHER GUIDE COLUMN... [--write].

Runs the program that tries each feature in each of these columns, and compares what it found with the guide's table; --write puts it
there instead. Columns with hosts need h1 and h2 of tests/hosts/hosts, and are left out where this machine does not allow them."""
import os
import re
import subprocess
import sys
import tempfile
import time

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HOSTS = os.path.join(TESTS, "hosts", "hosts")
PROGRAM, LAUNCHER, GUIDE = map(os.path.abspath, sys.argv[1:4])
COLUMNS = [word for word in sys.argv[4:] if not word.startswith("--")]
PATIENCE = 60
RANKS = 4
STALLED = 70

BEGIN, END = "<!-- features: made by tests/over_networks/features_test.py -->", "<!-- end of features -->"
ROWS = {"access": "memory of a rank that computes is read and written, without settings",
        "safe": "`safe` calls are answered by a rank that computes, without settings",
        "interrupts": "called functions interrupt a rank that allows it (`ARMILLA_PROGRESS_MODE=signal`)",
        "stalls": "a job that stands still ends with a report",
        "waits": "SIGUSR1 to one rank prints what all ranks wait for",
        "continues": "the others go on when a rank is lost (`ARMILLA_ON_LOSS=continue`)",
        "replaces": "another process takes its place (`replace`)",
        "grows": "a team takes in such a process (`grow`)",
        "joins": "ranks join the running job (`ARMILLA_MAX_RANKS`)"}
# How a column starts the program: the words in front of it, and its environment.
HERE = []  # the program starts its ranks
AGENTS = [LAUNCHER, "--hosts", "h1:2,h2:2", "--rsh", os.path.join(TESTS, "hosts", "host-rsh")]
STARTS = {"shm": (HERE, {"ARMILLA_FABRIC": "shm"}), "threads": (HERE, {"ARMILLA_FABRIC": "threads"}),
          "UCX": (HERE, {"ARMILLA_FABRIC": "ucx", "UCX_TLS": "tcp"}), "libfabric": (HERE, {"ARMILLA_FABRIC": "ofi"}),
          "`--hosts`, UCX": (["on", "h1", *AGENTS], {"ARMILLA_FABRIC": "auto"}),
          "`--hosts`, libfabric": (["on", "h1", *AGENTS], {"ARMILLA_FABRIC": "ofi"}),
          "`mpirun`, UCX": (["mpirun"], {"ARMILLA_FABRIC": "auto"}), "`mpirun`, MPI": (["mpirun"], {"ARMILLA_FABRIC": "mpi"})}


def command(words, arguments):
    if words[:1] == ["on"]:
        return [HOSTS, "run", words[1], *words[2:], PROGRAM, *arguments]
    if words == ["mpirun"]:
        return [HOSTS, "mpirun", "openmpi", "-n", str(RANKS), PROGRAM, *arguments]
    return [*words, PROGRAM, *arguments]


class Job:
    def __init__(self, column, feature, **more):
        words, environment = STARTS[column]
        full = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_") or k == "ARMILLA_BACKENDS"}
        full |= environment | ({"ARMILLA_RANKS": str(RANKS)} if words == HERE else {}) | {"ARMILLA_PIN": "none", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} | more
        self.files = [tempfile.TemporaryFile("w+") for _ in range(2)]
        self.process = subprocess.Popen(command(words, [feature]), env=full, stdin=subprocess.DEVNULL, stdout=self.files[0],
                                        stderr=self.files[1])

    def text(self, which):
        self.files[which].seek(0)
        return self.files[which].read()

    def end(self, until=None):
        """Waits for its end, or until that holds for what it prints; then nothing of it is left."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline and not (until and until(self.text(1))):
            time.sleep(0.05)
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.text(0), self.text(1)


def ranks_told(text):
    return {int(r) for r in re.findall(r"(?m)^rank (\d+) \(.*:$", text)}


def access(column):
    return "access: yes" in Job(column, "access").end()[0]


def safe(column):
    return "safe: yes" in Job(column, "safe").end()[0]


def interrupts(column):
    return "interrupts: yes" in Job(column, "interrupts", ARMILLA_PROGRESS_MODE="signal").end()[0]


def stalls(column):
    job = Job(column, "stalls", ARMILLA_STALL="1s")
    _, err = job.end(until=lambda text: "the job stands still" in text and len(ranks_told(text)) == RANKS)
    return "the job stands still" in err and len(ranks_told(err)) == RANKS


def waits(column):
    job = Job(column, "waits", ARMILLA_STALL="0")
    _, err = job.end(until=lambda text: len(ranks_told(text)) == RANKS)
    return "who waits for what" in err and len(ranks_told(err)) == RANKS


def continues(column):
    return "continue: yes" in Job(column, "continue", ARMILLA_ON_LOSS="continue").end()[0]


def replaces(column):
    return "replace: yes" in Job(column, "replace", ARMILLA_ON_LOSS="replace").end()[0]


def grows(column):
    return "grow: yes" in Job(column, "grow", ARMILLA_ON_LOSS="replace").end()[0]


def joins(column):
    job = Job(column, "join", ARMILLA_ON_LOSS="continue", ARMILLA_MAX_RANKS=str(RANKS + 1))
    asked = [LAUNCHER, "--join", str(job.process.pid), PROGRAM, "join"]
    while job.process.poll() is None and subprocess.run(asked, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE).returncode != 0:
        time.sleep(0.05)
    return "join: yes" in job.end()[0]


def found():
    return {(row, column): "yes" if globals()[row](column) else "no" for row in ROWS for column in COLUMNS}


def table_of(text):
    """What the guide says, by row and column, and where its table stands."""
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    lines = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in text[begin:end].strip().splitlines()]
    names = {line: row for row, line in ROWS.items()}
    cells = {(names[line[0]], column): cell for line in lines[2:] if line[0] in names for column, cell in zip(lines[0][1:], line[1:])}
    return cells, begin, end


def written(cells):
    columns = list(STARTS)
    lines = ["| | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
    lines += [f"| {text} | " + " | ".join(cells.get((row, column), "?") for column in columns) + " |" for row, text in ROWS.items()]
    return "\n\n" + "\n".join(lines) + "\n\n"


def main():
    with open(GUIDE, encoding="utf-8") as file:
        text = file.read()
    said, begin, end = table_of(text)
    now = found()
    for (row, column), cell in now.items():
        print(f"{row:12} {column:22} {cell}", flush=True)
    if "--write" in sys.argv:
        with open(GUIDE, "w", encoding="utf-8") as file:
            file.write(text[:begin] + written(said | now) + text[end:])
        return 0
    wrong = [f"{row}, {column}: {cell}, but {GUIDE} says {said.get((row, column))}" for (row, column), cell in now.items()
             if cell != said.get((row, column))]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
