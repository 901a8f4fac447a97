# SPDX-License-Identifier: Apache-2.0
"""Ranks that run one script."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

import pytest


@pytest.mark.parametrize("ranks", [*(pytest.param(n, marks=pytest.mark.whole) for n in (1, 2)), 4])
def test_calls_and_collectives(job, ranks):
    job.passes(ranks, """
        import armilla as am, numpy as np
        log = []
        def square(x, *, plus=0): return x * x + plus
        def note(x): log.append(x)
        class point:
            def __init__(self, x): self.x = x
            def moved(self): return point(self.x + 1)
        right, left = (am.rank + 1) % am.size, (am.rank - 1) % am.size
        assert am.call(right, square, 7, plus=1).get() == 50
        assert am.call(right, point.moved, point(1)).result().x == 2          # classes and methods of the script, by reference
        k = 3
        am.barrier()
        assert am.call(right, lambda x: x * k, 4).get() == 12                 # a lambda, with the globals of the other rank
        am.barrier()
        k = 5 + am.rank
        am.barrier()
        assert am.call(right, lambda: k).get() == 5 + right
        def inner(x): return x + log_size
        log_size = 2
        assert am.call(right, (lambda n: lambda x: x + n)(10), 1).get() == 11  # a closure
        am.async_(right, note, am.rank)
        am.fence()
        assert log == [left], log
        assert am.call(right, os_path := __import__('os').path.basename, '/a/b').get() == 'b'   # by import
        assert am.broadcast({'from': am.rank}, am.size - 1) == {'from': am.size - 1}
        assert am.all_gather('r%d' % am.rank) == ['r%d' % i for i in range(am.size)]
        assert am.gather(am.rank, am.size - 1) == (list(range(am.size)) if am.rank == am.size - 1 else None)
        assert am.scatter([i * i for i in range(am.size)] if am.rank == 0 else None) == am.rank ** 2
        assert am.all_reduce(am.rank + 1) == am.size * (am.size + 1) // 2
        assert am.all_reduce(am.rank, 'max') == am.size - 1 and am.all_reduce(am.rank, 'min') == 0
        assert am.all_reduce(str(am.rank), lambda a, b: a + b) == ''.join(map(str, range(am.size)))
        for kind in ('f8', 'f4', 'i8', 'i4', 'u2', 'c16'):
            v = am.all_reduce(np.array([am.rank, 1], kind), 'sum')
            assert v.dtype == kind and v.tolist() == [sum(range(am.size)), am.size], (kind, v)
        """)


def test_a_stall_names_the_lines_of_the_script_and_of_calls_that_wait(job, monkeypatch):
    monkeypatch.setenv("ARMILLA_STALL", "500ms")
    done = job(2, """
        import armilla as am
        def wait_in_a_call():
            return am.recv(0, tag=9)    # line 4
        def ask():
            am.call(1, wait_in_a_call).get()    # line 6
        if am.rank == 0:
            ask()
        am.barrier()    # line 9
        """)
    assert done.returncode == 70, done.stdout + done.stderr
    report = done.stderr.partition("the job stands still")[2]
    first, _, second = report.partition("\nrank 1 (")
    assert first.endswith("\n    at script.py:6, in ask"), report
    assert "\n    at script.py:9, in <module>\n" in second and "\n    at script.py:4, in wait_in_a_call" in second, report


@pytest.mark.parametrize("ranks", [2, pytest.param(4, marks=pytest.mark.whole)])
def test_nested_calls_in_a_ring(job, ranks):
    job.passes(ranks, """
        import armilla as am
        def walk(steps):
            if steps == 0: return [am.rank]
            return [am.rank] + am.call((am.rank + 1) % am.size, walk, steps - 1).get()
        def fib(n):
            if n < 2: return n
            a, b = am.call((am.rank + 1) % am.size, fib, n - 1), am.call((am.rank + 2) % am.size, fib, n - 2)
            return a.get() + b.get()
        asked = [am.call((am.rank + i) % am.size, walk, 20) for i in range(am.size)]      # all rings at once
        for i, f in enumerate(asked):
            assert f.get() == [(am.rank + i + s) % am.size for s in range(21)]
        assert fib(11) == 89
        am.fence()
        """)


def test_a_fence_waits_for_what_one_way_calls_cause(job):
    job.passes(3, """
        import armilla as am
        seen = 0
        def spread(depth):
            global seen
            seen += 1
            if depth:
                for r in range(am.size): am.async_(r, spread, depth - 1)
        if am.rank == 0: am.async_(1, spread, 5)
        am.fence()
        assert am.all_reduce(seen) == sum(am.size ** k for k in range(6)), seen
        """)


def test_inner_functions_that_call_each_other_travel(together):
    together("""
        import armilla as am
        other = (am.rank + 1) % am.size
        def make():
            def even(n): return True if n == 0 else odd(n - 1)
            def odd(n): return False if n == 0 else even(n - 1)
            def fact(n): return 1 if n < 2 else n * fact(n - 1)
            count = 0
            def up():
                nonlocal count
                count += 1
                return seen()
            def seen(): return count
            def late(): return not_yet
            both = [even, odd]
            def through(n): return both[1](n)
            if not am.size: not_yet = 1
            return even, odd, fact, up, late, through
        even, odd, fact, up, late, through = make()
        assert am.call(other, even, 10).get() and not am.call(other, odd, 10).get() and am.call(other, fact, 6).get() == 720
        assert am.call(other, lambda f: (f(), f())[1], up).get() == 2        # one variable of two functions
        assert am.call(other, through, 3).get()
        try: am.call(other, late).get()
        except NameError: pass
        else: assert False
        assert am.broadcast((even, odd))[0](7) is False
        am.barrier()
        """)


def test_many_calls_that_wait_are_answered(job):
    job.passes(2, """
        import armilla as am
        def leaf(x): return x + 1
        def node(x): return am.call(1 - am.rank, leaf, x).get() + 1
        futures = [am.call(1 - am.rank, node, i) for i in range(2000)]
        assert [f.get() for f in futures] == [i + 2 for i in range(2000)]
        am.barrier()
        """)


def test_calls_may_wait_in_any_order_and_to_any_depth(job):
    job.passes(2, """
        import armilla as am
        def down(n): return 0 if n == 0 else 1 + am.call(1 - am.rank, down, n - 1).get()
        if am.rank == 0: assert down(3000) == 3000
        am.barrier()
        held = {}
        def first(): # waits for what only a later call to this rank brings
            while 'key' not in held: am.call(1 - am.rank, abs, 1).get()
            return held['key']
        def second(x): held['key'] = x
        am.barrier()
        if am.rank == 0:
            f = am.call(1, first)
            am.async_(1, second, 5)
            assert f.get() == 5
        am.fence()
        """)


def test_arrays_travel_without_a_copy_in_python(job):
    job.passes(2, """
        import armilla as am, numpy as np
        def check(a, b, f, small):
            assert a.flags.writeable and not a.flags.owndata and a.ctypes.data % 64 == 0
            assert b.dtype == 'i4' and b.shape == (300, 20) and (b == 7).all() and f.flags.f_contiguous
            a += 1
            return a, small
        a = np.arange(1e6)
        out, small = am.call(1 - am.rank, check, a, np.full((300, 20), 7, 'i4'), np.asfortranarray(np.ones((50, 60))), np.arange(3)).get()
        assert (out == a + 1).all() and not out.flags.owndata and small.tolist() == [0, 1, 2]
        many = [np.full(5000, i) for i in range(9)]                                  # more than travel beside the pickle
        assert all((x == y).all() for x, y in zip(am.call(1 - am.rank, list, many).get(), many))
        assert (am.call(1 - am.rank, np.add, a[::2], a[1::2]).get() == a[::2] + a[1::2]).all()   # not in one piece
        assert am.call(1 - am.rank, bytes, bytearray(b'x' * 5000)).get() == b'x' * 5000
        assert am.broadcast(a if am.rank == 0 else None)[5] == 5
        """)


def test_futures(job):
    job.passes(2, """
        import armilla as am, asyncio, time, gc
        def slow(x):
            time.sleep(0.05)
            return x
        f = am.call(1 - am.rank, slow, 1)
        assert f.rank == 1 - am.rank and 'open' in repr(f)
        try: f.get(timeout=0.001)
        except am.TimeoutError as e: assert 'has not answered' in str(e) and isinstance(e, TimeoutError)
        assert f.get() == 1 and f.get() == 1 and f.done() and f.exception() is None
        async def ask(x): return await am.call(1 - am.rank, slow, x) + await am.call(am.rank, slow, x)
        async def all_of_them(): return await asyncio.gather(*(ask(i) for i in range(4)))
        assert asyncio.run(all_of_them()) == [0, 2, 4, 6]
        for _ in range(100): am.call(1 - am.rank, slow, 0) if _ % 50 == 0 else None     # dropped
        gc.collect()
        am.fence()
        """)


def test_other_threads_of_a_rank_go_on_while_it_waits(job):
    job.passes(2, """
        import armilla as am, threading, time
        count = 0
        def run():
            global count
            while not over: count += 1
        over = False
        thread = threading.Thread(target=run)
        if am.rank == 0: thread.start()
        def slow(): time.sleep(0.3)
        if am.rank == 0:
            am.call(1, slow).get()
            over = True
            thread.join()
            assert count > 1000, count
        am.barrier()
        """)


def test_a_rank_that_has_ended_answers_until_all_have(job):
    out = job.passes(2, """
        import armilla as am, time
        def f(): return 'from ' + str(am.rank)
        if am.rank == 1:
            time.sleep(0.3)
            print(am.call(0, f).get())
        """)
    assert out == "from 0\n"


def test_poll_runs_what_has_come(job):
    job.passes(2, """
        import armilla as am
        seen = []
        if am.rank == 0:
            while not seen: am.poll()
        else:
            am.async_(0, seen_append := (lambda x: seen.append(x)), 4)
        am.barrier()
        """)


def test_the_script_is_main_and_has_its_arguments(job, tmp_path):
    (tmp_path / "beside.py").write_text("value = 6\n")
    done = job(2, """
        import armilla as am, beside, sys
        assert __name__ == '__main__' and sys.argv[1:] == ['-x', 'y'] and __file__.endswith('script.py')
        if am.rank == 0: print(am.call(1, lambda: beside.value).get())
        """, "-x", "y")
    assert (done.returncode, done.stdout) == (0, "6\n"), done.stderr


LAUNCHERS = {
    "variable": ["env", "ARMILLA_RANKS=2"],
    "armilla-run": ["armilla-run", "-n", "2"],
    "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "2"],
    "mpich": ["mpirun.mpich", "-n", "2"],
}


@pytest.mark.parametrize("name", LAUNCHERS)
@pytest.mark.parametrize("module", [[], ["-m", "armilla"]], ids=["script", "module"])
def test_launchers(name, module, tmp_path):
    command = LAUNCHERS[name]
    path = os.environ["PATH"]
    if "TESTED_BUILD" in os.environ:
        path = f"{os.environ['TESTED_BUILD']}/bin:{path}"
    if shutil.which(command[0], path=path) is None:
        pytest.skip(f"no {command[0]}")
    if name in ("openmpi", "mpich") and not list((pathlib.Path(importlib.util.find_spec("armilla").origin).parent / "backends").glob(f"libarmilla-mpi-{name}.*")):
        pytest.skip(f"no backend that joins the jobs of {command[0]}")
    script = tmp_path / "s.py"
    script.write_text("import armilla as am\nassert am.size == 2\nimport os\nos.write(1, b'%d\\n' % (am.call(1 - am.rank, lambda: am.rank).get() + am.all_reduce(1)))\n")
    done = subprocess.run([shutil.which(command[0], path=path), *command[1:], sys.executable, *module, str(script)], capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, "PATH": path, "OMPI_MCA_rmaps_base_oversubscribe": "1"})
    assert done.returncode == 0 and sorted(done.stdout.split()) == ["2", "3"], done.stdout + done.stderr


@pytest.mark.parametrize("ranks", ["1", "2"])
def test_a_script_that_does_not_exist(tmp_path, ranks):
    done = subprocess.run([sys.executable, "-m", "armilla", "-n", ranks, "list_"], capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.startswith("armilla: there is no script 'list_'; ") and done.stderr.count("\n") == 1, done.stderr


def test_without_a_launcher_a_script_is_one_rank(tmp_path):
    script = tmp_path / "s.py"
    script.write_text("import armilla as am\nprint(am.rank, am.size, am.call(0, abs, -3).get(), am.all_reduce(4))\n")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "0 1 3 4\n"), done.stderr


def test_import_is_quick_and_brings_nothing_large():
    code = "import sys, armilla; print([m for m in ('numpy', 'cloudpickle', 'asyncio', 'subprocess', 'socket') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_fence_waits_for_one_way_calls_that_wait(job):
    job.passes(3, """
        import armilla as am
        from armilla import _waits
        ended = []

        def slow(further):
            _waits.wait(0, 0.1, "a test")                # the rank goes on meanwhile
            if further:
                am.async_((am.rank + 1) % am.size, slow, further - 1)
            ended.append(further)

        am.barrier()
        am.async_((am.rank + 1) % am.size, slow, 2)
        am.fence()
        assert sorted(ended) == [0, 1, 2], ended
        """)


def test_what_the_root_cannot_give_raises_on_all_members(job):
    job.passes(3, """
        import armilla as am, threading
        half = am.world.split(0 if am.rank else 1)
        for team in (am.world, half):
            for f in (lambda: team.scatter([1] * 7 if team.rank == 0 else None), lambda: team.future.scatter([1] * 7 if team.rank == 0 else None).get(), lambda: team.scatter(5)):
                try: f(); assert False
                except (am.UsageError, TypeError) as error: assert "7 values for" in str(error) or "not iterable" in str(error), error
            for f in (lambda: team.broadcast(threading.Lock()), lambda: team.scatter([threading.Lock()] * team.size), lambda: team.future.broadcast(threading.Lock()).get()):
                if team.size > 1:
                    try: f(); assert False
                    except TypeError as error: assert "pickle" in str(error), error
            assert team.scatter(list(range(team.size))) == team.rank and team.broadcast(team.rank) == 0 and team.all_reduce(1) == team.size
        """)


def test_wrong_arguments_are_named(job, tmp_path):
    (tmp_path / "junk.npy").write_bytes(b"no array at all")
    job.passes(2, f"""
        import armilla as am, threading
        for f, kind, said in ((lambda: am.send(1, 0, tag="a"), TypeError, "send: tag is 'a'"), (lambda: am.call("a", len), TypeError, "call: 'a' is no rank"), (lambda: am.dict(5), TypeError, "dict: 5 is no function"),
                              (lambda: am.call(0, threading.Lock).get(), TypeError, "the result of "), (lambda: am.load("{tmp_path}/junk.npy"), ValueError, "it begins with b'no arr'")):
            try: f(); assert False
            except kind as error: assert said in str(error), error
        am.barrier()
        """)
    import armilla

    with pytest.raises(TypeError, match="ranks: 'x'"):
        armilla.ranks("x")
