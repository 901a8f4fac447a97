# SPDX-License-Identifier: Apache-2.0
"""Signatures of methods by name, as C++ spells them: armilla/wire/signature.hpp."""
from __future__ import annotations

import collections.abc
import re
import typing
from collections.abc import Callable
from typing import Any

from . import _core

_kinds = {"f": "float", "i": "int", "u": "uint"}
_plain: dict[Any, str] = {float: "float64", int: "int64", bool: "bool", str: "string", bytes: "string", complex: "complex<float64>", None: "void", type(None): "void"}
_containers = {list: "list", set: "set", frozenset: "set", collections.abc.Sequence: "list", dict: "map", collections.abc.Mapping: "map"}


def text_of(short: str) -> str:
    """The text that programs compare, of one with NumPy's names of numbers."""
    text = re.sub(r"\s+", "", short.replace("enum ", "enum_")).replace("enum_", "enum ")
    text = re.sub(r"\b([fiu])([1248])\b", lambda m: f"{_kinds[m[1]]}{8 * int(m[2])}", text)
    text = re.sub(r"\bc(8|16)\b", lambda m: f"complex<float{4 * int(m[1])}>", text)
    text = re.sub(r"\bstr\b", "string", text)
    if "(" not in text:
        raise _core.UsageError(f"armilla: provide: '{short}' is no signature; write one as \"f8(i4, str)\"")
    return text.replace(",", ", ")


def of_function(name: str, f: Callable[..., Any]) -> str:
    """From the annotations; raises UsageError that names what has none, or none that other programs know."""
    code = getattr(f, "__code__", None) or getattr(getattr(f, "__func__", None), "__code__", None)
    if code is None:
        raise _core.UsageError(f"armilla: provide: '{name}': {f!r} has no annotations; give the signature, as \"f8(i4, str)\"")
    words = code.co_varnames[: code.co_argcount]
    if getattr(f, "__self__", None) is not None:
        words = words[1:]
    hints = typing.get_type_hints(f)
    missing = [word for word in (*words, "return") if word not in hints]
    if missing:
        raise _core.UsageError(f"armilla: provide: '{name}': {f.__qualname__} has no annotation for {', '.join(missing)}; annotate it, or give the signature, as \"f8(i4, str)\"")
    types = {word: _of_type(hints[word], f"'{name}': {word}") for word in (*words, "return")}
    return f"{types['return']}({', '.join(types[w] for w in words)})"


def _of_type(hint: Any, what: str) -> str:
    if hint in _plain:
        return _plain[hint]
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    for alias in (origin, hint):  # of a `type` statement, as NumPy's NDArray is from 2.5 on
        value = getattr(alias, "__value__", None)
        if value is not None:
            return _of_type(value[parts] if parts else value, what)
    if origin in _containers:
        return f"{_containers[origin]}<{', '.join(_of_type(p, what) for p in parts)}>"
    if origin is tuple and Ellipsis not in parts:
        return f"({', '.join(_of_type(p, what) for p in parts)})"
    if getattr(origin, "__name__", "") in ("Union", "UnionType"):
        return _of_union(parts, what)
    return _of_numpy(hint, origin, parts, what)


def _of_union(parts: tuple, what: str) -> str:
    rest = [_of_type(p, what) for p in parts if p is not type(None)]
    one = rest[0] if len(rest) == 1 else f"variant<{', '.join(rest)}>"
    return f"optional<{one}>" if len(rest) < len(parts) else one


def _of_numpy(hint: Any, origin: Any, parts: tuple, what: str) -> str:
    import numpy as np

    if origin is np.ndarray:  # numpy.typing.NDArray[numpy.float64]
        element = typing.get_args(parts[-1])
        if element and isinstance(element[0], type):
            return f"list<{_of_numpy(element[0], None, (), what)}>"
    if isinstance(hint, type) and issubclass(hint, np.generic):
        kind = np.dtype(hint)
        if kind.kind in _kinds:
            return f"{_kinds[kind.kind]}{8 * kind.itemsize}"
        if kind.kind in "bc":
            return "bool" if kind.kind == "b" else f"complex<float{4 * kind.itemsize}>"
    raise _core.UsageError(f"armilla: provide: {what}: programs in other languages know no {hint!r}; give the signature, as \"f8(i4, str)\"")
