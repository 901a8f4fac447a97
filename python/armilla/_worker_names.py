# SPDX-License-Identifier: Apache-2.0
"""Functions that a driver calls on its workers by name."""
from __future__ import annotations

import os
import sys


def prepare(path: list[str], folder: str) -> None:
    """First of all: modules are found as the driver finds them."""
    os.chdir(folder)
    sys.path[:] = path


def barrier() -> None:
    from . import _collectives

    _collectives.barrier()


def fence() -> None:
    from . import _collectives

    _collectives.fence()


def execute(code: str) -> None:
    main = sys.modules["__main__"]
    exec(compile(code, "<ranks>", "exec"), main.__dict__)
