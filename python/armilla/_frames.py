# SPDX-License-Identifier: Apache-2.0
"""Messages between a driver and its workers, on a socket of this host: a number, a kind, and parts, of which the first is a pickle."""
from __future__ import annotations

import socket
import struct
import sys
import threading
import time
from typing import Any, Sequence

from . import _core

CALL, VALUE, RAISED, CANCEL, CLOSE, WELCOME, OUTPUT, LOST = range(8)  # the last three go from a session to its clients

_head = struct.Struct("<QII")  # number, kind, parts; the sizes of the parts follow
_most_parts = 64

_hello = struct.Struct("<32si")  # the job's key and the rank: with which a worker begins
key_bytes = 16


def send_hello(connection: socket.socket, key: str, rank: int) -> None:
    connection.sendall(_hello.pack(key.encode(), rank))


def receive_hello(connection: socket.socket, key: str, end: float) -> int | None:
    """The rank of a worker of the job that has the key; None: it is not one, or has not said so by then. Nothing that it sends is unpickled before."""
    said = b""
    while len(said) < _hello.size:
        left = end - time.monotonic()
        if left <= 0:
            return None
        connection.settimeout(left)
        try:
            more = connection.recv(_hello.size - len(said))
        except OSError:
            return None
        if not more:
            return None
        said += more
    import hmac  # here, since a pool's workers do without it

    its, rank = _hello.unpack(said)
    if not hmac.compare_digest(its, key.encode()):
        return None
    connection.settimeout(None)
    return rank


def in_folder(folder: int) -> str:
    """The address of a socket in an open folder: short, however long its path is. That of a socket has 107 bytes at most."""
    return f"/proc/self/fd/{folder}/driver"


def print_line(name: str, text: str) -> None:
    """Prints a line of a worker on the stream of that name."""
    stream = getattr(sys, name)
    try:
        if stream is not None:
            stream.write(text)
            stream.flush()
    except (OSError, ValueError):  # it is closed; what follows is read, so that no worker waits
        pass


class Channel:
    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self._sending = threading.Lock()
        self._unsent: list[Any] = []  # of a message in which an interrupt came: it goes first

    def send(self, number: int, kind: int, parts: Sequence[Any] = ()) -> None:
        """An interrupt ends it, also while the other side takes nothing; the message is sent before the next one then."""
        views = [memoryview(p).cast("B") for p in parts]
        head = _head.pack(number, kind, len(views)) + struct.pack(f"<{len(views)}Q", *(v.nbytes for v in views))
        with self._sending:
            self._unsent.extend((head, *views))
            _core.send_all(self.socket.fileno(), self._unsent)

    def receive(self) -> tuple[int, int, list[Any]]:
        """Raises EOFError at the end."""
        number, kind, count = _head.unpack(self._bytes(_head.size))
        if count > _most_parts:
            raise EOFError("damaged")
        sizes = struct.unpack(f"<{count}Q", self._bytes(8 * count))
        return number, kind, [self._bytes(n) for n in sizes]

    def _bytes(self, size: int) -> bytearray:
        data = bytearray(size)
        view = memoryview(data)
        while view.nbytes:
            n = self.socket.recv_into(view)
            if n == 0:
                raise EOFError("the other side is gone")
            view = view[n:]
        return data

    def close(self) -> None:
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()
