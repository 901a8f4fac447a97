# SPDX-License-Identifier: Apache-2.0
"""Where processes can be called: read from the kernel's own tables."""
import ipaddress
import os
import struct

LISTENS, BOUND = "0A", "07"  # states of TCP and UDP


def _address(text):
    raw = bytes.fromhex(text)
    words = struct.unpack(f"<{len(raw) // 4}I", raw)
    return ipaddress.ip_address(struct.pack(f">{len(words)}I", *words))


def _sockets(pid):
    found = set()
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            target = os.readlink(f"/proc/{pid}/fd/{fd}")
        except OSError:
            continue
        if target.startswith("socket:["):
            found.add(target[8:-1])
    return found


def ports_of(pid):
    """(protocol, address) of each port at which the process can be called, in its own network."""
    mine, found = _sockets(pid), []
    for protocol in ("tcp", "tcp6", "udp", "udp6"):
        with open(f"/proc/{pid}/net/{protocol}", encoding="ascii") as table:
            for line in table.readlines()[1:]:
                words = line.split()
                if words[3] == (LISTENS if protocol.startswith("tcp") else BOUND) and words[9] in mine:
                    found.append((protocol[:3], str(_address(words[1].split(":")[0]))))
    return found


def running(program, processes=None):
    """Those of the processes, or of all, that run `program`."""
    found = []
    for pid in processes if processes is not None else map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(program):
                found.append(pid)
        except OSError:
            pass
    return found
