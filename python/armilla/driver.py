# SPDX-License-Identifier: Apache-2.0
"""Workers of a plain Python process, such as a notebook: `with armilla.ranks(4) as am:`."""
from __future__ import annotations

import asyncio
import concurrent.futures
import os
import re
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from typing import Any, Callable, Generator, Sequence

from . import _core, _frames, _worker_names
from ._pickling import dumps_by_value, dumps_call, loads, loads_error

_start_seconds = 60.0
_hello_seconds = 5.0


class WorkerFuture(concurrent.futures.Future):
    """What a worker answers, as a future of `concurrent.futures`; `get` is `result`, and `await` works in a coroutine.

    An interrupt (Ctrl-C) while one waits interrupts the workers, too.
    """

    def __init__(self, ranks: "Ranks", rank: int) -> None:
        super().__init__()
        self._ranks = ranks
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
                self._ranks.interrupt()
            raise

    get = result

    def __await__(self) -> Generator[Any, None, Any]:
        return asyncio.wrap_future(self).__await__()


def _hello_of(connection: socket.socket, end: float) -> tuple[int, int] | None:
    """The rank and the process of a worker that has called; nothing: it is none, or says nothing in time."""
    _, _, user = struct.unpack("iII", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iII")))
    if user != os.geteuid():
        return None
    connection.settimeout(max(0.1, min(_hello_seconds, end - time.monotonic())))
    try:
        rank, pid = loads(_frames.Channel(connection).receive()[2])
    except Exception:  # whatever a stranger sends
        return None
    connection.setblocking(True)
    return int(rank), int(pid)


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
        self._pids: list[int] = [0] * size
        self._start(environment or {})

    # ---- start and end ----

    def _start(self, environment: dict[str, str]) -> None:
        folder = tempfile.mkdtemp(prefix="armilla-")  # which only this user can enter
        try:
            door = socket.socket(socket.AF_UNIX)
            door.bind(os.path.join(folder, "driver"))
            door.listen(self.size)
            mine = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_INTERNAL_")}
            mine.update(environment, ARMILLA_INTERNAL_DRIVER=os.path.join(folder, "driver"), ARMILLA_LAUNCHER="none", ARMILLA_RANKS=str(self.size))
            mine.pop("ARMILLA_FABRIC", None) if mine.get("ARMILLA_FABRIC") == "threads" else None
            package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
            mine["PYTHONPATH"] = os.pathsep.join([package, *filter(None, [mine.get("PYTHONPATH")])])
            self._supervisor = subprocess.Popen([sys.executable, "-m", "armilla", "-n", str(self.size), "-m", "armilla._worker"], env=mine, stdin=subprocess.DEVNULL,
                                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
            self._pumps = [threading.Thread(target=self._pump, args=(self._supervisor.stdout, "stdout"), daemon=True),
                           threading.Thread(target=self._pump, args=(self._supervisor.stderr, "stderr"), daemon=True)]
            for pump in self._pumps:
                pump.start()
            self._meet(door)
        finally:
            door.close()
            shutil.rmtree(folder, ignore_errors=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
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
            hello = _hello_of(connection, end)
            if hello is None or not 0 <= hello[0] < self.size or hello[0] in channels:
                connection.close()
                continue
            rank, pid = hello
            channels[rank] = _frames.Channel(connection)
            self._pids[rank] = pid
        self._channels = [channels[r] for r in range(self.size)]

    def _pump(self, pipe: Any, name: str) -> None:
        for line in iter(pipe.readline, b""):
            text = line.decode(errors="replace")
            if name == "stderr":
                self._said = [*self._said[-19:], text.rstrip("\n")]
                if text.startswith("armilla: ") and "the job was stopped" in text:
                    continue  # becomes an error
            stream = getattr(sys, name)
            if stream is not None:
                stream.write(text)
                stream.flush()
        pipe.close()

    def _join_pumps(self) -> None:
        for pump in self._pumps:
            pump.join(2)

    def close(self) -> None:
        """Ends the workers, when they have done what they were asked for."""
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
        self._reader.join(2)
        self._join_pumps()
        if self._file is not None:
            os.close(self._file)
            self._file = None

    @property
    def process(self) -> int:
        """The workers' supervisor, for `armilla.attach`."""
        return self._supervisor.pid

    def interrupt(self) -> None:
        """Raises KeyboardInterrupt in what the workers do now."""
        for pid in self._pids:
            try:
                os.kill(pid, signal.SIGINT)
            except ProcessLookupError:
                pass

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
            waiting = list(self._open.values())
            self._open.clear()
        for future in waiting:
            future.set_exception(error)

    # ---- calls ----

    def _send(self, rank: int, parts: Sequence[Any]) -> WorkerFuture:
        future = WorkerFuture(self, rank)
        with self._lock:
            if self._lost is not None:
                raise self._lost
            if self._closing:
                raise _core.UsageError("armilla: call: these ranks have ended; make new ones by armilla.ranks")
            self._last += 1
            number = self._last
            self._open[number] = future
        future.set_running_or_notify_cancel()
        try:
            self._channels[rank].send(number, _frames.CALL, parts)
        except OSError:
            pass  # the reader says what has happened
        return future

    def call(self, rank: int, f: Callable[..., Any], *args: Any, **kwargs: Any) -> WorkerFuture:
        """Runs `f(*args, **kwargs)` on one worker; a future of what it returns."""
        if not 0 <= rank < self.size:
            raise _core.UsageError(f"armilla: call: rank {rank} does not exist (ranks of this job: {self.size}); give a rank from 0 to {self.size - 1}")
        return self._send(rank, dumps_call("call", f, args, kwargs, dumps_by_value))

    def call_all(self, f: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Any]:
        """Runs `f(*args, **kwargs)` on all workers at once; the list of what they return, or the error of the lowest rank that raised."""
        parts = dumps_call("call_all", f, args, kwargs, dumps_by_value)
        futures = [self._send(r, parts) for r in range(self.size)]
        try:
            concurrent.futures.wait(futures)
        except KeyboardInterrupt:
            self.interrupt()
            raise
        return [f.result() for f in futures]

    def async_(self, rank: int, f: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """As `call`, and nothing comes back: what it raises is lost."""
        self.call(rank, f, *args, **kwargs)

    def map(self, f: Callable[[Any], Any], values: Sequence[Any]) -> list[Any]:
        """`f` of each value, on the workers in turn; the list of what it returns, in the order of the values."""
        futures = [self.call(i % self.size, f, v) for i, v in enumerate(values)]
        return [future.get() for future in futures]

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

    def dict(self, *combine: Callable[[Any, Any], Any]) -> Any:
        """A dictionary over all workers, whose `update` adds, unless another function of two values is given."""
        return self._make("dict", *combine)

    def _make(self, kind: str, *arguments: Any) -> Any:
        self._number += 1
        return self._object(self.call_all(_worker_names.make, self._number, self._gone(), kind, *arguments)[0])

    def _together(self, f: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        self._number += 1
        return self._object(self.call_all(_worker_names.together, self._number, self._gone(), f, *arguments, **options)[0])

    def _gone(self) -> list[int]:
        gone = []
        while self._dropped:
            gone.append(self._dropped.pop())
        return gone

    def _object(self, said: tuple) -> Any:
        from . import _proxies

        if said[0] == "value":
            return said[1]
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
