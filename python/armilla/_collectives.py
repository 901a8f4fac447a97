# SPDX-License-Identifier: Apache-2.0
"""What all ranks do together, in the same order. The rank runs calls of others while it waits in them."""
from __future__ import annotations

from collections import deque
from typing import Any, Callable

from greenlet import getcurrent

from . import _calls, _core, _waits
from ._pickling import loads_error


def _run(name: str, begin: Callable[..., int], *arguments: Any) -> list:
    _calls.refuse_in_call(name)
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
    if name in _teams.recalled:
        return (name, *_teams.recalled[name](*arguments[1:]))
    if name == "meet":
        return (name, *arguments[:2], bytes(len(arguments[2])))
    if name == "exchange":
        return (name, arguments[0])
    if name == "read_records":
        return (name, *arguments[:-1])
    return (name, *arguments[1:]) if name == "sort" else (name, *arguments) if name in ("agree", "read_numbers") else (name,)


def take_part(what: tuple) -> None:
    """Enters what the others have entered, and this rank has not, because its call was taken back."""
    name, *arguments = what
    if name in ("exchange", "sort"):
        begin: Any = getattr(_core, name)
        if name == "exchange":
            arguments.append([[]] * _core.size())
        else:  # of elements of this rank that are not the array's: those who interrupt it have a copy
            arguments.insert(0, bytearray(arguments[1][_core.rank()] * int(arguments[0][1:])))
    elif name in _teams.recalled:
        begin, arguments = getattr(_core, name), [_teams.world._core, *_teams.absent[name](*arguments)]
    else:
        begin = getattr(_core, name)
        if name == "read_records":
            arguments.append(_core.RoomForShare(0))
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


def barrier() -> None:
    """Waits until every rank has called it.

    >>> import armilla as am
    >>> am.barrier()
    """
    if getcurrent() is not _waits._main or _calls.keep_interrupts:
        _run("barrier", _core.barrier)
        return
    number = _core.barrier_now()
    if number:
        _waits.wait(number, None, "barrier")
        _core.take(number)


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

    Raises on every rank what a one-way call (`async_`) has raised since the last fence: that of the lowest rank.

    >>> import armilla as am
    >>> counts = am.dict()
    >>> counts.update("x", 1)
    >>> am.fence()
    >>> counts["x"] == am.size
    True
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
    for free in _calls.after_fence:
        free()
    if failed is not None:
        raise _as_it_was(failed)


_fences = 0
_told: list = []  # the number of the last fence with an error here, and the error of this rank's


def _error_of(fence: int) -> Any:
    """What a one-way call has raised on this rank in front of that fence, packed; None: nothing, or a method of C++ has thrown."""
    kept = _told[1:] if _told and _told[0] == fence else _calls.errors
    return [bytes(p) for p in kept[0]] if kept else None


def _as_it_was(told: _core.RemoteError) -> BaseException:
    """The error that a one-way call of Python has raised, from its rank: the fence tells type and text alone."""
    rank = told.rank
    if not _core.same_program(rank):
        return told
    packed = _error_of(_fences) if rank == _core.rank() else _calls.call(rank, _error_of, _fences).get()
    return told if packed is None else loads_error(rank, packed)


def last_fence() -> None:
    """What ends the script: as the fence, for ranks of every program. No call of an attached client is under way then."""
    _core.take_outside_calls(False)
    while _core.client_calls():
        _waits.wait(0, 0.001, "the end of attached clients' calls")
    _run_fence("the end of the script", _core.last_fence)


def own_error() -> BaseException | None:
    """What the first one-way call that failed here has raised."""
    return loads_error(_core.rank(), _calls.errors[0]) if _calls.errors else None


def _python_alone() -> bool:
    """Whether all ranks run this program: others have no part in what Python asks beforehand."""
    global _alone
    if _alone is None:
        _alone = all(_core.same_program(r) for r in range(_core.size()))
    return _alone


_alone: bool | None = None


from . import _teams  # noqa: E402  (which uses what is above)

world = _teams.world
gathered = _teams.gathered
broadcast, all_gather, gather, scatter = world.broadcast, world.all_gather, world.gather, world.scatter
all_reduce, reduce, scan, exscan = world.all_reduce, world.reduce, world.scan, world.exscan
all_to_all, reduce_scatter = world.all_to_all, world.reduce_scatter
send, recv, recv_from = _teams.send, _teams.recv, _teams.recv_from
