# SPDX-License-Identifier: Apache-2.0
"""A worker of a pool: takes one task after the other from memory that it shares with the driver."""
from __future__ import annotations

import contextlib
import errno
import os
import pickle
import select
import signal
import socket
import sys
import threading
import time
import types
from typing import Any, Callable

from . import _core, _frames, _shared
from ._pickling import dumps, dumps_error, loads

CALL, MANY, SPILLED = 0, 1, 16
VALUE, RAISED = 0, 1

_cancelled: set[int] = set()
_current = 0  # the task whose code runs
_forked = False  # this process is a child of the worker, made by a task


def send_message(channel: _frames.Channel, message: Any) -> None:
    channel.send(0, 0, [pickle.dumps(message, 5)])


def receive_message(channel: _frames.Channel) -> Any:
    """Raises EOFError at the end."""
    return pickle.loads(channel.receive()[2][0])


def _on_interrupt(number: int, frame: Any) -> None:
    global _current
    if _current and _current in _cancelled:
        _current = 0
        raise KeyboardInterrupt


def _listen(control: _frames.Channel) -> None:
    messages = select.poll()
    messages.register(control.socket, select.POLLIN)
    try:
        while True:
            if not messages.poll(1000):
                _shared.free_dropped()
                continue
            what, *rest = receive_message(control)
            if what == "cancel":
                _cancelled.update(rest[0])
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)  # type: ignore[arg-type]
            elif what == "end":
                os._exit(0)
    except (EOFError, OSError):  # the driver is gone, and with it all that this worker is for
        os._exit(1)


def _note_fork() -> None:
    global _forked
    _forked = True


def resident(process: int | str = "self") -> int:
    """The bytes of memory that a process has by itself: without files and what it shares with others."""
    try:
        with open(f"/proc/{process}/statm", "rb") as file:
            _, all_pages, shared, *_ = map(int, file.read().split())
            return (all_pages - shared) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def main(control_file: int, spill_file: int, memory_file: int, workers: int, index: int) -> None:
    sys.modules["__main__"] = types.ModuleType("__main__")  # of what comes by value
    control, spill = _frames.Channel(socket.socket(fileno=control_file)), socket.socket(fileno=spill_file)
    memory = _core.PoolWorker(memory_file, workers, index)
    signal.signal(signal.SIGINT, _on_interrupt)
    os.register_at_fork(after_in_child=_note_fork)
    setup = receive_message(control)
    with contextlib.suppress(OSError, TypeError):  # the folder is gone
        os.chdir(setup["folder"])
    sys.path[:] = setup["path"]
    if setup["initializer"] is not None:
        try:
            f, arguments = loads(_shared.opened(*setup["initializer"], True))
            f(*arguments)
        except BaseException as error:
            send_message(control, ("failed", dumps_error(error)[0]))
            return
    send_message(control, ("ready",))
    threading.Thread(target=_listen, args=(control,), daemon=True).start()
    _serve(memory, lambda parts, number: _send_file(spill, parts, number), setup["tasks"], setup["memory"])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # nothing of the tasks' own threads and exit handlers holds up the next worker


def _serve(memory: Any, spill: Callable[[Any, int], None], tasks: int | None, bytes_allowed: int | None) -> None:
    done, looked = 0, 0.0
    while tasks is None or done < tasks:
        number, kind, data = memory.next()
        began = time.perf_counter_ns()
        how, parts = _run(memory, number, kind, data)
        taken = time.perf_counter_ns() - began
        if _forked:  # it has returned from the task of its parent
            os._exit(0)
        try:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
        except Exception:
            pass
        try:
            data, spilled = _packed(parts, number, spill)
        except Exception as error:  # there is no room for it, say
            how, (data, spilled) = RAISED, _packed(dumps_error(error), number, spill)
        memory.give(number, how | spilled, taken, data)
        done += 1
        if bytes_allowed is not None and time.monotonic() - looked > 0.02:
            looked = time.monotonic()
            if resident() > bytes_allowed:
                return


def _packed(parts: Any, number: int, spill: Callable[[Any, int], None]) -> tuple[bytes, int]:
    if len(parts) == 1 and len(parts[0]) <= _core.most_result:
        return bytes(parts[0]), 0
    spill(parts, number)
    return b"", SPILLED


def _send_file(to: socket.socket, parts: Any, number: int) -> None:
    """Long parts of a result go to the driver as a file."""
    file = _shared.File(parts)
    while True:
        try:
            socket.send_fds(to, [number.to_bytes(8, "little")], [file.file])
            return
        except OSError as why:
            if why.errno != errno.ETOOMANYREFS:
                raise
            time.sleep(0.001)  # until the driver has received some


def _run(memory: Any, number: int, kind: int, data: bytes) -> tuple[int, Any]:
    global _current
    try:
        end = 2 + int.from_bytes(data[:2], "little")
        f = _function(data[2:end]) if end > 2 else None
        rest = pickle.loads(data[end:])
        if kind & SPILLED:
            rest = loads(_shared.opened(*rest, True))
        if f is None:
            f, *rest = rest
        return VALUE, _dumped_many(*_run_many(memory, number, f, *rest)) if kind & MANY else _dumped(_within(number, f, *rest))
    except BaseException as error:  # SystemExit as well: the caller is told
        return RAISED, dumps_error(error)


_functions: dict[bytes, Any] = {}  # those that are found by their names


def _function(data: bytes) -> Callable[..., Any]:
    f = _functions.get(data)
    if f is None:
        f = pickle.loads(data)
        if b"armilla._shared" not in data and len(_functions) < 1000:  # a handle has a memory of its own
            _functions[data] = f
    return f


def _within(number: int, f: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    global _current
    try:
        _current = number
        if _cancelled:
            _cancelled.difference_update([n for n in list(_cancelled) if n < number])  # this worker gets no task with a lower number
            if number in _cancelled:
                raise KeyboardInterrupt
        return f(*args, **kwargs)
    finally:
        _current = 0


def _run_many(memory: Any, number: int, f: Callable[..., Any], items: list[tuple]) -> tuple[list[Any], dict[int, Any]]:
    """What each gives, and the errors of those that raised."""
    values: list[Any] = []
    errors: dict[int, Any] = {}
    for i, item in enumerate(items):
        memory.at_item(i)
        try:
            values.append(_within(number, f, item, {}))
        except BaseException as error:
            values.append(None)
            errors[i] = bytes(dumps_error(error)[0])
    return values, errors


def _dumped_many(values: list[Any], errors: dict[int, Any]) -> Any:
    try:
        return _dumped((values, errors))
    except Exception:  # one of them cannot be sent
        for i, value in enumerate(values):
            try:
                dumps(value)
            except Exception as error:
                values[i], errors[i] = None, bytes(dumps_error(error)[0])
        return _dumped((values, errors))


def _dumped(value: Any) -> Any:
    parts = dumps(value)
    if len(parts) > 1 and sum(memoryview(part).nbytes for part in parts) < _core.most_result // 2:
        try:
            return [pickle.dumps(value, 5)]
        except Exception:  # what goes by cloudpickle alone
            pass
    return parts
