# SPDX-License-Identifier: Apache-2.0
"""The papers' programs with their baselines."""
from .spec import GAP_TABLE, Command, Experiment, Figure, Target

EM3D_SIZE = ("nodes", "remote")


def em3d_commands():
    short, long_ = ("--nodes", 200, "--samples", 3), ("--nodes", 40000, "--samples", 3)
    quick = ("--nodes", 200, "--samples", 1, "--remote", 10, 40, 100)
    for name, args, fast in (("", short, quick), (" 40,000", long_, ())):
        yield Command("names" + name, "paper_em3d_named", args, ("--nodes", 200, "--samples", 1, "--remote", 40) if fast else ())
        yield Command("two programs" + name, "paper_em3d_named", args, ("--nodes", 200, "--samples", 1, "--remote", 40) if fast else (),
                      launcher="programs", peer="paper_em3d_peer")
        yield Command("armilla" + name, "paper_em3d", args, fast)
        yield Command("messages" + name, "paper_em3d", (*args, "--by-message"), (*quick, "--by-message") if fast else ())
        yield Command("mpi" + name, "paper_em3d_mpi", args, fast, launcher="mpi")


def ccpp_against_splitc(version):
    """The program in CC++ against the one in Split-C, both carried by messages: the paper's comparison."""
    paper = {"base": "CC++ / Split-C about 2", "ghost": "CC++ / Split-C about 2.5 at high shares"}.get(version, "")
    return Target(f"{version}: CC++ / Split-C, both by messages", {"command": "messages*", "version": f"{version}/ccpp", "fabric": "*by-message*"},
                  {"command": "messages*", "version": f"{version}/splitc", "fabric": "*by-message*"}, 1.3, EM3D_SIZE, paper=paper)


def calls_against_pointers(version):
    """The library's own two spellings, both with what is mapped."""
    return Target(f"{version}: calls / global pointers, short cut on", {"command": "armilla*", "version": f"{version}/calls", "fabric": "*"},
                  {"command": "armilla*", "version": f"{version}/pointers", "fabric": "*"}, 1.3, EM3D_SIZE)


EM3D = Experiment(
    "em3d", "EM3D: electromagnetic waves on an irregular grid", "MRPC, section 6, figure 4",
    "200 nodes a rank of degree 20 (4000 edges a rank: an inference, the paper's total does not fit its degree), and 40,000 a rank; 10 to "
    "100 % of the edges lead to another rank. The programs in Split-C and in CC++ reach a rank's own values through global pointers, too, in base. All values are compared with a sequential run to the last bit.",
    tuple(em3d_commands()),
    (*(ccpp_against_splitc(v) for v in ("base", "ghost", "bulk")),
     *(calls_against_pointers(v) for v in ("ghost", "bulk")),
     Target("base: global pointers / MPI", {"command": "armilla*", "version": "base/pointers"}, {"by": "mpi", "version": "base*"},
            lambda size: 0.4 if size.get("remote", 0) < 40 else 0.25, EM3D_SIZE),
     Target("ghost: global pointers / MPI", {"command": "armilla*", "version": "ghost/pointers"}, {"by": "mpi", "version": "ghost*"}, 0.9,
            EM3D_SIZE),
     Target("bulk: global pointers / MPI", {"command": "armilla*", "version": "bulk/pointers"}, {"by": "mpi", "version": "bulk*"}, 1.0,
            EM3D_SIZE),
     *(Target(f"{v}: two programs / one", {"version": f"{v}/mpmd"}, {"version": f"{v}/spmd"}, 1.03, EM3D_SIZE)
       for v in ("base", "ghost", "bulk")),
     Target("base: calls that overlap / one at a time", {"command": "armilla*", "version": "base/overlap*"},
            {"command": "armilla*", "version": "base/calls"}, 0.4, EM3D_SIZE)),
    (Figure("ratios", "EM3D, against hand-written MPI", "remote", True, ("*/ MPI",)),
     Figure("ratios", "EM3D, CC++ against Split-C", "remote", True, ("*CC++ / Split-C*",), (("paper: base", {70: 2}), ("paper: ghost", {100: 2.5}))),
     Figure("ratios", "EM3D, calls against global pointers", "remote", True, ("*calls / global pointers*",)),
     *(Figure("lines", f"EM3D {v}, time an edge", "remote", True, (f"{v}/splitc*", f"{v}/ccpp*", f"{v}/pointers*", f"{v}/calls*", f"{v}/overlap-futures", f"{v}/overlap-futures,*", f"{v}/overlap-fibers*", f"MPI: {v}/*")) for v in ("base", "ghost", "bulk")),
     Figure("bars", "EM3D in CC++ and Split-C, where the time goes (figure 4)", only=("*/splitc", "*/ccpp")),
     Figure("bars", "EM3D, where the time goes", only=("*/pointers", "*/calls", "*/fetch-calls", "*/overlap-*", "*/[sm]pmd"))),
    (("MRPC, section 6", "there"), ("ghost saves, of base", "87-89 %"), ("bulk saves, of ghost", "over 95 %"),
     ("CC++ / Split-C: base; ghost at high remote shares", "about 2; 2.5"),
     *GAP_TABLE),
    seconds=7)

ITEMS = (EM3D,)
