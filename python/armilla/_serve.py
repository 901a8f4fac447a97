# SPDX-License-Identifier: Apache-2.0
"""`armilla serve lab -n 4`: the process that has a session's workers, and hands on what its clients ask for.

It unpickles nothing: calls and answers pass through it as they are. Calls of all clients go through one queue, so that all workers get them in the
same order.
"""
from __future__ import annotations

import argparse
import itertools
import json
import os
import queue
import re
import secrets
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from typing import Any, Sequence

from . import _core, _frames, _launch, _sessions, _worker_names, driver
from ._pickling import dumps_by_value, dumps_error

_longest_log = 64 << 20  # bytes; it begins again then
_most_lines = 10_000  # of output, that wait for a client


class _Relay:
    """Stands for a client's future: the answer goes on to the client."""

    __slots__ = ("client", "number")

    def __init__(self, client: "_Client", number: int) -> None:
        self.client, self.number = client, number

    def _arrive(self, kind: int, parts: list) -> None:
        self.client.send(self.number, kind, parts)

    def set_exception(self, error: BaseException) -> None:
        pass  # the client hears of the loss itself


class _Client:
    def __init__(self, server: "_Server", channel: _frames.Channel, holder: int) -> None:
        self.server, self.channel, self.holder = server, channel, holder
        self.prologue: list[Any] | None = None  # what workers do before they work for this client after another one
        self.cancelled: set[int] = set()  # calls that it has taken back, and that are still in the queue
        self.gone = False
        self._unsent: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.threads = [threading.Thread(target=run, daemon=True) for run in (self._listen, self._write)]

    def send(self, number: int, kind: int, parts: Sequence[Any]) -> None:
        """Returns at once: a client that takes nothing holds up no other one."""
        if not self.gone and (kind != _frames.OUTPUT or self._unsent.qsize() < _most_lines):
            self._unsent.put((number, kind, parts))

    def has_left(self) -> bool:
        """Also if the thread that listens to it has not seen the end of its connection yet."""
        if self.gone:
            return True
        ends = select.poll()
        try:
            ends.register(self.channel.socket, 0)
        except ValueError:  # it was closed just now
            return True
        return any(seen & select.POLLHUP for _, seen in ends.poll(0))

    def end(self) -> None:
        self._unsent.put(None)

    def _write(self) -> None:
        try:
            for message in iter(self._unsent.get, None):
                self.channel.send(*message)
        except OSError:
            self.gone = True
        self.channel.close()

    def _listen(self) -> None:
        try:
            while True:
                number, kind, parts = self.channel.receive()
                if kind == _frames.CALL:
                    (rank,) = struct.unpack("<i", parts.pop(0))
                    if not -1 <= rank < self.server.ranks.size:
                        break
                    if number == 0:
                        self.prologue = parts
                    else:
                        self.server.operations.put((self, number, rank, parts))
                elif kind == _frames.CANCEL:
                    self.server.cancel(self, [n for (n,) in struct.iter_unpack("<Q", parts[0])])
                elif kind == _frames.CLOSE:
                    self.server.ending = True
        except (EOFError, OSError, struct.error, IndexError):
            pass
        self.gone = True
        self.end()
        self.server.leave(self)


class _Ranks(driver.Ranks):
    server: "_Server | None" = None

    def _print(self, name: str, text: str) -> None:
        super()._print(name, text)
        if self.server is not None:
            self.server.print(name, text)


class _Server:
    def __init__(self, name: str, size: int, idle: float | None, page: int | None = None) -> None:
        self.name, self.idle = name, idle
        self.folder = _sessions.new_folder(name)
        found = _sessions.lock(self.folder)
        if found is None:
            raise _core.UsageError(f"armilla: serve: session '{name}' runs already; armilla.connect({name!r}) joins it, `armilla stop {name}` ends it")
        self.lock_file = found
        self.key = secrets.token_hex(_frames.key_bytes)
        self.operations: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.clients: list[_Client] = []
        self.ending = False
        self.used = time.monotonic()
        self._holders = itertools.count(1)
        self._last: _Client | None = None  # whose call began last
        self.ranks = _Ranks(size)
        self._entered: list[Any] = [None] * size  # whose prologue the workers have run last
        self.ranks.call(0, _worker_names.name_program, name).get()
        self.door = self._opened()
        self.page = {"page": self.ranks.page(page or None)} if page is not None else {}
        self.ranks.server = self
        self.noted: dict[str, Any] = {}
        self._note()

    def _opened(self) -> socket.socket:
        for old in ("driver", "log", "session.json"):
            if os.path.exists(f"{self.folder}/{old}"):
                os.unlink(f"{self.folder}/{old}")
        with open(os.open(f"{self.folder}/key", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as key:
            key.write(self.key)
        folder, door = os.open(self.folder, os.O_PATH | os.O_CLOEXEC), socket.socket(socket.AF_UNIX)
        door.bind(_frames.in_folder(folder))
        os.close(folder)
        door.listen(16)
        door.settimeout(0.2)
        return door

    def _note(self, **more: Any) -> None:
        """Writes what others can read of this session, if it has changed."""
        noted = {"process": self.ranks.process, "server": os.getpid(), "ranks": self.ranks.size, "clients": len(self.clients), "idle": int(time.monotonic() - self.used), **self.page, **more}
        if noted != self.noted:
            self.noted = noted
            with open(f"{self.folder}/new", "w", encoding="utf-8") as file:
                json.dump(noted, file)
            os.replace(f"{self.folder}/new", f"{self.folder}/session.json")

    # ---- clients ----

    def run(self) -> None:
        """Until the session is stopped, has been idle for too long, or has lost a worker."""
        threading.Thread(target=self._run_operations, daemon=True).start()
        while not self.ending and self.ranks._lost is None:
            try:
                threading.Thread(target=self._admit, args=(self.door.accept()[0],), daemon=True).start()
            except socket.timeout:
                pass
            if self.clients or self.ranks._open or not self.operations.empty():
                self.used = time.monotonic()
            elif self.idle is not None and time.monotonic() - self.used > self.idle:
                self.ending = True
            self._note()
            if os.path.exists(f"{self.folder}/log") and os.path.getsize(f"{self.folder}/log") > _longest_log:
                os.truncate(f"{self.folder}/log", 0)

    def _admit(self, connection: socket.socket) -> None:
        if driver._hello_of(connection, self.key, time.monotonic() + 60) is None:
            return connection.close()
        with self.lock:
            client = _Client(self, _frames.Channel(connection), next(self._holders))
            self.clients.append(client)
        welcome = {"client": client.holder, "ranks": self.ranks.size, "job": self.ranks._key, "process": self.ranks.process, **_sessions.versions()}
        client.send(0, _frames.WELCOME, [json.dumps(welcome).encode()])
        for thread in client.threads:
            thread.start()

    def leave(self, client: _Client) -> None:
        """A client is gone. What it has asked for is done; then the workers forget the objects that it had."""
        with self.lock:
            self.clients.remove(client)
        self.operations.put((None, 0, -1, dumps_by_value((_worker_names.forget, (client.holder,), {}))))

    def print(self, name: str, text: str) -> None:
        """Output of the workers is that of the clients for which they work, or worked last."""
        working = {relay.client for relay in list(self.ranks._open.values()) if isinstance(relay, _Relay)} or {self._last} - {None}
        for client in working:
            client.send(0, _frames.OUTPUT, [name.encode(), text.encode()])

    # ---- what they ask for ----

    def _run_operations(self) -> None:
        for client, number, rank, parts in iter(self.operations.get, None):
            self.ranks._settled()
            try:
                self._begin(client, number, rank, parts)
            except _core.Error:  # a worker is lost, of which the clients hear
                pass

    def _begin(self, client: _Client | None, number: int, rank: int, parts: list) -> None:
        ranks = range(self.ranks.size) if rank < 0 else [rank]
        with self.lock:
            if client is not None:
                if number in client.cancelled:
                    for k in range(len(ranks)):
                        client.send(number + k, _frames.RAISED, dumps_error(KeyboardInterrupt()))
                    return
                client.cancelled = {n for n in client.cancelled if n > number}
            numbers = self.ranks._numbers(len(ranks))
            if client is not None:
                self._last = client
                self.ranks._note({n: _Relay(client, number + k) for k, n in enumerate(numbers)})
        if client is not None and client.prologue is not None:
            for r in ranks:
                if self._entered[r] is not client:
                    self._entered[r] = client
                    self.ranks._transmit(r, self.ranks._numbers(1)[0], client.prologue)
        self.ranks._transmit(rank, numbers[0], parts)

    def cancel(self, client: _Client, numbers: list[int]) -> None:
        """Takes back calls of a client; without numbers all of its calls, and those of clients that are gone."""
        with self.lock:
            relays = [(n, relay) for n, relay in self.ranks._open.items() if isinstance(relay, _Relay)]
            begun = {relay.number for _, relay in relays if relay.client is client}
            client.cancelled.update(n for n in numbers if n not in begun)
            ours = [n for n, relay in relays if (relay.client is client and (not numbers or relay.number in numbers)) or (not numbers and relay.client.has_left())]
        self.ranks._cancel(ours)

    # ---- the end ----

    def close(self) -> None:
        lost = self.ranks._lost
        said = {"text": f"armilla: session '{self.name}' was stopped" if lost is None else str(lost), "rank": getattr(lost, "rank", None)}
        self.door.close()
        with self.lock:
            clients = list(self.clients)
        if lost is None:
            self.ranks.interrupt()
            self.ranks._settled(2)
        for client in clients:
            client.send(0, _frames.LOST, [json.dumps(said).encode()])
            client.end()
        for client in clients:
            client.threads[1].join(2)
        self.operations.put(None)
        self.ranks.close()
        for name in ("key", "driver"):
            os.unlink(f"{self.folder}/{name}")
        if lost is not None:
            self._note(ended=str(lost))
        else:
            for name in ("session.json", "log", "lock"):
                if os.path.exists(f"{self.folder}/{name}"):
                    os.unlink(f"{self.folder}/{name}")
            os.rmdir(self.folder)
        os.close(self.lock_file)


def _serve(name: str, size: int, idle: float | None, detached: bool, page: int | None) -> int:
    server = _Server(name, size, idle, page)
    try:
        def end(*_: Any) -> None:
            server.ending = True

        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, end)
        print(f"armilla: session '{name}' has {size} ranks (process {server.ranks.process}): armilla.connect({name!r}); `armilla stop {name}` ends it{', ' + server.page['page'] + ' shows it' if server.page else ''}", flush=True)
        if detached:
            log = os.open(f"{server.folder}/log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            for stream in (1, 2):
                os.dup2(log, stream)
            os.close(log)
            os.chdir("/")
        server.run()
    finally:
        server.close()
    return 0 if server.ranks._lost is None else 1


def _start(name: str, arguments: list[str]) -> int:
    """Starts the session in a process of its own; returns when it is there."""
    with subprocess.Popen(_launch.command("serve", name, *arguments, "--detached"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True, text=True) as process:
        said = process.stdout.readline()  # type: ignore[union-attr]
        print(said, end="", flush=True)
        if not said:
            return process.wait() or 1
        process.returncode = 0  # it goes on
    return 0


def _seconds(text: str) -> float:
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]*)?)([smhd]?)", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"'{text}' is no time; give seconds, or 30m, 8h, 2d")
    return float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}[found[2]]


def _list(as_json: bool) -> int:
    found = _sessions.sessions()
    if as_json:
        print(json.dumps(found))
        return 0
    if not found:
        print("no sessions; `armilla serve NAME -n 4` starts one")
    else:
        print(f"{'session':16} {'process':>8} {'ranks':>5} {'clients':>7} {'memory':>10} {'idle':>8}")
    for one in found:
        if "ended" in one:
            print(f"{one['name']:16} ended: {one['ended']}")
        else:
            print(f"{one['name']:16} {one.get('process', 0):8} {one.get('ranks', 0):5} {one.get('clients', 0):7} {one['memory'] / 1e6:7.0f} MB {one.get('idle', 0):6} s{'  ' + one['page'] if 'page' in one else ''}")
    return 0


def _stop(names: list[str], every: bool) -> int:
    if every:
        names = [one["name"] for one in _sessions.sessions() if "ended" not in one]
    for name in names:
        with _sessions.Session(name) as session:
            session.stop()
        print(f"armilla: session '{name}' has ended")
    return 0


commands = ("serve", "list", "stop")


def main() -> int:
    p = argparse.ArgumentParser(prog="armilla", description="Sessions: ranks of Python that stay. armilla.connect(NAME) joins one from any process of the same user.")
    all_commands = p.add_subparsers(dest="command", required=True)
    serve = all_commands.add_parser("serve", help="starts a session")
    serve.add_argument("name")
    serve.add_argument("-n", "--ranks", type=int, default=len(os.sched_getaffinity(0)), help="how many ranks; as many as cores without it")
    serve.add_argument("--idle", type=_seconds, help="ends when no client has been there for this time, such as 8h, and nothing runs; never without it")
    serve.add_argument("--page", nargs="?", type=int, const=0, metavar="PORT", help="also start the live page of the ranks, with armilla-top; without PORT, on any free port")
    serve.add_argument("--foreground", action="store_true", help="stays in this terminal, or batch job")
    serve.add_argument("--detached", action="store_true", help=argparse.SUPPRESS)
    all_commands.add_parser("list", help="this user's sessions on this host").add_argument("--json", action="store_true")
    stop = all_commands.add_parser("stop", help="ends sessions, and with them what they keep")
    stop.add_argument("names", nargs="*", metavar="name")
    stop.add_argument("--all", action="store_true")
    what = p.parse_args()
    try:
        if what.command == "list":
            return _list(what.json)
        if what.command == "stop":
            if not what.names and not what.all:
                p.error("give names, or --all")
            return _stop(what.names, what.all)
        if what.foreground or what.detached:
            return _serve(what.name, what.ranks, what.idle, what.detached, what.page)
        return _start(what.name, ["-n", str(what.ranks), *(["--idle", str(what.idle)] if what.idle is not None else []), *(["--page", str(what.page)] if what.page is not None else [])])
    except _core.Error as error:
        print(error, file=sys.stderr)
        return 2
