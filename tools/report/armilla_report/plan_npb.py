# SPDX-License-Identifier: Apache-2.0
"""CG and IS of the NAS parallel benchmarks, and what they send."""
from . import beside
from .spec import Command, Experiment, Figure, Target

CLASSES = ("S", "W", "A", "B")
# The better of the official programs in MPI and in OpenMP, NPB 3.4, on a machine of two cores like ours, Mop/s. Where several runs gave
# several speeds, the greatest.
OFFICIAL = {"cg": {"A": 4640, "B": 3300}, "is": {"A": 655, "B": 832}}
# What an operation is, from the specification.
FORMULA = {"cg": "2 niter na (3 + nonzer (nonzer + 1) + 25 (5 + nonzer (nonzer + 1)) + 3)", "is": "10 iterations x keys"}


def npb(name, title, paper_words):
    table = (("class", "official NPB 3.4, Mop/s on two cores"), *((c, f"{m:,}") for c, m in OFFICIAL[name].items()),
             ("operations", FORMULA[name]))
    return Experiment(
        name, title, "MPC++, figures 2 to 6",
        "Written two-sided in MPI from the specification, then edited in the MPC++ paper's way: main on rank 0, global pointers, one-sided reads "
        "and writes, collectives. " + paper_words,
        (Command("armilla", f"paper_{name}", ("--class", *CLASSES, "--samples", 1), ("--class", "S", "A", "--samples", 1)),
         Command("mpi", f"paper_{name}_mpi", ("--class", *CLASSES, "--samples", 1), ("--class", "S", "A", "--samples", 1), launcher="mpi"),
         Command("over UCX", f"paper_{name}", ("--class", "S", "W", "A", "--samples", 1), (), env=("ARMILLA_FABRIC=ucx",)),
         Command("over MPI", f"paper_{name}", ("--class", "S", "W", "A", "--samples", 1), (), launcher="mpi", env=("ARMILLA_FABRIC=mpi",))),
        (Target("one-sided / MPI", {"command": "armilla"}, {"by": "mpi"}, lambda size: 1.0 if size.get("class") in ("A", "B") else None,
                ("class",), paper="CG A mostly within 10 to 20 %, at worst within 2" if name == "cg" else ""),
         Target("one-sided / official", {"command": "armilla"}, {}, 1.0, ("class",), published=lambda size: OFFICIAL[name].get(size.get("class"))),
         Target("over UCX / MPI", {"command": "over UCX"}, {"by": "mpi"}, None, ("class",)),
         Target("over MPI / MPI", {"command": "over MPI"}, {"by": "mpi"}, None, ("class",))),
        (Figure("ratios", f"{title.split(':')[0]}, against its MPI twin", "class", True), Figure("bars", f"{title.split(':')[0]}, where the time goes"),), table, rounds=5, seconds=3 if name == "cg" else 2)


CG = npb("cg", "CG: a conjugate gradient", "The paper changed about 60 of 800 lines.")
IS = npb("is", "IS: a sort of integers by counting", "The paper changed 50 of 1000 lines.")

COUNTS = Experiment(
    "cg_counts", "What CG sends", "MPC++, tables 2 and 3",
    "CG class A on 2 to 32 ranks, counted: no cores are needed for that, so ranks share two. A node's sends in the paper, and what the library and "
    "the profiling interface of MPI count here, the mean of the ranks in one run; control messages apart. For the twin to agree, class A must be taken.",
    (Command("counts", "bench/papers/npb/counts.py", ("--class", "A"), ("--class", "S", "--ranks", 2, 4), launcher="script"),),
    (), (),
    (("MPC++, tables 2 and 3: CG A, a node", "2", "4", "8", "16", "32 nodes"), ("C/LAM sends", "1,200", "2,790", "5,160", "9,090", "16,140"),
     ("C/LAM average KB", "18.2", "11.7", "7.4", "4.5", "2.6"), ("C/LAM total MB", "20.8", "31.3", "36.5", "39.1", "40.4"),
     ("MPC++/LAM sends", "1,591", "3,572", "6,333", "10,654", "18,095"), ("MPC++/LAM isends", "390", "1,170", "2,730", "0", "0"),
     ("MPC++/LAM receives", "1,981", "4,742", "9,063", "10,654", "18,095"), ("MPC++/LAM average KB", "10.80", "6.77", "4.14", "3.87", "2.37"),
     ("MPC++/LAM total MB", "20.9", "31.4", "36.6", "39.4", "40.8")),
    ours=beside.counts, rounds=1, quick_rounds=1, seconds=2)

CARRIERS = ("shared memory", "Open MPI", "MPICH", "UCX", "mixed")


def against(carrier, twin):
    ours = f"Armilla, {carrier}" if carrier in ("shared memory", "mixed") else f"Armilla/{carrier}"
    return Target(f"{ours} / {twin}", {"by": "armilla", "size.carrier": ours}, {"by": "mpi", "size.carrier": twin}, None,
                  ("network", "program", "class", "ranks"))


NETWORKS = Experiment(
    "networks", "CG and IS over slow and fast networks", "MPC++, figures 2 to 6",
    "The paper's main experiment: all ranks on this machine, then on two hosts made of network namespaces with a fast network and one of 100 Mbit/s "
    "and about 100 microseconds; by Open MPI, MPICH, UCX and UCX with shared memory inside a host.",
    (Command("networks", "bench/papers/npb/networks.py", ("--class", "A", "--ranks", 2, 4, 8, "--samples", 1),
             ("--class", "S", "--ranks", 2, "--network", "memory", "--samples", 1), launcher="script"),),
    tuple(against(carrier, "MPICH" if carrier == "MPICH" else "Open MPI") for carrier in CARRIERS),
    (Figure("ratios", "CG and IS, over networks, against the MPI twin", "network", True),),
    (("MPC++", "there"), ("CG A, all combinations, while scaling", "within 10 to 20 %, at worst within 2")), rounds=3, seconds=3)

def simulated(name, title, figures, words, alone):
    """Commands by class and network: each is a file of records of its own, so that one that takes too long loses nothing else."""
    def command(size, network):
        more = ("--alone",) if (size, network) == alone else ()
        quick = ("--program", name, "--class", "S", "--ranks", 4, 8, "--network", network) if size == "S" else ()
        return Command(f"{size}, {network}", "bench/papers/npb/simulated.py", ("--program", name, "--class", size, "--network", network, *more),
                       quick, launcher="script")

    bars = (Figure("bars", f"{title}, computing (cpu) and the network (figure 6)"),) if alone else ()
    return Experiment(
        f"{name}_simulated", f"{title} on a simulated cluster", f"MPC++, figures {figures}",
        "Each rank a host of its own, on a network of 100 Mbit/s and 100 microseconds for a round trip (slow), and one of 100 Gbit/s and 4 microseconds "
        "(fast): Armilla by its MPI backend and the twin, both on the simulator's MPI. What is computed takes the processor time that it takes here: "
        "today's processor, much quicker than the paper's, so that the slow network weighs more (simulated.py --slower makes it slower). " + words,
        tuple(command(size, network) for size in ("S", "W", "A") for network in ("fast", "slow")),
        (Target("simulated: Armilla / MPI", {"by": "armilla"}, {"by": "mpi"}, None, ("fabric", "class", "ranks"),
                paper="CG A usually within 10 to 20 %, at worst within 2" if name == "cg" else ""),),
        (Figure("lines", f"{title}, seconds by hosts", "ranks", True), Figure("ratios", f"{title}, Armilla / MPI", "ranks", True), *bars),
        (("MPC++", "there"), ("class A gets quicker up to", "16 nodes on Ethernet, 32 on Myrinet"), ("class B", "32 nodes")), rounds=1, quick_rounds=1, seconds=20)


CG_SIMULATED = simulated("cg", "CG", "2, 3 and 6", "Bars: the whole, and the same with processors that take no time.", ("A", "slow"))
IS_SIMULATED = simulated("is", "IS", "4 and 5", "", None)

ITEMS = (CG, IS, COUNTS, NETWORKS, CG_SIMULATED, IS_SIMULATED)
