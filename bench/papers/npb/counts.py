#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What CG sends: tables 2 and 3 of the MPC++ paper, with the paper's numbers in brackets.

    counts.py [--ranks 2 4 8 16 32] [--class A] [--fabric loop] [--out FILE] [--bin DIR]

The twin is counted by MPI's profiling interface, the program for Armilla by the library's statistics: all is the mean of the ranks in one
sample. On the fabric loop all that leaves a rank is a message, as between hosts; on shm a put is a copy. Counts need no processors: ranks
may be many more. The exit code is 1 if the twin's counts are not those of the algorithm, and at class A those of the paper
to its last digit."""
import argparse
import sys

import jobs

# Class A, by nodes. KB are of 1000 bytes there, MB of 2^20.
PAPER_C = {2: (1200, 18.2, 20.8), 4: (2790, 11.7, 31.3), 8: (5160, 7.4, 36.5), 16: (9090, 4.5, 39.1), 32: (16140, 2.6, 40.4)}
PAPER_MPCPP = {2: (1981, 10.80, 20.9), 4: (4742, 6.77, 31.4), 8: (9063, 4.14, 36.6), 16: (10654, 3.87, 39.4), 32: (18095, 2.37, 40.8)}
MB = 2.0 ** 20


def bracket(value, paper):
    return f"{value} [{paper}]" if paper is not None else f"{value}"


def expected(record, ranks):
    """What the algorithm sends: in an iteration of the 15 (75 for class B) 26 products and 54 sums."""
    iterations, order, steps = 75 if record["size"]["class"] == "B" else 15, record["size"]["order"], ranks.bit_length() - 1
    return iterations * (26 * (ranks - 1) + 54 * steps), iterations * (26 * (ranks - 1) * order / ranks + 54 * steps) * 8


def twin_row(record, ranks):
    counts, paper = record["counts"], PAPER_C.get(ranks) if record["size"]["class"] == "A" else None
    sends = counts.get("Send", 0)
    row = (round(sends), round(counts["bytes"] / max(sends, 1) / 1000, 1), round(counts["bytes"] / MB, 1))
    agrees = (paper in (None, row) and counts["Irecv"] == counts["Wait"] == sends
              and all(abs(mine - right) < 0.5 for mine, right in zip((sends, counts["bytes"]), expected(record, ranks))))
    shown = [bracket(mine, paper[i] if paper else None) for i, mine in enumerate(row)]
    return agrees, ("{:>5}" + 3 * "{:>20}" + "  {}").format(ranks, *shown, "" if agrees else "not what the algorithm sends")


def armilla_row(record, ranks):
    counts, paper = record["counts"], PAPER_MPCPP.get(ranks) if record["size"]["class"] == "A" else None
    messages = sum(counts.get(name, 0) for name in ("frames_sent", "bulk_sent"))
    sent = sum(counts.get(name, 0) for name in ("bytes_sent", "bulk_bytes_sent"))
    control = counts.get("control_sent", 0)
    cells = [round(counts["stores"]), f"{counts['store_bytes'] / MB:.1f}", round(counts["collectives"]),
             bracket(round(messages), paper[0] if paper else None), bracket(f"{sent / MB:.1f}", paper[2] if paper else None),
             f"{round(control)} of {counts.get('control_bytes_sent', 0) / max(control, 1):.0f} B",
             f"{round(counts['polls'])} ({round(counts['idle_polls'])})"]
    return ("{:>5}{:>8}{:>9}{:>13}{:>17}{:>13}{:>15}{:>19}").format(ranks, *cells)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--ranks", type=int, nargs="+", default=[2, 4, 8, 16, 32])
    arguments.add_argument("--class", dest="size", default="A", choices=["S", "W", "A", "B"])
    arguments.add_argument("--fabric", default="loop", choices=["loop", "shm", "threads", "ucx"])
    jobs.add_arguments(arguments)
    how = arguments.parse_args()
    for ranks in how.ranks:
        if ranks < 2 or ranks & (ranks - 1):
            arguments.error(f"--ranks {ranks}: must be a power of two, 2 or more")
    words = ["--class", how.size, "--samples", "1", "--json"]

    wrong = 0
    twin, mine = [], []
    for ranks in how.ranks:
        for rows, make, line, environment in (
                (twin, twin_row, [*jobs.mpirun(ranks), how.bin / "paper_cg_mpi", *words], jobs.quiet_environment()),
                (mine, armilla_row, [how.bin / "paper_cg", *words],
                 jobs.quiet_environment(ARMILLA_RANKS=str(ranks), ARMILLA_FABRIC=how.fabric))):
            try:
                records = jobs.records_of(line, environment, how.limit)
            except jobs.Failed as why:
                rows.append(f"{ranks:>5}  failed: {why}")
                wrong += 1
                continue
            jobs.keep(how.out, records)
            row = make(records[0], ranks)
            if make is twin_row:
                wrong += not row[0]
                row = row[1]
            rows.append(row)

    print(f"CG, class {how.size}, a rank\n\nMPI, two-sided [table 2: C/LAM]")
    print(("{:>5}" + 3 * "{:>20}").format("ranks", "Send, Irecv, Wait", "average KB", "total MB"))
    print("\n".join(twin))
    print(f"\nArmilla on {how.fabric} [table 3: MPC++/LAM, control messages included]")
    print(("{:>5}{:>8}{:>9}{:>13}{:>17}{:>13}{:>15}{:>19}").format(
        "ranks", "stores", "their MB", "collectives", "messages", "total MB", "control", "polls (idle)"))
    print("\n".join(mine))
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except jobs.Failed as failure:
        sys.exit(f"counts: {failure}")
