# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions that are made of others."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import core, joining, ordering, products, reductions
from .core import Array
from .elementwise import by_blocks
from .meeting import collective, unsupported
from .reductions import _array, given


def _whole(a: Any) -> np.ndarray:
    return core.whole_of(a) if isinstance(a, Array) else np.asarray(a)


def _of_table(name: str, function: Any, x: Any) -> Any:
    found = by_blocks(name, function, [_array(x)])
    return found if found.shape else found._block[()]


@collective("numpy.interp")
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """The points go to all ranks."""
    at, values = _whole(xp), _whole(fp)
    return _of_table("interp", lambda block: np.interp(block, at, values, left, right, period), x)


@collective("numpy.digitize")
def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """The borders go to all ranks."""
    borders = _whole(bins)
    return _of_table("digitize", lambda block: np.digitize(block, borders, right), x)


def _common_type(*values: Any) -> np.dtype:
    """Numbers of Python take the type of the others."""
    return np.result_type(*(v if type(v) in (int, float, complex) else v.dtype if isinstance(v, Array) else np.asarray(v) for v in values))


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    from .dispatch import where

    if len(condlist) != len(choicelist):
        raise ValueError(f"armilla: array: numpy.select: {len(condlist)} conditions and {len(choicelist)} choices; give one choice for each condition")
    if len(condlist) == 0:
        raise ValueError("armilla: array: numpy.select: there are no conditions")
    for condition in condlist:
        if getattr(condition, "dtype", None) != bool:
            raise TypeError("armilla: array: numpy.select: the conditions must be arrays of bool")
    kind = _common_type(*choicelist, default)
    found = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        found = where(condition, choice, found)
    return _array(found).astype(kind, copy=False)


def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False) -> Any:
    keep = given(keepdims) and bool(keepdims)
    if weights is None and not returned:
        return reductions.mean(a, axis, keepdims=keep)
    if weights is None:
        raise unsupported("average", "returned=True needs weights")
    a, by = _array(a), _array(weights)
    if a.shape != by.shape:
        if axis is None:
            raise TypeError(f"armilla: array: numpy.average: weights of shape {by.shape} for an array of shape {a.shape}; give the axis of the weights")
        if not isinstance(axis, (int, np.integer)) or by.ndim != 1:
            raise unsupported("average", "weights must have the array's shape, or one axis")
        i = core.axis_of(axis, a.ndim)
        if by.shape[0] != a.shape[i]:
            raise ValueError(f"armilla: array: numpy.average: {by.shape[0]} weights for axis {i}, which has {a.shape[i]} elements")
        by = by.reshape((-1,) + (1,) * (a.ndim - 1 - i))
    kind = np.result_type(a.dtype, by.dtype, *(["f8"] if a.dtype.kind in "iub" else []))
    products_of = np.multiply(a, by, dtype=kind)
    scale = reductions.sum(by if by.shape == a.shape else by * np.ones((1,) * a.ndim, by.dtype) + np.zeros_like(a, dtype=by.dtype), axis, kind, keepdims=keep)
    if bool(reductions.any(_array(scale == 0))):
        raise ZeroDivisionError("armilla: array: numpy.average: the sum of the weights is 0")
    found = reductions.sum(products_of, axis, keepdims=keep) / scale
    return (found, scale) if returned else found


def _not_nan(a: Array) -> Any:
    return by_blocks("isnan", lambda block: ~np.isnan(block), [a])


def _spread(name: str, function: Callable[..., Any], a: Array, axis: Any, dtype: Any, out: Any, ddof: Any, keepdims: Any) -> Any:
    keep = given(keepdims) and bool(keepdims)
    if a.dtype.kind not in "fc":
        return function(a, axis, dtype, out, ddof, keep)
    chosen = _not_nan(a)
    found = function(a, axis, dtype, None, ddof, keep, where=chosen)
    enough = reductions.sum(chosen, axis, keepdims=keep) > ddof
    nothing = found.dtype.type(np.nan)
    found = np.where(enough, found, nothing) if isinstance(found, Array) else found if enough else nothing
    return reductions.stored(name, found, out, a, axis=axis, dtype=dtype)


def nanvar(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    a = _array(a)
    return _spread("nanvar", reductions.var, a, axis, dtype, out, ddof, keepdims)


def nanstd(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    a = _array(a)
    return _spread("nanstd", reductions.std, a, axis, dtype, out, ddof, keepdims)


def _refuse_second(name: str, y: Any) -> None:
    if y is not None:
        raise unsupported(name, "a second set of variables is not supported; join both by vstack")


def cov(m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None) -> Any:
    _refuse_second("cov", y)
    if ddof is not None and ddof != int(ddof):
        raise ValueError(f"armilla: array: numpy.cov: ddof is {ddof}; it is an integer")
    a = _array(m)
    if a.ndim > 2:
        raise ValueError(f"armilla: array: numpy.cov: an array of {a.ndim} dimensions; it has one or two")
    a = a.astype(np.result_type(a.dtype, np.float64), copy=False)
    rows = a.reshape(1, -1) if a.ndim < 2 else a if rowvar else a.T
    if not rows.shape[0]:
        return core.from_whole(np.zeros((0, 0)))
    freedom = rows.shape[1] - (int(ddof) if ddof is not None else 0 if bias else 1)
    centered = rows - reductions.mean(rows, 1, keepdims=True)
    found = products.matmul(centered, centered.T.conj())
    found = found * np.true_divide(1, freedom) if freedom > 0 else found / 0.0
    return found if found.shape != (1, 1) else found[0, 0]


def corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Any:
    _refuse_second("corrcoef", y)
    found = cov(x, None, rowvar)
    if not isinstance(found, Array):
        return found / found
    deviation = np.sqrt(np.asarray(core.whole_of(np.diagonal(found))).real)
    scaled = found / deviation[:, None] / deviation[None, :]
    if scaled.dtype.kind == "c":
        return by_blocks("corrcoef", lambda block: np.clip(block.real, -1, 1) + 1j * np.clip(block.imag, -1, 1), [scaled])
    return scaled.clip(-1, 1)


def union1d(ar1: Any, ar2: Any) -> Any:
    kind = _common_type(ar1, ar2)
    return ordering.unique(joining.concat([_array(a).reshape(-1).astype(kind, copy=False) for a in (ar1, ar2)]))


def _distinct(a: Any, assume_unique: bool) -> Array:
    return _array(a).reshape(-1) if assume_unique else ordering.unique(_array(a))


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    first = _distinct(ar1, assume_unique)
    return first[~ordering.isin(first, ar2)]


def intersect1d(ar1: Any, ar2: Any) -> Any:
    first, second = ordering.unique(_array(ar1)), _array(ar2)
    return first[ordering.isin(first, second)].astype(np.result_type(first.dtype, second.dtype), copy=False)


def extract(condition: Any, arr: Any) -> Any:
    chosen, a = _array(condition).reshape(-1), _array(arr).reshape(-1)
    if chosen.shape != a.shape:
        raise unsupported("extract", "a condition of another size than the array's")
    return a[chosen.astype(bool)]


def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    if ary.ndim == 0:
        raise ValueError("armilla: array: numpy.hsplit: an array without dimensions cannot be split")
    return joining.split(ary, indices_or_sections, min(ary.ndim - 1, 1))


def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    if ary.ndim < 2:
        raise ValueError(f"armilla: array: numpy.vsplit: an array of {ary.ndim} dimensions; it has at least 2")
    return joining.split(ary, indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> Any:
    if ary.ndim < 3:
        raise ValueError(f"armilla: array: numpy.dsplit: an array of {ary.ndim} dimensions; it has at least 3")
    return joining.split(ary, indices_or_sections, 2)
