# SPDX-License-Identifier: Apache-2.0
"""The class of distributed arrays: where their elements are stored, and how they move."""
from __future__ import annotations

import contextlib
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from .. import _collectives, _core
from .._shown import shown
from . import meeting
from .meeting import UnsupportedError, collective, meet

Shape = tuple[int, ...]
Offsets = tuple[int, ...]

gather_limit = 4 << 30  # bytes that `numpy.asarray(a)` gathers at most
pulls = 0  # how often elements were fetched from other ranks
direct: bool | None = None  # whether each rank maps the memory of all others; None: not known yet


def dtype_of(what: Any) -> np.dtype:
    kind = np.dtype(what)
    if kind.kind not in "biufc" or not kind.isnative:
        raise UnsupportedError(f"armilla: array: elements of {kind} are not supported; give bool, an integer type, a floating-point type, or a complex type, in this machine's byte order")
    return kind


def blocks(n: int) -> Offsets:
    """The first index of each rank, and the end, if n indices are dealt in equal blocks."""
    ranks = _core.size()
    each = -(-n // ranks)
    return tuple(min(r * each, n) for r in range(ranks)) + (n,)


def along(axis: int, what: Any) -> tuple:
    """The index that takes `what` of one axis and all of those in front of it."""
    return (slice(None),) * axis + (what,)


def block_shape(shape: Shape, axis: int | None, offsets: Offsets, rank: int) -> Shape:
    return shape if axis is None else shape[:axis] + (offsets[rank + 1] - offsets[rank],) + shape[axis + 1 :]


class Memory:
    """Blocks in the segments of all ranks, one on each."""

    __slots__ = ("core", "sizes", "addresses", "_there")

    def __init__(self, sizes: Sequence[int]) -> None:
        if max(sizes) >= 1 << 62:
            raise _core.LimitError(f"armilla: array: {sum(sizes)} bytes are more than an address space has; take fewer elements")
        mine = sizes[_core.rank()]
        self.core = _core.SharedMemory(mine, 0 if direct is False else sum(sizes) - mine)
        self.sizes = sizes
        self.addresses: list[bytes] | None = None  # once the ranks have met
        self._there: dict[int, Any] = {}
        meeting.pending.append(self)

    def of(self, rank: int) -> Any:
        """The block of a rank in place; None where this rank does not map it."""
        if rank == _core.rank():
            return self.core
        if rank not in self._there:
            if self.addresses is None:
                raise _core.UsageError("armilla: array: the ranks have not met since this array was made")
            self._there[rank] = _core.mapped(self.addresses[rank], self.sizes[rank])
        return self._there[rank]

    def __del__(self) -> None:
        if meeting is not None and hasattr(self, "core"):
            meeting.dropped.append(self.core)  # others may still read it


@contextlib.contextmanager
def naming(a: Array) -> Iterator[None]:
    """Errors of an index say which array it is, if that has a name."""
    try:
        yield
    except (IndexError, TypeError, ValueError) as error:
        text = str(error)
        if a.name is not None and text.startswith("armilla: array:"):
            error.args = (f"armilla: array {a.name!r}:{text.removeprefix('armilla: array:')}", *error.args[1:])
        raise


class _Asked(np.ndarray):
    """Says which function NumPy's operators call."""

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return function, inputs[1:]


def _power_of(dtype: np.dtype, exponent: Any) -> Any:
    """What NumPy calls for `**`, and with which exponents: a square or a root for some."""
    return np.empty(0, dtype).view(_Asked) ** exponent if isinstance(exponent, (int, float)) else (np.power, (exponent,))


class Array(NDArrayOperatorsMixin):
    """An n-dimensional array whose elements are dealt to all ranks in blocks along one axis.

    All ranks call the same operations in the same order, as they call collectives. NumPy's functions and operators work on it, and give
    NumPy's answers; a function that is not supported raises a TypeError that names it. `local()` is this rank's block, in place. `get` and
    `put` are for one rank alone.

    >>> import armilla as am, numpy as np
    >>> a = am.asarray(np.arange(12.0).reshape(4, 3))
    >>> a.shape, a.dtype, a.axis
    ((4, 3), dtype('float64'), 0)
    >>> np.asarray(a.sum(axis=0))
    array([18., 22., 26.])
    >>> float((a[1:] * 2).max())
    22.0
    """

    __slots__ = ("_shape", "_dtype", "_axis", "_offsets", "_block", "_block_of", "_memory", "_name", "_shown", "__weakref__")
    __array_priority__ = 1000

    shape: Shape
    dtype: np.dtype
    axis: int | None  # along which it is dealt; None: it has no axis, and each rank has it
    offsets: Offsets  # the first index of each rank along `axis`, and the end

    def __init__(self, shape: Shape, dtype: np.dtype, axis: int | None, offsets: Offsets, block_of: Callable[[int], Any], memory: Memory) -> None:
        self._shape = shape
        self._dtype = dtype
        self._axis = axis
        self._offsets = offsets
        self._memory = memory
        self._block_of = block_of
        self._block: np.ndarray = block_of(_core.rank())

    # ---- what NumPy's arrays have ----

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: math.prod(self.shape) if self.shape else 1)
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.dtype.itemsize)
    flags = property(lambda self: np.empty(1, self.dtype).flags)
    device = property(lambda self: "cpu")

    @property
    def name(self) -> str | None:
        """The name that the array was given when it was made: `am.array([1, 2], name="ages")`. Views and results have none."""
        return getattr(self, "_name", None)

    def _named(self, name: str | None) -> Array:
        if name is not None:
            self._name = str(name)
            self._shown = shown(self._name, f"am.array of {self.dtype}", self._block.size, self._block.nbytes)
        return self

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("armilla: array: len() of an array without an axis")
        return self.shape[0]

    def __iter__(self) -> Any:
        if not self.shape:
            raise TypeError("armilla: array: iteration over an array without an axis")
        return (self[i] for i in range(len(self)))

    def item(self, *where: Any) -> Any:
        """The element as a Python number: the only one, or that at an index: of all axes, or of the elements one after the other."""
        at: Any = where[0] if len(where) == 1 and isinstance(where[0], tuple) else where
        if where and len(at) == 1:
            i = operator.index(at[0])
            if not -self.size <= i < self.size:
                raise IndexError(f"armilla: array: index {i} is out of bounds for size {self.size}")
            at = np.unravel_index(i % self.size, self.shape)
        if where and len(at) != self.ndim:
            raise ValueError(f"armilla: array: item: {len(at)} indices for {self.ndim} axes")
        if where:
            return self[at].item()
        if self.size != 1:
            raise ValueError(f"armilla: array: item() of an array of {self.size} elements; give an index")
        return np.asarray(self).item()

    def _one(self, what: str) -> Any:
        if self.size != 1:
            if what == "bool":
                raise ValueError(f"armilla: array: the truth value of an array of {self.size} elements is ambiguous; use a.any() or a.all()")
            raise TypeError(f"armilla: array: only an array of one element can become a Python {what}; this one has {self.size}")
        return np.asarray(self)  # which of them can, its version says

    def __bool__(self) -> bool:
        return bool(self._one("bool"))

    def __int__(self) -> int:
        return int(self._one("int"))

    def __float__(self) -> float:
        return float(self._one("float"))

    def __complex__(self) -> complex:
        return complex(self._one("complex"))

    def __index__(self) -> int:
        if self.shape or self.dtype.kind not in "iu":
            raise TypeError(f"armilla: array: only an integer without an axis is an index; this is {self.dtype} of shape {self.shape}")
        return operator.index(self.item())

    def __format__(self, how: str) -> str:
        return format(self.item(), how) if not self.shape else object.__format__(self, how)

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> "Array":
        return self.copy()

    def __deepcopy__(self, memo: Any) -> "Array":
        return self.copy()

    def __reduce__(self) -> Any:
        raise TypeError("armilla: array: a distributed array cannot be sent or pickled; send a.local(), numpy.asarray(a), or save it by armilla.save")

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, **options: Any) -> Any:
        if _core.size() > 1:
            raise BufferError("armilla: array: a distributed array is in the memory of several ranks; a.local() has __dlpack__ for the part of this rank")
        return self._block.__dlpack__(**options)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        from .. import array_api

        if api_version not in (None, *array_api.versions):
            raise ValueError(f"armilla: array: version {api_version!r} of the array API standard is not supported; there is {array_api.versions[-1]}")
        return array_api

    def __array_ufunc__(self, function: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        from . import elementwise

        return elementwise.ufunc(function, method, inputs, options)

    def __pow__(self, exponent: Any) -> Any:
        function, exponents = _power_of(self.dtype, exponent)
        return function(self, *exponents)

    def __ipow__(self, exponent: Any) -> Any:
        function, exponents = _power_of(self.dtype, exponent)
        return function(self, *exponents, out=(self,))

    def __array_function__(self, function: Callable[..., Any], types: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        from . import dispatch

        return dispatch.call(function, args, kwargs)

    # ---- this rank's part, and single ranks' access ----

    def local(self, rank: int | None = None) -> np.ndarray:
        """The block of this rank as a NumPy array, in place; or that of another rank, in place where it is mapped, else as a copy.

        No other rank takes part. The block of another rank is valid while all ranks keep the array; a barrier orders reads after writes.
        """
        if rank is None or rank == _core.rank():
            return self._block
        self._check_rank(rank)
        return self._reached(rank, ())

    def bounds(self, rank: int | None = None) -> tuple[int, int]:
        """The first index of a rank's block (this one's) along `axis`, and the index after its last."""
        rank = _core.rank() if rank is None else rank
        self._check_rank(rank)
        return (0, 1) if self.axis is None else (self.offsets[rank], self.offsets[rank + 1])

    @staticmethod
    def _check_rank(rank: int) -> None:
        if not 0 <= rank < _core.size():
            raise _core.UsageError(f"armilla: array: rank {rank} does not exist (ranks of this job: {_core.size()}); give a rank from 0 to {_core.size() - 1}")

    def block_of(self, rank: int) -> Any:
        """The block of a rank in place; None where this rank does not map it."""
        return self._block if rank == _core.rank() else self._block_of(rank)

    def _room_for(self, rank: int, index: Any) -> tuple[np.ndarray, np.ndarray]:
        """What an index takes of a block that this rank does not map, as a view of memory of its size, and that memory. It holds nothing yet."""
        memory = self._memory
        room = np.empty(max(memory.sizes[rank], 1), np.uint8)
        memory._there[rank] = room
        try:
            return self._block_of(rank)[index], room
        finally:
            memory._there[rank] = None

    def _reached(self, rank: int, index: tuple) -> np.ndarray:
        """What an index of integers and slices takes of the block of a rank: in place, or a copy."""
        there = self.block_of(rank)
        if there is not None:
            return there[(*index, ...)]
        memory = self._memory
        assert memory.addresses is not None
        found, room = self._room_for(rank, (*index, ...))
        if found.size:
            span = [(n - 1) * stride for n, stride in zip(found.shape, found.strides)]
            first = found.ctypes.data - room.ctypes.data + sum(step for step in span if step < 0)
            end = first + sum(map(abs, span)) + self.itemsize
            _core.read_memory(memory.addresses[rank], first, room[first:end])
        return found

    def _reached_parts(self, where: Any, name: str = "array.get") -> tuple[list[tuple[int, Any, Any]], Shape]:
        """For access by one rank: the parts that an index of integers and slices takes, as (rank, index there, place in the result)."""
        from . import indexing

        items = indexing.parsed(where, self.shape)
        if any(item.kind in ("array", "truth") for item in items):
            raise UnsupportedError(f"armilla: {name}: an index of arrays; one rank alone reads and writes by integers and slices")
        return indexing.parts_of_basic(self, items)

    def get(self, where: Any = ()) -> Any:
        """The elements at an index of integers and slices as a NumPy array or scalar: one rank alone reads them, wherever they are stored."""
        with naming(self):
            parts, shape = self._reached_parts(where)
        found = np.empty(shape, self.dtype)
        for rank, index, place in parts:
            found[place] = self._reached(rank, index)
        return found[()]

    def put(self, where: Any, value: Any) -> None:
        """Writes the elements at an index of integers and slices: one rank alone does it. Others see them after a barrier."""
        from . import indexing

        with naming(self):
            parts, shape = self._reached_parts(where, "array.put")
            values = np.broadcast_to(np.asarray(indexing.elements_of(value, self.dtype), self.dtype), shape)
        for rank, index, place in parts:
            there = self.block_of(rank)
            if there is not None:
                there[index] = values[place]
            else:
                self._put_far(rank, index, np.ascontiguousarray(values[place]).reshape(-1))

    def _put_far(self, rank: int, index: Any, values: np.ndarray) -> None:
        memory, width = self._memory, self.dtype.itemsize
        assert memory.addresses is not None
        there, room = self._room_for(rank, (*index, ...))
        places = (np.ravel(_addresses(there)) - room.ctypes.data) // width
        for run in np.split(np.arange(len(places)), np.flatnonzero(np.diff(places) != 1) + 1):
            if len(run):
                _core.write_memory(memory.addresses[rank], int(places[run[0]]) * width, values[run].tobytes())

    # ---- whole arrays ----

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if copy is False:
            raise ValueError("armilla: array: its elements are on several ranks: it cannot become an array of NumPy without a copy; use local()")
        found = self.gather()
        return found if dtype is None else found.astype(dtype, copy=False)

    def gather(self, limit: int | None = 0) -> np.ndarray:
        """The whole array as a NumPy array on each rank. All ranks call it. `limit`: of its bytes; None: no limit."""
        bound = gather_limit if limit == 0 else limit
        if bound is not None and self.nbytes > bound:
            raise _core.LimitError(f"armilla: array: the whole array of {self.nbytes} bytes is more than the {bound} that numpy.asarray gathers on each rank; work on a.local(), take a slice, "
                                   "or call a.gather(limit=None)")
        return _gathered(self)

    def redistribute(self, axis: int = 0, sizes: Sequence[int] | None = None) -> "Array":
        """The same elements dealt along another axis, in equal blocks, or with `sizes[r]` indices for rank r. Itself if it is so already."""
        axis = axis_of(axis, self.ndim)
        if sizes is None:
            offsets = blocks(self.shape[axis])
        else:
            offsets = (0, *np.cumsum(np.asarray(sizes, np.int64)).tolist())
            if len(offsets) != _core.size() + 1 or offsets[-1] != self.shape[axis] or min(sizes) < 0:
                raise _core.UsageError(f"armilla: array.redistribute: sizes {list(sizes)}; give one for each of {_core.size()} ranks, {self.shape[axis]} in all")
        return _redistributed(self, axis, offsets)

    def copy(self, order: str = "C") -> "Array":
        """Another array of the same elements, dealt alike."""
        return _copied(self)

    def fill(self, value: Any) -> None:
        """Sets all elements."""
        from . import indexing

        with naming(self):
            indexing.fill(self, value)

    def astype(self, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True) -> "Array":
        """The elements in another type."""
        kind = dtype_of(dtype)
        if kind == self.dtype and not copy:
            return self
        if not np.can_cast(self.dtype, kind, casting):
            raise TypeError(f"armilla: array.astype: {self.dtype} cannot become {kind} by the rule '{casting}'")
        return _as_type(self, kind)

    def __repr__(self) -> str:
        from . import showing

        return showing.text_of(self)

    def __str__(self) -> str:
        return repr(self) if self.shape else str(self._block[()])

    # ---- what other files define ----

    @property
    def T(self) -> "Array":
        """The axes in reversed order: a view."""
        from . import shaping

        return shaping.transpose(self)

    @property
    def mT(self) -> "Array":
        """The last two axes exchanged: a view."""
        from . import shaping

        return shaping.matrix_transpose(self)

    @property
    def real(self) -> "Array":
        """The real parts: a view."""
        from . import methods

        return methods.local_view("real")(self)

    @property
    def imag(self) -> "Array":
        """The imaginary parts: a view of complex elements."""
        from . import methods

        return methods.local_view("imag")(self)

    def __getitem__(self, where: Any) -> Any:
        from . import indexing

        with naming(self):
            return indexing.get(self, where)

    def __setitem__(self, where: Any, value: Any) -> None:
        from . import indexing

        with naming(self):
            indexing.set(self, where, value)


def _read_only(name: str) -> property:
    def refuse(a: Array, value: Any) -> None:
        raise AttributeError(f"armilla: array: {name} cannot be set; reshape, astype and redistribute make another array")

    return property(operator.attrgetter(f"_{name}"), refuse)


for _name in ("shape", "dtype", "axis", "offsets"):
    setattr(Array, _name, _read_only(_name))


def _addresses(view: np.ndarray) -> np.ndarray:
    """The address of each element."""
    found = np.array(view.ctypes.data, np.int64)
    for n, stride in zip(view.shape, view.strides):
        found = found[..., None] + np.arange(n) * stride
    return found


def axis_of(axis: Any, ndim: int) -> int:
    """The axis as a number from 0."""
    if isinstance(axis, (bool, np.bool_)):
        raise TypeError(f"armilla: array: the axis {axis}; an integer is required")
    i = operator.index(axis)
    if not -ndim <= i < ndim:
        raise _axis_error(i, ndim)
    return i % ndim


def _axis_error(axis: int, ndim: int) -> Exception:
    kind = getattr(np, "exceptions", np).AxisError
    return kind(axis, ndim)


# ---- making ----


def empty(shape: Shape, dtype: np.dtype, axis: int | None = 0, offsets: Offsets | None = None) -> Array:
    """Room for elements, in row-major blocks. No meeting: the caller's operation ends with one."""
    if any(n < 0 for n in shape):
        raise ValueError(f"armilla: array: negative dimensions are not allowed: the shape is {shape}")
    if not shape:
        axis, offsets = None, ()
    elif offsets is None:
        axis = axis or 0
        offsets = blocks(shape[axis])
    assert offsets is not None
    shapes = [block_shape(shape, axis, offsets, r) for r in range(_core.size())]
    memory = Memory([math.prod(s) * dtype.itemsize for s in shapes])

    def block_of(rank: int) -> Any:
        there = memory.of(rank)
        return None if there is None else np.ndarray(shapes[rank], dtype, buffer=there)

    return Array(shape, dtype, axis, offsets, block_of, memory)


def view(a: Array, shape: Shape, axis: int | None, offsets: Offsets, of_block: Callable[[Any, int], Any]) -> Array:
    """An array over the same memory: `of_block(block, rank)` is the view of a rank's block."""
    parent = a._block_of

    def block_of(rank: int) -> Any:
        there = parent(rank)
        return None if there is None else of_block(there, rank)

    made = Array.__new__(Array)
    made._shape, made._axis, made._offsets = shape, axis, offsets
    made._memory, made._block_of = a._memory, block_of
    made._block = of_block(a._block, _core.rank())
    made._dtype = made._block.dtype
    return made


def empty_like(a: Array, dtype: np.dtype | None = None) -> Array:
    return empty(a.shape, a.dtype if dtype is None else dtype, a.axis, a.offsets)


def from_block(block: np.ndarray, shape: Shape, axis: int | None, offsets: Offsets) -> Array:
    """An array of which each rank has made its block already."""
    made = empty(shape, block.dtype, axis, offsets)
    made._block[...] = block
    return made


def from_whole(whole: Any, axis: int = 0, offsets: Offsets | None = None) -> Array:
    """An array of elements that all ranks have."""
    values = np.asarray(whole)
    made = empty(values.shape, dtype_of(values.dtype), axis, offsets)
    copy_into(made._block, values if made.axis is None else values[along(made.axis, slice(*made.bounds()))])
    return made


_tile = 128


def copy_into(to: np.ndarray, values: np.ndarray) -> None:
    """Copies; of matrices whose rows are stored in different directions in tiles that stay in the cache."""
    if to.ndim == 2 and values.shape == to.shape and min(to.shape) > _tile and abs(to.strides[0]) > abs(to.strides[1]) and abs(values.strides[0]) < abs(values.strides[1]):
        for first in range(0, to.shape[0], _tile):
            rows, part = to[first : first + _tile], values[first : first + _tile]
            for column in range(0, to.shape[1], _tile):
                rows[:, column : column + _tile] = part[:, column : column + _tile]
    else:
        to[...] = values


# ---- moving ----


def _is_direct(a: Array) -> bool:
    global direct
    if direct is None:
        direct = all(a._memory.of(r) is not None for r in range(_core.size()))
    return direct


def meet_to_pull(name: str, a: Array) -> None:
    """The ranks come to where elements of `a` move."""
    global pulls
    pulls += 1
    if _core.size() > 1:
        meet(name, f"moves {a.dtype} of shape {a.shape}")


def pull(name: str, a: Array, requests: Sequence[tuple[int, Any]]) -> list[np.ndarray]:
    """What each index takes of the block of each rank: this rank's requests, while the other ranks have theirs.

    Views where the memory is mapped. So the caller copies what it gets before the ranks meet again, and writes to `a` after that.
    """
    meet_to_pull(name, a)
    if _core.size() == 1:
        return [a._block[index] for _, index in requests]
    if _is_direct(a):
        return [a.block_of(rank)[index] for rank, index in requests]
    wanted: list[list[Any]] = [[] for _ in range(_core.size())]
    for rank, index in requests:
        wanted[rank].append(index)
    answers = exchange(name, [[a._block[index] for index in indices] for indices in exchange(name, wanted)])
    order = [iter(each) for each in answers]
    return [next(order[rank]) for rank, _ in requests]


def contiguous_blocks(a: Array) -> list[np.ndarray] | None:
    """The blocks of all ranks, after a meeting, if this rank maps them and their rows follow each other; None if one does not, on all ranks alike."""
    if not _is_direct(a) or not a.size:
        return None
    found = [a.block_of(r) for r in range(_core.size())]
    return found if all(block.flags.c_contiguous for block in found) else None


def exchange(name: str, values: Sequence[Any]) -> list[Any]:
    """One value for each rank, and one from each."""
    from .._pickling import dumps, loads

    if _core.size() == 1:
        return list(values)
    packed = [dumps(v) for v in values]
    meet(name)  # where all learn what has failed on one
    name = meeting.operation(name)
    return [loads(parts) for parts in meeting.run(name, _core.exchange, name, packed)]


def gathered(name: str, value: Any) -> list[Any]:
    """The values of all ranks, on each."""
    meet(name)
    return _collectives.gathered(name, value)


def after_pulls(before: int, name: str) -> None:
    """In front of a write to memory that other ranks may still read."""
    if pulls != before and _core.size() > 1:
        meet(name)


def _overlaps(a: Array, axis: int, offsets: Offsets) -> tuple[list[tuple[int, Any]], list[Any]]:
    """What this rank fetches for a block of the other dealing: indices at the other ranks, and the places here."""
    me, ranks = _core.rank(), _core.size()
    low, high = offsets[me], offsets[me + 1]
    requests, places = [], []
    for step in range(ranks):
        r = (me + step) % ranks  # not all from rank 0 first
        first, end = a.offsets[r], a.offsets[r + 1]
        if a.axis == axis:
            begin, stop = max(low, first), min(high, end)
            if begin < stop:
                requests.append((r, along(axis, slice(begin - first, stop - first))))
                places.append(along(axis, slice(begin - low, stop - low)))
        elif first < end and low < high:
            requests.append((r, along(axis, slice(low, high))))
            places.append(along(a.axis or 0, slice(first, end)))
    return requests, places


def deal(a: Array, axis: int | None, offsets: Offsets, name: str = "array.redistribute") -> Array:
    """The same elements, dealt so."""
    if a.axis is None or axis is None or (a.axis == axis and a.offsets == offsets):
        return a
    made = empty(a.shape, a.dtype, axis, offsets)
    requests, places = _overlaps(a, axis, offsets)
    for place, values in zip(places, pull(name, a, requests)):
        copy_into(made._block[place], values)
    return made


@collective("array.redistribute")
def _redistributed(a: Array, axis: int, offsets: Offsets) -> Array:
    return deal(a, axis, offsets)


def whole_of(a: Array, name: str = "array.gather") -> np.ndarray:
    """All elements, on each rank. The result is the array's own memory if it has one rank alone."""
    if a.axis is None or _core.size() == 1:
        return a._block
    axis = a.axis
    found = np.empty(a.shape, a.dtype)
    ranks = [r for r in range(_core.size()) if a.offsets[r] < a.offsets[r + 1]]
    for r, values in zip(ranks, pull(name, a, [(r, ...) for r in ranks])):
        found[along(axis, slice(a.offsets[r], a.offsets[r + 1]))] = values
    return found


@collective("array.gather")
def _gathered(a: Array) -> np.ndarray:
    return np.array(whole_of(a))


@collective("array.copy")
def _copied(a: Array) -> Array:
    return from_block(a._block, a.shape, a.axis, a.offsets)


@collective("array.astype")
def _as_type(a: Array, kind: np.dtype) -> Array:
    made = empty_like(a, kind)
    made._block[...] = a._block.astype(kind) if a.dtype.kind == "c" and kind.kind not in "cb" else a._block
    return made


def from_ranges(a: Array, axis: int, ranges: Sequence[range], offsets: Offsets | None = None, name: str = "array.take") -> Array:
    """The indices of these ranges along an axis, one range after the other: a copy."""
    n = sum(map(len, ranges))
    shape = a.shape[:axis] + (n,) + a.shape[axis + 1 :]
    if axis != a.axis:
        made = empty(shape, a.dtype, a.axis, a.offsets)
        at = 0
        for each in ranges:
            made._block[along(axis, slice(at, at + len(each)))] = a._block[along(axis, slice_of(each))]
            at += len(each)
        return made
    made = empty(shape, a.dtype, axis, offsets)
    low, high = made.bounds()
    requests, places, at = [], [], 0
    for each in ranges:
        mine = each[max(low - at, 0) : max(high - at, 0)]
        here = max(at, low) - low
        for r in range(_core.size()):
            first, end = taken(mine, a.offsets[r], a.offsets[r + 1])
            if first < end:
                part = mine[first:end]
                requests.append((r, along(axis, slice_of(range(part.start - a.offsets[r], part.stop - a.offsets[r], part.step)))))
                places.append(along(axis, slice(here + first, here + end)))
        at += len(each)
    for place, values in zip(places, pull(name, a, requests)):
        made._block[place] = values
    return made


def slice_of(each: range) -> slice:
    return slice(each.start, None if each.stop < 0 else each.stop, each.step)


def taken(each: range, first: int, end: int) -> tuple[int, int]:
    """Which members of a range are from `first` to before `end`: the position of the first one, and the one after the last."""
    n, step = len(each), each.step
    if step > 0:
        low, high = -((each.start - first) // step), -((each.start - end) // step)
    else:
        low, high = -((end - 1 - each.start) // -step), (each.start - first) // -step + 1
    low, high = min(max(low, 0), n), min(max(high, 0), n)
    return low, max(low, high)
