# SPDX-License-Identifier: Apache-2.0
"""Tables into files: each rank writes its own rows."""
from __future__ import annotations

import os
from typing import Any

from .. import _core
from .._nd.files import replaced, write_at
from .._nd.meeting import meet, meet_numbers
from .core import Table, together


def write_parquet(table: Table, folder: str, options: dict[str, Any]) -> None:
    name, folder = "table.write_parquet", os.path.normpath(folder)  # without a slash at its end

    def run() -> None:
        rows = table.local()
        if _core.rank() == 0:
            if os.path.exists(folder) and (not os.path.isdir(folder) or os.listdir(folder)):
                raise _core.UsageError(f"armilla: {name}: {folder} exists already; the table becomes a folder with a file for each rank: remove it, or give another name")
        with replaced(folder, name) as part:
            if _core.rank() == 0:
                os.makedirs(part, exist_ok=True)
                for old in os.listdir(part):
                    os.remove(os.path.join(part, old))
            meet(name)
            rows.write_parquet(os.path.join(part, f"part-{_core.rank():05}.parquet"), **options)

    together(name, run, lambda: f"{folder} {options}")


def write_csv(table: Table, path: str, options: dict[str, Any]) -> None:
    name, path = "table.write_csv", os.fspath(path)

    def run() -> None:
        at_begin = {"include_header": options.get("include_header", True), "include_bom": options.get("include_bom", False)}
        data = table.local().write_csv(None, **{**options, **{k: v and _core.rank() == 0 for k, v in at_begin.items()}}).encode()
        with replaced(path, name) as part:
            if _core.rank() == 0:
                open(part, "wb").close()
            sizes = meet_numbers(name, len(data))[:, 0]
            write_at(part, int(sizes[: _core.rank()].sum()), data)

    together(name, run, lambda: f"{path} {options}")
