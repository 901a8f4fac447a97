# SPDX-License-Identifier: Apache-2.0
"""Arrays whose elements lie on all ranks: the library's, with NumPy's words."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from . import _collectives, _core

_kinds = {np.dtype(k): getattr(_core, f"Array_{k}") for k in ("f8", "f4", "i8", "i4")}


def dtype_of(what: Any) -> np.dtype:
    kind = np.dtype(what)
    if kind not in _kinds:
        raise _core.UsageError(f"armilla: array: elements of {kind} are not among those of distributed arrays: float64, float32, int64, int32")
    return kind


class Array(NDArrayOperatorsMixin):
    """Numbers in blocks over all ranks. All ranks make it, and call what combines or changes all of it, in the same order.

    Operators and NumPy's functions of elements (`a += 1`, `a * b`, `np.sqrt(a)`) work on each rank's own elements. `sort`, `sum`, `min`,
    `max`, `mean` and `cumsum` are the library's. `a[10:20]` and `a[3] = 1.0` are one-sided: one rank may call them alone.
    """

    def __init__(self, size: int, dtype: Any = "f8") -> None:
        self.dtype = dtype_of(dtype)
        self._core = _kinds[self.dtype]()
        _collectives._run("array", self._core.create, size)
        self.size = size

    shape = property(lambda self: (self.size,))
    ndim = 1
    nbytes = property(lambda self: self.size * self.dtype.itemsize)

    def __len__(self) -> int:
        return self.size

    # ---- elements ----

    def local(self, rank: int | None = None) -> np.ndarray:
        """A rank's elements (this one's), in place; of a rank whose memory is not mapped here, as on another host, a copy."""
        if rank is None or rank == _core.rank():
            return self._core.local()
        there = self._core.view(rank)
        if there is not None:
            return there
        first, end = self._core.bounds(rank)
        return self[first:end]

    def bounds(self, rank: int | None = None) -> tuple[int, int]:
        """The first index of a rank's elements (of this one's), and the one behind its last."""
        return self._core.bounds(_core.rank() if rank is None else rank)

    def __getitem__(self, where: int | slice) -> Any:
        if isinstance(where, slice):
            first, end, step = where.indices(self.size)
            if step < 1:
                raise _core.UsageError("armilla: array: a slice goes forward; turn round the copy")
            part = np.empty(max(0, end - first), self.dtype)
            self._core.read(first, part)
            return part[::step]
        part = np.empty(1, self.dtype)
        self._core.read(self._index(where), part)
        return part[0]

    def __setitem__(self, where: int | slice, value: Any) -> None:
        if isinstance(where, slice):
            first, end, step = where.indices(self.size)
            if step != 1:
                raise _core.UsageError("armilla: array: a slice that is set has no steps")
            part = np.ascontiguousarray(np.broadcast_to(np.asarray(value, self.dtype), (max(0, end - first),)))
            self._core.write(first, part)
        else:
            self._core.write(self._index(where), np.array([value], self.dtype))

    def _index(self, i: int) -> int:
        at = i + self.size if i < 0 else i
        if not 0 <= at < self.size:
            raise IndexError(f"armilla: array: element {i} of {self.size}")
        return at

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self[:].astype(dtype or self.dtype, copy=False)

    # ---- all of it ----

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or function.nout != 1:
            raise _core.UsageError(f"armilla: array: numpy.{function.__name__}.{method} works on local() parts only")
        out = options.pop("out", (None,))[0]
        parts = [self._part_of(i) for i in inputs]
        if out is None:
            out = Array(self.size, self._result_of(function, inputs))
        elif not isinstance(out, Array) or out.size != self.size:
            raise _core.UsageError("armilla: array: the result of an operation on distributed arrays is one of the same size")
        function(*parts, out=out.local(), casting="same_kind", **options)
        _collectives.barrier()
        return out

    def _part_of(self, other: Any) -> Any:
        if isinstance(other, Array):
            if other.size != self.size:
                raise _core.UsageError(f"armilla: array: {self.size} elements and {other.size}: both need the same number")
            return other.local()
        value = np.asarray(other)
        if value.ndim == 0:
            return other
        if value.shape != (self.size,):
            raise _core.UsageError(f"armilla: array: {self.size} elements and {value.shape}: both need the same number")
        return value[slice(*self.bounds())]

    def _result_of(self, function: np.ufunc, inputs: tuple) -> np.dtype:
        samples = [np.ones(1, i.dtype) if isinstance(i, Array) else i if np.ndim(i) == 0 else np.asarray(i)[:1] for i in inputs]
        kind = function(*samples).dtype
        if kind == np.dtype(bool):
            raise _core.UsageError(f"armilla: array: numpy.{function.__name__} gives truth values, which distributed arrays do not hold; use local()")
        return dtype_of(kind)

    def fill(self, value: Any) -> None:
        """Sets all elements."""
        self.local()[:] = value
        _collectives.barrier()

    def copy(self) -> "Array":
        other = Array(self.size, self.dtype)
        other.local()[:] = self.local()
        _collectives.barrier()
        return other

    def sort(self, descending: bool = False) -> None:
        """Puts the elements in order, in place."""
        _collectives._run("array.sort", self._core.sort, descending)

    def cumsum(self) -> "Array":
        """Another array of the sums of all elements up to each."""
        sums = self.copy()
        _collectives._run("array.cumsum", sums._core.scan)
        return sums

    def _reduce(self, op: str) -> Any:
        _collectives._run(f"array.{op}", self._core.reduce, op)
        return self._core.value()

    def sum(self) -> Any:
        """In float64 or int64, whatever the elements are."""
        return self._reduce("sum")

    def min(self) -> Any:
        return self._reduce("min")

    def max(self) -> Any:
        return self._reduce("max")

    def mean(self) -> float:
        if self.size == 0:
            raise ValueError("array.mean: the array is empty")
        return self.sum() / self.size

    def __repr__(self) -> str:
        return f"<armilla.Array: {self.size} elements of {self.dtype} over {_core.size()} ranks>"


def array(source: Any, dtype: Any = None) -> Array:
    """A distributed array of `source` zeros, if that is a number, or of the elements of `source`, which all ranks give alike. Collective."""
    if np.ndim(source) == 0:
        return Array(int(source), dtype or "f8")
    values = np.asarray(source, dtype)
    made = Array(values.shape[0], values.dtype)
    made.local()[:] = values[slice(*made.bounds())]
    _collectives.barrier()
    return made
