#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of the suite with their ranks on several hosts (see the folder's `hosts`).

  hosts with 2 -- suite_test.py LAUNCHER FABRIC RANKS PROGRAM...

LAUNCHER is openmpi, mpich, or the path of armilla-run. FABRIC is as in ARMILLA_FABRIC: auto mixes shared memory inside a host with a
network between them, mpi, ucx and ofi carry everything over it; turns: as auto, the ranks dealt out to the hosts in turn.
"""
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 60  # seconds a program


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(77)


def command(launcher, ranks, by_turns, program):
    if launcher in ("openmpi", "mpich"):
        if shutil.which(f"mpirun.{launcher}") is None:
            skip(f"no mpirun.{launcher} here")
        return [HERE / "hosts", "mpirun", launcher, "-n", str(ranks), *program]
    hosts = os.environ["TEST_HOSTS"].split()
    each = ranks // len(hosts)
    places = ",".join([f"{host}:1" for host in hosts] * each if by_turns else [f"{host}:{each}" for host in hosts])
    return [launcher, "--hosts", places, "--rsh", os.environ["TEST_HOSTS_RSH"], "-n", str(ranks), *program]


def main():
    launcher, fabric, ranks, *programs = sys.argv[1:]
    by_turns = fabric == "turns"
    failed = []
    for line in programs:
        program = line.split()
        environment = dict(os.environ, ARMILLA_FABRIC="auto" if by_turns else fabric, ARMILLA_PIN="none", ARMILLA_TUNED="none")
        try:
            job = subprocess.run(command(launcher, int(ranks), by_turns, program), env=environment, timeout=LIMIT, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            good, said = job.returncode == 0, job.stdout
        except subprocess.TimeoutExpired as late:
            good, said = False, f"{(late.stdout or b'').decode()}\nno end within {LIMIT} s"
        print(f"{'ok' if good else 'FAILED'}: {pathlib.Path(program[0]).name}", flush=True)
        if not good:
            failed.append(program[0])
            print("\n".join(said.splitlines()[-25:]), flush=True)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
