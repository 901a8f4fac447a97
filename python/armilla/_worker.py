# SPDX-License-Identifier: Apache-2.0
"""A rank that does what its driver asks for, one call after the other, and what other ranks ask for meanwhile."""
from __future__ import annotations

import os
import queue
import socket
import sys
import threading
import types
from typing import Any

import armilla

from . import _calls, _core, _frames, _waits
from ._pickling import dumps, dumps_error, loads


def main() -> None:
    sys.modules["__main__"] = types.ModuleType("__main__")  # of what the driver defines there
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(os.environ.pop("ARMILLA_INTERNAL_DRIVER"))
    channel = _frames.Channel(connection)
    channel.send(0, _frames.HELLO, dumps((armilla.rank, os.getpid())))
    _core.expect_outside()
    _calls.keep_interrupts = True
    calls: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(channel, calls), daemon=True).start()
    while _serve_one(channel, calls):
        pass


def _read(channel: _frames.Channel, calls: queue.SimpleQueue) -> None:
    try:
        while True:
            calls.put(channel.receive())
            _core.knock()
    except (EOFError, OSError):  # the driver is gone, and with it all that this job is for
        os._exit(1)


def _serve_one(channel: _frames.Channel, calls: queue.SimpleQueue) -> bool:
    try:
        _waits.wait(0, None, "the driver", lambda: not calls.empty())
        number, kind, parts = calls.get()
    except KeyboardInterrupt:  # too late: what it was for has ended
        return True
    if kind == _frames.CLOSE:
        return False
    try:
        f, args, kwargs = loads(parts)
        answer = dumps(f(*args, **kwargs))
        kind = _frames.VALUE
    except BaseException as error:
        kind, answer = _frames.RAISED, dumps_error(error)
    sys.stdout.flush()
    channel.send(number, kind, answer)
    return True


if __name__ == "__main__":
    from armilla._worker import main as _main  # so that its functions have one name

    _main()
