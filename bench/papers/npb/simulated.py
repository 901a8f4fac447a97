#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The main experiment of the MPC++ paper at as many nodes as it had (its figures 2 to 6): CG and IS on a simulated cluster, where each rank is
a host of its own; the programs for Armilla, by its MPI backend, against their twins.

    simulated.py [--program cg is] [--class S] [--ranks 4 8 16 32] [--network fast slow] [--slower 1] [--alone] [--samples 1] [--most RATIO] [--out FILE] [--bin DIR]

fast: 100 Gbit/s and 4 us for a round trip; slow: 100 Mbit/s and 100 us. What the ranks compute they compute really, on this machine, and the
processor time that it takes is what the simulated processor takes, times --slower. --alone: each job once more with processors that take
no time, so that the records tell what the network takes of the whole; --slower 0: only that. The exit code is 77 without SimGrid, 1 if a job failed or, with
--most, one of Armilla took more than that many times as long as its twin."""
import argparse
import os
import shutil
import statistics
import sys

import jobs

SCALE = jobs.ROOT / "bench" / "scale"
# The platform, and within how many seconds the simulator takes ends of messages for one: far less than a message takes.
NETWORKS = {"fast": (SCALE / "cluster.xml", 1e-9), "slow": (SCALE / "slow.xml", 1e-7)}
CARRIERS = {"Simulated MPI": "_mpi", "Armilla/simulated MPI": ""}
SPEED = 10e9  # of a host of the platforms, in whatever the simulator counts

# A message costs sender and receiver 0.2 us each, the question whether one's own has left 0.1, however often it is asked; one of up to 64 KiB leaves at once,
# whether its receiver has asked for it or not; the network has the latency and the bandwidth that the platform says, both ways at once; the collectives are those of MPICH.
SIMULATOR = ["--log=root.thresh:error", "--cfg=smpi/os:0:0.2e-6:0", "--cfg=smpi/or:0:0.2e-6:0", "--cfg=smpi/lat-factor:0:1",
             "--cfg=smpi/bw-factor:0:1", "--cfg=network/crosstraffic:0", "--cfg=smpi/coll-selector:mpich", "--cfg=smpi/test:1e-7",
             "--cfg=smpi/grow-injected-times:no", "--cfg=smpi/async-small-thresh:65536", "--cfg=network/optim:Full"]


def job(program, carrier, network, ranks, computing, how):
    """The words that start it, and its environment."""
    platform, precision = NETWORKS[network]
    of_armilla = CARRIERS[carrier] == ""
    words = ["smpirun", "-np", ranks, "-platform", platform, *SIMULATOR, f"--cfg=surf/precision:{precision:g}",
             f"--cfg=smpi/privatization:{'no' if of_armilla else 'yes'}",  # ranks of Armilla share their statics, as its threads do
             f"--cfg=smpi/simulate-computation:{'yes' if computing and not of_armilla else 'no'}", f"--cfg=smpi/host-speed:{SPEED * (how.slower or 1):g}f",
             how.bin / f"scale_{program}{CARRIERS[carrier]}", "--class", how.size, "--samples", how.samples, "--cold", "--json"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ARMILLA_")}
    environment.update(ARMILLA_TUNED="none", ARMILLA_PIN="none",
                       SCALE_SLOWER=str(how.slower if computing else 0))  # by itself: see simulated_rank.cpp
    return words, environment


def missing(how):
    """What is not here and must be; the empty text if nothing is missing."""
    if shutil.which("smpirun") is None:
        return "there is no smpirun: SimGrid is not installed"
    files = [how.bin / f"scale_{program}{end}" for program in how.program for end in CARRIERS.values()]
    absent = [file.name for file in files if not file.exists()]
    return f"there is no {', '.join(absent)} in {how.bin}: build the target papers where SimGrid is installed" if absent else ""


def measure(program, carrier, network, ranks, how):
    """The record of a combination, or jobs.Failed."""
    record = jobs.records_of(*job(program, carrier, network, ranks, how.slower > 0, how), how.limit)[0]
    record.update(fabric=f"simulated, {network}", carrier=carrier, launcher="smpirun", slower=how.slower)
    record.pop("components", None)
    if how.alone:
        quiet = jobs.records_of(*job(program, carrier, network, ranks, False, how), how.limit)[0]
        whole, net = (statistics.median(r["samples"]) for r in (record, quiet))
        record["components"] = {"cpu": max(0, whole - net), "net": min(net, whole), "wall": whole}
    return record


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", nargs="+", default=["cg", "is"], choices=["cg", "is"])
    arguments.add_argument("--class", dest="size", default="S", choices=["T", "S", "W", "A", "B"], help="T: one iteration of S, of CG alone")
    arguments.add_argument("--ranks", type=int, nargs="+", default=[4, 8, 16, 32])
    arguments.add_argument("--network", nargs="+", default=list(NETWORKS), choices=list(NETWORKS))
    arguments.add_argument("--slower", type=float, default=1, help="the simulated processors than this one, times; 0: they take no time; default: 1")
    arguments.add_argument("--alone", action="store_true", help="once more with processors that take no time")
    arguments.add_argument("--samples", type=int, default=1)
    arguments.add_argument("--most", type=float, help="of the twin's time, in times, that Armilla may take")
    jobs.add_arguments(arguments)
    how = arguments.parse_args()
    how.bin = how.bin.resolve()
    for ranks in how.ranks:
        if ranks < 2 or ranks & (ranks - 1) or ranks > 1024:
            arguments.error(f"--ranks {ranks}: must be a power of two from 2 to 1024")
    if how.size == "T" and "is" in how.program:
        arguments.error("--class T: is of CG alone; add --program cg")
    if how.slower < 0:
        arguments.error(f"--slower {how.slower:g}: must not be negative")
    if lacks := missing(how):
        print(f"simulated: skipped: {lacks}", flush=True)
        return 77
    failed = 0
    for network in how.network:
        for program in how.program:
            for ranks in how.ranks:
                seconds = []
                for carrier in CARRIERS:
                    told = f"{program} {how.size}, {network}, {ranks} ranks, {carrier}"
                    try:
                        record = measure(program, carrier, network, ranks, how)
                    except jobs.Failed as why:
                        failed += 1
                        print(f"{told}: failed: {why}", flush=True)
                        continue
                    jobs.keep(how.out, [record])
                    seconds.append(statistics.median(record["samples"]))
                    part = f", {record['components']['net'] / seconds[-1]:.0%} of it by the network" if how.alone else ""
                    ratio = f", {seconds[1] / seconds[0]:.2f} of the twin" if len(seconds) == 2 else ""
                    if len(seconds) == 2 and how.most and seconds[1] > how.most * seconds[0]:
                        failed += 1
                        ratio += f", more than {how.most:g}"
                    print(f"{told}: {seconds[-1]:.4g} s{part}{ratio}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
