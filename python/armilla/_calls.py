# SPDX-License-Identifier: Apache-2.0
"""Calls between ranks: how they are sent, awaited, and run here."""
from __future__ import annotations

import re
from typing import Any, Callable, Generator, Generic, TypeVar

from . import _core, _waits
from ._pickling import described_error, dumps_call, dumps_error, dumps_result, loads, loads_call, loads_error
from ._waits import in_other_greenlet, wait

T = TypeVar("T")

keep_interrupts = False  # of a worker: an interrupted body is an error of its caller
errors: list[Any] = []  # of one-way calls, since the last fence: packed
run_named: Callable[..., None]  # of _named
before_fence: list[Callable[[], None]] = []  # what sends calls that wait for company
after_fence: list[Callable[[], None]] = []  # what all ranks do when it has ended
in_fence = False  # then none waits: this rank has sent what waited, and a fence completes what bodies cause


def in_body() -> bool:
    """Returns whether this code is a called function.

    >>> import armilla as am
    >>> am.in_body(), am.call(0, am.in_body).get()
    (False, True)
    """
    return in_other_greenlet()


def refuse_in_call(name: str) -> None:
    """What all ranks do together is for the rank's own code."""
    if in_body():
        raise _core.UsageError(f"armilla: rank {_core.rank()}: {name}: a call that runs for another rank cannot enter what all ranks do together; do it in the rank's own code")


def note_error(source: int, packed: Any) -> None:
    """The next fence raises it on every rank."""
    errors.append(packed)
    _core.note_error(source, *described_error(packed))


def left_body() -> None:
    """Runs after each body, before its caller gets the answer. What it raises is the body's error."""
    if in_fence:
        for send in before_fence:
            send()


def run_next() -> bool:
    """Runs the next call that has come in; False: there is none."""
    call = _core.next_call()
    if call is None:
        return False
    if len(call) == 4:  # by name
        run_named(*call[1:])
        return True
    source, number, parts = call
    try:
        raised, answer = _outcome(number, parts)
        if number:
            _core.answer(source, number, raised, answer)
        elif raised:  # the next fence cannot end before
            note_error(source, answer)
    finally:
        _core.ran()
    return True


def _root() -> int:
    return _waits.root() if keep_interrupts else 0


def _unpacked(parts: list) -> tuple:
    try:
        return loads_call(parts)
    except AttributeError as why:
        found = re.search(r"Can't get attribute '(.+?)' on <module '__main__'", str(why))
        if found is None:
            raise
        raise _core.UsageError(f"armilla: rank {_core.rank()}: call: the script has defined no '{found[1]}' here yet, and ran the call where it waited; "
                               "define what others call in front of the first call or collective") from None


def _answer_of(f: Callable[..., Any], args: tuple, kwargs: dict, number: int) -> Any:
    value = f(*args, **kwargs)
    return dumps_result(f, value) if number else None


def _outcome(number: int, parts: list) -> tuple[bool, Any]:
    try:
        f, args, kwargs, *root = _unpacked(parts)
        try:
            if root:
                return False, _waits.for_root(root[0], lambda: _answer_of(f, args, kwargs, number))
            return False, _answer_of(f, args, kwargs, number)
        finally:
            if in_fence:
                left_body()
    except KeyboardInterrupt as error:
        if not keep_interrupts:
            raise
        return True, dumps_error(error)
    except BaseException as error:  # SystemExit as well: the caller is told
        return True, dumps_error(error)


class Future(Generic[T]):
    """The answer to a call, that may not be there yet.

    `get()` and `result()` wait for it and return the value, or raise what the body raised; `await` does the same in a coroutine. The rank
    runs calls of others while it waits.

    >>> import armilla as am
    >>> f = am.call(am.size - 1, pow, 2, 10)
    >>> f.get(timeout=60), f.done(), f.rank == am.size - 1
    (1024, True, True)
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
            if not wait(self._number, timeout, "future.get"):
                raise _core.TimeoutError(f"armilla: rank {_core.rank()}: future.get: rank {self._rank} has not answered within {timeout} s; wait again")
            if not self._state:
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
            if poll():
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


def call(rank: int, f: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
    """Runs `f(*args, **kwargs)` on `rank` (this one, too), and returns a future of what it returns.

    What can be imported, and all of the script itself, goes by reference, the rest by cloudpickle; NumPy arrays arrive as arrays over
    the memory into which they were received. The body runs when that rank waits, or polls.

    >>> import armilla as am
    >>> am.call(0, sorted, [3, 1, 2], reverse=True).get()
    [3, 2, 1]
    """
    try:
        return Future(_core.call(rank, dumps_call("call", f, args, kwargs, root=_root()), True), rank)
    except TypeError as why:
        if not hasattr(rank, "__index__"):
            raise TypeError(f"armilla: call: {rank!r} is no rank; give an integer, then the function") from why
        raise


def async_(rank: int, f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
    """One-way call: runs `f(*args, **kwargs)` on `rank`, without a result. If it raises an exception, the next `fence` raises it on every rank.

    >>> import armilla as am
    >>> seen = []
    >>> am.async_(am.rank, seen.append, 5)  # sends a copy of the list, so `seen` does not change
    >>> am.fence()
    >>> seen
    []
    """
    _core.call(rank, dumps_call("async_", f, args, kwargs, root=_root()), False)


def poll() -> bool:
    """Runs calls that have arrived from other ranks. Use it in a rank that computes for a long time. Returns whether a call ran. In a called function it does nothing.

    >>> import armilla as am
    >>> for step in range(3):
    ...     total = sum(range(1000))  # computes, and runs calls of others in between
    ...     ran = am.poll()
    """
    if in_body():
        return False
    before = _waits.calls_run
    wait(0, 0.0, "poll")
    return _waits.calls_run != before


_waits.run_next = run_next
