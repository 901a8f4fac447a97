# SPDX-License-Identifier: Apache-2.0
"""Arrays in files of NumPy: each rank reads and writes its own rows."""
from __future__ import annotations

import os
from typing import Any

import numpy as np

from .. import _core
from . import core
from .core import Array, deal, from_whole
from .meeting import collective, meet


@collective("armilla.save")
def save(path: str, a: Array) -> None:
    """Writes an array into a .npy file, which NumPy reads. The file replaces an older one when it is complete.

    >>> import armilla as am, os, tempfile
    >>> path = os.path.join(tempfile.gettempdir(), f"armilla-save-{os.getppid()}.npy")
    >>> am.save(path, am.arange(10).reshape(5, 2))
    >>> am.load(path)[3].tolist()
    [6, 7]
    """
    path = os.fspath(path)
    rows = deal(a, 0, core.blocks(a.shape[0])) if a.axis not in (0, None) else a
    part = f"{path}.part"
    begin = 0
    if _core.rank() == 0:
        with open(part, "wb") as file:
            np.lib.format.write_array_header_1_0(file, {"descr": np.lib.format.dtype_to_descr(a.dtype), "fortran_order": False, "shape": a.shape})
            begin = file.tell()
    begin = int(np.frombuffer(meet("armilla.save", path, np.int64(begin).tobytes())[0], np.int64)[0])
    if a.axis is None or rows._block.size:
        row = a.nbytes // a.shape[0] if a.shape else 0
        with open(part, "r+b") as file:
            file.seek(begin + (rows.bounds()[0] * row if a.shape else 0))
            file.write(np.ascontiguousarray(rows._block).data if rows._block.ndim else rows._block.tobytes())
    meet("armilla.save")
    if _core.rank() == 0:
        os.replace(part, path)


@collective("armilla.load")
def load(path: str) -> Any:
    """The array of a .npy file, dealt along its first axis; of a .npz file a dict of arrays. Each rank reads its own rows."""
    path = os.fspath(path)
    if path.endswith(".npz"):
        with np.load(path, allow_pickle=False) as members:
            return {name: from_whole(members[name]) for name in members.files}
    values = np.load(path, mmap_mode="r", allow_pickle=False)
    return from_whole(values)
