# SPDX-License-Identifier: Apache-2.0
"""In notebooks: %load_ext armilla, then cells that begin with %%ranks or %%armilla run on all workers.

    %%ranks            on those of the newest `armilla.ranks`
    %%ranks NAME       on those that a variable of the notebook holds
    %%armilla          the same, with the worker's number before each line that it prints
"""
from __future__ import annotations

from typing import Any

from . import _core
from ._workers import Workers


def workers_of(line: str, names: dict[str, Any]) -> Workers:
    """Whose the cell is."""
    if line.strip():
        found = names.get(line.strip())
        if not isinstance(found, Workers):
            raise _core.UsageError(f"armilla: %%ranks: '{line.strip()}' is not what armilla.ranks or armilla.connect gave")
        return found
    if not Workers.open:
        raise _core.UsageError("armilla: %%ranks: there are no workers; am = armilla.ranks(4) starts some, armilla.connect() finds those of a session")
    return Workers.open[-1]


def load(shell: Any) -> None:
    def ranks(line: str, cell: str) -> Any:
        """Runs the cell on all workers; what it defines stays there. The value of its last expression: a list."""
        return workers_of(line, shell.user_ns).run_cell(cell)

    def armilla(line: str, cell: str) -> Any:
        """Runs the cell on all workers, and puts the worker's number before each line that it prints."""
        return workers_of(line, shell.user_ns).run_cell(cell, label=True)

    shell.register_magic_function(ranks, "cell", "ranks")
    shell.register_magic_function(armilla, "cell", "armilla")
