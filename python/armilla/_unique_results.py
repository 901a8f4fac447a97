# SPDX-License-Identifier: Apache-2.0
"""What the functions `unique_*` of the array API return. In a module of its own: a driver gets such tuples from its workers, and must not become a rank by it."""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ._nd.core import Array


class UniqueAllResult(NamedTuple):
    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    values: Array
    inverse_indices: Array
