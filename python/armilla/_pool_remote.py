# SPDX-License-Identifier: Apache-2.0
"""A pool's workers on other hosts.

The driver starts a relay on its own host for each of them, which is a worker like the others: it takes tasks from the driver's memory. The
relay starts the worker on the other host by ssh or srun, sends it the tasks through a pipe, and gives its results to the driver. When either
of them ends, so does the other.
"""
from __future__ import annotations

import contextlib
import os
import pickle
import queue
import re
import select
import shlex
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import types
from typing import Any, Sequence

from . import _core, _frames, _pool_worker, _shared
from ._pool_worker import SPILLED, receive_message, send_message

# To the worker, and from it.
SETUP, TASK, CANCEL, FILE = range(4)
READY, FAILED, ITEM, OUTPUT, WANTED, PARTS, RESULT, LARGE = range(10, 18)

_result = struct.Struct("<QQQ")  # kind, nanoseconds, bytes of memory
_look_seconds = 0.1  # between two looks at the memory of a task


class Host:
    """Where workers are started: name, how many, and the command that starts a program there."""

    def __init__(self, name: str, slots: int, rsh: str) -> None:
        self.name, self.slots, self.rsh = name, slots, rsh


def named_hosts(hosts: Sequence[str] | str, rsh: str) -> list[Host]:
    """The hosts that `["a:4", "b"]` or "a:4,b" names, in the format of `armilla-run --hosts`."""
    found = []
    for text in hosts.split(",") if isinstance(hosts, str) else hosts:
        name, colon, slots = text.rpartition(":") if ":" in text else (text, "", "1")
        if not re.fullmatch(r"[^-\s]\S*", name) or not slots.isdecimal() or not 1 <= int(slots) <= 256:
            raise _core.UsageError(f"armilla: Pool: hosts: {text!r} is not a host; give names with numbers of workers, such as 'a:4'")
        found.append(Host(name, int(slots), rsh))
    if not found:
        raise _core.UsageError("armilla: Pool: hosts is empty; give names with numbers of workers, such as 'a:4'")
    return found


def _expanded(text: str) -> list[str]:
    """Slurm's lists: `a[1-3,07],b`."""
    found: list[str] = []
    for one in re.findall(r"[^,\[]+(?:\[[^\]]*\][^,\[]*)?", text):
        named = re.fullmatch(r"([^\[]*)\[([^\]]*)\](.*)", one)
        if named is None:
            found.append(one)
            continue
        for part in named[2].split(","):
            first, _, last = part.partition("-")
            found += [f"{named[1]}{n:0{len(first)}}{named[3]}" for n in range(int(first), int(last or first) + 1)]
    return found


def hosts_of_slurm(variables: Any = os.environ) -> list[Host]:
    """The nodes of the allocation in which this process is, if there are several and srun has not started it as one of several tasks; else none."""
    step = variables.get("SLURM_STEP_ID", "")
    if variables.get("ARMILLA_LAUNCHER") == "none" or not variables.get("SLURM_JOB_ID") or step.isdecimal() and int(step) < 0xfffffff0:
        return []
    names = _expanded(variables.get("SLURM_JOB_NODELIST", ""))
    cores = [int(n) for n, times in re.findall(r"(\d+)(?:\(x(\d+)\))?", variables.get("SLURM_JOB_CPUS_PER_NODE", "")) for _ in range(int(times or 1))]
    each = int(variables.get("SLURM_CPUS_PER_TASK") or 1)
    rsh = "srun --quiet --overlap --mpi=none --nodes=1 --ntasks=1 --nodelist"
    return [Host(name, max(1, (cores[i] if i < len(cores) else 1) // each), rsh) for i, name in enumerate(names)] if len(names) > 1 else []


def is_here(name: str) -> bool:
    return name in ("localhost", socket.gethostname(), socket.gethostname().partition(".")[0])


class Pipe(_frames.Channel):
    """The messages of a channel, through two files."""

    def __init__(self, read: int, write: int) -> None:
        self._read, self._write = read, write
        self._sending = threading.Lock()

    def send(self, number: int, kind: int, parts: Sequence[Any] = ()) -> None:
        views = [memoryview(part).cast("B") for part in parts]
        head = _frames._head.pack(number, kind, len(views)) + struct.pack(f"<{len(views)}Q", *(v.nbytes for v in views))
        with self._sending:
            for view in (memoryview(head), *views):
                while view.nbytes:
                    view = view[os.write(self._write, view[: 1 << 20]):]

    def _bytes(self, size: int) -> bytearray:
        data = bytearray(size)
        view = memoryview(data)
        while view.nbytes:
            n = os.readv(self._read, [view])
            if n == 0:
                raise EOFError("the other side is gone")
            view = view[n:]
        return data


# ---- the relay ----


def relay(control_file: int, spill_file: int, memory_file: int, workers: int, index: int, host: str, rsh: str) -> None:
    control, spill = _frames.Channel(socket.socket(fileno=control_file)), socket.socket(fileno=spill_file)
    memory = _core.PoolWorker(memory_file, workers, index)
    setup = receive_message(control)
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_pool_host.py")
    command = [*shlex.split(rsh), host, *map(shlex.quote, (sys.executable, "-P", script))]
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as why:
        sys.exit(f"armilla: Pool: {command[0]} cannot start a worker on {host}: {why}")
    pipe = Pipe(process.stdout.fileno(), process.stdin.fileno())  # type: ignore[union-attr]
    if setup["initializer"] is not None:
        setup["initializer"] = [bytes(part) for part in _shared.opened(*setup["initializer"], False)]
    variables = {k: v for k, v in os.environ.items() if k.startswith(("ARMILLA_", "OMP_", "GOMP_", "MKL_", "OPENBLAS_")) or k in setup["environment"]}
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_read_worker, args=(pipe, process, control, memory, answers, host), daemon=True).start()
    _to_worker(pipe, process, host, 0, SETUP, [pickle.dumps({**setup, "variables": variables}, 5)])
    first = answers.get()
    send_message(control, first)
    if first[0] != "ready":
        return
    threading.Thread(target=_listen, args=(control, pipe), daemon=True).start()
    done = 0
    while setup["tasks"] is None or done < setup["tasks"]:
        number, kind, data = memory.next()
        _to_worker(pipe, process, host, number, TASK, [bytes([kind]), data])
        how, ns, size, parts = answers.get()
        if how & SPILLED:
            _pool_worker._send_file(spill, parts, number)
            data = b""
        else:
            data = bytes(parts[0])
        memory.give(number, how, ns, data)
        done += 1
        if setup["memory"] is not None and size > setup["memory"]:
            break
    os._exit(0)


def _gone(process: subprocess.Popen, host: str) -> None:
    """The worker has ended, or cannot be reached: so ends the relay."""
    try:
        code: Any = process.wait(2)
    except subprocess.TimeoutExpired:
        process.kill()
        code = "no code"
    print(f"armilla: Pool: the worker on {host} has ended ({process.args[0]} with code {code})", file=sys.stderr, flush=True)  # type: ignore[index]
    os._exit(code if isinstance(code, int) and 0 < code < 256 else 1)


def _to_worker(pipe: Pipe, process: subprocess.Popen, host: str, number: int, kind: int, parts: Sequence[Any]) -> None:
    try:
        pipe.send(number, kind, parts)
    except OSError:
        _gone(process, host)


def _read_worker(pipe: Pipe, process: subprocess.Popen, control: _frames.Channel, memory: Any, answers: queue.SimpleQueue, host: str) -> None:
    spilled: Any = None
    try:
        while True:
            number, kind, parts = pipe.receive()
            if kind == ITEM:
                memory.at_item(number)
            elif kind == OUTPUT:
                sys.stdout.buffer.write(parts[0])
                sys.stdout.flush()
            elif kind == WANTED:
                pipe.send(number, FILE, _wanted(*struct.unpack("<QQ", parts[0])))
            elif kind == PARTS:
                spilled = parts
            elif kind == RESULT:
                how, ns, size = _result.unpack(parts[0])
                answers.put((how, ns, size, spilled if how & SPILLED else parts[1:]))
                spilled = None
            elif kind == LARGE:
                send_message(control, ("large", number))
            else:
                answers.put(("ready",) if kind == READY else ("failed", bytes(parts[0])))
    except (EOFError, OSError, struct.error):
        _gone(process, host)


def _wanted(process: int, file: int) -> list[Any]:
    """The parts of a value in memory of the driver's host; nothing if it is gone."""
    try:
        return list(_shared.opened(process, file, False))
    except OSError:
        return []


def _listen(control: _frames.Channel, pipe: Pipe) -> None:
    with contextlib.suppress(EOFError, OSError):
        while True:
            what, *rest = receive_message(control)
            if what == "cancel":
                pipe.send(0, CANCEL, [struct.pack(f"<{len(rest[0])}Q", *rest[0])])
            elif what == "end":
                break
    os._exit(0)


# ---- the worker ----


class _Memory:
    """What a worker on another host has in place of the driver's memory."""

    def __init__(self, pipe: Pipe, output: _Output) -> None:
        self._pipe, self._output = pipe, output
        self.tasks: queue.SimpleQueue[tuple[int, int, bytes]] = queue.SimpleQueue()
        self.running = 0

    def next(self) -> tuple[int, int, bytes]:
        self.running = 0
        task = self.tasks.get()
        self.running = task[0]
        return task

    def at_item(self, item: int) -> None:
        self._pipe.send(item, ITEM)

    def give(self, number: int, kind: int, ns: int, data: bytes) -> None:
        self._output.send()  # first: the next task may end this process
        self._pipe.send(number, RESULT, [_result.pack(kind, ns, _pool_worker.resident()), data])

    def spill(self, parts: Any, number: int) -> None:
        self._pipe.send(number, PARTS, parts)


def main() -> None:
    pipe = Pipe(os.dup(0), os.dup(1))
    nothing, (read, write) = os.open(os.devnull, os.O_RDONLY), os.pipe()
    os.dup2(nothing, 0)
    os.dup2(write, 1)
    sys.modules["__main__"] = types.ModuleType("__main__")  # of what comes by value
    setup = pickle.loads(pipe.receive()[2][0])
    os.environ.update(setup["variables"])
    with contextlib.suppress(OSError, TypeError):  # another host may not have the folder
        os.chdir(setup["folder"])
    sys.path[:] = setup["path"]
    output, files = _Output(read, pipe), _Files(pipe)
    memory = _Memory(pipe, output)
    _shared.fetch = files.fetch
    signal.signal(signal.SIGINT, _pool_worker._on_interrupt)
    os.register_at_fork(after_in_child=_pool_worker._note_fork)
    for run in (output.forward, lambda: _hear(pipe, memory, files), lambda: _watch(memory, pipe, setup["memory"])):
        threading.Thread(target=run, daemon=True).start()
    if setup["initializer"] is not None:
        try:
            f, arguments = _pool_worker.loads(setup["initializer"])
            f(*arguments)
        except BaseException as error:
            pipe.send(0, FAILED, [_pool_worker.dumps_error(error)[0]])
            time.sleep(5)  # the relay ends it
            return
    pipe.send(0, READY)
    _pool_worker._serve(memory, memory.spill, None, None)


class _Files:
    """Values that are in memory of the driver's host, which the relay sends."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._asking = threading.Lock()
        self.came: queue.SimpleQueue[list[Any]] = queue.SimpleQueue()

    def fetch(self, process: int, file: int) -> list[Any]:
        with self._asking:
            self._pipe.send(0, WANTED, [struct.pack("<QQ", process, file)])
            parts = self.came.get()
        if not parts:
            raise OSError("it is gone")
        return parts


class _Output:
    """What tasks print, on its way to the relay."""

    def __init__(self, read: int, pipe: Pipe) -> None:
        self._read, self._pipe = read, pipe
        self._sending = threading.Lock()

    def forward(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                select.select([self._read], [], [])
                self.send()

    def send(self) -> None:
        with self._sending:
            while select.select([self._read], [], [], 0)[0]:
                self._pipe.send(0, OUTPUT, [os.read(self._read, 65536)])


def _hear(pipe: Pipe, memory: _Memory, files: _Files) -> None:
    with contextlib.suppress(EOFError, OSError):
        while True:
            number, kind, parts = pipe.receive()
            if kind == TASK:
                memory.tasks.put((number, parts[0][0], bytes(parts[1])))
            elif kind == FILE:
                files.came.put(parts)
            elif kind == CANCEL:
                _pool_worker._cancelled.update(n for (n,) in struct.iter_unpack("<Q", parts[0]))
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)  # type: ignore[arg-type]
    os._exit(1)  # the relay is gone, and with it all that this worker is for


def _watch(memory: _Memory, pipe: Pipe, limit: int | None) -> None:
    """Ends this worker if a task has more memory than it may."""
    large = 0
    while limit is not None:
        time.sleep(_look_seconds)
        size = _pool_worker.resident()
        if not memory.running or size <= limit:
            large = 0
        elif memory.running != large:  # it may be about to end
            large = memory.running
        else:
            with contextlib.suppress(OSError):
                pipe.send(size, LARGE)
            os._exit(1)
