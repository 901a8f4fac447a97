#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times collectives and messages of ranks of Python beside mpi4py: bench/python/collectives.py. Two ranks; microseconds; both in one run.

mpi4py is taken from the interpreter PYTHON_OF_MPI4PY, by default this one. For figures of a machine that others use, too: chrt -f 5.
"""
import json
import os
import shutil
import subprocess
import sys

from timing import tries, us_each

SMALL = {"step": 3, "name": "halo"}


def report(rank, barrier, operations):
    figures = {}
    for name, work, times in operations:
        barrier()
        figures[name] = tries(us_each(work, times), 5)
    if rank == 0:
        print(json.dumps(figures))


def of_armilla():
    import numpy as np

    import armilla as am

    one, rows, thousand, large = np.ones(1), np.empty((2, 1)), np.ones(1000), np.ones(12_500_000)

    def there_and_back():
        if am.rank == 0:
            am.send(SMALL, 1)
            am.recv(1)
        else:
            am.send(am.recv(0), 0)

    report(am.rank, am.barrier, [
        ("all_reduce of an integer", lambda: am.all_reduce(3), 3000), ("all_gather of an integer", lambda: am.all_gather(3), 3000), ("broadcast of an integer", lambda: am.broadcast(3), 3000),
        ("broadcast of a dict", lambda: am.broadcast(SMALL), 3000), ("all_to_all of integers", lambda: am.all_to_all([1, 2]), 3000), ("send and recv of a dict, and back", there_and_back, 3000),
        ("broadcast of an array of 100 MB", lambda: am.broadcast(large if am.rank == 0 else None), 5), ("buffer: all_reduce of 8 B", lambda: am.all_reduce(one, out=one), 3000),
        ("buffer: all_reduce of 8 KB", lambda: am.all_reduce(thousand, out=thousand), 2000), ("buffer: broadcast of 8 B", lambda: am.broadcast(one, out=one), 3000),
        ("buffer: all_gather of 8 B", lambda: am.all_gather(one, out=rows), 3000), ("buffer: broadcast of 100 MB", lambda: am.broadcast(large, out=large), 5)])


def of_mpi4py():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    one, rows, thousand, large = np.ones(1), np.empty((2, 1)), np.ones(1000), np.ones(12_500_000)

    def there_and_back():
        if comm.rank == 0:
            comm.send(SMALL, 1)
            comm.recv(source=1)
        else:
            comm.send(comm.recv(source=0), 0)

    report(comm.rank, comm.barrier, [
        ("all_reduce of an integer", lambda: comm.allreduce(3), 3000), ("all_gather of an integer", lambda: comm.allgather(3), 3000), ("broadcast of an integer", lambda: comm.bcast(3), 3000),
        ("broadcast of a dict", lambda: comm.bcast(SMALL), 3000), ("all_to_all of integers", lambda: comm.alltoall([1, 2]), 3000), ("send and recv of a dict, and back", there_and_back, 3000),
        ("broadcast of an array of 100 MB", lambda: comm.bcast(large if comm.rank == 0 else None), 5), ("buffer: all_reduce of 8 B", lambda: comm.Allreduce(MPI.IN_PLACE, one), 3000),
        ("buffer: all_reduce of 8 KB", lambda: comm.Allreduce(MPI.IN_PLACE, thousand), 2000), ("buffer: broadcast of 8 B", lambda: comm.Bcast(one), 3000),
        ("buffer: all_gather of 8 B", lambda: comm.Allgather(one, rows), 3000), ("buffer: broadcast of 100 MB", lambda: comm.Bcast(large), 5)])


def child(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {"failed": done.stderr[-500:]}


def main():
    if sys.argv[1:]:
        return {"armilla": of_armilla, "mpi4py": of_mpi4py}[sys.argv[1]]()
    figures = {"armilla": child([sys.executable, "-m", "armilla", "-n", "2", __file__, "armilla"])}
    mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    if mpirun:
        figures["mpi4py"] = child([mpirun, "--allow-run-as-root", "--oversubscribe", "-n", "2", os.environ.get("PYTHON_OF_MPI4PY", sys.executable), __file__, "mpi4py"])
    json.dump(figures, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
