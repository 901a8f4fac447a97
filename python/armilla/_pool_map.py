# SPDX-License-Identifier: Apache-2.0
"""`Pool.map`: values go to the workers in chunks, whose length adapts to the time that a value takes."""
from __future__ import annotations

import concurrent.futures
import functools
import itertools
import threading
import time
import warnings
from typing import TYPE_CHECKING, Any, Callable, Iterator

from . import _core
from ._pool_worker import MANY

if TYPE_CHECKING:
    from ._pool import Pool
    from ._pool_future import Task

_chunk_ns = 1_000_000  # the time that a chunk should take
_most_in_chunk = 4096

Outcome = tuple[Any, "BaseException | None"]


class Map:
    """One call of `map`. Its iterables' code runs on the consumer's thread, with no lock held that results need."""

    def __init__(self, pool: Pool, f: Callable[..., Any], iterables: tuple, chunksize: int | None, buffersize: int | None, ordered: bool) -> None:
        self.pool, self.f, self.chunksize, self.buffersize, self.ordered = pool, f, chunksize, buffersize, ordered
        self.lazy = buffersize is not None
        self.values = iter(zip(*iterables)) if self.lazy else iter(list(zip(*iterables)))
        self.total = None if self.lazy else self.values.__length_hint__()  # type: ignore[attr-defined]
        self.left = self.total
        self.ns = 0.0  # the time of a value, as far as is known
        self.filling = threading.RLock()  # held while values are taken and packed
        self.lock = threading.RLock()  # of all that follows
        self.news = threading.Condition(self.lock)
        self.chunks: dict[int, Task] = {}  # those that have not ended, by the index of their first value
        self.done: dict[int, Outcome] = {}  # results that the consumer has not had
        self.ahead = 0  # values that were taken and whose results the consumer has not had
        self.next = 0  # the index of the next value
        self.ended = False  # no more values are taken
        self.error: BaseException | None = None  # raised by an iterable
        try:
            self.fill()
        except BaseException:
            self.cancel(True)
            raise

    def _has_room(self) -> bool:
        return not self.ended and len(self.chunks) < 2 * self.pool.size + 1 and (self.buffersize is None or self.ahead < self.buffersize)

    def _size(self) -> int:
        """The length of the next chunk."""
        room = None if self.buffersize is None else self.buffersize - self.ahead
        if self.chunksize is not None:
            return self.chunksize if room is None else min(self.chunksize, max(1, room))
        size = int(min(_most_in_chunk, max(1.0, _chunk_ns / self.ns))) if self.ns else 1
        if self.left is not None:
            size = min(size, max(1, self.left // (2 * self.pool.size)))
        return size if room is None else min(size, max(1, room // self.pool.size))

    def fill(self) -> None:
        """Sends chunks while there is room for them. Where values are taken lazily, only the consumer calls this. Waits for no other thread that does
        it: that one tests again whether there is room after it has released the lock."""
        while self._has_room() and self.filling.acquire(False):
            try:
                self._send_next()
            finally:
                self.filling.release()

    def _send_next(self) -> None:
        items: list[tuple] = []
        error = None
        try:
            items.extend(itertools.islice(self.values, self._size()))
        except Exception as why:  # raised when the consumer has had the results of the values before it
            error = why
        with self.lock:
            if error is not None or not items:
                self.ended, self.error = True, error
                self.news.notify_all()
            first, self.next = self.next, self.next + len(items)
            self.ahead += len(items)
            if self.left is not None:
                self.left -= len(items)
        if items:
            self.send(first, items)

    def send(self, first: int, items: list[tuple]) -> None:
        try:
            task = self.pool._packed(MANY, self.f, items)
        except Exception as why:
            if len(items) == 1:
                return self.note(first, [(None, why)], True)
            for i, item in enumerate(items):  # up to the one that cannot be sent
                if not self.ended:
                    self.send(first + i, [item])
            return
        task.on_end = functools.partial(self.end, first, items)
        with self.lock:
            self.chunks[first] = task
        try:
            self.pool._add(task, begun=first > 0)
        except Exception as why:  # the pool is broken, or was shut down
            del self.chunks[first]
            if first == 0:
                raise
            self.note(first, [(None, why)], True)

    def note(self, first: int, outcomes: list[Outcome], last: bool = False) -> None:
        with self.lock:
            for i, outcome in enumerate(outcomes, first):
                self.done[i] = outcome
            self.ended |= last
            self.news.notify_all()

    def end(self, first: int, items: list[tuple], outcomes: list[Outcome], error: BaseException | None, ns: int, lost_item: int) -> None:
        """A chunk has ended. `lost_item`: its item that a worker had begun when it died, or -1."""
        with self.lock:
            if self.chunks.pop(first, None) is None:
                return
        if error is None:
            self.note(first, outcomes)
            if ns:
                each = ns / len(items)
                self.ns = each if not self.ns else max(each, 0.5 * (self.ns + each))
        elif lost_item >= 0:  # those before it were run, and their results are lost; those after it were not
            self.note(first, [(None, error)] * (lost_item + 1))
            if items[lost_item + 1:]:
                self.send(first + lost_item + 1, items[lost_item + 1:])
        else:
            self.note(first, [(None, error)] * len(items), isinstance(error, concurrent.futures.CancelledError))
        if not self.lazy:
            self.fill()

    def results(self, end: float | None) -> Iterator[Any]:
        wanted = 0
        try:
            while True:
                if self.lazy:
                    self.fill()
                with self.lock:
                    found = self.done.pop(wanted if self.ordered else next(iter(self.done), -1), None)
                    if found is not None:
                        self.ahead -= 1
                    elif self._is_over(wanted):
                        if self.error is not None:
                            raise self.error
                        return
                if found is None:
                    self._wait(wanted, end)
                    continue
                wanted += 1
                if self.lazy:
                    self.fill()
                value, error = found
                if error is not None:
                    raise error
                yield value
        except KeyboardInterrupt:
            self.cancel(True)
            raise
        finally:
            self.cancel(False)

    def _is_over(self, wanted: int) -> bool:
        return self.ended and wanted == self.next

    def _has_news(self, wanted: int) -> bool:
        """Whether the consumer can go on, or has to send more."""
        return (wanted in self.done if self.ordered else bool(self.done)) or self._is_over(wanted) or (self.lazy and self._has_room())

    def _wait(self, wanted: int, end: float | None) -> None:
        """Waits as a future does: takes results itself, where no other thread does."""
        left = 0.5 if end is None else min(0.5, end - time.monotonic())
        if left <= 0:
            raise _core.TimeoutError("armilla: Pool.map: the next result was not there in time; give a longer timeout")
        if self.pool._help(left, lambda: self._has_news(wanted)):
            return
        self.pool._others += 1
        try:
            with self.lock:
                if not self._has_news(wanted):
                    self.news.wait(left)
        finally:
            self.pool._others -= 1

    def cancel(self, running: bool) -> None:
        """Takes back what no worker has begun. `running`: raises KeyboardInterrupt in the rest."""
        with self.lock:
            self.ended = True
            chunks = list(self.chunks.values())
            self.chunks.clear()
        begun = [task.number for task in chunks if not self.pool._withdraw(task)]
        if running:
            self.pool._cancel_running(begun)


def with_bar(results: Iterator[Any], total: int | None) -> Iterator[Any]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a notebook without ipywidgets: the bar is text then
            from tqdm.auto import tqdm
    except ImportError:
        return results
    return iter(tqdm(results, total=total))
