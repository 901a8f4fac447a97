# SPDX-License-Identifier: Apache-2.0
"""Values in memory that all processes of this host map: for arguments that many tasks use, and for long ones.

A value is a file without a name (memfd) that holds its pickle and its buffers. Whoever unpickles a handle opens that file through /proc and maps
it. Nothing is left behind when the process that made it ends.
"""
from __future__ import annotations

import itertools
import os
import pickle
import struct
import threading
from collections import OrderedDict
from typing import Any, Callable, Generic, Sequence, TypeVar

from . import _core
from ._pickling import dumps_by_value, from_outside

T = TypeVar("T")

_align = 64
_kept = 32  # values that a process keeps mapped
_numbers = itertools.count(1)
_out_of_band = 65536  # shorter buffers stay in the pickle
_writes = 1 << 30  # bytes of one call of the system


class File:
    """Parts in a file of their own, after their number and sizes; closed when it is dropped."""

    __slots__ = ("file", "nbytes")

    def __init__(self, parts: Sequence[Any]) -> None:
        views = [memoryview(part).cast("B") for part in parts]
        sizes = [view.nbytes for view in views]
        self.nbytes = sum(sizes)
        self.file = os.memfd_create("armilla-shared", os.MFD_CLOEXEC)
        at = 0
        for view in (memoryview(struct.pack(f"={len(sizes) + 1}Q", len(sizes), *sizes)), *views):
            first = at
            while view.nbytes:
                n = os.pwrite(self.file, view[:_writes], first)
                view, first = view[n:], first + n
            at = _rounded(first)
        os.ftruncate(self.file, at)

    def where(self) -> tuple[int, int]:
        """What another process of this host needs to open it."""
        return os.getpid(), self.file

    def __del__(self) -> None:
        try:
            os.close(self.file)
        except (AttributeError, OSError):
            pass


def _rounded(n: int) -> int:
    return (n + _align - 1) // _align * _align


def mapped(file: int, writable: bool) -> list[memoryview]:
    """The parts of a file, which may then be closed. `writable`: changes are private to this process."""
    whole = memoryview(_core.MappedFile(file, writable))
    count = int.from_bytes(whole[:8], "little")
    at = 8 * (count + 1)
    sizes = whole[8:at].cast("Q")
    parts = []
    for n in sizes:
        at = _rounded(at)
        parts.append(whole[at:at + n])
        at += n
    return parts


fetch: Callable[[int, int], list[Any]] | None = None  # of a worker on another host: brings the parts of a file of the driver's host


def opened(process: int, file: int, writable: bool) -> list[memoryview]:
    """The parts of a file of another process."""
    if fetch is not None:
        return [memoryview(part) if writable else memoryview(part).toreadonly() for part in fetch(process, file)]
    here = os.open(f"/proc/{process}/fd/{file}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return mapped(here, writable)
    finally:
        os.close(here)


def dumps(value: Any, in_band: int = _out_of_band) -> list[Any]:
    """By value: for processes that have another `__main__`. Long buffers beside the pickle."""
    return list(dumps_by_value(value, in_band, 1 << 20))


class _Local(threading.local):
    held: list[Any] | None = None  # the handles that were pickled: a task keeps them until it has ended


local = _Local()


class Shared(Generic[T]):
    """A value in shared memory, made by `armilla.put`. A task that has it among its arguments gets the value itself, whose arrays are
    read-only and are not copied: each worker maps the memory once.

    The memory is freed when this object and all tasks that use it have ended.

    >>> import armilla
    >>> shared = armilla.put(list(range(1000)))
    >>> len(shared.get()), shared.nbytes > 2000
    (1000, True)
    """

    def __init__(self, value: T) -> None:
        self._file = File(dumps(value, 1))  # all buffers, so that all are read-only
        self._number = next(_numbers)
        self._parts: list[memoryview] | None = None

    @property
    def nbytes(self) -> int:
        """How many bytes it takes."""
        return self._file.nbytes

    def get(self) -> T:
        """The value; its arrays are read-only views of the shared memory."""
        if self._parts is None:
            self._parts = mapped(self._file.file, False)
        return pickle.loads(self._parts[0], buffers=self._parts[1:])

    def where(self) -> tuple[int, int, int]:
        """What another process of this host needs to have the value."""
        return (self._number, *self._file.where())

    def __reduce__(self) -> Any:
        if local.held is not None:
            local.held.append(self)
        return _received, self.where()

    def __repr__(self) -> str:
        return f"<armilla.Shared: {self.nbytes} bytes>"


_values: OrderedDict[tuple[int, int], tuple[str, int, Any]] = OrderedDict()  # by process and number: file, its inode, the value


def _is_there(path: str, inode: int) -> bool:
    try:
        return os.stat(path).st_ino == inode
    except OSError:
        return False


def free_dropped() -> None:
    """Forgets the values that the process that put them has dropped."""
    for key, (path, inode, _) in list(_values.items()):
        if not _is_there(path, inode):
            _values.pop(key, None)


def _received(number: int, process: int, file: int) -> Any:
    known = _values.get((process, number))
    if known is not None:
        return known[2]
    path = f"/proc/{process}/fd/{file}"
    if fetch is None:
        free_dropped()
    while len(_values) >= _kept:
        _values.popitem(last=False)
    try:
        inode = os.stat(path).st_ino if fetch is None else 0
        parts = opened(process, file, False)
    except OSError:
        raise _core.UsageError("armilla: put: the value is gone: the process that put it has ended, or has dropped what put returned; keep that as long as it is used") from None
    with from_outside:
        value = pickle.loads(parts[0], buffers=parts[1:])
    _values[process, number] = (path, inode, value)
    return value


def put(value: T) -> Shared[T]:
    """Puts a value into shared memory, once for all workers of this host, and returns a handle for the arguments of tasks.

    Costs one copy. Tasks get the value, not the handle; its arrays are read-only.

    >>> import armilla, numpy as np
    >>> table = armilla.put(np.arange(10.0**6))
    >>> with armilla.Pool(2) as pool:
    ...     list(pool.map(lambda i, t: int(t[i]), range(3), [table] * 3))
    [0, 1, 2]
    """
    return Shared(value)
