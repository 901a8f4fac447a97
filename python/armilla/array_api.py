# SPDX-License-Identifier: Apache-2.0
"""The Python array API standard, version 2024.12, for distributed arrays: `a.__array_namespace__()`.

All functions of the standard but those of its extensions `linalg` and `fft`. All ranks call them, as they call collectives.

>>> import armilla.array_api as xp
>>> x = xp.reshape(xp.arange(6), (2, 3))
>>> xp.sum(x, axis=1).tolist()
[3, 12]
"""
from __future__ import annotations

import types as _types
from typing import Any

import numpy as _np

from . import _session

_session.start()

from ._nd import core as _core_of, create as _create, dispatch as _dispatch, joining as _joining, methods as _methods, ordering as _ordering, products as _products  # noqa: E402
from ._nd import reductions as _reductions, shaping as _shaping  # noqa: E402
from ._nd.core import Array  # noqa: E402
from ._nd.elementwise import apply as _apply, by_blocks as _by_blocks  # noqa: E402
from ._nd.meeting import by_name as _by_name, collective as _collective  # noqa: E402
from ._unique_results import UniqueAllResult, UniqueCountsResult, UniqueInverseResult  # noqa: E402

versions = ("2021.12", "2022.12", "2023.12", "2024.12")
__array_api_version__ = versions[-1]

e, inf, nan, newaxis, pi = _np.e, _np.inf, _np.nan, None, _np.pi
int8, int16, int32, int64 = (_np.dtype(f"i{n}") for n in (1, 2, 4, 8))
uint8, uint16, uint32, uint64 = (_np.dtype(f"u{n}") for n in (1, 2, 4, 8))
float32, float64, complex64, complex128 = _np.dtype("f4"), _np.dtype("f8"), _np.dtype("c8"), _np.dtype("c16")
bool = _np.dtype("?")


def __getattr__(name: str) -> Any:
    if name in ("linalg", "fft"):
        raise AttributeError(f"armilla.array_api has no {name}: distributed arrays do not have this extension of the standard; use numpy.{name} on a.local() or numpy.asarray(a)")
    raise AttributeError(f"module 'armilla.array_api' has no attribute '{name}'")


def _with_axes(found: Any) -> Array:
    """Arrays without axes, where NumPy has scalars."""
    return found if isinstance(found, Array) else _core_of.from_whole(found)


# ---- what there is ----


class _Info:
    def capabilities(self) -> dict[str, Any]:
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64 if hasattr(_np, "vecdot") else 32}

    def default_device(self) -> str:
        return "cpu"

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        return {"real floating": float64, "complex floating": complex128, "integral": int64, "indexing": int64}

    def devices(self) -> list[str]:
        return ["cpu"]

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        names = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128"]
        found = {name: globals()[name] for name in names}
        return found if kind is None else {name: dtype for name, dtype in found.items() if isdtype(dtype, kind)}


def __array_namespace_info__() -> _Info:
    return _Info()


# ---- creation ----


def _check_device(device: Any) -> None:
    if device not in (None, "cpu"):
        raise ValueError(f"armilla: array: device {device!r} does not exist; there is 'cpu'")


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Array:
    _check_device(device)
    return _create.asarray(obj, dtype, copy=copy)


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None) -> Array:
    _check_device(device)
    return _create.arange(start, stop, step, dtype)


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    _check_device(device)
    return _create.empty(shape, dtype)


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    _check_device(device)
    return _create.zeros(shape, dtype)


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Array:
    _check_device(device)
    return _create.ones(shape, dtype)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Array:
    _check_device(device)
    return _create.full(shape, fill_value, dtype)


def empty_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Array:
    return _create.empty_like(x, dtype)


def zeros_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Array:
    return _create.zeros_like(x, dtype)


def ones_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Array:
    return _create.ones_like(x, dtype)


def full_like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Array:
    return _create.full_like(x, fill_value, dtype)


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Array:
    return _create.eye(n_rows, n_cols, k, dtype)


def linspace(start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: Any = True) -> Array:
    return _create.linspace(start, stop, num, endpoint, dtype)


def from_dlpack(x: Any, /, *, device: Any = None, copy: Any = None) -> Array:
    return _create.asarray(x if isinstance(x, Array) else _np.from_dlpack(x))


def meshgrid(*arrays: Any, indexing: str = "xy") -> list[Array]:
    return _create.meshgrid(*arrays, indexing=indexing)


tril, triu = _shaping.tril, _shaping.triu


# ---- types ----


def astype(x: Any, dtype: Any, /, *, copy: Any = True, device: Any = None) -> Array:
    _check_device(device)
    return x.astype(dtype, copy=copy)


def can_cast(from_: Any, to: Any, /) -> Any:
    return _np.can_cast(from_.dtype if isinstance(from_, Array) else from_, to)


def finfo(type: Any, /) -> Any:
    return _np.finfo(type.dtype if isinstance(type, Array) else type)


def iinfo(type: Any, /) -> Any:
    return _np.iinfo(type.dtype if isinstance(type, Array) else type)


_kinds = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f", "complex floating": "c", "numeric": "iufc"}


def isdtype(dtype: Any, kind: Any) -> Any:
    if isinstance(kind, tuple):
        return any_of(isdtype(dtype, each) for each in kind)
    if isinstance(kind, str):
        if kind not in _kinds:
            raise ValueError(f"armilla: isdtype: {kind!r} is not a kind; there are {', '.join(_kinds)}")
        return _np.dtype(dtype).kind in _kinds[kind]
    return _np.dtype(dtype) == _np.dtype(kind)


any_of = any


def result_type(*arrays_and_dtypes: Any) -> Any:
    return _np.result_type(*(x.dtype if isinstance(x, Array) else x for x in arrays_and_dtypes))


broadcast_arrays, broadcast_to = _shaping.broadcast_arrays, _shaping.broadcast_to


# ---- functions of elements ----


def _function(name: str, function: _np.ufunc, integers_stay: Any = False) -> Any:
    def one(x: Any, /) -> Array:
        x = _create.as_array(x)
        if integers_stay and x.dtype.kind in "iu":
            return _core_of._copied(x)
        return _apply(function, [x], (None,), {})

    def two(x1: Any, x2: Any, /) -> Array:
        if not isinstance(x1, Array) and not isinstance(x2, Array):
            x1 = _create.as_array(x1)
        return _apply(function, [x1, x2], (None,), {})

    found = one if function.nin == 1 else two
    found.__name__ = found.__qualname__ = name
    found.__doc__ = f"numpy.{function.__name__} of each element."
    return _collective(name)(found)


_ufuncs = {
    "abs": "absolute", "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2", "atanh": "arctanh", "bitwise_left_shift": "left_shift",
    "bitwise_invert": "invert", "bitwise_right_shift": "right_shift", "pow": "power", "conj": "conjugate", "divide": "true_divide",
}
for _name in """abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil conj copysign cos cosh divide equal exp expm1
floor floor_divide greater greater_equal hypot isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative
nextafter not_equal positive pow reciprocal remainder sign signbit sin sinh square sqrt subtract tan tanh trunc""".split():
    globals()[_name] = _function(_name, getattr(_np, _ufuncs.get(_name, _name)), _name in ("ceil", "floor", "trunc"))


@_collective("real")
def real(x: Any, /) -> Array:
    return _core_of._copied(_create.as_array(x).real)


@_collective("imag")
def imag(x: Any, /) -> Array:
    return _core_of._copied(_create.as_array(x).imag)


def round(x: Any, /) -> Array:
    return _methods.round(x)


def clip(x: Any, /, min: Any = None, max: Any = None) -> Array:
    if min is None and max is None:
        return x.copy()
    return _clip(x, min, max)


@_collective("clip")
def _clip(x: Any, low: Any, high: Any) -> Array:
    return _by_blocks("clip", lambda block, least, most: _np.clip(block, least, most).astype(block.dtype, copy=False), [_create.as_array(x), low, high])


def where(condition: Any, x1: Any, x2: Any, /) -> Array:
    return _dispatch._where(condition, x1, x2)


# ---- shapes ----


def concat(arrays: Any, /, *, axis: Any = 0) -> Array:
    return _joining.concat(arrays, axis)


def stack(arrays: Any, /, *, axis: int = 0) -> Array:
    return _joining.stack(arrays, axis)


def expand_dims(x: Any, /, *, axis: Any = 0) -> Array:
    return _shaping.expand_dims(x, axis)


def flip(x: Any, /, *, axis: Any = None) -> Array:
    return _shaping.flip(x, axis)


def moveaxis(x: Any, source: Any, destination: Any, /) -> Array:
    return _shaping.moveaxis(x, source, destination)


def permute_dims(x: Any, /, axes: Any) -> Array:
    return _shaping.transpose(x, axes)


def repeat(x: Any, repeats: Any, /, *, axis: Any = None) -> Array:
    return _shaping.repeat(x, repeats, axis)


def reshape(x: Any, /, shape: Any, *, copy: Any = None) -> Array:
    return _shaping.reshape(x, shape, copy=copy)


def roll(x: Any, /, shift: Any, *, axis: Any = None) -> Array:
    return _shaping.roll(x, shift, axis)


def squeeze(x: Any, /, axis: Any) -> Array:
    return _shaping.squeeze(x, axis)


def tile(x: Any, repetitions: Any, /) -> Array:
    return _shaping.tile(x, repetitions)


unstack, matrix_transpose = _shaping.unstack, _shaping.matrix_transpose


# ---- indices, order, sets ----


def take(x: Any, indices: Any, /, *, axis: Any = None) -> Array:
    if axis is None and x.ndim != 1:
        raise ValueError("armilla: take: give the axis of an array of several axes")
    return _with_axes(_shaping.take(x, indices, 0 if axis is None else axis))


def take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Array:
    return _shaping.take_along_axis(x, indices, axis)


def argmax(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Array:
    return _with_axes(_reductions.argmax(x, axis, keepdims=keepdims))


def argmin(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Array:
    return _with_axes(_reductions.argmin(x, axis, keepdims=keepdims))


def count_nonzero(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Array:
    return _with_axes(_np.intp(found) if isinstance(found := _reductions.count_nonzero(x, axis, keepdims=keepdims), int) else found)


def nonzero(x: Any, /) -> tuple[Array, ...]:
    return _ordering.nonzero_together(x)


def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Array:
    return _with_axes(_ordering.searchsorted(x1, x2, side, sorter))


def argsort(x: Any, /, *, axis: int = -1, descending: Any = False, stable: Any = True) -> Array:
    return _ordering.argsort(x, axis, descending=descending)


def sort(x: Any, /, *, axis: int = -1, descending: Any = False, stable: Any = True) -> Array:
    return _ordering.sort(x, axis, descending=descending)


_unique = _collective("unique")(_ordering.unique_of)


def unique_all(x: Any, /) -> UniqueAllResult:
    return UniqueAllResult(*_unique(x, False))


def unique_counts(x: Any, /) -> UniqueCountsResult:
    return UniqueCountsResult(*_unique(x, False, False, False, True))


def unique_inverse(x: Any, /) -> UniqueInverseResult:
    return UniqueInverseResult(*_unique(x, False, False, True, False))


def unique_values(x: Any, /) -> Array:
    return _unique(x, False, False, False, False)[0]


# ---- sums, products ----


def sum(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Array:
    return _with_axes(_reductions.sum(x, axis, dtype, keepdims=keepdims))


def prod(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Array:
    return _with_axes(_reductions.prod(x, axis, dtype, keepdims=keepdims))


def max(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Array:
    return _with_axes(_reductions.max(x, axis, keepdims=keepdims))


def min(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Array:
    return _with_axes(_reductions.min(x, axis, keepdims=keepdims))


def mean(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Array:
    return _with_axes(_reductions.mean(x, axis, keepdims=keepdims))


def var(x: Any, /, *, axis: Any = None, correction: Any = 0.0, keepdims: Any = False) -> Array:
    return _with_axes(_reductions.var(x, axis, ddof=correction, keepdims=keepdims))


def std(x: Any, /, *, axis: Any = None, correction: Any = 0.0, keepdims: Any = False) -> Array:
    return _with_axes(_reductions.std(x, axis, ddof=correction, keepdims=keepdims))


def all(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Array:
    return _with_axes(_reductions.all(x, axis, keepdims=keepdims))


def any(x: Any, /, *, axis: Any = None, keepdims: Any = False) -> Array:
    return _with_axes(_reductions.any(x, axis, keepdims=keepdims))


def diff(x: Any, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Array:
    around = {name: value for name, value in (("prepend", prepend), ("append", append)) if value is not None}
    return _reductions.diff(x, n, axis, **around)


def _cumulative(name: str, ufunc: Any, function: Any) -> Any:
    def run(x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Array:
        if axis is None:
            if x.ndim != 1:
                raise ValueError(f"armilla: {name}: give the axis of an array of several axes")
            axis = 0
        found = function(x, axis, dtype)
        if not include_initial:
            return found
        i = _core_of.axis_of(axis, x.ndim)
        first = _np.full(x.shape[:i] + (1,) + x.shape[i + 1 :], ufunc.identity, found.dtype)
        return _joining.concat([first, found], i)

    run.__name__ = run.__qualname__ = name
    return run


cumulative_sum, cumulative_prod = _cumulative("cumulative_sum", _np.add, _reductions.cumsum), _cumulative("cumulative_prod", _np.multiply, _reductions.cumprod)


def matmul(x1: Any, x2: Any, /) -> Array:
    return _with_axes(_products.matmul(x1, x2))


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Array:
    return _with_axes(_products.tensordot(x1, x2, axes))


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    return _with_axes(_products.vecdot(x1, x2, axis=axis))


for _name, _function in list(globals().items()):
    if not _name.startswith("_") and callable(_function) and getattr(_function, "__doc__", "") is None:
        _function.__doc__ = f"{_name} of the array API standard."
    if not _name.startswith("_") and isinstance(_function, _types.FunctionType) and _function.__module__ == __name__:
        globals()[_name] = _by_name(f"array_api.{_name}", _function)
