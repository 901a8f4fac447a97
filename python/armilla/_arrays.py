# SPDX-License-Identifier: Apache-2.0
"""Arrays whose elements lie on all ranks: the library's, with NumPy's words."""
from __future__ import annotations

import operator
import weakref
from typing import Any, Callable

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from . import _collectives, _core, _waits

_kinds = {np.dtype(k): getattr(_core, f"Array_{k}") for k in ("f8", "f4", "i8", "i4")}


def dtype_of(what: Any) -> np.dtype:
    kind = np.dtype(what)
    if kind not in _kinds:
        raise _core.UsageError(f"armilla: array: elements of {kind} are not among those of distributed arrays: float64, float32, int64, int32")
    return kind


# Of a worker, for `_collectives.take_part`: the arrays that it has, by number in the order in which all ranks made them.
_live: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()  # by the identity of their core
_numbered: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
_just_made: dict[int, Any] = {}  # cores of arrays that this rank has for the others' sake: its own are gone, or were never made
_next_number = 0


def recalled(core: Any) -> tuple[str, int]:
    """What stands for an array among all ranks: its type and number. Called first when it is made."""
    global _next_number
    mine = _live.get(id(core))
    if mine is None:
        number = next(n for n, c in _just_made.items() if c is core)
    elif mine._number is None:
        mine._number = number = _next_number
        _next_number += 1
        _numbered[number] = mine
    else:
        number = mine._number
    return type(core).__name__[-2:], number


def recall(kind: str, number: int) -> Any:
    """The core of the array that another rank has recalled."""
    global _next_number
    found = _numbered.get(number)
    if found is not None:
        return found._core
    if number not in _just_made:
        _just_made[number] = _kinds[np.dtype(kind)]()
        _next_number = max(_next_number, number + 1)
    return _just_made[number]


class UnsupportedError(_core.UsageError, TypeError):
    """A function of NumPy, or a use of it, that distributed arrays do not have. The text names it."""


def unsupported(name: str, why: str = "distributed arrays do not have it") -> UnsupportedError:
    return UnsupportedError(f"armilla: array: numpy.{name}: {why}; numpy.asarray(a) is the whole array on this rank, a.local() this rank's own part")


def element_of(where: Any, size: int) -> int:
    """The index that an integer is."""
    if isinstance(where, (bool, np.bool_)) or not hasattr(where, "__index__") or np.ndim(where) != 0:
        raise UnsupportedError(f"armilla: array: an index of type {type(where).__name__}; give an integer or a slice")
    i = operator.index(where)
    at = i + size if i < 0 else i
    if not 0 <= at < size:
        raise IndexError(f"armilla: array: element {i} of {size}")
    return at


class Whole:
    """What an array is to Python and NumPy beside its operators: for arrays of ranks and those of a driver."""

    size: int
    dtype: np.dtype

    shape = property(lambda self: (self.size,))
    ndim = 1
    nbytes = property(lambda self: self.size * self.dtype.itemsize)
    flags = property(lambda self: np.empty(1, self.dtype).flags)

    def __len__(self) -> int:
        return self.size

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(f"armilla: array: the truth value of an array of {self.size} elements is ambiguous; ask for that of one element")
        return bool(self[0])

    def __getitem__(self, where: int | slice) -> Any:
        raise NotImplementedError

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if copy is False:
            raise ValueError("armilla: array: its elements are on several ranks: it cannot become an array of NumPy without a copy; use local()")
        return self[:].astype(self.dtype if dtype is None else dtype, copy=False)

    def __array_function__(self, function: Callable[..., Any], types: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        known = _functions.get(function)
        if known is None:
            raise unsupported(_name_of(function))
        if len(args) != known[0] or kwargs or not all(isinstance(a, Whole) for a in args):
            raise unsupported(_name_of(function), f"here it takes {known[0]} distributed array{'s' if known[0] > 1 else ''} and no options")
        return known[1](*args)


def _name_of(function: Any) -> str:
    module = getattr(function, "__module__", "") or ""
    return f"{module[6:]}.{function.__name__}".lstrip(".") if module.startswith("numpy.") else function.__name__


def _sorted_copy(a: Any) -> Any:
    copy = a.copy()
    copy.sort()
    return copy


def dot(a: Any, b: Any) -> Any:
    """The sum of the products, as numpy.dot has it."""
    if a.size != b.size:
        raise ValueError(f"armilla: array: {a.size} elements and {b.size}: both need the same number")
    kind = np.result_type(a.dtype, b.dtype)
    return np.asarray((a * b).sum()).astype(kind)[()]


_functions: dict[Any, tuple[int, Callable[..., Any]]] = {
    np.sum: (1, lambda a: np.add.reduce(np.empty(0, a.dtype)).dtype.type(a.sum())),
    np.min: (1, lambda a: a.dtype.type(a.min())),
    np.max: (1, lambda a: a.dtype.type(a.max())),
    np.mean: (1, lambda a: np.result_type(a.dtype, "f4" if a.dtype == "f4" else "f8").type(a.mean())),
    np.cumsum: (1, lambda a: a.cumsum()),
    np.sort: (1, _sorted_copy),
    np.copy: (1, lambda a: a.copy()),
    np.dot: (2, dot),
    np.vdot: (2, dot),
    np.inner: (2, dot),
    np.shape: (1, lambda a: a.shape),
    np.ndim: (1, lambda a: 1),
    np.size: (1, lambda a: a.size),
}
_functions[np.amin], _functions[np.amax] = _functions[np.min], _functions[np.max]
_products = ("matmul", "vecdot")  # ufuncs of two arrays whose value is `dot`


class Array(Whole, NDArrayOperatorsMixin):
    """Numbers in blocks over all ranks. All ranks make it, and call what combines or changes all of it, in the same order.

    Operators and NumPy's functions of elements (`a += 1`, `a * b`, `np.sqrt(a)`) work on each rank's own elements. `sort`, `sum`, `min`,
    `max`, `mean`, `cumsum` and `a @ b` are of all elements. `a[10:20]` and `a[3] = 1.0` are one-sided: one rank may call them alone.
    Functions of NumPy give NumPy's answer, or raise a TypeError that names them.
    """

    def __init__(self, size: int, dtype: Any = "f8") -> None:
        self.dtype = dtype_of(dtype)
        _collectives.agree("array", f"{size} elements of {self.dtype}")
        self._core = _kinds[self.dtype]()
        self._number: int | None = None
        _live[id(self._core)] = self
        _collectives._run("array", self._core.create, size)
        self.size = size

    def __del__(self) -> None:
        if _waits is not None and _waits.unsettled and getattr(self, "_number", None) is not None:  # others may be in an algorithm that goes over it
            _just_made[self._number] = self._core

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
        self._core.read(element_of(where, self.size), part)
        return part[0]

    def __setitem__(self, where: int | slice, value: Any) -> None:
        if isinstance(where, slice):
            first, end, step = where.indices(self.size)
            if step != 1:
                raise _core.UsageError("armilla: array: a slice that is set has no steps")
            part = np.ascontiguousarray(np.broadcast_to(np.asarray(value, self.dtype), (max(0, end - first),)))
            self._core.write(first, part)
        else:
            self._core.write(element_of(where, self.size), np.array([value], self.dtype))

    # ---- all of it ----

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        name = function.__name__
        if method != "__call__":
            raise unsupported(f"{name}.{method}", f"{method} works on local() parts only")
        if function.signature is not None:
            if name in _products and not options and all(isinstance(i, Array) for i in inputs):
                return dot(*inputs)
            raise unsupported(name, "it goes over whole dimensions")
        outs = options.pop("out", (None,) * function.nout)
        size, kinds = self._result_of(function, inputs, outs, options)
        options.setdefault("casting", "same_kind")
        results = tuple(Array(size, kind) if out is None else out for out, kind in zip(outs, kinds))
        error: Exception | None = None
        try:
            options.update({k: _part_of(options[k], results[0]) for k in ("where",) if k in options})
            function(*(_part_of(i, results[0]) for i in inputs), out=tuple(r.local() for r in results), **options)
        except Exception as why:  # perhaps of this rank's elements alone: all of them hear of it
            error = why
        _collectives.end_together(f"numpy.{name}", f"numpy.{name} of {size} elements", error)
        return results[0] if len(results) == 1 else results

    @staticmethod
    def _result_of(function: np.ufunc, inputs: tuple, outs: tuple, options: dict[str, Any]) -> tuple[int, list[np.dtype]]:
        """How many elements the results have, and of which types. Raises before anything has happened."""
        name = function.__name__
        shapes = [np.shape(i) if not isinstance(i, Array) else i.shape for i in (*inputs, *([options["where"]] if "where" in options else []))]
        if any(len(shape) > 1 for shape in shapes):
            raise unsupported(name, "distributed arrays have one dimension")
        if any(out is not None and not isinstance(out, Array) for out in outs):
            raise unsupported(name, "the result of an operation on distributed arrays is a distributed array, not a NumPy array")
        try:
            (size,) = np.broadcast_shapes(*shapes, *(out.shape for out in outs if out is not None))  # what is given for results may be larger
        except ValueError:
            raise _core.UsageError(f"armilla: array: numpy.{name}: {' and '.join(str(s[0]) for s in shapes if s)} elements{'' if outs[0] is None else f', results in {outs[0].size}'}: all need the same number") from None
        if any(out is not None and out.size != size for out in outs):
            raise _core.UsageError(f"armilla: array: numpy.{name}: the result needs the same number of elements, {size}")
        samples = [np.empty(0, i.dtype) if isinstance(i, Array) else i if np.ndim(i) == 0 else np.asarray(i)[:0] for i in inputs]
        found = function(*samples, **{k: v for k, v in options.items() if k != "where"})
        kinds = [each.dtype for each in (found if isinstance(found, tuple) else (found,))]
        for kind, out in zip(kinds, outs):
            if out is None and kind not in _kinds:
                what = "truth values" if kind == bool else f"elements of {kind}"
                raise unsupported(name, f"it gives {what}, which distributed arrays do not hold")
            if out is not None and not np.can_cast(kind, out.dtype, options.get("casting", "same_kind")):
                raise UnsupportedError(f"armilla: array: numpy.{name} gives {kind}, and the array that takes it holds {out.dtype}")
        return size, kinds

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
        """Another array of the sums of all elements up to each; of int32 in int64, as NumPy has them."""
        sums = self + np.int64(0) if self.dtype == "i4" else self.copy()
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
        return float(_collectives.all_reduce(np.array([self.local().sum(dtype="f8")]))[0]) / self.size  # a sum of integers may not fit one

    def __repr__(self) -> str:
        return f"<armilla.Array: {self.size} elements of {self.dtype} over {_core.size()} ranks>"


def _part_of(value: Any, result: Array) -> Any:
    """What stands beside the result's elements of this rank."""
    if isinstance(value, Array):
        return value.local() if value.size == result.size else value[:]
    if np.ndim(value) == 0:
        return value
    whole = np.asarray(value)
    return whole[slice(*result.bounds())] if len(whole) == result.size else whole


def array(source: Any, dtype: Any = None) -> Array:
    """A distributed array of `source` zeros, if that is a number, or of the elements of `source`, which all ranks give alike. Collective."""
    if np.ndim(source) == 0:
        return Array(operator.index(source), "f8" if dtype is None else dtype)
    values = np.asarray(source, dtype)
    if values.ndim != 1:
        raise _core.UsageError(f"armilla: array: elements of shape {values.shape}: distributed arrays have one dimension")
    made = Array(values.shape[0], values.dtype)
    made.local()[:] = values[slice(*made.bounds())]
    _collectives.barrier()
    return made
