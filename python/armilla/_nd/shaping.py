# SPDX-License-Identifier: Apache-2.0
"""Shapes: views where no element moves along the axis on which the array is dealt, else copies."""
from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core
from . import core
from .core import Array, Shape, along, axis_of, block_shape, deal, empty, from_ranges, view
from .elementwise import part_for, shape_of
from .indexing import permuted
from .meeting import collective, unsupported
from .reductions import _array, axes_of, axes_of_scalar, dropped_axes


def shape_given(shape: Any) -> Shape:
    if hasattr(shape, "__index__") and not isinstance(shape, Array):
        return (operator.index(shape),)
    return tuple(operator.index(n) for n in shape)


def _complete(shape: Shape, size: int) -> Shape:
    if shape.count(-1) > 1:
        raise ValueError("armilla: array.reshape: only one length can be -1")
    known = math.prod([n for n in shape if n != -1]) if shape else 1
    if -1 in shape and known and size % known == 0:
        shape = tuple(size // known if n == -1 else n for n in shape)
        known = size
    if known != size or -1 in shape:
        raise ValueError(f"armilla: array.reshape: {size} elements do not have the shape {shape}")
    return shape


def reshaped(a: Array, shape: Shape, may_view: bool = True) -> Array:
    shape = _complete(shape, a.size)
    if shape == a.shape:
        return a if may_view else core._copied(a)
    if a.axis is None or not shape:
        return core.from_whole(core.whole_of(a).reshape(shape))
    if not a.size:
        return empty(shape, a.dtype)
    kept = _kept_axis(a, shape)
    if kept is not None:
        if not may_view:
            a = core._copied(a)
        return view(a, shape, kept, a.offsets, lambda block, r: block.reshape(block_shape(shape, kept, a.offsets, r)))
    a = deal(a, 0, core.blocks(a.shape[0])) if a.axis != 0 else a
    from_row, to_row = a.size // a.shape[0], a.size // shape[0]
    flat = tuple(first * from_row for first in a.offsets)
    if any(first % to_row for first in flat):
        wanted = tuple(first * to_row for first in core.blocks(shape[0]))
        line = core.from_block(np.ascontiguousarray(a._block).reshape(-1), (a.size,), 0, flat)
        a = deal(line, 0, wanted, "array.reshape")
        flat = wanted
    elif not may_view:
        a = core._copied(a)
    offsets = tuple(first // to_row for first in flat)
    return view(a, shape, 0, offsets, lambda block, r: block.reshape((offsets[r + 1] - offsets[r], *shape[1:])))


def _kept_axis(a: Array, shape: Shape) -> int | None:
    """The axis of the new shape that is the one on which it is dealt, with the same elements before and after it."""
    assert a.axis is not None
    before = math.prod(a.shape[: a.axis]) if a.axis else 1
    product = 1
    for axis, n in enumerate(shape):
        if product == before and n == a.shape[a.axis] and (n != 1 or axis == a.axis):
            return axis
        product *= n
    return None


@collective("numpy.reshape")
def reshape(a: Any, /, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: bool | None = None) -> Array:
    if order not in "CA":
        raise unsupported("reshape", f"the order {order!r}")
    a = _array(a)
    found = reshaped(a, shape_given(newshape if shape is None else shape), copy is not True)
    if copy is False and found._memory is not a._memory:
        raise ValueError("armilla: array.reshape: elements move to other ranks, so it needs a copy")
    return found


@collective("numpy.ravel")
def ravel(a: Any, order: str = "C") -> Array:
    if order not in "CAK":
        raise unsupported("ravel", f"the order {order!r}")
    a = _array(a)
    return reshaped(a, (a.size,))


def transpose(a: Any, axes: Any = None) -> Array:
    a = _array(a)
    if axes is None:
        return permuted(a, range(a.ndim)[::-1])
    order = [axis_of(i, a.ndim) for i in axes]
    if sorted(order) != list(range(a.ndim)):
        raise ValueError("axes don't match array")
    return permuted(a, order)


def moveaxis(a: Any, source: Any, destination: Any) -> Array:
    a = _array(a)
    sources, targets = axes_of(source, a.ndim), axes_of(destination, a.ndim)
    if len(sources) != len(targets):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [k for k in range(a.ndim) if k not in sources]
    for target, origin in sorted(zip(targets, sources)):
        order.insert(target, origin)
    return permuted(a, order)


def swapaxes(a: Any, axis1: int, axis2: int) -> Array:
    a = _array(a)
    order = list(range(a.ndim))
    i, k = axis_of(axis1, a.ndim), axis_of(axis2, a.ndim)
    order[i], order[k] = order[k], order[i]
    return permuted(a, order)


def matrix_transpose(a: Any, /) -> Array:
    a = _array(a)
    if a.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {a.ndim}")
    return swapaxes(a, -1, -2)


def expand_dims(a: Any, axis: Any = 0) -> Array:
    a = _array(a)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    ndim = a.ndim + len(axes)
    new = axes_of(tuple(axes), ndim)
    if not a.shape:
        return core.from_whole(np.expand_dims(a._block, tuple(new)))
    return a[tuple(None if i in new else slice(None) for i in range(ndim))]


@collective("numpy.squeeze")
def squeeze(a: Any, axis: Any = None) -> Array:
    a = _array(a)
    axes = tuple(i for i, n in enumerate(a.shape) if n == 1) if axis is None else axes_of_scalar(axis, a.ndim)
    if builtins_any(a.shape[i] != 1 for i in axes):
        raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    return dropped_axes(a, axes)


builtins_any = any


def broadcast_to_array(x: Any, shape: Shape) -> Array:
    """Of this shape; a view where it can be."""
    if isinstance(x, Array) and x.shape == shape:
        return x
    own = shape_of(x)
    if len(own) > len(shape) or builtins_any(n not in (1, m) for n, m in zip(own[::-1], shape[::-1])):
        raise ValueError(f"armilla: array: an array of shape {own} could not be broadcast to {shape}")
    if isinstance(x, Array) and x.axis is not None:
        axis = x.axis + len(shape) - x.ndim
        if x.shape[x.axis] == shape[axis]:
            return view(x, shape, axis, x.offsets, lambda block, r: np.broadcast_to(block, block_shape(shape, axis, x.offsets, r)))
    if not shape:
        return _array(x)
    made = empty(shape, x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype)
    made._block[...] = part_for(x, (shape, made.axis, made.offsets), "broadcast_to")
    return made


@collective("numpy.broadcast_to")
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Array:
    return broadcast_to_array(array, shape_given(shape))


@collective("numpy.broadcast_arrays")
def broadcast_arrays(*arrays: Any, subok: bool = False) -> Any:
    shape = np.broadcast_shapes(*map(shape_of, arrays))
    return type(np.broadcast_arrays(0))(broadcast_to_array(a, shape) for a in arrays)  # a list before NumPy 2


def _reversed(a: Array, axis: int) -> Array:
    return from_ranges(a, axis, [range(a.shape[axis])[::-1]], a.offsets if axis == a.axis else None, "numpy.flip")


@collective("numpy.flip")
def flip(m: Any, axis: Any = None) -> Array:
    a = _array(m)
    for i in axes_of(axis, a.ndim):
        a = _reversed(a, i) if i == a.axis else a[along(i, slice(None, None, -1))]
    return a


def flipud(m: Any) -> Array:
    if _array(m).ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return flip(m, 0)


def fliplr(m: Any) -> Array:
    if _array(m).ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return flip(m, 1)


def _rolled(a: Array, shift: int, axis: int) -> Array:
    n = a.shape[axis]
    if not n or not shift % n:
        return core._copied(a)
    at = n - shift % n
    return from_ranges(a, axis, [range(at, n), range(at)], a.offsets if axis == a.axis else None, "numpy.roll")


@collective("numpy.roll")
def roll(a: Any, shift: Any, axis: Any = None) -> Array:
    a = _array(a)
    shift = core.whole_of(shift) if isinstance(shift, Array) else shift
    if np.ndim(shift) > 1 or np.ndim(axis) > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    if axis is None:
        shape = a.shape
        total = sum(int(n) for n in np.ravel(shift))
        return reshaped(_rolled(reshaped(a, (a.size,)), total, 0), shape)
    shifts, axes = np.broadcast_arrays(np.atleast_1d(shift), np.atleast_1d(axis))
    axes_of(tuple(set(int(i) for i in axes)), a.ndim)
    found = a
    for s, i in zip(shifts.tolist(), axes.tolist()):
        found = _rolled(found, int(s), axis_of(i, a.ndim))
    return found if found is not a else core._copied(a)


@collective("numpy.tile")
def tile(A: Any, reps: Any) -> Array:
    a = _array(A)
    if isinstance(reps, Array):
        raise unsupported("tile", "reps that are a distributed array")
    times = tuple(int(n) for n in (reps if isinstance(reps, (tuple, list, np.ndarray)) else (reps,)))
    ndim = max(a.ndim, len(times))
    times = (1,) * (ndim - len(times)) + times
    if a.ndim < ndim:
        a = expand_dims(a, tuple(range(ndim - a.ndim)))
    found = a
    for axis, n in enumerate(times):
        if n != 1:
            found = from_ranges(found, axis, [range(found.shape[axis])] * n, None, "numpy.tile")
    return found if found is not a else core._copied(a)


@collective("numpy.repeat")
def repeat(a: Any, repeats: Any, axis: Any = None) -> Array:
    a = _array(a)
    if axis is None:
        a, axis = reshaped(a, (a.size,)), 0
    i = axis_of(axis, a.ndim)
    times = core.whole_of(repeats) if isinstance(repeats, Array) else np.asarray(repeats)
    return a[along(i, np.repeat(np.arange(a.shape[i]), times))]


@collective("numpy.take")
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    if out is not None or mode != "raise":
        raise unsupported("take", "the options out and mode")
    a = _array(a)
    if axis is None:
        a, axis = reshaped(a, (a.size,)), 0
    index = indices if isinstance(indices, Array) else np.asarray(indices)
    if index.dtype.kind not in "iu":
        if index.dtype.kind != "b" and not (index.size == 0 and not isinstance(indices, (Array, np.ndarray))):
            raise TypeError(f"Cannot cast array data from {index.dtype!r} to dtype('int64') according to the rule 'safe'")
        index = index.astype(np.intp)
    return a[along(axis_of(axis, a.ndim), index if index.shape else int(index))]


@collective("numpy.take_along_axis")
def take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Array:
    a, index = _array(arr), _array(indices)
    if axis is None:
        if index.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        a, axis = reshaped(a, (a.size,)), 0
    i = axis_of(axis, a.ndim)
    if a.ndim != index.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    if index.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if a.ndim == 1:
        return a[index]
    shape = np.broadcast_shapes(*(tuple(1 if k == i else n for k, n in enumerate(x.shape)) for x in (a, index)))
    other = max((k for k in range(a.ndim) if k != i), key=lambda k: shape[k])
    layout = (tuple(index.shape[i] if k == i else n for k, n in enumerate(shape)), other, core.blocks(shape[other]))
    of_a = part_for(a, (tuple(a.shape[i] if k == i else n for k, n in enumerate(shape)), other, layout[2]), "take_along_axis")
    found = np.take_along_axis(np.asarray(of_a), np.asarray(part_for(index, layout, "take_along_axis")), i)
    return core.from_block(np.broadcast_to(found, block_shape(*layout, _core.rank())), *layout)


def atleast(ndim: int, arrays: Sequence[Any]) -> Any:
    found = []
    for x in arrays:
        a = _array(x)
        if a.ndim == 0:
            a = core.from_whole(a._block.reshape((1,) * ndim))
        elif a.ndim == 1 and ndim == 2:
            a = a[None, :]
        elif a.ndim == 1 and ndim == 3:
            a = a[None, :, None]
        elif a.ndim == 2 and ndim == 3:
            a = a[:, :, None]
        found.append(a)
    return found[0] if len(found) == 1 else tuple(found)


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    a = _array(x)
    i = axis_of(axis, a.ndim)
    return tuple(a[along(i, k)] for k in range(a.shape[i]))


@collective("numpy.diagonal")
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    a = _array(a)
    if not hasattr(offset, "__index__") or hasattr(offset, "shape"):
        raise unsupported("diagonal", "an offset that is not an integer")
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    i, k = axis_of(axis1, a.ndim), axis_of(axis2, a.ndim)
    if i == k:
        raise ValueError("axis1 and axis2 cannot be the same")
    n = max(0, min(a.shape[i] + min(offset, 0), a.shape[k] - max(offset, 0)))
    line = np.arange(n)
    moved = moveaxis(a, (i, k), (-2, -1))
    return moved[..., line - min(offset, 0), line + max(offset, 0)]


@collective("numpy.trace")
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    from .reductions import sum

    if not hasattr(offset, "__index__") or hasattr(offset, "shape"):
        raise unsupported("trace", "an offset that is not an integer")
    return sum(diagonal(a, offset, axis1, axis2), -1, dtype, out)


@collective("numpy.tril")
def tril(m: Any, k: int = 0) -> Array:
    return _triangle(m, k, True)


@collective("numpy.triu")
def triu(m: Any, k: int = 0) -> Array:
    return _triangle(m, k, False)


def _triangle(m: Any, k: int, lower: bool) -> Array:
    if not hasattr(k, "__index__") or hasattr(k, "shape"):
        raise unsupported("tril" if lower else "triu", "k is an integer")
    a = _array(m)
    if a.ndim < 2:
        if a.ndim == 0:
            raise ValueError("armilla: array: a triangle of an array without axes")
        a = broadcast_to_array(a, (a.shape[0], a.shape[0]))
    rows, columns = np.arange(a.shape[-2])[:, None], np.arange(a.shape[-1])
    kept = part_for(np.broadcast_to((columns - rows <= k) if lower else (columns - rows >= k), a.shape[-2:]), (a.shape, a.axis, a.offsets), "tril")
    return core.from_block(np.where(kept, a._block, a.dtype.type(0)), a.shape, a.axis, a.offsets)
