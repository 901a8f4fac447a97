# SPDX-License-Identifier: Apache-2.0
"""Methods of arrays that are functions of NumPy as well. They become methods when this file is imported."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import core, ordering, products, reductions, shaping
from .elementwise import apply, by_blocks
from .meeting import by_name, collective


def _several(a: Any, shape: tuple, options: dict[str, Any]) -> Any:
    return shaping.reshape(a, shape[0] if len(shape) == 1 else shape, **options)


def reshape(a: Any, *shape: Any, **options: Any) -> Any:
    """The elements in another shape."""
    return _several(a, shape, options)


def transpose(a: Any, *axes: Any) -> Any:
    """The axes in another order: a view."""
    return shaping.transpose(a, None if not axes or axes == (None,) else axes[0] if isinstance(axes[0], (tuple, list)) else axes)


def flatten(a: Any, order: str = "C") -> Any:
    """A copy with one axis."""
    return shaping.reshape(a, (a.size,), order, copy=True)


def tolist(a: Any) -> Any:
    """The whole array as nested lists, on each rank."""
    return np.asarray(a).tolist()


@collective("array.round")
def round(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """Rounds each element."""
    return reductions.stored("round", by_blocks("round", lambda block: np.round(block, decimals), [reductions._array(a)]), out)


@collective("array.clip")
def clip(a: Any, min: Any = None, max: Any = None, out: Any = None) -> Any:
    """Each element within bounds."""
    return reductions.stored("clip", by_blocks("clip", lambda block, low, high: np.clip(block, low, high), [reductions._array(a), min, max]), out)


@collective("array.conj")
def conj(a: Any) -> Any:
    """The complex conjugates."""
    return apply(np.conjugate, [a], (None,), {}) if a.dtype.kind == "c" else a


def to_device(a: Any, device: Any, /, *, stream: Any = None) -> Any:
    """The array itself; there is one device, "cpu"."""
    if device != "cpu":
        raise ValueError(f"armilla: array: device {device!r} does not exist; there is 'cpu'")
    return a


def local_view(name: str) -> Callable[[Any], Any]:
    def part(a: Any) -> Any:
        if a.dtype.kind == "c":
            return core.view(a, a.shape, a.axis, a.offsets, lambda block, r: getattr(block, name))
        return a if name == "real" else _zeros_of(a)

    return part


@collective("numpy.imag")
def _zeros_of(a: Any) -> Any:
    made = core.empty_like(a)
    made._block[...] = 0
    return made


table: dict[str, Callable[..., Any]] = {
    "sum": reductions.sum, "prod": reductions.prod, "min": reductions.min, "max": reductions.max, "mean": reductions.mean, "var": reductions.var, "std": reductions.std,
    "all": reductions.all, "any": reductions.any, "argmin": reductions.argmin, "argmax": reductions.argmax, "cumsum": reductions.cumsum, "cumprod": reductions.cumprod,
    "sort": ordering.sort_in_place, "argsort": ordering.argsort, "nonzero": ordering.nonzero_together, "searchsorted": ordering.searchsorted, "reshape": reshape, "ravel": shaping.ravel,
    "flatten": flatten, "transpose": transpose, "squeeze": shaping.squeeze, "swapaxes": shaping.swapaxes, "take": shaping.take, "repeat": shaping.repeat, "round": round, "clip": clip,
    "conj": conj, "conjugate": conj, "dot": products.dot, "trace": shaping.trace, "diagonal": shaping.diagonal, "tolist": tolist, "to_device": to_device,
}

for _name, _function in table.items():
    _function.__doc__ = _function.__doc__ or f"As numpy.{_name}, for this array."
    _method = by_name(f"array.{_name}", _function)
    _method.__module__, _method.__name__, _method.__qualname__ = core.__name__, _name, f"Array.{_name}"
    setattr(core.Array, _name, _method)
