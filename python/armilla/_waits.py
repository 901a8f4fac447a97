# SPDX-License-Identifier: Apache-2.0
"""How a rank waits, and runs meanwhile what others ask for.

The script runs in the main greenlet, calls of other ranks in others, one at a time. One that waits keeps its stack, and another greenlet
goes on. So calls may wait for each other in any order and to any depth. While nothing can go on, the rank waits in _core.wait, without
the interpreter's lock.
"""
from __future__ import annotations

import itertools
import time
from typing import Any, Callable, Iterable

from greenlet import getcurrent, greenlet

from . import _core

READY, CALLS, INTERRUPTED, KNOCKED, LATE = 1, 2, 3, 4, 5  # what _core.wait returns

run_next: Callable[[], bool]  # of _calls
calls_run = 0


class _Waiter:
    """A greenlet that waits for an operation, or for `over`."""

    __slots__ = ("who", "end", "over", "came", "stopped")

    def __init__(self, who: Any, end: float | None, over: Callable[[], bool] | None) -> None:
        self.who = who
        self.end = end
        self.over = over
        self.came = False
        self.stopped = False  # by the driver


_main: Any = getcurrent()
_waiting: dict[int, _Waiter] = {}  # by the operation's number; below zero those that wait for none
_others = itertools.count(-1, -1)
_timed = 0  # how many of them have an end
_idle: list[Any] = []  # greenlets that have run their call
_spawner: Any = None


def in_other_greenlet() -> bool:
    return getcurrent() is not _main and _serves(getcurrent())


def _serves(g: Any) -> bool:
    """Whether a greenlet is one of ours, or was started by one: a program may have its own."""
    while g is not None and g is not _main:
        if getattr(g, "serves", False):
            return True
        g = g.parent
    return False


def _serve() -> None:
    global calls_run
    while True:
        _block(None, "a call")
        calls_run += 1
        while run_next() and not _stops and not _timed and _core.call_soon():
            calls_run += 1


def _spawn() -> None:
    # All begin at one depth of the thread's stack, however deep the one that needs a new one is.
    while True:
        g = greenlet(_serve, _main)
        g.serves = True
        g.switch()


def _let_others_serve() -> None:
    """Another greenlet runs calls; returns when somebody wakes this one."""
    global _spawner
    if _idle:
        _idle.pop().switch()
        return
    if _spawner is None:
        _spawner = greenlet(_spawn, _main)
    _spawner.switch()


def _next_end() -> float:
    if not _timed:
        return -1.0
    return max(0.0, min(w.end for w in _waiting.values() if w.end is not None) - time.monotonic())


def _woken(why: int, number: int) -> _Waiter | None:
    """Who can go on now."""
    if why == READY:
        found = _waiting.pop(number, None)
        if found is not None:
            found.came = True
        return found
    for key, w in list(_waiting.items()):
        if why == KNOCKED and w.over is not None and w.over():
            w.came = True
            return _waiting.pop(key)
        if why == LATE and w.end is not None and w.end <= time.monotonic():
            return _waiting.pop(key)
    return None


# ---- interrupts of a driver ----
#
# A greenlet that works for a call of the driver has its number as `root`, also where the call was made by another rank. When the driver
# cancels the call, KeyboardInterrupt is raised in those greenlets, and nowhere else: not in the package's own code between two calls.

cancelled: set[int] = set()  # numbers of calls that the driver has taken back
_stops: list[None] = []  # not empty: there are new ones
unsettled = 0  # interrupts that not all workers are past


def cancel(numbers: Iterable[int]) -> None:
    """On the thread that hears of the driver; a SIGINT to the rank's thread follows."""
    global unsettled
    unsettled += 1
    cancelled.update(numbers)
    _stops.append(None)


def root() -> int:
    """The driver's call for which this code runs; 0: none that can be cancelled now."""
    return getattr(getcurrent(), "root", 0)


def _next_stopped() -> _Waiter | None:
    _stops.clear()
    for key, w in list(_waiting.items()):
        if getattr(w.who, "root", 0) in cancelled:
            _stops.append(None)  # there may be more
            w.who.root = 0
            w.stopped = True
            return _waiting.pop(key)
    return None


def on_interrupt(signal: int, frame: Any) -> None:
    """The handler of SIGINT in a worker: one that no cancelled call has brought is ignored."""
    mine = getcurrent()
    if getattr(mine, "root", 0) in cancelled:
        mine.root = 0
        raise KeyboardInterrupt


def for_root(number: int, work: Callable[[], Any]) -> Any:
    """Runs `work` for a call of the driver: only within it, that raises KeyboardInterrupt."""
    mine = getcurrent()
    try:
        mine.root = number
        if number in cancelled:
            raise KeyboardInterrupt
        return work()
    finally:
        mine.root = 0


def undisturbed(work: Callable[[], Any]) -> Any:
    """Runs `work`, which is short, as a whole: an interrupt that comes meanwhile is raised behind it."""
    mine = getcurrent()
    number = getattr(mine, "root", 0)
    if not number:
        return work()
    mine.root = 0
    try:
        return work()
    finally:
        mine.root = number
        if number in cancelled:
            mine.root = 0
            raise KeyboardInterrupt


def _block(mine: _Waiter | None, what: str) -> None:
    """Returns when what `mine` waits for has come, or its time is over; None: when there is a call to run."""
    while True:
        other = _next_stopped() if _stops else None
        if other is not None:
            why = INTERRUPTED
        else:
            why, number = _core.wait(_next_end(), what)
        if why == CALLS:
            if mine is not None:
                _let_others_serve()
            return
        other = other or _woken(why, number)
        if other is None:
            continue
        if other is not mine:
            if mine is None:
                _idle.append(getcurrent())
            other.who.switch()
        if mine is not None:
            return


def wait(number: int, timeout: float | None, what: str, over: Callable[[], bool] | None = None) -> bool:
    """Waits for an operation (0: for `over`, asked after a knock); False: it took longer than `timeout` seconds."""
    global _timed
    if number and _core.watch(number):
        return True
    if over is not None and over():
        return True
    key = number or next(_others)
    mine = _Waiter(getcurrent(), None if timeout is None else time.monotonic() + timeout, over)
    _timed += timeout is not None
    _waiting[key] = mine
    try:
        _block(mine, what)
    finally:
        _waiting.pop(key, None)
        _timed -= timeout is not None
    if mine.stopped:
        raise KeyboardInterrupt
    return mine.came
