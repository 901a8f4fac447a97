# SPDX-License-Identifier: Apache-2.0
"""The lines that start an MPI program over the hosts of tests/hosts/hosts."""
import os
import shlex
import shutil

import instance
import remote
from remote import HERE, Failure, Skip

RSH = f"{HERE}/host-rsh"


def blocks(hosts, ranks):
    """h1:2,h2:1: ranks in blocks, as even as can be; hosts without a rank are left out."""
    shares = [(ranks * (i + 1) + len(hosts) - 1) // len(hosts) - (ranks * i + len(hosts) - 1) // len(hosts) for i in range(len(hosts))]
    return ",".join(f"{host}:{share}" for host, share in zip(hosts, shares) if share)


def openmpi(hosts, ranks):
    # Unbound: all "hosts" would use core 0. Neither UCX nor the other networks: TCP between hosts, shared memory within one.
    line = ["mpirun.openmpi", "--allow-run-as-root", "--bind-to", "none", "--host", blocks(hosts, ranks),
            "--mca", "plm_rsh_agent", RSH, "--mca", "pml", "ob1", "--mca", "btl", "tcp,self,vader",
            "--mca", "btl_tcp_if_include", instance.NETWORK, "--mca", "oob_tcp_if_include", instance.NETWORK]
    for name in sorted(os.environ):  # mpich passes all on by itself
        if name.startswith("ARMILLA_"):
            line += ["-x", name]
    return line + ["-n", str(ranks)]


def mpich(hosts, ranks):
    return ["mpirun.mpich", "-launcher", "ssh", "-launcher-exec", RSH, "-iface", "eth0", "-hosts", blocks(hosts, ranks), "-n", str(ranks)]


def command(folder, hosts, words):
    """hosts mpirun openmpi|mpich [-n N] [--print] WORDS..."""
    lines = {"openmpi": openmpi, "mpich": mpich}
    if not words or words[0] not in lines:
        raise Failure("which MPI? hosts mpirun openmpi|mpich [-n N] PROGRAM...")
    kind = words.pop(0)
    ranks = len(hosts)
    only_print = False
    while words[:1] in (["-n"], ["-np"], ["--print"]):
        option = words.pop(0)
        if option == "--print":
            only_print = True
        elif words and words[0].isdigit() and int(words[0]) > 0:
            ranks = int(words.pop(0))
        else:
            raise Failure(f"{option} needs a number of ranks")
    line = lines[kind](hosts, ranks) + words
    if only_print:
        print(shlex.join(line))
        return 0
    if not words:
        raise Failure("which program?")
    if not shutil.which(line[0]):
        raise Skip(f"there is no {line[0]} (Debian package {'openmpi-bin' if kind == 'openmpi' else 'mpich'})")
    return remote.run(folder, hosts[0], line)
