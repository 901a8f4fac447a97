# SPDX-License-Identifier: Apache-2.0
"""How ranks do an operation together: they compare what they do, and share one error if one of them fails.

Every operation on distributed arrays is called by all ranks. It ends with a meeting, at which the ranks compare the operation and the types
and shapes of its arguments. An operation that moves elements meets once before as well, so that the elements are there.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from .. import _calls, _collectives, _core

F = TypeVar("F", bound=Callable[..., Any])

_inline = 48  # bytes of a payload that travel with the comparison


class UnsupportedError(_core.UsageError, TypeError):
    """A function of NumPy, or a use of it, that distributed arrays do not have. The text names it."""


def unsupported(name: str, why: str = "distributed arrays do not have it") -> UnsupportedError:
    return UnsupportedError(f"armilla: array: numpy.{name}: {why}; numpy.asarray(a) is the whole array on each rank, a.local() this rank's own part")


def _known_to_all(error: Exception) -> Exception:
    """Marks an error that all ranks have: they do not meet again at the end of the operation."""
    error.known_to_all = True  # type: ignore[attr-defined]
    return error


def run(name: str, begin: Callable[..., int], *arguments: Any) -> list:
    """A collective within an operation. The ranks have met just before: one that fails meets the others, and would be alone there if they were in here."""
    try:
        return _collectives._run(name, begin, *arguments)
    except _core.UsageError as error:
        raise _known_to_all(error)


class _Differ(Exception):
    """The ranks do not do the same. Its arguments are what each rank does."""


_within = False  # an operation that all ranks do
_operation = ""  # the name by which the user has called it
pending: list[Any] = []  # memory whose addresses the other ranks do not know yet
dropped: list[Any] = []  # blocks that other ranks may read until the next meeting


def _compared(name: str, what: str, failed: str, payload: bytes) -> list[bytes]:
    known = list(pending)
    pending.clear()
    if _core.size() == 1:
        dropped.clear()
        return [payload]
    held = len(dropped)
    addresses = b"".join(memory.core.address() for memory in known)
    said = addresses + payload
    reported = operation(name)
    blocks = run(reported, _core.meet, reported, f"{what}\0{failed}\0{len(known)} {len(payload)}", said)
    if len(blocks) == _core.size() + 1 and not len(blocks[0][0]):
        raise _Differ(*(bytes(text).decode() for (text,) in blocks[1:]))
    del dropped[:held]
    if len(said) > _inline:
        all_said = [bytes(one) for (one,) in blocks]
    else:
        joined = bytes(blocks[0][0])
        all_said = [joined[at : at + len(said)] for at in range(0, len(joined), _inline)]
    for at, memory in enumerate(known):
        memory.addresses = [one[16 * at : 16 * at + 16] for one in all_said]
    return [one[len(addresses) :] for one in all_said]


# As which errors the other ranks get one of a single rank; others become the class from which they derive, or ValueError.
_kinds = {kind.__name__: kind for kind in (IndexError, TypeError, ValueError, np.exceptions.AxisError if hasattr(np, "exceptions") else np.AxisError, _core.UsageError, UnsupportedError, ZeroDivisionError, OverflowError, MemoryError, NotImplementedError, OSError, FileNotFoundError, PermissionError, _core.LimitError)}


def _error_of(name: str, what: str, texts: tuple[str, ...]) -> Exception:
    for rank, text in enumerate(texts):
        its, failed, _ = text.split("\0")
        if failed:
            kind = _kinds.get(failed.partition(":")[0], ValueError)
            return kind(f"armilla: rank {_core.rank()}: {name}: rank {rank} has raised {failed}")
        if its != what:
            return _core.UsageError(f"armilla: rank {_core.rank()}: {name}: ranks do not ask for the same: this one for {what}, rank {rank} for {its}; all of them do the same")
    return _core.UsageError(f"armilla: rank {_core.rank()}: {name}: ranks do not ask for the same; all of them do the same")


def meet(name: str, what: str = "", payload: bytes = b"") -> list[bytes]:
    """Waits for all ranks and compares `what`; returns the payloads of all ranks, which have the same length."""
    reported = operation(name)
    text = f"{name if name == reported else f'{reported} ({name})'} {what}".rstrip()
    try:
        return _compared(name, text, "", payload)
    except _Differ as differ:
        raise _known_to_all(_error_of(reported, text, differ.args)) from None


def meet_numbers(name: str, numbers: Any) -> np.ndarray:
    """The integers of all ranks, a row for each."""
    mine = np.asarray(numbers, np.int64).reshape(-1)
    return np.frombuffer(b"".join(meet(name, "", mine.tobytes())), np.int64).reshape(_core.size(), -1)


def _name_of(error: Exception) -> str:
    """Of its class, or of the class as which the other ranks raise it."""
    return next((kind.__name__ for kind in type(error).__mro__ if kind.__name__ in _kinds), type(error).__name__)


def _settle(name: str, what: str, error: Exception | None) -> None:
    try:
        _compared(name, f"{name} {what}", "" if error is None else f"{_name_of(error)}: {error}", b"")
    except _Differ as differ:
        if error is None:
            raise _error_of(name, f"{name} {what}", differ.args) from None
    if error is not None:
        raise error


_names: dict[Any, str] = {}  # of types: NumPy takes long to make them


def described(value: Any, depth: int = 0) -> str:
    """What all ranks give alike, as a text."""
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        name = _names.get(value.dtype)
        if name is None:
            name = _names[value.dtype] = str(value.dtype)
        return f"{name} of shape {value.shape}" if value.shape else name
    if isinstance(value, (int, str, slice, type(None), type(Ellipsis), np.dtype)):
        return repr(value)
    if isinstance(value, (list, tuple)) and depth < 3 and len(value) < 9:
        return "(" + ", ".join(described(v, depth + 1) for v in value) + ")"
    return type(value).__name__


def _text_of(args: tuple, options: dict[str, Any]) -> str:
    return ", ".join([*map(described, args), *(f"{k}={described(v)}" for k, v in options.items())])


def operation(name: str) -> str:
    """What the user has called, for reports; `name` if that is the function itself."""
    return _operation or name


def calling(name: str, f: Callable[..., Any], args: tuple, options: dict[str, Any]) -> Any:
    """Runs `f`, which the user has called by that name: a method, or a function of NumPy that others implement."""
    global _operation
    before = _operation
    if not before or _calls.in_body():
        _operation = name
    try:
        return f(*args, **options)
    finally:
        _operation = before


def by_name(name: str, f: F) -> F:
    """`f` under the name by which users call it."""

    @functools.wraps(f)
    def call(*args: Any, **options: Any) -> Any:
        return calling(name, f, args, options)

    return call  # type: ignore[return-value]


def _show(name: str, operands: Iterable[Any]) -> Any:
    """Statistics and traces see that an operation has begun, and which of its operands have names; `end()` it."""
    begun = _core.ShownOperation(name)
    for operand in operands:
        if (its := getattr(operand, "_shown", None)) is not None:
            its.operate()
    return begun


def together(name: str, f: Callable[[], Any], what: Callable[[], str], operands: Iterable[Any] = ()) -> Any:
    """Runs `f`, as all ranks do. If it raises on one of them, it raises on all. Within another such operation it just runs."""
    global _within, _operation
    before = _operation
    name = before or name
    _calls.refuse_in_call(name)
    if _within:
        return f()
    _within, _operation = True, name
    error: Exception | None = None
    result = None
    seen = None
    try:
        if _core.is_observed():
            seen = _show(name, operands)
        result = f()
    except _core.RankLost:
        raise
    except Exception as why:
        error = why
    except BaseException:  # an interrupt: the other ranks may not have come so far
        pending.clear()
        raise
    finally:
        _within, _operation = False, before
        if seen is not None:
            seen.end()
    if error is not None and getattr(error, "known_to_all", False):
        raise error
    _settle(name, what(), error)
    return result


def collective(name: str) -> Callable[[F], F]:
    """A decorator for functions that all ranks call."""

    def decorate(f: F) -> F:
        @functools.wraps(f)
        def call(*args: Any, **options: Any) -> Any:
            if _within and not _calls.in_body():
                return f(*args, **options)
            return together(name, lambda: f(*args, **options), lambda: _text_of(args, options), args)

        return call  # type: ignore[return-value]

    return decorate
