# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on distributed arrays: NumPy's answer, or a TypeError that names the function."""
from __future__ import annotations

import math
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from . import composed, create, joining, methods, ordering, products, reductions, shaping
from .core import Array
from .elementwise import by_blocks, shape_of
from .meeting import calling, collective, unsupported
from .reductions import _array, _missing


def name_of(function: Any) -> str:
    module = getattr(function, "__module__", "") or ""
    return f"{module[6:]}.{function.__name__}".lstrip(".") if module.startswith("numpy.") else function.__name__


def _elementwise(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*operands: Any) -> Any:
        return by_blocks(name, function, operands)

    return collective(f"numpy.{name}")(run)


def where(condition: Any, x: Any = None, y: Any = None, /) -> Any:
    """Elements of `x` where the condition is true, else of `y`; of a condition alone, the indices where it is true."""
    if x is None and y is None:
        return ordering.nonzero_together(condition)
    return _where(condition, x, y)


_where = _elementwise("where", np.where)


def isclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    return _elementwise("isclose", lambda x, y: np.isclose(x, y, rtol, atol, equal_nan))(a, b)


def allclose(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> bool:
    return bool(reductions.all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    if shape_of(a1) != shape_of(a2):
        return False
    a, b = _array(a1), _array(a2)
    same = a == b
    if equal_nan and a.dtype.kind in "fc" and b.dtype.kind in "fc":
        same = same | (np.isnan(a) & np.isnan(b))
    return bool(reductions.all(same))


def array_equiv(a1: Any, a2: Any) -> bool:
    try:
        np.broadcast_shapes(shape_of(a1), shape_of(a2))
    except ValueError:
        return False
    return bool(reductions.all(_array(a1) == a2))


def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    if not bool(copy):
        raise unsupported("nan_to_num", "the option copy=False")
    return _elementwise("nan_to_num", lambda block: np.nan_to_num(block, True, nan, posinf, neginf))(x)


def clip(a: Any, a_min: Any = _missing, a_max: Any = _missing, out: Any = None, *, min: Any = _missing, max: Any = _missing) -> Any:
    if (a_min is _missing) != (a_max is _missing):
        raise unsupported("clip", "give both bounds; one of them may be None")
    low, high = (first if first is not _missing else second if second is not _missing else None for first, second in ((a_min, min), (a_max, max)))
    return methods.clip(a, low, high, out)


def around(a: Any, decimals: int = 0, out: Any = None) -> Any:
    return methods.round(a, decimals, out)


def _types(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: function(*(a.dtype if isinstance(a, Array) else a for a in args))


def copy(a: Any, order: str = "K", subok: bool = False) -> Any:
    if not isinstance(order, str) or order not in "KAC":
        raise unsupported("copy", "the option order")
    return _array(a).copy()


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    if not isinstance(x, Array) or isinstance(dtype, Array):
        raise unsupported("astype", "it takes a distributed array and a type")
    return _array(x).astype(dtype, copy=copy)


def size(a: Any, axis: Any = None) -> int:
    return a.size if axis is None else math.prod([a.shape[i] for i in reductions.axes_of(axis, a.ndim)])


def real(val: Any) -> Any:
    return _array(val).real


def imag(val: Any) -> Any:
    return _array(val).imag


def angle(z: Any, deg: bool = False) -> Any:
    return _elementwise("angle", lambda block: np.angle(block, deg))(z)


def ndim(a: Any) -> int:
    return a.ndim


def shape(a: Any) -> tuple[int, ...]:
    return a.shape


def atleast_1d(*arys: Any) -> Any:
    return shaping.atleast(1, arys)


def atleast_2d(*arys: Any) -> Any:
    return shaping.atleast(2, arys)


def atleast_3d(*arys: Any) -> Any:
    return shaping.atleast(3, arys)


def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    if not isinstance(dst, Array) or where is not True:
        raise unsupported("copyto", "it copies into a distributed array, and without the option where")
    dst[...] = src


def _array_of(name: str) -> Callable[..., Any]:
    return _elementwise(name, getattr(np, name))


table: dict[Any, Callable[..., Any]] = {
    np.where: where, np.isclose: isclose, np.allclose: allclose, np.array_equal: array_equal, np.array_equiv: array_equiv, np.nan_to_num: nan_to_num, np.clip: clip, np.around: around,
    np.copy: copy, np.size: size, np.ndim: ndim, np.shape: shape, np.real: real, np.imag: imag, np.angle: angle, np.copyto: copyto,
    np.result_type: _types(np.result_type), np.can_cast: _types(np.can_cast), np.common_type: lambda *a: np.common_type(*(np.empty(0, x.dtype) for x in a)),
    np.iscomplexobj: lambda x: x.dtype.kind == "c", np.isrealobj: lambda x: x.dtype.kind != "c", np.min_scalar_type: lambda a: np.min_scalar_type(np.empty(1, a.dtype)) if a.shape else np.min_scalar_type(a._block),
    np.zeros_like: create.zeros_like, np.ones_like: create.ones_like, np.empty_like: create.empty_like, np.full_like: create.full_like,
    np.atleast_1d: atleast_1d, np.atleast_2d: atleast_2d, np.atleast_3d: atleast_3d,
    np.concatenate: joining.concat, np.stack: joining.stack, np.vstack: joining.vstack, np.hstack: joining.hstack, np.dstack: joining.dstack, np.column_stack: joining.column_stack,
    np.append: joining.append, np.split: joining.split, np.array_split: joining.array_split,
    np.dot: products.dot, np.vdot: products.vdot, np.inner: products.inner, np.outer: products.outer, np.tensordot: products.tensordot, np.linalg.norm: products.norm,
    np.sort: ordering.sort, np.argsort: ordering.argsort, np.unique: ordering.unique, np.searchsorted: ordering.searchsorted, np.nonzero: ordering.nonzero_together,
    np.flatnonzero: ordering.flatnonzero, np.argwhere: ordering.argwhere, np.isin: ordering.isin, np.histogram: ordering.histogram, np.bincount: ordering.bincount,
    np.quantile: ordering.quantile, np.percentile: ordering.percentile, np.median: ordering.median,
}
for _name in ("sum", "prod", "min", "max", "mean", "var", "std", "all", "any", "argmin", "argmax", "cumsum", "cumprod", "count_nonzero", "diff", "ptp", "nansum", "nanprod", "nanmin", "nanmax",
              "nanmean"):
    table[getattr(np, _name)] = getattr(reductions, _name)
for _name in ("reshape", "ravel", "transpose", "moveaxis", "swapaxes", "expand_dims", "squeeze", "broadcast_to", "broadcast_arrays", "flip", "flipud", "fliplr", "roll", "tile", "repeat", "take",
              "take_along_axis", "diagonal", "trace", "tril", "triu"):
    table[getattr(np, _name)] = getattr(shaping, _name)
for _name in ("interp", "digitize", "select", "average", "nanvar", "nanstd", "cov", "corrcoef", "union1d", "setdiff1d", "intersect1d", "extract", "hsplit", "vsplit", "dsplit"):
    table[getattr(np, _name)] = getattr(composed, _name)
for _name in ("fix", "iscomplex", "isreal", "sinc", "i0", "isneginf", "isposinf"):
    table[getattr(np, _name)] = _array_of(_name)
for _name, _function in {"amin": reductions.min, "amax": reductions.max, "round": around, "concat": joining.concat, "permute_dims": shaping.transpose, "matrix_transpose": shaping.matrix_transpose,
                         "astype": astype, "unstack": shaping.unstack, "vecdot": products.vecdot, "matmul": products.matmul}.items():
    if hasattr(np, _name) and not isinstance(getattr(np, _name), np.ufunc):
        table.setdefault(getattr(np, _name), _function)
for _name, _function in {"matmul": products.matmul, "outer": products.outer, "vecdot": products.vecdot, "tensordot": products.tensordot, "matrix_transpose": shaping.matrix_transpose}.items():
    if hasattr(np.linalg, _name):
        table.setdefault(getattr(np.linalg, _name), _function)


_signatures: dict[Any, inspect.Signature] = {}


def call(function: Callable[..., Any], args: tuple, options: dict[str, Any]) -> Any:
    found = table.get(function)
    if found is None:
        raise unsupported(name_of(function))
    given = {k: v for k, v in options.items() if v is not _missing}
    if found not in _signatures:
        _signatures[found] = inspect.signature(found)
    try:
        _signatures[found].bind(*args, **given)
    except TypeError as why:
        raise unsupported(name_of(function), f"here it has other arguments: {why}") from None
    return calling(f"numpy.{name_of(function)}", found, args, given)
