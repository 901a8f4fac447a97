# SPDX-License-Identifier: Apache-2.0
"""The STAPL paper's programs: pings, fences, the sample sort and the inner product."""
from .spec import Command, Experiment, Figure, Target

PINGS = (1, 10, 100, 1000, 10000)
QUICK = ("--pings", 100, 10000, "--aggregation", 1, 32, 128, "--samples", 1)

PING = Experiment(
    "ping", "Pings, then a pong", "STAPL, section 6, table 1 and figures 2 and 3",
    "k pings of 32 bytes from one rank to the other, then a pong, by statements and by questions, in messages of 1 to 512; against the same packed "
    "by hand in MPI, and a shared flag.",
    (Command("armilla", "paper_ping", ("--pings", *PINGS, "--samples", 3), QUICK),
     Command("mpi", "paper_ping_mpi", ("--pings", *PINGS, "--samples", 3), QUICK, launcher="mpi")),
    (Target("statements at the best aggregation / hand-packed MPI at its best", {"by": "armilla", "version": "statements"}, {"by": "mpi"},
            lambda size: 1.0 if size.get("pings") == 10000 else None, ("pings",)),
     Target("statements / hand-packed MPI, the same aggregation", {"by": "armilla", "version": "statements"}, {"by": "mpi"}, None,
            ("pings", "aggregation")),
     Target("best aggregation / unaggregated MPI", {"by": "armilla", "version": "statements"}, {"by": "mpi", "size.aggregation": 1}, None,
            ("pings",), paper="at 10,000 pings 1/6.4 (O3800, 128), 1/2.5 (V2200, 32), 1/2100 (cluster, 512)")),
    (Figure("lines", "Pings, time by aggregation", "aggregation", True),
     Figure("lines", "Pings, time by their number", "pings", True)),
    (("STAPL, table 1, microseconds", "explicit", "asynchronous", "synchronous"), ("Pthreads, V2200", "15", "22", "22"),
     ("Pthreads, O3800", "4", "16", "15"), ("MPI, V2200", "16", "35", "37"), ("MPI, O3800", "17", "17", "21"),
     ("MPI, cluster", "197", "197", "201")),
    seconds=6)

RANKS = (1, 2, 4, 8)
FENCE = Experiment(
    "fence", "A fence against a barrier", "STAPL, section 6, figures 4 and 5",
    "A fence knows that everything sent has run; a barrier only that all have come. On 1 to 8 ranks of two cores, in each pattern.",
    tuple(c for n in RANKS for c in
          (Command(f"{n} ranks", "paper_fence", ("--samples", 5), ("--samples", 1) if n <= 4 else (), ranks=n),
           Command(f"mpi, {n} ranks", "paper_fence_mpi", ("--samples", 5), ("--samples", 1) if n <= 4 else (), launcher="mpi", ranks=n))),
    (Target("fence / MPI barrier, 2 ranks", {"by": "armilla", "version": "fence*", "ranks": 2}, {"by": "mpi", "ranks": 2}, 1.3),
     *(Target(f"fence / barrier, {pattern}, 2 ranks", {"by": "armilla", "version": f"fence/{pattern}", "ranks": 2},
              {"by": "armilla", "version": f"barrier/{pattern}", "ranks": 2}, 1.25,
              paper="polling and termination detection up to 23 % of a Pthreads fence")
       for pattern in ("flat", "tree", "hypercube", "dissemination"))),
    (Figure("lines", "Fence and barrier", "ranks", True),),
    seconds=8)

SORT = Experiment(
    "sort", "Sample sort", "STAPL, section 6, figures 6 and 7",
    "Element-wise statements as in the paper's listing, where aggregation does the work; in bulk; the library's best. Sorted, and the same keys as before.",
    (Command("armilla", "paper_sort", ("--keys", 1000000, 67108864, "--samples", 1), ("--keys", 1000000, "--samples", 1)),
     Command("mpi", "paper_sort_mpi", ("--keys", 1000000, 67108864, "--samples", 1), ("--keys", 1000000, "--samples", 1), launcher="mpi")),
    tuple(Target(f"{version} / the best of the others", {"by": "armilla", "version": version}, {"by": "[!a]*"},
                 lambda size, limit=limit: limit if size.get("keys", 0) > 10**7 else None, ("keys",),
                 paper="30 lines against 100, slower" if version == "element-wise" else "")
          for version, limit in (("element-wise", 1.5), ("bulk", 1.0), ("best", 0.5))),
    (Figure("lines", "Sample sort", "keys", True), Figure("ratios", "Sample sort, against the best of the others", "keys", True),
     Figure("bars", "Sample sort, where the time goes")),
    (("STAPL, section 6", "there"), ("lines of the sample sort", "30, of MPI 100")), seconds=6)

INNER = Experiment(
    "inner", "Inner product", "STAPL, section 6, tables 2 and 3", "40 million doubles by collect, against OpenMP with SIMD and MPI.",
    (Command("armilla", "paper_inner", ("--elements", 40000000, "--samples", 5), ("--elements", 4000000, "--samples", 3)),
     Command("mpi", "paper_inner_mpi", ("--elements", 40000000, "--samples", 5), ("--elements", 4000000, "--samples", 3), launcher="mpi")),
    (Target("collect / OpenMP", {"by": "armilla"}, {"by": "openmp"}, 1.03, ("elements",), paper="0.93 to 1.09"),
     Target("collect / MPI", {"by": "armilla"}, {"by": "mpi"}, None, ("elements",))),
    (), (("STAPL, tables 2 and 3", "there"), ("ratios", "0.93 to 1.09")), seconds=4)

ITEMS = (PING, FENCE, SORT, INNER)
