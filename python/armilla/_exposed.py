# SPDX-License-Identifier: Apache-2.0
"""Arrays that a running job exposes, in this process's memory."""
from __future__ import annotations

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


def _pieces_of(local: np.ndarray) -> list[np.ndarray]:
    rows = max(1, _PIECE * len(local) // local.nbytes)
    return [local[first : first + rows] for first in range(0, len(local), rows)]


def _by_all_cores(work: Callable[[np.ndarray], Any], pieces: list[np.ndarray]) -> list[Any]:
    """What `work` makes of each piece. NumPy releases the interpreter's lock, and half of the first pass over mapped memory is page faults."""
    results = [work(piece) for piece in pieces[:1]]  # if it cannot be done, it ends here
    results += [None] * (len(pieces) - 1)
    left = deque(range(1, len(pieces)))

    def work_off() -> None:
        while left:
            try:
                i = left.popleft()
            except IndexError:  # another thread has it
                return
            results[i] = work(pieces[i])

    helpers = [threading.Thread(target=work_off) for _ in range(min(len(os.sched_getaffinity(0)), len(left)) - 1)]
    for helper in helpers:
        helper.start()
    work_off()
    for helper in helpers:
        helper.join()
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
    meanwhile is seen, so that a sum may be of half an iteration. What is written here is written there.
    """

    def __init__(self, job: _core.Guest, name: str) -> None:
        self.name = name
        self._parts: list[tuple[dict[str, Any], np.ndarray]] = []
        for part in _core.exposed_parts(job, name):
            self.dtype = dtype_of(part["type"], part["element_bytes"])
            self.shape: tuple[int, ...] = part["shape"]
            strides = tuple(n * part["element_bytes"] for n in part["stride"])
            memory = part.pop("memory")
            local = np.ndarray(part["extent"], self.dtype, buffer=memory, strides=strides) if memory.size else np.empty(part["extent"], self.dtype)
            self._parts.append((part, local))

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: int(np.prod(self.shape)))
    ranks = property(lambda self: [part["rank"] for part, _ in self._parts], doc="Those of this host that have a part.")

    def local(self, rank: int) -> np.ndarray:
        """What one rank has, without a copy."""
        for part, local in self._parts:
            if part["rank"] == rank:
                return local
        raise IndexError(f"rank {rank} has no part of '{self.name}' on this host; ranks {self.ranks} have")

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
        for part, local in self._parts:
            if local.size:
                whole[self._places(part)] = local
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def _in_blocks(self) -> bool:
        return self.ndim == 1 and all(part["extent"][0] <= part["block"] for part, _ in self._parts)

    def __getitem__(self, index: Any) -> Any:
        """An element, or a part of the whole: without a copy where one rank has all of it in one piece."""
        if self._in_blocks() and isinstance(index, (int, np.integer, slice)):
            return self._get_in_blocks(index)
        return self.__array__()[index]

    def _get_in_blocks(self, index: Any) -> Any:
        if not isinstance(index, slice):
            i = int(index) + (self.shape[0] if index < 0 else 0)
            for part, local in self._parts:
                if 0 <= i - part["origin"][0] < local.size:
                    return local[i - part["origin"][0]]
            raise IndexError(f"index {index} of '{self.name}', which has {self.shape[0]} elements")
        start, stop, step = index.indices(self.shape[0])
        if step != 1:
            return self.__array__()[index]
        pieces = []
        for part, local in sorted(self._parts, key=lambda each: each[0]["origin"][0]):
            first = part["origin"][0]
            piece = local[max(start - first, 0) : max(stop - first, 0)]
            if piece.size:
                pieces.append(piece)
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces) if pieces else np.empty(0, self.dtype)

    def __setitem__(self, index: Any, value: Any) -> None:
        if self._in_blocks() and isinstance(index, (int, np.integer)):
            i = int(index) + (self.shape[0] if index < 0 else 0)
            for part, local in self._parts:
                if 0 <= i - part["origin"][0] < local.size:
                    local[i - part["origin"][0]] = value
                    return
            raise IndexError(f"index {index} of '{self.name}', which has {self.shape[0]} elements")
        chosen = np.zeros(self.shape, bool)
        chosen[index] = True
        new = np.empty(self.shape, self.dtype)
        new[index] = value
        for part, local in self._parts:
            places = self._places(part)
            mask = chosen[places]
            local[mask] = new[places][mask]

    def _each(self, what: str) -> list[Any]:
        pieces = [piece for _, local in self._parts if local.size for piece in _pieces_of(local)]
        return _by_all_cores(lambda piece: getattr(piece, what)(), pieces)

    def sum(self) -> Any:
        sums = self._each("sum")
        return np.sum(sums) if sums else self.dtype.type(0)

    def min(self) -> Any:
        return min(self._each("min"))

    def max(self) -> Any:
        return max(self._each("max"))

    def mean(self) -> float:
        return float(self.sum()) / self.size

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<armilla array '{self.name}' of a running job: {self.dtype}, {' x '.join(map(str, self.shape))}, on ranks {self.ranks}>"
