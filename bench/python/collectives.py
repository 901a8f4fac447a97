#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times collectives, messages and calls of ranks of Python beside mpi4py: bench/python/collectives.py [NAME]. Two ranks; NAME: the routines whose names hold it.

The two programs run in turns, five times each. Prints a table in Markdown: medians in microseconds of all turns, the median of the ratios of the turns, the
lowest and the highest. mpi4py is taken from the interpreter PYTHON_OF_MPI4PY, by default this one. For figures of a machine that others use, too: chrt -f 5.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys

from timing import held, tries, us_each

SMALL = {"step": 3, "name": "halo"}
TURNS = 5
OF_OBJECTS, OF_BUFFERS = 1.0, 1.2  # targets of the ratios


def chosen(operations):
    return {name: how for name, how in operations.items() if len(sys.argv) < 3 or sys.argv[2] in name}


def report(rank, barrier, operations):
    figures = {}
    for name, (work, times) in chosen(operations).items():
        barrier()
        figures[name] = tries(us_each(work, times), 3)["median"]
    if rank == 0:
        print(json.dumps(figures))


def arrays(np, size):
    """An array, and one with room for that of each rank."""
    return np.ones(size // 8), np.ones((2, size // 8))


def of_armilla():
    import numpy as np

    import armilla as am

    def there_and_back(value):
        if am.rank == 0:
            am.send(value, 1)
            am.recv(1)
        else:
            am.send(am.recv(0), 0)

    def called(value):
        if am.rank == 0:  # the other one answers where it waits for this one
            am.call(1, same, value).get()

    mine = am.rank == 0
    few, (one, two), (some, somes), (much, muches) = 3000, arrays(np, 8), arrays(np, 8192), arrays(np, 8 * 10**6)
    large = np.ones(12_500_000)
    report(am.rank, am.barrier, {
        "barrier": (am.barrier, few),
        "broadcast of an integer": (lambda: am.broadcast(3), few), "broadcast of a dict": (lambda: am.broadcast(SMALL), few), "broadcast of 8 KB": (lambda: am.broadcast(some if mine else None), few), "broadcast of 100 MB": (lambda: am.broadcast(large if mine else None), 3),
        "gather of an integer": (lambda: am.gather(3), few), "all_gather of an integer": (lambda: am.all_gather(3), few), "all_gather of a dict": (lambda: am.all_gather(SMALL), few), "all_gather of 8 KB": (lambda: am.all_gather(some), few),
        "scatter of integers": (lambda: am.scatter([1, 2] if mine else None), few), "all_to_all of integers": (lambda: am.all_to_all([1, 2]), few), "all_to_all of dicts": (lambda: am.all_to_all([SMALL, SMALL]), few),
        "reduce of an integer": (lambda: am.reduce(3), few), "all_reduce of an integer": (lambda: am.all_reduce(3), few), "all_reduce of a float, max": (lambda: am.all_reduce(3.0, "max"), few), "all_reduce of 8 KB": (lambda: am.all_reduce(some), few),
        "scan of an integer": (lambda: am.scan(3), few), "exscan of an integer": (lambda: am.exscan(3), few),
        "send, recv and back: an integer": (lambda: there_and_back(3), few), "send, recv and back: a dict": (lambda: there_and_back(SMALL), few), "send, recv and back: 8 KB": (lambda: there_and_back(some), few), "send, recv and back: 8 MB": (lambda: there_and_back(much), 10),
        "call: a dict": (lambda: called(SMALL), few), "call: 8 KB": (lambda: called(some), few), "call: 8 MB": (lambda: called(much), 10),
        "buffer: broadcast of 8 B": (lambda: am.broadcast(one, out=one), few), "buffer: broadcast of 8 KB": (lambda: am.broadcast(some, out=some), few), "buffer: broadcast of 8 MB": (lambda: am.broadcast(much, out=much), 10), "buffer: broadcast of 100 MB": (lambda: am.broadcast(large, out=large), 3),
        "buffer: all_gather of 8 B": (lambda: am.all_gather(one, out=two), few), "buffer: all_gather of 8 KB": (lambda: am.all_gather(some, out=somes), few), "buffer: all_gather of 8 MB": (lambda: am.all_gather(much, out=muches), 5),
        "buffer: all_reduce of 8 B": (lambda: am.all_reduce(one, out=one), few), "buffer: all_reduce of 8 KB": (lambda: am.all_reduce(some, out=some), few), "buffer: all_reduce of 8 MB": (lambda: am.all_reduce(much, out=much), 5),
        "buffer: all_to_all of 8 B": (lambda: am.all_to_all(two, out=two.copy()), few), "buffer: all_to_all of 8 KB": (lambda: am.all_to_all(somes, out=somes.copy()), few), "buffer: all_to_all of 8 MB": (lambda: am.all_to_all(muches, out=muches.copy()), 5)})


def same(value):
    return value


def of_mpi4py():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD

    def there_and_back(value):
        if comm.rank == 0:
            comm.send(value, 1)
            comm.recv(source=1)
        else:
            comm.send(comm.recv(source=0), 0)

    mine = comm.rank == 0
    few, (one, two), (some, somes), (much, muches) = 3000, arrays(np, 8), arrays(np, 8192), arrays(np, 8 * 10**6)
    large = np.ones(12_500_000)
    report(comm.rank, comm.barrier, {
        "barrier": (comm.barrier, few),
        "broadcast of an integer": (lambda: comm.bcast(3), few), "broadcast of a dict": (lambda: comm.bcast(SMALL), few), "broadcast of 8 KB": (lambda: comm.bcast(some if mine else None), few), "broadcast of 100 MB": (lambda: comm.bcast(large if mine else None), 3),
        "gather of an integer": (lambda: comm.gather(3), few), "all_gather of an integer": (lambda: comm.allgather(3), few), "all_gather of a dict": (lambda: comm.allgather(SMALL), few), "all_gather of 8 KB": (lambda: comm.allgather(some), few),
        "scatter of integers": (lambda: comm.scatter([1, 2] if mine else None), few), "all_to_all of integers": (lambda: comm.alltoall([1, 2]), few), "all_to_all of dicts": (lambda: comm.alltoall([SMALL, SMALL]), few),
        "reduce of an integer": (lambda: comm.reduce(3), few), "all_reduce of an integer": (lambda: comm.allreduce(3), few), "all_reduce of a float, max": (lambda: comm.allreduce(3.0, MPI.MAX), few), "all_reduce of 8 KB": (lambda: comm.allreduce(some), few),
        "scan of an integer": (lambda: comm.scan(3), few), "exscan of an integer": (lambda: comm.exscan(3), few),
        "send, recv and back: an integer": (lambda: there_and_back(3), few), "send, recv and back: a dict": (lambda: there_and_back(SMALL), few), "send, recv and back: 8 KB": (lambda: there_and_back(some), few), "send, recv and back: 8 MB": (lambda: there_and_back(much), 10),
        "call: a dict": (lambda: there_and_back(SMALL), few), "call: 8 KB": (lambda: there_and_back(some), few), "call: 8 MB": (lambda: there_and_back(much), 10),
        "buffer: broadcast of 8 B": (lambda: comm.Bcast(one), few), "buffer: broadcast of 8 KB": (lambda: comm.Bcast(some), few), "buffer: broadcast of 8 MB": (lambda: comm.Bcast(much), 10), "buffer: broadcast of 100 MB": (lambda: comm.Bcast(large), 3),
        "buffer: all_gather of 8 B": (lambda: comm.Allgather(one, two), few), "buffer: all_gather of 8 KB": (lambda: comm.Allgather(some, somes), few), "buffer: all_gather of 8 MB": (lambda: comm.Allgather(much, muches), 5),
        "buffer: all_reduce of 8 B": (lambda: comm.Allreduce(MPI.IN_PLACE, one), few), "buffer: all_reduce of 8 KB": (lambda: comm.Allreduce(MPI.IN_PLACE, some), few), "buffer: all_reduce of 8 MB": (lambda: comm.Allreduce(MPI.IN_PLACE, much), 5),
        "buffer: all_to_all of 8 B": (lambda: comm.Alltoall(two, two.copy()), few), "buffer: all_to_all of 8 KB": (lambda: comm.Alltoall(somes, somes.copy()), few), "buffer: all_to_all of 8 MB": (lambda: comm.Alltoall(muches, muches.copy()), 5)})


def child(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    return json.loads(done.stdout)


def main():
    if sys.argv[1:2] in (["armilla"], ["mpi4py"]):
        return {"armilla": of_armilla, "mpi4py": of_mpi4py}[sys.argv[1]]()
    mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    ours = [sys.executable, "-m", "armilla", "-n", "2", __file__, "armilla", *sys.argv[1:]]
    theirs = [mpirun, "--allow-run-as-root", "--oversubscribe", "-n", "2", os.environ.get("PYTHON_OF_MPI4PY", sys.executable), __file__, "mpi4py", *sys.argv[1:]]
    turns = [(child(ours), child(theirs) if mpirun else {}) for _ in range(TURNS)]
    print("| what | us | mpi4py | ratio | lowest | highest |\n|---|---|---|---|---|---|")
    for name in turns[0][0]:
        mine = [turn[0][name] for turn in turns]
        its = [turn[1][name] for turn in turns if name in turn[1]]
        ratios = sorted(a / b for a, b in zip(mine, its)) or [float("nan")]
        ratio = held(statistics.median(ratios), OF_BUFFERS if name.startswith("buffer") else OF_OBJECTS)
        print(f"| {name} | {statistics.median(mine):.3g} | {statistics.median(its or [float('nan')]):.3g} | {ratio} | {ratios[0]:.2f} | {ratios[-1]:.2f} |")


if __name__ == "__main__":
    main()
