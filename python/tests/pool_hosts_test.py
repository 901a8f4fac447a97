# SPDX-License-Identifier: Apache-2.0
"""Pools with workers on other hosts: started by a command that stands for ssh, and on hosts made of namespaces."""
import os
import pathlib
import subprocess
import sys

import armilla
import pytest
from armilla import _pool_remote
from hosts_test import HOSTS

WORK = """
import os, pathlib, signal, sys, time
import armilla
import numpy as np


def double(x):
    return x * 2, here()


def here():
    return os.environ.get("MARK") or os.uname().nodename


def large(n):
    data = np.ones(n)
    time.sleep(60)


def use(pool, names):
    assert list(pool.map(double, range(5)))[4][0] == 8 and set(pool.map(lambda _: here(), range(40), chunksize=1)) <= names
    long = np.arange(10.0**6)
    back = pool.submit(lambda a: a * 2, long).result()
    assert np.array_equal(back, long * 2) and back.flags.writeable
    shared = armilla.put(long)
    assert list(pool.map(lambda i, t: (float(t[i]), t.flags.writeable), [5, 6], [shared, shared])) == [(5.0, False), (6.0, False)]
    assert pool.submit(np.sum, shared).result() == long.sum()
    pool.submit(print, "said there").result()
    try:
        pool.submit(lambda: 1 / 0).result()
    except ZeroDivisionError as error:
        assert "ZeroDivisionError" in error.__cause__.text
    try:
        pool.submit(os._exit, 3).result()
    except armilla.WorkerLost as error:
        assert error.exit_code == 3 and " while it ran _exit" in str(error), error
    sleeping = pool.submit(time.sleep, 60)
    while not sleeping.running():
        time.sleep(0.01)
    sleeping.interrupt()
    try:
        sleeping.result(20)
    except KeyboardInterrupt:
        pass
    try:
        pool.submit(large, 10**8).result(30)
    except armilla.WorkerLost as error:
        assert "more than its limit of 400 MB, and was killed" in str(error), error
    assert pool.submit(double, 3).result()[0] == 6


if __name__ == "__main__":
    hosts, mark, *_ = sys.argv[1:]
    rsh = os.environ["TEST_HOSTS_RSH"] if mark == "hosts" else str(pathlib.Path(__file__).with_name("rsh"))
    with armilla.Pool(hosts=hosts, rsh=rsh, memory="400 MB", environment={} if mark == "hosts" else {"MARK": mark}) as pool:
        use(pool, {"h1", "h2"} if mark == "hosts" else {mark})
    print("done")
"""


def script(folder):
    path = folder / "pool.py"
    path.write_text(WORK, encoding="utf-8")
    return path


def test_workers_that_a_command_starts(tmp_path):
    rsh = tmp_path / "rsh"  # as ssh: a host, and words for a shell
    rsh.write_text('#!/bin/sh\nshift\ncd /\nexec sh -c "$*"\n', encoding="utf-8")
    rsh.chmod(0o755)
    done = subprocess.run([sys.executable, script(tmp_path), "far:2", "there"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and sorted(done.stdout.splitlines()) == ["done", "said there"], done.stdout + done.stderr


def test_workers_on_two_hosts(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs root, to make hosts")
    seen = [pathlib.Path(armilla.__file__).parent, pathlib.Path(_pool_remote.__file__).resolve().parent, pathlib.Path(sys.prefix)]  # folders that the hosts have as well
    done = subprocess.run([*HOSTS, "with", "2", "--on", "h1", "--", sys.executable, script(tmp_path), "h1:1,h2:1", "hosts", *seen], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode == 77:
        pytest.skip(done.stdout + done.stderr)
    assert done.returncode == 0 and sorted(done.stdout.splitlines())[-2:] == ["done", "said there"], done.stdout + done.stderr


def test_a_worker_that_does_not_start(tmp_path):
    with armilla.Pool(hosts=["nowhere"], rsh="sh -c 'echo no route to $0 >&2; exit 255'") as pool:
        with pytest.raises(RuntimeError, match="workers end before they are ready; they said: (.|\n)*no route to nowhere(.|\n)*the worker on nowhere has ended"):
            pool.submit(abs, 1).result(60)


def test_what_hosts_are_named():
    assert [(h.name, h.slots) for h in _pool_remote.named_hosts("a:4,b", "ssh")] == [("a", 4), ("b", 1)]
    for wrong in (["-o"], ["a:0"], ["a:x"], ["a b"], [""], []):
        with pytest.raises(armilla.UsageError, match="hosts"):
            armilla.Pool(hosts=wrong)
    with pytest.raises(armilla.UsageError, match="5 workers for 2 slots on the hosts"):
        armilla.Pool(5, hosts="a,b")
    with armilla.Pool(hosts="localhost:2") as pool:
        assert pool.size == 2 and len(set(pool.map(lambda _: os.getppid(), range(4)))) == 1  # workers of this process


@pytest.mark.parametrize("variables, expected", [
    ({}, []),
    ({"SLURM_JOB_ID": "1", "SLURM_JOB_NODELIST": "a"}, []),
    ({"SLURM_JOB_ID": "1", "SLURM_JOB_NODELIST": "a,b", "SLURM_JOB_CPUS_PER_NODE": "4(x2)"}, [("a", 4), ("b", 4)]),
    ({"SLURM_JOB_ID": "1", "SLURM_JOB_NODELIST": "n[08-10,12]-x,b", "SLURM_JOB_CPUS_PER_NODE": "8(x2),4(x3)", "SLURM_CPUS_PER_TASK": "4", "SLURM_STEP_ID": "4294967291"},
     [("n08-x", 2), ("n09-x", 2), ("n10-x", 1), ("n12-x", 1), ("b", 1)]),
    ({"SLURM_JOB_ID": "1", "SLURM_JOB_NODELIST": "a,b", "SLURM_STEP_ID": "0"}, []),
    ({"SLURM_JOB_ID": "1", "SLURM_JOB_NODELIST": "a,b", "ARMILLA_LAUNCHER": "none"}, []),
])
def test_the_nodes_of_an_allocation(variables, expected):
    assert [(h.name, h.slots) for h in _pool_remote.hosts_of_slurm(variables)] == expected
