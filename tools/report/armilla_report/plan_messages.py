# SPDX-License-Identifier: Apache-2.0
"""The STAPL paper's programs: pings, fences, the sample sort and the inner product."""
from . import beside
from .spec import Command, Experiment, Figure, Target

PINGS = (1, 10, 100, 1000, 10000)
QUICK = ("--pings", 1, 100, 10000, "--aggregation", 1, 32, 64, 128, "--samples", 1)

PING = Experiment(
    "ping", "Pings, then a pong", "STAPL, section 6, table 1 and figures 2 and 3",
    "k pings of 32 bytes from one rank to the other, then a pong, by one-way calls and by two-way calls, in STAPL's words, too, in messages of 1 to 512; against the same packed "
    "by hand in MPI, and a shared flag.",
    (Command("armilla", "paper_ping", ("--pings", *PINGS, "--samples", 3), QUICK),
     Command("mpi", "paper_ping_mpi", ("--pings", *PINGS, "--samples", 3), QUICK, launcher="mpi")),
    (Target("one-way calls / hand-packed MPI, each at its best", {"by": "armilla", "version": "one_way_calls"}, {"by": "mpi"},
            lambda size: 1.0 if size.get("pings") == 10000 else None, ("pings",)),
     Target("one-way calls / hand-packed MPI, the same aggregation", {"by": "armilla", "version": "one_way_calls"}, {"by": "mpi"}, None,
            ("pings", "aggregation")),
     Target("best aggregation / unaggregated MPI", {"by": "armilla", "version": "one_way_calls"}, {"by": "mpi", "size.aggregation": 1}, None,
            ("pings",), paper="at 10,000 pings 1/6.4 (O3800, 128), 1/2.5 (V2200, 32), 1/2100 (cluster, 512)"),
     Target("async_rmi / one-way calls", {"by": "armilla", "version": "async_rmi"}, {"by": "armilla", "version": "one_way_calls"}, 1.5,
            ("pings", "aggregation")),
     Target("sync_rmi / two-way calls", {"by": "armilla", "version": "sync_rmi"}, {"by": "armilla", "version": "two_way_calls"}, 1.5,
            ("pings", "aggregation"))),
    (Figure("lines", "Pings, time by aggregation", "aggregation", True),
     Figure("lines", "Pings, time by their number", "pings", True)),
    (("STAPL, table 1, microseconds", "explicit", "asynchronous", "synchronous"), ("Pthreads, V2200", "15", "22", "22"),
     ("Pthreads, O3800", "4", "16", "15"), ("MPI, V2200", "16", "35", "37"), ("MPI, O3800", "17", "17", "21"),
     ("MPI, cluster", "197", "197", "201")),
    ours=beside.pings, seconds=1)

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
     Target("rmi_fence / fence", {"by": "armilla", "version": "rmi_fence"}, {"by": "armilla", "version": "fence"},
            lambda size: 1.02 if size.get("ranks") == 2 else None, ("ranks", "pattern")),
     Target("fence / OpenMP barrier", {"by": "armilla", "version": "fence", "command": "? ranks"}, {"by": "openmp"}, None, ("ranks",)),
     Target("fence / std::barrier", {"by": "armilla", "version": "fence", "command": "? ranks"}, {"by": "std"}, None, ("ranks",))),
    (Figure("lines", "Fence and barrier", "ranks", True), Figure("ratios", "Fence against our barrier of its pattern", "ranks", True, ("fence / our*",))),
    seconds=6)

def on_ranks(program, args, quick, counts=(1, 2, 4)):
    """A program and its twin on so many ranks each."""
    for ranks in counts:
        yield Command(f"{ranks} ranks" if ranks > 1 else "1 rank", program, args, quick, ranks=ranks)
        yield Command(f"mpi, {ranks}", f"{program}_mpi", args, quick, launcher="mpi", ranks=ranks)


SORT = Experiment(
    "sort", "Sample sort", "STAPL, section 6, figures 6 and 7",
    "Element-wise one-way calls as in the paper's listing, where aggregation does the work; in bulk; the library's best. Sorted, and the same keys as before.",
    (Command("armilla", "paper_sort", ("--keys", 67108864, "--samples", 1), ("--keys", 16777216, "--samples", 1)),
     Command("mpi", "paper_sort_mpi", ("--keys", 67108864, "--samples", 1), ("--keys", 16777216, "--samples", 1), launcher="mpi"),
     *on_ranks("paper_sort", ("--keys", 1000000, "--samples", 5), ("--keys", 1000000, "--samples", 2))),
    tuple(Target(f"{version} / the best of the others", {"by": "armilla", "version": version}, {"by": "[!a]*"},
                 lambda size, limit=limit: limit if size.get("keys", 0) > 10**7 else None, ("keys", "ranks"),
                 paper="30 lines against 100, slower" if version == "element-wise" else "")
          for version, limit in (("element-wise", 1.5), ("bulk", 1.0), ("best", 0.5)))
    + (Target("stapl / element-wise", {"by": "armilla", "version": "stapl"}, {"by": "armilla", "version": "element-wise"}, 1.5, ("keys", "ranks")),),
    (Figure("lines", "Sample sort (figure 6)", "ranks", True), Figure("scaling", "Sample sort, against one rank (figure 7)", "ranks"),
     Figure("ratios", "Sample sort / the best of the others", "ranks", True),
     Figure("bars", "Sample sort, where the time goes")),
    (("STAPL, section 6", "there"), ("lines of the sample sort", "30, of MPI 100")), seconds=16)

# Seconds by processors, explicit and STAPL, of tables 2 (shared memory) and 3 (message passing).
PROCESSORS = (1, 2, 4, 8, 16, 32)
TABLES = {
    "table 2, V2200": ((10.658, 5.329, 2.665, 1.309, .667), (10.218, 5.287, 2.736, 1.355, .705)),
    "table 2, O3800": ((2.123, 1.086, .544, .287, .146, .076), (2.290, 1.159, .578, .294, .159, .075)),
    "table 3, V2200": ((10.008, 4.996, 2.678, 1.301, .752), (10.558, 5.149, 2.567, 1.326, .702)),
    "table 3, O3800": ((2.301, 1.165, .583, .343, .171, .088), (2.300, 1.164, .581, .330, .170, .084)),
    "table 3, cluster": ((.964, .577, .285, .142), (.964, .574, .284, .142)),
}


def inner_table():
    def row(name, cells):
        return (name, *cells, *["–"] * (len(PROCESSORS) - len(cells)))

    yield ("STAPL, tables 2 and 3: processors", *map(str, PROCESSORS))
    for name, (explicit, stapl) in TABLES.items():
        yield row(f"{name}: explicit, s", [f"{x:g}" for x in explicit])
        yield row(f"{name}: STAPL, s", [f"{x:g}" for x in stapl])
        yield row(f"{name}: STAPL / explicit", [f"{b / a:.2f}" for a, b in zip(explicit, stapl)])


def paper_ratios(name):
    return (f"paper: STAPL / explicit, {name}", {n: b / a for n, a, b in zip(PROCESSORS, *TABLES[name])})


INNER = Experiment(
    "inner", "Inner product", "STAPL, section 6, tables 2 and 3", "40 million doubles by collect, against OpenMP with SIMD and MPI.",
    tuple(on_ranks("paper_inner", ("--elements", 40000000, "--samples", 5), ("--elements", 40000000, "--samples", 2))),
    (Target("collect_rmi / collect", {"by": "armilla", "version": "collect_rmi"}, {"by": "armilla", "version": "collect"},
            lambda size: 1.02 if size.get("ranks") == 2 else None, ("elements", "ranks")),
     Target("collect / OpenMP", {"by": "armilla", "version": "collect"}, {"by": "openmp"}, lambda size: 1.03 if size.get("ranks") == 2 else None, ("elements", "ranks"),
            paper="0.93 to 1.09"),
     Target("collect / MPI", {"by": "armilla", "version": "collect"}, {"by": "mpi"}, None, ("elements", "ranks"))),
    (Figure("ratios", "Inner product", "ranks", True, (), (paper_ratios("table 2, V2200"), paper_ratios("table 2, O3800"))),
     Figure("scaling", "Inner product, against one rank", "ranks")), tuple(inner_table()), ours=beside.inner, seconds=4)

PARTS = ("send", "receive", "one-way")
MESSAGE = Experiment(
    "message16", "An active message against a plain one of 16 bytes", "Split-C and active messages on the Paragon, figures 2 and 4",
    "Sixteen bytes to the other rank: what sending takes, what receiving takes where all have come, and one way. Active message, one-way calls alone and "
    "together, a put with a signal; against MPI's send and receive, and a line of shared memory by hand.",
    (Command("armilla", "paper_micro", ("--samples", 5), ("--samples", 1)),
     Command("mpi", "paper_micro_mpi", ("--samples", 5), ("--samples", 1), launcher="mpi")),
    (*(Target(f"active message / MPI, {part}", {"by": "armilla", "version": f"active-message/{part}"}, {"by": "mpi", "version": f"*/{part}"},
              paper="AM send 47 us on the Paragon, 1.6 on the CM-5" if part == "send" else "") for part in PARTS),
     *(Target(f"{version} / the raw line, one way", {"by": "armilla", "version": f"{version}/one-way"}, {"by": "line", "version": "*/one-way"})
       for version in ("active-message", "one_way_call", "one_way_calls-together", "put"))),
    tuple(Figure("lines", f"16 bytes, {part}", "messages", False, (f"*/{part}",)) for part in PARTS),
    (("Paragon, figures 2 and 4", "there"), ("AM send", "47 us (CM-5 1.6)"), ("dispatch on the CM-5", "1.7 us, about a tenth of saving the context here")),
    seconds=1)

ITEMS = (MESSAGE, PING, FENCE, SORT, INNER)
