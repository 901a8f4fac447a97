# SPDX-License-Identifier: Apache-2.0
"""Functions that go by value to other processes: packed once, and again when what they name has changed."""
from __future__ import annotations

import pickle
import sys
import types
from typing import Any, Callable

from ._pickling import _by_value_modules, _found
from ._shared import Shared

_constants = (int, float, complex, str, bytes, bool, type(None), types.ModuleType)
_most = 64


class _Changing(Exception):
    """What the function names may change without a trace."""


def goes_by_reference(f: Any) -> bool:
    """Whether every process that finds the driver's modules finds it by its name."""
    return isinstance(f, (types.FunctionType, types.BuiltinFunctionType, type)) and f.__module__ not in ("__main__", None) and _found(f) and not _by_value_modules()


def _names_in(code: types.CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names_in(constant)
    return names


def _note(value: Any, seen: list[tuple[Callable[[], Any], Any]], known: set[int]) -> None:
    if isinstance(value, tuple):
        for each in value:
            _note(each, seen, known)
    elif type(value) not in _constants and not goes_by_reference(value):
        if not isinstance(value, types.FunctionType):
            raise _Changing
        if id(value) not in known:
            known.add(id(value))
            _note_function(value, seen, known)


def _note_function(f: types.FunctionType, seen: list[tuple[Callable[[], Any], Any]], known: set[int]) -> None:
    if f.__dict__ or f.__kwdefaults__:
        raise _Changing
    seen.append((lambda: f.__code__, f.__code__))
    seen.append((lambda: f.__defaults__, f.__defaults__))
    _note(f.__defaults__, seen, known)
    for name in _names_in(f.__code__):
        value = f.__globals__.get(name, _missing)
        seen.append((lambda name=name: f.__globals__.get(name, _missing), value))  # type: ignore[misc]
        if value is not _missing:
            _note(value, seen, known)
    for cell in f.__closure__ or ():
        try:
            value = cell.cell_contents
        except ValueError:
            raise _Changing from None
        seen.append((lambda cell=cell: cell.cell_contents, value))  # type: ignore[misc]
        _note(value, seen, known)


_missing = object()


def _same_name(f: Any) -> bool:
    """Quicker than `_found`, of what has been found once."""
    module = sys.modules.get(f.__module__)
    return module is not None and ("." in f.__qualname__ or module.__dict__.get(f.__qualname__) is f)


class Function:
    """A function as it goes to workers: its pickle, and what that needs."""

    __slots__ = ("data", "needs")

    def __init__(self, data: bytes, needs: Any) -> None:
        self.data = data
        self.needs = needs


class Packed:
    """Functions that have been packed. Those that go by value are in shared memory, once for all workers."""

    def __init__(self) -> None:
        self._by_id: dict[int, tuple[Any, list[tuple[Callable[[], Any], Any]], Function]] = {}

    def of(self, f: Any) -> Function:
        """Raises what pickling raises."""
        known = self._by_id.get(id(f))
        if known is not None and known[0] is f:
            if all(now() is before for now, before in known[1]):
                return known[2]
            del self._by_id[id(f)]
        if goes_by_reference(f):
            return self._keep(f, [(lambda: _same_name(f), True)], Function(pickle.dumps(f, 5), None))
        if not isinstance(f, types.FunctionType):  # it may change at any time
            return Function(*_whole(f))
        seen: list[tuple[Callable[[], Any], Any]] = []
        try:
            _note_function(f, seen, {id(f)})
        except _Changing:
            return Function(*_whole(f))
        shared = Shared(f)
        return self._keep(f, seen, Function(pickle.dumps(shared, 5), shared))

    def _keep(self, f: Any, seen: list[tuple[Callable[[], Any], Any]], packed: Function) -> Function:
        while len(self._by_id) >= _most:
            del self._by_id[next(iter(self._by_id))]
        self._by_id[id(f)] = (f, seen, packed)
        return packed


def _whole(f: Any) -> tuple[bytes, Any]:
    shared = Shared(f)
    return pickle.dumps(shared, 5), shared
