# SPDX-License-Identifier: Apache-2.0
"""Messages between a driver and its workers, on a socket of this host: a number, a kind, and parts, of which the first is a pickle."""
from __future__ import annotations

import socket
import struct
import threading
from typing import Any, Sequence

CALL, VALUE, RAISED, HELLO, CLOSE = range(5)

_head = struct.Struct("<QII")  # number, kind, parts; the sizes of the parts follow
_most_parts = 64


class Channel:
    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self._sending = threading.Lock()

    def send(self, number: int, kind: int, parts: Sequence[Any] = ()) -> None:
        views = [memoryview(p).cast("B") for p in parts]
        head = _head.pack(number, kind, len(views)) + struct.pack(f"<{len(views)}Q", *(v.nbytes for v in views))
        with self._sending:
            rest = [memoryview(head), *(v for v in views if v.nbytes)]
            while rest:
                sent = self.socket.sendmsg(rest[:16])
                while rest and sent >= rest[0].nbytes:
                    sent -= rest.pop(0).nbytes
                if sent:
                    rest[0] = rest[0][sent:]

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
