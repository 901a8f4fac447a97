#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times distributed arrays on two ranks beside NumPy in one process: bench/python/arrays.py [NAME]. 10^7 elements, matrices of 2000 x 2000.

NumPy's BLAS has one thread a rank, and in the yardstick as many threads as there are ranks. The ratio is that of the medians.
"""
import json
import os
import subprocess
import sys

from timing import milliseconds, tries

N, SIDE, RANKS = 10**7, 2000, 2


def cases(xp, array, dealt):
    """What is timed: name, function. `array` makes one of a NumPy array, `dealt` sees to it that a matrix is stored by rows."""
    import numpy as np

    rng = np.random.default_rng(1)
    values = rng.random(N)
    a, b = array(values), array(rng.random(N))
    m = array(values.reshape(-1, 1000))
    wide = array(values.reshape(1000, -1))
    index = array(rng.integers(0, N, N))
    mask = array(values > 0.5)
    left, right = array(rng.random((SIDE, SIDE))), array(rng.random((SIDE, SIDE)))
    integers = array((values * 1000).astype("i8"))

    def in_place():
        nonlocal a
        a *= 1.0001
        a += b

    def assign():
        a[mask] = 0.5

    return {
        "a * b + a": lambda: a * b + a, "sqrt(a)": lambda: xp.sqrt(a), "a *= x; a += b": in_place, "a.sum()": lambda: a.sum(), "a.std()": lambda: a.std(), "m.sum(axis=0)": lambda: m.sum(axis=0),
        "m.sum(axis=1)": lambda: m.sum(axis=1), "wide.sum(axis=0)": lambda: wide.sum(axis=0), "m - m.mean(axis=0)": lambda: m - m.mean(axis=0), "a > 0.5": lambda: a > 0.5, "a[mask]": lambda: a[mask],
        "a[mask] = 0.5": assign, "a[index]": lambda: a[index], "m.T by rows": lambda: dealt(m.T), "cumsum": lambda: xp.cumsum(a), "argmax": lambda: a.argmax(), "sort": lambda: xp.sort(b),
        "unique of 1000": lambda: xp.unique(integers), "matmul": lambda: left @ right,
    }


def chosen(all_cases):
    return {k: f for k, f in all_cases.items() if len(sys.argv) < 3 or sys.argv[2] in k}


def of_armilla():
    import numpy as np

    import armilla as am

    def one(f):
        am.barrier()

        def run():
            f()
            am.barrier()

        return milliseconds(run)()

    figures = {name: tries(lambda f=f: one(f), 7) for name, f in chosen(cases(np, am.asarray, lambda x: x.redistribute(0))).items()}
    if am.rank == 0:
        print(json.dumps(figures))
    am.barrier()


def of_numpy():
    import numpy as np

    print(json.dumps({name: tries(milliseconds(f), 7) for name, f in chosen(cases(np, np.asarray, np.ascontiguousarray)).items()}))


def child(command, threads):
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **dict.fromkeys(names, str(threads))})
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def main():
    if sys.argv[1:2] in (["armilla"], ["numpy"]):
        return {"armilla": of_armilla, "numpy": of_numpy}[sys.argv[1]]()
    only = sys.argv[1:2]
    numpy = child([sys.executable, __file__, "numpy", *only], RANKS)
    ours = child([sys.executable, "-m", "armilla", "-n", str(RANKS), __file__, "armilla", *only], 1)
    for name, of_ours in ours.items():
        print(f"{name:20} {of_ours['median']:8.2f} ms ({of_ours['lowest']:.2f} to {of_ours['highest']:.2f})  numpy {numpy[name]['median']:8.2f} ms  ratio {of_ours['median'] / numpy[name]['median']:.2f}")


if __name__ == "__main__":
    main()
