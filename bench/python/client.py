#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times Python as an attached client of a job in C++: bench/python/client.py [HEAT] [--gib N], HEAT being the program examples/heat, by default the newest build/*/bin/heat.

Each figure is beside its yardstick of the same run. Prints a table in Markdown: medians of several tries.
"""
import argparse
import multiprocessing
import os
import pathlib
import subprocess
import sys

import numpy as np

from timing import held, milliseconds, tries, us_each

import armilla

ROOT = pathlib.Path(__file__).resolve().parents[2]


def echo(pipe):
    while pipe.recv() is not None:
        pipe.send(0)


def pipe_round_trip():
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=echo, args=(there,))
    process.start()
    result = tries(us_each(lambda: (here.send(1), here.recv()), 2000))
    here.send(None)
    process.join()
    return result


class Heat:
    def __init__(self, program, ranks, cells, *options):
        environment = os.environ | {"ARMILLA_RANKS": str(ranks)}
        self.process = subprocess.Popen([program, "--cells", str(cells), *options], env=environment, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def __enter__(self):
        return str(self.process.pid)

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("heat", nargs="?", default=max(ROOT.glob("build/*/bin/heat"), key=os.path.getmtime, default=None))
    parser.add_argument("--gib", type=float, default=1.0, help="size of the array that is summed")
    options = parser.parse_args()
    if options.heat is None:
        sys.exit("there is no build/*/bin/heat: build the examples, or name the program")
    figures = {}
    with Heat(options.heat, 1, 1000, "--awake") as job:
        figures["attach_ms"] = tries(milliseconds(lambda: armilla.attach(job)))
        step = armilla.attach(job)[0].demo.solver.part
        step()
        figures["call_us"] = tries(us_each(step, 20_000))
    with Heat(options.heat, 1, 1000) as job:
        step = armilla.attach(job)[0].demo.solver.part
        figures["call_asleep_us"] = tries(us_each(step, 500))
    figures["pipe_us"] = pipe_round_trip()
    cells = int(options.gib * 2**30 / 8)
    own = np.zeros(cells)
    own += 1  # touched
    own.sum()
    figures["numpy_sum_ms"] = tries(milliseconds(own.sum), 5)
    del own
    with Heat(options.heat, 1, cells, "--steps", "1") as job:
        client = armilla.attach(job)
        client.array("temperature")
        figures["visible_ms"] = tries(milliseconds(lambda: client.array("temperature")))
        figures["sum_first_ms"] = tries(milliseconds(lambda: client.array("temperature").sum()), 5)
        t = client.array("temperature")
        t.sum()
        figures["sum_ms"] = tries(milliseconds(t.sum), 5)
    took = {name: each["median"] for name, each in figures.items()}
    print("| what | takes | compared with |\n|---|---|---|")
    print(f"| attach | {held(took['attach_ms'], 50)} ms | |")
    print(f"| a call, the rank polls | {held(took['call_us'], 1)} us | multiprocessing.Pipe: {took['pipe_us']:.3g} us |")
    print(f"| a call, the rank sleeps | {took['call_asleep_us']:.3g} us | |")
    print(f"| an array of {options.gib:g} GiB is visible | {held(took['visible_ms'], 1)} ms | |")
    print(f"| its sum | {took['sum_ms']:.3g} ms | NumPy's: {took['numpy_sum_ms']:.3g} ms, {held(took['sum_ms'] / took['numpy_sum_ms'], 1.05)} |")
    print(f"| its first sum | {took['sum_first_ms']:.3g} ms | the same, {held(took['sum_first_ms'] / took['numpy_sum_ms'], 1.5)} |")


if __name__ == "__main__":
    main()
