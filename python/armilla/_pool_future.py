# SPDX-License-Identifier: Apache-2.0
"""A pool's tasks and their futures."""
from __future__ import annotations

import _signal  # as `signal`, without its conversions to enumerations, which take microseconds
import asyncio
import concurrent.futures
import concurrent.futures.process
import functools
import threading
import time
from concurrent.futures._base import FINISHED
from typing import TYPE_CHECKING, Any, Callable, Generator

from . import _core

if TYPE_CHECKING:
    from ._pool import Pool


class WorkerLost(_core.Error, concurrent.futures.process.BrokenProcessPool):
    """A worker of a pool died while it ran this task. `process`: which; `exit_code`: its exit code, or -9 for signal 9.

    >>> import armilla
    >>> import os
    >>> with armilla.Pool(1) as pool:
    ...     try:
    ...         pool.submit(os._exit, 3).result()
    ...     except armilla.WorkerLost as error:
    ...         error.exit_code
    3
    """

    process: int
    exit_code: int


class InterruptsLater:
    """Postpones KeyboardInterrupt to the end of a `with` block, which may then change what other threads see in several steps."""

    __slots__ = ("_handler", "_came", "_since")

    def __init__(self) -> None:
        self._handler: Any = None
        self._came: tuple | None = None
        self._since = 0.0

    def __enter__(self) -> None:
        if threading.get_ident() == threading.main_thread().ident:
            handler = _signal.getsignal(_signal.SIGINT)
            if callable(handler):
                self._handler = handler
                _signal.signal(_signal.SIGINT, self._note)

    def _note(self, *came: Any) -> None:
        if self._came is not None and time.monotonic() > self._since + 1:  # a function that the block calls does not return
            self._handler(*came)
        self._came, self._since = came, time.monotonic()

    def __exit__(self, *error: Any) -> None:
        if self._handler is not None:
            _signal.signal(_signal.SIGINT, self._handler)
            if self._came is not None:
                self._handler(*self._came)


class Task:
    """One task, or one chunk of a `map`."""

    __slots__ = ("number", "kind", "data", "parts", "held", "ticket", "withdrawn", "tries", "f", "future", "on_end")

    def __init__(self, kind: int, data: bytes, held: list[Any], tries: int, f: Any) -> None:
        self.number = 0  # given when it is published
        self.kind = kind
        self.data = data  # the bytes to be published; empty while long arguments are not in a file
        self.parts: list[bytes] | None = None  # those arguments, after the function
        self.held = held  # the values and the file in shared memory that it needs
        self.ticket = 0  # set by PoolDriver.publish
        self.withdrawn = False
        self.tries = tries
        self.f = f
        self.future: Any = None
        self.on_end: Callable[..., None] | None = None  # of a chunk: (outcomes, error, nanoseconds, item that was lost)

    @property
    def name(self) -> str:
        f = getattr(self.f, "func", self.f)
        return getattr(f, "__qualname__", type(f).__qualname__)


class PoolFuture(concurrent.futures.Future):
    """The result of a task, as a future of `concurrent.futures`. `get` is `result`, and `await` works in a coroutine.

    An interrupt (Ctrl-C) while the caller waits cancels the task, also one that runs. Callbacks (`add_done_callback`) may submit tasks and wait for them.

    >>> import armilla
    >>> with armilla.Pool(1) as pool:
    ...     f = pool.submit(sum, [1, 2])
    ...     f.result(timeout=60), f.done()
    (3, True)
    """

    def __init__(self, pool: Pool, task: Task) -> None:
        super().__init__()
        self._pool = pool
        self._task: Task | None = task

    def result(self, timeout: float | None = None) -> Any:
        if self._state == FINISHED:
            return super().result()
        return self._in_time(super().result, timeout)

    get = result

    def exception(self, timeout: float | None = None) -> BaseException | None:
        return self._in_time(super().exception, timeout)

    def _in_time(self, get: Callable[[float | None], Any], timeout: float | None) -> Any:
        if not self.done():
            self._pool._wait_for(self, timeout)
            timeout = 0
        try:
            return get(timeout)
        except concurrent.futures.TimeoutError:
            if self.done():
                raise
            raise _core.TimeoutError("armilla: Pool: the task has not ended in time; wait again, or cancel it") from None

    def cancel(self) -> bool:
        """Takes the task back, unless a worker has begun it. `interrupt` ends one that runs."""
        with InterruptsLater():
            task = self._task
            if task is not None and not self.done() and self._pool._withdraw(task) and super().cancel():
                self.set_running_or_notify_cancel()
                self._task = None
        return self.cancelled()

    def interrupt(self) -> None:
        """Cancels the task; if it runs, KeyboardInterrupt is raised in it, which `result` raises then."""
        self._pool._interrupt([self])

    def running(self) -> bool:
        task = self._task
        return not self.done() and task is not None and self._pool._runs(task)

    def add_done_callback(self, f: Callable[[Any], Any]) -> None:
        # asyncio's own returns at once.
        super().add_done_callback(f if getattr(f, "__module__", "") == "asyncio.futures" else functools.partial(self._pool._call_back, f))

    def __await__(self) -> Generator[Any, None, Any]:
        return asyncio.wrap_future(self).__await__()
