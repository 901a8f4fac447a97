# SPDX-License-Identifier: Apache-2.0
"""Arrays in the memory of one rank that all ranks can read, write and add to, without that rank's help."""
from __future__ import annotations

import math
import secrets
import weakref
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core

_before_elements = 64  # bytes of the block that say which array it is
_adds = ("i4", "u4", "i8", "u8", "f8")

_mine: weakref.WeakValueDictionary[int, "SharedArray"] = weakref.WeakValueDictionary()  # by number


class SharedArray:
    """An array in the memory of one rank, which all ranks can read, write and add to. `armilla.shared` makes it.

    It is a global pointer: sent to other ranks, it refers to the same memory. Indices are those of NumPy. The elements live as long as the
    object that `shared` returned; after that, other ranks get a `UsageError`.

    >>> import armilla as am, numpy as np
    >>> s = am.shared(np.zeros((2, 3)))
    >>> s[0] = [1, 2, 3]
    >>> s.add((1, 1), 5)
    >>> s.get()
    array([[1., 2., 3.],
           [0., 5., 0.]])
    """

    __slots__ = ("shape", "dtype", "rank", "_number", "_address", "_core", "_block", "__weakref__")

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    rank: int  # in whose memory the elements are

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], rank: int, number: int, address: bytes, block: Any = None) -> None:
        self.shape, self.dtype, self.rank, self._number, self._address, self._block = shape, dtype, rank, number, address, block
        self._core = _core.SharedElements(address, number, self.nbytes)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("armilla: shared: len() of an array without an axis")
        return self.shape[0]

    def get(self, index: Any = ()) -> Any:
        """Returns the elements at an index, as a NumPy array or scalar.

        >>> import armilla as am, numpy as np
        >>> am.shared(np.arange(10)).get(slice(2, 8, 3))
        array([2, 5])
        """
        places, shape, width = self._places(index)
        found = np.empty(shape, self.dtype)
        if found.size:
            self._core.read(places, width, found)
        return found[()]

    def put(self, index: Any, value: Any) -> None:
        """Writes the elements at an index. It is complete when it returns; a barrier orders it with accesses of other ranks.

        >>> import armilla as am, numpy as np
        >>> s = am.shared(np.zeros(3))
        >>> s.put(1, 5)
        >>> s.get()
        array([0., 5., 0.])
        """
        places, shape, width = self._places(index)
        values = self._values(value, shape)
        if values.size:
            self._core.write(places, width, values)

    __getitem__ = get
    __setitem__ = put

    def add(self, index: Any, value: Any) -> None:
        """Adds to the elements at an index. Each addition is one atomic operation. For integers of 32 and 64 bits, and float64.

        >>> import armilla as am, numpy as np
        >>> s = am.shared(np.zeros(4, int))
        >>> s.add([0, 2, 2], 1)
        >>> s.get()
        array([1, 0, 2, 0])
        """
        self._added(index, value, False)

    def fetch_add(self, index: Any, value: Any) -> Any:
        """Does the same as `add`, and returns the values before.

        >>> import armilla as am, numpy as np
        >>> tickets = am.shared(np.zeros(1, int))
        >>> int(tickets.fetch_add(0, 1)), int(tickets.fetch_add(0, 1))
        (0, 1)
        """
        return self._added(index, value, True)

    def local(self) -> npt.NDArray[Any]:
        """Returns the elements in place, as a NumPy array: on the rank that has them, and on ranks of its host that map its memory. Raises
        `UsageError` on others.

        >>> import armilla as am, numpy as np
        >>> s = am.shared(np.zeros(3))
        >>> s.local()[:] = 7
        >>> s.get()
        array([7., 7., 7.])
        """
        self._core.check("shared.local")
        if self._block is None:
            self._block = _core.mapped(self._address, _before_elements + self.nbytes)
        if self._block is None:
            raise _core.UsageError(f"armilla: rank {_core.rank()}: shared.local: the memory of rank {self.rank} is not mapped here; use get and put")
        return np.frombuffer(self._block, self.dtype, self.size, _before_elements).reshape(self.shape)

    def _added(self, index: Any, value: Any, wants_old: bool) -> Any:
        kind = self.dtype.str[1:]
        if kind not in _adds:
            raise TypeError(f"armilla: shared.add: elements of {self.dtype} have no atomic addition; use integers of 32 or 64 bits or float64")
        its = np.asarray(value).dtype
        if its.kind not in ("biuf" if self.dtype.kind == "f" else "biu"):
            raise TypeError(f"armilla: shared.add: values of {its} are not added to elements of {self.dtype}; convert them with astype")
        places, shape, width = self._places(index, each=True)
        values = self._values(value, shape)
        old = np.empty(shape if wants_old else 0, self.dtype)
        if values.size:
            self._core.add(kind, places, values, old)
        return old[()] if wants_old else None

    def _values(self, value: Any, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        values = np.empty(shape, self.dtype)
        values[...] = value
        return values

    def _places(self, index: Any, each: bool = False) -> tuple[npt.NDArray[np.int64], tuple[int, ...], int]:
        """Where what an index takes is, in bytes, and its shape; and how many bytes each place has. `each`: one place for each element."""
        if isinstance(index, tuple) and not index and not each:
            return np.zeros(1, np.int64), self.shape, self.nbytes
        width = self.dtype.itemsize
        nothing = np.lib.stride_tricks.as_strided(np.empty(1, self.dtype), self.shape, _strides(self.shape, width))  # never read
        items = index if isinstance(index, tuple) else (index,)
        if not all(item is None or item is Ellipsis or isinstance(item, (int, np.integer, slice)) and not isinstance(item, bool) for item in items):
            found = (np.arange(self.size, dtype=np.int64) * width).reshape(self.shape)[index]
            return np.ascontiguousarray(found).reshape(-1), np.shape(found), width
        taken = nothing[(*items, ...) if Ellipsis not in items else items]
        first = taken.__array_interface__["data"][0] - nothing.__array_interface__["data"][0]
        if not each and taken.size and taken.strides == _strides(taken.shape, width):
            return np.array([first], np.int64), taken.shape, taken.size * width
        places = np.full(taken.shape, first, np.int64)
        for axis, (n, stride) in enumerate(zip(taken.shape, taken.strides)):
            places += (np.arange(n, dtype=np.int64) * stride).reshape((n,) + (1,) * (taken.ndim - axis - 1))
        return places.reshape(-1), taken.shape, width

    def __array__(self, dtype: Any = None, copy: Any = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("armilla: shared: numpy.asarray must copy the elements; use local()")
        found = np.asarray(self.get())
        return found if dtype is None else found.astype(dtype, copy=False)

    def __reduce__(self) -> Any:
        return _reopened, (self.shape, self.dtype, self.rank, self._number, self._address)

    def __repr__(self) -> str:
        return f"<armilla.SharedArray: {self.dtype} of shape {self.shape} on rank {self.rank}>"


def _strides(shape: tuple[int, ...], width: int) -> tuple[int, ...]:
    return tuple(width * math.prod(shape[axis + 1:]) for axis in range(len(shape)))


def _reopened(shape: tuple[int, ...], dtype: np.dtype[Any], rank: int, number: int, address: bytes) -> SharedArray:
    found = _mine.get(number)
    return SharedArray(shape, dtype, rank, number, address) if found is None else found


def shared(a: Any) -> SharedArray:
    """Copies an array to memory of this rank that all ranks can access, and returns a global pointer to it.

    It is not collective. Send the pointer to other ranks as an argument of a call, or in a collective, and keep it as long as they use it.

    >>> import armilla as am, numpy as np
    >>> windows = am.all_gather(am.shared(np.zeros(4)))
    >>> windows[-1].add(0, 1)
    >>> am.barrier()
    >>> float(windows[-1].get(0)) == am.size
    True
    >>> am.barrier()  # after it a rank may drop its window
    """
    source = np.asarray(a, order="C")
    if source.dtype.kind not in "biufcmM" or not source.dtype.isnative:
        raise TypeError(f"armilla: shared: elements of {source.dtype} cannot be in shared memory; give numbers in this machine's byte order")
    block = _core.SharedMemory(_before_elements + source.nbytes, 0)
    number = secrets.randbits(63) | 1
    made = SharedArray(source.shape, source.dtype, _core.rank(), number, block.address(), block)
    np.frombuffer(block, source.dtype, source.size, _before_elements).reshape(source.shape)[...] = source
    np.frombuffer(block, np.uint64, 1)[0] = number
    _mine[number] = made
    return made
