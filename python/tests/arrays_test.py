# SPDX-License-Identifier: Apache-2.0
"""Distributed arrays and dictionaries, in ranks of one script."""
import pytest


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_arrays(job, ranks):
    job.passes(ranks, """
        import armilla as am, numpy as np
        for kind in ('f8', 'f4', 'i8', 'i4'):
            a = am.array(10007, dtype=kind)
            assert len(a) == a.size == 10007 and a.dtype == kind and a.shape == (10007,) and a.sum() == 0
            a.local()[:] = np.random.default_rng(am.rank).permutation(10007)[:len(a.local())]
            am.barrier()
            whole = np.asarray(a)
            assert (whole[slice(*a.bounds())] == a.local()).all() and sum(len(a.local(r)) for r in range(am.size)) == 10007
            assert (a.sum(), a.min(), a.max()) == (whole.sum(dtype='f8'), whole.min(), whole.max()) and a.mean() == a.sum() / 10007
            a += 1
            b = a * a - a
            am.barrier()
            assert b.dtype == kind and np.allclose(np.asarray(b), (whole + 1) * whole)
            a.sort()
            assert (np.asarray(a) == np.sort(whole + 1)).all() and a[0] == a.min() and a[-1] == a.max()
            assert (a[10:20] == np.sort(whole + 1)[10:20]).all() and (a[1:9:3] == np.sort(whole + 1)[1:9:3]).all() and len(a[5:5]) == 0
            a.sort(descending=True)
            assert a[0] == a.max()
            am.barrier()
            if am.rank == 0: a[5000:5003] = [1, 2, 3]; a[-1] = 9
            am.barrier()
            assert a[5000:5003].tolist() == [1, 2, 3] and a[10006] == 9
            other = (am.rank + 1) % am.size
            assert a.local(other)[0] == a[a.bounds(other)[0]]
            am.barrier()
        v = am.array(np.arange(100, dtype='i4'))
        assert v.cumsum()[99] == 4950 and np.sqrt(v).dtype == 'f8' and (v + np.arange(100)).sum() == 9900 and (-v).min() == -99
        c = v.copy(); c.fill(3)
        assert c.sum() == 300 and v.sum() == 4950
        for i in range(100): v = v + 1                                   # old ones are let go of
        assert v[0] == 100
        """)


def test_array_mistakes(job):
    job.passes(2, """
        import armilla as am, numpy as np
        def raises(kind, text, f):
            try: f()
            except kind as e: assert text in str(e), e
            else: assert False, text
        a = am.array(100)
        raises(ValueError, 'uint8', lambda: am.array(5, 'u1'))
        raises(ValueError, 'truth values', lambda: a > 3)
        raises(ValueError, 'the same number', lambda: a + np.ones(3))
        raises(ValueError, 'the same number', lambda: a + am.array(5))
        raises(IndexError, 'element 100 of 100', lambda: a[100])
        raises(ValueError, 'forward', lambda: a[::-1])
        raises(ValueError, 'local() parts', lambda: np.add.reduce(a))
        raises(ValueError, 'the array is empty', lambda: am.array(0).min())
        raises(ValueError, 'the array is empty', lambda: am.array(0).mean())
        raises(ValueError, 'rank 2 does not exist', lambda: a.bounds(2))
        raises(ValueError, 'cannot enter what all', am.call(1 - am.rank, lambda: am.array(4)).get)
        am.barrier()
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


def test_statements_return_nothing_that_must_travel(together):
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
