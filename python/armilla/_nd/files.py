# SPDX-License-Identifier: Apache-2.0
"""Arrays in files, of NumPy, HDF5 and comma-separated values: each rank reads and writes its own rows."""
from __future__ import annotations

import importlib
import math
import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import _collectives, _core
from . import core
from .core import Array, deal, dtype_of, from_whole
from .meeting import UnsupportedError, collective, meet, meet_numbers

_hdf5 = (".h5", ".hdf5")


def _h5py() -> Any:
    try:
        return importlib.import_module("h5py")
    except ImportError as why:
        raise _core.UsageError(f"armilla: HDF5 files need the package h5py, which cannot be imported ({why}); pip install h5py") from None


def _kind_of(path: str, name: str, kinds: tuple[str, ...]) -> str:
    kind = os.path.splitext(path)[1].lower()
    if kind not in kinds:
        raise _core.UsageError(f"armilla: {name}: {path}: a file whose name ends in '{kind}'; there are {', '.join(kinds)}")
    return kind


def _rows(a: Array) -> Array:
    """Dealt along the first axis."""
    return deal(a, 0, core.blocks(a.shape[0])) if a.axis not in (0, None) else a


@contextmanager
def replaced(path: str, name: str) -> Iterator[str]:
    """The path of a file that takes the place of another one when all ranks have written their parts."""
    part = f"{path}.part"
    yield part
    meet(name)
    if _core.rank() == 0:
        os.replace(part, path)


def write_at(part: str, place: int, data: Any) -> None:
    with open(part, "r+b") as file:
        file.seek(place)
        file.write(data)


@collective("armilla.save")
def save(path: str, a: Array, dataset: str = "data") -> None:
    """Writes an array into a `.npy` file, a dataset of an HDF5 file (`.h5`, `.hdf5`), or a `.csv` file of numbers. The name of the file says which.

    The file replaces an older one when it is complete.

    >>> import armilla as am
    >>> am.save("pairs.npy", am.arange(10).reshape(5, 2))
    >>> am.load("pairs.npy")[3].tolist()
    [6, 7]
    """
    path = os.fspath(path)
    if not isinstance(a, Array):
        raise _core.UsageError(f"armilla: armilla.save: {path}: a value of type {type(a).__name__}; make an array of it by armilla.asarray")
    kind = _kind_of(path, "armilla.save", (".npy", ".csv", *_hdf5))
    if kind == ".npy":
        _save_npy(path, a)
    elif kind == ".csv":
        _save_csv(path, a)
    else:
        _save_hdf5(path, a, dataset)


def _save_npy(path: str, a: Array) -> None:
    rows = _rows(a)
    with replaced(path, "armilla.save") as part:
        begin = 0
        if _core.rank() == 0:
            with open(part, "wb") as file:
                np.lib.format.write_array_header_1_0(file, {"descr": np.lib.format.dtype_to_descr(a.dtype), "fortran_order": False, "shape": a.shape})
                begin = file.tell()
        begin = int(meet_numbers("armilla.save", begin)[0, 0])
        if a.axis is None or rows._block.size:
            row = a.nbytes // a.shape[0] if a.shape else 0
            write_at(part, begin + (rows.bounds()[0] * row if a.shape else 0), np.ascontiguousarray(rows._block).data if rows._block.ndim else rows._block.tobytes())


def _save_csv(path: str, a: Array) -> None:
    if a.ndim not in (1, 2) or a.dtype.kind == "c":
        raise _core.UsageError(f"armilla: armilla.save: {path}: an array of {a.dtype} of shape {a.shape}; a file of comma-separated values takes real numbers of one axis or two")
    block = _rows(a)._block
    lines = block.astype(np.int8 if a.dtype.kind == "b" else a.dtype, copy=False).reshape(len(block), math.prod(a.shape[1:])).tolist()
    data = "".join(",".join(map(repr, line)) + "\n" for line in lines).encode()
    with replaced(path, "armilla.save") as part:
        if _core.rank() == 0:
            open(part, "wb").close()
        sizes = meet_numbers("armilla.save", len(data))[:, 0]
        write_at(part, int(sizes[: _core.rank()].sum()), data)


def _save_hdf5(path: str, a: Array, dataset: str) -> None:
    h5py = _h5py()
    rows = _rows(a)
    with replaced(path, "armilla.save") as part:
        for r in range(_core.size()):  # one after the other: the file has one writer at a time
            if r == _core.rank():
                with h5py.File(part, "a" if r else "w") as file:
                    to = file[dataset] if r else file.create_dataset(dataset, a.shape, a.dtype)
                    if a.axis is None:
                        to[...] = rows._block
                    elif rows._block.size:
                        to[slice(*rows.bounds())] = rows._block
            meet("armilla.save")


@collective("armilla.load")
def load(path: str, dataset: str | None = None, *, header: bool = False, separator: str = ",") -> Any:
    """The array of a file, dealt along its first axis. Each rank reads its own rows.

    The name of the file gives its format: `.npy`; `.npz`, `.h5` or `.hdf5`, of which `dataset` names one array (without it, returns a dict of all);
    `.csv`, whose records of numbers become rows of float64. `header`: the first record names the columns. An empty field is NaN.

    >>> import armilla as am
    >>> am.save("pairs.csv", am.arange(6).reshape(3, 2))
    >>> am.load("pairs.csv").tolist()
    [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    """
    path = os.fspath(path)
    kind = _kind_of(path, "armilla.load", (".npy", ".npz", ".csv", *_hdf5))
    if dataset is not None and kind in (".npy", ".csv"):
        raise _core.UsageError(f"armilla: armilla.load: {path}: dataset {dataset!r}; a {kind} file holds one array, which has no name")
    if kind == ".csv":
        return _load_csv(path, header, separator)
    with _named(path, kind):
        if kind in _hdf5:
            return _load_hdf5(path, dataset)
        if kind == ".npy":
            _check_npy(path)
            return from_whole(np.load(path, mmap_mode="r", allow_pickle=False))
        with np.load(path, allow_pickle=False) as members:
            if dataset is None:
                return {name: from_whole(members[name]) for name in members.files}
            if dataset not in members.files:
                raise _no_dataset(path, dataset, members.files)
            return from_whole(members[dataset])


def _check_npy(path: str) -> None:
    """NumPy takes what does not begin as its files do for a pickle."""
    with open(path, "rb") as file:
        head = file.read(len(np.lib.format.MAGIC_PREFIX))
    if head != np.lib.format.MAGIC_PREFIX:
        raise ValueError(f"it begins with {head!r}, and such a file with {np.lib.format.MAGIC_PREFIX!r}")


@contextmanager
def _named(path: str, kind: str) -> Iterator[None]:
    """Errors name the file."""
    try:
        yield
    except FileNotFoundError:
        raise FileNotFoundError(f"armilla: armilla.load: {path}: there is no such file") from None
    except (_core.Error, TypeError, MemoryError):
        raise
    except Exception as why:
        raise _core.UsageError(f"armilla: armilla.load: {path}: it cannot be read as a {kind} file: {why}") from why


def _load_csv(path: str, header: bool, separator: str) -> Array:
    if len(separator) != 1 or not separator.isascii():
        raise _core.UsageError(f"armilla: armilla.load: {path}: separator {separator!r}; it is one ASCII character")
    meet("armilla.load", f"{path} {header} {separator}")
    (head,), (data,) = _collectives._run("armilla.load", _core.read_numbers, path, header, separator)
    (columns,) = struct.unpack("<Q", bytes(head))
    block = np.frombuffer(data, np.float64).reshape(-1, max(columns, 1))
    rows = meet_numbers("armilla.load", len(block))[:, 0]
    return _in_equal_blocks(core.from_block(block, (int(rows.sum()), columns), 0, (0, *np.cumsum(rows).tolist())))


def _in_equal_blocks(a: Array) -> Array:
    return deal(a, 0, core.blocks(a.shape[0]), "armilla.load")


def _no_dataset(path: str, dataset: str, there: Iterable[str]) -> _core.Error:
    return _core.UsageError(f"armilla: armilla.load: {path}: there is no dataset '{dataset}'; there are {', '.join(there) or 'none'}")


def _load_hdf5(path: str, dataset: str | None) -> Any:
    h5py = _h5py()
    with h5py.File(path, "r") as file:
        found: dict[str, Any] = {}
        file.visititems(lambda name, item: found.update({name: item}) if isinstance(item, h5py.Dataset) else None)
        if dataset is None:
            return {name: _of_dataset(path, item) for name, item in found.items()}
        one = found.get(dataset.strip("/"))
        if one is None:
            raise _no_dataset(path, dataset, found)
        return _of_dataset(path, one)


def _of_dataset(path: str, item: Any) -> Array:
    if item.shape is None:
        raise _core.UsageError(f"armilla: armilla.load: {path}: the dataset '{item.name}' is empty")
    try:
        kind = dtype_of(item.dtype.newbyteorder("="))
    except UnsupportedError as why:
        raise UnsupportedError(f"armilla: armilla.load: {path}: the dataset '{item.name}': {str(why).removeprefix('armilla: array: ')}; name another dataset") from None
    made = core.empty(item.shape, kind)
    if made._block.size:
        made._block[...] = item[slice(*made.bounds())] if item.shape else item[()]
    return made
