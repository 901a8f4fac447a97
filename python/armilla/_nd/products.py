# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and vectors: each rank multiplies its blocks with those of the others where they are, by NumPy's BLAS."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core
from . import core
from .core import Array, along, axis_of, deal, dtype_of, empty, pull
from .elementwise import _checked_operand, apply, part_for, shape_of
from .indexing import permuted
from .meeting import collective, unsupported
from .reductions import _array, nonempty, over_ranks, sum
from .shaping import reshaped


def _whole(x: Any, name: str) -> np.ndarray:
    return core.whole_of(x, name) if isinstance(x, Array) else np.asarray(x)


def _by_rows(a: Array, b: Any, kind: np.dtype) -> Array:
    """Both matrices; `a` is dealt by rows: each rank multiplies them with each block of `b`."""
    made = empty((a.shape[0], b.shape[1]), kind, 0, a.offsets)
    mine, result = a._block, made._block
    if not isinstance(b, Array) or b.axis != 0 or _core.size() == 1:
        np.matmul(mine, _whole(b, "matmul"), out=result)
        return made
    ranks = nonempty(b)
    me = _core.rank()
    ranks = [r for r in ranks if r >= me] + [r for r in ranks if r < me]
    if not ranks:
        result[...] = 0
    more = np.empty_like(result) if len(ranks) > 1 else result
    for k, (r, block) in enumerate(zip(ranks, pull("matmul", b, [(r, ...) for r in ranks]))):
        columns = mine[:, b.offsets[r] : b.offsets[r + 1]]
        np.matmul(columns, block, out=more if k else result)
        if k:
            np.add(result, more, out=result) if kind != bool else np.logical_or(result, more, out=result)
    return made


def _over_inner(a: Array, b: Any, kind: np.dtype, shape: tuple[int, ...]) -> Array:
    """`a` is dealt along its last axis: each rank multiplies its part with its part of `b`, and the products are added."""
    name = "matmul"
    inner = max(len(shape_of(b)) - 2, 0)
    part = deal(b, inner, a.offsets, name)._block if isinstance(b, Array) else np.asarray(b)[along(inner, slice(*a.bounds()))]
    ranks = nonempty(a)
    if not ranks:
        return core.from_whole(np.zeros(shape, kind))
    mine = np.asarray(np.matmul(a._block, part)).astype(kind, copy=False)
    add = np.logical_or if kind == bool else np.add
    return over_ranks(name, a, mine, lambda values: add.reduce(values, axis=0, dtype=kind))


def _result_shape(a: Any, b: Any) -> tuple[int, ...]:
    sa, sb = shape_of(a), shape_of(b)
    if not sa or not sb:
        raise ValueError("matmul: Input operand does not have enough dimensions")
    if sa[-1] != sb[max(len(sb) - 2, 0)]:
        raise ValueError(f"armilla: array: numpy.matmul: matrices of shapes {sa} and {sb} do not fit: {sa[-1]} columns, {sb[max(len(sb) - 2, 0)]} rows")
    front = np.broadcast_shapes(sa[:-2], sb[:-2])
    return (*front, *((sa[-2],) if len(sa) > 1 else ()), *((sb[-1],) if len(sb) > 1 else ()))


def product(a: Any, b: Any) -> Any:
    a, b = _checked_operand("matmul", a), _checked_operand("matmul", b)
    shape = _result_shape(a, b)
    kind = dtype_of(np.matmul(np.ones((1, 1), a.dtype), np.ones((1, 1), b.dtype)).dtype)
    if isinstance(a, Array) and a.axis == a.ndim - 1:
        if a.ndim == 1 and len(shape_of(b)) > 2:
            return product(a[None, :], b)[..., 0, :]
        return _over_inner(a, b, kind, shape)
    if not isinstance(a, Array) and b.axis == max(b.ndim - 2, 0):
        a = a[along(a.ndim - 1, slice(*b.bounds()))]
        mine = np.asarray(np.matmul(a, b._block)).astype(kind, copy=False)
        add = np.logical_or if kind == bool else np.add
        return over_ranks("matmul", b, mine, lambda values: add.reduce(values, axis=0, dtype=kind)) if nonempty(b) else core.from_whole(np.zeros(shape, kind))
    if isinstance(a, Array) and a.ndim == 2 and len(shape_of(b)) == 2 and a.axis == 0:
        return _by_rows(a, b, kind)
    return _over_outer(a, b, kind, shape)


def _over_outer(a: Any, b: Any, kind: np.dtype, shape: tuple[int, ...]) -> Array:
    """Dealt along an axis of the result: of `a`, else of `b`."""
    by_a = isinstance(a, Array) and a.axis is not None
    leader = a if by_a else b
    axis = leader.axis + len(shape) - leader.ndim if by_a and len(shape_of(b)) > 1 or not by_a and len(shape_of(a)) > 1 else _without_inner(leader, shape, by_a)
    of_matrix = axis >= len(shape) - (2 if len(shape_of(a)) > 1 and len(shape_of(b)) > 1 else 1)
    if not of_matrix and shape[axis] != leader.shape[leader.axis]:  # one matrix beside many
        leader_whole = _whole(leader, "matmul")
        made = empty(shape, kind, axis)
        other = b if by_a else a
        part = part_for(other, (shape[: len(shape_of(other)) - 2] + shape_of(other)[-2:], axis, made.offsets), "matmul") if len(shape_of(other)) > 2 else _whole(other, "matmul")
        made._block[...] = np.matmul(leader_whole, part) if by_a else np.matmul(part, leader_whole)
        return made
    other = b if by_a else a
    at = axis - (len(shape) - len(shape_of(other))) if len(shape_of(other)) > 2 and not of_matrix else -1
    if at >= 0 and shape_of(other)[at] == shape[axis]:
        part = deal(other, at, leader.offsets, "matmul")._block if isinstance(other, Array) else other[along(at, slice(*leader.bounds()))]
    else:
        part = _whole(other, "matmul")
    made = empty(shape, kind, axis, leader.offsets)
    found = np.matmul(leader._block, part) if by_a else np.matmul(part, leader._block)
    made._block[...] = found
    return made


def _without_inner(leader: Array, shape: tuple[int, ...], by_a: bool) -> int:
    """The axis of the result where the other one is a vector, so that one axis is missing."""
    axis = leader.axis + len(shape) - (leader.ndim - 1)
    return axis if by_a or leader.axis < leader.ndim - 2 else axis - 1


def _scalar(a: Any) -> Any:
    return a._block[()] if isinstance(a, Array) and not a.shape else a


@collective("numpy.matmul")
def matmul(a: Any, b: Any, /) -> Any:
    return _scalar(product(a, b))


def gufunc(function: np.ufunc, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    name = function.__name__
    out = options.pop("out", None)
    axis = options.pop("axis", -1)
    if options:
        raise unsupported(name, f"the option {next(iter(options))}")
    if name == "matmul" and axis == -1:
        found = product(*inputs)
    elif name == "vecdot":
        found = vecdot(*inputs, axis=axis)
    elif name in ("matvec", "vecmat") and (len(shape_of(inputs[name == "vecmat"])) < 2 or not shape_of(inputs[name == "matvec"])):
        raise ValueError(f"{name}: the matrix does not have enough dimensions")
    elif name == "matvec" and axis == -1:
        found = product(inputs[0], _array(inputs[1])[..., None])[..., 0]
    elif name == "vecmat" and axis == -1:
        first = _array(inputs[0])
        found = product((apply(np.conjugate, [first], (None,), {}) if first.dtype.kind == "c" else first)[..., None, :], inputs[1])[..., 0, :]
    else:
        raise unsupported(name, "it goes over whole dimensions")
    if out is not None:
        return apply(np.positive, [found], out, {})
    return _scalar(found)


@collective("numpy.vecdot")
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    a, b = _array(x1), _array(x2)
    for x in (a, b):
        axis_of(axis, x.ndim)
    if a.shape[axis] != b.shape[axis]:
        raise ValueError(f"armilla: array: numpy.vecdot: vectors of {a.shape[axis]} and {b.shape[axis]} elements")
    if a.dtype.kind == "c":
        a = apply(np.conjugate, [a], (None,), {})
    kind = np.result_type(a.dtype, b.dtype)
    both = apply(np.logical_and if kind == bool else np.multiply, [a, b], (None,), {})
    if axis >= 0:
        axis -= max(a.ndim, b.ndim)
    if kind == bool:
        from .reductions import any

        return any(both, axis)
    return sum(both, axis, kind)


@collective("numpy.dot")
def dot(a: Any, b: Any, out: Any = None) -> Any:
    if out is not None:
        raise unsupported("dot", "the option out")
    a, b = _array(a), _array(b)
    if not a.ndim or not b.ndim:
        return apply(np.multiply, [a, b], (None,), {})
    if b.ndim <= 2:
        return _scalar(product(a, b))
    return tensordot(a, b, ((a.ndim - 1,), (b.ndim - 2,)))


@collective("numpy.vdot")
def vdot(a: Any, b: Any, /) -> Any:
    a, b = _array(a), _array(b)
    a, b = reshaped(a, (a.size,)), reshaped(b, (b.size,))
    return _scalar(product(apply(np.conjugate, [a], (None,), {}) if a.dtype.kind == "c" else a, b))


@collective("numpy.inner")
def inner(a: Any, b: Any, /) -> Any:
    a, b = _array(a), _array(b)
    if not a.ndim or not b.ndim:
        return apply(np.multiply, [a, b], (None,), {})
    return tensordot(a, b, ((a.ndim - 1,), (b.ndim - 1,)))


@collective("numpy.outer")
def outer(a: Any, b: Any, out: Any = None) -> Any:
    if out is not None:
        raise unsupported("outer", "the option out")
    a, b = _array(a), _array(b)
    return apply(np.multiply, [reshaped(a, (a.size,))[:, None], reshaped(b, (b.size,))[None, :]], (None,), {})


@collective("numpy.tensordot")
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    a, b = _array(a), _array(b)
    if np.ndim(axes) == 0 and not isinstance(axes, tuple):
        n = int(axes)
        if n < 0 or n > min(a.ndim, b.ndim):
            raise ValueError(f"armilla: array: numpy.tensordot: {n} axes of arrays of {a.ndim} and {b.ndim} axes")
        of_a, of_b = list(range(a.ndim - n, a.ndim)), list(range(n))
    else:
        of_a, of_b = ([axis_of(i, x.ndim) for i in (each if np.ndim(each) else (each,))] for x, each in zip((a, b), axes))
    if len(of_a) != len(of_b) or [a.shape[i] for i in of_a] != [b.shape[i] for i in of_b]:
        raise ValueError("shape-mismatch for sum")
    rest_a, rest_b = [i for i in range(a.ndim) if i not in of_a], [i for i in range(b.ndim) if i not in of_b]
    shape = tuple(a.shape[i] for i in rest_a) + tuple(b.shape[i] for i in rest_b)
    n = math.prod([a.shape[i] for i in of_a]) if of_a else 1
    left = reshaped(permuted(a, rest_a + of_a), (math.prod([a.shape[i] for i in rest_a]) if rest_a else 1, n))
    right = reshaped(permuted(b, of_b + rest_b), (n, math.prod([b.shape[i] for i in rest_b]) if rest_b else 1))
    return _scalar(reshaped(product(left, right), shape))


@collective("numpy.linalg.norm")
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The 2-norm of all elements or along an axis; or one of the norms 0, 1, 2, inf and -inf along an axis."""
    from . import reductions as r

    a = _array(x)
    if a.dtype.kind not in "fc":
        a = core._as_type(a, np.dtype(np.float64))
    of_matrix = a.ndim > 1 if axis is None else isinstance(axis, (tuple, list)) and len(axis) > 1
    if of_matrix and ord is not None and (ord != "fro" or axis is None and a.ndim > 2):
        raise unsupported("linalg.norm", "norms of matrices other than the Frobenius norm")
    if ord == "fro" and not of_matrix:
        raise ValueError(f"armilla: array: linalg.norm: the Frobenius norm needs two axes; this array has shape {a.shape}, and axis is {axis}")
    size = apply(np.absolute, [a], (None,), {})
    if ord in (None, 2, "fro"):
        found: Any = apply(np.sqrt, [_array(r.sum(apply(np.square, [size], (None,), {}), axis, keepdims=keepdims))], (None,), {})
    elif ord == 1:
        found = r.sum(size, axis, keepdims=keepdims)
    elif ord in (np.inf, -np.inf):
        found = (r.max if ord > 0 else r.min)(size, axis, keepdims=keepdims)
    elif ord == 0:
        found = core._as_type(_array(r.count_nonzero(a, 0 if axis is None else axis, keepdims=keepdims)), size.dtype)
    else:
        raise unsupported("linalg.norm", f"the norm {ord!r}")
    return _scalar(found)
