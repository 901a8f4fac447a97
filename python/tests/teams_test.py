# SPDX-License-Identifier: Apache-2.0
"""Collectives of all kinds of values, on all ranks and on teams, and messages by tag."""
import numpy as np
import pytest

VALUES = """
        values = [None, True, False, 0, -1, 2**63 - 1, -2**63, 2**63, 10**30, 1.5, float('inf'), '', 'short', 'ä' * 24, 'x' * 48, 'x' * 49, '\\ud800', b'', b'b' * 48, b'b' * 49, bytes(10**5),
                  (1, 'a'), {'k': [1, 2]}, list(range(50)), np.float32(2.5), np.arange(3), np.arange(10**5), [np.ones(3000), np.zeros(4000)], np.array(5), frozenset([3]), am.UsageError, range(5)]
        def same(a, b):
            if type(a) is not type(b): return False
            if isinstance(a, np.ndarray): return a.dtype == b.dtype and a.shape == b.shape and bool((a == b).all())
            if isinstance(a, list): return len(a) == len(b) and all(map(same, a, b))
            return a == b
"""


@pytest.mark.parametrize("ranks", [*(pytest.param(n, marks=pytest.mark.whole) for n in (1, 2)), 4])
def test_values_of_all_kinds(job, ranks):
    job.passes(ranks, f"""
        import armilla as am, numpy as np
{VALUES}
        n, me = am.size, am.rank
        for k, v in enumerate(values):
            root = k % n
            assert same(am.broadcast(v if me == root else None, root), v), v
            assert all(same(x, v) for x in am.all_gather(v)), v
            mixed = am.all_gather(values[(k + me) % len(values)])          # some are longer, and some are not
            assert all(same(x, values[(k + r) % len(values)]) for r, x in enumerate(mixed)), v
            got = am.gather(values[(k + me) % len(values)], root)
            assert (got is None) == (me != root) and (got is None or all(same(x, values[(k + r) % len(values)]) for r, x in enumerate(got)))
            each = [values[(k + r) % len(values)] for r in range(n)]
            assert same(am.scatter(each if me == root else None, root), values[(k + me) % len(values)])
            got = am.all_to_all([values[(k + me + r) % len(values)] for r in range(n)])
            assert all(same(x, values[(k + r + me) % len(values)]) for r, x in enumerate(got)), v
            am.send(v, (me + 1) % n, tag=k)
        for k, v in reversed(list(enumerate(values))):
            assert same(am.recv((me - 1) % n, k), v), v
        """)


@pytest.mark.parametrize("ranks", [*(pytest.param(n, marks=pytest.mark.whole) for n in (1, 2)), 3])
def test_reductions(job, ranks):
    job.passes(ranks, """
        import armilla as am, numpy as np, math
        n, me = am.size, am.rank
        mine = [me + 1, 0.5 * me, 'r%d' % me, (me,), np.arange(3) + me, np.full(1000, me + 1.0), np.full((2, 3), me, 'i2'), np.full(40, me + 1, 'c16')]
        theirs = [[r + 1, 0.5 * r, 'r%d' % r, (r,), np.arange(3) + r, np.full(1000, r + 1.0), np.full((2, 3), r, 'i2'), np.full(40, r + 1, 'c16')] for r in range(n)]
        def total(values):
            s = values[0]
            for v in values[1:]: s = s + v
            return s
        same = lambda a, b: bool(np.all(a == b)) and type(a) is type(b) and getattr(a, 'dtype', 0) == getattr(b, 'dtype', 0)
        for k, v in enumerate(mine):
            each = [t[k] for t in theirs]
            assert same(am.all_reduce(v), total(each)) and same(am.all_reduce(v, lambda a, b: a + b), total(each)), v
            assert same(am.scan(v), total(each[:me + 1])), v
            before = am.exscan(v)
            assert before is None if me == 0 else same(before, total(each[:me]))
            root = k % n
            got = am.reduce(v, root=root)
            assert same(got, total(each)) if me == root else got is None
        assert am.all_reduce(me, 'max') == n - 1 and am.all_reduce(me + 2, 'prod') == math.factorial(n + 1) and math.isnan(am.all_reduce(math.nan if me == 0 else 1.0, 'min'))
        assert am.reduce_scatter([10 * r + me for r in range(n)]) == sum(10 * me + r for r in range(n))
        assert (am.reduce_scatter(np.arange(2.0 * n).reshape(n, 2), 'max') == [2 * me, 2 * me + 1]).all()
        out = np.empty(3, 'i8')
        assert am.all_reduce(mine[4], out=out) is out and (out == total([t[4] for t in theirs])).all()
        a = np.full(5000, me + 1.0)
        am.all_reduce(a, 'max', out=a)
        assert (a == n).all()
        """)


def test_arrays_in_place(job):
    job.passes(3, """
        import armilla as am, numpy as np
        n, me = am.size, am.rank
        for count in (1, 7, 100, 50_000, 1_000_000):
            a, out = np.full(count, me, 'f4'), np.empty((n, count), 'f4')
            assert am.all_gather(a, out=out) is out and all((out[r] == r).all() for r in range(n))
            b = np.full(count, me, 'i2')
            am.broadcast(b, 2, out=b)
            assert (b == 2).all()
            c = np.array([[me * 10 + r] * count for r in range(n)])
            d = am.all_to_all(c, out=np.empty_like(c))
            assert all((d[r] == r * 10 + me).all() for r in range(n))
        got = am.broadcast(np.arange(10**6) if me == 1 else None, 1)
        got += 1                                                      # a writable array of its own
        assert got[5] == 6
        am.barrier()
        """)


def test_teams(job):
    job.passes(4, """
        import armilla as am, numpy as np
        assert (am.world.rank, am.world.size, am.world.ranks) == (am.rank, 4, [0, 1, 2, 3])
        pair = am.world.split(am.rank % 2, key=-am.rank)
        other = 2 + am.rank % 2, am.rank % 2
        assert pair.ranks == list(other) and pair.size == 2 and pair.rank == other.index(am.rank), (pair, pair.ranks)
        assert pair.all_gather(am.rank) == list(other) and pair.all_reduce(am.rank) == sum(other) and pair.broadcast(am.rank, 1) == am.rank % 2
        assert (pair.all_reduce(np.full(1000, 1.0)) == 2).all()
        pair.barrier()
        alone = am.world.split(None if am.rank else 0)
        assert alone.ranks == [0] if am.rank == 0 else alone is None
        half = pair.split(0, key=am.rank)
        assert half.ranks == sorted(other)
        if am.rank % 2: assert pair.scan(1) == pair.rank + 1            # the others do something else
        else: pair.barrier()
        try: am.world.broadcast(1, 4)
        except am.UsageError as e: assert 'rank 4 does not exist' in str(e)
        else: assert False
        am.barrier()
        """)


def test_collectives_that_are_not_waited_for(job):
    job.passes(3, """
        import armilla as am, numpy as np, asyncio
        f, g = am.world.future.all_reduce(am.rank), am.world.future.all_gather(np.arange(2000.0) + am.rank)
        assert am.call((am.rank + 1) % 3, abs, -1).get() == 1
        assert g.get()[2][0] == 2 and f.get() == 3 and f.result() == 3 and f.done() and 'ended' in repr(f)
        async def both(): return await asyncio.gather(*(asyncio.ensure_future(wait(k)) for k in range(2)))
        async def wait(k): return await am.world.future.broadcast(k if am.rank == 0 else None)
        assert asyncio.run(both()) == [0, 1]
        team = am.world.split(0)
        inner, outer = team.future.barrier(), am.world.future.barrier()
        outer.get(), inner.get()
        try: am.world.future.nothing
        except AttributeError as e: assert 'all_reduce' in str(e)
        else: assert False
        """)


def test_messages_by_tag(job):
    job.passes(3, """
        import armilla as am, numpy as np
        def echo(): am.send(am.recv(0, 5) + 1, 0, tag=6)              # in a call, for which a rank must have defined it
        right, left = (am.rank + 1) % 3, (am.rank - 1) % 3
        for k in range(5): am.send(k, right, tag=1)
        am.send('other', right, tag=2)
        a = np.arange(1e5)
        am.send(a, right, tag=3)
        a[:] = 0                                                      # it was packed
        assert am.recv(tag=2) == 'other' and [am.recv(left, 1) for _ in range(5)] == [0, 1, 2, 3, 4]
        value, source, tag = am.recv_from()
        assert (source, tag, value[-1]) == (left, 3, 99999) and value.flags.writeable
        try: am.recv(timeout=0.01)
        except am.TimeoutError as e: assert 'no message from any rank with any tag' in str(e)
        else: assert False
        am.barrier()                                                  # whoever gave up takes nothing that comes later
        am.send('late', right)
        assert am.recv() == 'late'
        if am.rank == 0:
            f = am.call(1, echo)
            am.send(41, 1, tag=5)
            assert am.recv(1, 6) == 42 and f.get() is None
        for wrong in (lambda: am.send(1, 3), lambda: am.recv(3)):
            try: wrong()
            except am.UsageError as e: assert 'rank 3 does not exist' in str(e)
            else: assert False
        am.barrier()
        """)


def test_what_ranks_give_is_compared(job):
    job.passes(2, """
        import armilla as am, numpy as np
        for first, second, said in [
            (lambda: am.all_reduce(1, 'sum'), lambda: am.all_reduce(1, 'max'), 'rank 0 gives values and sum, rank 1 values and max'),
            (lambda: am.all_reduce(np.ones(3)), lambda: am.all_reduce(np.ones(4)), 'an array of float64 of shape (3,) and sum, rank 1 an array of float64 of shape (4,)'),
            (lambda: am.all_reduce(np.ones(3)), lambda: am.all_reduce(np.ones(3, 'i8')), 'rank 1 an array of int64'),
            (lambda: am.all_reduce(np.ones(3000)), lambda: am.all_reduce(1), 'an array of float64 of shape (3000,) and sum, rank 1 values and sum'),
            (lambda: am.scan(np.ones(3, 'i2')), lambda: am.scan(np.ones(2, 'i2')), 'rank 1 an array of int16 of shape (2,)'),
            (lambda: am.all_gather(np.ones(3), out=np.ones((2, 3))), lambda: am.all_gather(np.ones(4), out=np.ones((2, 4))), 'of shape (3,) into out, rank 1 an array of float64 of shape (4,)'),
            (lambda: am.reduce_scatter([1, 2], 'sum'), lambda: am.reduce_scatter([1, 2], 'max'), 'reduce_scatter: ranks do not ask for the same: rank 0 gives 2 times values and sum, rank 1 2 times values and max'),
            (lambda: am.reduce_scatter(np.ones((2, 3))), lambda: am.reduce_scatter(np.ones((2, 1))), 'an array of float64 of shape (3,) and sum, rank 1 2 times an array of float64 of shape (1,) and sum'),
            (lambda: am.reduce_scatter([1, np.ones(3)]), lambda: am.reduce_scatter([np.ones(3), 1]), 'rank 0 gives values, an array of float64 of shape (3,) and sum'),
            (lambda: am.reduce_scatter([1, 2], 'nothing'), lambda: am.reduce_scatter([1, 2], 'nothing'), "reduce_scatter: 'nothing' is no operation"),
        ]:
            try: first() if am.rank == 0 else second()
            except am.UsageError as e: assert said in str(e), e
            else: assert False, said
            assert am.all_reduce(1) == 2
        """)


# Each collective with a value that cannot be pickled on rank `who`; of a root's values, that is the root.
UNSENDABLE = """
        import armilla as am, numpy as np
        def unsendable(): yield 1
        calls = {
            'broadcast': lambda team, who, v: team.broadcast(v, who), 'scatter': lambda team, who, v: team.scatter([1, v, 1][:team.size], who), 'gather': lambda team, who, v: team.gather(v, 1),
            'all_gather': lambda team, who, v: team.all_gather(v), 'all_to_all': lambda team, who, v: team.all_to_all([v, *[np.ones(5000)] * (team.size - 1)]),
            'all_reduce': lambda team, who, v: team.all_reduce(v), 'reduce': lambda team, who, v: team.reduce(v, root=1), 'scan': lambda team, who, v: team.scan(v), 'exscan': lambda team, who, v: team.exscan(v),
            'reduce_scatter': lambda team, who, v: team.reduce_scatter([1] * (team.size - 1) + [v]),
        }
        def all_raise(team, name, who, of):
            try: calls[name](of, who, unsendable() if team.rank == who else 5)
            except TypeError as e: return str(e)
        def check(team):
            for name in calls:
                for who in range(team.size):
                    said = all_raise(team, name, who, team)
                    assert said is not None and f"rank {team.ranks[who]}: {name}: a value of type generator cannot be sent: " in said, (name, who, said)
                    assert team.all_reduce(1) == team.size
"""


def test_a_value_that_cannot_be_pickled_is_an_error_on_all_ranks(job):
    job.passes(3, f"""{UNSENDABLE}
        check(am.world)
        class begun:                                                  # the same, begun and waited for
            def __getattr__(self, name): return lambda *a, **k: getattr(am.world.future, name)(*a, **k).get()
        begun.size = am.size
        for name in calls:
            assert f"rank 2: {{name}}: a value of type generator" in all_raise(am.world, name, 2, begun()), name
        pair = am.world.split(0 if am.rank != 1 else None)
        if pair: check(pair)
        class Raises:
            def __reduce__(self): raise ValueError('not this one')
        for value in (Raises(), [np.ones(10000), Raises()], np.array([Raises()], object)):
            try: am.all_gather(value if am.rank == 1 else np.ones(10000))
            except TypeError as e: assert 'rank 1: all_gather: a value of type' in str(e) and 'not this one' in str(e), e
            else: assert False
        try: am.send(unsendable(), 0)
        except TypeError as e: assert f'rank {{am.rank}}: send: a value of type generator cannot be sent' in str(e)
        else: assert False
        both = am.world.future.all_gather(1), am.world.future.barrier()
        assert both[0].get() == [1, 1, 1] and both[1].get() is None
        """)


def test_the_first_rank_of_an_exscan_learns_of_errors_of_others(job):
    job.passes(3, f"""{UNSENDABLE}
        for _ in range(1500):                                           # in some it ends at once
            said = all_raise(am.world, 'exscan', 1, am.world)
            assert said is not None and 'rank 1: exscan: a value of type generator cannot be sent' in said, said
        """)


def test_the_same_on_workers(together):
    together(f"""{UNSENDABLE}
        check(am.world)
        """)


def test_wrong_arguments_of_one_rank_are_an_error_on_all_ranks(job):
    job.passes(3, """
        import armilla as am, numpy as np
        one = am.rank == 1
        row = np.ones(3)
        for call, kind, said in [
            (lambda: am.all_to_all([1, 2] if one else [1, 2, 3]), am.UsageError, 'rank 1: all_to_all: 2 values for 3 ranks'),
            (lambda: am.all_to_all(5 if one else [1, 2, 3]), TypeError, "'int' object is not iterable"),
            (lambda: am.reduce_scatter([1] if one else [1, 2, 3]), am.UsageError, 'rank 1: reduce_scatter: 1 values for 3 ranks'),
            (lambda: am.scatter([1] if one else None, 1), am.UsageError, 'rank 1: scatter: 1 values for 3 ranks'),
            (lambda: am.gather(1, 7 if one else 0), am.UsageError, 'rank 7 does not exist'),
            (lambda: am.reduce(row, root=7 if one else 0), am.UsageError, 'reduce: rank 7 does not exist'),
            (lambda: am.all_gather(row, out=np.ones((3, 4 if one else 3))), am.UsageError, 'rank 1: all_gather: out is an array of float64 of shape (3, 4)'),
            (lambda: am.all_gather(np.ones(5000), out=np.ones((3, 5000), 'f4' if one else 'f8')), am.UsageError, 'rank 1: all_gather: out is an array of float32'),
            (lambda: am.all_to_all(np.ones((3, 5)), out=np.ones((3, 6 if one else 5))), am.UsageError, 'rank 1: all_to_all: out is an array of float64 of shape (3, 6)'),
            (lambda: am.all_reduce(row, out=[1, 2, 3] if one else row), am.UsageError, 'rank 1: all_reduce: out is of type list'),
            (lambda: am.all_reduce(np.array([1, 2], object) if one else row, out=None), am.UsageError, 'rank 0 gives an array of float64'),
            (lambda: am.broadcast(row, 1, out=[1, 2, 3] if one else row), am.UsageError, 'rank 1: broadcast: out is of type list'),
        ]:
            try: call()
            except kind as e: assert said in str(e), e
            else: assert False, said
            assert am.all_reduce(1) == 3
        """)


def test_who_has_another_array_than_the_root_is_told(job):
    job.passes(3, """
        import armilla as am, numpy as np
        for own, root in ((np.ones(4), np.ones(3)), (np.ones(3, 'i8'), np.ones(3)), (np.ones(3), np.ones(7000)), (np.ones(7000), np.ones(3)), (np.ones((2, 3500)), np.ones(7000))):
            if am.rank == 2:
                try: am.broadcast(own, out=own)
                except am.UsageError as e: assert f'out is an array of {own.dtype} of shape {own.shape}, and member 0 sends {root.nbytes} bytes of another type or shape' in str(e), e
                else: assert False
            else:                                                     # the others have nothing to do with it
                a = root.copy() if am.rank == 0 else np.zeros_like(root)
                assert (am.broadcast(a, out=a) == 1).all()
            assert am.all_reduce(1) == 3
        """)


def test_wrong_buffers_are_told(together):
    together("""
        import armilla as am, numpy as np
        for wrong in (lambda: am.all_reduce(np.ones(3), out=np.ones(4)), lambda: am.all_reduce(np.ones(3), out=np.ones(3, 'f4')), lambda: am.all_reduce(np.ones(3), out=np.ones(6)[::2]),
                      lambda: am.all_reduce(np.ones(3), out=[1, 2, 3]), lambda: am.all_gather(np.ones(3), out=np.ones(4))):
            try: wrong()
            except am.UsageError as e: assert 'out is' in str(e) and 'it takes a writable array' in str(e), e
            else: assert False
        """)


def test_types_of_two_names_are_one(job):
    job.passes(2, """
        import armilla as am, numpy as np
        for one, other in (('q', 'l'), ('Q', 'L')):
            a = np.ones(3, one if am.rank else other)
            assert am.broadcast(a, out=a) is a and (am.all_gather(a, out=np.zeros((2, 3), a.dtype)) == 1).all()
            if one == 'q': assert (am.all_reduce(a) == 2).all()
        """)


def test_lists_of_arrays_are_reduced_and_scattered(job):
    job.passes(2, """
        import armilla as am, numpy as np
        assert (am.reduce_scatter([np.array([am.rank, 5]), np.array([3, -am.rank])], 'max') == ([1, 5] if am.rank == 0 else [3, 0])).all()
        """)


def test_a_call_enters_no_reduction(job):
    job.passes(2, """
        import armilla as am, numpy as np
        from armilla import _collectives
        def reduce():
            _collectives._alone = False                               # as beside ranks of C++
            try: am.all_reduce(np.ones(3))
            except am.UsageError as e: return str(e)
        assert 'all_reduce: a call that runs for another rank cannot enter' in am.call(1 - am.rank, reduce).get()
        _collectives._alone = False
        assert (am.all_reduce(np.ones(3)) == 2).all()
        """)


@pytest.mark.parametrize(("kind", "size", "wrong"), [(5, 255, "longer than its line"), (77, 1, "of no kind"), (8, 0, "no parts")])
def test_damaged_lines_are_refused(together, kind, size, wrong):
    together(f"""
        import armilla as am
        from armilla import _core
        try: _core.decoded_values(bytes([{kind}, {size}]) + bytes(54))
        except am.Error as e: assert {wrong!r} in str(e), e
        else: assert False
        try: _core.decoded_values(bytes(60))
        except am.Error as e: assert 'cut' in str(e)
        else: assert False
        """)


@pytest.mark.parametrize(("count", "size", "wrong"), [(6, 1, "more parts"), (1, 2**64 - 1, "address space"), (2, 2**47, "address space"), (5, 2**62 + 1, "address space")])
def test_damaged_sizes_are_refused(together, count, size, wrong):
    together(f"""
        import armilla as am, struct
        from armilla import _core
        try: _core.decoded_parts(bytes(8) + struct.pack('<6Q', {count}, *[{size}] * 5))
        except am.Error as e: assert {wrong!r} in str(e), e
        else: assert False
        assert [len(p) for p in _core.decoded_parts(bytes(8) + struct.pack('<6Q', 2, 3, 5, 0, 0, 0))] == [3, 5]
        """)
