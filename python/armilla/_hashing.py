# SPDX-License-Identifier: Apache-2.0
"""A hash of keys that is the same in every process, and the same for keys that are equal.

Python's own is neither for all types: that of strings differs from process to process. Bytes of a pickle are not either: equal values have
several pickles, by how they share objects.
"""
from __future__ import annotations

import sys
import zlib
from typing import Any, Callable

_MASK = (1 << 64) - 1
_ODD = 0x9E3779B97F4A7C15


def _number(key: Any) -> int:
    h = hash(key)  # of all kinds of numbers by their value alone
    if key != key:
        raise TypeError(f"armilla: dict: a key is {key!r}, which is not equal to itself, so that no rank could find it again; use None or a string in its place")
    return h


def _text(key: str) -> int:
    return zlib.crc32(key.encode("utf-8", "surrogatepass"))


def _mixed(h: int) -> int:
    return ((h & _MASK) * _ODD & _MASK) >> 32


def _tuple(key: tuple) -> int:
    h = len(key)
    for element in key:
        h = (h * 1000003 ^ _mixed(stable_hash(element))) & _MASK
    return h


def _frozenset(key: frozenset) -> int:
    return sum(_mixed(stable_hash(element)) for element in key) & _MASK ^ len(key)


def _date(key: Any) -> int:
    return key.toordinal()


def _seconds(key: Any) -> int:
    return (key.hour * 60 + key.minute) * 60 + key.second


def _datetime(key: Any) -> int:  # of those with a time zone by the instant, as == compares them
    offset = key.replace(fold=0).utcoffset()
    if offset is None:
        return _tuple((key.toordinal(), _seconds(key), key.microsecond))
    return _timedelta(type(offset)(key.toordinal(), _seconds(key), key.microsecond) - offset)


def _time(key: Any) -> int:
    offset = key.replace(fold=0).utcoffset()
    whole = _seconds(key) * 10**6 + key.microsecond
    return whole if offset is None else whole - round(offset.total_seconds() * 10**6)


def _timedelta(key: Any) -> int:
    return _tuple((key.days, key.seconds, key.microseconds))


def _timezone(key: Any) -> int:
    return _timedelta(key.utcoffset(None))


def _name_of(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _member(key: Any) -> int:
    return _text(f"{_name_of(type(key))}.{key._name_}")


def _flag(key: Any) -> int:
    return _tuple((_name_of(type(key)), key._value_))


def _class(key: type) -> int:
    return _text(_name_of(key))


def _range(key: range) -> int:
    n = max(0, -((key.start - key.stop) // key.step))  # len() takes what is below 2**63
    return _tuple((n, key.start if n > 0 else None, key.step if n > 1 else None))


def _given(key: Any) -> int:
    return stable_hash(key.__armilla_hash__())


# (module, class, how): for classes that take `==` and `hash` from this one. Modules that are not imported have no keys.
_ways: list[tuple[str, str, Callable[[Any], int]]] = [
    ("builtins", "int", _number),
    ("builtins", "float", _number),
    ("builtins", "complex", _number),
    ("builtins", "str", _text),
    ("builtins", "bytes", zlib.crc32),
    ("builtins", "tuple", _tuple),
    ("builtins", "frozenset", _frozenset),
    ("builtins", "range", _range),
    ("builtins", "type", _class),
    ("enum", "Flag", _flag),
    ("enum", "Enum", _member),
    ("datetime", "datetime", _datetime),
    ("datetime", "date", _date),
    ("datetime", "time", _time),
    ("datetime", "timedelta", _timedelta),
    ("datetime", "timezone", _timezone),
    ("fractions", "Fraction", _number),
    ("decimal", "Decimal", _number),
    ("uuid", "UUID", lambda key: key.int),
    ("pathlib", "PurePosixPath", lambda key: _text(str(key))),
]


def _dataclass_way(kind: Any) -> Callable[[Any], int] | None:
    """Of a frozen dataclass whose `==` and `hash` are the generated ones, by its fields."""
    import dataclasses

    given = kind.__dataclass_params__
    if not (given.eq and given.frozen):
        return None
    fields = dataclasses.fields(kind)
    alike = dataclasses.make_dataclass("alike", [(f.name, object, dataclasses.field(default=None, compare=f.compare, hash=f.hash)) for f in fields], eq=True, frozen=True)
    for name in ("__eq__", "__hash__"):
        code, other = getattr(getattr(kind, name), "__code__", None), getattr(alike, name).__code__
        if code is None or (code.co_code, code.co_names) != (other.co_code, other.co_names):
            return None
    names = [f.name for f in fields if f.compare and f.hash is not False]
    whole = _name_of(kind)
    return lambda key: _tuple((whole, *(getattr(key, name) for name in names)))


def _numpy_way(kind: Any) -> Callable[[Any], int] | None:
    letter = kind.dtype.kind if isinstance(getattr(kind, "dtype", None), sys.modules["numpy"].dtype) else sys.modules["numpy"].dtype(kind).kind
    return {"U": _text, "S": zlib.crc32}.get(letter, _number if letter in "biufc" else None)


def _way_of(kind: Any) -> Callable[[Any], int] | None:
    if hasattr(kind, "__armilla_hash__"):
        return _given if kind.__hash__ is not None and kind.__eq__ is not object.__eq__ else None
    if kind in (type(None), type(Ellipsis), type(NotImplemented)):
        return lambda key: _text(repr(key))
    if "numpy" in sys.modules and issubclass(kind, sys.modules["numpy"].generic):
        return _numpy_way(kind)
    for module, name, way in _ways:
        base = getattr(sys.modules.get(module), name, None)
        if base is not None and issubclass(kind, base) and kind.__eq__ is base.__eq__ and kind.__hash__ is base.__hash__:
            return way
    return _dataclass_way(kind) if hasattr(kind, "__dataclass_params__") else None


_known: dict[type, Callable[[Any], int]] = {str: _text, int: hash}


def stable_hash(key: Any) -> int:
    """The same number on every rank for keys that are `==`. Raises TypeError for a type whose `==` it does not know."""
    kind = type(key)
    way = _known.get(kind)
    if way is None:
        way = _way_of(kind)
        if way is None:
            if kind.__hash__ is None:
                raise TypeError(f"armilla: dict: a key of type {kind.__qualname__} can change, so it has no hash; use a tuple of its contents")
            raise TypeError(f"armilla: dict: a key of type {kind.__qualname__}: ranks do not know which of these are equal; use a tuple of what makes them so, or give the class "
                            "methods __eq__, __hash__ and __armilla_hash__, which returns that tuple")
        _known[kind] = way
    return way(key)


def rank_of(key: Any, size: int) -> int:
    """The rank, of `size`, that has a key."""
    return _mixed(stable_hash(key)) % size
