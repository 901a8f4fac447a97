# SPDX-License-Identifier: Apache-2.0
"""Plain values travel without pickling."""
import enum
import math
import random

import numpy as np
import pytest

import armilla  # noqa: F401
from armilla import _core


def written(value, most=4):
    return _core.write_plain(value, most)


def read(data, begin=0, beside=()):
    return _core.read_plain([data, *beside], begin)


def made(rng, depth=0):
    """A random plain value."""
    kind = rng.randrange(8 if depth > 3 else 11)
    if kind < 3:
        return (None, True, False)[kind]
    if kind == 3:
        return rng.choice((0, 1, -1, 127, 128, -128, -129, 2**31 - 1, 2**31, -2**31 - 1, 2**63 - 1, -2**63))
    if kind == 4:
        return rng.choice((0.0, -0.0, 1.5, math.inf, 1e-300))
    if kind in (5, 6):
        return "".join(rng.choice("aä€😀\0") for _ in range(rng.randrange(6)))
    if kind == 7:
        return rng.randbytes(rng.randrange(6))
    values = [made(rng, depth + 1) for _ in range(rng.randrange(4))]
    return values if kind == 8 else tuple(values) if kind == 9 else {made(rng, 9): v for v in values}


def test_plain_values_arrive_as_they_were():
    rng = random.Random(1)
    plain = 0
    for _ in range(3000):
        value = made(rng)
        parts = written(value)
        if parts is not None:
            plain += 1
            assert len(parts) == 1 and repr(read(parts[0])) == repr(value)
            assert repr(read(b"in front" + parts[0], 8)) == repr(value)
    assert plain > 2000


@pytest.mark.parametrize("code", "?bBhHiIlLqQefdgFDG")
def test_arrays_arrive_as_they_were(code):
    for shape in ((), (0,), (3,), (2, 0, 3), (2, 3, 4), (1000,), (2, 500)):
        a = np.arange(math.prod(shape)).reshape(shape).astype(code)
        data, *beside = written({"a": [a, 1]})
        assert len(beside) == (a.nbytes > 256) and all(len(b) == a.nbytes for b in beside)
        b = read(data, 0, [bytearray(b) for b in beside])["a"][0]
        assert b.dtype == a.dtype and b.dtype.char == code and b.shape == shape and (a == b).all() and b.flags.writeable and type(b) is np.ndarray
    assert written([np.arange(100.0)] * 2) is None and written(np.ones(100), 0) is None and len(written([np.ones(100) for _ in range(4)])) == 5


@pytest.mark.parametrize("a", [np.ones((3, 4)).T, np.ones(6)[::2], np.ones(3, ">f8"), np.array(["x"]), np.array([object()]), np.zeros(2, "M8[s]"), np.zeros(2, "i4,f8"), np.ma.ones(3), np.float32(1)], ids=repr)
def test_other_arrays_are_pickled(a):
    assert written(a) is None


class Number(enum.IntEnum):
    ONE = 1


def deep(n):
    value = ()
    for _ in range(n):
        value = (value,)
    return value


@pytest.mark.parametrize("value", [2**63, np.float64(1), Number.ONE, "\ud800", "x" * 1023, [b"y" * 500] * 3, list(range(600)), {1, 2}, [object()], deep(40), dict.fromkeys(range(900))], ids=lambda v: str(v)[:12])
def test_others_are_pickled(value):
    assert written(value) is None


def test_what_occurs_twice_is_pickled():
    one, round_and_round = [1], []
    round_and_round.append(round_and_round)
    assert written([one, one]) is None and written(round_and_round) is None and written({1: one, 2: one}) is None
    assert written([(1,), [1], [1]]) is not None


def test_damaged_bytes_are_refused():
    rng = random.Random(2)
    (data,) = written({"key": [1, 2.5, (b"bytes", None)], 300: "text", "array": np.ones((2, 3), "f4")})
    for end in range(len(data)):
        with pytest.raises(Exception):
            read(data[:end])
    for wrong, why in ((data + b"\0", "bytes follow it"), (b"\x0e", "no kind"), (b"\x0a\xff\xff", "more values than bytes"), (b"\x09\x01\0" * 1000, "too deep"), (b"\x0cO\0", "no type"), (b"\x0cd\x09", "no type"),
                       (b"\x0cd\x01" + b"\xff" * 8, "no such shape"), (b"\x0cd\x02" + (b"\xff" * 7 + b"\x7f") * 2, "no such shape"), (b"\x0cd\x01" + (2**61).to_bytes(8, "little"), "longer than its bytes"), (b"\x0dd\x01" + bytes([1] + [0] * 7), "no memory")):
        with pytest.raises(armilla.Error, match=why):
            read(wrong)
    with pytest.raises(armilla.Error, match="other memory"):
        read(b"\x0dd\x01" + bytes([3] + [0] * 7), 0, [bytearray(16)])
    for _ in range(20000):
        wrong = bytearray(data)
        for _ in range(3):
            wrong[rng.randrange(len(wrong))] = rng.randrange(256)
        try:
            read(wrong)
        except Exception:
            pass


def test_calls_and_messages_keep_one_object_one(job):
    job.passes(2, """
        import armilla as am
        def one(a, b=None): return a is b, a, b
        def back(x): return x
        other, x = 1 - am.rank, [1]
        assert am.call(other, one, x, b=x).get()[0] is True and am.call(other, one, [1], b=[1]).get() == (False, [1], [1])
        pair = am.call(other, back, [x, x]).get()
        assert pair[0] is pair[1]
        am.send([x, x], other)
        pair = am.recv(other)
        assert pair[0] is pair[1] and am.broadcast([x, x])[0] == [1]
        am.barrier()
        """)
