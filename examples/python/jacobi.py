# SPDX-License-Identifier: Apache-2.0
"""Heat in a square plate by Jacobi's iteration: each rank has some rows, and gets its neighbours' border rows in each step.

    python -m armilla -n 4 jacobi.py [SIZE [STEPS]]
"""
import sys

import armilla as am
import numpy as np

size = int(sys.argv[1]) if len(sys.argv) > 1 else 200
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 100
rows = size * (am.rank + 1) // am.size - size * am.rank // am.size
plate = np.zeros((rows + 2, size))  # with a row of each neighbour
if am.rank == 0:
    plate[0] = 1  # the hot edge


def set_row(at, row):
    plate[at] = row


am.barrier()  # now every rank has its plate
for step in range(steps):
    if am.rank > 0:
        am.async_(am.rank - 1, set_row, -1, plate[1])
    if am.rank < am.size - 1:
        am.async_(am.rank + 1, set_row, 0, plate[-2])
    am.fence()
    new = (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]) / 4
    change = am.all_reduce(float(np.abs(new - plate[1:-1, 1:-1]).max(initial=0)), "max")
    plate[1:-1, 1:-1] = new
heat = am.all_reduce(float(plate[1:-1].sum()))
if am.rank == 0:
    print(f"{size} x {size}, {steps} steps: heat {heat:.6f}, last change {change:.3e}")
