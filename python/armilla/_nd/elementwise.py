# SPDX-License-Identifier: Apache-2.0
"""Functions of elements, with broadcasting: each rank works on its own block, and operands that are dealt otherwise are moved first."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import core
from .core import Array, Offsets, Shape, along, block_shape, deal, dtype_of, empty, whole_of
from .meeting import UnsupportedError, described, together, unsupported

associative = {np.add, np.multiply, np.minimum, np.maximum, np.fmin, np.fmax, np.logical_and, np.logical_or, np.logical_xor, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.gcd, np.lcm,
               np.hypot, np.logaddexp, np.logaddexp2}
Layout = tuple[Shape, "int | None", Offsets]


def shape_of(x: Any) -> Shape:
    return x.shape if isinstance(x, (Array, np.ndarray, np.generic)) else () if isinstance(x, (int, float, complex)) else np.shape(x)


def layout_for(name: str, operands: Sequence[Any]) -> Layout:
    """Shape and dealing of the result: those of the operand with the most elements to move."""
    shapes = [shape_of(x) for x in operands]
    if len(own := [x for x, shape in zip(operands, shapes) if shape]) == 1 and isinstance(own[0], Array):
        return own[0].shape, own[0].axis, own[0].offsets
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"armilla: array: {name}: operands could not be broadcast together with shapes {' '.join(map(str, shapes))}") from None
    best: tuple[int, int, Offsets] | None = None
    for x in operands:
        if isinstance(x, Array) and x.axis is not None:
            axis = x.axis + len(shape) - x.ndim
            if shape[axis] == x.shape[x.axis] and (best is None or x.size > best[0]):
                best = (x.size, axis, x.offsets)
    if not shape:
        return (), None, ()
    return (shape, 0, core.blocks(shape[0])) if best is None else (shape, best[1], best[2])


def part_for(x: Any, layout: Layout, name: str) -> Any:
    """What of an operand stands beside this rank's block of the result."""
    shape, axis, offsets = layout
    if axis is None:
        return whole_of(x, name) if isinstance(x, Array) else x
    own = shape_of(x)
    if not own:
        return x if not isinstance(x, Array) else x._block
    at = axis - (len(shape) - len(own))
    if at < 0 or own[at] != shape[axis]:  # the same beside all blocks
        return whole_of(x, name) if isinstance(x, Array) else np.asarray(x)
    if isinstance(x, Array):
        return deal(x, at, offsets, name)._block
    me = core._core.rank()
    return np.asarray(x)[along(at, slice(offsets[me], offsets[me + 1]))]


def _sample(x: Any) -> Any:
    """An operand without elements, for the type of the result."""
    if isinstance(x, (Array, np.ndarray)):
        return np.ones((0,) if x.shape else (), x.dtype)  # not empty: some functions look at the value of a single element
    return x if np.ndim(x) == 0 else np.asarray(x).reshape(-1)[:0]


def _checked_operand(name: str, x: Any) -> Any:
    if isinstance(x, (Array, int, float, complex, np.generic)):
        return x
    if isinstance(x, (np.ndarray, list, tuple)):
        dtype_of(np.asarray(x).dtype)
        return np.asarray(x)
    if hasattr(x, "__array__"):
        return np.asarray(x)
    raise unsupported(name, f"an operand of type {type(x).__name__}")


def _check_taking(name: str, outs: Sequence[Any]) -> None:
    if any(out is not None and not isinstance(out, Array) for out in outs):
        raise unsupported(name, "the result of an operation on distributed arrays is a distributed array, not a NumPy array")


def _check_shapes(name: str, outs: Sequence[Any], shape: Shape) -> None:
    for out in outs:
        if out is not None and out.shape != shape:
            raise ValueError(f"armilla: array: numpy.{name}: the result has shape {shape}, and the array that takes it {out.shape}; give one of the same shape")


def _types(function: np.ufunc, inputs: Sequence[Any], outs: Sequence[Any], options: dict[str, Any]) -> list[np.dtype]:
    """The types of the results, or NumPy's error."""
    taking = {} if all(out is None for out in outs) else {"out": tuple(out if out is None else np.empty(0, out.dtype) for out in outs)}
    with np.errstate(all="ignore"):
        found = function(*map(_sample, inputs), **{k: v for k, v in options.items() if k != "where"}, **taking)
    return [dtype_of(np.asarray(each).dtype) for each in (found if isinstance(found, tuple) else (found,))]


def apply(function: np.ufunc, inputs: Sequence[Any], outs: Sequence[Any], options: dict[str, Any]) -> Any:
    """A ufunc on blocks."""
    name = function.__name__
    inputs = [_checked_operand(name, x) for x in inputs]
    where = options.get("where", True)
    masks = [] if where is True else [where]
    _check_taking(name, outs)
    kinds = _types(function, inputs, outs, options)
    first = next((out for out in outs if out is not None), None)
    layout = layout_for(name, [*inputs, *masks, *(out for out in outs if out is not None)])
    if first is not None:
        _check_shapes(name, outs, layout[0])
        layout = (first.shape, first.axis, first.offsets)
    before = core.pulls
    parts = [part_for(x, layout, name) for x in inputs]
    if where is not True:
        options = {**options, "where": part_for(where, layout, name)}
    results, blocks = [], []
    for out, kind in zip(outs, kinds):
        made = empty(layout[0], kind, layout[1], layout[2]) if out is None else out
        if made.axis != layout[1] or made.offsets != layout[2]:
            raise unsupported(name, "the arrays that take its results are dealt in different ways")
        results.append(made)
        blocks.append(made._block)
    if first is not None:
        core.after_pulls(before, name)
    function(*parts, out=tuple(blocks), **{"casting": "same_kind", **options})
    return results[0] if len(results) == 1 else tuple(results)


def _text(function: np.ufunc, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Callable[[], str]:
    return lambda: ", ".join(described(x) if hasattr(x, "shape") or isinstance(x, (list, tuple)) else type(x).__name__ for x in (*inputs, *options.values()))


def ufunc(function: np.ufunc, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    """NumPy's protocol for its functions of elements."""
    name = f"numpy.{function.__name__}" if method == "__call__" else f"numpy.{function.__name__}.{method}"

    def run() -> Any:
        if method == "__call__" and function.signature is None:
            outs = options.pop("out", None) or (None,) * function.nout
            return apply(function, inputs, outs, options)
        return _others(function, method, inputs, options)

    given = dict(options)
    return together(name, run, _text(function, method, inputs, given), (*inputs, *(given.get("out") or ())))


def _others(function: np.ufunc, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    from . import products, reductions

    if method == "__call__":
        return products.gufunc(function, inputs, options)
    name = f"{function.__name__}.{method}"
    if function.signature is not None or function.nin != 2 or function.nout != 1:
        raise unsupported(name)
    out = options.pop("out", None)
    if out is not None and out[0] is not None:
        raise unsupported(name, "the option out")
    options = {k: v for k, v in options.items() if v is not None or k in ("axis", "initial")}
    if method == "reduce":
        return reductions.of_ufunc(function, *inputs, **options)
    if method == "accumulate":
        return reductions.accumulate(function, *inputs, **options)
    if method == "outer":
        a, b = (x if isinstance(x, Array) else np.asarray(x) for x in inputs)
        return apply(function, [a[(...,) + (None,) * b.ndim], b], (None,), options)
    raise unsupported(name, f"{method} works on local() parts only")


def by_blocks(name: str, function: Callable[..., Any], operands: Sequence[Any]) -> Any:
    """A function of elements that is no ufunc, or several; its value has the type that it gives for blocks."""
    operands = [x if x is None else _checked_operand(name, x) for x in operands]
    given = [x for x in operands if x is not None]
    layout = layout_for(name, given)
    parts = [x if x is None else part_for(x, layout, name) for x in operands]
    me = core._core.rank()
    wanted = block_shape(*layout, me)
    found = np.asarray(function(*parts))
    kind = dtype_of(found.dtype)
    made = empty(layout[0], kind, layout[1], layout[2])
    made._block[...] = np.broadcast_to(found, wanted)
    return made
