#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What one job saves another one loads, on other numbers of ranks; one that is killed while it saves leaves the old file:
save_test.py SAVER [--fabrics shm threads]."""
import argparse
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import Job  # noqa: E402


def run(saver, fabric, ranks, *words):
    return Job([saver, *words], ranks=ranks, fabric=fabric).end()


def require(good, what, job=None):
    if not good:
        sys.exit(f"{what}\n{job.out}{job.err}" if job else what)


def try_fabric(saver, fabric):
    with tempfile.TemporaryDirectory() as folder:
        for n, writers, readers in ((1000, 4, (1, 3, 5)), (20_000, 1, (2, 4)), (5000, 3, (4, 1))):
            job = run(saver, fabric, writers, "save", folder, str(n))
            require(job.code == 0, f"{fabric}: {writers} ranks cannot save", job)
            for ranks in readers:
                job = run(saver, fabric, ranks, "load", folder, str(n))
                require(job.code == 0 and "all is there" in job.out, f"{fabric}: {ranks} ranks do not load what {writers} saved", job)
        path = os.path.join(folder, "array")
        with open(path, "rb") as file:
            before = file.read()
        for ranks in (1, 3):
            job = run(saver, fabric, ranks, "die", folder, "0")
            require(job.code != 0, f"{fabric}: the job that should be killed was not", job)
            with open(path + ".tmp", "rb") as file:
                half = file.read()
            require(half[8192:].strip(b"\0"), f"{fabric}: it was killed before it wrote anything", job)
            require(not any(half[:144]), f"{fabric}: half a file has a header", job)
            with open(path, "rb") as file:
                require(file.read() == before, f"{fabric}: the old file has changed")
            job = run(saver, fabric, 2, "load", folder, "5000")
            require(job.code == 0, f"{fabric}: the old file is not loaded", job)
        job = run(saver, fabric, 2, "save", folder, "5000")
        require(job.code == 0 and not os.path.exists(path + ".tmp"), f"{fabric}: what was left is in the way", job)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("saver")
    arguments.add_argument("--fabrics", nargs="+", default=["shm"])
    given = arguments.parse_args()
    for fabric in given.fabrics:
        try_fabric(given.saver, fabric)


main()
