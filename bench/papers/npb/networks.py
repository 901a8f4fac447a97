#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The main experiment of the MPC++ paper (its figures 2 to 6): CG and IS over a slow network and a fast one, on shared memory, MPI and UCX,
Open MPI and MPICH; the programs for Armilla against their twins.

    networks.py [--program cg is] [--class S] [--ranks 2 4] [--network memory fast slow] [--hosts 2] [--samples 3] [--out FILE] [--bin DIR]

memory: all ranks on this machine. fast, slow: on hosts made of network namespaces (tests/hosts/hosts; root), slow is 100 Mbit/s and about
100 us for a round trip. Each record gets "network", "hosts" and "launcher". Where such hosts cannot be made, that is said, and the exit
code is 77; 1 if a job failed."""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import jobs

# Name, launcher, fabric (None: the twin).
CARRIERS = {
    "memory": [("Open MPI", "openmpi", None), ("MPICH", "mpich", None), ("Armilla, shared memory", "alone", "shm"),
               ("Armilla/Open MPI", "openmpi", "mpi"), ("Armilla/MPICH", "mpich", "mpi"), ("Armilla/UCX", "alone", "ucx")],
}
CARRIERS["fast"] = CARRIERS["slow"] = [
    ("Open MPI", "openmpi", None), ("MPICH", "mpich", None), ("Armilla/Open MPI", "openmpi", "mpi"), ("Armilla/MPICH", "mpich", "mpi"),
    ("Armilla/UCX", "agents", "ucx"), ("Armilla, mixed", "agents", "auto")]


def launched(launcher, ranks, hosts, how):
    """The words in front of a program."""
    if launcher == "alone":
        return []
    if launcher == "agents":
        places = ",".join(f"{host}:{ranks // len(hosts)}" for host in hosts)
        return [jobs.HOSTS, "run", hosts[0], how.bin.parent / "armilla-run", "--hosts", places, "--rsh", os.environ["TEST_HOSTS_RSH"],
                "-n", ranks]
    if hosts:
        return [jobs.HOSTS, "mpirun", launcher, "-n", ranks]
    more = ["--oversubscribe", "--bind-to", "none"] if launcher == "openmpi" else []
    return [f"mpirun.{launcher}", *more, "-n", ranks]


def missing(program, launcher, fabric, how):
    """What a job would need and is not here; the empty text if it can run."""
    backend = {("openmpi", "mpi"): "mpi-openmpi", ("mpich", "mpi"): "mpi-mpich"}.get((launcher, fabric))
    if fabric == "ucx" or launcher == "agents":
        backend = "ucx"
    files = [program] if backend is None else [program, how.bin.parents[1] / "lib" / "armilla" / f"libarmilla-{backend}.so"]
    lacks = [file.name for file in files if not file.exists()]
    if launcher in ("openmpi", "mpich") and shutil.which(f"mpirun.{launcher}") is None:
        lacks.append(f"mpirun.{launcher}")
    return ", ".join(lacks)


def run_network(network, hosts, how):
    """All jobs on one network; how many failed."""
    failed = 0
    for program in how.program:
        for ranks in how.ranks:
            for name, launcher, fabric in CARRIERS[network]:
                twin = {"openmpi": "_mpi", "mpich": "_mpich"}[launcher] if fabric is None else ""
                file = how.bin / f"paper_{program}{twin}"
                line = [*launched(launcher, ranks, hosts, how), file, "--class", how.size, "--samples", how.samples, "--json"]
                environment = jobs.quiet_environment(ARMILLA_FABRIC=fabric or "auto")
                if launcher == "alone":
                    environment["ARMILLA_RANKS"] = str(ranks)
                told = f"{program} {how.size}, {network}, {ranks} ranks, {name}"
                if lacks := missing(file, launcher, fabric, how):
                    print(f"{told}: skipped: there is no {lacks}", flush=True)
                    continue
                try:
                    records = jobs.records_of(line, environment, how.limit)
                except jobs.Failed as why:
                    failed += 1
                    print(f"{told}: failed: {why}", flush=True)
                    continue
                for record in records:
                    record.update(network=network, hosts=max(len(hosts), 1), launcher=launcher, carrier=name)
                jobs.keep(how.out, records)
                print(f"{told}: {statistics.median(records[0]['samples']):.3g} s", flush=True)
    return failed


def on_hosts(network, how):
    """The same on hosts that exist as long as it takes: this script runs again, inside. Failed jobs, or None where it is not allowed."""
    with tempfile.TemporaryDirectory() as folder:
        words = [jobs.HOSTS, "with", how.hosts, *(["--slow"] if network == "slow" else []), "--", sys.executable, __file__, "--inside",
                 "--network", network, "--program", *how.program, "--class", how.size, "--ranks", *how.ranks, "--samples", how.samples,
                 "--limit", how.limit, "--bin", how.bin, "--out", pathlib.Path(folder) / "records"]
        environment = dict(os.environ)
        switch = how.bin.parent / "tests" / "slow_switch"
        if switch.exists():
            environment.setdefault("TEST_HOSTS_SWITCH", str(switch))
        code = subprocess.run([str(word) for word in words], env=environment, check=False).returncode
        file = pathlib.Path(folder) / "records"
        if file.exists():
            jobs.keep(how.out, [jobs.json.loads(text) for text in file.read_text().splitlines()])
    if code == 77:
        print(f"{network}: skipped: hosts cannot be made here", flush=True)
        return None
    return code


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", nargs="+", default=["cg", "is"], choices=["cg", "is"])
    arguments.add_argument("--class", dest="size", default="S", choices=["S", "W", "A", "B"])
    arguments.add_argument("--ranks", type=int, nargs="+", default=[2, 4])
    arguments.add_argument("--network", nargs="+", default=["memory", "fast", "slow"], choices=["memory", "fast", "slow"])
    arguments.add_argument("--hosts", type=int, default=2, choices=[2, 3, 4])
    arguments.add_argument("--samples", type=int, default=3)
    arguments.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    jobs.add_arguments(arguments)
    how = arguments.parse_args()
    how.bin = how.bin.resolve()
    for ranks in how.ranks:
        if ranks < 2 or ranks & (ranks - 1) or (ranks % how.hosts and how.network != ["memory"]):
            arguments.error(f"--ranks {ranks}: must be a power of two and as many on each of {how.hosts} hosts")
    if how.inside:
        return min(run_network(how.network[0], os.environ["TEST_HOSTS"].split(), how), 70)
    results = [run_network(network, [], how) if network == "memory" else on_hosts(network, how) for network in how.network]
    return 1 if any(results) else 77 if None in results else 0


if __name__ == "__main__":
    sys.exit(main())
