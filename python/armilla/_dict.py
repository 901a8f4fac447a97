# SPDX-License-Identifier: Apache-2.0
"""A dictionary whose entries lie on all ranks, each at the rank that its key's hash names."""
from __future__ import annotations

import operator
from typing import Any, Callable, Iterable

from . import _calls, _collectives, _core, _hashing

_together = 512  # updates that travel in one message

_parts: dict[int, "Dict"] = {}
_last = 0


def _update(number: int, pairs: list[tuple[Any, Any]]) -> None:
    d = _parts[number]
    part, combine = d._part, d._combine
    for key, value in pairs:
        part[key] = combine(part[key], value) if key in part else value


def _get(number: int, key: Any) -> tuple[bool, Any]:
    part = _parts[number]._part
    return (True, part[key]) if key in part else (False, None)


def _set(number: int, key: Any, value: Any) -> None:
    _parts[number]._part[key] = value


class Dict:
    """Made by all ranks together. `update` combines: it is a statement, complete at the next `fence`, `items` or `len`; many travel
    together. `d[key]`, `d[key] = value`, `get` and `in` ask the rank that has the key.

    Keys are equal if they are for Python: 1, True and 1.0 are one key. They are strings, numbers, bytes, None, dates, enums, frozen
    dataclasses, classes, and tuples and frozensets of these. A class of yours has a method `__armilla_hash__` that returns a tuple of what
    makes two of its objects equal. Other keys, and NaN, which equals nothing, are a TypeError.
    """

    def __init__(self, combine: Callable[[Any, Any], Any] = operator.add) -> None:
        global _last
        _last += 1
        self._number = _last
        self._combine = combine
        self._part: dict[Any, Any] = {}
        self._open: list[list[tuple[Any, Any]]] = [[] for _ in range(_core.size())]
        _parts[self._number] = self
        _collectives.before_fence.append(self.flush)
        _collectives.barrier()

    def rank_of(self, key: Any) -> int:
        """The rank that has a key."""
        return _hashing.rank_of(key, _core.size())

    def update(self, key: Any, value: Any = 1) -> None:
        """Combines `value` with what the key has: adds, unless another function was given. A new key gets `value`."""
        to = self.rank_of(key)
        pairs = self._open[to]
        pairs.append((key, value))
        if len(pairs) >= _together:
            self._send(to)

    def update_all(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        for key, value in pairs:
            self.update(key, value)

    def _send(self, to: int) -> None:
        pairs, self._open[to] = self._open[to], []
        if to == _core.rank():
            _update(self._number, pairs)
        elif pairs:
            _calls.async_(to, _update, self._number, pairs)

    def flush(self) -> None:
        """Sends the updates that wait for company."""
        for to in range(len(self._open)):
            if self._open[to]:
                self._send(to)

    def get(self, key: Any, default: Any = None) -> Any:
        self._send(self.rank_of(key))
        found, value = _calls.call(self.rank_of(key), _get, self._number, key).get()
        return value if found else default

    def __getitem__(self, key: Any) -> Any:
        self._send(self.rank_of(key))
        found, value = _calls.call(self.rank_of(key), _get, self._number, key).get()
        if not found:
            raise KeyError(key)
        return value

    def __setitem__(self, key: Any, value: Any) -> None:
        self._send(self.rank_of(key))
        _calls.call(self.rank_of(key), _set, self._number, key, value).get()

    def __contains__(self, key: Any) -> bool:
        self._send(self.rank_of(key))
        return _calls.call(self.rank_of(key), _get, self._number, key).get()[0]

    def local(self) -> dict[Any, Any]:
        """This rank's entries, in place."""
        return self._part

    def count(self) -> int:
        """How many entries all ranks have. Collective; a fence."""
        _collectives.fence()
        return _collectives.all_reduce(len(self._part), "sum")

    def items(self) -> list[tuple[Any, Any]]:
        """All entries, on all ranks. Collective; a fence."""
        _collectives.fence()
        return [pair for part in _collectives.all_gather(list(self._part.items())) for pair in part]

    def __repr__(self) -> str:
        return f"<armilla.Dict: {len(self._part)} entries on rank {_core.rank()}>"


def make_dict(combine: Callable[[Any, Any], Any] = operator.add) -> Dict:
    """A dictionary over all ranks. Collective."""
    return Dict(combine)
