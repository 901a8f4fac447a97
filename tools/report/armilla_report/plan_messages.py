# SPDX-License-Identifier: Apache-2.0
"""The STAPL paper's programs: pings, fences, the sample sort and the inner product."""
from .spec import Command, Experiment, Figure, Target

PINGS = (1, 10, 100, 1000, 10000)
QUICK = ("--pings", 100, 10000, "--aggregation", 1, 32, 64, 128, "--samples", 1)

PING = Experiment(
    "ping", "Pings, then a pong", "STAPL, section 6, table 1 and figures 2 and 3",
    "k pings of 32 bytes from one rank to the other, then a pong, by statements and by questions, in messages of 1 to 512; against the same packed "
    "by hand in MPI, and a shared flag.",
    (Command("armilla", "paper_ping", ("--pings", *PINGS, "--samples", 3), QUICK),
     Command("mpi", "paper_ping_mpi", ("--pings", *PINGS, "--samples", 3), QUICK, launcher="mpi")),
    (Target("statements / hand-packed MPI, each at its best", {"by": "armilla", "version": "statements"}, {"by": "mpi"},
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
    seconds=1)

PATTERNS = ("flat", "tree", "hypercube", "dissemination")


def fence_commands():
    for ranks in (1, 2, 4, 8):
        quick = ("--samples", 1) if ranks == 2 else ()
        for pattern in PATTERNS:
            yield Command(f"{ranks} ranks, {pattern}", "paper_fence", ("--samples", 3, "--pattern", pattern),
                          ("--samples", 1, "--pattern", pattern) if ranks == 2 else (), ranks=ranks)
        yield Command(f"{ranks} ranks", "paper_fence", ("--samples", 3), quick, ranks=ranks)
        yield Command(f"mpi, {ranks} ranks", "paper_fence_mpi", ("--samples", 3), quick, launcher="mpi", ranks=ranks)


FENCE = Experiment(
    "fence", "A fence against a barrier", "STAPL, section 6, figures 4 and 5",
    "A fence knows that everything sent has run; a barrier only that all have come. On 1 to 8 ranks of two cores, in each pattern, beside the "
    "barriers of MPI, OpenMP and the standard library.",
    tuple(fence_commands()),
    (Target("fence / MPI barrier", {"by": "armilla", "version": "fence", "command": "? ranks"}, {"by": "mpi"},
            lambda size: 1.3 if size.get("ranks") == 2 else None, ("ranks",)),
     *(Target(f"fence / our barrier, {pattern}", {"by": "armilla", "version": "fence", "size.pattern": pattern},
              {"by": "armilla", "version": "barrier", "size.pattern": pattern}, 1.25, ("ranks",),
              paper="polling and termination detection up to 23 % of a Pthreads fence") for pattern in PATTERNS),
     Target("fence / OpenMP barrier", {"by": "armilla", "version": "fence", "command": "? ranks"}, {"by": "openmp"}, None, ("ranks",)),
     Target("fence / std::barrier", {"by": "armilla", "version": "fence", "command": "? ranks"}, {"by": "std"}, None, ("ranks",))),
    (Figure("lines", "Fence and barrier", "ranks", True), Figure("ratios", "Fence against our barrier of its pattern", "ranks", True, ("fence / our*",))),
    seconds=6)

SORT = Experiment(
    "sort", "Sample sort", "STAPL, section 6, figures 6 and 7",
    "Element-wise statements as in the paper's listing, where aggregation does the work; in bulk; the library's best. Sorted, and the same keys as before.",
    (Command("armilla", "paper_sort", ("--keys", 1000000, 67108864, "--samples", 1), ("--keys", 16777216, "--samples", 1)),
     Command("mpi", "paper_sort_mpi", ("--keys", 1000000, 67108864, "--samples", 1), ("--keys", 16777216, "--samples", 1), launcher="mpi")),
    tuple(Target(f"{version} / the best of the others", {"by": "armilla", "version": version}, {"by": "[!a]*"},
                 lambda size, limit=limit: limit if size.get("keys", 0) > 10**7 else None, ("keys",),
                 paper="30 lines against 100, slower" if version == "element-wise" else "")
          for version, limit in (("element-wise", 1.5), ("bulk", 1.0), ("best", 0.5))),
    (Figure("lines", "Sample sort", "keys", True), Figure("ratios", "Sample sort, against the best of the others", "keys", True),
     Figure("bars", "Sample sort, where the time goes")),
    (("STAPL, section 6", "there"), ("lines of the sample sort", "30, of MPI 100")), seconds=11)

INNER = Experiment(
    "inner", "Inner product", "STAPL, section 6, tables 2 and 3", "40 million doubles by collect, against OpenMP with SIMD and MPI.",
    (Command("armilla", "paper_inner", ("--elements", 40000000, "--samples", 5), ("--elements", 40000000, "--samples", 2)),
     Command("mpi", "paper_inner_mpi", ("--elements", 40000000, "--samples", 5), ("--elements", 40000000, "--samples", 2), launcher="mpi")),
    (Target("collect / OpenMP", {"by": "armilla"}, {"by": "openmp"}, 1.03, ("elements",), paper="0.93 to 1.09"),
     Target("collect / MPI", {"by": "armilla"}, {"by": "mpi"}, None, ("elements",))),
    (), (("STAPL, tables 2 and 3", "there"), ("ratios", "0.93 to 1.09")), seconds=1)

PARTS = ("send", "receive", "one-way")
MESSAGE = Experiment(
    "message16", "An active message against a plain one of 16 bytes", "Split-C and active messages on the Paragon, figures 2 and 4",
    "Sixteen bytes to the other rank: what sending takes, what receiving takes where all have come, and one way. Active message, statements alone and "
    "together, a put with a signal; against MPI's send and receive, and a line of shared memory by hand.",
    (Command("armilla", "paper_micro", ("--samples", 5), ("--samples", 1)),
     Command("mpi", "paper_micro_mpi", ("--samples", 5), ("--samples", 1), launcher="mpi")),
    (*(Target(f"active message / MPI, {part}", {"by": "armilla", "version": f"active-message/{part}"}, {"by": "mpi", "version": f"*/{part}"},
              paper="AM send 47 us on the Paragon, 1.6 on the CM-5" if part == "send" else "") for part in PARTS),
     *(Target(f"{version} / the raw line, one way", {"by": "armilla", "version": f"{version}/one-way"}, {"by": "line", "version": "*/one-way"})
       for version in ("active-message", "statement", "statements-together", "put"))),
    (), (("Paragon, figures 2 and 4", "there"), ("AM send", "47 us (CM-5 1.6)"), ("dispatch on the CM-5", "1.7 us, about a tenth of saving the context here")),
    seconds=1)

ITEMS = (MESSAGE, PING, FENCE, SORT, INNER)
