# SPDX-License-Identifier: Apache-2.0
"""Prints the figures of docs/guide/python.md and docs/guide/tables.md in one run: python bench/python [PROGRAM ...], Markdown. Some twenty minutes.

PROGRAM: some of client, arrays, distributed_tables, pool, collectives and imports; without one, all of them. Needs the package `armilla`, and for the yardsticks what is
installed of mpi4py (with mpirun), dask[complete], polars, pyarrow and duckdb. Figures that are over their targets are bold, and listed at the end.

For figures of a machine that others use, too: chrt -f 5. The mean load before each table tells what else ran.
"""
import os
import pathlib
import platform
import subprocess
import sys
import time

PROGRAMS = ["client", "arrays", "distributed_tables", "pool", "collectives", "imports"]


def main():
    folder = pathlib.Path(__file__).resolve().parent
    over = []
    print(f"{time.strftime('%d %B %Y')}, {os.cpu_count()} processors, {platform.system()} {platform.release()}, CPython {platform.python_version()}")
    for name in sys.argv[1:] or PROGRAMS:
        print(f"\n{name}.py (load {os.getloadavg()[0]:.1f}):\n", flush=True)
        done = subprocess.run([sys.executable, folder / f"{name}.py"], stdout=subprocess.PIPE, text=True, check=False)
        print(done.stdout if done.returncode == 0 else f"{done.stdout}It has failed.", flush=True)
        over += [f"{name}: {line}" for line in done.stdout.splitlines() if "**" in line]
    print("Over their targets:", *over or ["none"], sep="\n")


if __name__ == "__main__":
    main()
