# SPDX-License-Identifier: Apache-2.0
"""Distributed objects as a driver has them: what is called here, all workers do."""
from __future__ import annotations

import functools
import html
import mmap
import os
from typing import Any, Iterable, Iterator

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from . import _core, _shared, _worker_names
from ._worker_names import Reference


_gather_limit = 4 << 30  # bytes


class Proxy:
    def __init__(self, ranks: Any, token: Any) -> None:
        self._ranks = ranks
        self._token = token
        self._number = token.number

    def __reduce__(self) -> Any:
        return Reference(self._ranks._key, self._number).__reduce__()  # in a call, it is the workers' own object

    def _together(self, name: str, /, *arguments: Any, **options: Any) -> Any:
        return self._ranks._together(_worker_names.method, self, name, *arguments, **options)

    def partitions(self) -> list["Partition"]:
        """The part of each worker, for the tasks of an `armilla.Pool`: `pool.map(f, a.partitions())`. A task gets the part itself, a NumPy array or a frame of polars, from
        memory that it shares with the others; its elements are read-only. They are those of now: one copy within each worker, freed when the list and its tasks are gone."""
        return self._ranks._partitions(self)


class Partition:
    """One worker's part of an array or table."""

    def __init__(self, held: Proxy, where: tuple[int, int, int]) -> None:
        self._held, self._where = held, where

    def get(self) -> Any:
        """The part, in this process."""
        return _shared._received(*self._where)

    def __reduce__(self) -> Any:
        if _shared.local.held is not None:
            _shared.local.held.append(self)
        return _shared._received, self._where


class ArrayProxy(Proxy, NDArrayOperatorsMixin):
    """An array over the workers; see armilla.Array. Each operation is done by all of them."""

    def __init__(self, ranks: Any, token: Any, shape: tuple[int, ...], dtype: str, axis: int | None) -> None:
        super().__init__(ranks, token)
        self.shape = shape
        self.dtype = np.dtype(dtype)
        self.axis = axis

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: int(np.prod(self.shape, dtype=object)) if self.shape else 1)
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.dtype.itemsize)
    name = property(lambda self: self._ranks._together(_worker_names.attribute, self, "name"))
    flags = property(lambda self: np.empty(1, self.dtype).flags)
    T = property(lambda self: self._ranks._together(_worker_names.attribute, self, "T"))
    mT = property(lambda self: self._ranks._together(_worker_names.attribute, self, "mT"))
    real = property(lambda self: self._ranks._together(_worker_names.attribute, self, "real"))
    imag = property(lambda self: self._ranks._together(_worker_names.attribute, self, "imag"))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("armilla: array: len() of an array without an axis")
        return self.shape[0]

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return self._together("__contains__", value)

    def __bool__(self) -> bool:
        return self._together("__bool__")

    def __int__(self) -> int:
        return self._together("__int__")

    def __float__(self) -> float:
        return self._together("__float__")

    def __complex__(self) -> complex:
        return self._together("__complex__")

    def __index__(self) -> int:
        return self._together("__index__")

    def __format__(self, how: str) -> str:
        return self._together("__format__", how)

    def __copy__(self) -> "ArrayProxy":
        return self.copy()

    def __deepcopy__(self, memo: Any) -> "ArrayProxy":
        return self.copy()

    def __array_ufunc__(self, function: np.ufunc, method: str, /, *inputs: Any, **options: Any) -> Any:
        out = options.get("out")
        found = self._ranks._together(_worker_names.ufunc, self, function, method, inputs, options)
        return found if out is None or any(each is None for each in out) else out[0] if len(out) == 1 else out

    def __array_function__(self, function: Any, types: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        return self._ranks._together(_worker_names.function, self, function, args, kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if copy is False:
            raise ValueError("armilla: array: its elements are on several ranks: it cannot become an array of NumPy without a copy; use local()")
        if self.nbytes > _gather_limit:
            raise _core.LimitError(f"armilla: array: the whole array of {self.nbytes} bytes is more than the {_gather_limit} that numpy.asarray brings to the driver; take a slice, or a.get(), which has no limit")
        found = np.asarray(self.get())
        return found if dtype is None else found.astype(dtype, copy=False)

    def __getitem__(self, where: Any) -> Any:
        return self._together("__getitem__", where)

    def __setitem__(self, where: Any, value: Any) -> None:
        self._together("__setitem__", where, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in _methods:
            raise AttributeError(f"armilla: array: distributed arrays have no attribute '{name}'")
        return functools.partial(self._together, name)

    def get(self, where: Any = ()) -> Any:
        """The elements at an index of integers and slices, as a NumPy array or scalar."""
        return self._ranks.call(0, _worker_names.method, self, "get", where).get()

    def put(self, where: Any, value: Any) -> None:
        """Writes the elements at an index of integers and slices."""
        self._ranks.call(0, _worker_names.method, self, "put", where, value).get()

    def local(self, rank: int) -> np.ndarray:
        """A worker's block in place, to be read: its memory is mapped here. Valid as long as this array."""
        where = self._ranks.call(rank, _worker_names.place, self).get()
        if where is not None:
            count = int(np.prod(where[1], dtype=object))
            memory = self._ranks._memory(where[0], count * self.dtype.itemsize)
            if memory is not None:
                return np.frombuffer(memory[0], self.dtype, count, memory[1]).reshape(where[1])
        return self._ranks.call(rank, _worker_names.local, self).get()

    def __repr__(self) -> str:
        return self._ranks.call(0, _worker_names.method, self, "__repr__").get().replace(" ranks", " workers", 1)

    def _repr_html_(self) -> str:
        head, _, elements = repr(self).partition("\n")
        return f"<b>{html.escape(head.strip('<>'))}</b>, {self.nbytes / 1e6:.1f} MB<pre>{html.escape(elements.removesuffix('>'))}</pre>"


# What the workers' arrays do together by these names.
_methods = frozenset("""all any argmax argmin argsort astype bounds clip conj conjugate copy cumprod cumsum diagonal dot fill flatten gather item max mean min nonzero prod ravel redistribute repeat
reshape round searchsorted sort squeeze std sum swapaxes take tolist trace transpose var""".split())


class DictProxy(Proxy):
    """A dictionary over the workers; see armilla.Dict."""

    def update(self, key: Any, value: Any = 1) -> None:
        self._ranks.call(0, _worker_names.method, self, "update", key, value).get()

    def update_all(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        self._ranks.call(0, _worker_names.method, self, "update_all", list(pairs)).get()

    def get(self, key: Any, default: Any = None) -> Any:
        return self._ranks.call(0, _worker_names.method, self, "get", key, default).get()

    def __getitem__(self, key: Any) -> Any:
        return self._ranks.call(0, _worker_names.method, self, "__getitem__", key).get()

    def __setitem__(self, key: Any, value: Any) -> None:
        self._ranks.call(0, _worker_names.method, self, "__setitem__", key, value).get()

    def __contains__(self, key: Any) -> bool:
        return self._ranks.call(0, _worker_names.method, self, "__contains__", key).get()

    def count(self) -> int:
        return self._together("count")

    def __len__(self) -> int:
        return self.count()

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key, _ in self.items()])

    def items(self) -> list[tuple[Any, Any]]:
        return self._together("items")

    def __repr__(self) -> str:
        return f"<armilla dict over {self._ranks.size} workers>"


class TableProxy(Proxy):
    """A table over the workers; see armilla.Table. Each operation is done by all of them."""

    schema = property(lambda self: self._ranks._together(_worker_names.attribute, self, "schema"))
    columns = property(lambda self: self._ranks._together(_worker_names.attribute, self, "columns"))

    def __len__(self) -> int:
        return self._together("__len__")

    def __getitem__(self, column: str) -> Any:
        """A column of numbers, as an array over the workers."""
        return self._together("__getitem__", column)

    def __getattr__(self, name: str) -> Any:
        if name not in _methods_of_tables:
            raise AttributeError(f"armilla: table: distributed tables have no attribute '{name}'")
        return functools.partial(self._together, name)

    def group_by(self, *keys: Any) -> Any:
        return GroupsProxy(self, keys)

    def local(self, rank: int) -> Any:
        """A worker's rows, as a frame of polars."""
        return _worker_names.unpacked_frame(self._ranks.call(rank, _worker_names.local_rows, self).get())

    def to_polars(self, **options: Any) -> Any:
        """All rows, as a frame of polars in this process."""
        return _worker_names.unpacked_frame(self._ranks._together(_worker_names.all_rows, self, options))

    def to_pandas(self) -> Any:
        return self.to_polars().to_pandas()

    def to_arrow(self) -> Any:
        return self.to_polars().to_arrow()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_polars().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<armilla table of {', '.join(self.columns)} over {self._ranks.size} workers>"

    def _repr_html_(self) -> str:
        count, first = len(self), self.head(10).to_polars()
        more = f", of which these are the first {len(first)}" if count > len(first) else ""
        return f"<b>armilla table</b> over {self._ranks.size} workers: {count} rows{more}{first._repr_html_()}"


class GroupsProxy:
    """What `group_by` gives."""

    def __init__(self, table: TableProxy, keys: tuple) -> None:
        self._table, self._keys = table, keys

    def agg(self, /, *exprs: Any, **named: Any) -> Any:
        """One row for each group."""
        return self._table._ranks._together(_worker_names.aggregate, self._table, self._keys, exprs, named)


_methods_of_tables = frozenset("""drop filter head join map_partitions partition_by rebalance rename select sort sql top_k unique value_counts with_columns write_csv
write_parquet""".split())

class GeneratorProxy(Proxy):
    """A generator of random numbers over the workers; see armilla.random."""

    def __getattr__(self, name: str) -> Any:
        if name not in _methods_of_generators:
            raise AttributeError(f"armilla: random: generators have no attribute '{name}'")
        return functools.partial(self._together, name)

    def __repr__(self) -> str:
        return self._ranks.call(0, _worker_names.method, self, "__repr__").get()


class Random:
    """`armilla.random` of workers."""

    def __init__(self, ranks: Any) -> None:
        self._ranks = ranks

    def default_rng(self, seed: int | None = None) -> GeneratorProxy:
        """A generator of distributed arrays. Without a seed, the workers use a random one."""
        return self._ranks._together(_worker_names.default_rng, seed)


_methods_of_generators = frozenset("exponential integers normal permutation random shuffle standard_normal uniform".split())

kinds = {"generator": GeneratorProxy, "array": ArrayProxy, "dict": DictProxy, "table": TableProxy}


def open_memory(supervisor: int) -> int | None:
    """The memory of a job of this host, opened for reading: a descriptor."""
    folder = f"/proc/{supervisor}/fd"
    try:
        for name in os.listdir(folder):
            if os.readlink(f"{folder}/{name}") == "/memfd:armilla (deleted)":
                return os.open(f"{folder}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        pass
    return None


def map_memory(file: int, place: int, size: int) -> tuple[mmap.mmap, int]:
    """A mapping that has `size` bytes from `place` on, and where they lie in it."""
    first = place // mmap.ALLOCATIONGRANULARITY * mmap.ALLOCATIONGRANULARITY
    return mmap.mmap(file, max(1, place - first + size), mmap.MAP_SHARED, mmap.PROT_READ, offset=first), place - first
