#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times Python as an attached client of a job in C++: bench/python/client.py HEAT [--gib N], HEAT being the program examples/heat.

Each figure stands beside its yardstick of the same run; the median of several tries, and the lowest and highest.
"""
import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import time

import numpy as np

from timing import milliseconds, tries, us_each

import armilla


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
    parser.add_argument("heat")
    parser.add_argument("--gib", type=float, default=1.0, help="size of the array that is summed")
    options = parser.parse_args()
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
    json.dump(figures, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
