# SPDX-License-Identifier: Apache-2.0
"""Where in the user's program this package is called."""
from __future__ import annotations

import os
import sys
from types import FrameType

_package = os.path.dirname(__file__) + os.sep
_worker = _package + "_worker.py"


def line() -> str:
    """The innermost line that is the user's: "heat.py:31"; empty: there is none, as in a worker that its driver calls."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_package):
        frame = None if frame.f_code.co_filename == _worker else frame.f_back
    return "" if frame is None else f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
