#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times a job while armilla-top --serve watches it: bench/python/page.py BIN [--tries N], BIN being the folder of the programs.

The job is examples/jacobi_goes_on on two ranks, with a fixed number of steps: alone, with one page open, and with twenty, in turns. The ratios
are those of each turn to the job alone; the median, and the lowest and highest. Beside them, what armilla-top took of one processor.
"""
import argparse
import os
import pathlib
import socket
import statistics
import subprocess
import threading
import time
import urllib.parse

STEPS = ["200", "5000", "1000000"]  # cells a side, steps, and no checkpoint


def read_events(address, stop):
    """A page: reads its events."""
    parts = urllib.parse.urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port)) as one:
        one.settimeout(0.2)
        one.sendall(f"GET {parts.path}events HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
        while not stop.is_set():
            try:
                if not one.recv(1 << 16):
                    return
            except TimeoutError:
                pass


def used(pid):
    """Seconds of processor time of all threads."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text(encoding="ascii").split()[0])
    return total * 1e-9


def run(folder, pages):
    """Seconds of the job, and processors that armilla-top used."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_")} | {"ARMILLA_RANKS": "2"}
    begin = time.monotonic()
    with subprocess.Popen([folder / "jacobi_goes_on", *STEPS], env=environment, stdout=subprocess.PIPE, text=True) as job:
        job.stdout.readline()
        stop, share, readers = threading.Event(), 0.0, []
        if pages:
            top = subprocess.Popen([folder / "armilla-top", str(job.pid), "--serve"], stdout=subprocess.PIPE, text=True)
            address = top.stdout.readline().strip()
            readers = [threading.Thread(target=read_events, args=(address, stop)) for _ in range(pages)]
            for reader in readers:
                reader.start()
            since, before = time.monotonic(), used(top.pid)
        job.wait()
        seconds = time.monotonic() - begin
        if pages:
            share = (used(top.pid) - before) / (time.monotonic() - since)
            stop.set()
            for reader in readers:
                reader.join()
            top.terminate()
            top.communicate()
    return seconds, share


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tries", type=int, default=7)
    arguments = parser.parse_args()
    ratios, shares, alone = {1: [], 20: []}, {1: [], 20: []}, []
    for _ in range(arguments.tries):
        first, _ = run(arguments.folder, 0)
        alone.append(first)
        for pages in ratios:
            seconds, share = run(arguments.folder, pages)
            ratios[pages].append(seconds / first)
            shares[pages].append(share)
    print(f"alone: {statistics.median(alone):.2f} s")
    for pages, values in ratios.items():
        print(f"{pages} pages: {statistics.median(values):.3f} [{min(values):.3f}..{max(values):.3f}] of that; armilla-top takes "
              f"{100 * statistics.median(shares[pages]):.2f} % of a processor")


if __name__ == "__main__":
    main()
