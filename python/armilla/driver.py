# SPDX-License-Identifier: Apache-2.0
"""Workers of a plain Python process, such as a notebook: `with armilla.ranks(4) as am:`."""
from __future__ import annotations

import concurrent.futures
import contextlib
import os
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
from typing import Any, Sequence

from . import _core, _frames, _launch, _worker_names
from ._pickling import dumps_by_value
from ._workers import Workers

_start_seconds = 60.0
_hello_seconds = 5.0


def _hello_of(connection: socket.socket, key: str, end: float) -> int | None:
    """The rank of a worker that has called; nothing: it is none, or says nothing in time."""
    _, _, user = struct.unpack("iII", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iII")))
    if user != os.geteuid():
        return None
    return _frames.receive_hello(connection, key, min(end, time.monotonic() + _hello_seconds))


class Ranks(Workers):
    """A job of fresh workers, of which this process is the driver; made by `armilla.ranks`.

    Its calls run on the workers as their own code, each worker's one after the other. So functions that all of them run (`call_all`) may
    use everything of `armilla`: `barrier`, `all_reduce`, calls between ranks. Functions of this process's `__main__` go by value.

    >>> import armilla
    >>> with armilla.ranks(2) as am:
    ...     am.size, am.map(abs, [-1, 2])
    (2, [1, 2])
    """

    def __init__(self, size: int, *, environment: dict[str, str] | None = None) -> None:
        if not hasattr(size, "__index__"):
            raise TypeError(f"armilla: ranks: {size!r}; give how many workers")
        if size < 1:
            raise _core.UsageError(f"armilla: ranks: {size} ranks; give one or more")
        super().__init__(size)
        self._said: list[str] = []
        self._channels: list[_frames.Channel] = []
        self._key = secrets.token_hex(_frames.key_bytes)
        self._transmitting = threading.Lock()  # calls of all workers come to them in one order, whichever threads make them
        self._environment = environment or {}
        self._start(self._environment)

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
        self._process = self._supervisor.pid
        self._started()
        self.call_all(_worker_names.prepare, list(sys.path), os.getcwd())

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
            self._print(name, text)
        pipe.close()

    def _print(self, name: str, text: str) -> None:
        """Prints a line of the workers. `name`: on which stream."""
        _frames.print_line(name, text)

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
        self._ended()
        self._join_pumps()

    def restart(self) -> None:
        """Ends the workers, whatever they do, and starts fresh ones in their place: without the variables, arrays and names of the old ones."""
        self._supervisor.terminate()
        self.close()
        last = self._number
        self.__init__(self.size, environment=self._environment)  # type: ignore[misc]
        self._number = last  # arrays of the old workers are none of the new ones

    def _transmit(self, rank: int, number: int, parts: Sequence[Any]) -> None:
        with self._transmitting if rank < 0 else contextlib.nullcontext():
            for to, channel in enumerate(self._channels) if rank < 0 else [(0, self._channels[rank])]:
                try:
                    channel.send(number + to, _frames.CALL, parts)
                except OSError:
                    pass  # the reader says what has happened

    # ---- interrupts ----

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
                        self._take(*self._channels[key.data].receive())
                    except (EOFError, OSError):
                        return self._lose(key.data)

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
        self._end_calls(error)


def ranks(size: int, **options: Any) -> Ranks:
    """Starts a job of `size` fresh workers on this host, of which this process is the driver.

    They end with the block, or by `close`. `environment`: variables for them, such as those of ARMILLA_*.

    >>> import armilla
    >>> with armilla.ranks(2) as am:
    ...     am.call(1, pow, 3, 5).get()
    ...     am.call_all(pow, 2, 3)
    ...     int(am.arange(10).sum())
    243
    [8, 8]
    45
    """
    return Ranks(size, **options)
