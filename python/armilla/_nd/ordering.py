# SPDX-License-Identifier: Apache-2.0
"""Sort, and what follows from order: ranks of elements, distinct elements, searches, percentiles and counts."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .. import _calls, _core
from . import core
from .core import Array, along, axis_of, deal, empty, from_ranges, pull
from .elementwise import by_blocks, part_for, shape_of
from .meeting import collective, meet, meet_numbers, run, unsupported
from .reductions import _array, given, over_ranks
from .shaping import reshaped

_samples = 32  # of each rank for each border between ranks


def _sort_name(kind: np.dtype) -> str:
    """How the library's sort calls elements that it sorts; empty: it does not."""
    if kind == bool:
        return "u1"
    return f"{kind.kind}{kind.itemsize}" if kind.kind in "iu" or kind in (np.float32, np.float64) else ""


def _sizes(a: Array) -> list[int]:
    return np.diff(a.offsets).tolist()


def _sort_here(a: Array, descending: bool) -> None:
    """The library's sort, in place."""
    block = a._block.view(np.uint8) if a.dtype == bool else a._block
    run("array.sort", _core.sort, block.data.cast("B"), _sort_name(a.dtype), _sizes(a), descending)


def _other_axis(a: Array, axis: int) -> int:
    return max((k for k in range(a.ndim) if k != axis), key=lambda k: a.shape[k])


def _checked_kind(kind: Any) -> None:
    """NumPy's names of ways to sort: all of them sort alike here."""
    np.sort(np.zeros(0), kind=kind)


def sorted_line(a: Array, descending: bool = False) -> Array:
    """A sorted copy of an array of one axis."""
    if not _sort_name(a.dtype):
        values, _, offsets = _by_sample(a)
        made = deal(core.from_block(values, a.shape, 0, offsets), 0, a.offsets)
        return _turned(made, 0) if descending else made
    made = core._copied(a)
    has_nan = descending and a.dtype.kind == "f" and bool(meet_numbers("array.sort", np.isnan(a._block).any()).any())
    _sort_here(made, descending and not has_nan)
    return _turned(made, 0) if has_nan else made


def _turned(a: Array, axis: int) -> Array:
    return from_ranges(a, axis, [range(a.shape[axis])[::-1]], a.offsets if axis == a.axis else None)


def sorted_copy(a: Array, axis: Any = -1, descending: bool = False) -> Array:
    if axis is None:
        a, axis = reshaped(a, (a.size,)), 0
    i = axis_of(axis, a.ndim)
    if a.axis == i and a.ndim == 1:
        return sorted_line(a, descending)
    there = deal(a, _other_axis(a, i), core.blocks(a.shape[_other_axis(a, i)])) if a.axis == i else a
    made = core.empty_like(there)
    made._block[...] = np.sort(there._block, axis=i, kind="stable")[along(i, slice(None, None, -1 if descending else 1))]
    assert a.axis is not None
    return deal(made, a.axis, a.offsets)


@collective("numpy.sort")
def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: bool = False) -> Array:
    if order is not None:
        raise unsupported("sort", "the option order")
    _checked_kind(kind)
    a = _array(a)
    if not a.ndim and axis is not None:
        axis_of(axis, 0)
    return sorted_copy(a, axis, descending)


@collective("array.sort")
def sort_in_place(a: Array, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: bool = False) -> None:
    """Puts the elements along an axis in order."""
    _checked_kind(kind)
    i = axis_of(axis, a.ndim)
    whole = a.ndim == 1 and a.axis == i and a._block.flags.c_contiguous and bool(_sort_name(a.dtype)) and not (descending and a.dtype.kind == "f")
    # A worker whose call is interrupted takes part in others' sort without its elements, so it sorts a copy.
    if whole and not _calls.keep_interrupts and min(meet_numbers("array.sort", a._block.flags.c_contiguous).tolist()) != [0]:
        _sort_here(a, descending)
        return
    made = sorted_copy(a, i, descending)
    core.after_pulls(-1, "array.sort")
    a._block[...] = made._block


def _cuts(name: str, values: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Where this rank's sorted elements are cut for the ranks: by value, and for equal values by index."""
    ranks = _core.size()
    at = np.linspace(0, len(values) - 1, min(len(values), _samples * ranks)).astype(np.intp) if len(values) else np.zeros(0, np.intp)
    said = core.gathered(name, (values[at], index[at]))
    all_values, all_index = np.concatenate([v for v, _ in said]), np.concatenate([i for _, i in said])
    order = np.lexsort((all_index, all_values))
    if not len(order):
        return np.zeros(ranks + 1, np.intp)
    cuts = [0]
    for r in range(1, ranks):
        chosen = order[r * len(order) // ranks]
        low, high = (int(np.searchsorted(values, all_values[chosen], side)) for side in ("left", "right"))
        cuts.append(low + int(np.searchsorted(index[low:high], all_index[chosen])))
    return np.array([*cuts, len(values)])


def _by_sample(a: Array) -> tuple[np.ndarray, np.ndarray, core.Offsets]:
    """Elements of any type in order, with their indices: this rank's share, and how they are dealt now. Equal ones stay in order."""
    order = np.argsort(a._block, kind="stable")
    values, index = a._block[order], order + a.bounds()[0]
    if _core.size() == 1:
        return values, index, a.offsets
    cuts = _cuts("array.sort", values, index)
    come = core.exchange("array.sort", [(values[low:high], index[low:high]) for low, high in zip(cuts, cuts[1:])])
    values, index = np.concatenate([v for v, _ in come]), np.concatenate([i for _, i in come])
    order = np.argsort(values, kind="stable")
    offsets = (0, *np.cumsum(meet_numbers("array.sort", len(values))[:, 0]).tolist())
    return values[order], index[order], offsets


def _order(a: Array, i: int) -> Array:
    if a.axis == i and a.ndim == 1:
        _, index, offsets = _by_sample(a)
        return deal(core.from_block(index, a.shape, 0, offsets), 0, a.offsets)
    there = deal(a, _other_axis(a, i), core.blocks(a.shape[_other_axis(a, i)])) if a.axis == i else a
    made = core.empty_like(there, np.dtype(np.intp))
    made._block[...] = np.argsort(there._block, axis=i, kind="stable")
    return deal(made, a.axis, a.offsets)


@collective("numpy.argsort")
def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: bool = False) -> Array:
    if order is not None:
        raise unsupported("argsort", "the option order")
    _checked_kind(kind)
    a = _array(a)
    if axis is None:
        a, axis = reshaped(a, (a.size,)), 0
    if not a.ndim:
        return core.from_whole(np.argsort(a._block, axis=axis))
    i = axis_of(axis, a.ndim)
    if not descending:
        return _order(a, i)
    found = _turned(_order(_turned(a, i), i), i)
    found._block[...] = a.shape[i] - 1 - found._block
    return found


# ---- distinct elements ----


def _borders(name: str, values: np.ndarray) -> np.ndarray:
    at = np.linspace(0, len(values) - 1, min(len(values), _samples * _core.size())).astype(np.intp) if len(values) else np.zeros(0, np.intp)
    sample = np.sort(np.concatenate(core.gathered(name, values[at])))
    if not len(sample):
        return np.zeros(_core.size() + 1, np.intp)
    chosen = sample[[r * len(sample) // _core.size() for r in range(1, _core.size())]]
    return np.array([0, *np.searchsorted(values, chosen, "left"), len(values)])


def unique_of(x: Any, equal_nan: bool, index: bool = True, inverse: bool = True, counts: bool = True) -> list[Array]:
    """Distinct elements in order; if asked for, the first index of each, for each element the index of its like among them, and how many there are."""
    x = _array(x)
    a = reshaped(x, (x.size,))
    name = "numpy.unique"
    asked = {"return_index": index, "return_inverse": inverse, "return_counts": counts}
    found = np.unique(a._block, equal_nan=equal_nan, **asked)
    parts = dict(zip(["values", *(k for k, wanted in asked.items() if wanted)], found if isinstance(found, tuple) else [found]))
    values = np.sort(parts["values"]) if not any(asked.values()) else parts["values"]
    first = parts["return_index"] + a.bounds()[0] if index else np.zeros(0, np.intp)
    own = parts["return_inverse"].reshape(-1) if inverse else np.zeros(0, np.intp)
    many = parts.get("return_counts", np.zeros(0, np.intp))
    if _core.size() == 1:
        made = [values, *([first] if index else []), *([own.reshape(x.shape)] if inverse else []), *([many] if counts else [])]
        return [core.from_whole(each) for each in made]
    cuts = _borders(name, values)
    come = core.exchange(name, [(values[low:high], first[low:high], many[low:high]) for low, high in zip(cuts, cuts[1:])])
    return _merged(name, x, a, come, own if inverse else None, index, counts, equal_nan)


def _merged(name: str, x: Array, a: Array, come: list[Any], own: np.ndarray | None, index: bool, counts: bool, equal_nan: bool) -> list[Array]:
    """The distinct elements of this rank's share, of what the ranks have sent."""
    all_values, all_first, all_counts = (np.concatenate([each[k] for each in come]) for k in range(3))
    order = np.argsort(all_values, kind="stable")
    in_order = all_values[order]
    new = np.ones(len(order), bool)
    new[1:] = in_order[1:] != in_order[:-1]
    if equal_nan and in_order.dtype.kind in "fc":
        new[1:] &= ~(np.isnan(in_order[1:]) & np.isnan(in_order[:-1]))
    begins = np.flatnonzero(new)
    offsets = (0, *np.cumsum(meet_numbers(name, len(begins))[:, 0]).tolist())
    nothing = np.zeros(0, np.intp)

    def made(part: np.ndarray) -> Array:
        return deal(core.from_block(part, (offsets[-1],), 0, offsets), 0, core.blocks(offsets[-1]))

    found = [made(in_order[begins])]
    if index:
        found.append(made(np.minimum.reduceat(all_first[order], begins) if len(begins) else nothing))
    if own is not None:
        group = np.empty(len(order), np.intp)
        group[order] = np.cumsum(new) - 1 + offsets[_core.rank()]
        ends = np.cumsum([len(each[0]) for each in come])
        back = np.concatenate(core.exchange(name, np.split(group, ends[:-1])))
        found.append(reshaped(core.from_block(back[own] if len(back) else nothing, a.shape, 0, a.offsets), x.shape))
    if counts:
        found.append(made(np.add.reduceat(all_counts[order], begins) if len(begins) else nothing))
    return found


@collective("numpy.unique")
def unique(ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, axis: Any = None, *, equal_nan: bool = True, sorted: bool = True) -> Any:
    if axis is not None:
        raise unsupported("unique", "the option axis")
    found = unique_of(ar, equal_nan, return_index, return_inverse, return_counts)
    return found[0] if len(found) == 1 else tuple(found)


# ---- searches ----


@collective("numpy.searchsorted")
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    np.searchsorted([], [], side)  # raises if there is no such side
    if sorter is not None:
        a = _array(a)[sorter]
    if shape_of(a) == () or len(shape_of(a)) > 1:
        raise ValueError("object of too small depth for desired array" if shape_of(a) == () else "object too deep for desired array")
    if not isinstance(a, Array):
        return by_blocks("searchsorted", lambda part: np.searchsorted(a, part, side), [v])
    if not isinstance(v, Array):
        here = np.searchsorted(a._block, v, side)
        said = meet("numpy.searchsorted", side, np.ascontiguousarray(here, np.int64).tobytes())
        found = np.sum([np.frombuffer(one, np.int64).reshape(np.shape(here)) for one in said], axis=0).astype(np.intp)
        return found[()] if not np.shape(v) else core.from_whole(found)
    made = empty(v.shape, np.dtype(np.intp), v.axis, v.offsets)
    made._block[...] = 0
    for values in pull("numpy.searchsorted", a, [(r, ...) for r in range(_core.size()) if a.offsets[r] < a.offsets[r + 1]]):
        made._block[...] += np.searchsorted(values, v._block, side)
    return made


def nonzero(x: Any) -> tuple[Array, ...]:
    a = _array(x)
    if not a.ndim:
        raise ValueError("Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.")
    a = deal(a, 0, core.blocks(a.shape[0])) if a.axis != 0 else a
    found = list(np.nonzero(a._block))
    found[0] = found[0] + a.bounds()[0]
    offsets = (0, *np.cumsum(meet_numbers("numpy.nonzero", len(found[0]))[:, 0]).tolist())
    return tuple(core.from_block(each, (offsets[-1],), 0, offsets) for each in found)


nonzero_together = collective("numpy.nonzero")(nonzero)


@collective("numpy.flatnonzero")
def flatnonzero(a: Any) -> Array:
    a = _array(a)
    return nonzero(reshaped(a, (a.size,)))[0]


@collective("numpy.argwhere")
def argwhere(a: Any) -> Array:
    from .joining import stack

    a = _array(a)
    if not a.ndim:
        raise unsupported("argwhere", "an array without axes")
    return stack(nonzero(a), 1)


@collective("numpy.isin")
def isin(element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None) -> Array:
    others = core.whole_of(test_elements) if isinstance(test_elements, Array) else np.asarray(test_elements)
    return by_blocks("isin", lambda part: np.isin(part, others, invert=invert, kind=kind), [element])


def _add_up(counts: np.ndarray, a: Array) -> np.ndarray:
    said = meet("numpy.histogram", "", np.ascontiguousarray(counts).tobytes())
    return np.sum([np.frombuffer(one, counts.dtype).reshape(counts.shape) for one in said], axis=0).astype(counts.dtype)


@collective("numpy.histogram")
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> tuple[np.ndarray, np.ndarray]:
    from . import reductions

    a = _array(a)
    if isinstance(bins, str):
        raise unsupported("histogram", f"bins={bins!r}; give their number or their edges")
    edges_given = isinstance(bins, Array) or np.ndim(bins) == 1
    if isinstance(bins, Array):
        bins = core.whole_of(bins)
    ends: Any = ()
    if not edges_given and range is None and a.size:
        ends = range = (reductions.min(a), reductions.max(a))
    if a.dtype == bool:
        a = core._as_type(a, np.dtype(np.uint8))
        range = range if range is None or not np.isfinite(range).all() else (int(range[0]), int(range[1]))
    # Empty blocks count nothing, but their bins are those of all.
    edges = np.histogram_bin_edges(np.array(ends, a.dtype), bins, range)
    own = None if weights is None else np.asarray(part_for(weights, (a.shape, a.axis, a.offsets), "histogram"))
    if own is not None and shape_of(weights) != a.shape:
        raise ValueError("weights should have the same shape as a.")
    counts, _ = np.histogram(a._block, bins=bins, range=range, weights=own)
    counts = _add_up(counts, a) if a.axis is not None else counts
    if density:
        counts = counts / np.array(np.diff(edges), float) / counts.sum()
    return counts, edges


@collective("numpy.bincount")
def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Array:
    from . import reductions

    a = _array(x)
    np.bincount(np.zeros((1,) * a.ndim, a.dtype))  # raises where NumPy does
    if weights is not None and shape_of(weights) != a.shape:
        raise ValueError("The weights and list don't have the same length.")
    if not a.size:
        return core.from_whole(np.bincount(np.zeros(0, np.intp), None if weights is None else np.zeros(0), minlength))
    if int(reductions.min(a)) < 0:
        raise ValueError("'list' argument must have no negative elements")
    n = max(int(reductions.max(a)) + 1, operator.index(minlength))
    own = None if weights is None else np.asarray(part_for(weights, (a.shape, 0, a.offsets), "bincount"))
    counts = np.bincount(a._block, own, n).astype(np.intp if own is None else np.float64, copy=False)  # of no elements NumPy gives integers
    return over_ranks("numpy.bincount", a, counts, lambda values: values.sum(axis=0, dtype=counts.dtype))


# ---- percentiles ----

_picks = {"linear": None, "lower": np.floor, "higher": np.ceil, "nearest": np.round, "midpoint": None}


def _quantile_of_line(a: Array, q: np.ndarray, method: str) -> Any:
    if method not in _picks:
        raise unsupported("quantile", f"the method {method!r} on all elements; there are {', '.join(_picks)}")
    sample = np.quantile(np.zeros(1, a.dtype), q, method=method)
    kind = np.asarray(sample).dtype
    if not a.size:
        return np.quantile(np.zeros(0, a.dtype), q, method=method)
    line = sorted_line(a)
    at = np.asarray(q, np.float64 if kind.kind != "f" or kind.itemsize < 8 else kind) * (a.size - 1)
    low = np.floor(at).astype(np.intp)
    high = np.minimum(low + 1, a.size - 1)
    needed = np.concatenate([low.reshape(-1), high.reshape(-1), [a.size - 1]])
    values = np.asarray(core.whole_of(line[needed]))
    if values.dtype.kind in "fc" and np.isnan(values[-1]):
        return np.full(at.shape, np.nan, kind)[()]
    first, second = values[: low.size].reshape(at.shape), values[low.size : -1].reshape(at.shape)
    rest = at - low
    if method in ("lower", "higher", "nearest"):
        if method == "nearest":
            up = (rest > 0.5) | ((rest == 0.5) & (low % 2 == 1))
        else:
            up = rest > 0 if method == "higher" else np.zeros(rest.shape, bool)
        return np.where(up, second, first).astype(kind)[()]
    if method == "midpoint":
        rest = np.where(rest > 0, 0.5, 0.0)
    step = np.subtract(second, first, dtype=kind if kind.kind in "fc" else None)
    found = np.where(rest >= 0.5, second - step * (1 - rest), first + step * rest)
    return np.asarray(found).astype(kind)[()]


def _quantile(name: str, a: Any, q: Any, axis: Any, method: str, keepdims: Any) -> Any:
    a = _array(a)
    keep = given(keepdims) and bool(keepdims)
    if isinstance(q, Array):
        q = core.whole_of(q)
    q = np.asarray(q, a.dtype if a.dtype.kind == "f" and isinstance(q, (int, float)) else None)
    if isinstance(axis, (tuple, list)):
        raise unsupported(name, "several axes at once")
    if axis is None or (a.ndim == 1 and axis_of(axis, 1) == 0):
        found = _quantile_of_line(reshaped(a, (a.size,)), q, method)
        if keep:
            found = np.reshape(found, (*q.shape, *(1,) * a.ndim))
        return found if not np.shape(found) else core.from_whole(found)
    i = axis_of(axis, a.ndim)
    if a.axis == i:
        other = _other_axis(a, i)
        a = deal(a, other, core.blocks(a.shape[other]))
    assert a.axis is not None
    found = np.asarray(np.quantile(a._block, q, axis=i, method=method, keepdims=keep))
    rest = a.shape[:i] + ((1,) if keep else ()) + a.shape[i + 1 :]
    dealt = q.ndim + a.axis - (a.axis > i and not keep)
    return core.from_block(found, (*q.shape, *rest), dealt, a.offsets)


@collective("numpy.quantile")
def quantile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear", keepdims: Any = False, *, weights: Any = None, interpolation: Any = None) -> Any:
    if out is not None or weights is not None or interpolation is not None:
        raise unsupported("quantile", "the options out, weights and interpolation")
    return _quantile("quantile", a, q, axis, method, keepdims)


@collective("numpy.percentile")
def percentile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear", keepdims: Any = False, *, weights: Any = None, interpolation: Any = None) -> Any:
    if out is not None or weights is not None or interpolation is not None:
        raise unsupported("percentile", "the options out, weights and interpolation")
    a = _array(a)
    share = np.true_divide(core.whole_of(q) if isinstance(q, Array) else q, a.dtype.type(100) if a.dtype.kind == "f" else 100)
    if np.any((share < 0) | (share > 1)):
        raise ValueError("Percentiles must be in the range [0, 100]")
    return _quantile("percentile", a, share, axis, method, keepdims)


@collective("numpy.median")
def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = False) -> Any:
    if out is not None:
        raise unsupported("median", "the option out")
    a = _array(a)
    if a.dtype == bool:
        raise unsupported("median", "truth values")
    if not a.size:
        raise unsupported("median", "an array without elements")
    found, kind = _quantile("median", a, 0.5, axis, "linear", keepdims), np.median(np.ones(1, a.dtype)).dtype
    return found if found.dtype == kind else found.astype(kind)  # NumPy 1 has other types of quantiles
