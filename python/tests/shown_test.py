# SPDX-License-Identifier: Apache-2.0
"""Names that a script gives to its data, where the library shows them."""
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap

import pytest

TOP = pathlib.Path(os.environ["TESTED_BUILD"]) / "bin/armilla-top"

NAMED = """
    import armilla as am
    t = am.zeros(1000, name="temperature")
    am.ones(10)  # has no name
    ages = am.dict(name="ages")
    ages.update(am.rank)
    am.fence()
    for _ in range(3):
        t += 1
    t.sum()
    am.zeros(7, name="gone")
"""


def rows(err: str) -> dict[str, list[str]]:
    """Of the table of containers: what stands before each name and its type and line."""
    found = {}
    for line in err.splitlines():
        if at := re.search(r'"(\w+)" \((.*)\)$', line):
            found[at[1]] = [*line[:at.start()].split(), at[2]]
    return found


def test_statistics_have_a_row_for_each_name(job, monkeypatch):
    monkeypatch.setenv("ARMILLA_STATS", "1")
    done = job(2, NAMED)
    assert done.returncode == 0, done.stderr
    shown = rows(done.stdout + done.stderr)
    assert sorted(shown) == ["ages", "gone", "temperature"]
    made, elements, kib, even, operations, kind = shown["temperature"]
    assert (made, elements, kib, even, kind) == ("1", "1000", "7.8", "1.00", "am.array of float64, script.py:3")
    assert int(operations) >= 4  # for each rank
    assert shown["ages"][1] == "2" and shown["ages"][-1] == "am.dict, script.py:5"
    assert shown["gone"][1] == "7" and shown["gone"][-1] == "am.array of float64, script.py:11"


def test_traces_name_the_operands_of_an_operation(job, monkeypatch, tmp_path):
    monkeypatch.setenv("ARMILLA_TRACE", str(tmp_path / "trace.json"))
    done = job(2, NAMED)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "trace.json").read_text()
    json.loads(text)
    assert "array.sum" in text and 'temperature\\" (am.array of float64, script.py:3)' in text


def test_armilla_top_lists_them_while_the_job_runs(job):
    running = job.start(2, NAMED + """
    import time
    if am.rank == 0:
        print("ready", flush=True)
        for _ in range(600):
            am.call(1, time.sleep, 0.1).get()
    am.barrier()
""")
    try:
        assert running.stdout.readline() == "ready\n"
        listed = subprocess.run([TOP, "--containers", "--once", str(running.pid)], capture_output=True, text=True, timeout=60, check=False)
        assert "temperature" in listed.stdout and "am.array of float64" in listed.stdout, listed.stdout + listed.stderr
        assert "gone" not in listed.stdout
    finally:
        running.kill()
        running.wait()


def test_a_table_shows_its_rows(job, monkeypatch):
    pytest.importorskip("polars")
    monkeypatch.setenv("ARMILLA_STATS", "1")
    done = job(2, """
        import armilla as am
        t = am.table({"x": [1, 2, 3]}, name="prices")
        assert t.name == "prices" and t.sort("x").name is None
        assert am.table(t, name="again").name == "again" and t.name == "prices"
    """)
    assert done.returncode == 0, done.stderr
    shown = rows(done.stdout + done.stderr)
    assert shown["prices"][1] == "3" and shown["prices"][4:] == ["1", "am.table, script.py:3"]
    assert shown["again"][-1] == "am.table, script.py:5"


def test_data_that_a_driver_makes_has_no_line(tmp_path, monkeypatch):
    monkeypatch.setenv("ARMILLA_STATS", "1")
    script = tmp_path / "driver.py"
    script.write_text(textwrap.dedent("""
        import armilla

        with armilla.ranks(2) as am:
            t = am.zeros(10, name="outer")
            am.execute("import armilla; inner = armilla.zeros(10, name='inner')")
    """))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    shown = rows(done.stdout + done.stderr)
    assert shown["outer"][-1] == "am.array of float64"
    assert shown["inner"][-1] == "am.array of float64, <ranks>:1"
