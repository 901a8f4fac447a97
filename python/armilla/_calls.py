# SPDX-License-Identifier: Apache-2.0
"""Calls between ranks: how they are sent, awaited, and run here."""
from __future__ import annotations

import time
from typing import Any, Callable, Generator, Generic, TypeVar

from . import _core
from ._pickling import dumps, dumps_call, dumps_error, loads, loads_error

T = TypeVar("T")

# What _core.wait returns.
READY, CALLS, INTERRUPTED, KNOCKED, LATE = 1, 2, 3, 4, 5

# Bodies that wait lie on top of each other: from the first depth on others begin only if an answer is slow to come, at the second one
# they are refused.
_patient = 32
_deepest = 100
_patience = 0.001  # seconds

keep_interrupts = False  # of a worker: an interrupted body is an error of its caller
depth = 0  # bodies that are running
errors: list[tuple[int, list]] = []  # of statements, for the next fence: the caller, and the packed error


def in_body() -> bool:
    return depth != 0


def run_next() -> bool:
    """Runs the next call that has come in; False: there is none."""
    global depth
    call = _core.next_call()
    if call is None:
        return False
    source, number, parts = call
    depth += 1
    try:
        raised, answer = _outcome(source, number, parts)
    finally:
        depth -= 1
        _core.ran()
    if number:
        _core.answer(source, number, raised, answer)
    elif raised:
        errors.append((source, answer))
    return True


def _outcome(source: int, number: int, parts: list) -> tuple[bool, Any]:
    try:
        if depth > _deepest:
            raise RecursionError(f"armilla: rank {_core.rank()} has {_deepest} calls that wait inside each other, and begins no more; let fewer wait")
        f, args, kwargs = loads(parts)
        value = f(*args, **kwargs)
        return False, dumps(value) if number else None
    except KeyboardInterrupt as error:
        if not keep_interrupts:
            raise
        return True, dumps_error(error)
    except BaseException as error:  # SystemExit as well: it is the caller who is told
        return True, dumps_error(error)


def wait(number: int, timeout: float | None, what: str, over: Callable[[], bool] | None = None) -> bool:
    """Waits for an operation (0: for `over`), and runs what comes in meanwhile; False: it took longer than `timeout` seconds."""
    end = None if timeout is None else time.monotonic() + timeout
    while over is None or not over():
        left = -1.0 if end is None else max(0.0, end - time.monotonic())
        why = LATE
        if depth >= _patient and number:
            why = _core.wait(number, False, _patience if end is None else min(_patience, left), what)
        if why == LATE:
            why = _core.wait(number, True, left, what)
        if why == READY:
            return True
        if why == CALLS:
            run_next()
        elif why == LATE:
            return False
    return True


class Future(Generic[T]):
    """The answer to a call, that may not be there yet.

    `get()` and `result()` wait for it and return the value, or raise what the body raised; `await` does the same in a coroutine. The rank
    runs calls of others while it waits.
    """

    __slots__ = ("_number", "_rank", "_state", "_value", "__weakref__")

    def __init__(self, number: int, rank: int) -> None:
        self._number = number
        self._rank = rank
        self._state = 0  # 1: a value, 2: an error
        self._value: Any = None

    def _take(self) -> None:
        if self._state:
            return
        raised, (parts,) = _core.take(self._number)
        self._number = 0
        if raised:
            self._value = loads_error(self._rank, parts)
            self._state = 2
        else:
            self._value = loads(parts)
            self._state = 1

    def _await(self, timeout: float | None) -> None:
        if not self._state:
            if not wait(self._number, timeout, "future.get", lambda: self._state != 0):
                raise _core.TimeoutError(f"armilla: rank {_core.rank()}: future.get: rank {self._rank} has not answered within {timeout} s; wait again")
            self._take()

    def get(self, timeout: float | None = None) -> T:
        """Waits for the answer; `timeout` in seconds, then TimeoutError. Can be asked again."""
        self._await(timeout)
        if self._state == 2:
            raise self._value
        return self._value

    result = get

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Waits; what the body raised, or None."""
        self._await(timeout)
        return self._value if self._state == 2 else None

    def done(self) -> bool:
        """Whether the answer is there. Takes in what has come."""
        if not self._state and not _core.is_ready(self._number):
            _core.poll()
        return bool(self._state) or _core.is_ready(self._number)

    @property
    def rank(self) -> int:
        """The rank that answers."""
        return self._rank

    def __await__(self) -> Generator[Any, None, T]:
        import asyncio

        tries = 0
        while not self.done():
            if not in_body():
                while run_next():
                    tries = 0
            yield from asyncio.sleep(0 if tries < 100 else 0.0005).__await__()
            tries += 1
        return self.get()

    def __del__(self) -> None:
        if self._number and not self._state:
            _core.forget(self._number)

    def __repr__(self) -> str:
        what = ("open", "a value", "an error")[self._state] if self._state or not _core.is_ready(self._number) else "ready"
        return f"<armilla.Future of rank {self._rank}: {what}>"


def call(rank: int, f: Callable[..., T], *args: Any, **kwargs: Any) -> Future[T]:
    """Runs `f(*args, **kwargs)` on `rank` (this one, too), and returns a future of what it returns.

    What can be imported, and all of the script itself, goes by reference, the rest by cloudpickle; NumPy arrays arrive as arrays over
    the memory into which they were received. The body runs when that rank waits, or polls.
    """
    return Future(_core.call(rank, dumps_call("call", f, args, kwargs), True), rank)


def async_(rank: int, f: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Statement: runs `f(*args, **kwargs)` on `rank`, and nothing comes back. What it raises, the next `fence` raises on every rank."""
    _core.call(rank, dumps_call("async_", f, args, kwargs), False)


def poll() -> bool:
    """Runs what has come from other ranks; for a rank that computes for long. True if a call ran."""
    _core.poll()
    any_ran = False
    while _core.pending_calls() and not in_body():
        any_ran = run_next() or any_ran
    return any_ran
