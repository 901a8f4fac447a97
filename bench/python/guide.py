#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the figures of docs/guide/python.md and docs/guide/tables.md in one run: bench/python/guide.py [PROGRAM ...], Markdown. Some ten minutes.
The page has some of them in fewer columns.

For figures of a machine that others use, too: chrt -f 5. The mean load before each table tells what else ran.
"""
import os
import pathlib
import platform
import subprocess
import sys
import time

PROGRAMS = ["arrays", "distributed_tables", "pool", "collectives"]


def main():
    folder = pathlib.Path(__file__).resolve().parent
    print(f"{time.strftime('%d %B %Y')}, {os.cpu_count()} processors, {platform.system()} {platform.release()}, CPython {platform.python_version()}")
    for name in sys.argv[1:] or PROGRAMS:
        print(f"\n{name}.py (load {os.getloadavg()[0]:.1f}):\n", flush=True)
        subprocess.run([sys.executable, folder / f"{name}.py"], check=False)


if __name__ == "__main__":
    main()
