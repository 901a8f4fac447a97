#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times ranks of Python beside mpi4py and NumPy: bench/python/ranks.py. One rank a core; each figure stands beside its yardstick of the same run.

mpi4py is taken from the interpreter PYTHON_OF_MPI4PY, by default this one; without it its figures are missing.
"""
import json
import os
import shutil
import subprocess
import sys

from timing import milliseconds, tries, us_each

SMALL, LARGE, SORTED = {"step": 3, "name": "halo"}, 131_072, 1 << 24  # the array: 1 MB of float64


def take(value):
    pass


def give_back(value):
    return value


def of_armilla():
    import numpy as np

    import armilla as am

    figures = {}
    array = np.ones(LARGE)
    am.barrier()
    if am.rank == 0:
        for name, value, times in (("small", SMALL, 3000), ("array", array, 300)):
            figures[f"{name}_us"] = tries(us_each(lambda value=value: am.call(1, take, value).get(), times))
            figures[f"{name}_and_back_us"] = tries(us_each(lambda value=value: am.call(1, give_back, value).get(), times))
    am.barrier()
    values = np.random.default_rng(1).random(SORTED)
    share = am.array(SORTED, dtype="f8")
    first, n = am.rank * len(share.local()), len(share.local())

    def sort():
        share.local()[:] = values[first : first + n]
        am.barrier()
        return milliseconds(share.sort)()

    sorting = tries(sort, 5)
    if am.rank == 0:
        figures["sort_ms"] = sorting

        figures["numpy_sort_ms"] = tries(lambda: milliseconds(values.copy().sort)(), 5)
        print(json.dumps(figures))
    am.barrier()


def of_mpi4py():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    other = 1 - comm.rank
    figures = {}
    for name, value, times in (("small_us", SMALL, 3000), ("array_us", np.ones(LARGE), 300)):
        figures[name] = tries(us_each(lambda value=value: comm.sendrecv(value, other, source=other), times))
    if comm.rank == 0:
        print(json.dumps(figures))


def imports():
    """Milliseconds of CPython's start with an import, less those without."""

    def run(code):
        return milliseconds(lambda: subprocess.run([sys.executable, "-c", code], check=True))

    codes = {"start": "pass", "numpy": "import numpy", "armilla": "import armilla"}
    for code in codes.values():
        run(code)()  # once, for what is read from disk
    return {name: tries(run(code), 15) for name, code in codes.items()}


def child(command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    return json.loads(done.stdout) if done.returncode == 0 else {"failed": done.stderr[-500:]}


def main():
    if sys.argv[1:]:
        return {"armilla": of_armilla, "mpi4py": of_mpi4py}[sys.argv[1]]()
    figures = {"armilla": child([sys.executable, "-m", "armilla", "-n", "2", __file__, "armilla"])}
    mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    if mpirun:
        figures["mpi4py"] = child([mpirun, "--allow-run-as-root", "-n", "2", os.environ.get("PYTHON_OF_MPI4PY", sys.executable), __file__, "mpi4py"])
    figures["import_ms"] = imports()
    json.dump(figures, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
