# SPDX-License-Identifier: Apache-2.0
"""Arrays put together and taken apart."""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import core
from .core import Array, along, axis_of, deal, empty, pull, taken
from .meeting import collective, unsupported
from .reductions import _array
from .shaping import atleast, expand_dims, reshaped


def _type_of(arrays: Sequence[Array], dtype: Any, casting: str) -> np.dtype:
    kind = core.dtype_of(np.result_type(*(a.dtype for a in arrays)) if dtype is None else dtype)
    if dtype is not None and not all(np.can_cast(a.dtype, kind, casting) for a in arrays):
        raise TypeError(f"armilla: array: an array cannot become {kind} by the rule '{casting}'")
    return kind


def concatenate(arrays: Sequence[Any], axis: Any = 0, kind: np.dtype | None = None) -> Array:
    arrays = [_array(a) for a in arrays]
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    if axis is None:
        arrays, axis = [reshaped(a, (a.size,)) for a in arrays], 0
    if not arrays[0].ndim:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    if len({a.ndim for a in arrays}) > 1:
        raise ValueError("all the input array dimensions except for the concatenation axis must match exactly, but the arrays have different numbers of dimensions")
    i = axis_of(axis, arrays[0].ndim)
    rest = {a.shape[:i] + a.shape[i + 1 :] for a in arrays}
    if len(rest) > 1:
        raise ValueError(f"all the input array dimensions except for the concatenation axis must match exactly, but the shapes are {' '.join(str(a.shape) for a in arrays)}")
    kind = _type_of(arrays, None, "same_kind") if kind is None else kind
    n = sum(a.shape[i] for a in arrays)
    shape = arrays[0].shape[:i] + (n,) + arrays[0].shape[i + 1 :]
    model = max(arrays, key=lambda a: a.size)
    if model.axis != i:
        parts = [deal(a, model.axis, model.offsets, "numpy.concatenate")._block for a in arrays]
        made = empty(shape, kind, model.axis, model.offsets)
        made._block[...] = np.concatenate(parts, i)
        return made
    made = empty(shape, kind, i)
    at = 0
    for a in arrays:
        _fetch(a, made, i, at)
        at += a.shape[i]
    return made


def _fetch(a: Array, made: Array, axis: int, at: int) -> None:
    """An array into its place in another one, which is dealt along `axis`."""
    low, high = made.bounds()
    first, end = taken(range(at, at + a.shape[axis]), low, high)
    mine = deal(a, axis, core.blocks(a.shape[axis]), "numpy.concatenate") if a.axis != axis else a
    requests, places = [], []
    for r in range(len(mine.offsets) - 1):
        begin, stop = max(first, mine.offsets[r]), min(end, mine.offsets[r + 1])
        if begin < stop:
            requests.append((r, along(axis, slice(begin - mine.offsets[r], stop - mine.offsets[r]))))
            places.append(along(axis, slice(at + begin - low, at + stop - low)))
    for place, values in zip(places, pull("numpy.concatenate", mine, requests)):
        made._block[place] = values


@collective("numpy.concatenate")
def concat(arrays: Sequence[Any], /, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind") -> Array:
    if out is not None:
        raise unsupported("concatenate", "the option out")
    arrays = [_array(a) for a in arrays]
    return concatenate(arrays, axis, None if dtype is None or not arrays else _type_of(arrays, dtype, casting))


@collective("numpy.stack")
def stack(arrays: Sequence[Any], axis: int = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind") -> Array:
    if out is not None:
        raise unsupported("stack", "the option out")
    arrays = [_array(a) for a in arrays]
    if not arrays:
        raise ValueError("need at least one array to stack")
    if len({a.shape for a in arrays}) > 1:
        raise ValueError("all input arrays must have the same shape")
    i = axis_of(axis, arrays[0].ndim + 1)
    return concatenate([expand_dims(a, i) for a in arrays], i, None if dtype is None else _type_of(arrays, dtype, casting))


@collective("numpy.vstack")
def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Array:
    return concat([atleast(2, [a]) for a in tup], 0, dtype=dtype, casting=casting)


@collective("numpy.hstack")
def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind") -> Array:
    arrays = [atleast(1, [a]) for a in tup]
    return concat(arrays, 0 if arrays and arrays[0].ndim == 1 else 1, dtype=dtype, casting=casting)


@collective("numpy.dstack")
def dstack(tup: Sequence[Any]) -> Array:
    return concat([atleast(3, [a]) for a in tup], 2)


@collective("numpy.column_stack")
def column_stack(tup: Sequence[Any]) -> Array:
    arrays = [_array(a) for a in tup]
    return concat([a if a.ndim > 1 else atleast(2, [a]).T for a in arrays], 1)


@collective("numpy.append")
def append(arr: Any, values: Any, axis: Any = None) -> Array:
    return concatenate([arr, values], axis)


def _split_at(a: Array, points: Sequence[int], axis: int) -> list[Any]:
    ends = [*points, a.shape[axis]]
    return [a[along(axis, slice(first, end))] for first, end in zip([0, *points], ends)]


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    a = _array(ary)
    i = axis_of(axis, a.ndim)
    if not np.ndim(indices_or_sections):
        count = operator.index(indices_or_sections)
        if count <= 0:
            raise ValueError("number sections must be larger than 0.")
        each, more = divmod(a.shape[i], count)
        sizes = [each + 1] * more + [each] * (count - more)
        return _split_at(a, np.cumsum(sizes)[:-1].tolist(), i)
    return _split_at(a, [operator.index(p) for p in np.asarray(indices_or_sections)], i)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    a = _array(ary)
    if not np.ndim(indices_or_sections) and a.shape[axis_of(axis, a.ndim)] % int(indices_or_sections):
        raise ValueError("array split does not result in an equal division")
    return array_split(a, indices_or_sections, axis)
