# SPDX-License-Identifier: Apache-2.0
"""How an array looks: its type and shape, how it is dealt, and its corners. One rank alone may ask."""
from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from .. import _core
from .core import Array


def _corners(a: Array, edge: int) -> np.ndarray:
    """The elements at the corners, with one index between them where others are left out."""
    parts: list[list[tuple[slice, slice]]] = []
    for n in a.shape:
        few = n <= 2 * edge
        parts.append([(slice(0, n), slice(0, n))] if few else [(slice(0, edge), slice(0, edge)), (slice(n - edge, n), slice(edge + 1, 2 * edge + 1))])
    found = np.zeros([min(n, 2 * edge + 1) for n in a.shape], a.dtype)
    for each in itertools.product(*parts):
        found[tuple(to for _, to in each)] = a.get(tuple(where for where, _ in each))
    return found


def text_of(a: Array) -> str:
    dealt = "on each of" if a.axis is None else f"dealt along axis {a.axis} to"
    head = f"armilla.Array{'' if a.name is None else f' {a.name!r}'}: {a.dtype} of shape {a.shape}, {dealt} {_core.size()} ranks"
    try:
        edge = 3 if a.ndim <= 3 else 1
        shown: Any = np.array2string(_corners(a, edge), threshold=0, edgeitems=edge, prefix=" ") if a.size else "[]"
    except Exception:  # it has not been met by all ranks yet, or a rank has dropped it
        return f"<{head}>"
    return f"<{head}\n {shown}>"
