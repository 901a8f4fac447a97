# SPDX-License-Identifier: Apache-2.0
"""Arrays of one rank that all ranks read, write and add to."""
import os
import pathlib

import pytest

RANKS = [pytest.param(1, marks=pytest.mark.whole), 2, pytest.param(4, marks=pytest.mark.whole)]
ACCESS = """
    import armilla as am
    import numpy as np

    def raises(kind, text, f, *arguments):
        try:
            f(*arguments)
        except kind as error:
            assert text in str(error), error
        else:
            raise AssertionError(f"no {kind.__name__}")

    own = am.shared(np.arange(12.0).reshape(3, 4) + 100 * am.rank)
    everyones = am.all_gather(own)
    assert everyones[am.rank] is own and (len(own), own.ndim, own.size, own.nbytes) == (3, 2, 12, 96)
    last = everyones[-1]
    assert last.rank == am.size - 1 and repr(last) == f"<armilla.SharedArray: float64 of shape (3, 4) on rank {am.size - 1}>"

    a = np.arange(12.0).reshape(3, 4)
    for index in [(), 0, (1, 2), -1, slice(None, None, 2), (slice(None), 1), (slice(None, None, -1), slice(1, 3)), (..., None, 0), None, [2, 0], ([0, 1], [3, 3]), a > 5, slice(0, 0), np.int64(1)]:
        expected, got = (a + 100 * last.rank)[index], last[index]
        assert np.array_equal(got, expected) and np.shape(got) == np.shape(expected) and type(got) is type(expected), index
    am.barrier()
    if am.rank == 0:
        expected = a + 100 * last.rank
        for index, value in [(1, [1, 2, 3, 4]), ((slice(None), 0), 9), (a > 10, -1), (([0, 2], [1, 1]), [7, 8]), ((), expected[::-1] + 1)]:
            last[index] = value
            expected[index] = value
            assert np.array_equal(last.get(), expected) and np.array_equal(np.asarray(last, np.float32), expected), index
    am.barrier()

    for kind in ("i4", "u4", "i8", "u8", "f8"):
        counts = am.broadcast(am.shared(np.zeros((2, 3), kind)) if am.rank == 0 else None)
        seen = []
        for k in range(50):
            counts.add((1, slice(None, None, 2)), 2)
            counts.add(([0, 0], [1, 1]), [1, 2])
            seen.append(int(counts.fetch_add((0, 0), 1)))
        am.barrier()
        assert counts.get().tolist() == [[50 * am.size, 150 * am.size, 0], [100 * am.size, 0, 100 * am.size]], kind
        assert sorted(sum(am.all_gather(seen), [])) == list(range(50 * am.size))  # each ticket once
        am.barrier()

    raises(IndexError, "index 3 is out of bounds", last.get, 3)
    raises(ValueError, "broadcast", last.put, 0, [1, 2])
    raises(TypeError, "values of float64 are not added to elements of int32", am.shared(np.zeros(2, "i4")).add, 0, 1.5)
    raises(TypeError, "elements of int16 have no atomic addition", am.shared(np.zeros(2, "i2")).add, 0, 1)
    raises(TypeError, "elements of object cannot be in shared memory", am.shared, [None])
    for empty in (am.shared(np.zeros((0, 3))), am.shared(np.float64(5))):
        empty.put((), empty.get() + 1)
        empty.add((), 1)
        assert empty.get().tolist() in ([], 7.0)

    am.barrier()
    gone = everyones[0]
    if am.rank == 0:
        address = own._address
        del own, everyones, last, gone
    am.barrier()
    if am.rank:
        for work in (gone.get, lambda: gone.put(0, 1), lambda: gone.add(0, 1)):
            raises(am.UsageError, "the array is gone: rank 0 has dropped what armilla.shared returned", work)
    am.barrier()
"""
IN_PLACE = """
    import armilla as am
    import numpy as np

    first = am.broadcast(am.shared(np.zeros(3, "i4")) if am.rank == 0 else None)
    first.local()[am.rank] = am.rank + 1
    am.barrier()
    assert first.get().sum() == am.size * (am.size + 1) // 2
    view = am.shared(np.ones(5)).local()
    assert view.sum() == 5
    am.barrier()
"""


@pytest.mark.parametrize("ranks", RANKS)
def test_any_rank_reads_writes_and_adds(job, ranks):
    job.passes(ranks, ACCESS)


@pytest.mark.skipif(not list(pathlib.Path(os.environ["TESTED_BUILD"]).glob("lib/armilla/libarmilla-unix.*")), reason="the backend unix is not built")
def test_also_where_the_memory_is_not_mapped(job, monkeypatch):
    monkeypatch.setenv("ARMILLA_FABRIC", "unix")
    job.passes(2, ACCESS)


def test_elements_in_place(job):
    job.passes(3, IN_PLACE)
