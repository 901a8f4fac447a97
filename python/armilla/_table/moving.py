# SPDX-License-Identifier: Apache-2.0
"""How rows move between ranks: as buffers of Arrow's stream format, never pickled."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.ipc

from .. import _collectives, _core
from .._nd import meeting

_part = "__armilla_part"


def _packed(rows: pl.DataFrame) -> pa.Buffer:
    """One copy. In the older layout of texts, as the newer one sends those of rows that stay as well."""
    try:
        if pl.Object in rows.dtypes:  # of which polars gives addresses
            raise pa.ArrowNotImplementedError("objects of Python stay where they are")
        table = rows.to_arrow(compat_level=pl.CompatLevel.oldest())
    except pa.ArrowException as why:
        raise _core.UsageError(f"armilla: table: columns of {', '.join(map(str, rows.dtypes))} cannot be sent to another rank: {why}") from why
    counted = pa.MockOutputStream()
    _write(counted, table)
    buffer = pa.allocate_buffer(counted.size())
    _write(pa.FixedSizeBufferWriter(buffer), table)
    return buffer


def _write(sink: Any, table: pa.Table) -> None:
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)


def _unpacked(data: Any, schema: pl.Schema) -> pl.DataFrame:
    """Without a copy, but for texts."""
    return pl.DataFrame(pl.from_arrow(pa.ipc.open_stream(pa.py_buffer(data)).read_all()), schema=schema)


def exchanged(name: str, parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Part r goes to rank r. What this rank gets, in the order of the ranks."""
    me = _core.rank()
    if _core.size() == 1:
        return parts[0]
    packed = [[b"" if r == me else _packed(rows)] for r, rows in enumerate(parts)]
    meeting.meet(name, _text_of(parts[me].schema))  # where all learn what has failed on one
    blocks = meeting.run(name, _core.exchange, name, packed)
    return pl.concat([parts[me] if r == me else _unpacked(data, parts[me].schema) for r, (data,) in enumerate(blocks)])


def gathered(name: str, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of all ranks, on each, in the order of the ranks."""
    if _core.size() == 1:
        return rows
    packed = np.frombuffer(_packed(rows), np.uint8)
    meeting.meet(name, _text_of(rows.schema))
    return pl.concat([_unpacked(data, rows.schema) for data in _collectives.gathered(name, packed)])


def _text_of(schema: Any) -> str:
    return "moves rows of " + ", ".join(f"{name}: {kind}" for name, kind in schema.items())


def _hashed_as(kind: Any) -> Any:
    """The type whose hash is the same on all ranks: the numbers of categories differ between them, also within lists and structs."""
    if isinstance(kind, (pl.Categorical, pl.Enum)):
        return pl.String()
    if isinstance(kind, pl.List):
        return pl.List(_hashed_as(kind.inner))
    if isinstance(kind, pl.Array):
        return pl.Array(_hashed_as(kind.inner), kind.size)
    if isinstance(kind, pl.Struct):
        return pl.Struct({field.name: _hashed_as(field.dtype) for field in kind.fields})
    return kind


def _parted(rows: pl.DataFrame, owner: pl.Series, parts: int) -> list[pl.DataFrame]:
    """The rows of each part. Their order stays."""
    if parts <= 16:  # quicker for few
        return [rows.filter(owner == r) for r in range(parts)]
    found = rows.with_columns(owner.alias(_part)).partition_by(_part, as_dict=True, include_key=False, maintain_order=True)
    return [found.get((r,), rows.clear()) for r in range(parts)]


def _hashes(rows: pl.DataFrame, keys: Sequence[str]) -> pl.Series:
    return rows.select(pl.col(key).cast(_hashed_as(rows.schema[key])) for key in keys).hash_rows(0)


def by_hash(rows: pl.DataFrame, keys: Sequence[str]) -> list[pl.DataFrame]:
    """A part for each rank, such that equal keys go to one rank. The order of rows stays."""
    ranks = _core.size()
    if ranks == 1 or not keys:
        return [rows] + [rows.clear()] * (ranks - 1)
    return _parted(rows, (_hashes(rows, keys) % ranks).cast(pl.UInt16), ranks)


def near_parts(rows: pl.DataFrame, keys: Sequence[str]) -> list[pl.DataFrame]:
    """Parts of this rank's rows with equal keys in one of them, whose groups fit into its caches better than those of all rows."""
    return _parted(rows, (_hashes(rows, keys) // _core.size() % _near_parts).cast(pl.UInt16), _near_parts)


_near_parts = 16
_sample = 1 << 14
_few_rows = 1 << 17


def estimated_groups(rows: pl.DataFrame, keys: Sequence[str]) -> int:
    """About how many groups there are: judged by how often two of a sample are of one. Of few rows zero."""
    n = len(rows)
    if n < _few_rows or not keys:
        return 0
    sample = np.unique(np.random.default_rng(0).integers(0, n, _sample))
    distinct = rows.select(keys)[sample].n_unique()
    if distinct < len(sample) / 2:
        return distinct
    return n if distinct == len(sample) else min(n, len(sample) ** 2 // (2 * (len(sample) - distinct)))


def shuffled(name: str, rows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The rows of all ranks, dealt by the hash of their keys."""
    return exchanged(name, by_hash(rows, keys))


# ---- in order ----


class Order:
    """By which columns rows are sorted."""

    def __init__(self, by: Sequence[str], descending: Sequence[bool], nulls_last: bool) -> None:
        self.by, self.descending, self.nulls_last = list(by), list(descending), nulls_last

    def sorted(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.sort(self.by, descending=self.descending, nulls_last=self.nulls_last, maintain_order=True)

    def before(self, keys: pl.DataFrame, border: pl.DataFrame) -> int:
        """How many of the sorted keys are in front of a border. Rows that equal it are not."""
        low, high = 0, len(keys)
        while low < high:
            middle = (low + high) // 2
            pair = pl.concat([border, keys.slice(middle, 1)]).with_row_index(_part)
            if self.sorted(pair)[_part][0]:  # the border stays in front of its equals
                low = middle + 1
            else:
                high = middle
        return low


_samples = 64  # of each rank, for each rank


def in_order(name: str, rows: pl.DataFrame, order: Order) -> pl.DataFrame:
    """The rows of all ranks, sorted: this rank's come before those of the next one. Equal rows stay in their order."""
    ranks = _core.size()
    if ranks == 1:
        return order.sorted(rows)
    if len(order.by) == 1 and meeting.meet_numbers(name, _is_ordered(rows[order.by[0]])).all():
        return order.sorted(exchanged(name, _by_borders(name, rows, order)))
    mine = order.sorted(rows)
    keys = mine.select(order.by)
    sample = keys[np.unique(np.linspace(0, len(keys) - 1, min(len(keys), _samples * ranks)).astype(np.int64))]
    borders = order.sorted(gathered(name, sample))
    ends = [order.before(keys, borders.slice(len(borders) * r // ranks, 1)) if len(borders) else 0 for r in range(1, ranks)]
    parts = [mine[first:end] for first, end in zip([0, *ends], [*ends, len(mine)])]
    return order.sorted(exchanged(name, parts))


def _is_ordered(keys: pl.Series) -> bool:
    """Whether comparisons order the keys as a sort does."""
    return (keys.dtype.is_numeric() or keys.dtype.is_temporal() or keys.dtype == pl.String) and keys.null_count() == 0


_samples_of_one_key = 1024  # of rows that are not sorted yet


def _by_borders(name: str, rows: pl.DataFrame, order: Order) -> list[pl.DataFrame]:
    """A part for each rank, by one key: so each rank sorts once, after the exchange."""
    key, ranks = order.by[0], _core.size()
    keys = rows.select(key)
    index = np.random.default_rng(len(rows)).integers(0, max(len(rows), 1), _samples_of_one_key * ranks if len(rows) else 0)
    borders = order.sorted(gathered(name, keys[index]))[key]
    part = pl.Series([0], dtype=pl.UInt32).new_from_index(0, len(rows))
    for r in range(1, ranks if len(borders) else 1):
        border = borders[len(borders) * r // ranks]
        part = part + ((keys[key] <= border) if order.descending[0] else (keys[key] >= border)).cast(pl.UInt32)
    return _parted(rows, part, ranks)


def in_parts(name: str, rows: pl.DataFrame, ends: Sequence[int]) -> pl.DataFrame:
    """The rows of all ranks in the same order, of which rank r gets those up to before `ends[r]`."""
    mine = meeting.meet_numbers(name, len(rows))[:, 0]
    first = int(mine[: _core.rank()].sum())
    own = [min(max(end - first, 0), len(rows)) for end in ends]
    return exchanged(name, [rows[begin:end] for begin, end in zip([0, *own[:-1]], own)])
