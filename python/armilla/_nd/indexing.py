# SPDX-License-Identifier: Apache-2.0
"""`a[...]`: integers, slices, new axes, masks and arrays of integers, read and written.

A slice with a positive step along the axis on which the array is dealt, and any slice along other axes, is a view. What moves elements is a
copy.
"""
from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _core
from . import core
from .core import Array, Shape, along, block_shape, deal, empty, from_ranges, pull, slice_of, taken
from .elementwise import part_for, shape_of
from .meeting import described, meet, meet_numbers, together


class Item:
    """One part of an index: what it takes of one axis, or a new axis."""

    __slots__ = ("kind", "axis", "what")

    def __init__(self, kind: str, axis: int, what: Any) -> None:
        self.kind = kind  # "int", "slice", "new", "array", "truth"
        self.axis = axis
        self.what = what  # a number, a range, nothing, integers, the indices of a new axis of one element that a single truth value takes


def _is_integer(x: Any) -> bool:
    return not isinstance(x, (bool, np.bool_)) and hasattr(x, "__index__") and (not hasattr(x, "shape") or x.shape == ()) and getattr(getattr(x, "dtype", None), "kind", "i") in "iu"


def _is_mask(x: Any) -> bool:
    return isinstance(x, (bool, np.bool_)) or getattr(getattr(x, "dtype", None), "kind", "") == "b"


def _as_index_array(x: Any) -> Any:
    if isinstance(x, (Array, np.ndarray)):
        found = x
    elif isinstance(x, (list, tuple, bool, np.bool_)):
        found = np.asarray(x)
        if found.size == 0 and found.dtype.kind == "f":
            found = found.astype(np.intp)
    else:
        raise IndexError(f"armilla: array: an index of type {type(x).__name__}; give integers, slices, ..., None, or arrays of integers or truth values")
    if found.dtype.kind not in "biu":
        raise IndexError(f"armilla: array: an index of {found.dtype}; arrays that are indices hold integers or truth values")
    return found


def _element(i: Any, n: int, axis: int) -> int:
    at = operator.index(i)
    if not -n <= at < n:
        raise IndexError(f"armilla: array: index {at} is out of bounds for axis {axis} with size {n}")
    return at % n


def _is_mask_of(a: Array, where: Any) -> bool:
    return isinstance(where, (Array, np.ndarray)) and _is_mask(where) and bool(where.ndim) and where.shape == a.shape[: where.ndim]


def _is_one_element(where: Any, items: Sequence[Item]) -> bool:
    """Integers for all axes: an element itself. With an ellipsis it is an array without an axis."""
    return all(i.kind == "int" for i in items) and not any(p is Ellipsis for p in (where if isinstance(where, tuple) else (where,)))


def _expanded(where: Any, ndim: int) -> list[Any]:
    """The parts of an index, with slices in the place of the ellipsis."""
    parts = list(where) if isinstance(where, tuple) else [where]
    parts = [p if p is None or p is Ellipsis or isinstance(p, slice) or _is_integer(p) else _as_index_array(p) for p in parts]
    used = 0
    for p in parts:
        used += 0 if p is None or p is Ellipsis else p.ndim if _is_mask(p) and hasattr(p, "ndim") else 1
    if used > ndim:
        raise IndexError(f"armilla: array: too many indices: the array has {ndim} axes, and {used} are indexed")
    dots = [k for k, p in enumerate(parts) if p is Ellipsis]
    if len(dots) > 1:
        raise IndexError("armilla: array: an index has one ellipsis ('...') at most")
    at = dots[0] if dots else len(parts)
    return parts[:at] + [slice(None)] * (ndim - used) + parts[at + len(dots) :]


def _masks_as_integers(p: Any, shape: Shape, axis: int) -> list[Any]:
    if p.shape != shape[axis : axis + p.ndim]:
        raise IndexError(f"armilla: array: a mask of shape {p.shape} for axes of shape {shape[axis : axis + p.ndim]}; give one of the same shape")
    if isinstance(p, Array):
        from . import ordering

        return list(ordering.nonzero(p))
    return list(np.nonzero(p))


def parsed(where: Any, shape: Shape) -> list[Item]:
    items: list[Item] = []
    axis = 0
    for p in _expanded(where, len(shape)):
        if p is None:
            items.append(Item("new", axis, None))
            continue
        if isinstance(p, slice):
            items.append(Item("slice", axis, range(*p.indices(shape[axis]))))
        elif _is_integer(p):
            items.append(Item("int", axis, _element(p, shape[axis], axis)))
        elif _is_mask(p) and not p.ndim:
            items.append(Item("truth", axis, np.zeros(int(bool(p)), np.intp)))
            continue
        elif _is_mask(p):
            found = _masks_as_integers(p, shape, axis)
            items += [Item("array", axis + k, x) for k, x in enumerate(found)]
            axis += len(found) - 1
        else:
            items.append(Item("array", axis, p))
        axis += 1
    return items


# ---- views ----


def _placed(n: range) -> slice:
    return slice_of(n) if len(n) else slice(0, 0)


def _basic_shape(items: Sequence[Item]) -> Shape:
    return tuple(1 if i.kind == "new" else len(i.what) for i in items if i.kind != "int")


def _basic_index(items: Sequence[Item]) -> tuple:
    return tuple(None if i.kind == "new" else i.what if i.kind == "int" else _placed(i.what) for i in items)


def view_of(a: Array, items: Sequence[Item]) -> Array:
    """Integers, slices and new axes, where no element moves: along the axis on which it is dealt a slice with a positive step."""
    index = _basic_index(items)
    shape = _basic_shape(items)
    dealt = next((k for k, i in enumerate(items) if i.axis == a.axis and i.kind == "slice"), None)
    if dealt is None:
        return core.view(a, shape, None, (), lambda block, r: block[(*index, ...)])
    taken_of = items[dealt].what
    parts = [taken(taken_of, a.offsets[r], a.offsets[r + 1]) for r in range(_core.size())]
    offsets = (0, *np.cumsum([end - first for first, end in parts]).tolist())

    def of_block(block: np.ndarray, r: int) -> np.ndarray:
        first, end = parts[r]
        local = taken_of[first:end]
        start = a.offsets[r]
        own = slice(local.start - start, local.stop - start, local.step) if len(local) else slice(0, 0)
        return block[index[:dealt] + (own,) + index[dealt + 1 :]]

    axis = sum(1 for i in items[:dealt] if i.kind != "int")
    return core.view(a, shape, axis, offsets, of_block)


def parts_of_basic(a: Array, items: Sequence[Item]) -> tuple[list[tuple[int, Any, Any]], Shape]:
    """The parts of the blocks that the index takes: (rank, index there, place in the result)."""
    index = _basic_index(items)
    shape = _basic_shape(items)
    if a.axis is None:
        return [(_core.rank(), index, ...)], shape
    dealt = next(k for k, i in enumerate(items) if i.axis == a.axis and i.kind != "new")
    item, parts = items[dealt], []
    axis = sum(1 for i in items[:dealt] if i.kind != "int")
    for r in range(_core.size()):
        first, end = a.offsets[r], a.offsets[r + 1]
        if item.kind == "int":
            if first <= item.what < end:
                parts.append((r, index[:dealt] + (item.what - first,) + index[dealt + 1 :], ...))
            continue
        low, high = taken(item.what, first, end)
        if low < high:
            mine = item.what[low:high]
            own = slice_of(range(mine.start - first, mine.stop - first, mine.step))
            parts.append((r, index[:dealt] + (own,) + index[dealt + 1 :], along(axis, slice(low, high))))
    return parts, shape


def _full(shape: Shape, axis: int) -> Item:
    return Item("slice", axis, range(shape[axis]))


def _whole_axis_first(a: Array, items: Sequence[Item]) -> tuple[Array, Item, int]:
    """Everything but what the index takes of the axis on which `a` is dealt; that part of the index, and which axis it is now."""
    dealt = next(k for k, i in enumerate(items) if i.axis == a.axis and i.kind != "new")
    rest = [*items[:dealt], _full(a.shape, items[dealt].axis), *items[dealt + 1 :]]
    found = view_of(a, rest)
    assert found.axis is not None
    return found, items[dealt], found.axis


def _row(a: Array, i: int) -> Any:
    """Index `i` of the axis on which it is dealt."""
    assert a.axis is not None
    axis = a.axis
    owner = int(np.searchsorted(a.offsets, i, "right")) - 1
    local = i - a.offsets[owner]
    shape = a.shape[:axis] + a.shape[axis + 1 :]
    if not shape:
        mine = a._block[local : local + 1].tobytes() if owner == _core.rank() else bytes(a.dtype.itemsize)
        return np.frombuffer(meet("array.getitem", str(i), mine)[owner], a.dtype)[0]
    made = empty(shape, a.dtype, int(np.argmax(shape)))
    assert made.axis is not None
    low, high = made.bounds()
    at = made.axis + (made.axis >= axis)
    index: list[Any] = [slice(None)] * a.ndim
    index[axis], index[at] = local, slice(low, high)
    for values in pull("array.getitem", a, [(owner, tuple(index))] if low < high else []):
        made._block[...] = values
    return made


def _basic(a: Array, items: Sequence[Item]) -> Any:
    part, item, axis = _whole_axis_first(a, items)
    return _row(part, item.what) if item.kind == "int" else from_ranges(part, axis, [item.what], name="array.getitem")


def get(a: Array, where: Any) -> Any:
    if _is_mask_of(a, where):
        return together("array.getitem", lambda: _masked(a, where), lambda: f"{described(a)}[{described(where)}]", (a, where))
    parts = where if isinstance(where, tuple) else (where,)
    if all(p is None or p is Ellipsis or isinstance(p, slice) or _is_integer(p) for p in parts):
        items = parsed(where, a.shape)
        mine = next((i for i in items if i.axis == a.axis and i.kind != "new"), None)
        if mine is None or (mine.kind == "slice" and mine.what.step > 0):
            found = view_of(a, items)
            return found if found.shape or any(p is Ellipsis for p in parts) else found._block[()]

        def run() -> Any:
            found = _basic(a, items)
            return found if isinstance(found, Array) or not any(p is Ellipsis for p in parts) else core.from_whole(found)

        return together("array.getitem", run, lambda: f"{described(a)}[{described(where)}]", (a, where))
    return together("array.getitem", lambda: _by_arrays(a, parsed(where, a.shape)), lambda: f"{described(a)}[{described(where)}]", (a, where))


# ---- masks ----


def _mask_part(mask: Any, a: Array) -> np.ndarray:
    """What of a mask of the first axes stands beside this rank's block."""
    return np.asarray(part_for(mask, (a.shape[: mask.ndim], a.axis, a.offsets), "array.getitem")) if a.axis is not None and a.axis < mask.ndim else np.asarray(core.whole_of(mask) if isinstance(mask, Array) else mask)


def _masked(a: Array, mask: Any) -> Array:
    if a.axis != 0 and a.axis is not None and a.axis < mask.ndim:
        a = deal(a, 0, core.blocks(a.shape[0]))
    chosen = _mask_part(mask, a)
    found = a._block[chosen]
    rest = a.shape[mask.ndim :]
    if a.axis is None or a.axis >= mask.ndim:
        axis = None if a.axis is None else a.axis - mask.ndim + 1
        return core.from_block(found, (int(np.count_nonzero(chosen)), *rest), axis, a.offsets) if axis is not None else core.from_whole(found)
    counts = meet_numbers("array.getitem", len(found))[:, 0]
    offsets = (0, *np.cumsum(counts).tolist())
    return core.from_block(found, (offsets[-1], *rest), 0, offsets)


# ---- arrays of integers ----


class Points:
    """An index of arrays, of which slices and new axes are taken already: `base[..., arrays, ...]`."""

    def __init__(self, a: Array, items: Sequence[Item]) -> None:
        arrays = [Item("array", i.axis, np.asarray(i.what)) if i.kind == "int" else i for i in items]
        self.base = self._sliced(a, arrays)
        position = [k for k, i in enumerate(arrays) if i.kind in ("array", "truth")]
        self.axes = position
        self.arrays = [arrays[k].what for k in position]
        try:
            self.shape: Shape = np.broadcast_shapes(*(shape_of(x) for x in self.arrays))
        except ValueError:
            raise IndexError(f"armilla: array: indices could not be broadcast together with shapes {' '.join(str(shape_of(x)) for x in self.arrays)}") from None
        self.at = position[0] if position == list(range(position[0], position[-1] + 1)) else 0  # where their axes come in the result
        self.rest = tuple(n for k, n in enumerate(self.base.shape) if k not in position)

    @staticmethod
    def _sliced(a: Array, items: Sequence[Item]) -> Array:
        rest = [_full(a.shape, i.axis) if i.kind == "array" else Item("new", i.axis, None) if i.kind == "truth" else i for i in items]
        mine = next((i for i in rest if i.axis == a.axis and i.kind == "slice"), None)
        if mine is None or mine.what.step > 0:
            return view_of(a, rest)
        return _basic(a, rest)

    @property
    def result_shape(self) -> Shape:
        return self.rest[: self.at] + self.shape + self.rest[self.at :]

    def is_local(self) -> bool:
        return self.base.axis is None or self.base.axis not in self.axes

    def local_index(self) -> tuple:
        """For blocks that have all of the axes that are indexed."""
        index: list[Any] = [slice(None)] * self.base.ndim
        for axis, x in zip(self.axes, self.arrays):
            index[axis] = _checked(core.whole_of(x, "array.getitem") if isinstance(x, Array) else x, self.base.shape[axis], axis)
        return tuple(index)

    def local_axis(self) -> int:
        """The axis of the result along which it is dealt, if all are local."""
        assert self.base.axis is not None
        before = sum(1 for k in range(self.base.ndim) if k < self.base.axis and k not in self.axes)
        return before if before < self.at else before + len(self.shape)

    def dealing(self) -> core.Offsets:
        """How the points are dealt to ranks, along their first axis."""
        for x in self.arrays:
            if isinstance(x, Array) and x.axis == 0 and x.ndim == len(self.shape) and x.shape[0] == self.shape[0]:
                return x.offsets
        return core.blocks(self.shape[0])

    def own(self, offsets: core.Offsets) -> list[np.ndarray]:
        """This rank's points: their indices, without negative ones."""
        me = _core.rank()
        wanted = block_shape(self.shape, 0, offsets, me)
        found = []
        for axis, x in zip(self.axes, self.arrays):
            part = np.asarray(part_for(x, (self.shape, 0, offsets), "array.getitem"))
            found.append(np.broadcast_to(_checked(part, self.base.shape[axis], axis), wanted).reshape(-1))
        return found

    def indexed_first(self) -> Array:
        order = [*self.axes, *(k for k in range(self.base.ndim) if k not in self.axes)]
        return permuted(self.base, order)


def permuted(a: Array, order: Sequence[int]) -> Array:
    """The axes in another order: a view."""
    if a.axis is None:
        return a
    return core.view(a, tuple(a.shape[k] for k in order), list(order).index(a.axis), a.offsets, lambda block, r: block.transpose(order))


def _checked(index: np.ndarray, n: int, axis: int) -> np.ndarray:
    index = np.asarray(index)
    if index.size:
        low, high = int(index.min()), int(index.max())
        if low < -n or high >= n:
            raise IndexError(f"armilla: array: index {high if high >= n else low} is out of bounds for axis {axis} with size {n}")
        if low < 0:
            index = np.where(index < 0, index + n, index)
    return index.astype(np.intp, copy=False)


def _by_arrays(a: Array, items: Sequence[Item]) -> Any:
    points = Points(a, items)
    base = points.base
    if points.is_local():
        found = base._block[points.local_index()]
        if base.axis is None:
            return core.from_whole(found)
        return core.from_block(found, points.result_shape, points.local_axis(), base.offsets)
    if not points.shape:  # arrays without an axis: as integers
        return _basic(base, [Item("int", k, int(_checked(np.asarray(x), base.shape[k], k))) if k in points.axes else _full(base.shape, k)
                             for k, x in _numbered(base.ndim, points)])
    offsets = points.dealing()
    index = points.own(offsets)
    first = points.indexed_first()
    made = empty(points.shape + points.rest, a.dtype, 0, offsets)
    _gather(first, index, made._block.reshape((len(index[0]), *points.rest)))
    if not points.at:
        return made
    k, n = len(points.shape), points.at
    return permuted(made, [*range(k, k + n), *range(k), *range(k + n, made.ndim)])


def _numbered(ndim: int, points: Points) -> list[tuple[int, Any]]:
    by_axis = dict(zip(points.axes, points.arrays))
    return [(k, by_axis.get(k)) for k in range(ndim)]


def _owners(offsets: core.Offsets, index: np.ndarray) -> list[tuple[int, Any]]:
    """The ranks that have some of the indices, and which."""
    ranks = [r for r in range(_core.size()) if offsets[r] < offsets[r + 1]]
    if len(ranks) == 1 or not index.size:
        return [(r, slice(None)) for r in ranks[: bool(index.size)]]
    if len(ranks) <= 8:
        found = [(r, (index >= offsets[r]) & (index < offsets[r + 1])) for r in ranks]
        return [(r, chosen) for r, chosen in found if chosen.any()]
    owner = np.searchsorted(offsets, index, "right") - 1
    order = np.argsort(owner, kind="stable")
    ends = np.searchsorted(owner[order], np.arange(_core.size() + 1))
    return [(r, order[ends[r] : ends[r + 1]]) for r in ranks if ends[r] < ends[r + 1]]


def _gather(first: Array, index: list[np.ndarray], to: np.ndarray) -> None:
    """Rows of an array by its first axes, into `to`."""
    dealt = first.axis
    assert dealt is not None and dealt < len(index)
    if len(index) == 1 and _core.size() > 1:
        core.meet_to_pull("array.getitem", first)
        blocks = core.contiguous_blocks(first)
        if blocks is not None:
            row = first.itemsize * math.prod(first.shape[1:])
            _core.take_rows(blocks, first.offsets, np.ascontiguousarray(index[0], np.int64), to, row)
            return
    owners = _owners(first.offsets, index[dealt])
    requests = []
    for r, chosen in owners:
        requests.append((r, tuple((x[chosen] - first.offsets[r]) if k == dealt else x[chosen] for k, x in enumerate(index))))
    for (_, chosen), values in zip(owners, pull("array.getitem", first, requests)):
        to[chosen] = values


# ---- assignment ----


def elements_of(value: Any, dtype: np.dtype, ndim: int | None = None) -> Any:
    """What NumPy makes of a value to which elements are set, `ndim`: along so many axes. Arrays are cast, numbers have to fit. Complex elements are not cast to real ones."""
    refuse_complex(value, dtype)
    if ndim is not None and _depth(value) > ndim:
        raise ValueError(f"armilla: array: a {type(value).__name__} of {_depth(value)} axes, and {ndim} that are set")
    if isinstance(value, Array) or (isinstance(value, np.ndarray) and value.dtype.kind in "biufc"):
        return value
    found = _converted(dtype, lambda: np.asarray(value, dtype))
    if isinstance(value, (list, tuple)):
        refuse_complex(np.asarray(value), dtype)
    return found


def _depth(value: Any) -> int:
    """How deep sequences are nested, as their first elements show."""
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        return 0
    return 1 + (_depth(value[0]) if len(value) else 0)


def element_of(value: Any, dtype: np.dtype) -> np.ndarray:
    """What NumPy makes of a value to which one element is set."""
    refuse_complex(value, dtype)
    one = np.empty((), dtype)
    if isinstance(value, Array):
        value = core.whole_of(value) if value.size == 1 else np.broadcast_to(np.zeros((), value.dtype), value.shape)
    _converted(dtype, lambda: operator.setitem(one, (), value))
    return one


def refuse_complex(value: Any, dtype: np.dtype, operation: str = "array") -> None:
    if dtype.kind != "c" and (isinstance(value, complex) or getattr(getattr(value, "dtype", None), "kind", "") == "c"):
        raise TypeError(f"armilla: {operation}: complex values cannot be stored in an array of {dtype}; take .real")


def _converted(dtype: np.dtype, convert: Callable[[], Any]) -> Any:
    try:
        return convert()
    except (OverflowError, TypeError, ValueError) as why:
        raise type(why)(f"armilla: array: a value does not fit {dtype}: {why}") from None


def _expanded_value(value: Any, ndim: int) -> Any:
    """With new axes in front, or without axes of length 1 that are too many."""
    extra = ndim - len(shape_of(value))
    if extra >= 0:
        return value[(None,) * extra + (...,)] if extra else value
    if any(n != 1 for n in shape_of(value)[:-extra]):
        raise ValueError(f"armilla: array: could not broadcast a value of shape {shape_of(value)} to {ndim} axes")
    return value[(0,) * -extra + (...,)] if not isinstance(value, Array) else _dropped(value, -extra)


def _dropped(value: Array, count: int) -> Array:
    from .reductions import dropped_axes

    return dropped_axes(value, tuple(range(count)))


def _check_fits(value: Any, shape: Shape) -> None:
    if any(n not in (1, m) for n, m in zip(shape_of(value)[::-1], shape[::-1])) or len(shape_of(value)) > len(shape):
        raise ValueError(f"armilla: array: could not broadcast a value of shape {shape_of(value)} to the indexed shape {shape}")


def _set_basic(a: Array, items: Sequence[Item], value: Any) -> None:
    """Integers become slices of one index, and slices go forward."""
    result = _basic_shape(items)
    value = _expanded_value(value, len(result))
    _check_fits(value, result)
    into, of_value = [], []
    k = 0
    for i in items:
        if i.kind == "int":
            into.append(Item("slice", i.axis, range(i.what, i.what + 1)))
            of_value.append(None)
            continue
        if i.kind == "slice" and i.what.step < 0:
            forward = i.what[::-1]
            into.append(Item("slice", i.axis, forward))
            of_value.append(slice(None, None, -1) if shape_of(value)[k] != 1 else slice(None))
        else:
            into.append(i)
            of_value.append(slice(None))
        k += 1
    if any(x != slice(None) for x in of_value):
        value = value[tuple(of_value)]
    target = view_of(a, into)
    before = core.pulls
    part = part_for(value, (target.shape, target.axis, target.offsets), "array.setitem")
    core.after_pulls(before, "array.setitem")
    target._block[...] = part


def _set_masked(a: Array, mask: Any, value: Any) -> None:
    rest = a.shape[mask.ndim :]
    if shape_of(value) == () or (mask.ndim == a.ndim and math.prod(shape_of(value)) == 1 and len(shape_of(value)) == 1):
        before = core.pulls
        chosen = _mask_part(mask, a)
        number = core.whole_of(value) if isinstance(value, Array) else value
        core.after_pulls(before, "array.setitem")
        a._block[chosen] = number
        return
    if a.axis == 0 or a.axis is None or a.axis >= mask.ndim:
        before = core.pulls
        chosen = _mask_part(mask, a)
        mine = int(np.count_nonzero(chosen))
        if a.axis == 0:
            offsets = (0, *np.cumsum(meet_numbers("array.setitem", mine)[:, 0]).tolist())
            layout: Any = ((offsets[-1], *rest), 0, offsets)
        else:
            layout = ((mine, *rest), None if a.axis is None else a.axis - mask.ndim + 1, a.offsets)
        value = _expanded_value(value, len(layout[0]))
        if any(n not in (1, m) for n, m in zip(shape_of(value), layout[0])):
            raise ValueError(f"armilla: array: could not broadcast a value of shape {shape_of(value)} to the {layout[0][0]} elements that the mask chooses")
        part = part_for(value, layout, "array.setitem")
        core.after_pulls(before, "array.setitem")
        a._block[chosen] = part
        return
    _set_by_arrays(a, parsed(mask, a.shape), value)


def _set_by_arrays(a: Array, items: Sequence[Item], value: Any) -> None:
    points = Points(a, [_forward(i) for i in items])
    base = points.base
    value = _expanded_value(value, len(points.result_shape))
    _check_fits(value, points.result_shape)
    value = _turned(value, items, points)
    before = core.pulls
    if points.is_local():
        index = points.local_index()
        part = part_for(value, (points.result_shape, None if base.axis is None else points.local_axis(), base.offsets), "array.setitem")
        core.after_pulls(before, "array.setitem")
        base._block[index] = part
        return
    if not points.shape:
        _set_basic(base, [Item("int", k, int(_checked(np.asarray(x), base.shape[k], k))) if k in points.axes else _full(base.shape, k) for k, x in _numbered(base.ndim, points)], value)
        return
    _scatter(points, value)


def _forward(item: Item) -> Item:
    return Item("slice", item.axis, item.what[::-1]) if item.kind == "slice" and item.what.step < 0 else item


def _turned(value: Any, items: Sequence[Item], points: Points) -> Any:
    """The value turned round along the axes where the slices of the index go backward."""
    index: list[Any] = [slice(None)] * len(points.result_shape)
    others = [i for i in items if i.kind in ("slice", "new")]
    for k, item in enumerate(others):
        axis = k if k < points.at else k + len(points.shape)
        if item.kind == "slice" and item.what.step < 0 and shape_of(value) and shape_of(value)[axis] != 1:
            index[axis] = slice(None, None, -1)
    return value[tuple(index)] if any(i != slice(None) for i in index) else value


def _scatter(points: Points, value: Any) -> None:
    offsets = points.dealing()
    index = points.own(offsets)
    n, k = points.at, len(points.shape)
    shape = points.shape + points.rest
    if n and shape_of(value):
        order = [*range(n, n + k), *range(n), *range(n + k, len(shape))]
        value = permuted(value, order) if isinstance(value, Array) else value.transpose(order)
    part = part_for(value, (shape, 0, offsets), "array.setitem")
    single = np.ndim(part) == 0 or np.size(part) == 1
    mine = block_shape(shape, 0, offsets, _core.rank())
    values = np.reshape(part, ()) if single else np.broadcast_to(part, mine).reshape((len(index[0]), *points.rest))
    first = points.indexed_first()
    dealt = first.axis
    assert dealt is not None
    to_send: list[Any] = [None] * _core.size()
    for r, chosen in _owners(first.offsets, index[dealt]):
        to_send[r] = ([(x[chosen] - first.offsets[r]) if axis == dealt else x[chosen] for axis, x in enumerate(index)], values if single else values[chosen])
    for come in core.exchange("array.setitem", to_send):
        if come is not None:
            first._block[tuple(come[0])] = come[1]


def _set(a: Array, where: Any, value: Any) -> None:
    where = _as_index_array(where) if isinstance(where, list) else where
    if _is_mask(where) and np.ndim(where) == a.ndim and len(shape_of(value)) > 1:
        raise TypeError(f"armilla: array: a mask of all axes chooses elements along one; they are set to a number or to elements of one axis, not of shape {shape_of(value)}")
    if _is_mask_of(a, where):
        _set_masked(a, where, elements_of(value, a.dtype))
        return
    items = parsed(where, a.shape)
    if any(i.kind in ("array", "truth") for i in items):
        _set_by_arrays(a, items, elements_of(value, a.dtype))
    elif _is_one_element(where, items) or isinstance(value, np.generic):
        _set_basic(a, items, element_of(value, a.dtype))
    else:
        _set_basic(a, items, elements_of(value, a.dtype, len(_basic_shape(items))))


def fill(a: Array, value: Any) -> None:
    together("array.fill", lambda: _set_basic(a, parsed(..., a.shape), element_of(value, a.dtype)), lambda: f"{described(a)}.fill({type(value).__name__})", (a,))


def set(a: Array, where: Any, value: Any) -> None:
    together("array.setitem", lambda: _set(a, where, value), lambda: f"{described(a)}[{described(where)}] = {described(value) if hasattr(value, 'shape') else type(value).__name__}", (a, where, value))
