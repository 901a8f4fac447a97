# SPDX-License-Identifier: Apache-2.0
"""Sessions: workers that go on when the processes that use them end. This is the side of their clients."""
from __future__ import annotations

import fcntl
import json
import os
import re
import socket
import stat
import struct
import sys
import time
from typing import Any, Sequence

from . import _core, _current_folder, _frames, _worker_names
from ._pickling import dumps_by_value
from ._workers import Workers

_patience = 10.0  # seconds


def _folders() -> list[str]:
    """Where the folder of this user's sessions may be. All of them are searched, as a notebook may have other variables than a terminal."""
    given, user = os.environ.get("XDG_RUNTIME_DIR"), os.geteuid()
    return [*([os.path.join(given, "armilla")] if given else []), f"/run/user/{user}/armilla", f"/tmp/armilla-{user}"]


def _is_own(path: str) -> bool:
    """Whether it is a folder that this user alone can enter."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def new_folder(name: str) -> str:
    """The folder for a new session, made if it is not there."""
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}", name):
        raise _core.UsageError(f"armilla: serve: '{name}' is no name of a session; give letters, digits, and . _ - between them, 64 at most")
    parent = next(path for path in _folders() if os.path.isdir(os.path.dirname(path)) and os.access(os.path.dirname(path), os.W_OK))
    for path in (parent, os.path.join(parent, name)):
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            pass
        if not _is_own(path):
            raise _core.UsageError(f"armilla: serve: {path} is not a folder that only this user can enter (mode 0700); remove it, or set XDG_RUNTIME_DIR to another folder")
    return os.path.join(parent, name)


def lock(path: str) -> int | None:
    """A session holds the lock in its folder as long as it runs. None: another process has it."""
    file = os.open(os.path.join(path, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    for _ in range(20):  # `is_running` has it for a moment
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except BlockingIOError:
            time.sleep(0.01)
    os.close(file)
    return None


def is_running(path: str) -> bool:
    try:
        file = os.open(os.path.join(path, "lock"), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(file)


def _found() -> dict[str, str]:
    """The folders of this user's sessions by their names: those that run, and those that ended by a loss."""
    found: dict[str, str] = {}
    for parent in filter(_is_own, _folders()):
        for name in sorted(os.listdir(parent)):
            path = os.path.join(parent, name)
            if os.path.exists(os.path.join(path, "session.json")) and (name not in found or not is_running(found[name])):
                found[name] = path
    return found


def noted(path: str) -> dict[str, Any]:
    """What a session has noted of itself."""
    try:
        with open(os.path.join(path, "session.json"), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):  # it is about to end
        return {}


def _running(name: str | None) -> tuple[str, str]:
    """Name and folder of a running session."""
    found = _found()
    running = {its: path for its, path in found.items() if is_running(path)}
    if name is None and len(running) == 1:
        return next(iter(running.items()))
    if name in running:
        return name, running[name]
    there = "running: " + ", ".join(running) if running else "none is running"
    if name is None:
        raise _core.UsageError(f"armilla: connect: give the name of a session; {there}; `armilla serve NAME -n 4` starts one")
    ended = noted(found[name]).get("ended") if name in found else None
    why = f"has ended: {ended}; its output is in {found[name]}/log" if ended else "does not run"
    raise _core.UsageError(f"armilla: connect: session '{name}' {why}; {there}; `armilla serve {name} -n 4` starts it")


class Session(Workers):
    """The workers of a session, as one of its clients has them; made by `armilla.connect`.

    It has all that `armilla.Ranks` has. Clients share the workers: what they ask for is done one after the other.

    >>> import armilla
    >>> with armilla.connect("lab") as lab:
    ...     lab["prices"] = lab.arange(10) * 0.5  # the session stores it under this name
    ...     float(lab["prices"].sum())
    22.5
    """

    def __init__(self, name: str | None = None) -> None:
        self.name, path = _running(name)
        self._path, self._process_here = path, os.getpid()
        self._channel, welcome = self._enter(path)
        super().__init__(welcome["ranks"])
        self._holder, self._key, self._process = welcome["client"], welcome["job"], welcome["process"]
        self._channel.send(0, _frames.CALL, [struct.pack("<i", -1), *dumps_by_value((_worker_names.prepare, (list(sys.path), _current_folder()), {}))])
        self._started()

    def _page_address(self) -> str:
        return super()._page_address() or noted(self._path).get("page", "")

    def page(self, port: int | None = None) -> str:
        """Returns the address of the live page. If `armilla serve --page` has started one for the session, it is that one."""
        return self._page_address() or super().page(port)

    def _enter(self, path: str) -> tuple[_frames.Channel, dict[str, Any]]:
        connection = socket.socket(socket.AF_UNIX)
        try:
            with open(os.path.join(path, "key"), encoding="ascii") as key:
                its_key = key.read()
            folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                connection.settimeout(_patience)
                connection.connect(_frames.in_folder(folder))
            finally:
                os.close(folder)
            _frames.send_hello(connection, its_key, 0)
            channel = _frames.Channel(connection)
            welcome = json.loads(channel.receive()[2][0])
            connection.settimeout(None)
        except (OSError, EOFError, ValueError) as why:
            connection.close()
            raise _core.Error(f"armilla: connect: session '{self.name}' does not answer: {why or type(why).__name__}; its output is in {path}/log") from why
        for what, mine in versions().items():
            if welcome[what] != mine:
                connection.close()
                raise _core.UsageError(f"armilla: connect: session '{self.name}' has {what} {welcome[what]}, and this process {mine}; functions travel only between equal ones")
        return channel, welcome

    def _transmit(self, rank: int, number: int, parts: Sequence[Any]) -> None:
        if os.getpid() != self._process_here:
            raise _core.UsageError("armilla: call: this process was forked from the one that is connected; connect here, too")
        try:
            self._channel.send(number, _frames.CALL, [struct.pack("<i", rank), *parts])
        except OSError:
            pass  # the reader says what has happened

    def _settle(self) -> int:
        """The session brings its workers past them before it begins what follows."""
        told = len(self._cancels)
        for numbers in list(self._cancels)[:told]:
            self._channel.send(0, _frames.CANCEL, [struct.pack(f"<{len(numbers)}Q", *numbers)])
        return told

    def interrupt(self) -> None:
        """Cancels all open calls of this client, and those of clients that are gone."""
        self._cancel([])

    def _read(self) -> None:
        try:
            while True:
                number, kind, parts = self._channel.receive()
                if kind in (_frames.VALUE, _frames.RAISED):
                    self._take(number, kind, parts)
                elif kind == _frames.OUTPUT:
                    _frames.print_line(parts[0].decode(), parts[1].decode(errors="replace"))
                elif kind == _frames.LOST:
                    return self._end_calls(self._error(json.loads(parts[0])))
        except (EOFError, OSError):
            if not self._closing:
                self._end_calls(_core.Error(f"armilla: session '{self.name}' has ended; its output is in {self._path}/log"))

    def _error(self, said: dict[str, Any]) -> BaseException:
        if said["rank"] is None:
            return _core.Error(said["text"])
        error = _core.RankLost(said["text"])
        error.rank = said["rank"]  # type: ignore[attr-defined]
        return error

    def close(self) -> None:
        """Leaves the session, which goes on. What it was asked for is done."""
        with self._lock:
            if self._closing:
                return
            self._closing = True
        self._channel.close()
        self._end_calls(_core.Error(f"armilla: this process has left session '{self.name}'; connect again"))
        self._ended()

    def stop(self) -> None:
        """Ends the session and its workers, and with them what they keep. Returns when they have ended."""
        try:
            self._channel.send(0, _frames.CLOSE)
        except OSError:  # it has ended
            pass
        end = time.monotonic() + 30
        while is_running(self._path) and time.monotonic() < end:
            time.sleep(0.01)
        self.close()
        if is_running(self._path):
            raise _core.Error(f"armilla: stop: session '{self.name}' does not end; its output is in {self._path}/log")

    def __repr__(self) -> str:
        return f"<armilla.Session {self.name}: {self.size} workers{', left' if self._closing else ', ended' if self._lost is not None else ''}>"


def versions() -> dict[str, str]:
    """What clients and workers need to have alike."""
    from . import __version__

    return {"armilla": __version__, "Python": f"{sys.version_info[0]}.{sys.version_info[1]}"}


def connect(name: str | None = None) -> Session:
    """Joins a running session of this user on this host; without a name, the only one.

    The session goes on when the block, or the process, ends.

    >>> import armilla
    >>> with armilla.connect("lab") as lab:  # armilla serve lab -n 2
    ...     lab.size
    2
    """
    return Session(name)


def sessions() -> list[dict[str, Any]]:
    """The sessions of this user on this host: `name`, `process` (of the workers' supervisor), `ranks`, `memory` (bytes of all ranks), `clients`, `idle`
    (seconds since it was used), `folder`; of one that a loss has ended, `ended` says by what.

    >>> import armilla
    >>> [(each["name"], each["ranks"]) for each in armilla.sessions()]
    [('lab', 2)]
    """
    from ._job import attach

    found = []
    for name, path in _found().items():
        known = {"name": name, "folder": path, **noted(path)}
        if not is_running(path):
            if "ended" not in known:  # it was killed
                known["ended"] = "it was killed"
        else:
            try:
                known["memory"] = sum(rank["memory"] for rank in attach(known["process"]).stats())
            except (_core.Error, KeyError):  # it starts, or ends
                known["memory"] = 0
        found.append(known)
    return found
