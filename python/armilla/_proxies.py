# SPDX-License-Identifier: Apache-2.0
"""Distributed objects as a driver has them: what is called here, all workers do."""
from __future__ import annotations

import mmap
import os
from typing import Any, Iterable

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from . import _worker_names
from ._arrays import Whole, unsupported
from ._worker_names import Reference


class _Proxy:
    def __init__(self, ranks: Any, number: int) -> None:
        self._ranks = ranks
        self._number = number

    def __reduce__(self) -> Any:
        return Reference(self._ranks._key, self._number).__reduce__()  # in a call, it is the workers' own object

    def _together(self, name: str, *arguments: Any, **options: Any) -> Any:
        return self._ranks._together(_worker_names.method, self, name, *arguments, **options)

    def __del__(self) -> None:
        self._ranks._dropped.append(self._number)


class ArrayProxy(_Proxy, Whole, NDArrayOperatorsMixin):
    """An array over the workers; see armilla.Array. Each operation is done by all of them."""

    def __init__(self, ranks: Any, number: int, size: int, dtype: str) -> None:
        super().__init__(ranks, number)
        self.size = size
        self.dtype = np.dtype(dtype)

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__":
            raise unsupported(f"{function.__name__}.{method}", f"{method} works on local() parts only")
        outs = options.pop("out", None)
        return self._ranks._new(_worker_names.together, _worker_names.ufunc, self, function, inputs, outs, options, results=function.nout)

    def __getitem__(self, where: int | slice) -> Any:
        return self._ranks.call(0, _worker_names.slice_of, self, where).get()

    def __setitem__(self, where: int | slice, value: Any) -> None:
        self._ranks.call(0, _worker_names.set_slice, self, where, value).get()
        self._ranks.barrier()

    def local(self, rank: int) -> np.ndarray:
        """A worker's elements in place, to be read: its memory is mapped here. Valid as long as this array."""
        place, count = self._ranks.call(rank, _worker_names.place, self).get()
        memory = self._ranks._memory(place, count * self.dtype.itemsize)
        if memory is None:
            return self._ranks.call(rank, _worker_names.local, self).get()
        return np.frombuffer(memory[0], self.dtype, count, memory[1])

    def fill(self, value: Any) -> None:
        """Sets all elements."""
        self._together("fill", value)

    def copy(self) -> "ArrayProxy":
        return self._together("copy")

    def sort(self, descending: bool = False) -> None:
        """Puts the elements in order, in place."""
        self._together("sort", descending)

    def cumsum(self) -> "ArrayProxy":
        """Another array of the sums of all elements up to each."""
        return self._together("cumsum")

    def sum(self) -> Any:
        return self._together("sum")

    def min(self) -> Any:
        return self._together("min")

    def max(self) -> Any:
        return self._together("max")

    def mean(self) -> float:
        return self._together("mean")

    def __repr__(self) -> str:
        return f"<armilla array: {self.size} elements of {self.dtype} over {self._ranks.size} workers>"


class DictProxy(_Proxy):
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

    def items(self) -> list[tuple[Any, Any]]:
        return self._together("items")

    def __repr__(self) -> str:
        return f"<armilla dict over {self._ranks.size} workers>"


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
