# SPDX-License-Identifier: Apache-2.0
"""What the figures were taken on."""
import datetime
import os
import pathlib
import platform
import re
import shutil
import subprocess


def first_line(command):
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout or done.stderr).strip().split("\n")[0]


def from_cache(build, name):
    try:
        found = re.search(rf"^{name}:[A-Z]+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    except OSError:
        return ""
    return found[1] if found else ""


def cpu():
    try:
        found = re.search(r"^model name\s*:\s*(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()


def memory():
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB"


def describe(root, build):
    build = pathlib.Path(build)
    compiler = from_cache(build, "CMAKE_CXX_COMPILER")
    return {
        "processor": cpu(),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": memory(),
        "system": f"{platform.system()} {platform.release()}",
        "compiler": first_line([compiler, "--version"]) if compiler else "",
        "flags": "-O3 -march=native, on both sides",
        "MPI": first_line(["mpirun", "--version"]),
        "revision": first_line(["git", "-C", str(root), "describe", "--always", "--dirty"]),
        "taken": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "load before": f"{os.getloadavg()[0]:.1f} running processes besides",
    }
