# SPDX-License-Identifier: Apache-2.0
"""armilla.Pool."""
import asyncio
import concurrent.futures
import contextlib
import io
import itertools
import os
import queue
import random
import signal
import subprocess
import sys
import threading
import time

import armilla
import numpy as np
import pytest
from armilla import _pool, _shared
from conftest import alive, wait_for
from pool_work import address, die, die_at, die_once, fail, fail_with, handle_sum, keep_megabytes, nap, of_ranks_alone, remember, ten_times, until_there


@pytest.fixture(scope="module")
def pool():
    with armilla.Pool(2) as p:
        yield p


def test_submit(pool):
    assert pool.submit(ten_times, 5).result() == 50
    assert pool.submit(int, "ff", base=16).get() == 255
    futures = [pool.submit(nap, 0.05 * (k == 0), k) for k in range(20)]
    assert sorted(f.result() for f in concurrent.futures.as_completed(futures)) == list(range(20))
    done, open_ = concurrent.futures.wait([pool.submit(ten_times, k) for k in range(30)])
    assert {f.result() for f in done} == set(range(0, 300, 10)) and not open_
    assert pool.submit(os.getpid).result() in pool.processes
    assert pool.submit(lambda f: f.armilla.size, sys.modules[__name__]).result() == 1  # a job of one rank


def test_errors_come_back(pool):
    with pytest.raises(ValueError, match="bad luck") as caught:
        pool.submit(fail, "bad luck").result()
    assert "in fail:" in caught.value.__cause__.text and 'raise ValueError(text)' in caught.value.__cause__.text
    assert isinstance(pool.submit(sys.exit, 3).exception(), SystemExit)
    with pytest.raises(TypeError, match="argument 2, of type lock, cannot be sent"):
        pool.submit(print, 1, threading.Lock())
    with pytest.raises(TypeError, match="cannot pickle"):
        pool.submit(threading.Lock).result()
    with pytest.raises(TimeoutError, match="has not ended in time"):
        pool.submit(nap, 0.2).result(0.01)


def test_a_result_does_not_make_this_process_a_rank(pool):
    for get in (lambda: pool.submit(of_ranks_alone).result(), lambda: list(pool.map(of_ranks_alone, [1, 2])), lambda: list(pool.map_unordered(of_ranks_alone, [1]))):
        with pytest.raises(armilla.UsageError, match="only ranks can import"):
            get()
    with pytest.raises(armilla.RemoteError, match="raised LookupError"):
        pool.submit(fail_with, of_ranks_alone).result()
    assert "armilla.array_api" not in sys.modules


def test_await(pool):
    async def all_of_them():
        return await asyncio.gather(*(pool.submit(ten_times, r) for r in range(3)), asyncio.wrap_future(pool.submit(ten_times, 7)))

    assert asyncio.run(all_of_them()) == [0, 10, 20, 70]


def test_map(pool):
    assert list(pool.map(pow, range(500), itertools.repeat(2))) == [k * k for k in range(500)]
    assert list(pool.map(ten_times, [])) == []
    assert list(pool.map(ten_times, range(30), chunksize=7)) == list(range(0, 300, 10))
    assert sorted(pool.map_unordered(ten_times, range(300))) == list(range(0, 3000, 10))
    assert list(itertools.islice(pool.map(ten_times, itertools.count(), buffersize=8), 40)) == list(range(0, 400, 10))
    results = pool.map(lambda x: 1 // x, [2, 1, 0, 3])
    assert next(results) == 0 and next(results) == 1
    with pytest.raises(ZeroDivisionError):
        next(results)
    with pytest.raises(TimeoutError):
        list(pool.map(nap, [0.3, 0.3], timeout=0.05))
    with pytest.raises(TypeError, match="cannot be sent"):
        list(pool.map(ten_times, [1, threading.Lock()]))
    with pytest.raises(ValueError, match="chunksize=0"):
        pool.map(ten_times, [1], chunksize=0)


def test_map_takes_no_more_than_the_buffer_ahead(pool):
    taken = 0

    def values():
        nonlocal taken
        for k in range(100):
            taken += 1
            yield k

    results = pool.map(ten_times, values(), buffersize=5)
    for k in range(20):
        assert next(results) == 10 * k and taken <= k + 6
    results.close()


def test_one_long_task_holds_up_no_other(pool, tmp_path):
    long = pool.submit(until_there, tmp_path / "go", "long")
    assert sum(f.result(60) for f in [pool.submit(ten_times, k) for k in range(3000)]) == 10 * sum(range(3000))
    assert not long.done()
    (tmp_path / "go").touch()
    assert long.result() == "long"


def test_functions_go_by_value_as_they_are_now(pool):
    n = 5

    def plus(x):
        return x + n + scale[0]

    scale = [100]
    assert pool.submit(plus, 1).result() == 106
    n = 6
    assert pool.submit(plus, 1).result() == 107
    scale[0] = 200
    assert pool.submit(plus, 1).result() == 207
    def minus(x):
        return x - n

    assert pool._functions.of(minus) is pool._functions.of(minus)  # what it names cannot change without a trace: it is packed once
    assert pool._functions.of(plus) is None
    names = {"k": 1, "__name__": "__main__"}
    exec("def g(x): return h(x) + k\ndef h(x): return x * k", names)
    assert pool.submit(names["g"], 3).result() == 4
    names["k"] = 2
    assert pool.submit(names["g"], 3).result() == 8
    exec("def h(x): return -x", names)
    assert pool.submit(names["g"], 3).result() == -1


@pytest.mark.whole
def test_classes_of_main_come_back_as_what_they_are(tmp_path):
    (tmp_path / "s.py").write_text("import armilla\nclass P:\n    def __init__(self, x): self.x = x\n    def up(self): return P(self.x + 1)\n"
                                   "with armilla.Pool(1) as pool:\n    p = pool.submit(P(1).up).result()\n    print(type(p) is P, p.x, [q.x for q in pool.map(P, [5, 6])])\n")
    done = subprocess.run([sys.executable, str(tmp_path / "s.py")], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "True 2 [5, 6]\n", done.stderr


def test_cancel(pool):
    busy = [pool.submit(nap, 0.3) for _ in range(2)]
    wait_for(lambda: all(f.running() for f in busy))
    waiting = pool.submit(ten_times, 1)
    assert not waiting.running() and waiting.cancel() and waiting.cancelled() and waiting.done()
    assert concurrent.futures.wait([waiting], 5).done == {waiting}
    with pytest.raises(concurrent.futures.CancelledError):
        waiting.result()
    assert not busy[0].cancel() and busy[0].result() is None
    long = pool.submit(time.sleep, 60)
    wait_for(long.running)
    long.interrupt()
    with pytest.raises(KeyboardInterrupt):
        long.result(20)
    assert list(pool.map(ten_times, range(5))) == [0, 10, 20, 30, 40]


def test_an_interrupt_cancels_what_is_waited_for(pool):
    other = pool.submit(nap, 1, 5)
    for waited in (lambda: pool.submit(time.sleep, 60).result(), lambda: list(pool.map(time.sleep, [60]))):
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            waited()
    assert other.result() == 5 and sorted(pool.map(ten_times, range(3))) == [0, 10, 20]


def test_callbacks_may_submit(pool):
    done = queue.SimpleQueue()
    pool.submit(nap, 0.1, 1).add_done_callback(lambda f: done.put((f.result(), pool.submit(ten_times, 6).result())))
    assert done.get(timeout=20) == (1, 60)


@pytest.mark.whole
def test_threads_may_share_a_pool(pool):
    totals = []

    def work(k):
        totals.append(sum(pool.submit(ten_times, i).result() for i in range(50)) + k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    assert sorted(totals) == [12250 + k for k in range(4)]


def test_arrays_travel(pool):
    for n in (10, 3000, 100_000, 2_000_000):
        a = np.arange(float(n))
        b = pool.submit(np.add, a, 1.0).result()
        assert (b == a + 1).all() and b.flags.writeable

        def change(v):
            v += 1
            return v.sum()

        assert pool.submit(change, a).result() == a.sum() + n and a[0] == 0  # its own copy
    assert [len(text) for text in pool.map(lambda n: "x" * n, [10, 10_000, 1_000_000])] == [10, 10_000, 1_000_000]


def test_put(pool):
    handle = armilla.put(np.arange(1e6))
    seen = set(pool.map(address, [handle] * 40, chunksize=1))
    assert len(seen) <= 2 and {(w, last) for _, _, w, last in seen} == {(False, 999999.0)}  # each worker maps it once
    assert handle.nbytes > 8e6 and (handle.get() == np.arange(1e6)).all()
    assert pool.submit(address, armilla.put(np.ones(10))).result()[2:] == (False, 1.0)  # the task keeps it
    assert pool.submit(lambda d: d["a"].sum() + handle_sum(d["b"]), {"a": armilla.put(np.ones(5)), "b": 2}).result() == 7
    with pytest.raises(armilla.UsageError, match="the value is gone"):
        _shared._received(10**6, os.getpid(), 10**5)


@pytest.mark.parametrize("how, said, code", [("signal", "was killed by SIGKILL", -9), pytest.param("exit", "exited with code 3", 3, marks=pytest.mark.whole)])
def test_a_worker_that_dies_is_replaced(pool, how, said, code):
    with pytest.raises(armilla.WorkerLost, match=f"{said} while it ran die; .*retries") as caught:
        pool.submit(die, how).result()
    assert caught.value.exit_code == code and isinstance(caught.value, concurrent.futures.BrokenExecutor)
    assert list(pool.map(ten_times, range(20))) == list(range(0, 200, 10))
    wait_for(lambda: len(pool.processes) == 2 and caught.value.process not in pool.processes)


@pytest.mark.whole
def test_tasks_of_a_worker_that_dies_are_tried_again(tmp_path):
    with armilla.Pool(2, retries=1) as pool:
        assert [f.result() for f in [pool.submit(die_once, tmp_path, k) for k in range(3)]] == [0, 1, 2]
        with pytest.raises(armilla.WorkerLost, match="was tried 2 times"):
            pool.submit(die, "signal").result()
        assert list(pool.map(ten_times, range(5))) == [0, 10, 20, 30, 40]


def test_of_a_map_only_what_a_dead_worker_had_begun_is_lost(pool):
    results = pool.map(die_at, range(12), [6] * 12, chunksize=4)
    assert [next(results) for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(armilla.WorkerLost):
        next(results)
    run = _pool.Map(pool, die_at, (range(12), [6] * 12), 4, None, True)
    wait_for(lambda: len(run.done) == 12)
    assert [k for k, (_, error) in run.done.items() if isinstance(error, armilla.WorkerLost)] == [4, 5, 6]  # their results were not sent yet


def test_an_idle_worker_that_dies_is_replaced(pool):
    list(pool.map(nap, [0.1] * 2))
    gone = pool.processes[0]
    os.kill(gone, 9)
    wait_for(lambda: gone not in pool.processes and len(pool.processes) == 2)
    assert sum(pool.map(ten_times, range(10))) == 450


@pytest.mark.whole
def test_workers_are_replaced_after_so_many_tasks_and_when_they_are_large():
    with armilla.Pool(1, max_tasks_per_child=3) as pool:
        pids = [pool.submit(os.getpid).result() for _ in range(7)]
        assert len(set(pids)) == 3 and pids[0] == pids[2] != pids[3]
    with armilla.Pool(1, memory="200 MB") as pool:
        first = pool.submit(os.getpid).result()
        for _ in range(5):  # after one of them it has too much
            pool.submit(keep_megabytes, 40).exception()  # on a slow machine it may be killed before that
            time.sleep(0.03)
        assert pool.submit(os.getpid).result() != first
        with pytest.raises(armilla.WorkerLost, match="MB of memory, more than its limit of 200 MB"):
            pool.submit(keep_megabytes, 300, 20).result()
        assert pool.submit(ten_times, 2).result() == 20


def test_initializer():
    with armilla.Pool(1, remember, ("this",), environment={"ANOTHER": "that"}) as pool:
        assert pool.submit(lambda: os.environ["REMEMBERED"] + os.environ["ANOTHER"]).result() == "thisthat"
    with armilla.Pool(1, fail, ("no luck",)) as pool:
        with pytest.raises(concurrent.futures.BrokenExecutor, match="the initializer raised ValueError: no luck"):
            pool.submit(ten_times, 1).result()
    for wrong, said in (({"max_workers": 0}, "0 workers"), ({"memory": "much"}, "is no size"), ({"memory": "1.2.3 GB"}, "is no size"), ({"memory": -1}, "is no size"), ({"memory": 0}, "is no size above zero"), ({"max_workers": 1.5}, "1.5 workers"), ({"retries": -1}, "retries=-1"), ({"max_tasks_per_child": 0}, "max_tasks_per_child=0")):
        with pytest.raises(ValueError, match=said):
            armilla.Pool(**wrong)


def test_shutdown():
    pool = armilla.Pool(1)
    pids = pool.processes
    first = pool.submit(nap, 0.3, 1)
    wait_for(first.running)
    others = [pool.submit(ten_times, k) for k in range(5)]
    pool.shutdown(wait=False, cancel_futures=True)
    with pytest.raises(RuntimeError, match="after shutdown"):
        pool.submit(ten_times, 1)
    pool.shutdown()
    assert first.result() == 1 and all(f.cancelled() for f in others) and "ended" in repr(pool)
    wait_for(lambda: not any(map(alive, pids)))
    pool = armilla.Pool(1)
    futures, results = [pool.submit(ten_times, k) for k in range(5)], pool.map(ten_times, range(2000))
    pool.shutdown()
    assert [f.result() for f in futures] == [0, 10, 20, 30, 40] and sum(results) == 10 * sum(range(2000))


def test_workers_end_with_their_driver(tmp_path):
    code = "import armilla, time; p = armilla.Pool(2); p.submit(time.sleep, 60); p.submit(abs, 1).result(); print(*p.processes, flush=True); time.sleep(60)"
    driver = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    pids = [int(word) for word in driver.stdout.readline().split()]
    assert len(pids) == 2 and all(map(alive, pids))
    driver.kill()
    driver.wait()
    wait_for(lambda: not any(map(alive, pids)))


def test_what_workers_print_the_driver_prints(pool, capfd):
    pool.submit(print, "said by a worker").result()
    wait_for(lambda: "said by a worker\n" in capfd.readouterr().out)
    pool._label = True
    pool.submit(print, "labelled").result()
    wait_for(lambda: "] labelled\n" in capfd.readouterr().out)
    pool._label = False
    with contextlib.redirect_stdout(io.StringIO()) as closed:
        closed.close()
        pool.submit(print, "to nobody").result()
        gone = pool.processes[0]
        os.kill(gone, 9)
        wait_for(lambda: gone not in pool.processes and len(pool.processes) == 2)
    assert "<table>" in pool._repr_html_()


@pytest.mark.whole
def test_joblib(pool):
    joblib = pytest.importorskip("joblib")
    import armilla.joblib  # noqa: F401

    with joblib.parallel_config("armilla", n_jobs=2):
        assert joblib.Parallel()(joblib.delayed(pow)(k, 2) for k in range(200)) == [k * k for k in range(200)]
        with pytest.raises(ZeroDivisionError):
            joblib.Parallel()(joblib.delayed(divmod)(1, k) for k in range(3))


def random_interrupts(pool, count, seed):
    r = random.Random(seed)
    work = [lambda: [pool.submit(ten_times, k).result() for k in range(30)] == list(range(0, 300, 10)), lambda: sum(pool.map(ten_times, range(3000))) == 10 * sum(range(3000)),
            lambda: sum(f.result() for f in [pool.submit(ten_times, k) for k in range(200)]) == 10 * sum(range(200)), lambda: pool.submit(np.sum, np.ones(10**5)).result() == 1e5,
            lambda: len(pool.submit(np.ones, 10**5).result()) == 10**5,
            lambda: [f.result()[0] for f in [pool.submit(np.full, 10**5, k) for k in range(3)]] == [0, 1, 2]]
    caught = 0
    for k in range(count):
        timer = threading.Timer(r.random() ** 2 * 0.05, os.kill, (os.getpid(), signal.SIGINT))
        try:
            timer.start()
            assert r.choice(work)(), k
            timer.join()
            time.sleep(0.01)
        except KeyboardInterrupt:
            caught += 1
        timer.join()
        assert r.choice(work)(), k
    assert caught == count


def test_random_interrupts(pool):
    random_interrupts(pool, 8, 5)


@pytest.mark.whole
def test_more_random_interrupts(pool):
    random_interrupts(pool, int(os.environ.get("ROUNDS", "200")), 6)


@pytest.mark.whole
def test_random_kills():
    r = random.Random(7)
    with armilla.Pool(3, retries=100) as pool:
        over = threading.Event()

        def kill():
            while not over.wait(r.random() * 0.5):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(r.choice([w.process.pid for w in list(pool._workers) if w is not None and w.ready] or [0]) or 10**8, 9)

        thread = threading.Thread(target=kill)
        thread.start()
        try:
            for _ in range(20):
                assert sorted(f.result(60) for f in concurrent.futures.as_completed([pool.submit(nap, 0.001, k) for k in range(300)])) == list(range(300))
        finally:
            over.set()
            thread.join()
