# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in a pool: nothing hangs, no task is lost, no result is another task's, and each error says what to do."""
import concurrent.futures
import contextlib
import functools
import gc
import os
import queue
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time

import armilla
import numpy as np
import pytest
from armilla._pool_map import Map
from conftest import alive, wait_for
from pool_work import Adder, Ending, NoText, WithLock, array_error, filled, flood, fork_and_die, held_for, initialize, limited, lock_at, maps_shared_memory, overwrite, raising, ten_times, total, until_there


@pytest.fixture(scope="module")
def pool():
    with armilla.Pool(1) as p:
        yield p


# ---- interrupts ----


@contextlib.contextmanager
def interrupt_at(step):
    """Sends SIGINT at a step of the package's code: when it calls a function, or when one written in C has returned."""

    def profile(frame, event, arg):
        nonlocal step
        if event in ("call", "c_return") and frame.f_globals.get("__package__") == "armilla":
            step -= 1
            if step == -1:
                signal.raise_signal(signal.SIGINT)

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("f, argument", [(ten_times, 7), (np.ones, 10**5)])
def test_an_interrupt_at_any_step_loses_nothing(pool, f, argument):
    expected = f(argument)
    for step in range(2000):
        futures = []
        try:
            with interrupt_at(step):
                futures.append(pool.submit(f, argument))
                futures[0].result()
                futures[0].cancel()
        except KeyboardInterrupt:
            with contextlib.suppress(KeyboardInterrupt, concurrent.futures.CancelledError):
                for future in futures:
                    assert np.array_equal(future.result(10), expected)
            assert np.array_equal(pool.submit(f, argument).result(10), expected)
        else:
            break
    assert 20 < step < 2000 and not pool._tasks and not pool._waiting


def test_an_interrupt_while_a_result_is_unpickled_gives_each_task_its_own(pool):
    pool.submit(abs, 1).result()
    with contextlib.suppress(KeyboardInterrupt):
        futures = [pool.submit(filled, 10**5, k) for k in (1, 2, 3)]
        pool.submit(time.sleep, 60).result()  # the interrupt ends this one alone
    assert [f.result(10)[0] for f in futures[1:]] == [2, 3] and futures[0].result(10)[0][0] == 1
    assert pool.submit(filled, 10**5, 4).result(10)[0] == 4


# ---- what a worker does to the shared memory ----


@pytest.mark.parametrize("size", [1, 1000])
def test_a_worker_that_overwrites_the_shared_memory_breaks_the_pool(size):
    with armilla.Pool(1) as pool:
        with pytest.raises(concurrent.futures.BrokenExecutor, match="worker 0 has overwritten the memory that it shares with the driver; make a new armilla.Pool"):
            pool.submit(overwrite, size).result(10)
        with pytest.raises(concurrent.futures.BrokenExecutor):
            pool.submit(abs, 1)


# ---- maps ----


def a_while(seconds, value):
    """Runs it on another thread, and fails if it does not end."""
    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        return thread.submit(value).result(seconds)


class Asking:
    """Values for each of which it waits for the pool."""

    def __init__(self, pool, count):
        self.pool, self.left = pool, count

    def __iter__(self):
        return self

    def __next__(self):
        if self.left == 0:
            raise StopIteration
        self.left -= 1
        return self.pool.submit(ten_times, self.left).result()


@pytest.mark.parametrize("values", [Asking, lambda pool, count: (k for k in Asking(pool, count))], ids=["iterator", "generator"])
def test_a_map_may_take_values_from_its_own_pool(pool, values):
    assert a_while(30, lambda: list(pool.map(ten_times, values(pool, 20), buffersize=4))) == [100 * k for k in reversed(range(20))]


def test_what_an_iterable_raises_comes_after_the_results_before_it(pool):
    def values():
        yield from range(5)
        raise LookupError("no more")

    results = pool.map(ten_times, values(), buffersize=3)
    assert [next(results) for _ in range(5)] == [0, 10, 20, 30, 40]
    with pytest.raises(LookupError, match="no more"):
        next(results)


def test_a_value_that_cannot_travel_is_raised_in_its_place(pool):
    results = pool.map(lock_at, range(6), [4] * 6, chunksize=6)
    assert [next(results) for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(TypeError, match="cannot pickle"):
        next(results)
    results = pool.map(ten_times, [1, 2, threading.Lock(), 4], chunksize=4)
    assert [next(results) for _ in range(2)] == [10, 20]
    with pytest.raises(TypeError, match="argument 1, of type lock, cannot be sent"):
        next(results)
    begin = time.monotonic()
    with pytest.raises(TypeError, match="the function, of type function, cannot be sent"):
        lock = threading.Lock()
        next(pool.map(lambda x: lock, range(10**6)))  # one attempt, not a million
    assert time.monotonic() - begin < 5


def test_a_chunk_that_ends_waits_for_no_thread_that_sends_more(pool):
    run = Map(pool, ten_times, (range(100),), 1, None, True)
    with run.filling:
        while pool._tasks:
            time.sleep(0.01)
        assert not run.chunks and a_while(10, run.fill) is None
    run.fill()
    assert list(run.results(None)) == list(range(0, 1000, 10))


# ---- memory and files ----


@contextlib.contextmanager
def few_files(count):
    """Lets this process open no more than `count` files."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def open_files():
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("few", [True, False])
def test_long_arguments_and_functions_with_values_need_few_files(pool, few):
    a = np.zeros(10**4)
    with few_files(open_files() + 20 if few else 1024):
        futures = []
        for k in range(300):
            a[0] = k
            futures += [pool.submit(np.copy, a), pool.submit(len, "x" * (5000 + k)), pool.submit(functools.partial(ten_times, k)), pool.submit(Adder(k).add, 1)]
        results = [f.result(60) for f in futures]
    for k in range(300):
        assert [results[4 * k][0], *results[4 * k + 1:4 * k + 4]] == [k, 5000 + k, 10 * k, k + 1]
    assert pool._files == 0


def test_results_in_files_keep_no_file_open(pool):
    before = open_files()
    results = list(pool.map(np.full, [10**5] * 30, range(30), chunksize=1))
    assert [a[0] for a in results] == list(range(30)) and open_files() <= before + 5


def test_arguments_of_many_parts(pool):
    arrays = [np.full(8200, k) for k in range(900)]
    assert pool.submit(len, arrays).result(60) == 900


def test_a_cancelled_task_frees_its_arguments(tmp_path):
    with armilla.Pool(1) as pool:
        pool.submit(until_there, tmp_path / "go")
        before = open_files()
        futures = [pool.submit(len, np.ones(10**4)) for _ in range(20)]
        assert open_files() >= before + 20 and all(f.cancel() for f in futures) and open_files() <= before + 1
        futures = [pool.submit(abs, 1) for _ in range(3000)]
        assert "3001 tasks open" in repr(pool) and all(f.cancel() for f in futures) and "1 tasks open" in repr(pool)
        (tmp_path / "go").touch()


def test_a_future_says_in_result_and_exception_that_its_time_is_over(pool, tmp_path):
    future = pool.submit(until_there, tmp_path / "go")
    for get in (future.result, future.exception):
        with pytest.raises(armilla.TimeoutError, match="has not ended in time"):
            get(0.01)
    (tmp_path / "go").touch()
    assert future.exception(10) is None


# ---- the driver's process ----


def in_a_process(tmp_path, code):
    """What a program prints that has a pool of one worker and imports this module's names."""
    (tmp_path / "program.py").write_text(textwrap.dedent(code))
    done = subprocess.run([sys.executable, str(tmp_path / "program.py")], capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": f"{os.path.dirname(__file__)}:{os.environ.get('PYTHONPATH', '')}"})
    return done.stdout + done.stderr


def test_a_forked_child_leaves_the_pool_to_its_parent(tmp_path):
    assert in_a_process(tmp_path, """
        import armilla, os, sys, time
        with armilla.Pool(1) as pool:
            before = pool.processes
            future, results = pool.submit(time.sleep, 0.3), pool.map(abs, [-1])
            child = os.fork()
            if child == 0:
                for use in (lambda: pool.submit(abs, 1), lambda: future.result(5), lambda: list(results), lambda: pool.map(abs, [1])):
                    try: use()
                    except RuntimeError as why: print("make a new armilla.Pool here" in str(why), flush=True)
                sys.exit(5)
            print(future.result(20), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), list(results), pool.processes == before)
        """).split("\n") == ["True"] * 4 + ["None 5 [1] True", ""]


@pytest.mark.parametrize("end", ["pool.shutdown()", "pass"], ids=["shutdown", "at exit"])
def test_an_interrupt_at_the_end_ends_the_tasks(tmp_path, end):
    begin = time.monotonic()
    assert in_a_process(tmp_path, f"""
        import armilla, os, signal, threading, time
        from conftest import wait_for
        pool = armilla.Pool(1)
        futures = [pool.submit(time.sleep, 60) for _ in range(3)]
        wait_for(futures[0].running)
        threading.Thread(target=lambda: (time.sleep(0.5), os.kill(os.getpid(), signal.SIGINT)), daemon=True).start()
        {end}
        """).count("KeyboardInterrupt") >= 1
    assert time.monotonic() - begin < 30


def test_workers_are_replaced_where_the_folder_is_gone(tmp_path):
    (tmp_path / "gone").mkdir()
    assert in_a_process(tmp_path, """
        import armilla, os
        os.chdir("gone")
        with armilla.Pool(1) as pool:
            pool.submit(abs, 1).result()
            os.rmdir("../gone")
            print(type(pool.submit(os._exit, 3).exception(20)).__name__, pool.submit(abs, -1).result(20))
        with armilla.Pool(1) as pool:
            print(pool.submit(abs, -2).result(20))
        """) == "WorkerLost 1\n2\n"


def test_an_initializer_may_have_long_arguments_and_values_in_shared_memory():
    with armilla.Pool(1, initialize, (armilla.put(np.ones(10)), "x" * 10**6)) as pool:
        assert pool.submit(total).result(20) == 10
        pool.submit(os._exit, 3).exception(20)
        assert pool.submit(total).result(20) == 10
    with armilla.Pool(1, initialize, (1, "x" * 10**6), environment={"PYTHONHOME": "/nowhere"}) as pool:
        with pytest.raises(concurrent.futures.BrokenExecutor, match="workers end before they are ready"):
            pool.submit(abs, 1).result(20)


def test_an_error_of_the_pools_own_threads_ends_its_tasks(monkeypatch):
    with armilla.Pool(1) as pool:
        pool.submit(abs, 1).result()

        def no_process(*arguments, **options):
            raise OSError(12, "no memory")

        monkeypatch.setattr(subprocess, "Popen", no_process)
        futures = [pool.submit(os._exit, 3), pool.submit(abs, 1)]
        with pytest.raises(concurrent.futures.BrokenExecutor, match="armilla: Pool: OSError: .*no memory; make a new armilla.Pool"):
            futures[1].result(20)
        assert isinstance(futures[0].exception(20), armilla.WorkerLost)
    with pytest.raises(OSError, match="no memory"):
        armilla.Pool(1)


# ---- errors ----


def test_errors_arrive_as_they_were_raised(pool):
    before = pool.processes
    assert isinstance(pool.submit(raising, NoText).exception(20), NoText)
    for n in (10, 1000, 10**6):
        error = pool.submit(raising, array_error, n).exception(20)
        assert type(error) is ValueError and error.args[0].sum() == n
    error = pool.submit(raising, WithLock).exception(20)
    assert str(error).startswith("armilla: worker 0 raised pool_work.WithLock: ") and "on worker 0:" in str(error.__cause__)
    with pytest.raises(OSError, match="File too large"):
        pool.submit(limited, 10**7).result(20)
    assert pool.processes == before


def test_a_result_that_ends_the_thread_is_an_error_of_its_task(pool):
    future = pool.submit(Ending)
    done, _ = concurrent.futures.wait([future], 20)  # the pool's own thread takes it
    assert done and isinstance(future.exception(), SystemExit) and pool.submit(abs, -1).result(20) == 1


# ---- limits and joblib ----


def test_shared_memory_does_not_count_as_memory_of_a_worker():
    shared = armilla.put(np.ones(20_000_000))
    with armilla.Pool(1, memory="120 MB") as pool:
        assert pool.submit(held_for, 0.4, shared).result(60) == pool.submit(os.getpid).result(60)


def test_joblib_stops_its_own_tasks_alone(tmp_path):
    joblib = pytest.importorskip("joblib")
    import armilla.joblib  # noqa: F401

    with armilla.Pool(2) as two:
        others = two.submit(until_there, tmp_path / "go")
        with joblib.parallel_config("armilla", pool=two, n_jobs=2):
            with pytest.raises(ZeroDivisionError):
                joblib.Parallel()(joblib.delayed(divmod)(1, k) for k in range(3))
        (tmp_path / "go").touch()
        assert others.exception(20) is None


# ---- the lives of processes ----


def test_a_child_of_a_worker_does_not_hide_its_death_and_is_no_second_worker(tmp_path):
    with armilla.Pool(1) as pool:
        lost = pool.submit(fork_and_die, tmp_path / "go").exception(30)
        (tmp_path / "go").touch()
        assert isinstance(lost, armilla.WorkerLost)
        assert pool.submit(os.fork).result(20) > 0
        assert [pool.submit(ten_times, k).result(20) for k in range(20)] == list(range(0, 200, 10))


def test_a_pool_that_is_dropped_ends_its_workers_after_its_tasks(tmp_path):
    gc.collect()
    before = open_files()
    pool = armilla.Pool(1)
    worker = pool.processes[0]
    future = pool.submit(until_there, tmp_path / "go")
    pool.submit((tmp_path / "ran").touch)
    del pool
    gc.collect()
    (tmp_path / "go").touch()
    assert future.result(20) is None and alive(worker)
    del future
    wait_for(lambda: not alive(worker))
    assert (tmp_path / "ran").exists()
    wait_for(lambda: open_files() <= before)


def test_callbacks_run_after_the_pools_end_and_after_one_that_fails():
    with armilla.Pool(1) as pool:
        future = pool.submit(abs, -1)
        future.add_done_callback(lambda f: sys.exit(1))
    said = queue.SimpleQueue()
    future.add_done_callback(lambda f: said.put(f.result()))
    assert said.get(timeout=20) == 1


def test_workers_free_what_was_put_and_dropped(pool):
    handle = armilla.put(np.ones(10**5))
    assert pool.submit(np.sum, handle).result(20) == 10**5 and pool.submit(maps_shared_memory).result(20)
    del handle
    wait_for(lambda: not pool.submit(maps_shared_memory).result(20))


def test_a_child_of_a_dead_worker_that_prints_without_end_holds_up_nothing(capfd):
    with armilla.Pool(1) as pool:
        assert isinstance(pool.submit(flood).exception(20), armilla.WorkerLost) and pool.submit(abs, -1).result(20) == 1
    capfd.readouterr()
