# SPDX-License-Identifier: Apache-2.0
"""CG and IS of the NAS parallel benchmarks, and what they send."""
from .spec import Command, Experiment, Figure, Target

CLASSES = ("S", "W", "A", "B")
# OpenMPI and OpenMP of NPB 3.4 on a machine of two cores like ours, Mop/s; for scale.
OFFICIAL = {"cg": (("A", 3940), ("B", 3300)), "is": (("A", 655), ("B", 832))}


def npb(name, title, paper_words):
    table = (("class", "official NPB 3.4, Mop/s on two cores"), *((c, f"{m:,}") for c, m in OFFICIAL[name]))
    return Experiment(
        name, title, "MPC++, figures 2 to 6",
        "Written two-sided in MPI from the specification, then edited in the MPC++ paper's way: main on rank 0, global pointers, one-sided reads "
        "and writes, collectives. " + paper_words,
        (Command("armilla", f"paper_{name}", ("--class", *CLASSES, "--samples", 1), ("--class", "S", "W", "--samples", 1)),
         Command("mpi", f"paper_{name}_mpi", ("--class", *CLASSES, "--samples", 1), ("--class", "S", "W", "--samples", 1), launcher="mpi"),
         Command("over UCX", f"paper_{name}", ("--class", "S", "W", "A", "--samples", 1), (), env=("ARMILLA_FABRIC=ucx",)),
         Command("over MPI", f"paper_{name}", ("--class", "S", "W", "A", "--samples", 1), (), launcher="mpi", env=("ARMILLA_FABRIC=mpi",))),
        (Target("one-sided / MPI", {"command": "armilla"}, {"by": "mpi"}, lambda size: 1.0 if size.get("class") in ("A", "B") else None,
                ("class",), paper="CG A mostly within 10 to 20 %, at worst within 2" if name == "cg" else ""),
         Target("over UCX / MPI", {"command": "over UCX"}, {"by": "mpi"}, None, ("class",)),
         Target("over MPI / MPI", {"command": "over MPI"}, {"by": "mpi"}, None, ("class",))),
        (Figure("bars", f"{title.split(':')[0]}, where the time goes"),), table, rounds=5, seconds=3 if name == "cg" else 2)


CG = npb("cg", "CG: a conjugate gradient", "The paper changed about 60 of 800 lines.")
IS = npb("is", "IS: a sort of integers by counting", "The paper changed 50 of 1000 lines.")

COUNTS = Experiment(
    "cg_counts", "What CG sends", "MPC++, tables 2 and 3",
    "CG class A on 2 to 32 ranks, counted: no cores are needed for that, so ranks share two. A node's sends in the paper, and what the library and "
    "the profiling interface of MPI count here, the mean of the ranks in one run.",
    tuple(c for n in (2, 4, 8, 16, 32) for c in
          (Command(f"{n} ranks", "paper_cg", ("--class", "A", "--samples", 1), ("--class", "S", "--samples", 1) if n <= 4 else (), ranks=n),
           Command(f"mpi, {n} ranks", "paper_cg_mpi", ("--class", "A", "--samples", 1), ("--class", "S", "--samples", 1) if n <= 4 else (),
                   launcher="mpi", ranks=n))),
    (), (),
    (("MPC++, tables 2 and 3: CG A, a node", "2", "4", "8", "16", "32 nodes"), ("C/LAM sends", "1,200", "2,790", "5,160", "9,090", "16,140"),
     ("C/LAM average KB", "18.2", "11.7", "7.4", "4.5", "2.6"), ("C/LAM total MB", "20.8", "31.3", "36.5", "39.1", "40.4"),
     ("MPC++/LAM sends", "1,591", "3,572", "6,333", "10,654", "18,095"), ("MPC++/LAM isends", "390", "1,170", "2,730", "0", "0"),
     ("MPC++/LAM receives", "1,981", "4,742", "9,063", "10,654", "18,095"), ("MPC++/LAM average KB", "10.80", "6.77", "4.14", "3.87", "2.37"),
     ("MPC++/LAM total MB", "20.9", "31.4", "36.6", "39.4", "40.8")),
    rounds=1, quick_rounds=1, seconds=8)

ITEMS = (CG, IS, COUNTS)
