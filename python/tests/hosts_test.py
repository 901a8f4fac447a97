# SPDX-License-Identifier: Apache-2.0
"""An attached client of a job on two hosts: one process on either, in networks of their own."""
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["TESTED_BUILD"])
HOSTS = [sys.executable, "-SE", ROOT / "tests/hosts/hosts"]

CLIENT = """
import os, subprocess, sys
import numpy as np
import armilla

bin = sys.argv[1]
run = subprocess.Popen([f"{bin}/armilla-run", "--hosts", "h1:1,h2:1", "--rsh", os.environ["TEST_HOSTS_RSH"], f"{bin}/heat", "--cells", "1000"], stdout=subprocess.PIPE, text=True)
assert run.stdout.readline().startswith("after 0 steps")
job = armilla.attach("heat")
t = job.array("temperature")
assert t.ranks == [0, 1] and job.exposed()["temperature"] == "float64"
job[1].demo.solver.set({10: 2.0, 900: 3.0})
assert (t[10], t[900], t.sum()) == (2.0, 3.0, 5.0), (t[10], t[900], t.sum())
t[901] = 4.0
t[400:600] = 1.0
assert job[0].demo.solver.get([901, 499, 500, 599, 600]).tolist() == [4.0, 1.0, 1.0, 1.0, 0.0]
far = t.local(1)
assert far.sum() == 107.0 and not far.flags.writeable and t[495:505].tolist() == [1.0] * 10
assert np.asarray(t).sum() == t.sum() == 209.0
waits = job.explain_waits()
assert "rank 0 (" in waits and " on h2)" in waits, waits
try:
    job[1].demo.solver.step("x")
except TypeError:
    pass
run.terminate()
run.wait(20)
"""


def test_calls_and_arrays_of_another_host(tmp_path):
    if os.geteuid() != 0 or not list(BUILD.glob("lib/armilla/*ucx*")):
        pytest.skip("needs root, to make hosts, and UCX")
    script = tmp_path / "client.py"
    script.write_text(CLIENT, encoding="utf-8")
    done = subprocess.run([*HOSTS, "with", "2", "--on", "h1", "--", sys.executable, script, BUILD / "bin"], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode == 77:
        pytest.skip(done.stdout + done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr
