# SPDX-License-Identifier: Apache-2.0
"""Distributed tables: columns over Arrow, with polars as the engine within each rank, and Narwhals' expressions."""
from __future__ import annotations

import os

from .. import _core

os.environ.setdefault("POLARS_MAX_THREADS", str(max(1, len(os.sched_getaffinity(0)) // _core.size())))  # the ranks share the cores

try:
    import narwhals  # noqa: F401
    import polars  # noqa: F401
    import pyarrow  # noqa: F401
except ImportError as _why:
    raise _core.UsageError(f"armilla: tables need the packages polars, narwhals and pyarrow, one of which cannot be imported ({_why}); pip install 'armilla[table]'") from None

from .core import Table, from_arrow, from_pandas, from_polars, table  # noqa: E402
from .reading import read_csv, read_ipc, read_parquet  # noqa: E402

__all__ = ["Table", "from_arrow", "from_pandas", "from_polars", "read_csv", "read_ipc", "read_parquet", "table"]
