# SPDX-License-Identifier: Apache-2.0
"""Workers of a plain process."""
import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import armilla
import numpy as np
import pytest
from armilla import _frames, driver
from armilla._pickling import dumps
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
    assert am.map(ten_times, range(7)) == [0, 10, 20, 30, 40, 50, 60]
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
    with pytest.raises(ValueError, match="the same number"):
        a + np.ones(3)
    d = am.dict()
    d.update("word", 1)
    d.update("word", 2)
    d.update_all([("x", 1), ("y", 2)])
    assert d["word"] == 3 and sorted(d.items()) == [("word", 3), ("x", 1), ("y", 2)] and len(d) == 3 and "z" not in d
    am.call_all(lambda e: e.update("all", 1), d)
    assert dict(d.items())["all"] == 3


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


@pytest.mark.parametrize("how", ["signal", "exit"])
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


def test_a_caller_who_is_no_worker_is_sent_away(monkeypatch):
    monkeypatch.setattr(driver, "_hello_seconds", 0.2)
    for said in (b"", b"nonsense", bytes(8) + b"\xff" * 8):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            theirs.sendall(said)
            begin = time.monotonic()
            assert driver._hello_of(ours, begin + 60) is None
            assert time.monotonic() - begin < 5
    ours, theirs = socket.socketpair()
    with ours, theirs:
        _frames.Channel(theirs).send(0, _frames.HELLO, dumps((3, 4711)))
        assert driver._hello_of(ours, time.monotonic() + 60) == (3, 4711)
        assert ours.gettimeout() is None
