# SPDX-License-Identifier: Apache-2.0
"""What notebooks show, and their cells."""
import sys

import armilla
import pytest
from conftest import wait_for
from guide_test import Shell

CELLS = ["import armilla\n%load_ext armilla", "am = armilla.ranks(2)", "%%armilla\nprint('said')\narmilla.rank * 10 if 'armilla' in globals() else __import__('armilla').rank * 10",
         "am", "a = am.arange(100); a", "am.map(abs, [-1, 2, -3], progress=True)", "am.close()"]


def test_a_cell_of_all_workers_labels_what_they_print(workers, capfd):
    shell = Shell()
    shell.run("%load_ext armilla")
    shell.user_ns["three"] = workers
    assert shell.run("%%armilla three\nimport armilla, sys\nprint('one\\ntwo')\nprint('no end', end='')\nprint('wrong', file=sys.stderr)\narmilla.rank") == [0, 1, 2]
    said = [f"[{r}] {text}" for r in range(3) for text in ("no end", "one", "two")]
    out, err = "", ""

    def all_is_said():
        nonlocal out, err
        more = capfd.readouterr()
        out, err = out + more.out, err + more.err
        return sorted(out.splitlines()) == said and sorted(err.splitlines()) == ["[0] wrong", "[1] wrong", "[2] wrong"]

    wait_for(all_is_said)
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


@pytest.mark.whole
def test_a_notebook_runs(tmp_path):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [cell.outputs for cell in notebook.cells]
    text = ["".join(o.get("text", "") for o in each if o.output_type == "stream") for each in outputs]
    data = [next((o.data for o in each if o.output_type == "execute_result"), {}) for each in outputs]
    assert data[2]["text/plain"] == "[0, 10]" and sorted("".join(text).splitlines())[:2] == ["[0] said", "[1] said"], text
    assert "<th>worker</th>" in data[3]["text/html"] and "<pre>" in data[4]["text/html"] and data[5]["text/plain"] == "[1, 2, 3]"
