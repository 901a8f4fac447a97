# SPDX-License-Identifier: Apache-2.0
"""Workers of a plain process."""
import asyncio
import contextlib
import faulthandler
import os
import pickle
import queue
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import armilla
import numpy as np
import pytest
from armilla import _frames, _worker, _worker_names, driver
from armilla._workers import Workers
from conftest import alive, wait_for


def ten_times(x):
    return x * 10


def who(x):
    return armilla.rank, armilla.all_reduce(x, "sum")


def fail(text):
    raise ValueError(text)


def test_calls(workers):
    am = workers
    assert (am.size, repr(am)) == (3, "<armilla.Ranks: 3 workers>")
    assert am.call(2, ten_times, 5).get() == 50
    assert am.call_all(who, 2) == [(0, 6), (1, 6), (2, 6)]
    assert am.map(ten_times, range(7)) == [0, 10, 20, 30, 40, 50, 60] and am.map(pow, (n for n in (1, 2, 3)), [3, 4]) == [1, 16]
    n = 4
    assert am.call(1, lambda x: x + n, 1).get() == 5

    def ask(r):
        return armilla.call(r, lambda: armilla.rank).get()

    assert [am.call(r, ask, (r + 1) % 3).get() for r in range(3)] == [1, 2, 0]
    am.barrier()
    am.fence()


def test_worker_calls_worker_that_is_asked_for_something_together(workers):
    def ask():
        return armilla.call(1, ten_times, 7).get()

    first = workers.call(0, ask)
    assert workers.call_all(who, 1)[2] == (2, 3) and first.get() == 70


def test_arrays_travel(workers):
    a = np.arange(1e6)
    b = workers.call(1, lambda v: v + 1, a).get()
    assert (b == a + 1).all() and b.flags.writeable and not b.flags.owndata


def test_errors_travel(workers, capsys):
    with pytest.raises(ValueError, match="bad luck") as caught:
        workers.call(1, fail, "bad luck").get()
    assert caught.value.__cause__.rank == 1 and 'raise ValueError(text)' in caught.value.__cause__.text
    assert f'{__file__}", line {fail.__code__.co_firstlineno + 1}, in fail' in caught.value.__cause__.text
    inner = eval(compile("lambda: 1 / 0", __file__, "eval"))  # by value
    with pytest.raises(ZeroDivisionError) as caught:
        workers.call(1, inner).get()
    assert f'File "{__file__}", line 1, in <lambda>' in caught.value.__cause__.text
    with pytest.raises(ValueError, match="all of us"):
        workers.call_all(fail, "all of us")
    with pytest.raises(TypeError, match="argument 1, of type lock, cannot travel"):
        workers.call(0, print, threading.Lock())
    with pytest.raises(ValueError, match="rank 3 does not exist"):
        workers.call(3, print)
    with pytest.raises(TimeoutError, match="rank 1 has not answered within 0.01 s"):
        workers.call(1, time.sleep, 0.3).get(0.01)
    workers.barrier()


def test_output_of_workers_is_the_drivers(workers, capfd):
    workers.call(1, print, "said by a worker").get()
    wait_for(lambda: "said by a worker\n" in capfd.readouterr().out)


def test_await(workers):
    async def all_of_them():
        return await asyncio.gather(*(workers.call(r, ten_times, r) for r in range(3)))

    assert asyncio.run(all_of_them()) == [0, 10, 20]


def test_statements_in_main_of_the_workers(workers):
    workers.execute("import armilla as am\ncount = am.rank + 1\ndef up():\n    global count\n    count += 1\n")
    workers.execute("up()")
    assert workers.evaluate("count") == [2, 3, 4]


def test_distributed_objects(workers):
    am = workers
    a = am.array(10**5, dtype="f8")
    a += 1
    assert (a.sum(), len(a)) == (1e5, 10**5)
    a *= np.arange(10**5)
    b = a * -1.0
    b.sort()
    assert b[0] == b.min() == -99999 and (b[10:20] == np.arange(-99989, -99979)).all() and (b * b).max() == 99999.0**2
    part = np.asarray(b.local(1))
    assert part[0] == b[len(b.local(0))] and not part.flags.writeable and not part.flags.owndata
    b += 5
    assert part[0] == b[len(b.local(0))]  # in place: it is the worker's memory
    b[7] = 1.5
    assert b[7] == 1.5 and b.mean() == b.sum() / 10**5 and np.sqrt(a * a)[3] == 3 and (np.asarray(a.cumsum())[:4] == [0, 1, 3, 6]).all()
    assert am.call_all(lambda x: len(x.local()), a) == [len(a.local(r)) for r in range(3)]  # it is an armilla.Array there
    with pytest.raises(ValueError, match=r"shapes \(100000,\) \(3,\)"):
        a + np.ones(3)
    m = am.asarray(np.arange(12.0).reshape(4, 3))
    assert m.T.shape == (3, 4) and (np.asarray(m[m[:, 0] > 2] @ m.T) == np.asarray(m)[1:] @ np.asarray(m).T).all() and np.sum(m, axis=0)[1] == 22
    rows, columns = np.nonzero(m > 8)
    assert (np.asarray(rows) == [3, 3, 3]).all() and (np.asarray(np.concatenate([columns, rows])) == [0, 1, 2, 3, 3, 3]).all()
    assert "float64 of shape (4, 3), dealt along axis 0 to 3 workers" in repr(m) and m.local(0).shape == (2, 3) and float(m[:, 1].max()) == 10
    m[1:3] = am.zeros(3)
    assert m.sum() == 33 and am.arange(10)[::-2].tolist() == [9, 7, 5, 3, 1]
    d = am.dict()
    d.update("word", 1)
    d.update("word", 2)
    d.update_all([("x", 1), ("y", 2)])
    assert d["word"] == 3 and sorted(d.items()) == [("word", 3), ("x", 1), ("y", 2)] and len(d) == 3 and "z" not in d
    am.call_all(lambda e: e.update("all", 1), d)
    assert dict(d.items())["all"] == 3


def test_functions_of_several_results(workers):
    values = np.arange(10.0) - 4
    a, out = workers.array(values), workers.array(10)
    for function, arguments in ((np.divmod, (a, 3.0)), (np.modf, (a,))):
        expected = function(*(values if each is a else each for each in arguments))
        assert all((np.asarray(got) == wanted).all() for got, wanted in zip(function(*arguments), expected)), function
    assert all((np.asarray(got) == wanted).all() for got, wanted in zip(divmod(a, 2), divmod(values, 2)))
    given = np.divmod(a, 3.0, out=(out, None))
    assert given[0] is out and (np.asarray(out) == values // 3).all() and (np.asarray(given[1]) == values % 3).all()
    assert np.add(a, 1, out=out) is out and out[0] == -3


def test_workers_run_the_package_of_their_driver(tmp_path):
    other = tmp_path / "other/armilla"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("raise SystemExit('another armilla')\n")
    ours = os.path.dirname(os.path.dirname(os.path.abspath(armilla.__file__)))
    code = f"import sys; sys.path.insert(0, {ours!r}); import armilla\nwith armilla.ranks(2) as am: print(*am.call_all(lambda: __import__('armilla').__file__))"
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(other.parent)}, cwd=other.parent, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == [armilla.__file__] * 2, done.stderr


def test_distributed_objects_are_let_go_of(workers):
    def known(numbers):
        from armilla import _worker_names

        return [n in _worker_names._objects for n in numbers]

    a = workers.array(10)
    b = a + 1
    numbers = [a._number, b._number]
    assert workers.call(0, known, numbers).get() == [True, True]
    del a
    kept = workers.array(3)  # the next operation tells the workers
    assert workers.call(0, known, [*numbers, kept._number]).get() == [False, True, True]


def test_an_interrupt_ends_what_the_workers_do(workers):
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        workers.call(1, time.sleep, 60).get()
    assert workers.call_all(ten_times, 1) == [10, 10, 10] and time.monotonic() - began < 20


def test_an_interrupt_ends_what_they_do_for_each_other(workers):
    def ask():
        return armilla.call(2, time.sleep, 60).get()

    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        workers.call(0, ask).get()
    assert workers.call_all(ten_times, 1) == [10, 10, 10]


@pytest.mark.parametrize("how", ["signal", pytest.param("exit", marks=pytest.mark.whole)])
def test_a_worker_that_dies_is_named(how):
    def die(by):
        os.kill(os.getpid(), 9) if by == "signal" else os._exit(3)

    with armilla.ranks(3) as am:
        waiting = am.call(0, time.sleep, 60)
        with pytest.raises(armilla.RankLost, match="rank 1 .*SIGKILL" if how == "signal" else "rank 1 .*code 3") as caught:
            am.call(1, die, how).get()
        assert caught.value.rank == 1
        with pytest.raises(armilla.RankLost):
            waiting.get()
        with pytest.raises(armilla.RankLost):
            am.call(2, ten_times, 1)
        assert "ended" in repr(am)


def test_workers_end_with_their_driver(tmp_path):
    code = "import armilla, sys, time; am = armilla.ranks(2); print(*am.evaluate('__import__(\"os\").getpid()'), flush=True); time.sleep(60)"
    driver = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    pids = [int(word) for word in driver.stdout.readline().split()]
    assert len(pids) == 2 and all(map(alive, pids))
    driver.kill()
    driver.wait()
    wait_for(lambda: not any(map(alive, pids)))


def test_workers_end_with_the_block_also_by_an_error():
    with pytest.raises(ZeroDivisionError):
        with armilla.ranks(2) as am:
            pids = am.call_all(os.getpid)
            am.call(0, time.sleep, 60)
            1 / 0
    wait_for(lambda: not any(map(alive, pids)))
    with pytest.raises(armilla.UsageError, match="have ended"):
        am.call(0, print)


def test_wrong_options_are_told():
    with pytest.raises(armilla.Error, match="ARMILLA_RINK is no option"):
        armilla.ranks(2, environment={"ARMILLA_RINK": "3"})
    with pytest.raises(ValueError, match="0 ranks"):
        armilla.ranks(0)


def test_what_a_cell_defines_first_is_there_when_another_worker_calls_it(workers):
    from armilla import _worker_names

    code = "import armilla as there\ndef number():\n    return there.rank\nthere.call((there.rank - 1) % there.size, number).get()"
    replies = []
    for rank in range(3):  # the last one hears of its cell long after the first has begun
        replies.append(workers.call(rank, _worker_names.run_cell, code))
        time.sleep(0.2)
    assert [reply.get() for reply in replies] == [2, 0, 1]


def test_a_cell_whose_first_lines_fail_on_one_worker_is_an_error(workers):
    with pytest.raises(ZeroDivisionError):
        workers.run_cell("import armilla as there\nclass Broken:\n    value = 1 // there.rank\nthere.rank")


KEY = "0123456789abcdef" * 2


class Dangerous:
    """Makes a folder where it is unpickled."""

    def __init__(self, folder):
        self.folder = str(folder)

    def __reduce__(self):
        return os.mkdir, (self.folder,)


def test_a_caller_who_is_no_worker_is_sent_away(monkeypatch, tmp_path):
    monkeypatch.setattr(driver, "_hello_seconds", 0.2)
    proof = tmp_path / "unpickled"
    wrong = _frames._hello.pack(b"f" * 32, 0)
    for said in (b"", b"nonsense", bytes(8) + b"\xff" * 8, pickle.dumps(Dangerous(proof)) * 9, wrong, KEY.encode()):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            theirs.sendall(said)
            begin = time.monotonic()
            assert driver._hello_of(ours, KEY, begin + 60) is None
            assert time.monotonic() - begin < 5
    assert not proof.exists()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        _frames.send_hello(theirs, KEY, 3)
        assert driver._hello_of(ours, KEY, time.monotonic() + 60) == 3
        assert ours.gettimeout() is None


@pytest.mark.whole
def test_a_stranger_at_the_door_does_not_stop_the_workers(monkeypatch, tmp_path):
    proof, met = tmp_path / "unpickled", []
    meet = driver.Ranks._meet

    def with_strangers(self, door):
        for said in (b"", pickle.dumps(Dangerous(proof)) * 9, _frames._hello.pack(b"f" * 32, 1)):
            stranger = socket.socket(socket.AF_UNIX)
            stranger.connect(door.getsockname())
            stranger.sendall(said)
            met.append(stranger)
        meet(self, door)

    monkeypatch.setattr(driver, "_hello_seconds", 0.2)
    monkeypatch.setattr(driver.Ranks, "_meet", with_strangers)
    with armilla.ranks(2) as am:
        assert am.call_all(ten_times, 1) == [10, 10] and len(met) == 3 and not proof.exists()
    for stranger in met:
        stranger.close()


def test_a_long_folder_for_temporary_files(tmp_path):
    folder = tmp_path / ("long" * 50)
    folder.mkdir()
    file = os.open(folder, os.O_PATH)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(_frames.in_folder(file))
        door.listen(1)
        with _worker._connected(str(folder)) as caller, door.accept()[0] as there:
            caller.sendall(b"hello")
            assert there.recv(5) == b"hello"
    os.close(file)


@pytest.mark.whole
def test_workers_start_with_a_long_folder_for_temporary_files(monkeypatch, tmp_path):
    folder = tmp_path / ("long" * 50) / ("name" * 20)
    folder.mkdir(parents=True)
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    with armilla.ranks(2) as am:
        assert am.call_all(ten_times, 1) == [10, 10]


def test_objects_of_other_workers_are_told(workers):
    mine = workers.array(10)
    theirs = _worker_names.Reference("another job", mine._number)
    with pytest.raises(armilla.UsageError, match="of other workers is among the arguments"):
        workers.call_all(lambda x: x.size, theirs)
    with pytest.raises(armilla.UsageError, match="do not have any more"):
        workers.call_all(lambda x: x.size, _worker_names.Reference(workers._key, 10**6))
    assert workers.call_all(lambda x: x.size, mine) == [10] * 3


@pytest.mark.whole
def test_objects_of_two_jobs_do_not_mix(workers):
    mine = workers.array(10)
    with armilla.ranks(2) as other:
        for _ in range(mine._number[1]):
            theirs, words = other.array(7), other.dict()
        for wrong in (theirs, words):
            with pytest.raises(armilla.UsageError, match="of other workers is among the arguments"):
                workers.call_all(lambda x: x.size, wrong)
        with pytest.raises(armilla.UsageError, match="of other workers"):
            mine + theirs
        assert other.call_all(lambda x: x.size, theirs) == [7, 7]
    assert workers.call_all(lambda x: x.size, mine) == [10] * 3


def test_a_callback_may_call(workers):
    done = queue.SimpleQueue()

    def then(future):
        done.put((future.result(), workers.call(1, ten_times, 6).get()))

    workers.call(0, time.sleep, 0.1).add_done_callback(then)
    assert done.get(timeout=20) == (None, 60)
    future = workers.call(0, ten_times, 1)
    future.get()
    future.add_done_callback(then)  # at once
    assert done.get(timeout=20) == (10, 60)


def test_an_interrupt_cancels_what_is_waited_for_alone(workers):
    other = workers.call(2, lambda: [time.sleep(1), 5][1])
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        workers.call(1, time.sleep, 60).get()
    assert other.get() == 5


def test_a_second_interrupt_gets_through_while_a_worker_is_busy(workers):
    long = workers.call(1, time.sleep, 60)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        workers.call(0, time.sleep, 60).get()
    workers.interrupt()
    with pytest.raises(KeyboardInterrupt):
        long.get(10)
    assert workers.call_all(ten_times, 1) == [10] * 3


def test_an_interrupt_ends_a_send_to_a_worker_that_takes_nothing(workers):
    (pid,) = [workers.call(1, os.getpid).get()]
    os.kill(pid, signal.SIGSTOP)
    try:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            workers.call(1, np.sum, np.ones(10**7)).get()
        assert time.monotonic() - begin < 10
    finally:
        os.kill(pid, signal.SIGCONT)
    assert workers.call(1, np.sum, np.ones(10**5)).get() == 1e5 and workers.call_all(who, 1)[0] == (0, 3)


def test_a_callback_may_await(workers):
    async def ask():
        return await workers.call(1, ten_times, 6)

    done = queue.SimpleQueue()
    workers.call(0, time.sleep, 0.1).add_done_callback(lambda _: done.put(asyncio.run(ask())))
    assert done.get(timeout=20) == 60


def test_an_interrupt_passes_a_handler_that_a_library_has_put_in_front():
    """As polars does: its handler calls the one that it has found."""

    def put():
        faulthandler.register(signal.SIGINT, open(os.devnull, "w"), chain=True)

    with armilla.ranks(2) as am:
        for _ in range(2):
            am.call_all(put)
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            with pytest.raises(KeyboardInterrupt):
                am.call(1, time.sleep, 60).get()
            assert am.call_all(ten_times, 1) == [10, 10]


def test_workers_in_a_function_that_is_sent(workers):
    with pytest.raises(TypeError, match="call_all: the function.*import armilla as am, within the function"):
        workers.call_all(lambda: workers.size)


def test_workers_ignore_interrupts_of_others(workers):
    pids = workers.call_all(os.getpid)
    asked = [workers.call(r, time.sleep, 0.5) for r in range(3)]
    for _ in range(5):
        for pid in pids:
            os.kill(pid, signal.SIGINT)
        time.sleep(0.05)
    assert [f.get() for f in asked] == [None] * 3 and workers.call_all(ten_times, 1) == [10] * 3


def test_workers_that_were_interrupted_before_a_collective_and_in_it_come_together(workers):
    def some_wait(rank):
        if armilla.rank == rank:
            time.sleep(60)
        return armilla.all_reduce(1)

    for rank in (0, 1, 2):
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            workers.call_all(some_wait, rank)
        assert workers.call_all(some_wait, -1) == [3, 3, 3]
        a = workers.array(100)
        a += 2
        assert a.sum() == 200


def nested(x):
    return armilla.call((armilla.rank + 1) % armilla.size, ten_times, x).get()


def reductions(n):
    return [armilla.all_reduce(np.full(50, i), "sum")[0] for i in range(n)][-1]


def mixed(n):
    for i in range(n):
        armilla.barrier()
        armilla.broadcast(i, i % armilla.size)
        a = armilla.array(100)
        a += armilla.all_reduce(1)
        a.sort()
    return a.sum()


def random_interrupts(am, count, seed):
    """Interrupts at random moments of calls of all kinds: none loses the job, and what comes next is right."""
    r = random.Random(seed)
    work = [lambda: [am.call(k % 3, ten_times, 4).get() for k in range(20)] == [40] * 20, lambda: am.call_all(reductions, 20) == [57] * 3, lambda: am.call_all(mixed, 5) == [300] * 3,
            lambda: am.call(1, nested, 5).get() == 50, lambda: am.map(ten_times, range(30)) == list(range(0, 300, 10)), lambda: am.call_all(np.sum, np.ones(10**5)) == [1e5] * 3]
    caught = 0
    for k in range(count):
        timer = threading.Timer(r.random() ** 2 * 0.02, os.kill, (os.getpid(), signal.SIGINT))
        try:
            timer.start()
            assert r.choice(work)(), k
            timer.join()
            time.sleep(0.01)
        except KeyboardInterrupt:
            caught += 1
        timer.join()
        assert r.choice(work)(), k
    assert all(each() for each in work) and caught == count


def test_random_interrupts(workers):
    random_interrupts(workers, 8, 3)


@pytest.mark.whole
def test_more_random_interrupts(workers):
    random_interrupts(workers, int(os.environ.get("ROUNDS", "200")), 4)


def test_tasks_of_a_pool_get_the_parts_of_an_array(workers):
    a = workers.arange(30)
    parts = a.partitions()
    with armilla.Pool(1) as pool:
        assert list(pool.map(lambda part: (int(part.sum()), part.flags.writeable), parts)) == [(45, False), (145, False), (245, False)]
    a += 1
    assert parts[0].get().sum() == 45  # those of then
    number = parts[0]._held._number
    del parts
    workers.zeros(1)  # the next operation tells the workers
    assert workers.call(0, lambda n: n in _worker_names._objects, number).get() is False


@pytest.mark.parametrize("work", [lambda am, a: am.zeros(10), lambda am, a: np.unique(a, return_counts=True), lambda am, a: a.partitions(), lambda am, a: a.sum()], ids=["one", "several", "partitions", "value"])
def test_an_interrupt_leaves_nothing_with_the_workers(workers, monkeypatch, work):
    def held():
        from armilla import _worker_names

        return sorted(map(str, _worker_names._objects))

    a = workers.arange(30)
    made = workers.zeros(3)  # which tells the workers what earlier tests have dropped
    before = workers.call_all(held)
    for at in ("call_all", "_object"):
        with monkeypatch.context() as patched:
            real = getattr(Workers, at)

            def interrupted(*arguments, real=real, **options):
                real(*arguments, **options)
                raise KeyboardInterrupt  # where the workers have it, and this process does not yet

            patched.setattr(Workers, at, interrupted)
            with contextlib.suppress(KeyboardInterrupt):
                work(workers, a)
        kept = workers.zeros(1)  # the next operation tells the workers
        del kept
        workers.arange(2)
        left = [set(now) - set(then) for now, then in zip(workers.call_all(held), before)]
        assert all(len(each) == 1 for each in left), (at, left)  # that of the line above
    assert made.shape == (3,) and int(a.sum()) == 435


def test_names_of_a_drivers_objects(workers):
    assert workers.array([1, 2], name="ages").name == "ages" and workers.array([[1, 2, 3]], axis=1).axis == 1 and workers.dict(name="counts").items() == []
    workers["kept"] = workers.ones(6)
    assert workers["kept"].sum() == 6 and "kept" in workers and list(workers) == ["kept"]
    del workers["kept"]
    with pytest.raises(KeyError, match="keep nothing as 'kept'; there are: no names"):
        workers["kept"]


@pytest.mark.whole
def test_a_restart_gives_fresh_workers(capfd):
    with armilla.ranks(2) as am:
        old, a = am.call_all(os.getpid), am.ones(3)
        am.execute("kept = 1")
        waiting = am.call(0, time.sleep, 60)
        am.restart()
        with pytest.raises(armilla.Error, match="rank|before they had answered"):
            waiting.get(20)
        assert not any(map(alive, old)) and am.evaluate("'kept' in globals()") == [False, False] and am.ones(2).sum() == 2
        with pytest.raises(armilla.UsageError, match="do not have any more"):
            a.sum()


def test_what_passes_keywords_on_has_none_of_its_own():
    import inspect

    from armilla import _calls, _proxies

    kinds = [Workers, *(each for each in vars(_proxies).values() if isinstance(each, type))]
    functions = [f for of in (*kinds, _worker_names, _calls) for f in vars(of).values() if inspect.isfunction(f)]
    checked = 0
    for f in functions:
        parameters = inspect.signature(f).parameters.values()
        if {p.kind for p in parameters} >= {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}:
            checked += 1
            assert not [p.name for p in parameters if p.kind == p.POSITIONAL_OR_KEYWORD], f
    assert checked > 10


def test_results_with_arrays_in_them(workers, tmp_path):
    am = workers
    np.savez(tmp_path / "two.npz", a=np.arange(3), b=np.eye(2))
    found = am.load(str(tmp_path / "two.npz"))
    assert {name: each.tolist() for name, each in found.items()} == {"a": [0, 1, 2], "b": [[1, 0], [0, 1]]}
    assert (found["a"] + 1).sum() == 6
    unique = am._together(lambda: __import__("armilla.array_api").array_api.unique_counts(armilla.asarray([3, 1, 3])))
    assert type(unique).__name__ == "UniqueCountsResult" and unique.counts.tolist() == [1, 2]

    assert isinstance(np.unique(am.asarray([3, 1]), return_counts=True), tuple)
    assert "armilla.array_api" not in sys.modules  # whose import makes a process a rank
    with pytest.raises(armilla.UsageError, match="only ranks can import"):
        am._together(lambda: __import__("armilla.array_api").array_api.unique_counts)
    with pytest.raises(armilla.UsageError, match="elements of object are not supported") as caught:  # of a class of the module that has arrays
        am.asarray(np.array([None]))
    assert isinstance(caught.value, TypeError) and type(caught.value).__name__ == "UnsupportedError"

    def nested():
        return {"x": [armilla.arange(2), (armilla.arange(3), 5)], "d": armilla.dict(), "n": None}

    made = am._together(nested)
    assert made["x"][1][0].tolist() == [0, 1, 2] and made["x"][1][1] == 5 and made["d"].items() == [] and made["n"] is None
    before = am.evaluate("len(__import__('armilla')._worker_names._objects)")[0]
    del made, found, unique
    am.zeros(1)
    assert am.evaluate("len(__import__('armilla')._worker_names._objects)")[0] < before


def test_one_operation_for_what_python_asks(workers):
    import copy

    a = workers.asarray([[1, 2], [3, 4]])
    assert 3 in a and 7 not in a and 2 in workers.arange(400)
    one = workers.asarray(np.array(2.5))
    assert (float(one), int(one), complex(one), f"{workers.asarray(np.array(7)):03d}", [5, 6][workers.asarray(np.array(1))]) == (2.5, 2, 2.5, "007", 6)
    for copied in (copy.copy(a), copy.deepcopy(a)):
        copied[0] = 0
        assert a.tolist() == [[1, 2], [3, 4]] and copied.tolist() == [[0, 0], [3, 4]]
    assert workers.array(np.array(7)).item() == 7 and workers.array(np.array(2.5)).tolist() == 2.5


def test_random_numbers_over_workers(workers):
    import inspect

    from armilla import _proxies
    from armilla._nd.random import Generator

    assert _proxies._methods_of_generators == {name for name, f in vars(Generator).items() if inspect.isfunction(f) and not name.startswith("_")}
    rng, same = workers.random.default_rng(1), workers.random.default_rng(1)
    x = rng.normal(size=(50, 2))
    assert x.tolist() == same.normal(0.0, 1.0, (50, 2)).tolist() != rng.normal(size=(50, 2)).tolist()
    assert rng.exponential(size=3).shape == rng.uniform(size=3).shape == rng.random(3).shape == (3,)
    a = workers.arange(100)
    rng.shuffle(a)
    assert sorted(a.tolist()) == list(range(100)) != a.tolist() and "seed 1" in repr(rng)
