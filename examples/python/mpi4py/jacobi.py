# SPDX-License-Identifier: Apache-2.0
"""Heat in a square plate by Jacobi's iteration, by mpi4py.

    mpirun -n 4 python jacobi.py [SIZE [STEPS]]
"""
import sys

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
size = int(sys.argv[1]) if len(sys.argv) > 1 else 200
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 100
rows = size * (world.rank + 1) // world.size - size * world.rank // world.size
plate = np.zeros((rows + 2, size))  # with a row of each neighbour
if world.rank == 0:
    plate[0] = 1  # the hot edge
above = world.rank - 1 if world.rank > 0 else MPI.PROC_NULL
below = world.rank + 1 if world.rank < world.size - 1 else MPI.PROC_NULL

for step in range(steps):
    world.Sendrecv(plate[1], above, recvbuf=plate[-1], source=below)
    world.Sendrecv(plate[-2], below, recvbuf=plate[0], source=above)
    new = (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]) / 4
    change = world.allreduce(float(np.abs(new - plate[1:-1, 1:-1]).max(initial=0)), MPI.MAX)
    plate[1:-1, 1:-1] = new
heat = world.allreduce(float(plate[1:-1].sum()))
if world.rank == 0:
    print(f"{size} x {size}, {steps} steps: heat {heat:.6f}, last change {change:.3e}")
