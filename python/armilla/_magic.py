# SPDX-License-Identifier: Apache-2.0
"""In notebooks: %load_ext armilla, then cells that begin with %%ranks run on all workers.

    %%ranks            on those of the newest `armilla.ranks`
    %%ranks NAME       on those that a variable of the notebook holds
"""
from __future__ import annotations

from typing import Any

from . import _core
from .driver import Ranks


def workers_of(line: str, names: dict[str, Any]) -> Ranks:
    """Whose the cell is."""
    if line.strip():
        found = names.get(line.strip())
        if not isinstance(found, Ranks):
            raise _core.UsageError(f"armilla: %%ranks: '{line.strip()}' is not what armilla.ranks gave")
        return found
    if not Ranks.open:
        raise _core.UsageError("armilla: %%ranks: there are no workers; am = armilla.ranks(4) starts some")
    return Ranks.open[-1]


def load(shell: Any) -> None:
    def ranks(line: str, cell: str) -> Any:
        """Runs the cell on all workers; what it defines stays there. The value of its last expression: a list."""
        return workers_of(line, shell.user_ns).run_cell(cell)

    shell.register_magic_function(ranks, "cell", "ranks")
