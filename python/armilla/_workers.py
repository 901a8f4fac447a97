# SPDX-License-Identifier: Apache-2.0
"""What a process does with workers, whoever has started them: calls, and objects that all of them have."""
from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import html
import logging
import os
import queue
import threading
import time
import weakref
from collections import deque
from typing import Any, Callable, Generator, Iterable, Iterator, Sequence

from . import _core, _frames, _worker_names
from ._pickling import dumps_by_value, dumps_call, from_outside, loads, loads_error

_of_arrays = ("arange", "asarray", "empty", "eye", "from_function", "full", "linspace", "load", "ones", "save", "zeros")
_of_tables = ("from_arrow", "from_pandas", "from_polars", "read_csv", "read_ipc", "read_parquet", "table")


class WorkerFuture(concurrent.futures.Future):
    """What a worker answers, as a future of `concurrent.futures`; `get` is `result`, and `await` works in a coroutine.

    An interrupt (Ctrl-C) while one waits cancels the call. Callbacks (`add_done_callback`) may make calls and wait for them.
    """

    def __init__(self, workers: "Workers", rank: int, number: int) -> None:
        super().__init__()
        self._workers = workers
        self._number = number
        self.rank = rank

    def result(self, timeout: float | None = None) -> Any:
        try:
            return super().result(timeout)
        except concurrent.futures.TimeoutError:
            if self.done():
                raise
            raise _core.TimeoutError(f"armilla: call: rank {self.rank} has not answered within {timeout} s; wait again") from None
        except KeyboardInterrupt:
            if not self.done():
                self._workers._cancel([self._number])
            raise

    get = result

    def add_done_callback(self, f: Callable[[Any], Any]) -> None:
        # asyncio's own returns at once, and a callback may wait for it.
        of_asyncio = getattr(f, "__module__", "") == "asyncio.futures"
        super().add_done_callback(f if of_asyncio else functools.partial(self._workers._call_back, f))

    def __await__(self) -> Generator[Any, None, Any]:
        return asyncio.wrap_future(self).__await__()

    def _arrive(self, kind: int, parts: list) -> None:
        """The answer is there."""
        try:
            with from_outside:
                value, raised = (loads(parts), None) if kind == _frames.VALUE else (None, loads_error(self.rank, parts))
        except BaseException as error:
            self.set_exception(error)
        else:
            self.set_result(value) if raised is None else self.set_exception(raised)


class Token:
    """This process has the object that the workers have under a number. When nothing refers to it any more, they drop theirs."""

    __slots__ = ("number", "__weakref__")

    def __init__(self, number: Any) -> None:
        self.number = number


class _Watch(weakref.ref):
    """Follows a token. It is told of the token's end by code of C, so that no interrupt comes between."""

    __slots__ = ("number",)
    number: Any


class Workers:
    """The base of `armilla.Ranks` and `armilla.Session`."""

    open: list["Workers"] = []  # those that have not ended, the newest last
    _key: str  # what tells the objects of different jobs apart
    _process: int  # the workers' supervisor
    _holder = 0  # what tells the objects of a session's clients apart

    def __init__(self, size: int) -> None:
        self.size = size
        self._last = 0
        self._open: dict[int, Any] = {}  # calls without an answer: futures
        self._lock = threading.Lock()
        self._closing = False
        self._lost: BaseException | None = None
        self._number = 0  # of the last distributed object
        self._proxies: weakref.WeakValueDictionary[Any, Any] = weakref.WeakValueDictionary()
        self._watches: dict[Any, _Watch] = {}  # of the numbers that workers may have
        self._dropped: deque[_Watch] = deque()  # those whose tokens are gone, until all workers have heard of them
        self._file: int | None = None  # the workers' memory, once it was asked for
        self._page: Any = None  # once it was asked for
        self._reader: threading.Thread | None = None
        self._callbacks: queue.SimpleQueue[Any] | None = None  # of futures, on a thread of their own: the reader goes on
        self._cancels: deque[list[int]] = deque()  # of interrupts, until all workers are past them
        self._cancelling = threading.Event()

    def _transmit(self, rank: int, number: int, parts: Sequence[Any]) -> None:
        """Sends a call to a worker, or, where `rank` is below zero, to all: their numbers follow each other."""
        raise NotImplementedError

    def _settle(self) -> int:
        """Brings the workers past interrupts. Returns how many of `_cancels`."""
        raise NotImplementedError

    def _started(self) -> None:
        """Begins to take answers."""
        for run in (self._read, self._settle_all):
            thread = threading.Thread(target=run, daemon=True)
            self._reader = self._reader or thread
            thread.start()
        Workers.open.append(self)

    def _read(self) -> None:
        raise NotImplementedError

    def _ended(self) -> None:
        """Frees what this process has of the workers."""
        if self._page is not None:
            self._page.close()
            self._page = None
        if self in Workers.open:
            Workers.open.remove(self)
        if self._reader is not None and self._reader is not threading.current_thread():
            self._reader.join(2)
        self._cancelling.set()
        with self._lock:
            waiting = list(self._open.values())
            self._open.clear()
        for future in waiting:
            future.set_exception(_core.Error("armilla: the workers were ended before they had answered"))
        if self._callbacks is not None:
            self._callbacks.put(None)
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _end_calls(self, error: BaseException) -> None:
        """There will be no answers."""
        with self._lock:
            self._lost = error
            self._cancelling.set()
            waiting = list(self._open.values())
            self._open.clear()
        for future in waiting:
            future.set_exception(error)

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Any, error: Any, at: Any) -> None:
        self.close()

    @property
    def process(self) -> int:
        """The workers' supervisor, for `armilla.attach`."""
        return self._process

    def page(self, port: int | None = None) -> str:
        """Starts the live page of these workers, and returns its address for a browser on this host. It shows what each worker does, memory, traffic, and
        the last minute. Needs `armilla-top`, which is part of the C++ library. The page ends when the workers end, or when this process no longer uses them."""
        if self._page is None:
            from ._page import Page

            self._page = Page(self._process, port)
        return self._page.address

    def _page_address(self) -> str:
        return self._page.address if self._page is not None else ""

    def _repr_html_(self) -> str:
        """What the workers do now, and their memory: asked of none of them."""
        from ._job import attach

        try:
            ranks = attach(self._process).stats() if self._lost is None and not self._closing else []
        except _core.Error:
            ranks = []
        rows = "".join(f"<tr><td>{r['rank']}</td><td>{r['process']}</td><td>{r['doing']}</td><td>{r['memory'] / 1e6:.0f} MB</td><td>{r['segment'] / 1e6:.0f} MB</td></tr>" for r in ranks)
        address = html.escape(self._page_address())
        page = f' <a href="{address}">{address}</a>' if address else ""
        return (f"<b>{html.escape(repr(self).strip('<>'))}</b>{page}<table><tr><th>worker</th><th>process</th><th>does</th><th>memory</th><th>shared</th></tr>{rows}</table>")

    # ---- interrupts ----

    def interrupt(self) -> None:
        """Cancels all calls that have not ended: what the workers do for them raises KeyboardInterrupt, and so do their futures."""
        self._cancel(list(self._open))

    def _cancel(self, numbers: list[int]) -> None:
        """Returns at once. An interrupt may come anywhere in the code of this thread, so that another one does the work."""
        self._cancels.append(numbers)
        self._cancelling.set()

    def _settled(self, seconds: float = float("inf")) -> None:
        """Waits until the workers are past all interrupts, so that what they enter together next is the same."""
        end = time.monotonic() + seconds
        while self._cancels and self._lost is None and not self._closing and time.monotonic() < end:
            self._cancelling.set()
            time.sleep(0.0005)

    def _settle_all(self) -> None:
        while not self._closing and self._lost is None:
            self._cancelling.wait()
            self._cancelling.clear()
            while self._cancels:
                told = 1
                try:
                    told = self._settle()
                except BaseException:  # a worker is lost: its calls say so
                    pass
                for _ in range(told):
                    self._cancels.popleft()

    def _call_back(self, f: Callable[[Any], Any], future: WorkerFuture) -> None:
        if threading.current_thread() is not self._reader:
            f(future)
            return
        if self._callbacks is None:
            self._callbacks = queue.SimpleQueue()
            threading.Thread(target=self._run_callbacks, args=(self._callbacks,), daemon=True).start()
        self._callbacks.put((f, future))

    @staticmethod
    def _run_callbacks(calls: queue.SimpleQueue) -> None:
        for f, future in iter(calls.get, None):
            try:
                f(future)
            except Exception:
                logging.getLogger("concurrent.futures").exception("exception calling callback for %r", future)

    # ---- calls ----

    def _numbers(self, count: int) -> range:
        with self._lock:
            self._last += count
            return range(self._last - count + 1, self._last + 1)

    def _note(self, calls: dict[int, Any]) -> None:
        """Notes who waits for the answers, by the numbers of the calls."""
        with self._lock:
            if self._lost is not None:
                raise self._lost
            if self._closing:
                raise _core.UsageError("armilla: call: these ranks have ended; make new ones by armilla.ranks, or connect again")
            self._open.update(calls)

    def _futures(self, ranks: Sequence[int], numbers: Sequence[int]) -> list[WorkerFuture]:
        futures = [WorkerFuture(self, rank, number) for rank, number in zip(ranks, numbers)]
        self._note(dict(zip(numbers, futures)))
        for future in futures:
            future.set_running_or_notify_cancel()
        return futures

    def _take(self, number: int, kind: int, parts: list) -> None:
        with self._lock:
            future = self._open.pop(number, None)
        if future is not None:
            future._arrive(kind, parts)

    def _send(self, rank: int, parts: Sequence[Any], number: int) -> WorkerFuture:
        (future,) = self._futures([rank], [number])
        self._transmit(rank, number, parts)
        return future

    def _send_each(self, calls: Sequence[tuple[int, Sequence[Any]]]) -> list[WorkerFuture]:
        """An interrupt meanwhile cancels all of them."""
        self._settled()
        numbers = self._numbers(len(calls))
        try:
            return [self._send(rank, parts, number) for (rank, parts), number in zip(calls, numbers)]
        except KeyboardInterrupt:
            self._cancel(list(numbers))
            raise

    def call(self, rank: int, f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> WorkerFuture:
        """Runs `f(*args, **kwargs)` on one worker; a future of what it returns."""
        if not hasattr(rank, "__index__"):
            raise TypeError(f"armilla: call: {rank!r} is no rank; give an integer, then the function")
        if not 0 <= rank < self.size:
            raise _core.UsageError(f"armilla: call: rank {rank} does not exist (ranks of this job: {self.size}); give a rank from 0 to {self.size - 1}")
        return self._send_each([(rank, dumps_call("call", f, args, kwargs, dumps_by_value))])[0]

    def call_all(self, f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> list[Any]:
        """Runs `f(*args, **kwargs)` on all workers at once; the list of what they return, or the error of the lowest rank that raised."""
        parts = dumps_call("call_all", f, args, kwargs, dumps_by_value)
        self._settled()
        numbers = self._numbers(self.size)
        try:
            futures = self._futures(range(self.size), numbers)
            self._transmit(-1, numbers[0], parts)
            concurrent.futures.wait(futures)
        except KeyboardInterrupt:
            self._cancel(list(numbers))
            raise
        return [f.result() for f in futures]

    def async_(self, rank: int, f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
        """As `call`, and nothing comes back: what it raises is lost."""
        self.call(rank, f, *args, **kwargs)

    def map(self, f: Callable[..., Any], values: Iterable[Any], *more: Iterable[Any], progress: bool = False) -> list[Any]:
        """Calls `f` with each value, or with one value of each of several iterables, on the workers in turn. Returns the list of results, in the order of the values.
        `progress`: shows a bar of tqdm, if that is installed."""
        futures = self._send_each([(i % self.size, dumps_call("map", f, v, {}, dumps_by_value)) for i, v in enumerate(zip(values, *more))])
        try:
            if progress:
                from ._pool_map import with_bar

                deque(with_bar(concurrent.futures.as_completed(futures), len(futures)), 0)
            concurrent.futures.wait(futures)
        except KeyboardInterrupt:
            self._cancel([future._number for future in futures])
            raise
        return [future.result() for future in futures]

    # ---- what all do together ----

    def barrier(self) -> None:
        """Returns when every worker has done what it was asked for before."""
        self.call_all(_worker_names.barrier)

    def fence(self) -> None:
        """Returns when all calls between the workers have run as well."""
        self.call_all(_worker_names.fence)

    def execute(self, code: str) -> None:
        """Runs code in `__main__` of all workers; what it defines stays there."""
        self.call_all(_worker_names.execute, code)

    def run_cell(self, code: str, *, label: bool = False) -> list[Any] | None:
        """As `execute`; if the code ends with an expression, its values on all workers. `label`: puts the rank before each line that they print."""
        values = self.call_all(_worker_names.run_labelled if label else _worker_names.run_cell, code)
        return None if all(v is None for v in values) else values

    def evaluate(self, expression: str) -> list[Any]:
        """The values of an expression in `__main__` of all workers."""
        return self.call_all(_worker_names.evaluate, expression)

    def array(self, source: Any, dtype: Any = None, *, axis: int = 0, name: str | None = None) -> Any:
        """An array over all workers: of `source` zeros, if that is a number, or of the elements of `source`."""
        return self._make("array", source, dtype, axis=axis, name=name)

    def __reduce__(self) -> Any:
        raise TypeError("armilla: ranks: a driver's workers stay with the driver; a function that runs on a worker uses the module: import armilla as am, within the function")

    def __getattr__(self, name: str) -> Any:
        if name not in _of_arrays and name not in _of_tables:
            raise AttributeError(f"armilla.{type(self).__name__} has no attribute '{name}'")
        return functools.partial(self._make, name)

    @property
    def random(self) -> Any:
        """Makes arrays of random numbers over all workers, as `armilla.random` does on ranks: `am.random.default_rng(1).normal(size=10)`."""
        from ._proxies import Random

        return Random(self)

    def dict(self, *combine: Callable[[Any, Any], Any], name: str | None = None) -> Any:
        """A dictionary over all workers, whose `update` adds, unless another function of two values is given."""
        return self._make("dict", *combine, name=name)

    # ---- objects that the workers keep under a name ----

    def __setitem__(self, name: str, value: Any) -> None:
        """Keeps an array, table or dictionary of these workers under a name, until that is deleted."""
        from ._proxies import Proxy

        if not isinstance(name, str):
            raise _core.UsageError(f"armilla: {name!r} is no name; give a text")
        if not isinstance(value, Proxy):
            raise _core.UsageError(f"armilla: {name}: a {type(value).__name__} is of this process alone; its workers keep arrays, tables and dictionaries: asarray(...), table(...) and dict() make them")
        self._together(_worker_names.set_name, name, value)

    def __getitem__(self, name: str) -> Any:
        return self._together(_worker_names.get_name, name)

    def __delitem__(self, name: str) -> None:
        self._together(_worker_names.delete_name, name)

    def __contains__(self, name: Any) -> bool:
        return name in self.names()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def names(self) -> list[str]:
        """The names under which the workers keep objects."""
        return self.call(0, _worker_names.names).get()

    def _make(self, kind: str, /, *arguments: Any, **options: Any) -> Any:
        if kind in _of_tables and arguments and type(arguments[0]).__module__.startswith("polars."):
            frame = arguments[0].lazy().collect()
            return self._together(_worker_names.table_of, kind, _worker_names.packed_frame(frame), options)
        return self._new(_worker_names.make, kind, *arguments, **options)

    def _together(self, f: Callable[..., Any], /, *arguments: Any, **options: Any) -> Any:
        return self._new(_worker_names.together, f, *arguments, **options)

    def _new(self, how: Callable[..., Any], /, *arguments: Any, **options: Any) -> Any:
        token = self._token()
        return self._object(self._told(how, token, *arguments, **options)[0], token)

    def _partitions(self, of: Any) -> list[Any]:
        from . import _proxies

        held = _proxies.Proxy(self, self._token())
        return [_proxies.Partition(held, where) for where in self._told(_worker_names.put_part, held._token, of)]

    def _token(self) -> Token:
        self._number += 1
        return self._watched(Token((self._holder, self._number)))

    def _watched(self, token: Token) -> Token:
        watch = _Watch(token, self._dropped.append)
        watch.number = token.number
        self._watches[token.number] = watch
        return token

    def _told(self, how: Callable[..., Any], token: Token, /, *arguments: Any, **options: Any) -> list[Any]:
        """All workers call `how`, with the token's number. They drop what has no token any more; if they do not answer, they are told again."""
        dropped = tuple(self._dropped)
        answers = self.call_all(how, token.number, [watch.number for watch in dropped if self._watches.get(watch.number) is watch], *arguments, **options)
        for watch in dropped:
            with contextlib.suppress(ValueError):  # another thread has told it
                self._dropped.remove(watch)
            if self._watches.get(watch.number) is watch:
                del self._watches[watch.number]
        return answers

    def _object(self, said: tuple, token: Token | None) -> Any:
        """What the workers have made. `token`: of the number that they were given."""
        from . import _proxies

        if said[0] in ("value", "several"):
            found = said[1] if said[0] == "value" else _worker_names.filled(said[1], [self._object(each, None) for each in said[2]])
        else:
            number = said[1]
            found = self._proxies.get(number)
            if found is None:
                found = _proxies.kinds[said[0]](self, token if token is not None and token.number == number else self._watched(Token(number)), *said[2:])
                self._proxies[number] = found
        if token is not None and getattr(found, "_token", None) is not token:
            self._watches.pop(token.number, None)  # they have nothing under that number
        return found

    def _memory(self, place: int, size: int) -> Any:
        from . import _proxies

        if self._file is None:
            self._file = _proxies.open_memory(self._process)
        return None if self._file is None else _proxies.map_memory(self._file, place, size)
