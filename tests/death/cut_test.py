#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A host whose cable is pulled: cut_test.py MORTAL LAUNCHER, beside two hosts of tests/hosts/hosts."""
import os
import re
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from jobs import Job  # noqa: E402

HOSTS = os.path.join(os.path.dirname(HERE), "hosts", "hosts")
TIMEOUT, SLACK = 2.0, 1.0
MORTAL, LAUNCHER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def traffic_runs(name):
    with open(name, "rb") as file:
        return struct.unpack("qq", file.read(16))[1] != 0


def main():
    folder = os.path.dirname(MORTAL)  # /tmp is each host's own
    with tempfile.NamedTemporaryFile(dir=folder) as clock:
        clock.write(bytes(16))
        clock.flush()
        job = Job([HOSTS, "run", "h1", LAUNCHER, "--hosts", "h1:2,h2:2", "--rsh", os.environ["TEST_HOSTS_RSH"], MORTAL, clock.name,
                   "none", "99", "1", "0"], fabric="auto", env={"ARMILLA_LOSS_TIMEOUT": f"{TIMEOUT * 1000:.0f}ms"})
        for _ in range(1000):
            if traffic_runs(clock.name):
                break
            time.sleep(0.02)
        time.sleep(TIMEOUT / 2)  # they have heard of each other
        subprocess.run([HOSTS, "cut", "h2"], check=True)
        clock.seek(0)
        clock.write(struct.pack("q", time.monotonic_ns()))
        clock.flush()
        job.end()
        heard = {int(r): int(us) / 1e6 for r, us in re.findall(
            r"^rank (\d+) lost [23] after (\d+) us: .* rank [23] on h2 (?:has not been heard of|cannot be reached)", job.out, re.M)}
        problems = []
        if not {0, 1} <= set(heard):
            problems.append(f"heard by {sorted(heard)}")
        if any(after > TIMEOUT + SLACK for r, after in heard.items() if r < 2):
            problems.append(f"heard after {heard} s")
        if len(job.messages()) != 1 or "on h2" not in job.messages()[0]:
            problems.append("not one clear message")
        if job.code == 0:
            problems.append("code 0")
        print(f"heard after {heard}", "; ".join(problems), job.out, job.err, sep="\n")
        return bool(problems)


sys.exit(main())
