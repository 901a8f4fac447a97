# SPDX-License-Identifier: Apache-2.0
"""Random operations on distributed arrays beside NumPy: python -m armilla -n 3 arrays_random.py SEED COUNT [NAME] [--far].

--far: as if no rank mapped the memory of another one, as between hosts.

Every function of the Python array API standard is called with arrays of random types, shapes and dealings, and so are indices, assignments and
NumPy's own functions. An operation has NumPy's answer, or an error where NumPy has one.
"""
import operator
import sys
import traceback
import warnings

import numpy as np

import armilla as am
import armilla.array_api as api

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"]
INTEGERS, REALS, FLOATS = DTYPES[1:9], DTYPES[1:11], ["f4", "f8", "c8", "c16"]
SIZES = [0, 1, 1, 2, 3, 4, 5, 7, 8]


class Dice:
    """Random choices, the same on all ranks."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def one(self, of):
        return of[int(self.rng.integers(len(of)))]

    def integer(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def yes(self, chance=0.5):
        return bool(self.rng.random() < chance)

    def shape(self, low=0, high=3):
        return tuple(self.one(SIZES) for _ in range(self.integer(low, high)))

    def array(self, dtype, shape, nan=True):
        kind, low = np.dtype(dtype).kind, 0 if np.dtype(dtype).kind in "ub" else -3
        values = self.rng.integers(low, 5 if kind != "b" else 2, shape).astype(dtype)
        if kind in "fc":
            values = (values * 0.75).astype(dtype)
            if kind == "c":
                values = (values + 1j * self.rng.integers(-3, 4, shape)).astype(dtype)
            if nan and values.size and self.yes(0.15):
                values = np.array(values)
                values.flat[self.integer(0, values.size - 1)] = np.nan
        return np.asarray(values)

    def axis(self, ndim):
        return self.integer(-ndim, ndim - 1)

    def dealt(self, x):
        """A distributed array of the elements, dealt in some way."""
        a = am.asarray(x)
        if not x.ndim or self.yes(0.3):
            return a
        axis = self.axis(x.ndim)
        if self.yes(0.4):
            return a.redistribute(axis)
        cuts = np.sort(self.rng.integers(0, x.shape[axis] + 1, am.size - 1)).tolist()
        return a.redistribute(axis, np.diff([0, *cuts, x.shape[axis]]).tolist())

    def slice(self, n):
        ends = [None if self.yes(0.3) else self.integer(-n - 1, n + 1) for _ in range(2)]
        return slice(*ends, self.one([None, None, 1, 2, 3, -1, -2]))

    def index(self, shape):
        """Integers, slices, new axes and an ellipsis, and perhaps arrays."""
        with_arrays = self.yes(0.5)
        like = self.shape(1, 2) if self.yes(0.7) else (self.integer(1, 4),)
        parts = []
        for n in shape[: self.integer(0, len(shape))]:
            what = self.one("sssi" + "aa" * with_arrays)
            if what == "s" or n == 0:
                parts.append(self.slice(n))
            elif what == "i":
                parts.append(self.integer(-n, n - 1))
            else:
                parts.append(self.rng.integers(-n, n, self.one([like, like, like[-1:], (1,)])))
        if len(parts) < len(shape) and self.yes(0.3):
            parts.insert(self.integer(0, len(parts)), Ellipsis)
            rest = parts.index(Ellipsis) if all(not isinstance(p, np.ndarray) for p in parts) else len(parts) - 1
            parts = parts[:rest] + [Ellipsis] if any(isinstance(p, np.ndarray) for p in parts) else parts[: rest + 1]
        if self.yes(0.2):
            parts.insert(self.integer(0, len(parts)), None)
        return tuple(parts)


def broadcastable(d, shape):
    keep = d.integer(0, len(shape))
    return tuple(1 if d.yes(0.25) else n for n in shape[len(shape) - keep :])


ONE = {
    "abs": DTYPES[1:], "acos": FLOATS, "acosh": FLOATS, "asin": FLOATS, "asinh": FLOATS, "atan": FLOATS, "atanh": FLOATS, "bitwise_invert": DTYPES[:9], "ceil": REALS, "conj": DTYPES[1:], "cos": FLOATS,
    "cosh": FLOATS, "exp": FLOATS, "expm1": FLOATS, "floor": REALS, "imag": ["c8", "c16"], "isfinite": DTYPES, "isinf": DTYPES, "isnan": DTYPES, "log": FLOATS, "log1p": FLOATS, "log2": FLOATS,
    "log10": FLOATS, "logical_not": DTYPES, "negative": DTYPES[1:], "positive": DTYPES[1:], "real": DTYPES[1:], "reciprocal": FLOATS, "round": DTYPES[1:], "sign": DTYPES[1:], "signbit": ["f4", "f8"],
    "sin": FLOATS, "sinh": FLOATS, "square": DTYPES[1:], "sqrt": FLOATS, "tan": FLOATS, "tanh": FLOATS, "trunc": REALS,
}
TWO = {
    "add": DTYPES, "atan2": ["f4", "f8"], "bitwise_and": DTYPES[:9], "bitwise_or": DTYPES[:9], "bitwise_xor": DTYPES[:9], "copysign": ["f4", "f8"], "divide": FLOATS, "equal": DTYPES,
    "floor_divide": REALS, "greater": DTYPES[:11], "greater_equal": DTYPES[:11], "hypot": ["f4", "f8"], "less": DTYPES[:11], "less_equal": DTYPES[:11], "logaddexp": ["f4", "f8"],
    "logical_and": DTYPES, "logical_or": DTYPES, "logical_xor": DTYPES, "maximum": DTYPES[:11], "minimum": DTYPES[:11], "multiply": DTYPES, "nextafter": ["f4", "f8"], "not_equal": DTYPES,
    "pow": FLOATS, "remainder": REALS, "subtract": DTYPES[1:],
}
# NumPy's name where it is another one, for versions that do not have the standard's.
NAMES = {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2", "atanh": "arctanh", "bitwise_invert": "invert",
         "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift", "pow": "power"}


def of_numpy(name):
    return getattr(np, NAMES.get(name, name))


def one_operand(d):
    name = d.one(list(ONE))
    x = d.array(d.one(ONE[name]), d.shape())
    kept = name in ("ceil", "floor", "trunc") and x.dtype.kind in "iu"
    return name, [x], lambda xp, a: (a if kept and xp is np else of_numpy(name)(a) if xp is np else getattr(xp, name)(a))


def two_operands(d):
    if d.yes(0.1):
        name = d.one(["bitwise_left_shift", "bitwise_right_shift"])
        x = d.array(d.one(INTEGERS), d.shape())
        return name, [x, np.abs(d.array(x.dtype, broadcastable(d, x.shape)))], lambda xp, a, b: (of_numpy(name) if xp is np else getattr(xp, name))(a, b)
    name = d.one(list(TWO))
    x = d.array(d.one(TWO[name]), d.shape())
    how, first = d.integer(0, 3), d.yes()
    y = d.array(d.one([x.dtype.str, d.one(TWO[name])]), broadcastable(d, x.shape))
    call = lambda xp: of_numpy(name) if xp is np else getattr(xp, name)  # noqa: E731
    if how == 0:
        number = {"b": True, "i": 2, "u": 2, "f": 1.5, "c": 1.5}[x.dtype.kind]
        return name, [x], lambda xp, a: call(xp)(a, number) if first else call(xp)(number, a)
    return name, [x, y] if how > 1 else [y, x], lambda xp, a, b: call(xp)(a, b)


REDUCTIONS = {"sum": DTYPES, "prod": DTYPES, "max": DTYPES[:11], "min": DTYPES[:11], "mean": FLOATS, "std": ["f4", "f8"], "var": ["f4", "f8"], "all": DTYPES, "any": DTYPES, "count_nonzero": DTYPES}


def reduction(d):
    name = d.one(list(REDUCTIONS))
    x = d.array(d.one(REDUCTIONS[name]), d.shape())
    options = {"keepdims": d.yes()}
    if x.ndim and d.yes(0.7):
        options["axis"] = d.axis(x.ndim)
        if x.ndim > 1 and d.yes(0.3):
            options["axis"] = tuple(sorted({d.axis(x.ndim) % x.ndim for _ in range(2)}))
    if name in ("std", "var"):
        options["correction"] = d.one([0, 1])
    ddof = options.get("correction")

    def run(xp, a):
        if xp is np and ddof is not None:
            return getattr(np, name)(a, ddof=ddof, **{k: v for k, v in options.items() if k != "correction"})
        return getattr(xp, name)(a, **options)

    return f"{name} {options}", [x], run


def extreme(d):
    name = d.one(["argmax", "argmin"])
    x = d.array(d.one(DTYPES[:11]), d.shape())
    options = {"keepdims": d.yes()}
    if x.ndim and d.yes(0.7):
        options["axis"] = d.axis(x.ndim)
    return f"{name} {options}", [x], lambda xp, a: getattr(xp, name)(a, **options)


def running(d):
    name = d.one(["cumulative_sum", "cumulative_prod"])
    x = d.array(d.one(DTYPES[1:]), d.shape(1))
    axis, initial = d.axis(x.ndim), d.yes(0.3)

    def run(xp, a):
        if xp is not np:
            return getattr(xp, name)(a, axis=axis, include_initial=initial)
        found = (np.cumsum if name == "cumulative_sum" else np.cumprod)(a, axis)
        first = np.full_like(np.take(found, [0], axis) if found.shape[axis] else np.zeros([1 if i == axis % a.ndim else n for i, n in enumerate(a.shape)], found.dtype), 0 if name.endswith("sum") else 1)
        return np.concatenate([first, found], axis) if initial else found

    return f"{name} {axis} {initial}", [x], run


def differences(d):
    x = d.array(d.one(DTYPES[1:]), d.shape(1))
    axis, n = d.axis(x.ndim), d.integer(0, 3)
    options = {}
    if d.yes(0.3):
        options["prepend"] = None
    return f"diff {axis} {n}", [x], lambda xp, a: xp.diff(a, axis=axis, n=n, **({"prepend": xp.zeros_like(a)} if options else {}))


def get_index(d):
    x = d.array(d.one(DTYPES), d.shape(1))
    index = d.index(x.shape)
    arrays = [p for p in index if isinstance(p, np.ndarray)]
    distributed = d.yes()

    def run(xp, a, *its):
        left = iter(its)
        return a[tuple((next(left) if distributed else p) if isinstance(p, np.ndarray) else p for p in index)]

    return f"get {index}", [x, *(arrays if distributed else [])], run


def get_mask(d):
    x = d.array(d.one(DTYPES), d.shape(1))
    mask = d.rng.random(x.shape[: d.integer(1, x.ndim)]) < 0.6
    beside = d.yes(0.2) and mask.ndim < x.ndim
    distributed = d.yes()
    if distributed:
        return "get mask", [x, mask], lambda xp, a, m: a[m, ...] if beside else a[m]
    return "get mask", [x], lambda xp, a: a[mask, ...] if beside else a[mask]


def set_index(d):
    x = d.array(d.one(DTYPES), d.shape(1), nan=False)
    kind = d.one("imm") if x.ndim else "i"
    distributed = d.yes(0.7)
    if kind == "m":
        mask = d.rng.random(x.shape[: d.integer(1, x.ndim)]) < 0.6
        index = [mask]
    else:
        index = list(d.index(x.shape))
        for k, p in enumerate(index):
            if isinstance(p, np.ndarray) and p.size > 1:  # which of equal ones comes last is NumPy's affair
                n = x.shape[sum(1 for q in index[:k] if q is not None and q is not Ellipsis)] if Ellipsis not in [q for q in index if not isinstance(q, np.ndarray)] else 0
                index[k] = np.resize(d.rng.permutation(n), p.shape) if n else p
    try:
        like = x[tuple(index)].shape
    except IndexError:
        like = ()
    value = d.array(d.one([x.dtype.str, "i1"] if x.dtype.kind not in "b" else ["?"]), d.one([(), like, broadcastable(d, like)]), nan=False)
    if any(isinstance(p, np.ndarray) and p.dtype != bool for p in index):
        value = value if value.ndim == 0 else np.full(value.shape, value.flat[0] if value.size else 0, value.dtype)  # equal ones write the same
    arrays = [p for p in index if isinstance(p, np.ndarray)]

    def run(xp, a, v, *its):
        left = iter(its)
        where = tuple(next(left) if isinstance(p, np.ndarray) and distributed else p for p in index)
        a = a.copy()
        a[where if len(where) != 1 else where[0]] = v
        return a

    return f"set {index} = {value.shape}", [x, value, *(arrays if distributed else [])], run


def wrong_set(d):
    """Assignments of which NumPy refuses most: an index out of range, a mask or a value of another shape, numbers that do not fit."""
    x = d.array(d.one(DTYPES), d.shape(1), nan=False)
    distributed = d.yes()
    index, value, number = list(d.index(x.shape)), np.zeros((), x.dtype), None
    kind = d.one(["far", "far", "mask", "shape", "number"])
    if kind == "far":
        for p in (p for p in index if isinstance(p, np.ndarray) and p.size):
            p.flat[d.integer(0, p.size - 1)] = d.one([99, -99])
    elif kind == "mask":
        index = [np.ones((x.shape[0] + 1, *x.shape[1:]), bool)]
    elif kind == "shape":
        value = np.zeros(d.shape(1), x.dtype)
    else:
        number = d.one([300, -1, 2**31, 2**70, -(2**70), 1e30, float("nan"), float("inf"), [300], [-1, 1]])
    arrays = [p for p in index if isinstance(p, np.ndarray)]

    def run(xp, a, v, *its):
        left = iter(its)
        where = tuple(next(left) if isinstance(p, np.ndarray) and distributed else p for p in index)
        a = a.copy()
        a[where if len(where) != 1 else where[0]] = v if number is None else number
        return a if kind != "far" else a.shape  # of equal indices, which comes last is NumPy's affair

    return f"{kind}: set {index} = {value.shape} {number}", [x, value, *(arrays if distributed else [])], run


def in_place(d):
    x = d.array(d.one(DTYPES[1:]), d.shape(1), nan=False)
    y = d.array(x.dtype, broadcastable(d, x.shape), nan=False)
    index = tuple(d.slice(n) for n in x.shape[:1])
    how = d.integer(0, 2)

    def run(xp, a, b):
        a = a.copy()
        if how == 0:
            a += b
        elif how == 1:
            a[index] *= 2
        else:
            a[1:] += a[:-1].copy() if xp is np else a[:-1]
        return a

    return f"in place {how} {index}", [x, y], run


def shapes(d):
    x = d.array(d.one(DTYPES), d.shape(1))
    axis = d.axis(x.ndim)
    order = d.rng.permutation(x.ndim).tolist()
    factor = [n for n in (1, 2, 3, 4, 6) if x.size % n == 0]
    to = d.one([(-1,), (x.size,), (d.one(factor), -1), (-1, d.one(factor)), (*x.shape, 1), (1, *x.shape), x.shape[::-1]])
    shift = d.integer(-9, 9)
    times = d.integer(0, 3)
    cases = {
        "reshape": lambda xp, a: xp.reshape(a, to), "permute_dims": lambda xp, a: np.transpose(a, order) if xp is np else xp.permute_dims(a, order), "flip": lambda xp, a: xp.flip(a, axis=axis),
        "flip all": lambda xp, a: xp.flip(a), "roll": lambda xp, a: xp.roll(a, shift, axis=axis), "roll all": lambda xp, a: xp.roll(a, shift), "expand_dims": lambda xp, a: xp.expand_dims(a, axis=axis),
        "moveaxis": lambda xp, a: xp.moveaxis(a, axis, order[0]), "tile": lambda xp, a: xp.tile(a, (times, 2)), "repeat": lambda xp, a: xp.repeat(a, times, axis=axis), "repeat all": lambda xp, a: xp.repeat(a, 2),
        "stack": lambda xp, a: xp.stack([a, a], axis=axis), "broadcast_to": lambda xp, a: xp.broadcast_to(a, (3, *a.shape)),
        "unstack": lambda xp, a: tuple(np.moveaxis(a, axis, 0)) if xp is np else xp.unstack(a, axis=axis), "matrix_transpose": lambda xp, a: np.swapaxes(a, -1, -2) if xp is np else xp.matrix_transpose(a),
        "squeeze": lambda xp, a: xp.squeeze(a, axis=axis), "tril": lambda xp, a: xp.tril(a, k=shift) if a.ndim > 1 else a, "triu": lambda xp, a: xp.triu(a, k=shift) if a.ndim > 1 else a,
        "ravel T": lambda xp, a: xp.reshape(a.T, (-1,)), "copy": lambda xp, a: np.reshape(a, to) if xp is np else xp.reshape(a, to, copy=True), "meshgrid": lambda xp, a: tuple(xp.meshgrid(xp.reshape(a, (-1,)), xp.arange(3), indexing="ij")),
    }
    name = d.one(list(cases))
    return f"{name} {axis} {order} {to} {shift} {times}", [x], cases[name]


def joined(d):
    shape = d.shape(1)
    axis = d.axis(len(shape))
    arrays = [d.array(d.one(["i4", "f8", "f4"]), tuple(d.one(SIZES) if i == axis % len(shape) else n for i, n in enumerate(shape))) for _ in range(d.integer(1, 3))]
    axis = None if d.yes(0.2) else axis
    return f"concat {axis}", arrays, lambda xp, *a: np.concatenate(a, axis) if xp is np else xp.concat(a, axis=axis)


def ordered(d):
    x = d.array(d.one(DTYPES[:11]), d.shape(1))
    if d.yes(0.3):
        x = d.array(d.one(DTYPES[:11]), (d.integer(0, 300),))
    axis, down = d.axis(x.ndim), d.yes(0.3) and x.dtype.kind in "iu"
    name = d.one(["sort", "argsort", "sort", "in place"])

    def run(xp, a):
        if name == "in place":
            a = a.copy()
            if xp is np:
                a.sort(axis, kind="stable")
            else:
                a.sort(axis)
            return a
        if xp is not np:
            return getattr(xp, name)(a, axis=axis, descending=down)
        if name == "sort":
            return np.flip(np.sort(a, axis), axis) if down else np.sort(a, axis)
        if not down:
            return np.argsort(a, axis, kind="stable")
        return np.flip(a.shape[axis] - 1 - np.argsort(np.flip(a, axis), axis, kind="stable"), axis)

    return f"{name} {axis} {down}", [x], run


def distinct(d):
    x = d.array(d.one(DTYPES[:11]), d.shape(0) if d.yes(0.7) else (d.integer(0, 200),))
    which = d.integer(0, 3)

    def run(xp, a):
        if xp is np:
            values, first, inverse, counts = np.unique(a, True, True, True, equal_nan=False)
            found = (values, first, inverse.reshape(a.shape), counts)
            return [found, (values, found[2]), (values, counts), values][which]
        return [xp.unique_all, xp.unique_inverse, xp.unique_counts, xp.unique_values][which](a)

    return f"unique {which}", [x], run


def searched(d):
    x = np.sort(d.array(d.one(["i4", "f8"]), (d.one(SIZES),)))
    v = d.array(x.dtype, d.shape(0, 2))
    side = d.one(["left", "right"])
    name = d.one(["searchsorted", "nonzero", "take", "take_along_axis", "where", "clip"])
    y = d.array(d.one(DTYPES[:11]), d.shape(1))
    axis = d.axis(y.ndim)
    n = y.shape[axis]
    index = d.rng.integers(-n, n, d.integer(0, 6)) if n else np.zeros(0, int)
    near = np.argsort(d.rng.random(y.shape), axis)
    if name == "searchsorted":
        return f"{name} {side}", [x, v], lambda xp, a, b: xp.searchsorted(a, b, side=side)
    if name == "nonzero":
        return name, [y], lambda xp, a: tuple(xp.nonzero(a))
    if name == "take":
        return name, [y, index], lambda xp, a, i: xp.take(a, i, axis=axis)
    if name == "take_along_axis":
        return name, [y, near], lambda xp, a, i: xp.take_along_axis(a, i, axis=axis)
    if name == "where":
        return name, [d.array("?", broadcastable(d, y.shape)), y, d.array(y.dtype, broadcastable(d, y.shape))], lambda xp, c, a, b: xp.where(c, a, b)
    if y.dtype.kind in "b":
        y = y.astype("i4")
    return name, [y], lambda xp, a: xp.clip(a, 0, 2)


def products(d):
    kind = d.one(DTYPES)
    n, k, m = (d.one(SIZES) for _ in range(3))
    front = tuple(d.one([1, 2, 3]) for _ in range(d.integer(0, 2)))
    other = tuple(1 if d.yes(0.3) else x for x in front[d.integer(0, len(front)) :])
    a, b = d.array(kind, (*front, n, k), nan=False), d.array(d.one([kind, "f8"]), (*other, k, m), nan=False)
    form = d.integer(0, 6)
    if form == 0:
        a = a[..., 0, :] if n else a.reshape(-1)[:0].reshape(front + (0,)) if not k else d.array(kind, (k,), nan=False)
        a = d.array(kind, (k,), nan=False)
    if form == 1:
        b = d.array(kind, (k,), nan=False)
    if form == 2:
        a, b = d.array(kind, (k,), nan=False), d.array(kind, (k,), nan=False)
    if form == 3:
        x, y = d.array(kind, (n, k, 2), nan=False), d.array(kind, (k, 2, m), nan=False)
        return "tensordot", [x, y], lambda xp, p, q: xp.tensordot(p, q, axes=2)
    if form == 4:
        x, y = d.array(kind, (n, 2, k), nan=False), d.array(kind, (k, m, 2), nan=False)
        return "tensordot axes", [x, y], lambda xp, p, q: xp.tensordot(p, q, axes=((2, 1), (0, 2)))
    if form == 5 and hasattr(np, "vecdot"):
        x = d.array(kind, (*front, k), nan=False)
        return "vecdot", [x, d.array(kind, (k,), nan=False)], lambda xp, p, q: xp.vecdot(p, q)
    return f"matmul {a.shape} {b.shape}", [a, b], lambda xp, p, q: xp.matmul(p, q)


def created(d):
    low, high, step = d.integer(-9, 9), d.integer(-9, 30), d.one([1, 2, -1, 0.5, 3])
    n, m, k = d.integer(0, 9), d.integer(0, 9), d.integer(-3, 3)
    kind = d.one(DTYPES)
    x = d.array(d.one(DTYPES), d.shape())
    cases = {
        "arange": lambda xp: xp.arange(low, high, step), "arange to a float": lambda xp: xp.arange(low, float(high), step), "arange of a float": lambda xp: xp.arange(float(n)), "linspace": lambda xp: xp.linspace(low, high, num=n, endpoint=bool(m % 2)), "eye": lambda xp: xp.eye(n, m, k=k, dtype=kind), "zeros": lambda xp: xp.zeros((n, m), dtype=kind),
        "ones": lambda xp: xp.ones(n, dtype=kind), "full": lambda xp: xp.full((n, m), k), "empty": lambda xp: xp.empty((n, m), dtype=kind) * 0 if kind not in "?" else xp.zeros(1),
        "asarray": lambda xp: xp.asarray(x, dtype=kind if x.dtype.kind != "c" else None), "astype": lambda xp: xp.asarray(x).astype(kind) if x.dtype.kind not in "fc" else xp.asarray(x),
        "likes": lambda xp: (xp.zeros_like(xp.asarray(x)), xp.ones_like(xp.asarray(x), dtype=kind), xp.full_like(xp.asarray(x), 1)),
    }
    name = d.one(list(cases))
    if name == "empty" and kind in FLOATS:
        name = "zeros"
    return f"{name} {low} {high} {step} {n} {m} {k} {kind}", [], cases[name]


def of_numpy_alone(d):
    """NumPy's functions by its protocols: `xp` is NumPy on both sides."""
    x = d.array(d.one(["f4", "f8", "i4", "i8", "u1"]), d.shape(1), nan=False)
    axis = d.one([None, d.axis(x.ndim)])
    q = d.one([0.5, [0.1, 0.9], 0.25])
    small = np.abs(d.array("i4", (d.integer(0, 50),), nan=False))
    y = d.array("f8", x.shape, nan=False)
    method = d.one(["linear", "lower", "higher", "nearest", "midpoint"])
    cases = {
        "quantile": ([x], lambda a: np.quantile(a, q, axis=axis, method=method) if a.size else 0), "median": ([x], lambda a: np.median(a, axis=axis) if a.size else 0),
        "percentile": ([x], lambda a: np.percentile(a, 30, axis=axis, keepdims=True) if a.size else 0),
        "histogram": ([x], lambda a: np.histogram(a, 5, (0, 3))), "histogram edges": ([x], lambda a: np.histogram(a, [0, 1, 2.5, 4])), "histogram auto": ([y], lambda a: np.histogram(a) if a.size else 0),
        "bincount": ([small], lambda a: np.bincount(a, minlength=7)), "bincount weights": ([small], lambda a: np.bincount(a, a * 0.5)),
        "norm": ([y], lambda a: np.linalg.norm(a, axis=axis)), "norm fro": ([y], lambda a: np.linalg.norm(a, "fro") if a.ndim == 2 else 0), "norm 1": ([y], lambda a: np.linalg.norm(a, 1, axis=-1)), "ptp": ([x], lambda a: np.ptp(a, axis=axis) if a.size else 0),
        "nansum": ([y], lambda a: np.nansum(a, axis=axis)), "outer": ([x, y], lambda a, b: np.outer(a, b)), "add.outer": ([x, small], lambda a, b: np.add.outer(a, b)), "cumsum": ([x], lambda a: np.cumsum(a, axis)),
        "maximum.accumulate": ([x], lambda a: np.maximum.accumulate(a, -1)), "minimum.reduce": ([x], lambda a: np.minimum.reduce(a, axis, initial=9)), "mean where": ([y], lambda a: np.sum(a, axis, where=a > 0)),
        "trace": ([d.array("f8", (d.integer(1, 5), d.integer(1, 5)), nan=False)], lambda a: np.trace(a, 1)), "diagonal": ([d.array("f8", (d.integer(1, 5), d.integer(1, 5), 2), nan=False)], lambda a: np.diagonal(a, -1)),
        "hstack": ([small, small], lambda a, b: np.hstack([a, b])), "vstack": ([small, small], lambda a, b: np.vstack([a, b])), "split": ([small], lambda a: tuple(np.array_split(a, 3))),
        "isin": ([x, small], lambda a, b: np.isin(a, b)), "allclose": ([y], lambda a: np.allclose(a, a + 1e-12)), "divmod": ([x, y], lambda a, b: np.divmod(a, 2)), "mod": ([y], lambda a: np.modf(a)),
        "methods": ([y], lambda a: a.clip(0, 1).round(1).reshape(-1).cumsum()), "std": ([x], lambda a: a.std(axis, ddof=0)), "comparisons": ([x, y], lambda a, b: (a < b) | (a == 1)), "argwhere": ([x], lambda a: np.argwhere(a > 1)),
        "argmax": ([x], lambda a: a.argmax() if a.size else 0), "dot": ([y], lambda a: np.dot(a, a.T if a.ndim == 2 else a) if a.ndim < 3 else 0), "average": ([y], lambda a: np.average(a, axis) if a.size else 0),
        "where": ([x], lambda a: np.where(a > 0)), "real": ([x], lambda a: np.real(a)), "count": ([x], lambda a: np.count_nonzero(a, axis=axis)), "any out": ([y], lambda a: np.add(a, 1, out=a * 0)),
        "mean i": ([x], lambda a: a.mean(axis)), "var c": ([d.array("c16", x.shape, nan=False)], lambda a: np.var(a, axis)),
    }
    name = d.one(list(cases))
    arrays, run = cases[name]
    return f"numpy {name} {axis} {q} {method}", arrays, lambda xp, *a: run(*a)


NUMBERS = [True, 0, 1, 2, -1, 3, 127, 128, 255, 300, -129, 2**31, 2**63, -(2**63), 2**64, 0.0, 0.5, 1.5, -0.5, float("nan"), float("inf"), 1e300, 1j, np.float32(1.5), np.int8(3), np.uint64(2**63), np.True_]
OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift", "lt", "le", "eq", "ne", "gt", "ge"]
FUNCTIONS = [np.add, np.subtract, np.multiply, np.true_divide, np.floor_divide, np.remainder, np.maximum, np.fmin, np.equal, np.less, np.bitwise_or, np.left_shift, np.logical_and, np.hypot, np.gcd, np.copysign]


def with_numbers(d):
    """Operators, also those in place, with numbers and arrays of all types: results' types, and where NumPy refuses a cast."""
    name = d.one(OPERATORS)
    x = d.array(d.one(DTYPES), d.shape())
    number = d.one(NUMBERS)
    y = d.array(d.one(DTYPES), broadcastable(d, x.shape))
    how = d.integer(0, 3)
    call = getattr(operator, ("i" + name.rstrip("_")) if how > 1 and name not in OPERATORS[12:] else name)
    # Of arrays without an axis, as many functions of the standard give them, NumPy's operators give scalars.
    cases = [lambda xp, a, b: call(a, number), lambda xp, a, b: call(number, a), lambda xp, a, b: call(a.copy(), number), lambda xp, a, b: call(a.copy(), b)]
    return f"{call.__name__} {how} {number!r}", [x, y], cases[how]


def with_options(d):
    """Functions of elements and their methods, with out, where, dtype, casting, axis, keepdims and initial."""
    f = d.one(FUNCTIONS)
    kind = d.one(DTYPES)
    x = d.array(kind, d.shape(), nan=False)
    y = d.array(kind, x.shape, nan=False)
    out, mask = np.ones(x.shape, d.one(DTYPES)), d.array("?", x.shape)
    options = {"casting": d.one(["no", "safe", "same_kind", "unsafe", "wrong"])} if d.yes(0.4) else {}
    if d.yes(0.4):
        options["dtype"] = d.one(DTYPES)
    axis = d.one([None, 0, -1, 1, 5, (0, 1), (0, -1), (), (0, 0), True])
    more = {"dtype": d.one(DTYPES)} if d.yes(0.2) else {}
    if d.yes(0.3):
        more["initial"] = d.one([None, 0, 2])
    if d.yes(0.3):
        more["keepdims"] = True
    cases = {
        "call": lambda a, b, o, m: f(a, b, **options), "out": lambda a, b, o, m: (f(a, b, out=o, **options), o), "where": lambda a, b, o, m: (f(a, b, o, where=m, **options), o)[1],
        "in place": lambda a, b, o, m: f(a, b, out=a, **options), "reduce": lambda a, b, o, m: f.reduce(a, axis, **more), "reduce where": lambda a, b, o, m: f.reduce(a, axis, where=m, **more),
        "accumulate": lambda a, b, o, m: f.accumulate(a, axis), "outer": lambda a, b, o, m: f.outer(a, b, **options),
    }
    name = d.one(list(cases))
    return f"{f.__name__} {name} {axis} {options} {more}", [x, y, out, mask], lambda xp, *its: cases[name](*its)


def into_arrays(d):
    """Sums and the like with `out` and `dtype`."""
    name = d.one(["sum", "prod", "min", "max", "mean", "var", "std", "all", "any", "argmin", "argmax", "cumsum", "nansum", "nanmax", "nanmean", "nanvar"])
    f = getattr(np, name)
    x = d.array(d.one([k for k in DTYPES if k not in ("f4", "c8")]), d.shape(1))  # of these the last digits depend on the type of `out`
    axis = d.axis(x.ndim)
    shape = x.shape if name == "cumsum" else tuple(n for i, n in enumerate(x.shape) if i != axis % x.ndim)
    out = np.zeros(shape, d.one(DTYPES))
    options = {"dtype": d.one(DTYPES)} if d.yes(0.3) and "m" in name and "max" not in name else {}
    return f"{name} {axis} {options}", [x, out], lambda xp, a, o: (f(a, axis, **options) if options else (f(a, axis, out=o), o)[1])


CASES = [one_operand, two_operands, two_operands, reduction, reduction, extreme, running, differences, get_index, get_index, get_mask, set_index, set_index, wrong_set, in_place, shapes, shapes, joined, ordered, ordered,
         distinct, searched, products, products, created, of_numpy_alone, of_numpy_alone, with_numbers, with_options, into_arrays]


def same(found, expected):
    if isinstance(expected, (tuple, list)) and not isinstance(found, np.ndarray):
        return len(found) == len(expected) and all(map(same, found, expected))
    found, expected = np.asarray(found), np.asarray(expected)
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return False
    if expected.dtype.kind not in "fc":
        return bool((found == expected).all())
    close = 1e-3 if expected.dtype.itemsize <= (4 if expected.dtype.kind == "f" else 8) else 1e-9
    return bool(np.allclose(found, expected, rtol=close, atol=close, equal_nan=True))


def attempt(f):
    try:
        return f(), None
    except Exception as error:
        return None, error


def run_one(seed, name):
    d = Dice(seed)
    case = d.one(CASES)
    if name and case.__name__ != name:
        return True
    what, arrays, f = case(d)
    dealt = [d.dealt(x) for x in arrays]
    expected, its_error = attempt(lambda: f(np, *(x.copy() for x in arrays)))
    xp = np if case in (of_numpy_alone, with_options, into_arrays) else api
    found, error = attempt(lambda: f(xp, *dealt))
    if error is None and its_error is None:
        good, shown = attempt(lambda: same(found, expected))
        if good:
            return True
        error = shown
    elif case in (with_numbers, with_options, into_arrays) and isinstance(error, am.UsageError) and isinstance(error, TypeError):
        return True  # not supported, and it says so
    elif case is wrong_set and isinstance(error, IndexError) and np.__version__ < "2":
        return True  # NumPy 1 does not look at indices of an index that takes nothing
    elif its_error is not None and error is not None and not isinstance(error, AttributeError):
        if case is not wrong_set or isinstance(error, type(its_error)):
            return True
    if am.rank == 0:
        print(f"seed {seed}: {case.__name__}: {what}\n of {[(x.dtype, x.shape) for x in arrays]} dealt {[(a.axis, a.offsets) for a in dealt]}\n expected {expected!r} {its_error!r}", flush=True)
        print(f" found {found!r} {error!r}", *(arrays if sum(x.size for x in arrays) < 60 else ()), sep="\n", flush=True)
        if error is not None:
            print("".join(traceback.format_exception(error)), flush=True)
    return False


def main():
    warnings.simplefilter("ignore")
    if "--far" in sys.argv:
        from armilla._nd import core

        core.direct = False
        sys.argv.remove("--far")
    seed, count, name = int(sys.argv[1]), int(sys.argv[2]), (sys.argv[3:] or [""])[0]
    if am.rank == 0:
        print(f"seeds {seed} to {seed + count - 1}", flush=True)
    failures = 0
    for k in range(seed, seed + count):
        failures += not run_one(k, name)
        if failures >= 5:
            break
    if failures:
        sys.exit(1)


if __name__ == "__main__":
    main()
