# SPDX-License-Identifier: Apache-2.0
"""A pool's worker as the driver sees it: a process, a socket for messages, one for the files of long results, and its output."""
from __future__ import annotations

import contextlib
import os
import pickle
import selectors
import socket
import subprocess
import sys
from collections import deque
from typing import Any

from . import _core, _frames, _launch, _shared
from ._pool_worker import receive_message, send_message

_longest_line = 1 << 20  # a longer one is printed in pieces
_reads_at_end = 64  # of the output of a worker that has ended: a process that it started may write on


class WorkerProcess:
    def __init__(self, index: int, size: int, memory: int, environment: dict[str, str], setup: dict[str, Any], selector: selectors.BaseSelector, host: Any = None) -> None:
        """Starts it, and has the selector watch it: the data of its keys is (worker, pipe or None). `host`: another one, for which this process is the relay."""
        self.host = host.name if host is not None else ""
        self.index = index
        self.ready = False
        self.large = 0  # the task in which it had too much memory
        self.killed = ""  # the reason for which the driver has killed it
        self.said: deque[str] = deque(maxlen=20)  # the last lines of its stderr
        self._selector = selector
        self._pipes: dict[Any, tuple[str, bytes]] = {}  # the name of each, and the beginning of a line
        control, its_control = socket.socketpair()
        self._control = _frames.Channel(control)
        self._results, its_results = socket.socketpair()
        with its_control, its_results:
            files = (its_control.fileno(), its_results.fileno(), memory)
            numbers = f"{', '.join(map(str, files))}, {size}, {index}"
            run = f"from armilla._pool_worker import main; main({numbers})" if host is None else f"from armilla._pool_remote import relay; relay({numbers}, {host.name!r}, {host.rsh!r})"
            code = f"{_launch.loading()}; {run}"
            variables = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_INTERNAL_") and k not in ("ARMILLA_RANKS", "ARMILLA_LABEL", "ARMILLA_FABRIC")}
            flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
            self.process = subprocess.Popen([sys.executable, *flags, "-c", code], env={**variables, "ARMILLA_LAUNCHER": "none", **environment}, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=files, start_new_session=True)
        self._results.setblocking(False)  # a file is there before its result
        self.send(setup)
        self._watched: list[Any] = [control]
        with contextlib.suppress(OSError):  # Linux has this since 5.3
            self._watched.append(os.pidfd_open(self.process.pid))
        for file in self._watched:
            selector.register(file, selectors.EVENT_READ, (self, None))
        for pipe, name in ((self.process.stdout, "stdout"), (self.process.stderr, "stderr")):
            os.set_blocking(pipe.fileno(), False)  # type: ignore[union-attr]
            self._pipes[pipe] = (name, b"")
            selector.register(pipe, selectors.EVENT_READ, (self, pipe))  # type: ignore[arg-type]

    def send(self, message: Any) -> None:
        with contextlib.suppress(OSError):  # it has ended, which the selector reports
            send_message(self._control, message)

    def receive(self) -> Any:
        """The next message; None: it has ended. A process that it has forked may keep the socket open, so that does not tell."""
        try:
            if self.process.poll() is None or self._control.socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT):
                return receive_message(self._control)
        except (EOFError, OSError, pickle.UnpicklingError):
            pass
        return None

    def result(self, number: int) -> list[Any]:
        """The parts of a task's result that is in a file. The file comes with the task's number."""
        while True:
            its, files, _, _ = socket.recv_fds(self._results, 8, 1)
            try:
                if int.from_bytes(its, "little") == number:
                    if not files:
                        raise _core.Error("armilla: Pool: a result was lost, since too many files are open; close some, or raise the limit (ulimit -n)")
                    return _shared.mapped(files[0], True)
            finally:
                for file in files:
                    os.close(file)

    def print(self, pipe: Any, label: bool) -> bool:
        """Prints the lines that have come through a pipe. Returns whether there may be more."""
        if pipe not in self._pipes:  # it was closed meanwhile
            return False
        name, rest = self._pipes[pipe]
        try:
            data = os.read(pipe.fileno(), 65536)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        lines = (rest + data).split(b"\n")
        rest = lines.pop()
        if rest and (not data or len(rest) > _longest_line):
            lines.append(rest)
            rest = b""
        self._pipes[pipe] = (name, rest)
        if not data:
            self._close(pipe)
        for line in lines:
            text = line.decode(errors="replace")
            if name == "stderr":
                self.said.append(text)
            stream = getattr(sys, name)
            with contextlib.suppress(Exception):  # it is closed, or not Python's own; the pool goes on
                stream.write(f"[{self.index}] {text}\n" if label else text + "\n")
                stream.flush()
        return bool(data)

    def _close(self, pipe: Any) -> None:
        self._selector.unregister(pipe)
        del self._pipes[pipe]
        pipe.close()

    def wait(self, label: bool) -> int:
        """Its exit code, when it is about to end. Prints what it has left to print."""
        for file in self._watched:
            self._selector.unregister(file)
        try:
            code = self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        for pipe in list(self._pipes):
            for _ in range(_reads_at_end):
                if not self.print(pipe, label):
                    break
            if pipe in self._pipes:
                self._close(pipe)
        return code

    def close(self) -> None:
        """Closes the sockets: the worker ends, if no other process has them."""
        for end in self._watched[1:]:
            os.close(end)
        self._watched.clear()
        self._control.socket.close()
        self._results.close()
