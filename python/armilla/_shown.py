# SPDX-License-Identifier: Apache-2.0
"""Arrays, dictionaries and tables with names, as statistics, traces and armilla-top show them."""
from __future__ import annotations

from . import _core
from ._line import line


def shown(name: str, kind: str, elements: int, size: int) -> _core.ShownData:
    """`elements`, `size`: what this rank has of it, and its bytes. It is shown until this is dropped."""
    data = _core.ShownData(name, kind, line())
    data.resize(elements, size)
    return data
