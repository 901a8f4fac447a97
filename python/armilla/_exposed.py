# SPDX-License-Identifier: Apache-2.0
"""Arrays that a running job exposes, in this process's memory."""
from __future__ import annotations

import functools
import os
import re
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _core

_NUMBERS = {"bool": "?", "char": "S1"} | {f"{kind}{bits}": f"{code}{bits // 8}" for kind, code in (("int", "i"), ("uint", "u")) for bits in (8, 16, 32, 64)}
_NUMBERS |= {"float32": "f4", "float64": "f8", "complex<float32>": "c8", "complex<float64>": "c16"}


_PIECE = 4 << 20  # bytes; not by the number of cores, so that sums are the same everywhere


class _Part:
    """What one rank has of an array, by rows of its first dimension: mapped, or brought from another host as it is asked for."""

    def __init__(self, info: dict[str, Any], dtype: np.dtype) -> None:
        self.info, self.dtype = info, dtype
        self.rank: int = info["rank"]
        self.shape: tuple[int, ...] = info["extent"]
        self.size = int(np.prod(self.shape))
        self._strides = tuple(n * dtype.itemsize for n in info["stride"])
        memory = info["memory"]
        self._far, self._here = memory, None
        if isinstance(memory, np.ndarray):
            self._here = np.ndarray(self.shape, dtype, buffer=memory, strides=self._strides) if self.size else np.empty(self.shape, dtype)

    def _span(self, rows: int) -> int:
        """Bytes from the first element of so many rows to the end of the last one."""
        return sum((n - 1) * stride for n, stride in zip((rows, *self.shape[1:]), self._strides)) + self.dtype.itemsize

    def rows(self, first: int = 0, end: int | None = None) -> np.ndarray:
        """A view of this rank's memory, or a copy of that of another host, as it is now."""
        if self._here is not None:
            return self._here[first:end]
        first, end, _ = slice(first, end).indices(self.shape[0])
        extent = (max(end - first, 0), *self.shape[1:])
        if 0 in extent:
            return np.empty(extent, self.dtype)
        copy = np.empty(self._span(extent[0]), np.uint8)
        self._far.read(first * self._strides[0], copy)
        local = np.ndarray(extent, self.dtype, buffer=copy, strides=self._strides)
        local.flags.writeable = False  # else a change would seem to reach the rank
        return local

    def put(self, mask: np.ndarray, values: np.ndarray) -> None:
        """Writes the elements that the mask chooses, and no others: the rank may write those meanwhile."""
        if self._here is not None:
            self._here[mask] = values
            return
        if not mask.any():
            return
        places = np.ravel(sum(i * stride for i, stride in zip(np.nonzero(mask), self._strides)))
        packed = np.ascontiguousarray(values, self.dtype).reshape(-1).view(np.uint8).reshape(len(places), -1)
        for run in np.split(np.arange(len(places)), np.flatnonzero(np.diff(places) != self.dtype.itemsize) + 1):
            self._far.write(int(places[run[0]]), packed[run].reshape(-1))

    def pieces(self) -> list[Callable[[], np.ndarray]]:
        if not self.size:
            return []
        rows = max(1, _PIECE * self.shape[0] // (self.size * self.dtype.itemsize))
        return [functools.partial(self.rows, first, first + rows) for first in range(0, self.shape[0], rows)]


def _by_all_cores(work: Callable[[Any], Any], pieces: list[Any]) -> list[Any]:
    """What `work` makes of each piece. NumPy releases the interpreter's lock, and half of the first pass over mapped memory is page faults."""
    results = [work(piece) for piece in pieces[:1]]  # if it cannot be done, it ends here
    results += [None] * (len(pieces) - 1)
    left = deque(range(1, len(pieces)))
    failures: list[Exception] = []

    def work_off() -> None:
        while left:
            try:
                i = left.popleft()
            except IndexError:  # another thread has it
                return
            try:
                results[i] = work(pieces[i])
            except Exception as why:  # a rank or its host is gone: told once, by the thread that asked
                failures.append(why)
                left.clear()

    helpers = [threading.Thread(target=work_off) for _ in range(min(len(os.sched_getaffinity(0)), len(left)) - 1)]
    for helper in helpers:
        helper.start()
    work_off()
    for helper in helpers:
        helper.join()
    if failures:
        raise failures[0]
    return results


def _split(text: str) -> list[str]:
    """The types of a list of them, which may hold lists."""
    parts, depth, begin = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "{(<") - (letter in "})>")
        if letter == "," and depth == 0:
            parts.append(text[begin:at])
            begin = at + 2
    return parts + ([text[begin:]] if text else [])


def dtype_of(text: str, size: int) -> np.dtype:
    """The type of NumPy for a type of a signature; bytes where there is none."""
    try:
        found = np.dtype(_dtype(text))
    except (KeyError, ValueError, TypeError):
        return np.dtype((np.void, size))
    return found if found.itemsize == size else np.dtype((np.void, size))


def _dtype(text: str) -> Any:
    if array := re.fullmatch(r"(.*)\[(\d+)\]", text):
        return np.dtype((_dtype(array[1]), (int(array[2]),)))
    if text.startswith("enum "):
        return _dtype(text[5:])
    if text.startswith("{") and text.endswith("}"):
        return np.dtype([(f"m{i}", _dtype(part)) for i, part in enumerate(_split(text[1:-1]))], align=True)
    return np.dtype(_NUMBERS[text])


class ExposedArray:
    """An array or matrix of a running job: `job.array("temperature")`.

    Each rank's part lies where the rank has it, and is mapped: nothing is copied, nothing asks the ranks, and what they write
    meanwhile is seen, so that a sum may be of half an iteration. What is written here is written there. Of ranks of other hosts
    what is asked for is brought by the agents, each time anew, again without the ranks.
    """

    def __init__(self, job: _core.Client, name: str) -> None:
        self.name = name
        self._parts: list[_Part] = []
        for part in _core.exposed_parts(job, name):
            self.dtype = dtype_of(part["type"], part["element_bytes"])
            self.shape: tuple[int, ...] = part["shape"]
            self._parts.append(_Part(part, self.dtype))

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: int(np.prod(self.shape)))
    ranks = property(lambda self: [part.rank for part in self._parts], doc="Those that have a part.")

    def local(self, rank: int) -> np.ndarray:
        """What one rank has, without a copy; of a rank of another host a copy, which cannot be written to."""
        for part in self._parts:
            if part.rank == rank:
                return part.rows()
        raise IndexError(f"rank {rank} has no part of '{self.name}'; ranks {self.ranks} have")

    def _places(self, part: dict[str, Any]) -> tuple[Any, ...]:
        """Where in the whole a part lies: a slice a dimension, or indices."""
        extent, origin, block, turn = part["extent"], part["origin"], part["block"], part["turn"]
        if len(extent) == 1 and extent[0] > block:
            k = np.arange(extent[0])
            return (origin[0] + k // block * turn + k % block,)
        return tuple(slice(first, first + n) for first, n in zip(origin, extent))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError(f"'{self.name}' lies in {len(self._parts)} parts: it cannot become one array without a copy; use local(rank)")
        whole = np.zeros(self.shape, self.dtype)
        for part in self._parts:
            if part.size:
                whole[self._places(part.info)] = part.rows()
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def _in_blocks(self) -> bool:
        return self.ndim == 1 and all(part.shape[0] <= part.info["block"] for part in self._parts)

    def __getitem__(self, index: Any) -> Any:
        """An element, or a part of the whole: without a copy where one rank has all of it in one piece."""
        if self._in_blocks() and isinstance(index, (int, np.integer, slice)):
            return self._get_in_blocks(index)
        return self.__array__()[index]

    def _find(self, index: int) -> tuple[_Part, int]:
        """The part that has an element, and where in it."""
        i = int(index) + (self.shape[0] if index < 0 else 0)
        for part in self._parts:
            if 0 <= i - part.info["origin"][0] < part.size:
                return part, i - part.info["origin"][0]
        raise IndexError(f"index {index} of '{self.name}', which has {self.shape[0]} elements")

    def _get_in_blocks(self, index: Any) -> Any:
        if not isinstance(index, slice):
            part, i = self._find(index)
            return part.rows(i, i + 1)[0]
        start, stop, step = index.indices(self.shape[0])
        if step != 1:
            return self.__array__()[index]
        pieces = []
        for part in sorted(self._parts, key=lambda each: each.info["origin"][0]):
            first = part.info["origin"][0]
            piece = part.rows(max(start - first, 0), max(stop - first, 0))
            if piece.size:
                pieces.append(piece)
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces) if pieces else np.empty(0, self.dtype)

    def __setitem__(self, index: Any, value: Any) -> None:
        if self._in_blocks() and isinstance(index, (int, np.integer)):
            part, i = self._find(index)
            mask = np.zeros(part.shape, bool)
            mask[i] = True
            part.put(mask, np.full(1, value, self.dtype))
            return
        chosen = np.zeros(self.shape, bool)
        chosen[index] = True
        new = np.empty(self.shape, self.dtype)
        new[index] = value
        for part in self._parts:
            places = self._places(part.info)
            mask = chosen[places]
            if mask.any():
                part.put(mask, new[places][mask])

    def _each(self, what: str) -> list[Any]:
        return _by_all_cores(lambda rows: getattr(rows(), what)(), [piece for part in self._parts for piece in part.pieces()])

    def sum(self) -> Any:
        sums = self._each("sum")
        return np.sum(sums) if sums else self.dtype.type(0)

    def min(self) -> Any:
        return np.min(self._each("min"))  # NaN, if one part has it

    def max(self) -> Any:
        return np.max(self._each("max"))

    def mean(self) -> float:
        if self.size == 0:
            raise ValueError("mean: the array is empty")
        return float(self.sum()) / self.size

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<armilla array '{self.name}' of a running job: {self.dtype}, {' x '.join(map(str, self.shape))}, on ranks {self.ranks}>"
