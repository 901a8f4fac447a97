# SPDX-License-Identifier: Apache-2.0
"""Random numbers that are the same whatever the number of ranks: `armilla.random`.

>>> import armilla as am
>>> rng = am.random.default_rng(1)
>>> x = rng.standard_normal((1000, 3))
>>> bool(abs(x.mean()) < 0.1)
True
"""
from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _collectives
from .core import Array, dtype_of, empty
from .meeting import collective
from .shaping import shape_given

_piece = 1 << 16  # elements that have a stream of their own


class Generator:
    """Makes distributed arrays of random numbers. All ranks make it by the same seed, and call it in the same order."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._calls = 0

    def _filled(self, size: Any, dtype: Any, draw: Callable[[np.random.Generator, int], np.ndarray]) -> Array:
        made = empty(shape_given(size), dtype_of(dtype))
        self._calls += 1
        row = made.size // made.shape[0] if made.shape and made.shape[0] else 1
        low, high = (n * row for n in made.bounds()) if made.size else (0, 0)
        flat = made._block.reshape(-1)
        for piece in range(low // _piece, -(-high // _piece)):
            first = piece * _piece
            stream = np.random.Generator(np.random.Philox(np.random.SeedSequence(self._seed, spawn_key=(self._calls, piece))))
            begin, end = max(low, first), min(high, first + _piece)
            flat[begin - low : end - low] = draw(stream, end - first)[begin - first :]
        return made

    def random(self, size: Any = (), dtype: Any = np.float64) -> Array:
        """Uniform in [0, 1)."""
        return self._filled(size, dtype, lambda stream, n: stream.random(n, np.dtype(dtype)))

    def uniform(self, low: float = 0.0, high: float = 1.0, size: Any = ()) -> Array:
        """Uniform in [low, high)."""
        return self._filled(size, np.float64, lambda stream, n: stream.uniform(low, high, n))

    def integers(self, low: int, high: int | None = None, size: Any = (), dtype: Any = np.int64) -> Array:
        """Uniform integers from `low` to before `high`; from 0 to before `low` if `high` is not given."""
        return self._filled(size, dtype, lambda stream, n: stream.integers(low, high, n, np.dtype(dtype)))

    def standard_normal(self, size: Any = (), dtype: Any = np.float64) -> Array:
        """Normal with mean 0 and deviation 1."""
        return self._filled(size, dtype, lambda stream, n: stream.standard_normal(n, np.dtype(dtype)))

    def normal(self, loc: float = 0.0, scale: float = 1.0, size: Any = ()) -> Array:
        """Normal with mean `loc` and deviation `scale`."""
        return self._filled(size, np.float64, lambda stream, n: stream.normal(loc, scale, n))

    def exponential(self, scale: float = 1.0, size: Any = ()) -> Array:
        """Exponential with mean `scale`."""
        return self._filled(size, np.float64, lambda stream, n: stream.exponential(scale, n))

    def permutation(self, n: int) -> Array:
        """The integers from 0 to before `n` in random order."""
        from .ordering import argsort

        return argsort(self.integers(0, 2**63 - 1, n))

    def shuffle(self, x: Array) -> None:
        """Puts the elements of `x` in random order along its first axis, in place."""
        x[...] = x[self.permutation(len(x))]

    def __repr__(self) -> str:
        return f"<armilla.random.Generator: seed {self._seed}, {self._calls} arrays made>"


for _name in ("random", "uniform", "integers", "standard_normal", "normal", "exponential"):
    setattr(Generator, _name, collective(f"random.{_name}")(getattr(Generator, _name)))


def default_rng(seed: int | None = None) -> Generator:
    """A generator. Without a seed, all ranks use the same random one."""
    return Generator(_collectives.broadcast(secrets.randbits(128)) if seed is None else seed)
