# SPDX-License-Identifier: Apache-2.0
"""Sums and the like along axes: of each block first, then of the blocks' values, in the order of the ranks."""
from __future__ import annotations

import math
import builtins
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _core
from . import core
from .core import Array, along, axis_of, deal, empty, empty_like, from_whole, pull
from .elementwise import apply, associative, by_blocks, part_for, shape_of
from .meeting import collective, meet, unsupported

_missing: Any = getattr(np, "_NoValue", None)
_piece = 1 << 15  # elements
_small = 1 << 15  # bytes of values that all ranks get by the meeting
_repeatable = {np.minimum, np.maximum, np.fmin, np.fmax, np.logical_and, np.logical_or, np.bitwise_and, np.bitwise_or, np.gcd, np.lcm}
Axes = tuple[int, ...]


def given(value: Any) -> bool:
    return value is not _missing


def axes_of(axis: Any, ndim: int) -> Axes:
    if axis is None:
        return tuple(range(ndim))
    axes = tuple(axis_of(i, ndim) for i in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    if len(set(axes)) != len(axes):
        raise ValueError("armilla: array: an axis is given twice")
    return axes


def axes_of_scalar(axis: Any, ndim: int) -> Axes:
    """As `axes_of`, for functions for which an array without an axis has one as well."""
    return () if not ndim and not isinstance(axis, (tuple, list, bool)) and axis in (0, -1) else axes_of(axis, ndim)


def nonempty(a: Array) -> list[int]:
    return [r for r in range(_core.size()) if a.offsets[r] < a.offsets[r + 1]]


def _without(shape: Sequence[Any], axes: Axes) -> tuple:
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def _with_ones(shape: Sequence[int], axes: Axes) -> tuple[int, ...]:
    return tuple(1 if i in axes else n for i, n in enumerate(shape))


def stacked(name: str, a: Array, values: np.ndarray) -> Any:
    """The values that the ranks with elements have, one behind the other along a new first axis: a NumPy array on each rank if they
    are few, else an array over the ranks with one of them each. `values`: this rank's, which need not mean anything if it has no elements."""
    ranks = nonempty(a)
    if values.nbytes <= _small:
        said = meet(name, f"combines {values.dtype} of shape {values.shape}", np.ascontiguousarray(values).tobytes())
        return np.stack([np.frombuffer(said[r], values.dtype).reshape(values.shape) for r in ranks])
    offsets = (0, *np.cumsum([r in ranks for r in range(_core.size())]).tolist())
    all_values = empty((len(ranks), *values.shape), values.dtype, 0, offsets)
    if _core.rank() in ranks:
        all_values._block[0] = values
    return all_values


def over_ranks(name: str, a: Array, values: np.ndarray, combine: Callable[[np.ndarray], np.ndarray]) -> Array:
    """`combine` of the values of all ranks, which it gets along the first axis. The result is dealt."""
    all_values = stacked(name, a, values)
    if isinstance(all_values, np.ndarray):
        return from_whole(combine(all_values))
    widest = 1 + int(np.argmax(values.shape))
    dealt = deal(all_values, widest, core.blocks(all_values.shape[widest]), name)
    found = np.asarray(combine(dealt._block))
    return core.from_block(found, values.shape, widest - 1, dealt.offsets)


def dropped_axes(a: Array, axes: Axes) -> Array:
    """Without axes of length 1 along which it is not dealt; dealt along another one first where it must be."""
    if not axes:
        return a
    rest = _without(range(a.ndim), axes)
    if a.axis in axes:
        if not rest:
            whole = core.whole_of(a)
            return from_whole(whole.reshape(()))
        best = builtins.max(rest, key=lambda i: a.shape[i])
        a = deal(a, best, core.blocks(a.shape[best]))
    index = tuple(0 if i in axes else slice(None) for i in range(a.ndim))
    return core.view(a, _without(a.shape, axes), None if a.axis is None else rest.index(a.axis), a.offsets, lambda block, r: block[index])


def finished(a: Array, axes: Axes, keepdims: bool, scalar: bool = True) -> Any:
    """What NumPy gives for a result with axes of length 1."""
    a = a if keepdims else dropped_axes(a, axes)
    return a._block[()] if scalar and not a.shape else a


def reduce(function: np.ufunc, a: Array, axes: Axes, dtype: Any = None, initial: Any = _missing, where: Any = True, block: np.ndarray | None = None) -> Array:
    """With axes of length 1 in the place of those that are reduced. `block`: in place of the array's own elements."""
    name = f"{function.__name__}.reduce"
    block = a._block if block is None else block
    options: dict[str, Any] = {} if dtype is None else {"dtype": dtype}
    if where is not True:
        options["where"] = part_for(where, (a.shape, a.axis, a.offsets), name)
    if not a.size:
        first = {"initial": initial} if given(initial) else {}
        return from_whole(np.asarray(function.reduce(np.empty(a.shape, block.dtype), axis=axes, keepdims=True, **({"dtype": dtype} if dtype is not None else {}), **first)))
    if a.axis is None or a.axis not in axes:
        first = {"initial": initial} if given(initial) else {}
        found = function.reduce(block, axis=axes, keepdims=True, **options, **first) if a.shape else function.reduce(block, axis=(), **options, **first)
        return core.from_block(np.asarray(found), _with_ones(a.shape, axes), a.axis, a.offsets)
    if function not in associative:
        raise unsupported(name, "along the axis on which the array is dealt; redistribute it along another one")
    ranks = nonempty(a)
    if given(initial) and (_core.rank() == ranks[0] or function in _repeatable):
        options["initial"] = initial
    if _core.rank() in ranks:
        mine = np.asarray(function.reduce(block, axis=axes, keepdims=True, **options))
    else:
        sample = np.ones((1,) * a.ndim, block.dtype)
        kind = function.reduce(sample, axis=axes, **{k: v for k, v in options.items() if k == "dtype"}).dtype
        mine = np.empty(_with_ones(a.shape, axes), kind)
    return over_ranks(name, a, mine, lambda values: function.reduce(values, axis=0, dtype=mine.dtype))


def _array(a: Any) -> Array:
    from . import create

    return a if isinstance(a, Array) else create.as_array(a)


def _check_arguments(method: Callable[..., Any], a: Array, axis: Any, where: Any = True, **options: Any) -> None:
    """NumPy's error for these arguments, where it has one, from an array of one element."""
    if where is not True:
        options["where"] = np.ones((1,) * a.ndim, bool)
    with np.errstate(all="ignore"):
        method(np.ones((1,) * a.ndim, a.dtype), axis, **{k: v for k, v in options.items() if given(v)})


def of_ufunc(function: np.ufunc, a: Any, axis: Any = 0, dtype: Any = None, keepdims: bool = False, initial: Any = _missing, where: Any = True) -> Any:
    """`numpy.add.reduce` and the like."""
    a = _array(a)
    _check_arguments(function.reduce, a, axis, where, dtype=dtype, initial=initial, keepdims=keepdims)
    axes = axes_of_scalar(axis, a.ndim)
    return finished(reduce(function, a, axes, dtype, initial, where), axes, bool(keepdims))


def _reduction(name: str, function: np.ufunc) -> Callable[..., Any]:
    def run(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = _missing, where: Any = True) -> Any:
        a = _array(a)
        axes = axes_of_scalar(axis, a.ndim)
        found = reduce(function, a, axes, _added_type(function, a, dtype, out), initial, where if given(where) else True)
        return stored(name, finished(found, axes, given(keepdims) and bool(keepdims)), out, a, axis=axis, **({"dtype": dtype} if function in (np.add, np.multiply) else {}))

    run.__name__ = run.__qualname__ = name
    return collective(f"numpy.{name}")(run)


def _added_type(function: np.ufunc, a: Array, dtype: Any, out: Any) -> Any:
    """In which type NumPy adds or multiplies: without `out`, in one of its own choice."""
    return dtype if dtype is not None or not isinstance(out, Array) or function not in (np.add, np.multiply) else np.result_type(a.dtype, out.dtype)


# Others compute in the type of `out`: what they give in a type that cannot hold their results is not a cast of these.
_cast_at_the_end = {"sum", "prod", "cumsum", "cumprod", "all", "any", "argmin", "argmax"}


def _try_numpy(name: str, a: Array, **arguments: Any) -> None:
    """Raises where NumPy's function does."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        getattr(np, name)(np.ones((1,) * a.ndim, a.dtype), **arguments)


def stored(name: str, found: Any, out: Any, a: Array | None = None, **arguments: Any) -> Any:
    """The result in the array `out`, where it is given and NumPy takes one of its type: `numpy.name(a, **arguments)` is the result. Without `a`: where it can hold such elements."""
    if out is None or not given(out):
        if a is not None and arguments.get("dtype") is not None:
            _try_numpy(name, a, **arguments)
        return found
    if not isinstance(out, Array) or out.shape != shape_of(found):
        raise unsupported(name, "the option out takes a distributed array of the result's shape")
    if a is None or name not in _cast_at_the_end:
        if not np.can_cast(found.dtype, out.dtype, "safe" if found.dtype.kind in "iu" else "same_kind"):
            raise unsupported(name, f"{found.dtype} in an array of {out.dtype}")
    if a is not None:
        _try_numpy(name, a, **arguments, out=np.empty((1,) * out.ndim, out.dtype))
    before = core.pulls
    part = part_for(found, (out.shape, out.axis, out.offsets), name)
    core.after_pulls(before, name)
    np.copyto(out._block, part, casting="unsafe")
    return out


sum, prod = _reduction("sum", np.add), _reduction("prod", np.multiply)
_minimum, _maximum = _reduction("min", np.minimum), _reduction("max", np.maximum)
_all, _any = _reduction("all", np.logical_and), _reduction("any", np.logical_or)


def _without_dtype(run: Callable[..., Any], name: str) -> Callable[..., Any]:
    def call(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = _missing, where: Any = True) -> Any:
        return run(a, axis, None, out, keepdims, initial, where)

    call.__name__ = call.__qualname__ = name
    return call


min, max = _without_dtype(_minimum, "min"), _without_dtype(_maximum, "max")


def all(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> Any:
    return _all(a, axis, bool, out, keepdims, where=where)


def any(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> Any:
    return _any(a, axis, bool, out, keepdims, where=where)


def _count(a: Array, axes: Axes, where: Any) -> Any:
    if where is True or not given(where):
        return math.prod([a.shape[i] for i in axes]) if axes else 1
    from . import shaping

    chosen = shaping.broadcast_to_array(where, a.shape)
    return reduce(np.add, chosen, axes, np.intp)


def _mean_type(a: Array, dtype: Any) -> tuple[np.dtype, np.dtype]:
    """In which type elements are added, and the type of the mean."""
    if dtype is not None and given(dtype):
        return np.dtype(dtype), np.dtype(dtype)
    if a.dtype.kind in "iub":
        return np.dtype("f8"), np.dtype("f8")
    if a.dtype == np.float16:
        return np.dtype("f4"), a.dtype
    return a.dtype, a.dtype


def _divided(total: Array, count: Any) -> Array:
    by = count._block if isinstance(count, Array) and count.offsets == total.offsets else count if not isinstance(count, Array) else part_for(count, (total.shape, total.axis, total.offsets), "mean")
    with np.errstate(all="ignore"):
        return core.from_block(np.asarray(np.true_divide(total._block, by)).astype(total.dtype, copy=False), total.shape, total.axis, total.offsets)


def _warn_of_empty(count: Any, what: str) -> None:
    if not isinstance(count, Array) and count <= 0:
        warnings.warn(what, RuntimeWarning, stacklevel=5)


@collective("numpy.mean")
def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> Any:
    a = _array(a)
    axes = axes_of(axis, a.ndim)
    added, kind = _mean_type(a, dtype)
    count = _count(a, axes, where)
    _warn_of_empty(count, "Mean of empty slice.")
    found = _divided(reduce(np.add, a, axes, added, where=where if given(where) else True), count)
    if kind != found.dtype:
        found = core._as_type(found, kind)
    return stored("mean", finished(found, axes, given(keepdims) and bool(keepdims)), out, a, axis=axis, dtype=dtype)


def _squares_in_pieces(block: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """The sum of the squared distances from the mean, in pieces that stay in the cache."""
    flat = block.reshape(-1)
    sums = []
    for first in range(0, flat.size, _piece):
        rest = flat[first : first + _piece] - middle[0]
        sums.append(np.multiply(rest, rest, out=rest).sum())
    return np.asarray(np.sum(np.array(sums, block.dtype)))


def _variance(name: str, a: Any, axis: Any, dtype: Any, ddof: Any, keepdims: Any, where: Any, root: bool) -> Any:
    axes = axes_of(axis, a.ndim)
    added, kind = _mean_type(a, dtype)
    if kind.kind not in "fc":
        raise unsupported(name, f"the option dtype={kind}; give a type of floating point")
    count = _count(a, axes, where)
    where = where if given(where) else True
    divisor = count - ddof if not isinstance(count, Array) else apply(np.subtract, [count, ddof], (None,), {})
    if not isinstance(divisor, Array) and divisor <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=5)
        divisor = np.maximum(divisor, 0)
    middle = part_for(_divided(reduce(np.add, a, axes, added, where=where), count), (a.shape, a.axis, a.offsets), name)
    if where is True and len(axes) == a.ndim and a.axis is not None and a.size and a.dtype == added and added.kind == "f":
        mine = _squares_in_pieces(a._block, np.reshape(middle, -1)).reshape((1,) * a.ndim)
        found = _divided(over_ranks(name, a, mine, lambda values: values.sum(axis=0)), divisor)
        if root:
            found = core.from_block(np.sqrt(found._block), found.shape, found.axis, found.offsets)
        return finished(found, axes, given(keepdims) and bool(keepdims))
    with np.errstate(all="ignore"):
        rest = np.subtract(a._block, middle, dtype=added if added.kind == "f" else None)
        squares = (rest * rest.conj()).real if rest.dtype.kind == "c" else np.multiply(rest, rest, out=rest if isinstance(rest, np.ndarray) else None)
    found = _divided(reduce(np.add, a, axes, where=where, block=np.asarray(squares)), divisor)
    if root:
        found = core.from_block(np.sqrt(found._block), found.shape, found.axis, found.offsets)
    wanted = kind if dtype is not None and given(dtype) else kind.type(0).real.dtype
    if found.dtype != wanted:
        found = core._as_type(found, wanted)
    return finished(found, axes, given(keepdims) and bool(keepdims))


@collective("numpy.var")
def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, *, where: Any = True, mean: Any = _missing, correction: Any = _missing) -> Any:
    a = _array(a)
    return stored("var", _variance("var", a, axis, dtype, correction if given(correction) else ddof, keepdims, where, False), out, a, axis=axis, dtype=dtype)


@collective("numpy.std")
def std(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, *, where: Any = True, mean: Any = _missing, correction: Any = _missing) -> Any:
    a = _array(a)
    return stored("std", _variance("std", a, axis, dtype, correction if given(correction) else ddof, keepdims, where, True), out, a, axis=axis, dtype=dtype)


@collective("numpy.count_nonzero")
def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    a = _array(a)
    axes = axes_of_scalar(axis, a.ndim)
    chosen = a._block if a.dtype == bool else a._block != 0
    found = finished(reduce(np.add, a, axes, np.intp, block=chosen), axes, keepdims)
    return type(np.count_nonzero(np.ones(1)))(found) if axis is None and not keepdims else found  # a number of Python in some versions


# ---- where the extremes are ----


def _extreme(function: Callable[..., Any], a: Any, axis: Any, keepdims: bool) -> Any:
    name = function.__name__
    a = _array(a)
    if axis is None:
        found = _extreme_of_all(function, a)
        return from_whole(np.full((1,) * a.ndim, found)) if keepdims and a.ndim else found
    i = axis_of(axis, a.ndim or 1)
    if not a.ndim:
        return np.intp(0)
    if a.shape[i] == 0:
        function(np.empty(a.shape, a.dtype), axis=i)  # raises
    if a.axis != i:
        found = function(a._block, axis=i, keepdims=True) if a._block.shape[a.axis or 0] else np.empty(_with_ones(a._block.shape, (i,)), np.intp)
        return finished(core.from_block(np.asarray(found), _with_ones(a.shape, (i,)), a.axis, a.offsets), (i,), keepdims)
    shape = _with_ones(a.shape, (i,))
    if a._block.shape[i]:
        places = function(a._block, axis=i, keepdims=True)
        values = np.take_along_axis(a._block, places, i)
    else:
        places, values = np.zeros(shape, np.intp), np.zeros(shape, a.dtype)
    both = np.empty(shape, [("value", a.dtype), ("place", np.intp)])
    both["value"], both["place"] = values, places + a.bounds()[0]

    def best(of_all: np.ndarray) -> np.ndarray:
        chosen = function(of_all["value"], axis=0)
        return np.take_along_axis(of_all["place"], chosen[None], 0)[0]

    return finished(over_ranks(name, a, both, best), (i,), keepdims)


def _extreme_of_all(function: Callable[..., Any], a: Array) -> Any:
    if a.size == 0:
        function(np.empty(0, a.dtype))  # raises
    if a.axis is None:
        return np.intp(0)
    place, value = -1, np.zeros(1, a.dtype)
    if a._block.size:
        flat = int(function(a._block))
        where = list(np.unravel_index(flat, a._block.shape))
        value = a._block[tuple(where)].reshape(1)
        where[a.axis] += a.bounds()[0]
        place = int(np.ravel_multi_index(where, a.shape))
    said = meet(f"numpy.{function.__name__}", "", np.int64(place).tobytes() + value.tobytes())
    places = np.array([np.frombuffer(s[:8], np.int64)[0] for s in said])
    values = np.concatenate([np.frombuffer(s[8:], a.dtype) for s in said])
    order = [r for r in np.argsort(places, kind="stable") if places[r] >= 0]
    return np.intp(places[order[int(function(values[order]))]])


@collective("numpy.argmax")
def argmax(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
    a = _array(a)
    return stored("argmax", _extreme(np.argmax, a, axis, given(keepdims) and bool(keepdims)), out, a, axis=axis)


@collective("numpy.argmin")
def argmin(a: Any, axis: Any = None, out: Any = None, *, keepdims: Any = False) -> Any:
    a = _array(a)
    return stored("argmin", _extreme(np.argmin, a, axis, given(keepdims) and bool(keepdims)), out, a, axis=axis)


# ---- running sums ----


def accumulate(function: np.ufunc, a: Any, axis: Any = 0, dtype: Any = None) -> Array:
    """`numpy.add.accumulate` and the like."""
    a = _array(a)
    _check_arguments(function.accumulate, a, axis, dtype=dtype)
    (i,) = axes_of(axis, a.ndim)
    name = f"{function.__name__}.accumulate"
    if function not in associative and a.axis == i:
        raise unsupported(name, "along the axis on which the array is dealt; redistribute it along another one")
    kind = core.dtype_of(function.accumulate(np.ones((1,) * a.ndim, a.dtype), axis=i, dtype=dtype).dtype)
    made = empty_like(a, kind)
    found = function.accumulate(a._block, axis=i, dtype=kind, out=made._block)
    if a.axis != i:
        return made
    last = found[along(i, slice(-1, None))] if found.shape[i] else np.zeros(_with_ones(a.shape, (i,)), found.dtype)
    if not nonempty(a):
        return made
    before = nonempty(a).index(_core.rank()) if _core.rank() in nonempty(a) else 0
    totals = stacked(name, a, last)
    if isinstance(totals, np.ndarray):
        parts = totals[:before]
    else:
        parts = np.array([each[0] for each in pull(name, totals, [(r, ...) for r in nonempty(a)[:before]])]) if before else np.empty((0,))
    if before:
        function(function.reduce(parts, axis=0, dtype=found.dtype), made._block, out=made._block)
    return made


def flattened(a: Array) -> Array:
    from . import shaping

    return a if a.ndim == 1 else shaping.reshaped(a, (a.size,))


def _running(name: str, function: np.ufunc) -> Callable[..., Any]:
    def run(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        a = _array(a)
        i = 0 if axis is None else axis_of(axis, a.ndim or 1)
        if axis is None or not a.ndim:
            a = flattened(a)
        kind = _added_type(function, a, dtype, out) or function.reduce(np.ones(1, a.dtype)).dtype
        return stored(name, accumulate(function, a, i, kind), out, a, axis=i, dtype=dtype)

    run.__name__ = run.__qualname__ = name
    return collective(f"numpy.{name}")(run)


cumsum, cumprod = _running("cumsum", np.add), _running("cumprod", np.multiply)


@collective("numpy.diff")
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = _missing, append: Any = _missing) -> Any:
    from . import joining

    a = _array(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if n == 0:
        return a
    i = axis_of(axis, a.ndim)
    around = [x for x in (prepend, a, append) if given(x)]
    if len(around) > 1:
        one = tuple(1 if k == i else m for k, m in enumerate(a.shape))
        a = joining.concatenate([x if x is a or np.ndim(x) else np.broadcast_to(x, one) for x in around], i)
    for _ in range(n):
        function = np.not_equal if a.dtype == bool else np.subtract
        a = apply(function, [a[along(i, slice(1, None))], a[along(i, slice(None, -1))]], (None,), {})
    return a


@collective("numpy.ptp")
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    keep = given(keepdims) and bool(keepdims)
    kind = {"dtype": np.result_type(a.dtype, out.dtype)} if isinstance(out, Array) else {}
    return stored("ptp", np.subtract(max(a, axis, keepdims=keep), min(a, axis, keepdims=keep), **kind), out)


def _skipping_nan(name: str, instead: Any) -> Callable[..., Any]:
    base = globals()[name]

    def run(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = _missing, where: Any = True) -> Any:
        a = _array(a)
        if a.dtype.kind in "fc":
            a = by_blocks(f"nan{name}", lambda block: np.where(np.isnan(block), block.dtype.type(instead), block), [a])
        return base(a, axis, dtype, out, keepdims, initial, where)

    run.__name__ = run.__qualname__ = f"nan{name}"
    return collective(f"numpy.nan{name}")(run)


nansum, nanprod = _skipping_nan("sum", 0), _skipping_nan("prod", 1)


def _nan_extreme(name: str, function: np.ufunc) -> Callable[..., Any]:
    def run(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = _missing, where: Any = True) -> Any:
        a = _array(a)
        axes = axes_of_scalar(axis, a.ndim)
        return stored(name, finished(reduce(function, a, axes, None, initial, where if given(where) else True), axes, given(keepdims) and bool(keepdims)), out)

    run.__name__ = run.__qualname__ = name
    return collective(f"numpy.{name}")(run)


nanmin, nanmax = _nan_extreme("nanmin", np.fmin), _nan_extreme("nanmax", np.fmax)


@collective("numpy.nanmean")
def nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> Any:
    a = _array(a)
    if a.dtype.kind not in "fc":
        return mean(a, axis, dtype, out, keepdims, where=where)
    chosen = by_blocks("nanmean", lambda block: ~np.isnan(block), [a])
    if where is not True and given(where):
        chosen = apply(np.logical_and, [chosen, where], (None,), {})
    return stored("nanmean", mean(a, axis, dtype, None, keepdims, where=chosen), out, a, axis=axis, dtype=dtype)
