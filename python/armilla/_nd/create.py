# SPDX-License-Identifier: Apache-2.0
"""How arrays are made."""
from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from . import core, indexing, shaping
from .core import Array, axis_of, dtype_of, from_whole
from .elementwise import part_for
from .meeting import UnsupportedError, collective, meet, meet_numbers, together
from .shaping import shape_given


def as_array(x: Any, dtype: Any = None) -> Array:
    """Of elements that all ranks have; a distributed array is returned as it is."""
    if isinstance(x, Array):
        return x if dtype is None or x.dtype == np.dtype(dtype) else core._as_type(x, dtype_of(dtype))
    values = np.asarray(x, dtype)
    if values.dtype.kind not in "biufc":
        raise UnsupportedError(f"armilla: array: elements of {values.dtype} ({type(x).__name__}); give numbers or truth values")
    return from_whole(values)


@collective("armilla.asarray")
def asarray(obj: Any, dtype: Any = None, *, axis: int = 0, copy: bool | None = None) -> Array:
    """A distributed array of `obj`, a NumPy array, nested list or number that all ranks give alike. A distributed array is returned as it is.

    >>> import armilla as am
    >>> int(am.asarray([[1, 2, 3], [4, 5, 6]]).sum())
    21
    """
    if isinstance(obj, Array):
        found = as_array(obj, dtype)
        return core._copied(found) if copy and found is obj else found
    if copy is False:
        raise ValueError("armilla: asarray: elements are dealt to the ranks, so they are copied")
    values = np.asarray(obj, None if dtype is None else dtype_of(dtype))
    if values.dtype.kind not in "biufc":
        dtype_of(values.dtype)
    return from_whole(values, axis_of(axis, values.ndim) if values.ndim else 0)


def array(source: Any, dtype: Any = None, *, axis: int = 0, name: str | None = None) -> Array:
    """A distributed array of the elements of `source`, which all ranks give alike; of `source` zeros if it is an integer. A NumPy array without axes is an array, too.

    Elements are dealt in blocks along `axis`. `repr` and errors of indices show `name`. `from_local` takes a part from each rank, `asarray` makes an array without axes of a number.

    >>> import armilla as am
    >>> a = am.array([3.0, 1.0, 2.0])
    >>> a.sort()
    >>> a.tolist()
    [1.0, 2.0, 3.0]
    """
    if not isinstance(source, (Array, np.ndarray)) and np.ndim(source) == 0:
        if isinstance(source, (bool, np.bool_)) or not hasattr(source, "__index__"):
            raise _core.UsageError(f"armilla: array: {source!r}: a number of zeros is an integer; armilla.asarray makes an array of one number")
        return zeros(operator.index(source), np.float64 if dtype is None else dtype, name=name)
    return asarray(source, dtype, axis=axis, copy=True if isinstance(source, Array) else None)._named(name)


def from_local(part: Any, axis: int = 0, *, name: str | None = None) -> Array:
    """A distributed array of the parts that the ranks give, one after the other along `axis`. They may have different lengths there.

    >>> import armilla as am, numpy as np
    >>> a = am.from_local(np.full((am.rank + 1, 2), am.rank))
    >>> a.shape == (am.size * (am.size + 1) // 2, 2)
    True
    """
    return together("armilla.from_local", lambda: _from_local(part, axis), str)._named(name)


def _from_local(part: Any, axis: int) -> Array:
    values = np.asarray(part)
    kind = dtype_of(values.dtype)
    if not values.ndim:
        raise _core.UsageError("armilla: from_local: a number has no axis along which parts are put together; give numpy.atleast_1d of it")
    i = axis_of(axis, values.ndim)
    rest = values.shape[:i] + values.shape[i + 1 :]
    meet("armilla.from_local", f"parts of {kind} of shape {rest} beside axis {i}")
    lengths = meet_numbers("armilla.from_local", values.shape[i])[:, 0]
    offsets = (0, *np.cumsum(lengths).tolist())
    return core.from_block(values, values.shape[:i] + (offsets[-1],) + values.shape[i + 1 :], i, offsets)


@collective("armilla.from_function")
def from_function(function: Callable[..., Any], shape: Any, *, dtype: Any = None, axis: int = 0, name: str | None = None) -> Array:
    """`function` of the indices of each element, as numpy.fromfunction has it. It is called once on each rank, with arrays of its block's indices.

    >>> import armilla as am
    >>> am.from_function(lambda i, j: 10 * i + j, (3, 2)).tolist()
    [[0, 1], [10, 11], [20, 21]]
    """
    shape = shape_given(shape)
    i = axis_of(axis, len(shape))
    offsets = core.blocks(shape[i])
    first = offsets[_core.rank()]
    wanted = core.block_shape(shape, i, offsets, _core.rank())
    index = [g + first if k == i else g for k, g in enumerate(np.indices(wanted, sparse=True))]
    found = np.asarray(function(*index), dtype)
    dtype_of(found.dtype)
    return core.from_block(np.broadcast_to(found, wanted), shape, i, offsets)._named(name)


@collective("armilla.full")
def full(shape: Any, fill_value: Any, dtype: Any = None, *, axis: int = 0, name: str | None = None) -> Array:
    """Returns an array whose elements all equal a number.

    >>> import armilla as am
    >>> am.full(3, 7).gather()
    array([7, 7, 7])
    """
    value = fill_value.item() if isinstance(fill_value, Array) else fill_value
    made = core.empty(shape_given(shape), dtype_of(np.asarray(value).dtype if dtype is None else dtype), _axis(axis, shape))
    indexing.refuse_complex(value, made.dtype, "full")
    np.copyto(made._block, value, casting="unsafe")
    return made._named(name)


def _axis(axis: int, shape: Any) -> int:
    given = shape_given(shape)
    return axis_of(axis, len(given)) if given else 0


def zeros(shape: Any, dtype: Any = np.float64, *, axis: int = 0, name: str | None = None) -> Array:
    """Zeros.

    >>> import armilla as am
    >>> am.zeros((2, 3), "i4").tolist()
    [[0, 0, 0], [0, 0, 0]]
    """
    return full(shape, 0, np.float64 if dtype is None else dtype, axis=axis, name=name)


def ones(shape: Any, dtype: Any = np.float64, *, axis: int = 0, name: str | None = None) -> Array:
    """Returns an array of ones.

    >>> import armilla as am
    >>> am.ones((2, 2)).gather()
    array([[1., 1.],
           [1., 1.]])
    """
    return full(shape, 1, np.float64 if dtype is None else dtype, axis=axis, name=name)


@collective("armilla.empty")
def empty(shape: Any, dtype: Any = np.float64, *, axis: int = 0, name: str | None = None) -> Array:
    """Returns an array whose elements have undefined values.

    >>> import armilla as am
    >>> am.empty((2, 3)).shape
    (2, 3)
    """
    return core.empty(shape_given(shape), dtype_of(np.float64 if dtype is None else dtype), _axis(axis, shape))._named(name)


def _like(name: str, value: Any) -> Callable[..., Array]:
    def run(a: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *, device: Any = None) -> Array:
        a = as_array(a)
        kind = a.dtype if dtype is None else dtype_of(dtype)
        made = core.empty_like(a, kind) if shape is None else core.empty(shape_given(shape), kind)
        if value is not None:
            made._block[...] = value
        return made

    run.__name__ = run.__qualname__ = name
    return collective(f"numpy.{name}")(run)


zeros_like, ones_like, empty_like = _like("zeros_like", 0), _like("ones_like", 1), _like("empty_like", None)


@collective("numpy.full_like")
def full_like(a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *, device: Any = None) -> Array:
    made = empty_like(a, dtype, order, subok, shape)
    if isinstance(fill_value, Array) or np.ndim(fill_value):
        shaping.broadcast_to_array(fill_value, made.shape)  # raises if it does not fit
        fill_value = part_for(fill_value, (made.shape, made.axis, made.offsets), "full_like")
    indexing.refuse_complex(fill_value, made.dtype, "full_like")
    np.copyto(made._block, fill_value, casting="unsafe")
    return made


@collective("armilla.arange")
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Array:
    """Numbers from `start` to before `stop`.

    >>> import armilla as am
    >>> am.arange(2, 10, 3).tolist()
    [2, 5, 8]
    """
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ZeroDivisionError("armilla: arange: a step of 0")
    n = max(0, math.ceil((stop - start) / step))
    kind = dtype_of(np.arange(start, type(stop)(start), step, dtype).dtype)  # of all three, also of a `stop` of floating point
    made = core.empty((n,), kind)
    low, high = made.bounds()
    if n * kind.itemsize <= 1 << 16:
        made._block[...] = np.arange(start, stop, step, kind)[:n][low:high]
    elif kind.kind in "iu":
        made._block[...] = np.arange(low, high) * step + start
    else:
        first = kind.type(start)
        made._block[...] = np.arange(low, high) * (kind.type(start + step) - first) + first
    return made


@collective("armilla.linspace")
def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None) -> Array:
    """`num` numbers from `start` to `stop` at equal distances.

    >>> import armilla as am
    >>> am.linspace(0, 1, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    n = operator.index(num)
    if n < 0:
        raise ValueError(f"armilla: linspace: the number of samples, {n}, must be non-negative")
    kind = np.linspace(start, stop, 1, endpoint=endpoint).dtype
    made = core.empty((n,), dtype_of(kind if dtype is None else dtype))
    low, high = made.bounds()
    line = np.arange(low, high, dtype=np.float64)
    parts = n - 1 if endpoint else n
    delta = np.subtract(stop, start, dtype=kind)
    if parts > 0:
        step = delta / parts
        found = (line * step if step != 0 else line / parts * delta) + start
    else:
        found = line * delta + start
    if endpoint and n > 1 and high == n and low < high:
        found[-1] = stop
    made._block[...] = np.floor(found) if made.dtype.kind in "iu" else found
    return made


@collective("armilla.eye")
def eye(n_rows: int, n_cols: int | None = None, k: int = 0, dtype: Any = np.float64) -> Array:
    """Ones on the k-th diagonal, else zeros.

    >>> import armilla as am
    >>> am.eye(2).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    made = core.empty((operator.index(n_rows), operator.index(n_rows if n_cols is None else n_cols)), dtype_of(np.float64 if dtype is None else dtype))
    low, high = made.bounds()
    made._block[...] = np.eye(high - low, made.shape[1], k + low, made.dtype)
    return made


def meshgrid(*arrays: Any, indexing: str = "xy") -> list[Array]:
    """Coordinates of a grid, as numpy.meshgrid has them."""
    from .shaping import broadcast_arrays

    if indexing not in ("xy", "ij"):
        raise ValueError(f"armilla: meshgrid: indexing {indexing!r}; there are 'xy' and 'ij'")
    given = [as_array(a) for a in arrays]
    n = len(given)
    order = [1, 0, *range(2, n)] if indexing == "xy" and n > 1 else list(range(n))
    lines = []
    for a, k in zip(given, order):
        if a.ndim > 1:
            raise ValueError("armilla: meshgrid: coordinates have one axis at most")
        line = from_whole(a._block.reshape(1)) if not a.ndim else a
        lines.append(line[(None,) * k + (slice(None),) + (None,) * (n - 1 - k)])
    return [core._copied(a) for a in broadcast_arrays(*lines)]
