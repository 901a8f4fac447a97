# SPDX-License-Identifier: Apache-2.0
"""What notebooks show, and their cells."""
import io
import sys

import armilla
import pytest
from conftest import wait_for
from guide_test import EXAMPLES, Shell

CELLS = {
    "start": "import armilla\n%load_ext armilla\nam = armilla.ranks(2)",
    "cell": "%%armilla\nimport armilla\nprint('said')\narmilla.rank * 10",
    "workers": "am",
    "array": "a = am.arange(100); a",
    "map": "am.map(abs, [-1, 2, -3], progress=True)",
    "restart": "am.restart()\nint(am.arange(10).sum())",
    "nothing is left": "%%ranks\n'armilla' in globals()",
    "pool": "def area(w, h):\n    return w * h\n\npool = armilla.Pool(2, label=True)\npool.submit(area, 3, h=4).result()",
    "bar": "list(pool.map(area, [1, 2, 3], [4, 5, 6], progress=True))",
    "output": "pool.submit(print, 'of a task').result()",
    "pool as HTML": "pool",
    "await": "await pool.submit(area, 2, 5)",
    "error": "try:\n    pool.submit(area, 1).result()\nexcept TypeError as error:\n    print(error)",
    "end": "pool.shutdown(); am.close()",
}


def test_a_cell_of_all_workers_labels_what_they_print(workers, monkeypatch):
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    shell = Shell()
    shell.run("%load_ext armilla")
    shell.user_ns["three"] = workers
    assert shell.run("%%armilla three\nimport armilla, sys\nprint('one\\ntwo')\nprint('no end', end='')\nprint('wrong', file=sys.stderr)\narmilla.rank") == [0, 1, 2]
    said = [f"[{r}] {text}" for r in range(3) for text in ("no end", "one", "two")]
    wait_for(lambda: sorted(out.getvalue().splitlines()) == said and sorted(err.getvalue().splitlines()) == ["[0] wrong", "[1] wrong", "[2] wrong"])
    with pytest.raises(armilla.UsageError, match="%%ranks: 'four' is not what armilla.ranks or armilla.connect gave"):
        shell.run("%%armilla four\n1")


def test_what_a_notebook_shows(workers):
    shown = workers._repr_html_()
    assert shown.startswith("<b>armilla.Ranks: 3 workers</b><table>") and shown.count("<tr>") == 4 and " MB</td>" in shown
    shown = workers.arange(100)._repr_html_()
    assert shown.startswith("<b>armilla.Array: int64 of shape (100,)") and "<pre>" in shown and "97 98 99" in shown, shown


def test_a_map_shows_a_bar_where_tqdm_is_installed(workers, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert workers.map(abs, [-1, 2, -3], progress=True) == [1, 2, 3] and capsys.readouterr().err == ""


def executed(notebook, folder):
    """Runs a notebook in a kernel of its own, to its end. What each of its cells of code shows and prints."""
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    data = [next((o.data for o in each if o.output_type == "execute_result"), {}) for each in outputs]
    return data, [{name: "".join(o.text for o in each if o.output_type == "stream" and o.name == name) for name in ("stdout", "stderr")} for each in outputs]


@pytest.mark.whole
def test_a_notebook_runs(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    shown, printed = executed(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS.values()]), tmp_path)
    shown, printed = dict(zip(CELLS, shown)), dict(zip(CELLS, printed))
    text = {name: data["text/plain"] for name, data in shown.items() if data}
    assert text.items() >= {"cell": "[0, 10]", "map": "[1, 2, 3]", "restart": "45", "nothing is left": "[False, False]", "pool": "12", "bar": "[4, 10, 18]", "await": "10"}.items()
    assert "<th>worker</th>" in shown["workers"]["text/html"] and "<pre>" in shown["array"]["text/html"] and "<th>runs</th>" in shown["pool as HTML"]["text/html"]
    out, err = ("".join(each[name] for each in printed.values()) for name in ("stdout", "stderr"))
    assert {"[0] said", "[1] said"} < {*out.splitlines()} and "] of a task\n" in out and "area() missing 1 required positional argument: 'h'" in printed["error"]["stdout"], out
    assert err.count("100%") == 2 and all(line.strip().endswith("it/s]") for line in err.split("\r") if line.strip()), err  # the bars alone


@pytest.mark.whole
def test_the_tour_in_a_kernel(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    tour = nbformat.read(EXAMPLES / "tour.ipynb", 4)
    expected = [next((o.data["text/plain"] for o in cell.outputs if o.output_type == "execute_result"), None) for cell in tour.cells if cell.cell_type == "code"]
    shown, _ = executed(tour, tmp_path)
    assert [data.get("text/plain") for data in shown] == expected
