# SPDX-License-Identifier: Apache-2.0
"""Every public name has a docstring with an example, and each example runs, in a folder of its own: some write files."""
import importlib.util
import subprocess
import sys

import pytest

TABLES = {"from_arrow": "pyarrow", "from_pandas": "pandas"}  # and polars
DRIVER = {"RankLost", "Job", "Pool", "PoolFuture", "Ranks", "RemoteTraceback", "Session", "Shared", "WorkerLost", "attach", "connect", "jobs", "put", "ranks", "sessions"}
PARTS = {"Array", "SharedArray", "Table", "Team"}  # their methods, too
RUN = """
import doctest, sys
import armilla

def examples(name):
    found = getattr(armilla, name)
    yield name, found.__doc__
    for part in vars(found).items() if name in {PARTS!r} else ():
        if not part[0].startswith("_") and callable(part[1]):
            yield f"{{name}}.{{part[0]}}", part[1].__doc__

without = []
for name in sys.argv[1:]:
    for place, text in examples(name):
        test = doctest.DocTestParser().get_doctest(text or "", {{"__name__": "__main__"}}, place, None, None)
        if not test.examples and place == name:
            without.append(place)
        runner = doctest.DocTestRunner()
        runner.run(test)
        assert not runner.failures, place
assert not without, f"they have no example: {{without}}"
""".format(PARTS=PARTS)


def names():
    import armilla

    has_tables = importlib.util.find_spec("polars") is not None
    return {*armilla.__all__, *(each for each in armilla._of_tables if has_tables and importlib.util.find_spec(TABLES.get(each, "polars")) is not None)} - {"random"}  # a module, of array_api_test.py


@pytest.mark.parametrize("ranks", [1, 2])
def test_of_ranks(job, tmp_path, monkeypatch, ranks):
    monkeypatch.chdir(tmp_path)
    done = job(ranks, RUN, *sorted(names() - DRIVER))
    assert done.returncode == 0, done.stdout + done.stderr


def test_of_other_processes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    server = subprocess.Popen([sys.executable, "-m", "armilla", "serve", "lab", "-n", "2", "--foreground"], stdout=subprocess.PIPE, text=True)
    try:
        assert "lab" in server.stdout.readline()
        done = subprocess.run([sys.executable, "-c", RUN, *sorted(DRIVER)], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    finally:
        server.terminate()
        assert server.wait(20) == 0
