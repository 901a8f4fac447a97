# SPDX-License-Identifier: Apache-2.0
"""What all ranks do together, in the same order. The rank runs calls of others while it waits in them."""
from __future__ import annotations

from typing import Any, Callable

from . import _calls, _core, _waits
from ._pickling import dumps, loads, loads_error


before_fence: list[Callable[[], None]] = []  # what sends calls that wait for company


def _run(name: str, begin: Callable[..., int], *arguments: Any) -> list:
    if _calls.in_body():
        raise _core.UsageError(f"armilla: rank {_core.rank()}: {name}: a call that runs for another rank cannot enter what all ranks do together; do it in the rank's own code")
    number = begin(*arguments)
    _waits.wait(number, None, name)
    return _core.take(number)[1]


def barrier() -> None:
    """Returns when every rank has come to it."""
    _run("barrier", _core.barrier)


def fence() -> None:
    """Returns when all calls that any rank has made, and all that these have caused, have run everywhere.

    Raises on every rank what a statement (`async_`) has raised since the last fence: that of the lowest rank.
    """
    for send in before_fence:
        send()
    global _fences
    _fences += 1
    try:
        _run("fence", _core.fence)
    except _core.RemoteError as told:
        error = _as_it_was(told)
    else:
        error = None
    _told[:] = [_fences, *_calls.errors[:1]]
    _calls.errors.clear()
    if error is not None:
        raise error


_fences = 0
_told: list = []  # the number of the last fence with an error here, and the error of this rank's


def _error_of(fence: int) -> Any:
    """What a statement has raised on this rank in front of that fence, packed; None: nothing, or a method of C++ has thrown."""
    kept = _told[1:] if _told and _told[0] == fence else _calls.errors
    return [bytes(p) for p in kept[0]] if kept else None


def _as_it_was(told: _core.RemoteError) -> BaseException:
    """The error that a statement of Python has raised, from its rank: the fence tells type and text alone."""
    rank = told.rank
    if not _core.same_program(rank):
        return told
    packed = _error_of(_fences) if rank == _core.rank() else _calls.call(rank, _error_of, _fences).get()
    return told if packed is None else loads_error(rank, packed)


def last_fence() -> None:
    """What ends the script: as the fence, for ranks of every program. No call of a guest is under way then."""
    for send in before_fence:
        send()
    _core.take_guest_calls(False)
    while _core.guest_calls():
        _waits.wait(0, 0.001, "the end of guests' calls")
    _run("the end of the script", _core.last_fence)


def own_error() -> BaseException | None:
    """What the first statement that failed here has raised."""
    return loads_error(_core.rank(), _calls.errors[0]) if _calls.errors else None


def broadcast(value: Any = None, root: int = 0) -> Any:
    """The root's value, on all."""
    mine = _core.rank() == root
    (parts,) = _run("broadcast", _core.broadcast, dumps(value) if mine else None, root)
    return value if mine else loads(parts)


def all_gather(value: Any) -> list[Any]:
    """The values of all ranks, on all."""
    return [loads(parts) for parts in _run("all_gather", _core.all_gather, dumps(value))]


def gather(value: Any, root: int = 0) -> list[Any] | None:
    """The values of all ranks on the root; None on the others."""
    all_parts = _run("gather", _core.gather, dumps(value), root)
    return [loads(parts) for parts in all_parts] if _core.rank() == root else None


def scatter(values: Any = None, root: int = 0) -> Any:
    """One of the root's values for each rank."""
    packed = None
    if _core.rank() == root:
        packed = [dumps(v) for v in values]
        if len(packed) != _core.size():
            raise _core.UsageError(f"armilla: rank {_core.rank()}: scatter: {len(packed)} values for {_core.size()} ranks; give one for each")
    (parts,) = _run("scatter", _core.scatter, packed, root)
    return loads(parts)


_by_name: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda a, b: a + b,
    "prod": lambda a, b: a * b,
    "min": lambda a, b: b if b < a else a,
    "max": lambda a, b: b if a < b else a,
}


def all_reduce(value: Any, op: str | Callable[[Any, Any], Any] = "sum") -> Any:
    """The values of all ranks, combined in the order of the ranks: "sum", "prod", "min", "max", or a function of two values.

    NumPy arrays are combined element by element: where the operation is named and the elements are float64, float32, int64 or int32, by
    the library's own reduction.
    """
    if isinstance(op, str) and op not in _by_name:
        raise _core.UsageError(f"armilla: rank {_core.rank()}: all_reduce: '{op}' is no operation; there are {', '.join(_by_name)}, or a function of two values")
    if hasattr(value, "__array_interface__") and getattr(value, "ndim", 0) > 0:
        import numpy as np

        if isinstance(op, str):
            result = np.array(value, order="C")
            if result.dtype.isnative and result.dtype.str[1:] in ("f8", "f4", "i8", "i4"):
                _run("all_reduce", _core.all_reduce, result, op)
                return result
            named: Any = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}
            op = named[op]
    combine = _by_name[op] if isinstance(op, str) else op
    values = all_gather(value)
    result = values[0]
    for v in values[1:]:
        result = combine(result, v)
    return result
