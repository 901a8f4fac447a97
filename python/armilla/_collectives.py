# SPDX-License-Identifier: Apache-2.0
"""What all ranks do together, in the same order. The rank runs calls of others while it waits in them."""
from __future__ import annotations

from collections import deque
from typing import Any, Callable

from . import _calls, _core, _waits
from ._pickling import dumps, loads, loads_error


def _run(name: str, begin: Callable[..., int], *arguments: Any) -> list:
    if _calls.in_body():
        raise _core.UsageError(f"armilla: rank {_core.rank()}: {name}: a call that runs for another rank cannot enter what all ranks do together; do it in the rank's own code")
    number = _waits.undisturbed(lambda: _begin(begin, arguments)) if _calls.keep_interrupts else begin(*arguments)
    _waits.wait(number, None, name)
    return _core.take(number)[1]


# ---- what a worker remembers, so that after an interrupt all of them can come to one place ----

begun = 0
log: deque[tuple] = deque(maxlen=1000)  # what they were


def _begin(begin: Callable[..., int], arguments: tuple) -> int:
    global begun
    number = begin(*arguments)
    begun += 1
    log.append(_recalled(begin, arguments))
    return number


def _recalled(begin: Any, arguments: tuple) -> tuple:
    """How a rank that has nothing to give takes part in it."""
    name = begin.__name__
    if name in ("all_gather", "gather", "broadcast", "scatter"):
        return (name, arguments[1])
    if name == "all_reduce":
        return (name, arguments[0].dtype.str, arguments[0].shape, *arguments[1:])
    if name == "meet":
        return (name, *arguments[:2], bytes(len(arguments[2])))
    if name == "exchange":
        return (name, arguments[0])
    return (name, *arguments[1:]) if name == "sort" else (name, *arguments) if name == "agree" else (name,)


def take_part(what: tuple) -> None:
    """Enters what the others have entered, and this rank has not, because its call was taken back."""
    name, *arguments = what
    if name in ("exchange", "sort"):
        begin: Any = getattr(_core, name)
        if name == "exchange":
            arguments.append([[]] * _core.size())
        else:  # of elements of this rank that are not the array's: those who interrupt it have a copy
            arguments.insert(0, bytearray(arguments[1][_core.rank()] * int(arguments[0][1:])))
    elif name == "all_reduce":
        import numpy as np

        begin, arguments = _core.all_reduce, [np.zeros(arguments[1], arguments[0]), *arguments[2:]]
    else:
        begin = getattr(_core, name)
        root = arguments[0] if arguments else None
        if name in ("all_gather", "gather"):
            arguments.insert(0, dumps(None))
        elif name == "broadcast":
            arguments.insert(0, dumps(None) if root == _core.rank() else None)
        elif name == "scatter":
            arguments.insert(0, [dumps(None)] * _core.size() if root == _core.rank() else None)
    number = _begin(begin, tuple(arguments))
    try:
        _waits.wait(number, None, "after an interrupt")
        _core.take(number)
    except _core.RankLost:
        raise
    except Exception:  # of what was interrupted
        pass


def agree(name: str, what: str) -> None:
    """Raises UsageError on all ranks if what they give, as a text, differs."""
    _run(name, _core.agree, name, what)


def end_together(name: str, what: str, error: Exception | None) -> None:
    """Ends an operation of which each rank has done its part: a barrier, and an error on all ranks if one rank has had one, or did another."""
    said = _gathered(name, (what, None if error is None else f"{type(error).__name__}: {error}"))
    if error is not None:
        raise error
    for r, (its, failed) in enumerate(said):
        if its != what:
            raise _core.UsageError(f"armilla: rank {_core.rank()}: {name}: ranks do not ask for the same: this one for {what}, rank {r} for {its}; all of them do the same")
        if failed is not None:
            raise ValueError(f"armilla: rank {_core.rank()}: {name}: rank {r} has raised {failed}")


def barrier() -> None:
    """Returns when every rank has come to it."""
    _run("barrier", _core.barrier)


def _run_fence(name: str, begin: Callable[..., int]) -> None:
    """What bodies of other ranks leave buffered meanwhile is sent, too."""
    for send in _calls.before_fence:
        send()
    _calls.in_fence = True
    try:
        _run(name, begin)
    finally:
        _calls.in_fence = False


def fence() -> None:
    """Returns when all calls that any rank has made, and all that these have caused, have run everywhere.

    Raises on every rank what a statement (`async_`) has raised since the last fence: that of the lowest rank.
    """
    global _fences
    _fences += 1
    failed = None
    try:
        _run_fence("fence", _core.fence)
    except _core.RemoteError as told:
        failed = told
    _told[:] = [_fences, *_calls.errors[:1]]  # before anything waits: what comes then is of the next fence
    _calls.errors.clear()
    if failed is not None:
        raise _as_it_was(failed)


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
    _core.take_guest_calls(False)
    while _core.guest_calls():
        _waits.wait(0, 0.001, "the end of guests' calls")
    _run_fence("the end of the script", _core.last_fence)


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
    return _gathered("all_gather", value)


def _gathered(name: str, value: Any) -> list[Any]:
    return [loads(parts) for parts in _run(name, _core.all_gather, dumps(value), name)]


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


def _less(a: Any, b: Any) -> Any:
    return b if b < a or b != b and a == a else a


def _greater(a: Any, b: Any) -> Any:
    return b if a < b or b != b and a == a else a


_by_name: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda a, b: a + b,
    "prod": lambda a, b: a * b,
    "min": _less,  # NaN, if one is
    "max": _greater,
}


def _described(value: Any, op: str | Callable[[Any, Any], Any]) -> str:
    """What all ranks give alike: the operation, and type and shape of arrays."""
    name = op if isinstance(op, str) else f"the function {getattr(op, '__qualname__', type(op).__qualname__)}"
    if hasattr(value, "__array_interface__") and getattr(value, "ndim", 0) > 0:
        return f"an array of {value.dtype} of shape {value.shape} and {name}"
    return f"values and {name}"


def all_reduce(value: Any, op: str | Callable[[Any, Any], Any] = "sum") -> Any:
    """The values of all ranks, combined in the order of the ranks: "sum", "prod", "min", "max", or a function of two values.

    NumPy arrays are combined element by element: where the operation is named and the elements are float64, float32, int64 or int32, by
    the library's own reduction. "min" and "max" are NaN where one value is. Ranks that give other operations, or arrays of other types or
    shapes, get a UsageError, all of them.
    """
    if isinstance(op, str) and op not in _by_name:
        if _python_alone():
            agree("all_reduce", _described(value, op))  # the others hear of it
        raise _core.UsageError(f"armilla: rank {_core.rank()}: all_reduce: '{op}' is no operation; there are {', '.join(_by_name)}, or a function of two values")
    what = _described(value, op) if _python_alone() else ""
    if hasattr(value, "__array_interface__") and getattr(value, "ndim", 0) > 0:
        import numpy as np

        if isinstance(op, str):
            result = np.array(value, order="C")
            if result.dtype.isnative and result.dtype.str[1:] in ("f8", "f4", "i8", "i4"):
                _run("all_reduce", _core.all_reduce, result, op, what)
                return result
            named: Any = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}
            op = named[op]
    if what:
        agree("all_reduce", what)
    combine = _by_name[op] if isinstance(op, str) else op
    values = _gathered("all_reduce", value)
    result = values[0]
    for v in values[1:]:
        result = combine(result, v)
    return result


def _python_alone() -> bool:
    """Whether all ranks run this program: others have no part in what Python asks beforehand."""
    global _alone
    if _alone is None:
        _alone = all(_core.same_program(r) for r in range(_core.size()))
    return _alone


_alone: bool | None = None
