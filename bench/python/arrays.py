#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times distributed arrays on two ranks beside NumPy in one process and Dask with two workers: bench/python/arrays.py [NAME]. 10^7 elements, matrices of 2000 x 2000.

NumPy's BLAS has one thread a rank, and in the yardstick as many threads as there are ranks. The ratios are those of the medians. Dask is left out where it
is not installed (dask[array], distributed), and in what it does not have. Prints a table in Markdown.
"""
import importlib.util
import json
import os
import subprocess
import sys

from timing import held, milliseconds, tries

N, SIDE, RANKS = 10**7, 2000, 2
TO_NUMPY, MATMUL_TO_NUMPY, TO_DASK = 0.65, 1.1, 0.3  # targets of the ratios


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


def of_dask():
    import dask.array as da
    import distributed

    with distributed.Client(n_workers=RANKS, threads_per_worker=1, dashboard_address=None, memory_limit=None) as client:

        def held(array):
            array = client.persist(array)
            distributed.wait(array)
            return array

        def dealt(array):
            return held(array.rechunk((-(-array.shape[0] // RANKS), *array.shape[1:])))

        figures = {}
        for name, f in chosen(cases(da, lambda a: dealt(da.asarray(a)), lambda a: a.rechunk((-(-a.shape[0] // RANKS), -1)))).items():
            try:
                figures[name] = tries(milliseconds(lambda f=f: held(f())), 1)  # it keeps results for a while
            except Exception:  # it does not have it
                pass
        print(json.dumps(figures))


def child(command, threads):
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **dict.fromkeys(names, str(threads))})
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def main():
    if sys.argv[1:2] in (["armilla"], ["numpy"], ["dask"]):
        return {"armilla": of_armilla, "numpy": of_numpy, "dask": of_dask}[sys.argv[1]]()
    only = sys.argv[1:2]
    numpy = child([sys.executable, __file__, "numpy", *only], RANKS)
    ours = child([sys.executable, "-m", "armilla", "-n", str(RANKS), __file__, "armilla", *only], 1)
    dask = child([sys.executable, __file__, "dask", *only], 1) if importlib.util.find_spec("distributed") else {}
    print("| what | armilla | NumPy | Dask | ratio to NumPy | to Dask |\n|---|---|---|---|---|---|")
    for name, mine in ours.items():
        other = dask.get(name)
        to_dask = ("", "") if other is None else (f"{other['median']:.3g} ms", held(mine["median"] / other["median"], TO_DASK))
        to_numpy = held(mine["median"] / numpy[name]["median"], MATMUL_TO_NUMPY if name == "matmul" else TO_NUMPY)
        print(f"| {name} | {mine['median']:.3g} ms | {numpy[name]['median']:.3g} ms | {to_dask[0]} | {to_numpy} | {to_dask[1]} |")


if __name__ == "__main__":
    main()
