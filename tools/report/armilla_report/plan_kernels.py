# SPDX-License-Identifier: Apache-2.0
"""Water, blocked LU, and the matrix multiplication of blocks."""
from .spec import GAP_TABLE, Command, Experiment, Figure, Target


def by_messages(program, args, quick):
    yield Command("armilla", program, args, quick)
    yield Command("messages", program, (*args, "--by-message"), (*quick, "--by-message"))


def ccpp_against_splitc(version, label, on, limit=1.3, paper=""):
    """The program in CC++ against the one in Split-C, both carried by messages: the papers' comparison."""
    prefix = f"{version}/" if version else ""
    return Target(f"{version}: CC++ / Split-C, both by messages" if version else "CC++ / Split-C, both by messages",
                  {"command": label, "version": f"{prefix}ccpp"}, {"command": label, "version": f"{prefix}splitc"}, limit, on, paper=paper)


WATER = Experiment(
    "water", "Water: molecules that all act on each other", "MRPC, section 6, figure 5",
    "64 and 512 molecules. Atomic: remote molecules are read and updated one by one, by atomic methods. Prefetch: those that a rank needs are "
    "bundled. Energies are compared with the reference to nine digits.",
    (*by_messages("paper_water", ("--molecules", 64, 512, "--samples", 3), ("--molecules", 64, 512, "--steps", 3, "--samples", 2)),
     Command("mpi", "paper_water_mpi", ("--molecules", 64, 512, "--samples", 3), ("--molecules", 64, 512, "--steps", 3, "--samples", 2),
             launcher="mpi")),
    (ccpp_against_splitc("atomic", "messages", ("molecules",), paper="CC++ / Split-C 2.6 (64), 5.6 (512)"),
     ccpp_against_splitc("prefetch", "messages", ("molecules",), paper="CC++ / Split-C 3.5 (512)"),
     Target("prefetch: calls / global pointers, short cut on", {"command": "armilla", "version": "prefetch/calls"},
            {"command": "armilla", "version": "prefetch/pointers"}, 1.3, ("molecules",)),
     Target("prefetch / threads with locks", {"command": "armilla", "version": "prefetch/*"}, {"by": "threads"},
            lambda size: 1.0 if size.get("molecules", 0) >= 512 else 0.9, ("molecules",)),
     Target("prefetch / MPI", {"command": "armilla", "version": "prefetch/*"}, {"by": "mpi"}, None, ("molecules",)),
     *(Target(f"prefetch / atomic, in {name} and by messages", {"command": "messages", "version": f"prefetch/{version}"},
              {"command": "messages", "version": f"atomic/{version}"}, None, ("molecules",), paper=f"gains {gains}")
       for name, version, gains in (("CC++", "ccpp", "60 % (64), 51 % (512)"), ("Split-C", "splitc", "60 % (64), 22 % (512)")))),
    (Figure("ratios", "Water, CC++ against Split-C", "molecules", True, ("*CC++ / Split-C*",),
            (("paper: atomic", {64: 2.6, 512: 5.6}), ("paper: prefetch", {512: 3.5}))),
     Figure("ratios", "Water, calls against global pointers", "molecules", True, ("*calls / global pointers*",)),
     Figure("lines", "Water, time a step", "molecules", True),
     Figure("bars", "Water in CC++ and Split-C, where the time goes (figure 5)", only=("*/splitc", "*/ccpp")),
     Figure("bars", "Water, where the time goes", only=("*/pointers", "*/calls"))),
    (("MRPC, section 6", "there"), ("prefetch: remote accesses", "10 times fewer"),
     ("prefetch gains", "60 % (64, both), 51 % CC++ and 22 % Split-C (512)"), ("CC++ / Split-C", "atomic 2.6 (64), 5.6 (512); prefetch 3.5 (512)"),
     *GAP_TABLE),
    seconds=2)


def lu_commands():
    for block in (16, 32, 64, 128):
        yield Command(f"block {block}", "paper_lu", ("--size", 512, "--block", block, "--samples", 3),
                      ("--size", 512, "--block", block, "--samples", 1) if block in (16, 64) else ())
        yield Command(f"large, block {block}", "paper_lu", ("--size", 2048, "--block", block, "--samples", 1), ())
    yield Command("messages", "paper_lu", ("--size", 512, "--block", 16, "--samples", 3, "--by-message"),
                  ("--size", 512, "--block", 16, "--samples", 1, "--by-message"))


LU = Experiment(
    "lu", "LU: a dense matrix in blocks, without pivoting", "MRPC, section 6",
    "In Split-C one-way stores and prefetch, in CC++ RPCs in their place, and all meet between the parts of a step, as in the paper; by global pointers "
    "and by calls no rank waits for more than it needs. Against threads at block 16 and "
    "LAPACK's dgetrf, which pivots. Verified by values of the factors and the residual.",
    tuple(lu_commands()),
    (ccpp_against_splitc("", "messages", ("n", "block"), paper="CC++ / Split-C 3.6"),
     Target("calls / global pointers, short cut on", {"command": "*block*", "version": "calls"},
            {"command": "*block*", "version": "pointers"}, 1.3, ("n", "block")),
     Target("best block / threads at block 16", {"by": "armilla", "command": "*block*"}, {"by": "threads", "size.block": 16},
            lambda size: 0.7 if size.get("n") == 512 else None, ("n",)),
     Target("best block / dgetrf", {"by": "armilla", "command": "*block*"}, {"by": "lapack"},
            lambda size: 1.3 if size.get("n") == 512 else None, ("n",))),
    (Figure("lines", "LU, time by block", "block", True),
     Figure("bars", "LU in CC++ and Split-C, where the time goes (figure 5)", only=("splitc", "ccpp")),
     Figure("bars", "LU, where the time goes", only=("pointers", "calls"))),
    (("MRPC, section 6", "there"), ("CC++ / Split-C", "3.6"), *GAP_TABLE),
    seconds=1)

def unattended():
    """Blocks carried by messages, answered while a rank computes by a thread of it, or by itself when it is interrupted."""
    for mode in ("thread", "signal"):
        yield Command(mode, "paper_mm", ("--block", 64, 128, 256, 512, "--samples", 3, "--by-message", "--progress-mode", mode),
                      ("--block", 64, "--samples", 1, "--times", 1, "--by-message", "--progress-mode", mode, "--version", "get"))


MM = Experiment(
    "mm", "mm: a product of matrices of 8 x 8 blocks", "Split-C on the Paragon, section 5",
    "Blocks are fetched from where they lie, two at a time beside the matrices, and multiplied by OpenBLAS. The share of dgemm's speed in the same run: at "
    "the block at which it is fastest, and at the same block. By messages with polling, and unattended: answered by a thread, or by a rank that is interrupted.",
    (Command("armilla", "paper_mm", ("--block", 8, 16, 32, 64, 128, 256, 512, 1024, "--samples", 3), ("--block", 8, 16, 32, 64, 128, "--samples", 1)),
     Command("messages", "paper_mm", ("--block", 8, 16, 32, 64, 128, 256, 512, 1024, "--samples", 3, "--by-message"),
             ("--block", 8, 16, 32, 64, 128, "--samples", 1, "--by-message")),
     Command("dgemm", "paper_mm", ("--block", 256, 512, "--samples", 3, "--version", "dgemm"), ("--block", 256, "--samples", 1, "--version", "dgemm")),
     *unattended(),
     Command("mpi", "paper_mm_mpi", ("--block", 8, 16, 32, 64, 128, 256, 512, 1024, "--samples", 3),
             ("--block", 8, 16, 32, 64, 128, "--samples", 1), launcher="mpi")),
    (Target("the best / dgemm at its best", {"by": "armilla", "command": "armilla", "version": "[gd][!g]*"},
            {"by": "armilla", "command": "[ad]*", "version": "dgemm"},
            lambda size: 0.68 if size.get("block") == 16 else 0.88 if size.get("block", 0) >= 32 else None, ("block",), share=True, peak=True,
            paper="2937 MFLOPS on 64 nodes, near its peak; polling about half"),
     Target("the best / dgemm of the same blocks", {"by": "armilla", "command": "armilla", "version": "[gd][!g]*"},
            {"by": "armilla", "command": "armilla", "version": "dgemm"}, None, ("block",), share=True),
     *(Target(f"by messages, {mode} / polling", {"command": mode, "version": f"get/{mode}"}, {"command": "messages", "version": "get"},
              None, ("block",), paper="the polling version about half") for mode in ("thread", "signal")),
     ccpp_against_splitc("", "messages", ("block",), limit=None),
     Target("get / MPI get", {"by": "armilla", "command": "armilla", "version": "get"}, {"by": "mpi", "version": "get"}, None, ("block",)),
     Target("double-buffered / MPI double-buffered", {"by": "armilla", "command": "armilla", "version": "double-buffered"},
            {"by": "mpi", "version": "double-buffered"}, None, ("block",))),
    (Figure("lines", "mm, speed by block", "block", True), Figure("bars", "mm, where the time goes", only=("get", "double-buffered", "direct"))),
    (("Paragon, section 5", "there"), ("64 nodes, transposes included", "near 2937 MFLOPS (CM-5 480)"),
     ("the polling version of the library", "about half (preliminary)")),
    seconds=5)

ITEMS = (WATER, LU, MM)
