# SPDX-License-Identifier: Apache-2.0
"""Sessions: workers that stay, and clients that come and go."""
import contextlib
import json
import os
import pickle
import signal
import socket
import stat
import subprocess
import sys
import textwrap
import threading
import time
import urllib.request

import armilla
import numpy as np
import pytest
from armilla import _frames, _serve, _sessions
from conftest import alive, wait_for
from driver_test import Dangerous


def armilla_command(*words, **options):
    return subprocess.run([sys.executable, "-m", "armilla", *words], capture_output=True, text=True, timeout=60, check=False, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the sessions of these tests are."""
    path = tmp_path_factory.mktemp("run")
    before = os.environ.get("XDG_RUNTIME_DIR")
    os.environ["XDG_RUNTIME_DIR"] = str(path)
    yield path
    os.environ.pop("XDG_RUNTIME_DIR")
    if before is not None:
        os.environ["XDG_RUNTIME_DIR"] = before


@pytest.fixture(scope="module")
def lab(folder):
    done = armilla_command("serve", "lab", "-n", "2")
    assert done.returncode == 0 and "armilla.connect('lab')" in done.stdout, done.stdout + done.stderr
    yield "lab"
    done = armilla_command("stop", "lab")
    assert done.returncode == 0 and not (folder / "armilla/lab").exists(), done.stderr


def in_another_process(code, **options):
    done = subprocess.run([sys.executable, "-c", "import armilla, os\n" + textwrap.dedent(code)], capture_output=True, text=True, timeout=60, check=False, **options)
    return done


def test_a_result_does_not_make_the_client_a_rank(lab):
    with armilla.connect("lab") as am:
        with pytest.raises(armilla.UsageError, match="only ranks can import"):
            am.call(0, lambda: __import__("armilla.array_api").array_api.sin).get()
        assert am.call(0, lambda: armilla.asarray).get().__name__ == "asarray"  # of a module that any process can import


def test_what_a_process_has_named_is_there_for_the_next_one(lab):
    done = in_another_process("""
        lab = armilla.connect("lab")
        lab["a"] = a = lab.arange(1000)
        lab["d"] = lab.dict()
        lab["d"].update("word", 2)
        lab.execute("kept = 5")
        assert lab["a"] is a and a.sum() == 499500
        os.kill(os.getpid(), 9)
        """)
    assert done.returncode == -9, done.stderr
    with armilla.connect("lab") as am:
        a, d = am["a"], am["d"]
        a *= 2
        assert (a.sum(), d["word"], am.evaluate("kept"), list(am), "a" in am) == (999000, 2, [5, 5], ["a", "d"], True)
        assert (a.local(1) == np.arange(1000, 2000, 2)).all() and not a.local(1).flags.owndata
        assert am.call_all(lambda x: len(x.local()), a) == [500, 500]
        assert wait_for(lambda: am.call(0, known_holders).get() == [am._holder])  # the workers have forgotten what the other process had
        del am["d"]
        assert am.names() == ["a"]
        with pytest.raises(KeyError, match="keep nothing as 'd'; there are: a"):
            am["d"]
        with pytest.raises(armilla.UsageError, match="x: a ndarray is of this process alone"):
            am["x"] = np.ones(3)
        with pytest.raises(ZeroDivisionError):
            am.call(1, divmod, 1, 0).get()


def known_holders():
    from armilla import _worker_names

    return sorted({holder for holder, _ in _worker_names._objects})


def enter_often(times):
    import armilla as am

    return [am.all_reduce(k, "sum") for k in range(times)]


def test_two_clients_at_once_see_the_same_and_take_turns(lab):
    with armilla.connect("lab") as one, armilla.connect("lab") as two:
        one["shared"] = one.zeros(10)
        a, b = one["shared"], two["shared"]
        wrong = []

        def work(am, x):
            for _ in range(10):
                x += 1
                if am.call_all(enter_often, 3) != [[0, 2, 4]] * 2:
                    wrong.append(am)

        threads = [threading.Thread(target=work, args=each) for each in ((one, a), (two, b))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong and a.sum() == b.sum() == 200
        del a
        one.barrier()
        assert two["shared"].sum() == 200 and b[3] == 20  # it is the other client's still


def test_modules_are_found_as_the_client_finds_them(lab, tmp_path):
    (tmp_path / "beside.py").write_text("value = 7\n")
    done = in_another_process("""
        import sys
        sys.path.insert(0, os.getcwd())
        with armilla.connect("lab") as lab:
            import beside
            print(lab.call_all(lambda: (beside.value, os.getcwd() == sys.path[0])))
        """, cwd=tmp_path)
    assert done.stdout == "[(7, True), (7, True)]\n", done.stderr
    with armilla.connect("lab") as am:
        assert am.call_all(os.getcwd) == [os.getcwd()] * 2


def test_output_is_the_clients_that_has_asked(lab, capfd):
    with armilla.connect("lab") as one, armilla.connect("lab") as two:
        one.barrier()
        two.call(1, print, "said by a worker").get()
        wait_for(lambda: "said by a worker\n" == capfd.readouterr().out)


def test_an_interrupt_of_a_client_cancels_its_calls_alone(lab, tmp_path):
    begun = tmp_path / "begun"
    with armilla.connect("lab") as one, armilla.connect("lab") as two:
        other = two.call(0, lambda: [begun.touch(), time.sleep(1), 5][2])
        wait_for(begun.exists)
        behind = one.call(0, time.sleep, 60)  # in the worker's queue
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            one.call(1, time.sleep, 60).get()
        assert other.get() == 5
        one.interrupt()
        with pytest.raises(KeyboardInterrupt):
            behind.get(20)
        assert one.call_all(enter_often, 1) == two.call_all(enter_often, 1) == [[0], [0]]


def test_calls_of_a_client_that_is_gone_can_be_cancelled(lab):
    done = in_another_process("""
        lab = armilla.connect("lab")
        lab.call(0, __import__("time").sleep, 600)
        lab.call(1, int).get()
        """)
    assert done.returncode == 0, done.stderr
    with armilla.connect("lab") as am:
        am.interrupt()
        assert am.call(0, int).get(20) == 0


def test_list_names_what_runs(lab):
    with armilla.connect() as am:
        (one,) = [s for s in json.loads(armilla_command("list", "--json").stdout) if s["name"] == "lab"]
        assert (one["ranks"], one["process"]) == (2, am.process) and one["memory"] > 0
        assert wait_for(lambda: next(s for s in armilla.sessions() if s["name"] == "lab")["clients"] == 1)
        assert repr(am) == "<armilla.Session lab: 2 workers>" and armilla.attach("lab").ranks == 2
    with pytest.raises(armilla.Error, match="has left session .lab.; connect again"):
        am.call(0, int)


def test_mistakes_are_told(lab, folder):
    done = armilla_command("serve", "lab", "-n", "1")
    assert done.returncode == 2 and "session 'lab' runs already" in done.stderr
    with pytest.raises(armilla.UsageError, match="session 'other' does not run; running: lab"):
        armilla.connect("other")
    done = armilla_command("serve", "a/b")
    assert done.returncode == 2 and "is no name of a session" in done.stderr


def test_a_stranger_is_sent_away(lab, folder, tmp_path):
    place = folder / "armilla/lab"
    assert all(stat.S_IMODE(path.stat().st_mode) == mode for path, mode in ((place.parent, 0o700), (place, 0o700), (place / "key", 0o600)))
    proof = tmp_path / "unpickled"
    for said in (pickle.dumps(Dangerous(proof)) * 9, _frames._hello.pack(b"f" * 32, 0)):
        with socket.socket(socket.AF_UNIX) as stranger:
            directory = os.open(place, os.O_PATH)
            stranger.connect(_frames.in_folder(directory))
            os.close(directory)
            stranger.sendall(said)
            stranger.settimeout(20)
            with contextlib.suppress(ConnectionResetError):
                assert stranger.recv(1) == b""
            assert not proof.exists()
    place.chmod(0o755)
    with pytest.raises(armilla.UsageError, match="not a folder that only this user can enter"):
        _sessions.new_folder("lab")
    place.chmod(0o700)


def test_another_python_is_told(lab, monkeypatch):
    monkeypatch.setattr(_sessions, "versions", lambda: {"Python": "2.7"})
    with pytest.raises(armilla.UsageError, match="has Python .*, and this process 2.7"):
        armilla.connect("lab")


def test_a_session_ends_when_it_is_idle(folder):
    done = armilla_command("serve", "brief", "-n", "1", "--idle", "0.2s")
    assert done.returncode == 0, done.stderr
    wait_for(lambda: not (folder / "armilla/brief").exists())
    assert _serve._seconds("1.5h") == 5400


def test_a_loss_ends_the_session_and_is_told(folder):
    running = subprocess.Popen([sys.executable, "-m", "armilla", "serve", "doomed", "-n", "2", "--foreground"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert "doomed" in running.stdout.readline()
    with armilla.connect("doomed") as am:
        pids = am.call_all(os.getpid)
        waiting = am.call(0, time.sleep, 60)
        with pytest.raises(armilla.RankLost, match="rank 1 .*SIGKILL") as caught:
            am.call(1, os.kill, pids[1], 9).get()
        assert caught.value.rank == 1
        with pytest.raises(armilla.RankLost):
            waiting.get()
    assert running.wait(20) == 1 and not any(map(alive, pids))
    with pytest.raises(armilla.UsageError, match="session 'doomed' has ended: .*SIGKILL"):
        armilla.connect("doomed")
    assert "ended: armilla: rank 1" in armilla_command("list").stdout


@pytest.mark.whole
def test_workers_end_with_a_server_that_is_killed(folder):
    assert armilla_command("serve", "killed", "-n", "2").returncode == 0
    with armilla.connect("killed") as am:
        pids = am.call_all(os.getpid)
        os.kill(_sessions.noted(am._path)["server"], 9)
        with pytest.raises(armilla.Error, match="session 'killed' has ended"):
            am.call(0, time.sleep, 60).get()
    wait_for(lambda: not any(map(alive, pids)))
    assert armilla_command("serve", "killed", "-n", "1").returncode == 0  # the name is free
    assert armilla_command("stop", "killed").returncode == 0


def test_tables_over_workers(lab, tmp_path):
    for package in ("polars", "narwhals", "pyarrow"):
        pytest.importorskip(package, reason=f"the package {package} is not installed")
    import narwhals as nw
    import polars as pl

    frame = pl.DataFrame({"key": ["a", "b", "a", "c"] * 25, "x": range(100)})
    with armilla.connect("lab") as am:
        am["t"] = am.table(frame)
    with armilla.connect("lab") as am:
        t = am["t"]
        assert (len(t), t.columns, t.schema["x"], len(t.local(1))) == (100, ["key", "x"], pl.Int64(), 50)
        assert t.filter(nw.col("x") > 97).to_polars().rows() == [("a", 98), ("c", 99)]
        sums = t.group_by("key").agg(nw.col("x").sum(), n=nw.len()).sort("key")
        assert sums.to_polars().rows() == [("a", 2450, 50), ("b", 1225, 25), ("c", 1275, 25)]
        assert t.join(sums, on="key").top_k(1, "x").to_polars()["n"].to_list() == [25]
        assert t["x"].sum() == 4950 and t.with_columns(y=t["x"] * 2).filter(nw.col("x") == 7).to_polars()["y"].to_list() == [14]
        assert t.map_partitions(lambda rows: rows.head(1)).to_polars()["x"].to_list() == [0, 50]
        t.write_parquet(str(tmp_path / "t"))
        assert pl.DataFrame(am.read_parquet(str(tmp_path / "t"))).equals(frame) and "key, x over 2 workers" in repr(t)
        with pytest.raises(armilla.UsageError, match="there is no column"):
            t.sort("z")
        with pytest.raises(AttributeError, match="no attribute 'no_such'"):
            t.no_such


@pytest.mark.skipif(not os.access(f"{os.environ['TESTED_BUILD']}/bin/armilla-top", os.X_OK), reason="armilla-top is not built")
def test_a_session_with_a_live_page(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("PATH", f"{os.environ['TESTED_BUILD']}/bin:{os.environ['PATH']}")
    server = subprocess.Popen([sys.executable, "-m", "armilla", "serve", "shown", "-n", "1", "--page", "--foreground"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        said = server.stdout.readline()
        if not said and "httplib" in server.stderr.read():
            pytest.skip("armilla-top is built without its page")
        with armilla.connect("shown") as lab:
            address = lab.page()
            assert address.startswith("http://127.0.0.1:") and f"{address} shows it" in said and f'<a href="{address}">' in lab._repr_html_()
            with urllib.request.urlopen(address, timeout=20) as page:
                assert b"<html" in page.read()
            assert armilla.sessions()[0]["page"] == address
        server.terminate()
        server.wait(20)
        with pytest.raises(OSError):
            urllib.request.urlopen(address, timeout=5)
    finally:
        server.kill()
        server.communicate()


def test_without_armilla_top_there_is_no_page(workers, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(armilla.UsageError, match="armilla-top is not on the PATH"):
        workers.page()
    assert "<a " not in workers._repr_html_()
