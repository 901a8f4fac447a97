#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs Armilla's meetings, collectives and a histogram on a simulated cluster of many hosts, and draws simulated time and memory a
rank against the model of docs/scale.md.

    bench/scale/scale.py --ranks 4 16 64 256 1024 --out DIR

Writes DIR/scale.json (one record a line) and, unless --no-pictures, DIR/time.svg and DIR/memory.svg. With --within 0.1 the exit code
is 1 if a time is more than a tenth off the model."""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PATTERNS = ["flat", "tree", "hypercube", "dissemination"]
FLAT_UP_TO = 64  # every rank tells every other: beyond it the simulator needs too long
HISTOGRAM_UP_TO = 256  # at 1,024 the simulator did not end in forty minutes
MANY_UPDATES_UP_TO = 64
COLLECTIVES = ["broadcast", "all_reduce", "all_gather", "inclusive_scan", "all_to_all"]
MOST_BYTES = 1 << 30  # of all ranks, which share a process
MOST_MESSAGES = 300_000

# What the simulator is told: what a message costs its sender and its receiver, how long a test whether a message has left takes,
# that short messages leave whether they are waited for or not, that computing takes no time, and collectives of the simulated MPI
# as MPICH and Open MPI have them.
SIMULATOR = ["--log=root.thresh:error", "--cfg=smpi/privatization:no", "--cfg=smpi/simulate-computation:no",
             "--cfg=smpi/test:1e-7", "--cfg=smpi/async-small-thresh:65536", "--cfg=smpi/grow-injected-times:no",
             "--cfg=smpi/os:0:0.2e-6:0", "--cfg=smpi/or:0:0.2e-6:0", "--cfg=smpi/coll-selector:mpich",
             "--cfg=smpi/barrier:ompi_bruck"]
# MPICH's broadcast makes the simulator look for ranks that share a node, a ring of messages through all ranks for each communicator:
# at a thousand ranks nearly all of a job's time at the start. Only what measures that MPI keeps it.
OWN = ["--cfg=smpi/bcast:binomial_tree"]


class Case:
    """One job: its name in the records, its program, and how it is run."""

    def __init__(self, name, program, pattern=None, size=8, updates=1000, routed=False):
        self.name, self.program, self.pattern, self.size, self.updates = name, program, pattern, size, updates
        self.route_hosts = 4 if routed else 0


def cases(ranks):
    """Meetings and histograms for this number of ranks."""
    yield Case("mpi_barrier", "mpi_barrier")
    for program in ("barrier", "fence_idle", "fence_busy"):
        for pattern in PATTERNS:
            if pattern == "flat" and ranks > FLAT_UP_TO:
                continue
            if program != "barrier" and pattern == "dissemination" and ranks & (ranks - 1):
                continue
            yield Case(f"{program} {pattern}", program, pattern)
    for routed in (False, True):
        if ranks <= HISTOGRAM_UP_TO:
            yield Case("histogram" + routed * " routed", "histogram", routed=routed)
        if ranks <= MANY_UPDATES_UP_TO:
            yield Case("histogram 10000" + routed * " routed", "histogram", updates=10000, routed=routed)


def collectives(ranks, sizes):
    """(name, bytes) of those that fit into this machine."""
    for size in sizes:
        for name in COLLECTIVES:
            to_all = name in ("all_gather", "all_to_all")
            if ranks * size * (ranks if to_all else 1) > MOST_BYTES:
                continue
            if to_all and size > 256 and ranks * ranks > MOST_MESSAGES:
                continue
            yield name, size


def run(program, case, ranks, repeat):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_")}
    # All hosts are one process: usual segments would take all of its addresses at some three thousand ranks.
    environment.update(ARMILLA_TUNED="none", ARMILLA_PIN="none", ARMILLA_SEGMENT="256M")
    environment["ARMILLA_ROUTE_HOSTS"] = str(case.route_hosts)
    if case.pattern:
        environment.update(ARMILLA_FENCE=case.pattern, ARMILLA_BARRIER=case.pattern)
    options = SIMULATOR if case.program.startswith("mpi_") else SIMULATOR + OWN
    command = ["smpirun", "-np", str(ranks), "-platform", str(HERE / "cluster.xml"), *options, str(program), case.program,
               "--repeat", str(repeat), "--bytes", str(case.size), "--updates", str(case.updates)]
    job = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    lines = [line for line in job.stdout.splitlines() if line.startswith("{")]
    if job.returncode != 0 or len(lines) != 1:
        sys.exit(f"scale: {case.name} at {ranks} ranks failed (code {job.returncode}):\n{' '.join(command)}\n{job.stdout}{job.stderr}")
    return {"name": case.name, "pattern": case.pattern, **json.loads(lines[0])}


def model(record, hop, message):
    """Microseconds by docs/scale.md; None where it says nothing. `hop`: a message one way; `message`: what one costs a processor."""
    n, name = record["ranks"], record["program"]
    rounds, depth = math.ceil(math.log2(n)), math.floor(math.log2(n))
    meeting = {"flat": hop + (n - 2) * 2 * message, "tree": 2 * depth * hop, "hypercube": rounds * hop,
               "dissemination": rounds * hop}
    if record["pattern"]:
        return meeting[record["pattern"]] * (2 if name == "fence_busy" else 1)  # rounds: armilla/team/fence/fence.cpp
    if name == "all_reduce" and record["bytes"] == 8 and n > 17:  # up to there a word to each host
        return meeting["hypercube"]
    return None


def draw(records, out):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    plt.rcParams.update({"svg.fonttype": "none", "font.size": 9})
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), sharey=True)
    for axis, program in zip(axes, ("barrier", "fence_idle", "fence_busy")):
        for i, pattern in enumerate(PATTERNS):
            points = [r for r in records if r["program"] == program and r["pattern"] == pattern]
            axis.plot([r["ranks"] for r in points], [r["microseconds"] for r in points], "o-", color=f"C{i}", label=pattern)
            axis.plot([r["ranks"] for r in points], [r["model"] for r in points], ":", color=f"C{i}")
        mpi = [r for r in records if r["program"] == "mpi_barrier"]
        axis.plot([r["ranks"] for r in mpi], [r["microseconds"] for r in mpi], "k--", label="MPI barrier")
        axis.set(xscale="log", yscale="log", title=program.replace("_", ", "), xlabel="ranks, each on a host of its own")
        axis.set_xscale("log", base=2)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("simulated microseconds (dotted: model)")
    axes[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(out / "time.svg")
    figure, axis = plt.subplots(figsize=(5, 3.4))
    for name in ("barrier dissemination", "fence_busy hypercube", "all_reduce 8", "histogram"):
        points = [r for r in records if r["name"] == name]
        axis.plot([r["ranks"] for r in points], [r["kib_per_rank"] for r in points], "o-", label=name)
    axis.set(xlabel="ranks", ylabel="KiB a rank, the simulator's share included", ylim=(0, None))
    axis.set_xscale("log", base=2)
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(out / "memory.svg")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--ranks", type=int, nargs="+", default=[4, 16, 64, 256])
    arguments.add_argument("--program", type=pathlib.Path, default=HERE.parents[1] / "build/release/bin/armilla-scale")
    arguments.add_argument("--sizes", type=int, nargs="*", default=[8, 4096, 1 << 20], help="bytes of the collectives' arrays")
    arguments.add_argument("--repeat", type=int, default=4)
    arguments.add_argument("--out", type=pathlib.Path, default=pathlib.Path("scale"))
    arguments.add_argument("--no-pictures", action="store_true")
    arguments.add_argument("--within", type=float, help="how far off the model times may be, of the model")
    given = arguments.parse_args()
    if not given.program.exists():
        sys.exit(f"scale: there is no {given.program}; build the target armilla-scale (SimGrid must be installed), or give --program")
    if any(n < 2 or n > 65536 for n in given.ranks):
        sys.exit(f"scale: --ranks {' '.join(map(str, given.ranks))}: from 2 to 65536")
    given.out.mkdir(parents=True, exist_ok=True)
    hop = run(given.program, Case("hop", "barrier", "dissemination"), 2, 10)["microseconds"]
    four = run(given.program, Case("message", "barrier", "flat"), 4, 10)["microseconds"]
    message = max(0.0, four - hop) / 4
    print(f"a message one way: {hop:.2f} us; of it on a processor: {message:.2f} us")
    records = []

    def note(record, expected, against):
        records.append(record)
        told = f"model {expected:8.1f}" if expected else " " * 14
        print(f"{record['ranks']:5} {record['name']:26} {record['microseconds']:10.1f} us {told}  {against}"
              f" {record.get('kib_per_rank', 0):8.0f} KiB a rank", flush=True)

    for ranks in given.ranks:
        barrier = None
        for case in cases(ranks):
            record = run(given.program, case, ranks, given.repeat)
            barrier = record["microseconds"] if case.program == "mpi_barrier" else barrier
            record["model"] = model(record, hop, message)
            record["mpi_barriers"] = record["microseconds"] / barrier
            note(record, record["model"], f"{record['mpi_barriers']:6.2f} MPI barriers")
        for what, size in collectives(ranks, given.sizes):
            mpi = run(given.program, Case(f"mpi_{what} {size}", f"mpi_{what}", size=size), ranks, given.repeat)
            record = run(given.program, Case(f"{what} {size}", what, size=size), ranks, given.repeat)
            record.update(model=model(record, hop, message), mpi=mpi["microseconds"], ratio=record["microseconds"] / mpi["microseconds"])
            note(record, record["model"], f"{record['ratio']:6.2f} of MPI's  ")
    with open(given.out / "scale.json", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(r) + "\n" for r in records)
    if not given.no_pictures:
        draw(records, given.out)
    off = [r for r in records if given.within and r["model"] and abs(r["microseconds"] / r["model"] - 1) > given.within]
    for r in off:
        print(f"off the model: {r['name']} at {r['ranks']} ranks: {r['microseconds']:.1f} us, and {r['model']:.1f} expected")
    sys.exit(1 if off else 0)


if __name__ == "__main__":
    main()
