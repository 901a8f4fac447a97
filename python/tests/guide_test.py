# SPDX-License-Identifier: Apache-2.0
"""The code of docs/guide/python.md runs, and so do the examples."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest
from conftest import ROOT, wait_for

BLOCKS = [block for page in ("python", "mpi4py", "tables") for block in re.findall(r"^```python(.*)\n((?:.*\n)*?)^```", (ROOT / f"docs/guide/{page}.md").read_text(encoding="utf-8"), re.MULTILINE)]
EXAMPLES = ROOT / "examples/python"


def blocks(kind):
    found = [text for name, text in BLOCKS if name.strip() == kind]
    assert found
    return found


def test_every_block_says_what_it_is():
    assert {name.strip() for name, _ in BLOCKS} == {"start", "attach", "ranks", "driver", "solver", "session", "pool", "tables", "tables queries"}


@pytest.mark.parametrize("text", blocks("ranks"))
@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.whole), 3])
def test_blocks_of_ranks(job, ranks, text):
    job.passes(ranks, text)


@pytest.mark.parametrize("kind, text", [(kind, text) for kind in ("tables", "tables queries") for text in blocks(kind)])
def test_blocks_of_tables(job, tmp_path, monkeypatch, kind, text):
    for package in ("polars", "narwhals", "pyarrow", *(["duckdb"] if "queries" in kind else [])):
        pytest.importorskip(package, reason=f"the package {package} is not installed")
    monkeypatch.chdir(tmp_path)
    job.passes(3, text)


@pytest.mark.parametrize("text", blocks("driver"))
def test_blocks_of_a_driver(tmp_path, text):
    script = tmp_path / "driver.py"
    script.write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and done.stdout.startswith("50\n[(0, 4), (1, 4)]\n[10, 20, 30]\n1000000.0 "), done.stdout + done.stderr


@pytest.mark.parametrize("text", blocks("start"))
def test_the_five_lines(tmp_path, text):
    script = tmp_path / "start.py"
    script.write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "249999750000.0 [1, 2]\n", done.stdout + done.stderr


@pytest.mark.parametrize("text", blocks("session"))
def test_blocks_of_a_session(tmp_path, monkeypatch, text):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    server = subprocess.Popen([sys.executable, "-m", "armilla", "serve", "lab", "-n", "2", "--foreground"], stdout=subprocess.PIPE, text=True)
    try:
        assert "lab" in server.stdout.readline()
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False)
        assert done.stdout == "['prices'] 249999750000.0 [1, 1]\n", done.stdout + done.stderr
    finally:
        server.terminate()
        assert server.wait(20) == 0


@pytest.mark.parametrize("text", blocks("pool"))
def test_blocks_of_a_pool(tmp_path, text):
    script = tmp_path / "pool.py"
    script.write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "12\n4950\n[4, 10, 18]\n[1, 2, 3]\n[5.0, 6.0]\n", done.stdout + done.stderr


@pytest.mark.parametrize("text", blocks("attach"))
def test_blocks_of_a_client(tmp_path, text):
    script = tmp_path / "solver.py"
    script.write_text("import armilla as am, time\nif am.rank == 0: time.sleep(60)\nam.barrier()\n", encoding="utf-8")
    running = subprocess.Popen([sys.executable, "-m", "armilla", "-n", "2", str(script)], stderr=subprocess.PIPE, text=True)
    try:
        import armilla

        wait_for(lambda: any(j["process"] == running.pid for j in armilla.jobs()) and armilla.attach(running.pid).who_waits().get(1))
        done = subprocess.run([sys.executable, "-c", text.replace('"solver.py"', f'"{script}"')], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0 and "{1: ('barrier', " in done.stdout and "<armilla.Job" in done.stdout, done.stdout + done.stderr
    finally:
        os.kill(running.pid, signal.SIGINT)
        running.communicate(timeout=20)


def test_the_solver():
    folder, build = EXAMPLES / "solver", os.environ["TESTED_BUILD"]
    (text,) = blocks("solver")
    assert (folder / "score.py").read_text(encoding="utf-8").endswith(text)
    done = subprocess.run([f"{build}/bin/armilla-run", "-n", "2", f"{build}/bin/python_solver", ":", "-n", "2", sys.executable, str(folder / "score.py")], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and sorted(done.stdout.splitlines()) == ["0.25", "0.5", "rank 0: 1", "rank 1: 2"], done.stdout + done.stderr


def run_example(ranks, name, *arguments):
    done = subprocess.run([sys.executable, "-m", "armilla", "-n", str(ranks), str(EXAMPLES / name), *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_by_mpi4py(ranks, name, *arguments):
    done = subprocess.run([shutil.which("mpirun.openmpi") or "mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), os.environ.get("PYTHON_OF_MPI4PY", sys.executable),
                           str(EXAMPLES / "mpi4py" / name), *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def has_mpi4py():
    found = subprocess.run([os.environ.get("PYTHON_OF_MPI4PY", sys.executable), "-c", "import mpi4py, numpy"], capture_output=True, check=False)
    return found.returncode == 0 and shutil.which("mpirun.openmpi") is not None


@pytest.mark.parametrize("ranks", [2, pytest.param((1, 3), marks=pytest.mark.whole)])
def test_word_count(tmp_path, ranks):
    text = tmp_path / "text"
    text.write_text("The cat and the dog: the END. " * 500 + "tail", encoding="utf-8")
    expected = "    1500 the\n     500 and\n     500 cat\n     500 dog\n     500 end\n       1 tail\n3501 words, 6 different ones\n"
    for n in [ranks] if isinstance(ranks, int) else ranks:
        assert run_example(n, "word_count.py", str(text)) == expected
    if ranks != 2 and has_mpi4py():
        assert run_by_mpi4py(3, "word_count.py", str(text)) == expected


@pytest.mark.parametrize("ranks", [(2,), pytest.param((3,), marks=pytest.mark.whole)])
def test_jacobi(ranks):
    one = run_example(1, "jacobi.py", "40", "30")
    assert one.startswith("40 x 40, 30 steps: heat ")
    assert all(run_example(n, "jacobi.py", "40", "30") == one for n in ranks)
    if ranks == (3,) and has_mpi4py():
        assert run_by_mpi4py(3, "jacobi.py", "40", "30") == one


class Shell:
    """What the notebook needs of IPython."""

    def __init__(self):
        self.user_ns = {"__name__": "__main__"}
        self.magics = {}

    def register_magic_function(self, f, kind, name):
        assert kind == "cell"
        self.magics[name] = f

    def run(self, cell):
        import ast

        if cell.startswith("%load_ext armilla"):
            import armilla

            return armilla.load_ipython_extension(self)
        if cell.startswith("%%"):
            line, _, rest = cell.partition("\n")
            name, _, argument = line[2:].partition(" ")
            return self.magics[name](argument, rest)
        body = ast.parse(cell).body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), "<cell>", "exec"), self.user_ns)
        return None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), self.user_ns)


def test_the_tour():
    notebook = json.loads((EXAMPLES / "tour.ipynb").read_text(encoding="utf-8"))
    shell = Shell()
    for number, cell in enumerate(c for c in notebook["cells"] if c["cell_type"] == "code"):
        value = shell.run("".join(cell["source"]))
        shown = "".join("".join(o["data"]["text/plain"]) for o in cell["outputs"] if o["output_type"] == "execute_result")
        assert not shown or repr(value) == shown, f"cell {number}"
