# SPDX-License-Identifier: Apache-2.0
"""Tables of files: CSV by the library's reader, Parquet and Arrow's files by polars, each rank its own rows."""
from __future__ import annotations

import csv
import glob
import io
import os
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import polars as pl
import pyarrow.parquet

from .. import _collectives, _core
from .._nd.meeting import meet
from .core import Table, first_line, together


_compressed = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")  # what files of gzip and zstd begin with


def _from_rank_0(name: str, f: Callable[[], Any]) -> Any:
    value = f() if _core.rank() == 0 else None
    meet(name)  # where the others learn that it has failed
    return _collectives.broadcast(value)


def _files(name: str, path: Any, suffixes: tuple[str, ...]) -> list[str]:
    """The files that a path names: itself, those of a folder, or those that match a pattern; of several paths one after the other."""
    paths = [os.fspath(p) for p in (path if isinstance(path, (list, tuple)) else [path])]
    found: list[str] = []
    for p in paths:
        if os.path.isdir(p):
            its = sorted(e.path for e in os.scandir(p) if e.is_file() and e.name.endswith(suffixes) and not e.name.startswith((".", "_")))
        elif glob.has_magic(p) and not os.path.exists(p):
            its = sorted(f for f in glob.glob(p, recursive=True) if os.path.isfile(f))
        else:
            its = [p]
        if not its:
            raise FileNotFoundError(f"armilla: {name}: {p}: there are no files{' that end in ' + ' or '.join(suffixes) if os.path.isdir(p) else ''}")
        found += its
    for f in found:
        if not os.path.exists(f):
            raise FileNotFoundError(f"armilla: {name}: {f}: there is no such file")
    return found


def _chosen(table: Table, columns: Sequence[str] | None) -> Table:
    return table if columns is None else table.select(list(columns))


def _check_columns(name: str, file: str, its: Any, first: str, wanted: Any) -> None:
    if its != wanted:
        raise _core.UsageError(f"armilla: {name}: {file}: its columns are {its}, and those of {first} are {wanted}; files that make one table have the same columns: read them apart, and select the same of each")


# ---- CSV ----


def read_csv(path: Any, *, columns: Sequence[str] | None = None, schema: dict[str, Any] | None = None, header: bool = True, separator: str = ",", quote: str | None = '"',
             null_values: Any = None, infer_rows: int = 1000, name: str | None = None) -> Table:
    """A table of comma-separated values. `path`: a file, a folder, a pattern (`data/*.csv`), or a list of these.

    The ranks share one file by its bytes; of several files each is read by one rank. Types are those of the first `infer_rows` rows; `schema`
    gives some or all of them.

    >>> import armilla as am
    >>> if am.rank == 0:
    ...     done = open("x.csv", "w").write("a,b\\n1,x\\n2,y\\n")
    >>> am.barrier()
    >>> am.read_csv("x.csv").to_polars().rows()
    [(1, 'x'), (2, 'y')]
    """
    called = "armilla.read_csv"
    options = {"separator": separator, "quote_char": quote, "null_values": null_values}

    def run() -> Table:
        files = _from_rank_0(called, lambda: _files(called, path, (".csv", ".tsv", ".txt")))
        first, types = _from_rank_0(called, lambda: _types(called, files, header, schema, infer_rows, options))
        sources = [_share(called, files[0], header, separator, quote)] if len(files) == 1 else [_Source(f, f, header, 0) for f in _own_files(files)]
        if header and len(files) > 1:
            for s in sources:
                _check_columns(called, s.path, pl.scan_csv(s.path, infer_schema=False, **options).collect_schema().names(), first, list(types))
        frames = [pl.scan_csv(s.data, schema=types, **s.options, **options) for s in sources if s.data]
        return Table(pl.concat(frames) if frames else pl.DataFrame(schema=types), lambda why: _csv_error(called, sources, types, options, why))

    return _chosen(together(called, run, lambda: f"{path} {schema} {header} {options}"), columns)._named(name)


def _types(name: str, files: list[str], header: bool, schema: dict[str, Any] | None, infer_rows: int, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The first file with rows, and its columns."""
    file = files[0]
    try:
        file = _first_with_rows(files, header, options)
        return file, dict(pl.scan_csv(_beginning(file, infer_rows, options), has_header=header, schema_overrides=schema, infer_schema_length=infer_rows, **options).collect_schema())
    except pl.exceptions.PolarsError as why:
        raise _core.UsageError(f"armilla: rank {_core.rank()}: {name}: {file}{_bad_line(_Source(file, file, header, 0), None, options)}: {first_line(why)}") from why


def _beginning(file: str, rows: int, options: dict[str, Any]) -> Any:
    """So many records of a long file, or the file: polars maps all of a file into memory, and reads ahead while this rank reads its share."""
    with open(file, "rb") as opened:
        head = opened.read(1 << 20)
    if os.path.getsize(file) < 8 << 20 or head.startswith(_compressed) or head.count(b"\n") <= rows + 1:
        return file
    quote = (options["quote_char"] or "").encode()
    end = head.rfind(b"\n") + 1
    while end and quote and head.count(quote, 0, end) % 2:  # within a field
        end = head.rfind(b"\n", 0, end - 1) + 1
    return head[:end] or file


def _first_with_rows(files: list[str], header: bool, options: dict[str, Any]) -> str:
    return next((f for f in files if os.path.getsize(f) and len(pl.scan_csv(_beginning(f, 1, options), has_header=header, infer_schema=False, **options).head(1).collect())), files[0])


class _Source:
    """What one rank reads of a file: the path, or the bytes of its share, which begins at `offset`. `skip`: behind the first line of the bytes."""

    def __init__(self, path: str, data: Any, header: bool, offset: int, skip: bool = False) -> None:
        self.path, self.data, self.header, self.offset = path, data, header, offset
        self.options = {"has_header": header, "skip_lines": int(skip)}

    def line(self, row: int) -> int:
        """The line of one of its rows, if no field holds the end of a line."""
        with open(self.path, "rb") as file:
            before = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(min(1 << 20, self.offset - file.tell())), b""))
        return before + self.header + row + 1


def _share(name: str, path: str, header: bool, separator: str, quote: str | None) -> _Source:
    room = _core.RoomForShare(os.path.getsize(path))
    meet(name)
    (head,), (text,) = _collectives._run(name, _core.read_records, name, path, separator, quote or "", room)
    offset, size, begin, in_room = struct.unpack("<4Q", bytes(head))
    header = header and _core.rank() == 0
    if not in_room:
        return _Source(path, bytes(text), header, offset)
    return _Source(path, room.take(begin, begin + size) if size else b"", header, offset, skip=begin != 0)


def _own_files(files: list[str]) -> list[str]:
    """Files that follow each other, of about as many bytes on each rank."""
    files = [f for f in files if os.path.getsize(f)]
    sizes = [os.path.getsize(f) for f in files]
    middles, at = [], 0
    for size in sizes:
        middles.append(at + size / 2)
        at += size
    return [f for f, middle in zip(files, middles) if int(middle * _core.size() / max(at, 1)) == _core.rank()]


def _bad_line(source: _Source, columns: int | None, options: dict[str, Any]) -> str:
    """The first line that is no record of so many columns (of as many as the first has), and why; empty: there is none."""
    above = source.options["has_header"] + source.options["skip_lines"]
    quote = options["quote_char"]
    number = 0
    with open(source.data, "rb") if isinstance(source.data, str) else io.BytesIO(source.data) as file:
        if file.read(4).startswith(_compressed):
            return ""
        file.seek(0)

        def lines() -> Iterator[str]:
            nonlocal number
            for line in file:
                number += 1
                yield line.decode()

        records = csv.reader(lines(), delimiter=options["separator"], quotechar=quote, quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE)
        try:
            for record in records:
                columns = len(record) if columns is None else columns
                if len(record) > columns:
                    return f", line {source.line(number - 1 - above)}: {len(record)} fields in {columns} columns"
        except UnicodeDecodeError as why:
            return f", line {source.line(number - 1 - above)}: byte {why.object[why.start]:#04x} is not UTF-8"
        except csv.Error:  # of a field that Python's reader takes for too long
            return ""
    return ""


def _csv_error(name: str, sources: list[_Source], types: dict[str, Any], options: dict[str, Any], why: Exception) -> Exception:
    """Names file, line and field, if a field does not fit its type."""
    begin = f"armilla: rank {_core.rank()}: {name}: "
    for source in sources:
        try:
            texts = pl.read_csv(source.data, schema=dict.fromkeys(types, pl.String), **source.options, **options)
        except pl.exceptions.PolarsError as other:
            return _core.UsageError(f"{begin}{source.path}{_bad_line(source, len(types), options)}: {first_line(other)}")
        for column, kind in types.items():
            bad = texts[column].is_not_null() & texts[column].cast(kind, strict=False).is_null()
            row = bad.arg_max() if bad.any() else None
            if row is not None:
                return _core.UsageError(f"{begin}{source.path}, line {source.line(row)}: {texts[column][row]!r} in column {column!r} is no {kind}; give schema={{{column!r}: polars.String}}, or a greater infer_rows")
    return _core.UsageError(f"{begin}{', '.join(s.path for s in sources)}: {first_line(why)}")


# ---- Parquet and Arrow ----


def read_parquet(path: Any, *, columns: Sequence[str] | None = None, name: str | None = None) -> Table:
    """A table of Parquet files. `path`: a file, a folder, a pattern (`data/*.parquet`), or a list of these.

    Each rank reads row groups that follow each other. Columns that are not selected, and rows that a following `filter` leaves out, are skipped
    while reading.

    >>> import armilla as am
    >>> am.table({"a": [1, 2, 3]}).write_parquet("t")
    >>> am.read_parquet("t", columns=["a"]).to_polars()["a"].to_list()
    [1, 2, 3]
    """

    def groups(file: str) -> list[int]:
        meta = pyarrow.parquet.read_metadata(file)
        return [meta.row_group(i).num_rows for i in range(meta.num_row_groups)]

    return _of_groups("armilla.read_parquet", path, (".parquet",), columns, pl.scan_parquet, groups)._named(name)


def read_ipc(path: Any, *, columns: Sequence[str] | None = None, name: str | None = None) -> Table:
    """Returns a table of files in Arrow's file format (Feather). `path` is as for `read_parquet`.

    >>> import armilla as am
    >>> if am.rank == 0:
    ...     import polars as pl
    ...     pl.DataFrame({"a": [1, 2]}).write_ipc("x.arrow")
    >>> am.barrier()
    >>> len(am.read_ipc("x.arrow"))
    2
    """

    def groups(file: str) -> list[int]:
        rows = pl.scan_ipc(file).select(pl.len()).collect().item()
        return [rows // _core.size() + (r < rows % _core.size()) for r in range(_core.size())]

    return _of_groups("armilla.read_ipc", path, (".arrow", ".feather", ".ipc"), columns, pl.scan_ipc, groups)._named(name)


def _of_groups(name: str, path: Any, suffixes: tuple[str, ...], columns: Sequence[str] | None, scan: Callable[[str], pl.LazyFrame], groups: Callable[[str], list[int]]) -> Table:
    def listed() -> list[tuple[str, list[int]]]:
        found = []
        for file in _files(name, path, suffixes):
            try:
                found.append((file, groups(file)))
            except _core.Error:
                raise
            except Exception as why:
                raise _core.UsageError(f"armilla: {name}: {file}: {first_line(why)}") from why
        return found

    def run() -> Table:
        files = _from_rank_0(name, listed)
        types = scan(files[0][0]).collect_schema()
        frames = []
        for file, first, rows in _own_groups(files):
            frame = scan(file)
            _check_columns(name, file, dict(frame.collect_schema()), files[0][0], dict(types))
            frames.append(frame.select(types.names()).slice(first, rows))  # another file may have them in another order
        mine = pl.concat(frames) if frames else pl.DataFrame(schema=types)
        return Table(mine, lambda why: _core.UsageError(f"armilla: rank {_core.rank()}: {name}: {', '.join(file for file, _ in files)}: {first_line(why)}"))

    return _chosen(together(name, run, lambda: str(path)), columns)


def _own_groups(files: list[tuple[str, list[int]]]) -> list[tuple[str, int, int]]:
    """The rows of each file that this rank reads: of groups that follow each other, about as many rows on each rank."""
    total = sum(sum(rows) for _, rows in files)
    found: list[tuple[str, int, int]] = []
    at = 0
    for file, each in files:
        start = at
        own = []
        for rows in each:
            if rows and int((at + rows / 2) * _core.size() / total) == _core.rank():
                own.append((at - start, rows))
            at += rows
        if own:
            found.append((file, own[0][0], sum(rows for _, rows in own)))
    return found
