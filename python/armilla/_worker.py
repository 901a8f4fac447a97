# SPDX-License-Identifier: Apache-2.0
"""A rank that does what its driver asks for, one call after the other, and what other ranks ask for meanwhile."""
from __future__ import annotations

import os
import queue
import signal
import socket
import struct
import sys
import threading
import types
from typing import Any

import armilla

from . import _calls, _core, _frames, _session, _waits, _worker_names
from ._pickling import dumps_result, dumps_error, loads


def main() -> None:
    sys.modules["__main__"] = types.ModuleType("__main__")  # of what the driver defines there
    _worker_names.job = key = _session.taken.pop("ARMILLA_INTERNAL_KEY")
    connection = _connected(_session.taken.pop("ARMILLA_INTERNAL_DRIVER"))
    signal.signal(signal.SIGINT, _waits.on_interrupt)
    _frames.send_hello(connection, key, int(armilla.rank))
    channel = _frames.Channel(connection)
    _core.expect_outside()
    _calls.keep_interrupts = True
    calls: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(channel, calls), daemon=True).start()
    while _serve_one(channel, calls):
        pass


def _connected(folder: str) -> socket.socket:
    connection, file = socket.socket(socket.AF_UNIX), os.open(folder, os.O_PATH | os.O_CLOEXEC)
    try:
        connection.connect(_frames.in_folder(file))
    finally:
        os.close(file)
    return connection


def _read(channel: _frames.Channel, calls: queue.SimpleQueue) -> None:
    try:
        while True:
            message = channel.receive()
            if message[1] == _frames.CANCEL:
                _waits.cancel(number for (number,) in struct.iter_unpack("<Q", message[2][0]))
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)  # it may sleep in a call of the system
            else:
                calls.put(message)
                _core.knock()
    except (EOFError, OSError):  # the driver is gone, and with it all that this job is for
        os._exit(1)


def _serve_one(channel: _frames.Channel, calls: queue.SimpleQueue) -> bool:
    _waits.wait(0, None, "the driver", lambda: not calls.empty())
    number, kind, parts = calls.get()
    if kind == _frames.CLOSE:
        return False
    try:
        answer = _waits.for_root(number, lambda: _answer(parts))
        kind = _frames.VALUE
    except BaseException as error:
        kind, answer = _frames.RAISED, dumps_error(error)
    sys.stdout.flush()
    channel.send(number, kind, answer)
    return True


def _answer(parts: list) -> Any:
    f, args, kwargs = loads(parts)
    return dumps_result(f, f(*args, **kwargs))


if __name__ == "__main__":
    from armilla._worker import main as _main  # so that its functions have one name

    _main()
