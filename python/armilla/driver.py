# SPDX-License-Identifier: Apache-2.0
"""Workers of a plain Python process, such as a notebook: `with armilla.ranks(4) as am:`."""
from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import logging
import os
import queue
import re
import secrets
import selectors
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections import deque
from typing import Any, Callable, Generator, Sequence

from . import _core, _frames, _launch, _worker_names
from ._pickling import dumps_by_value, dumps_call, loads, loads_error

_start_seconds = 60.0
_hello_seconds = 5.0
_makers = ("arange", "asarray", "empty", "eye", "from_function", "full", "linspace", "load", "ones", "zeros")  # of arrays, as in the package


class WorkerFuture(concurrent.futures.Future):
    """What a worker answers, as a future of `concurrent.futures`; `get` is `result`, and `await` works in a coroutine.

    An interrupt (Ctrl-C) while one waits cancels the call. Callbacks (`add_done_callback`) may make calls and wait for them.
    """

    def __init__(self, ranks: "Ranks", rank: int, number: int) -> None:
        super().__init__()
        self._ranks = ranks
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
                self._ranks._cancel([self._number])
            raise

    get = result

    def add_done_callback(self, f: Callable[[Any], Any]) -> None:
        # asyncio's own returns at once, and a callback may wait for it.
        of_asyncio = getattr(f, "__module__", "") == "asyncio.futures"
        super().add_done_callback(f if of_asyncio else functools.partial(self._ranks._call_back, f))

    def __await__(self) -> Generator[Any, None, Any]:
        return asyncio.wrap_future(self).__await__()


def _hello_of(connection: socket.socket, key: str, end: float) -> int | None:
    """The rank of a worker that has called; nothing: it is none, or says nothing in time."""
    _, _, user = struct.unpack("iII", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iII")))
    if user != os.geteuid():
        return None
    return _frames.receive_hello(connection, key, min(end, time.monotonic() + _hello_seconds))


class Ranks:
    """A job of fresh workers, of which this process is the driver; made by `armilla.ranks`.

    Its calls run on the workers as their own code, each worker's one after the other. So functions that all of them run (`call_all`) may
    use everything of `armilla`: `barrier`, `all_reduce`, calls between ranks. Functions of this process's `__main__` go by value.
    """

    open: list["Ranks"] = []  # those that have not ended, the newest last

    def __init__(self, size: int, *, environment: dict[str, str] | None = None) -> None:
        if size < 1:
            raise _core.UsageError(f"armilla: ranks: {size} ranks; give one or more")
        self.size = size
        self._last = 0
        self._open: dict[int, WorkerFuture] = {}
        self._lock = threading.Lock()
        self._closing = False
        self._lost: BaseException | None = None
        self._said: list[str] = []
        self._number = 0  # of the last distributed object
        self._proxies: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self._dropped: list[int] = []  # those that are no more used here
        self._file: int | None = None  # the workers' memory, once it was asked for
        self._channels: list[_frames.Channel] = []
        self._key = secrets.token_hex(_frames.key_bytes)
        self._reader: threading.Thread | None = None
        self._callbacks: queue.SimpleQueue[Any] | None = None  # of futures, on a thread of their own: the reader goes on
        self._cancels: deque[list[int]] = deque()  # of interrupts, until all workers are past them
        self._cancelling = threading.Event()
        self._start(environment or {})

    # ---- start and end ----

    def _start(self, environment: dict[str, str]) -> None:
        folder = tempfile.mkdtemp(prefix="armilla-")  # which only this user can enter
        file, door = os.open(folder, os.O_PATH | os.O_CLOEXEC), socket.socket(socket.AF_UNIX)
        try:
            door.bind(_frames.in_folder(file))
            door.listen(self.size)
            mine = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_INTERNAL_")}
            mine.update(environment, ARMILLA_INTERNAL_DRIVER=folder, ARMILLA_INTERNAL_KEY=self._key, ARMILLA_LAUNCHER="none", ARMILLA_RANKS=str(self.size))
            mine.pop("ARMILLA_FABRIC", None) if mine.get("ARMILLA_FABRIC") == "threads" else None
            self._supervisor = subprocess.Popen(_launch.command("-n", str(self.size), "-m", "armilla._worker"), env=mine, stdin=subprocess.DEVNULL,
                                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
            self._pumps = [threading.Thread(target=self._pump, args=(self._supervisor.stdout, "stdout"), daemon=True),
                           threading.Thread(target=self._pump, args=(self._supervisor.stderr, "stderr"), daemon=True)]
            for pump in self._pumps:
                pump.start()
            self._meet(door)
        finally:
            door.close()
            os.close(file)
            shutil.rmtree(folder, ignore_errors=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        threading.Thread(target=self._settle_all, daemon=True).start()
        self.call_all(_worker_names.prepare, list(sys.path), os.getcwd())
        Ranks.open.append(self)

    def _meet(self, door: socket.socket) -> None:
        end = time.monotonic() + _start_seconds
        channels: dict[int, _frames.Channel] = {}
        door.settimeout(0.1)
        while len(channels) < self.size:
            if self._supervisor.poll() is not None or time.monotonic() > end:
                self._supervisor.kill()
                self._join_pumps()
                raise _core.Error("armilla: ranks: the workers did not start; they said: " + ("\n".join(self._said) or "nothing"))
            try:
                connection, _ = door.accept()
            except socket.timeout:
                continue
            hello = _hello_of(connection, self._key, end)
            if hello is None or not 0 <= hello < self.size or hello in channels:
                connection.close()
                continue
            channels[hello] = _frames.Channel(connection)
        self._channels = [channels[r] for r in range(self.size)]

    def _pump(self, pipe: Any, name: str) -> None:
        for line in iter(pipe.readline, b""):
            text = line.decode(errors="replace")
            if name == "stderr":
                self._said = [*self._said[-19:], text.rstrip("\n")]
                if text.startswith("armilla: ") and "the job was stopped" in text:
                    continue  # becomes an error
            stream = getattr(sys, name)
            try:
                if stream is not None:
                    stream.write(text)
                    stream.flush()
            except (OSError, ValueError):  # it is closed; what follows is read, so that no worker waits
                pass
        pipe.close()

    def _join_pumps(self) -> None:
        for pump in self._pumps:
            pump.join(2)

    def close(self) -> None:
        """Ends the workers, when they have done what they were asked for."""
        if self._lost is None and not self._closing:
            self._settled(5)
        with self._lock:
            if self._closing:
                return
            self._closing = True
        if self in Ranks.open:
            Ranks.open.remove(self)
        for channel in self._channels:
            try:
                channel.send(0, _frames.CLOSE)
            except OSError:
                pass
        try:
            self._supervisor.wait(10 if self._lost is None else 2)
        except subprocess.TimeoutExpired:
            self._supervisor.terminate()
            try:
                self._supervisor.wait(5)
            except subprocess.TimeoutExpired:
                self._supervisor.kill()
                self._supervisor.wait()
        for channel in self._channels:
            channel.close()
        if self._reader is not None and self._reader is not threading.current_thread():
            self._reader.join(2)
        self._cancelling.set()
        if self._callbacks is not None:
            self._callbacks.put(None)
        self._join_pumps()
        if self._file is not None:
            os.close(self._file)
            self._file = None

    @property
    def process(self) -> int:
        """The workers' supervisor, for `armilla.attach`."""
        return self._supervisor.pid

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

    def _tell(self, told: int) -> int:
        """Tells the workers of all interrupts but the first `told`; returns how many there are."""
        while told < len(self._cancels):
            numbers = self._cancels[told]
            for channel in self._channels:
                channel.send(0, _frames.CANCEL, [struct.pack(f"<{len(numbers)}Q", *numbers)])
            told += 1
        return told

    def _settle(self) -> int:
        """Tells the workers. Those whose call ended early then enter what the others wait in. Returns how many interrupts they are past."""
        told, asked = self._tell(0), 0
        while asked != told:  # again where one came meanwhile: a worker may have begun and ended another call by it
            asked = told
            futures = [self._send(r, dumps_by_value((_worker_names.together_so_far, (), {})), self._numbers(1)[0]) for r in range(self.size)]
            while concurrent.futures.wait(futures, 0.01).not_done:
                told = self._tell(told)
        begun = [future.result() for future in futures]
        most, log = max(begun, key=lambda each: each[0])
        if most - min(count for count, _ in begun) > len(log):  # one of them has broadcast on and on
            self._supervisor.terminate()
            return told
        missed = [log[len(log) - (most - count):] if count < most else [] for count, _ in begun]
        futures = [self._send(r, dumps_by_value((_worker_names.take_part, (missed[r], told), {})), self._numbers(1)[0]) for r in range(self.size)]
        try:
            for future in futures:
                future.result()
        except Exception:
            self._supervisor.terminate()  # they would wait for each other forever
            raise
        return told

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

    def __enter__(self) -> "Ranks":
        return self

    def __exit__(self, kind: Any, error: Any, at: Any) -> None:
        if kind is not None and self._open:  # they may never come to an end
            self._supervisor.terminate()
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_channels", None) and not self._closing:
            self._supervisor.terminate()
            self.close()

    def __repr__(self) -> str:
        return f"<armilla.Ranks: {self.size} workers{', ended' if self._closing or self._lost is not None else ''}>"

    # ---- what comes back ----

    def _read(self) -> None:
        with selectors.DefaultSelector() as ready:
            for rank, channel in enumerate(self._channels):
                ready.register(channel.socket, selectors.EVENT_READ, rank)
            while True:
                for key, _ in ready.select():
                    try:
                        self._take(key.data, *self._channels[key.data].receive())
                    except (EOFError, OSError):
                        return self._lose(key.data)

    def _take(self, rank: int, number: int, kind: int, parts: list) -> None:
        with self._lock:
            future = self._open.pop(number, None)
        if future is None:
            return
        try:
            if kind == _frames.VALUE:
                value = loads(parts)
            else:
                future.set_exception(loads_error(rank, parts))
                return
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(value)

    def _lose(self, rank: int) -> None:
        if self._closing:
            return
        try:
            self._supervisor.wait(5)
        except subprocess.TimeoutExpired:
            self._supervisor.kill()
        self._join_pumps()
        text = next((line for line in reversed(self._said) if line.startswith("armilla: ")), f"armilla: rank {rank} has ended")
        named = re.match(r"armilla: rank (\d+)", text)
        error = _core.RankLost(text)
        error.rank = int(named.group(1)) if named else rank  # type: ignore[attr-defined]
        with self._lock:
            self._lost = error
            self._cancelling.set()
            waiting = list(self._open.values())
            self._open.clear()
        for future in waiting:
            future.set_exception(error)

    # ---- calls ----

    def _numbers(self, count: int) -> range:
        with self._lock:
            self._last += count
            return range(self._last - count + 1, self._last + 1)

    def _send(self, rank: int, parts: Sequence[Any], number: int) -> WorkerFuture:
        future = WorkerFuture(self, rank, number)
        with self._lock:
            if self._lost is not None:
                raise self._lost
            if self._closing:
                raise _core.UsageError("armilla: call: these ranks have ended; make new ones by armilla.ranks")
            self._open[number] = future
        future.set_running_or_notify_cancel()
        try:
            self._channels[rank].send(number, _frames.CALL, parts)
        except OSError:
            pass  # the reader says what has happened
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

    def call(self, rank: int, f: Callable[..., Any], *args: Any, **kwargs: Any) -> WorkerFuture:
        """Runs `f(*args, **kwargs)` on one worker; a future of what it returns."""
        if not 0 <= rank < self.size:
            raise _core.UsageError(f"armilla: call: rank {rank} does not exist (ranks of this job: {self.size}); give a rank from 0 to {self.size - 1}")
        return self._send_each([(rank, dumps_call("call", f, args, kwargs, dumps_by_value))])[0]

    def call_all(self, f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Runs `f(*args, **kwargs)` on all workers at once; the list of what they return, or the error of the lowest rank that raised."""
        parts = dumps_call("call_all", f, args, kwargs, dumps_by_value)
        self._settled()
        numbers = self._numbers(self.size)
        try:
            futures = [self._send(rank, parts, number) for rank, number in enumerate(numbers)]
            concurrent.futures.wait(futures)
        except KeyboardInterrupt:
            self._cancel(list(numbers))
            raise
        return [f.result() for f in futures]

    def async_(self, rank: int, f: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """As `call`, and nothing comes back: what it raises is lost."""
        self.call(rank, f, *args, **kwargs)

    def map(self, f: Callable[[Any], Any], values: Sequence[Any]) -> list[Any]:
        """`f` of each value, on the workers in turn; the list of what it returns, in the order of the values."""
        futures = self._send_each([(i % self.size, dumps_call("map", f, (v,), {}, dumps_by_value)) for i, v in enumerate(values)])
        try:
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
        """Runs statements in `__main__` of all workers; what they define stays there."""
        self.call_all(_worker_names.execute, code)

    def run_cell(self, code: str) -> list[Any] | None:
        """As `execute`; if the last statement is an expression, its values on all workers."""
        values = self.call_all(_worker_names.run_cell, code)
        return None if all(v is None for v in values) else values

    def evaluate(self, expression: str) -> list[Any]:
        """The values of an expression in `__main__` of all workers."""
        return self.call_all(_worker_names.evaluate, expression)

    def array(self, source: Any, dtype: Any = None) -> Any:
        """An array over all workers: of `source` zeros, if that is a number, or of the elements of `source`."""
        return self._make("array", source, dtype)

    def __getattr__(self, name: str) -> Any:
        if name not in _makers:
            raise AttributeError(f"armilla.Ranks has no attribute '{name}'")
        return functools.partial(self._make, name)

    def dict(self, *combine: Callable[[Any, Any], Any]) -> Any:
        """A dictionary over all workers, whose `update` adds, unless another function of two values is given."""
        return self._make("dict", *combine)

    def _make(self, kind: str, *arguments: Any, **options: Any) -> Any:
        return self._new(_worker_names.make, kind, *arguments, **options)

    def _together(self, f: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        return self._new(_worker_names.together, f, *arguments, **options)

    def _new(self, how: Callable[..., Any], *arguments: Any, results: int = 1, **options: Any) -> Any:
        number, gone = self._number + 1, self._gone()
        self._number += results
        try:
            return self._object(self.call_all(how, number, gone, *arguments, **options)[0])
        except KeyboardInterrupt:  # some workers may have it, and have heard of the others
            self._dropped += [*range(number, number + results), *gone]
            raise

    def _gone(self) -> list[int]:
        gone = []
        while self._dropped:
            gone.append(self._dropped.pop())
        return gone

    def _object(self, said: tuple) -> Any:
        from . import _proxies

        if said[0] == "value":
            return said[1]
        if said[0] == "several":
            found = [self._object(each) for each in said[2]]
            return found if said[1] else tuple(found)
        known = self._proxies.get(said[1])
        if known is None:
            known = (_proxies.ArrayProxy if said[0] == "array" else _proxies.DictProxy)(self, *said[1:])
            self._proxies[said[1]] = known
        return known

    def _memory(self, place: int, size: int) -> Any:
        from . import _proxies

        if self._file is None:
            self._file = _proxies.open_memory(self._supervisor.pid)
        return None if self._file is None else _proxies.map_memory(self._file, place, size)


def ranks(size: int, **options: Any) -> Ranks:
    """Starts a job of `size` fresh workers on this host, of which this process is the driver.

        with armilla.ranks(4) as am:
            am.call(3, work, 5).get()        # on one
            am.call_all(work, 2)             # on all: a list

    They end with the block, or by `close`. `environment`: variables for them, such as those of ARMILLA_*.
    """
    return Ranks(size, **options)
