# SPDX-License-Identifier: Apache-2.0
"""Distributed arrays and dictionaries, in ranks of one script."""
import os
import pathlib
import subprocess
import sys
import time

import pytest


@pytest.mark.parametrize("ranks", [1, 3])
def test_arrays(job, ranks):
    job.passes(ranks, """
        import armilla as am, numpy as np
        for kind in ('f8', 'f4', 'i8', 'u1', '?'):
            a = am.array(10007, dtype=kind)
            assert len(a) == a.size == 10007 and a.dtype == kind and a.shape == (10007,) and a.sum() == 0
            a.local()[:] = np.random.default_rng(am.rank).permutation(10007)[:len(a.local())]
            whole = np.asarray(a)
            assert (whole[slice(*a.bounds())] == a.local()).all() and sum(len(a.local(r)) for r in range(am.size)) == 10007
            assert np.isclose(a.sum(), whole.sum()) and (a.min(), a.max()) == (whole.min(), whole.max()) and a.sum().dtype == whole.sum().dtype
            a.sort()
            assert (np.asarray(a) == np.sort(whole)).all() and a[0] == a.min() and a[-1] == a.max()
            assert (np.asarray(a[10:20]) == np.sort(whole)[10:20]).all() and len(a[5:5]) == 0
            a.sort(descending=True)
            assert a[0] == a.max()
            other = (am.rank + 1) % am.size
            assert a.local(other)[0] == a.get(a.bounds(other)[0])
            am.barrier()
        v = am.array(np.arange(100, dtype='i4'))
        assert v.cumsum()[99] == 4950 and np.sqrt(v).dtype == 'f8' and (v + np.arange(100)).sum() == 9900 and (-v).min() == -99
        c = v.copy(); c.fill(3)
        assert c.sum() == 300 and v.sum() == 4950
        for i in range(100): v = v + 1                                   # old ones are let go of
        assert v[0] == 100
        """)


@pytest.mark.parametrize("ranks", [1, 3])
def test_names_are_shown(job, ranks):
    job.passes(ranks, """
        import armilla as am, numpy as np
        made = {f.__name__: f for f in (am.zeros, am.ones, am.empty)}
        named = [f(6, name=n) for n, f in made.items()] + [
            am.array([1, 2], name="array"), am.array(6, name="length"), am.full(6, 1, name="full"), am.from_local(np.ones(2), name="local"),
            am.from_function(lambda i: i, 6, name="function")]
        assert [a.name for a in named] == [*made, "array", "length", "full", "local", "function"]
        t = am.array(np.arange(6.0), name="temperature")
        assert "armilla.Array 'temperature': float64 of shape (6,)" in repr(t)
        assert t[1:].name is None and (t + 1).name is None and am.array(t).name is None
        for wrong in (lambda: t[9], lambda: t.get(9), lambda: t.put(9, 1), lambda: t.__setitem__(9, 1)):
            try:
                wrong()
                assert False
            except IndexError as error:
                assert str(error).startswith("armilla: array 'temperature': index 9 is out of bounds for axis 0 with size 6"), str(error)
        d = am.dict(max, name="ages")
        assert d.name == "ages" and repr(d) == f"<armilla.Dict 'ages': 0 entries on rank {am.rank}>" and am.dict().name is None
        """)


def test_one_rank_alone_reads_and_writes(together):
    together("""
        import armilla as am, numpy as np
        from armilla._nd import core
        x = np.arange(60.0).reshape(12, 5)
        for direct in (True, False):                                     # as between hosts: no rank maps another one's memory
            def unmapped(self, rank):
                return self.core if rank == am.rank else self._there.get(rank)
            mapped = core.Memory.of
            core.direct = direct
            if not direct: core.Memory.of = unmapped
            try:
                a = am.asarray(x).redistribute(1)
                t = a[2:, ::2].T
                am.barrier()
                if am.rank == 0:
                    assert a.get((3, 4)) == 19 and (a.get((slice(None, None, -3), slice(1, 4))) == x[::-3, 1:4]).all()
                    assert (t.get() == x[2:, ::2].T).all() and (a.local(2) == x[:, slice(*a.bounds(2))]).all()
                    a.put((slice(5, 7), slice(None)), [1, 2, 3, 4, 5])
                    t.put((2, -1), 100)
                am.barrier()
                y = x.copy(); y[5:7] = [1, 2, 3, 4, 5]; y[-1, 4] = 100
                assert (np.asarray(a) == y).all()
                am.barrier()
            finally:
                core.Memory.of, core.direct = mapped, None
        if am.rank == 1:
            text = repr(am.Array.get and a)
            assert 'float64 of shape (12, 5), dealt along axis 1 to 3 ranks' in text and '100.' in text, text
        am.barrier()
        """)


def test_remote_elements_travel_alone(together):
    together("""
        import armilla as am, numpy as np
        from armilla import _core
        from armilla._nd import core
        read, mapped = _core.read_memory, core.Memory.of
        core.Memory.of = lambda self, rank: self.core if rank == am.rank else self._there.get(rank)      # as between hosts
        bytes_read = []
        def counted(address, first, to):
            bytes_read.append(len(to))
            read(address, first, to)
        _core.read_memory = counted
        try:
            a = am.from_function(lambda i, j: 1000 * i + j, (300, 1000))
            last = 299 if am.rank == 0 else 0
            assert a.get((last, 7)) == 1000 * last + 7 and bytes_read == [8]
            assert (a.get((last, slice(900, 100, -100))) == 1000 * last + np.arange(900, 100, -100)).all() and bytes_read[1:] == [7 * 800 + 8]
            assert a.get((last, slice(5, 5))).shape == (0,) and (a.T.get((slice(2, 4), last)) == 1000 * last + np.array([2, 3])).all() and bytes_read[2:] == [16]
            am.barrier()
            if am.rank == 0: a.put((299, slice(10, 13)), [1, 2, 3])
            am.barrier()
            assert (a.get((299, slice(9, 14))) == [299009, 1, 2, 3, 299013]).all() and sum(bytes_read) < 10**4
            if am.rank == 1: assert a.local(2).shape == (100, 1000) and a.local(2)[99, 11] == 2
        finally:
            core.Memory.of, _core.read_memory = mapped, read
        am.barrier()
        """)


def test_a_gather_meets_once_where_memory_is_not_mapped(together):
    together("""
        import armilla as am, numpy as np
        from armilla._nd import core
        exchange, direct = core.exchange, core.direct
        exchanges = []
        core.exchange, core.direct = (lambda name, values: exchanges.append(name) or exchange(name, values)), False
        try:
            a = am.arange(30) * 2
            few = a[np.array([29, 0, 15])]
            assert len(exchanges) == 2, exchanges                        # the requests and the answers
            assert few.tolist() == [58, 0, 30]
        finally:
            core.exchange, core.direct = exchange, direct
        """)


def test_few_random_numbers_are_drawn_for_few_elements(together):
    together("""
        import armilla as am, numpy as np
        from armilla._nd.random import Generator
        drawn = []
        g = Generator(7)
        few = g._filled(10, 'f8', lambda stream, n: drawn.append(n) or stream.random(n)) if am.size else None
        assert sum(drawn) <= 10, drawn
        for name, args in (('random', ()), ('standard_normal', ()), ('integers', (0, 7)), ('exponential', (2.0,)), ('uniform', (1.0, 2.0))):
            short, long = (np.asarray(getattr(am.random.default_rng(3), name)(*args, size=n)) for n in (10, 100_000))
            assert (short == long[:10]).all(), name
        """)


def test_array_mistakes(together):
    together("""
        import armilla as am, numpy as np, pytest
        def raises(kind, text, f):
            with pytest.raises(kind) as found: f()
            assert text in str(found.value), found.value
        a = am.array(100)
        raises(TypeError, 'datetime64', lambda: am.zeros(5, 'M8[s]'))
        raises(ValueError, 'shapes (100,) (3,)', lambda: a + np.ones(3))
        raises(ValueError, 'shapes (100,) (5,)', lambda: a + am.array(5))
        raises(IndexError, 'index 100 is out of bounds', lambda: a[100])
        raises(IndexError, 'index 100 is out of bounds', lambda: a[am.asarray([1, 100])])
        raises(IndexError, 'index 100 is out of bounds', lambda: a.get(100))
        raises(IndexError, 'too many indices', lambda: a[1, 2])
        raises(IndexError, 'of type str', lambda: a['x'])
        raises(ValueError, 'zero-size array', lambda: am.array(0).min())
        raises(ValueError, 'rank 3 does not exist', lambda: a.bounds(3))
        raises(ValueError, 'ambiguous', lambda: bool(a))
        raises(ValueError, 'do not have the shape', lambda: a.reshape(7, -1))
        raises(ValueError, 'sizes [1, 2, 3]', lambda: a.redistribute(0, [1, 2, 3]))
        raises(TypeError, 'cannot be sent', lambda: am.call(0, len, a))
        raises(BufferError, 'a.local()', lambda: a.__dlpack__())
        raises(ValueError, 'cannot enter what all', am.call((am.rank + 1) % 3, lambda: am.array(4)).get)
        raises(am.LimitError, 'bytes', lambda: am.zeros(10**13))
        raises(am.LimitError, 'bytes', lambda: am.empty((10**7, 10**7, 10**7)))
        raises(AttributeError, 'linalg', lambda: a.__array_namespace__().linalg)
        raises(ValueError, '2019', lambda: a.__array_namespace__(api_version='2019.12'))
        from armilla._nd import core
        core.gather_limit = 100
        raises(am.LimitError, 'the whole array of 800 bytes is more than the 100', lambda: np.asarray(a))
        assert a.gather(limit=None).shape == (100,)
        core.gather_limit = 1 << 32
        assert np.from_dlpack(a.local()).base is not None and memoryview(a.local()).nbytes == a.local().nbytes
        am.barrier()
        """)


def test_files(together, tmp_path):
    together(f"""
        import armilla as am, numpy as np
        folder = {str(tmp_path)!r}
        for k, x in enumerate([np.arange(35.0).reshape(7, 5), np.arange(2, dtype='u1'), np.zeros((0, 3), 'c8'), np.asfortranarray(np.ones((4, 6), 'i2')), np.array(5.0)]):
            for axis in range(max(x.ndim, 1)):
                path = f'{{folder}}/{{k}}{{axis}}.npy'
                a = am.asarray(x)
                am.save(path, a.redistribute(axis) if x.ndim else a)
                assert (np.load(path) == x).all() and np.load(path).dtype == x.dtype
                b = am.load(path)
                assert (np.asarray(b) == x).all() and b.dtype == x.dtype and b.shape == x.shape
        if am.rank == 0: np.savez(f'{{folder}}/two.npz', p=np.arange(4), q=np.ones((2, 2))); np.save(f'{{folder}}/f.npy', np.asfortranarray(np.arange(12).reshape(3, 4)))
        am.barrier()
        assert sorted(am.load(f'{{folder}}/two.npz')) == ['p', 'q'] and am.load(f'{{folder}}/two.npz', 'q').shape == (2, 2) and (np.asarray(am.load(f'{{folder}}/f.npy')) == np.arange(12).reshape(3, 4)).all()
        try: am.load(f'{{folder}}/none.npy')
        except FileNotFoundError: pass
        else: assert False
        """)


def test_random_numbers_do_not_depend_on_the_ranks(job):
    script = """
        import armilla as am, numpy as np
        rng = am.random.default_rng(7)
        x, n, p = rng.random((500, 300)), rng.integers(0, 10**6, 100000), rng.permutation(5000)
        y = rng.standard_normal(200000)
        assert 0.49 < x.mean() < 0.51 and abs(y.std() - 1) < 0.01 and (np.asarray(p.copy()).sum() == 5000 * 4999 // 2)
        s = np.asarray(x).tobytes() + np.asarray(n).tobytes() + np.asarray(p).tobytes() + np.asarray(y).tobytes()
        import hashlib
        if am.rank == 0: print(hashlib.sha1(s).hexdigest())
        """
    assert len({job.passes(ranks, script) for ranks in (1, 2, 3)}) == 1


@pytest.mark.parametrize("ranks", [1, 2, pytest.param(3, marks=pytest.mark.whole)])
def test_random_operations(ranks):
    random_operations(ranks, {1: 500, 2: 300, 3: 150}[ranks])


@pytest.mark.whole
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_more_random_operations(ranks):
    random_operations(ranks, 3000)


def test_random_operations_without_mapped_memory():
    random_operations(2, 150, "--far")


@pytest.mark.skipif(not list(pathlib.Path(os.environ["TESTED_BUILD"]).glob("lib/armilla/libarmilla-unix.*")), reason="the backend unix is not built")
def test_random_operations_over_a_network(monkeypatch):
    monkeypatch.setenv("ARMILLA_FABRIC", "unix")  # on which no rank maps the memory of another one
    random_operations(2, 100)


def random_operations(ranks, count, *more):
    beside_numpy(ranks, "arrays_random.py", str(int(time.time() * 1000) % 10**9), str(count), *more)


def beside_numpy(ranks, name, *arguments):
    script = pathlib.Path(__file__).with_name(name)
    done = subprocess.run([sys.executable, "-m", "armilla", "-n", str(ranks), str(script), *arguments], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("ranks", [1, 3])
def test_indices_and_assignments_are_those_of_numpy(ranks):
    beside_numpy(ranks, "arrays_table.py", f"{int(time.time() * 1000) % 61}/61")


def test_a_refused_assignment_raises_on_all_ranks_and_the_job_goes_on(job):
    job.passes(3, """
        import armilla as am, numpy as np
        def assign(where, value): return lambda a: a.__setitem__(where, value)
        columns = lambda a: a.T.__setitem__((slice(None), [9]), 1)
        of_one = lambda a: a[:, 0].__setitem__([8], 1)
        far = [assign([7], 5), assign([-11], 0), assign([0, 10], 1), assign(([7], [1]), 0), assign(am.array([0, 9]), 0), columns, of_one, assign(np.ones((8, 5), bool), 1)]
        for kind, wrong in [(IndexError, far), (ValueError, [assign([1, 2], np.ones((3, 5)))]), (TypeError, [assign([1, 6], 1j)])]:
            for one in wrong:
                a = am.zeros((7, 5))
                try: one(a); assert False
                except kind as error: assert kind is not IndexError or "out of bounds for axis" in str(error) or "mask" in str(error), error
                assert a.sum() == 0
        """)


def test_numbers_fit_their_type_or_are_refused(job):
    job.passes(2, """
        import armilla as am, numpy as np
        a, b = am.zeros(3, "u1"), am.zeros(3, "i8")
        last = lambda: b.__setitem__(0, 2**70)
        for kind, f in [(OverflowError, lambda: a.__setitem__(0, 300)), (OverflowError, lambda: a.__setitem__([1], [-1])), (OverflowError, lambda: a.fill(300)), (OverflowError, lambda: a.put(0, -1)),
                        (OverflowError, lambda: am.full(3, 300, "u1")), (OverflowError, lambda: am.array([300], "u1")), (ValueError, lambda: b.__setitem__(0, float("nan"))),
                        (ValueError, lambda: b.put(1, float("nan"))), (OverflowError, last)]:
            if kind is OverflowError and f is not last and np.__version__ < "2": continue  # which casts them with a warning
            try: f(); assert False
            except kind as error: assert "fit" in str(error) or "out of bounds" in str(error), error
        assert a.sum() == b.sum() == 0
        a[:] = np.array([300, 1, 2])  # arrays are cast
        assert a.tolist() == [44, 1, 2]
        """)


def test_conversions_are_those_of_numpy(together):
    together("""
        import armilla as am, numpy as np, operator, warnings
        def result(f, x):
            try: return f(x), type(f(x))
            except Exception as error: return type(error)
        functions = [bool, int, float, complex, operator.index, len, lambda a: f"{a:.2f}", lambda a: a.conj().dtype, lambda a: 1 in a, lambda a: a.item()]
        functions += [lambda a, at=at: a.item(*at) for at in [(0,), (-1,), (9,), (-9,), (1, 0), ((1, 0),), (1.0,), (0, 0, 0)]]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for shape in [(), (1,), (4,), (2, 3), (1, 1), (0,)]:
                for kind in ("?", "i4", "f8", "c16"):
                    x = np.arange(int(np.prod(shape))).reshape(shape).astype(kind)
                    a = am.asarray(x)
                    for k, f in enumerate(functions):
                        if not x.size and f is bool and np.__version__ < "2": continue           # which warns
                        its, ours = result(f, x), result(f, a)
                        assert its == ours or isinstance(its, type) and isinstance(ours, type) and issubclass(ours, its), (shape, kind, k, its, ours)
        a = am.arange(10)
        for name in ("shape", "dtype", "axis", "offsets"):
            try: setattr(a, name, None)
            except AttributeError as error: assert f"{name} cannot be set" in str(error)
            else: assert False
        """)


def test_arrays_without_axes_and_negative_sizes(job):
    job.passes(2, """
        import armilla as am, numpy as np
        for value in (np.array(7), np.array(2.5), np.array(1 + 2j), np.array(True)):
            a = am.array(value)
            assert a.shape == () and a.dtype == value.dtype and np.asarray(a) == value and am.array(np.asarray(a)).item() == value
        assert am.array(3).tolist() == [0, 0, 0]
        for f in (lambda: np.sort(am.arange(3), kind="zz"), lambda: np.argsort(am.arange(3), kind="zz"), lambda: am.arange(3).sort(kind="zz")):
            try: f(); assert False
            except ValueError as error: assert "sort kind" in str(error), error
        for f in (lambda: am.linspace(0, 1, -3), lambda: am.zeros(-1), lambda: am.full((2, -2), 1), lambda: am.eye(-1), lambda: am.empty(-4), lambda: am.array(-1), lambda: am.from_function(lambda i: i, -2),
                  lambda: am.random.default_rng(1).random(-2)):
            try: f(); assert False
            except ValueError as error: assert "negative" in str(error), error
        """)


def test_ranks_answer_while_they_are_in_an_algorithm(job):
    job.passes(2, """
        import armilla as am
        def f(): return am.rank
        a = am.array(1000)
        if am.rank == 1:
            assert am.call(0, f).get() == 0       # rank 0 waits in the sort already
        a.sort()
        """)


@pytest.mark.parametrize("ranks", [1, 3])
def test_dictionaries(job, ranks):
    job.passes(ranks, """
        import armilla as am
        d = am.dict()
        for word in 'the cat the dog the end'.split() * 1000: d.update(word)
        assert dict(d.items()) == {'the': 3000 * am.size, 'cat': 1000 * am.size, 'dog': 1000 * am.size, 'end': 1000 * am.size}
        assert d['cat'] == 1000 * am.size and 'cow' not in d and d.get('cow', 7) == 7
        try: d['cow']
        except KeyError: pass
        else: assert False
        am.barrier()
        d[am.rank, 'x'] = [am.rank]
        assert d.count() == 4 + am.size and d[(am.rank + 1) % am.size, 'x'] == [(am.rank + 1) % am.size]
        assert all(d.rank_of(k) == am.rank for k in d.local())
        most = am.dict(max)
        for v in range(10): most.update('k', v * (am.rank + 1))
        am.fence()
        assert most['k'] == 9 * am.size
        am.barrier()
        """)


def test_dictionaries_that_all_ranks_have_dropped_are_freed(together):
    together("""
        import armilla as am, gc
        from armilla import _dict
        am.fence(); am.fence()
        before = set(_dict._parts)
        kept = am.dict()
        for i in range(30):
            d = am.dict()
            d.update_all((k, 1) for k in range(100 * am.rank, 100 * am.rank + 50))
            if i % 2: assert len(d.items()) == 150
        for i in range(3): am.dict().update(i)              # what is buffered when it is dropped arrives
        del d
        gc.collect()
        am.fence(); am.fence()
        assert set(_dict._parts) - before == {kept._number}, _dict._parts
        part = am.dict()
        if am.rank == 0: del part                            # others still use it
        am.fence()
        if am.rank != 0: part.update_all((k, 1) for k in range(30))
        am.fence()
        if am.rank == 1: assert all(part[k] == 2 for k in range(30))
        am.barrier()
        """)


def test_a_fence_completes_updates_of_calls_that_run_in_it(together):
    together("""
        import armilla as am, time
        def note():
            for key in range(20): d.update(key)
        d = am.dict()
        am.barrier()
        if am.rank == 0:
            time.sleep(0.1)                                  # the others are in the fence
            am.call(1, note).get()
        am.fence()
        assert all(d[key] == 1 for key in range(20))
        am.barrier()
        """)


def test_what_combining_raises_the_fence_tells_all_ranks(together):
    together("""
        import armilla as am, pytest
        d = am.dict()
        for owner in range(am.size):
            key = next(k for k in range(1000) if d.rank_of(k) == owner)
            if am.rank == 0:
                d.update(key, 1)
                d.update(key, 'text')
            with pytest.raises(TypeError): am.fence()
        am.barrier()
        """)


def test_a_call_gets_the_error_of_what_it_has_buffered(together):
    together("""
        import armilla as am, pytest, time
        d = am.dict()
        mine = next(k for k in range(1000) if d.rank_of(k) == 1)
        am.barrier()
        if am.rank == 1: d.update(mine, 1)
        am.fence()
        if am.rank == 0:
            time.sleep(0.1)                                  # rank 1 is in the fence
            am.call(1, lambda: d.update(mine, 'text')).get(10)
        with pytest.raises(TypeError): am.fence()
        am.barrier()
        """)


def test_one_way_calls_return_nothing_that_must_travel(together):
    together("""
        import armilla as am, threading
        am.async_((am.rank + 1) % am.size, threading.Lock)
        am.fence()
        """)


def test_a_dictionary_in_a_call_is_the_other_ranks_own(together):
    together("""
        import armilla as am
        def note(e, key):
            assert e is d
            e.update(key, am.rank + 1)
        d = am.dict()
        am.barrier()
        am.call((am.rank + 1) % am.size, note, d, 'k').get()
        am.fence()
        assert d['k'] == 6 and len(d.items()) == 1
        """)
