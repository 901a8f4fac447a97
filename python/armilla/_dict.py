# SPDX-License-Identifier: Apache-2.0
"""A dictionary whose entries lie on all ranks, each at the rank that its key's hash names."""
from __future__ import annotations

import operator
import weakref
from typing import Any, Callable, Iterable, Iterator

from . import _calls, _collectives, _core, _hashing
from ._pickling import dumps_error
from ._shown import shown

_together = 512  # updates that travel in one message


class _Part:
    """This rank's entries. Other ranks may ask for them until all of them have dropped the dictionary."""

    __slots__ = ("entries", "combine", "left", "name", "shown")

    def __init__(self, combine: Callable[[Any, Any], Any], name: str | None) -> None:
        self.name = name
        self.entries: dict[Any, Any] = {}
        self.combine = combine
        self.left = _core.size()  # ranks that have not dropped it
        self.shown = None if name is None else shown(str(name), "am.dict", 0, 0)


_parts: dict[int, _Part] = {}
_last = 0
_in_use: weakref.WeakSet[Dict] = weakref.WeakSet()
_unsent: weakref.WeakSet[Dict] = weakref.WeakSet()  # with updates that are buffered
_dropped: list[tuple[int, list[list[tuple[Any, Any]]]]] = []  # here, and no rank has heard of it: with their updates that are buffered


def _update(number: int, pairs: list[tuple[Any, Any]]) -> None:
    part = _parts[number]
    entries, combine = part.entries, part.combine
    for key, value in pairs:
        entries[key] = combine(entries[key], value) if key in entries else value


def _get(number: int, key: Any) -> tuple[bool, Any]:
    entries = _parts[number].entries
    return (True, entries[key]) if key in entries else (False, None)


def _set(number: int, key: Any, value: Any) -> None:
    _parts[number].entries[key] = value


def _let_go(numbers: list[int]) -> None:
    """A rank has dropped these."""
    for number in numbers:
        _parts[number].left -= 1


def _take_again(number: int) -> None:
    """A rank that had dropped it has got it in a call."""
    _parts[number].left += 1


def _free() -> None:
    """Behind a fence all ranks have heard the same. Before it, a rank that gets a dictionary in a call may be later than the one that drops it as the last."""
    for number, part in list(_parts.items()):
        if part.shown is not None:
            part.shown.resize(len(part.entries), 0)
        if not part.left:
            del _parts[number]


def _send(number: int, to: int, pairs: list[tuple[Any, Any]]) -> None:
    if to != _core.rank():
        if pairs:
            _calls.async_(to, _update, number, pairs)
        return
    try:
        _update(number, pairs)
    except Exception as error:  # of `combine`: the next fence tells all ranks, as where the key is another rank's
        _calls.note_error(to, dumps_error(error))


def _send_buffered() -> None:
    """Before a fence: all updates are on their way, and all ranks are told what this one has dropped."""
    for one in list(_unsent):
        _unsent.discard(one)
        one.flush()
    dropped = [_dropped.pop() for _ in range(len(_dropped))]
    for number, buffered in dropped:
        for to, pairs in enumerate(buffered):
            _send(number, to, pairs)
    gone = [number for number, _ in dropped]
    if gone:
        for to in range(_core.size()):
            _calls.async_(to, _let_go, gone)


_calls.before_fence.append(_send_buffered)
_calls.after_fence.append(_free)


def _found(number: int) -> Dict:
    """The dictionary of that number on this rank."""
    if number not in _parts:
        raise _core.UsageError(f"armilla: rank {_core.rank()}: dict: a dictionary among the arguments has been dropped by all ranks, or belongs to another job")
    own = next((d for d in list(_in_use) if d._number == number), None)
    return Dict._of(number) if own is None else own


class Dict:
    """Made by all ranks together. `update` combines: it is a one-way call, complete at the next `fence`, `items` or `count`; many travel
    together. `d[key]`, `d[key] = value`, `get` and `in` ask the rank that has the key.

    Keys are equal if they are for Python: 1, True and 1.0 are one key. They are strings, numbers, bytes, None, dates, enums, frozen
    dataclasses, classes, and tuples and frozensets of these. A class of yours has a method `__armilla_hash__` that returns a tuple of what
    makes two of its objects equal. Other keys, and NaN, which equals nothing, are a TypeError.
    """

    def __init__(self, combine: Callable[[Any, Any], Any] = operator.add, name: str | None = None) -> None:
        global _last
        what = "a dictionary" if name is None else f"the dictionary {name!r}"
        _collectives.agree("dict", f"{what} that combines by {getattr(combine, '__qualname__', type(combine).__qualname__)}")
        if not callable(combine):
            raise TypeError(f"armilla: rank {_core.rank()}: dict: {combine!r} is no function of two values")
        if _dropped:
            _send_buffered()
        _last = 1 + max(_collectives.gathered("dict", _last))  # they differ where an interrupt came between
        _parts[_last] = _Part(combine, name)
        self._use(_last)
        _collectives.barrier()

    def _use(self, number: int) -> None:
        self._number = number
        self._part = _parts[number].entries
        self.name = _parts[number].name
        self._open: list[list[tuple[Any, Any]]] = [[] for _ in range(_core.size())]
        _in_use.add(self)

    @classmethod
    def _of(cls, number: int) -> Dict:
        """For a call that brings one that this rank has dropped: it has it again, as all ranks hear."""
        one = cls.__new__(cls)
        one._use(number)
        untold = next((i for i, (its, _) in enumerate(_dropped) if its == number), None)
        if untold is not None:
            one._open = _dropped.pop(untold)[1]
            _unsent.add(one)
        else:
            for to in range(_core.size()):
                _calls.async_(to, _take_again, number)
        return one

    def __reduce__(self) -> Any:
        return _found, (self._number,)  # in a call, it is the other rank's own

    def __del__(self) -> None:
        if hasattr(self, "_open"):
            _dropped.append((self._number, self._open))

    def rank_of(self, key: Any) -> int:
        """The rank that has a key."""
        return _hashing.rank_of(key, _core.size())

    def update(self, key: Any, value: Any = 1) -> None:
        """Combines `value` with what the key has: adds, unless another function was given. A new key gets `value`."""
        to = self.rank_of(key)
        pairs = self._open[to]
        if not pairs:
            _unsent.add(self)
        pairs.append((key, value))
        if len(pairs) >= _together:
            self._send(to)

    def update_all(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        for key, value in pairs:
            self.update(key, value)

    def _send(self, to: int) -> None:
        pairs, self._open[to] = self._open[to], []
        _send(self._number, to, pairs)

    def flush(self) -> None:
        """Sends the updates that are buffered."""
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

    __len__ = count

    def __iter__(self) -> Iterator[Any]:
        """All keys, on all ranks. Collective; a fence."""
        return iter([key for key, _ in self.items()])

    def items(self) -> list[tuple[Any, Any]]:
        """All entries, on all ranks. Collective; a fence."""
        _collectives.fence()
        return [pair for part in _collectives.gathered("dict.items", list(self._part.items())) for pair in part]

    def __repr__(self) -> str:
        return f"<armilla.Dict{'' if self.name is None else f' {self.name!r}'}: {len(self._part)} entries on rank {_core.rank()}>"


def make_dict(combine: Callable[[Any, Any], Any] = operator.add, *, name: str | None = None) -> Dict:
    """A dictionary over all ranks. Collective. `repr`, statistics, and the error of ranks that make different ones, show `name`.

    >>> import armilla as am
    >>> longest = am.dict(max)
    >>> for word in ("a", "abc", "ab"):
    ...     longest.update(word[0], len(word))
    >>> longest.items()
    [('a', 3)]
    """
    return Dict(combine, name)
