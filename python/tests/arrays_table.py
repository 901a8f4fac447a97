# SPDX-License-Identifier: Apache-2.0
"""Indices and assignments of distributed arrays beside NumPy, one by one: python -m armilla -n 3 arrays_table.py [read] [write] [K/N].

K/N: one of N parts of the table.

Each type of elements, each form of an index and each form of a value: the result, its type and shape, or the class of the error are those of NumPy. `DECISIONS` is what differs on
purpose.
"""
import sys
import warnings

import numpy as np

import armilla as am

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"]
SHAPES = [(5,), (4, 3), (2, 3, 4), (), (0,), (0, 3)]


# ---- what differs on purpose ----


def complex_to_real(kind, value):
    """Complex elements are refused by an array of real numbers; NumPy warns and drops the imaginary parts."""
    with_complex = getattr(getattr(value, "dtype", None), "kind", "") == "c" or (isinstance(value, (list, tuple, complex)) and any(isinstance(x, (complex, np.complexfloating)) for x in np.asarray(value, object).flat))
    return kind != "c" and with_complex


def converted_first(kind, value):
    """Objects and strings in an array are converted before it is known whether an element takes them; NumPy does not convert them if none does."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "OUS"


DECISIONS = [(complex_to_real, lambda its_error: True), (converted_first, lambda its_error: its_error is None)]


# ---- the table ----


def indices(shape):
    """Forms of an index; most of them for two axes."""
    n = shape[0] if shape else 1
    rows = np.arange(n) % 2 == 0
    whole = np.arange(int(np.prod(shape))).reshape(shape) % 3 == 0
    wrong = np.ones((n + 1, *shape[1:]), bool)
    yield from (1, 0, -1, -2, 9, -9, 2**70, True, np.True_, np.int64(1), np.uint8(1), np.array(1), np.array([1]), np.float64(1), 1.0, "a", None, ..., (), 1j, [], [[]], {}, slice(0), [None])
    yield from (slice(1, 3), slice(None), slice(None, None, 2), slice(None, None, -2), slice(5, 2), slice(-2, 9), slice(np.int8(1), np.array(2)), slice("a"), slice(1.0), slice(None, None, 0), slice(1, None))
    yield from ((1, 2), (1, -1), (1, 9), (-9, 1), (1, 2, 0), (1, 2, 3, 0), (0, 1, 2), (1, ...), (..., 1), (1, 2, ...), (..., ...), (None, 1), (1, None), (None, ..., None), (0, 0, None), (1, slice(None)), (slice(None), 1))
    yield from ((slice(None, None, -1), slice(1, None)), (1, slice(2, 0, -1)), (slice(1, 2), ...), (..., slice(1, 2)), (slice(1, None), None, 0), (slice(0, 0), 1))
    yield from (whole, ~whole & False, rows, rows.tolist(), wrong, np.ones(shape + (2,), bool), (rows, 1), (rows, slice(None)), (rows, slice(None, None, -1)), (rows, None), (None, rows), np.array(True), (whole, ...), (rows, [0]))
    yield from ([0, 1], [1, 0], (0, [1, 0]), ([1, 0], 0), ([1, 0], slice(None)), (slice(None), [1, 0]), (slice(None, None, -1), [1, 0]), [9], [-9], [[0], [1]], [[0, 1]], np.array([1, 0], "u1"), np.array([1, -2], "i1"), [0.5], np.array(["a"]), np.array([], "f8"), np.array([], "i4"))
    yield from (([0, 1], [1, 2]), ([0, 1], [0, 1, 2]), ([[0], [1]], [1, 0]), ([0, 1], None), (None, [0, 1]), ([0, 1], ...), (..., [1, 0]), ([0, 1], [1, 0], 0), ([0, 1], slice(None), [1, 0]), ([1, 0], np.array(1)), ([], 0), ([0], [9]), ([0, 1], [1, 2], [0, 1], 0), ((0, 1), (1, 0)))


def values(shape, kind):
    """Values for what an index takes, of this shape."""
    yield from (True, False, 0, 1, -1, 3, 300, 2**31, -(2**40), 2**63, 2**70, -(2**70), 1.5, -2.5, 1e30, float("nan"), float("inf"), 1j, 2 + 0j, None, "2", "1.5", "1+2j", "a", "", b"3", "nan", "True")
    yield from ([], [1], [1.5], [[2]], [[1, 2], [3]], [1j], [None], ["4"], ["a"], [300], (1,), ([1],), {}, {1}, object(), slice(1), [True], range(2), [2**70], [np.complex64(1j)])
    yield from (np.True_, np.int8(-1), np.uint64(2**63), np.float32(2.5), np.float64("nan"), np.complex64(1j), np.str_("3"), np.float16(1.5), np.datetime64(5, "s"), np.timedelta64(5, "s"))
    yield from (np.array(3), np.array(2.5), np.array(1j), np.array([3]), np.array([2.5]), np.array([[7]]), np.array(["5"]), np.array("6"), np.array(None), np.array([True]), np.array([1e30]), np.zeros((1, 1, 1, 1, 1)))
    yield from (np.arange(2), np.arange(3.0), np.ones((2, 3)), np.zeros(0), np.zeros((0, 3)))
    size = int(np.prod(shape))
    right = np.arange(size).reshape(shape)
    yield from (right, right * 1.5, right.astype("u1"), right % 2 == 0, right * 1j, right.tolist(), right[None], (right - 3).astype("i8"), right.astype(object), right.astype("U"), right.astype(">i4"))
    for axis, n in enumerate(shape):
        if n > 1:
            yield np.arange(size // n).reshape(*shape[:axis], 1, *shape[axis + 1 :])
            yield np.zeros((*shape[:axis], n + 1, *shape[axis + 1 :]))
            yield np.zeros((*shape[:axis], n - 1, *shape[axis + 1 :]))


def attempt(f):
    try:
        return f(), None
    except Exception as error:
        return None, error


def same(found, expected):
    if isinstance(expected, np.ndarray) != isinstance(found, am.Array) or (not isinstance(expected, np.ndarray) and type(found) is not type(expected)):
        return False
    found, expected = np.asarray(found), np.asarray(expected)
    return found.dtype == expected.dtype and found.shape == expected.shape and np.array_equal(found, expected, equal_nan=expected.dtype.kind in "fc")


def dealings(x):
    """The array in blocks along each of its axes, the last one in uneven ones."""
    a = am.asarray(x)
    if x.ndim < 2:
        return [a]
    n = x.shape[-1]
    return [a, a.redistribute(x.ndim - 1, [n - n // 2, *[0] * (am.size - 2), n // 2] if am.size > 1 else [n])]


def content(shape, kind):
    size = int(np.prod(shape))
    return (np.arange(size) % 7).reshape(shape).astype(kind)


class Table:
    def __init__(self, part, of):
        self.part, self.of = part, of
        self.rows, self.cases, self.wrong = 0, 0, 0

    def has(self):
        """Whether the next row, a type and an index, is in this part of the table."""
        self.rows += 1
        return self.rows % self.of == self.part

    def compare(self, text, kind, value, theirs, ours):
        """One case: what each of them does, as functions."""
        self.cases += 1
        (expected, its_error), (found, error) = attempt(theirs), attempt(ours)
        if isinstance(error, (TypeError, ValueError)) and any(applies(kind, value) and where(its_error) for applies, where in DECISIONS):
            return
        if error is None and its_error is None:
            good = same(found, expected)
        else:
            good = error is not None and its_error is not None and isinstance(error, type(its_error))
        if not good:
            self.wrong += 1
            if am.rank == 0 and (self.wrong <= 20 or "--all" in sys.argv):
                shown = lambda x, e: f"{type(e).__name__}: {e}" if e is not None else f"{type(x).__name__} {np.asarray(x).dtype} {np.asarray(x).tolist()!r}"  # noqa: E731
                result = f"{found!r}" if error is None else f"{type(error).__name__}: {error}"
                print(f"{text}\n  NumPy: {shown(expected, its_error)}\n  found: {result}", flush=True)


def read(table):
    for shape in SHAPES:
        for kind in DTYPES:
            x = content(shape, kind)
            for a in dealings(x):
                for where in filter(lambda _: table.has(), indices(shape)):
                    for given in (where, am.asarray(where)) if isinstance(where, np.ndarray) and where.dtype.kind in "iub" else (where,):
                        table.compare(f"{kind}{shape} in blocks along {a.axis} [{where!r}]", x.dtype.kind, 0, lambda: x[where], lambda: a[given])


def write(table):
    for number, kind in enumerate(DTYPES):
        for shape in SHAPES:
            x = content(shape, kind)
            b = dealings(x)[-1 if number % 2 else 0]
            for k, where in enumerate(indices(shape)):
                if not table.has():
                    continue
                taken, error = attempt(lambda: x[where])
                of = np.shape(taken) if error is None else (2,)
                for m, value in enumerate(values(of, kind)):
                    if error is not None and m % 17:
                        continue

                    def theirs():
                        y = x.copy()
                        y[where] = value
                        return y

                    def ours():
                        a = b.copy()
                        a[where] = am.asarray(value) if isinstance(value, np.ndarray) and value.dtype.kind in "biufc" and value.dtype.isnative and (k + m) % 3 == 0 else value
                        return a

                    table.compare(f"{kind}{shape} in blocks along {b.axis} [{where!r}] = {value!r}", x.dtype.kind, value, theirs, ours)


def main():
    warnings.simplefilter("ignore")
    part, of = next((map(int, word.split("/")) for word in sys.argv[1:] if "/" in word), (0, 1))
    table = Table(part, of)
    for part in (read, write):
        if part.__name__ in sys.argv[1:] or not {"read", "write"} & {*sys.argv}:
            part(table)
    if am.rank == 0:
        print(f"{table.wrong} of {table.cases} cases differ", flush=True)
    sys.exit(table.wrong > 0)


if __name__ == "__main__":
    main()
