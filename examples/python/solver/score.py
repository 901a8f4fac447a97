# SPDX-License-Identifier: Apache-2.0
"""The half of solver.cpp that is in Python."""
import armilla as am
import numpy as np
import numpy.typing as npt


def score(cells: npt.NDArray[np.float64]) -> float:
    return float(cells.mean())


am.provide("demo.py.score", score)             # by annotations, or as text: "f8(list<f8>)"
am.barrier()                                   # all have provided
am.barrier()                                   # C++ calls
if am.rank == 2:
    solver = am.job[0].demo.solver             # what rank 0 provides
    print(solver.step(0.5))                    # its value, or RemoteError with what it threw
    print(solver.step.future(0.5).get())       # a future: get, result, await
    solver.step.async_(0.5)                    # a one-way call: nothing comes back
am.fence()
