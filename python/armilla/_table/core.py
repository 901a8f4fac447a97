# SPDX-License-Identifier: Apache-2.0
"""The class of distributed tables."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from .. import _arrays, _core  # noqa: F401  (_arrays completes the class of arrays)
from .._nd import core, meeting
from .._nd.core import Array, blocks
from .._shown import shown
from . import expressions, moving

gather_limit = 4 << 30  # bytes that a table may have to become one of polars, pandas or Arrow
broadcast_limit = 16 << 20  # bytes of a table that a join sends to all ranks instead of moving both


def first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"


def together(name: str, f: Callable[[], Any], what: Callable[[], str] = str) -> Any:
    """What all ranks do. Errors of polars name the operation."""

    return meeting.together(name, lambda: _named(name, f), what)


def _named(name: str, f: Callable[[], Any]) -> Any:
    try:
        return f()
    except (pl.exceptions.PolarsError, nw.exceptions.NarwhalsError) as why:
        raise _core.UsageError(f"armilla: rank {_core.rank()}: {name}: {first_line(why)}") from why


def _check_count(name: str, n: Any) -> None:
    if not isinstance(n, (int, np.integer)) or n < 0:
        raise _core.UsageError(f"armilla: {name}: {n!r} rows; give zero or more")


class Table:
    """Rows that are dealt to all ranks in order: rank 0 has the first ones. Each rank has a part, which is a `polars.DataFrame`.

    Operations that take each row by itself (`filter`, `select`, `with_columns`) are noted, and run when something needs the rows: so a file is
    read as far as it is needed. All others move rows, and run at once; all ranks call them, in the same order. Expressions are those of
    Narwhals.

    >>> import armilla as am, narwhals as nw
    >>> t = am.table({"key": ["a", "b", "a"], "x": [1, 2, 3]})
    >>> t.filter(nw.col("x") > 1).group_by("key").agg(nw.col("x").sum()).sort("key").to_polars().rows()
    [('a', 3), ('b', 2)]
    """

    __slots__ = ("_lazy", "_rows", "_explain", "_name", "_shown", "__weakref__")

    def __init__(self, rows: Any, explain: Callable[[Exception], Exception] | None = None) -> None:
        """Internal: use `armilla.table` and its relatives. `explain`: what an error in reading the rows means."""
        self._lazy: pl.LazyFrame = rows.lazy()
        self._rows: pl.DataFrame | None = rows if isinstance(rows, pl.DataFrame) else None
        self._explain = explain
        self._name: str | None = None
        self._shown: Any = None

    # ---- what it is ----

    @property
    def name(self) -> str | None:
        """The name that the table was given when it was made: `am.table(columns, name="prices")`. Results have none."""
        return self._name

    def _named(self, name: str | None) -> "Table":
        if name is not None:
            self._name = str(name)
            self._shown = shown(self._name, "am.table", 0, 0)
            self._show_size()
        return self

    def _show_size(self) -> None:
        if self._shown is not None and self._rows is not None:
            self._shown.resize(len(self._rows), int(self._rows.estimated_size()))

    @property
    def schema(self) -> pl.Schema:
        """The names and types of the columns."""
        return self._rows.schema if self._rows is not None else self._lazy.collect_schema()

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self.schema.names()

    def local(self) -> pl.DataFrame:
        """The rows of this rank. No other rank takes part."""
        if self._rows is None:
            try:
                self._rows = self._lazy.collect()
            except pl.exceptions.PolarsError as why:
                if self._explain is None:
                    raise
                raise self._explain(why) from why
            self._lazy, self._explain = self._rows.lazy(), None
            self._show_size()
        if self._shown is not None:
            self._shown.operate()
        return self._rows

    def __len__(self) -> int:
        """The number of rows of all ranks. All ranks call it."""
        return int(together("table.len", lambda: meeting.meet_numbers("table.len", len(self.local()))).sum())

    def __repr__(self) -> str:
        mine = "rows that are not computed yet" if self._rows is None else f"{len(self._rows)} rows"
        return f"<armilla.Table of {', '.join(f'{name}: {kind}' for name, kind in self.schema.items())}; {mine} on rank {_core.rank()} of {_core.size()}>"

    def __reduce__(self) -> Any:
        raise TypeError("armilla: table: a distributed table cannot be sent or pickled; send t.local() or t.to_polars(), or write it by t.write_parquet")

    def _alike(self, lazy: Any) -> "Table":
        made = Table(lazy, self._explain)
        made.schema  # raises here for columns that do not exist
        return made

    def _mapped(self, name: str, f: Callable[[Any], Any]) -> "Table":
        return _named(name, lambda: self._alike(f(nw.from_native(self._lazy)).to_native()))

    def _need(self, name: str, columns: Sequence[str]) -> None:
        missing = [c for c in columns if c not in self.schema]
        if missing:
            raise _core.UsageError(f"armilla: {name}: there is no column {', '.join(map(repr, missing))}; there are {', '.join(map(repr, self.columns))}")

    def _names(self, name: str, by: Any) -> list[str]:
        """Names of columns, given as one, or as several, or in a list."""
        names = [n for each in by for n in (each if isinstance(each, (list, tuple)) else [each])]
        if not all(isinstance(n, str) for n in names):
            raise _core.UsageError(f"armilla: {name}: the columns {names!r}; give their names, and make others by with_columns first")
        self._need(name, names)
        return names

    # ---- each row by itself ----

    def filter(self, *predicates: Any) -> "Table":
        """The rows for which all predicates are true."""
        exprs = expressions.given("table.filter", predicates, {})
        expressions.require_by_rows("table.filter", exprs, "compute it by t.select(...) first, and compare with its value")
        return self._mapped("table.filter", lambda frame: frame.filter(*exprs))

    def with_columns(self, *exprs: Any, **named: Any) -> "Table":
        """The same rows with further columns, or others of the same names. A distributed array of one axis becomes a column, too; then all ranks call it."""
        arrays = {key: value for key, value in named.items() if isinstance(value, Array)}
        made = expressions.given("table.with_columns", exprs, {key: value for key, value in named.items() if key not in arrays})
        expressions.require_by_rows("table.with_columns", made, "compute it by t.select(...) or t.group_by(...), and use its value or join with it")
        table = self._mapped("table.with_columns", lambda frame: frame.with_columns(*made)) if made else self
        return table._with_arrays(arrays) if arrays else table

    def select(self, *exprs: Any, **named: Any) -> "Table":
        """The columns that the expressions give. Aggregations alone make one row of all rows, which rank 0 has; then all ranks call it."""
        made = expressions.given("table.select", exprs, named)
        if _named("table.select", lambda: expressions.are_aggregates(made, self.schema)):
            return self._aggregated("table.select", [], made)
        expressions.require_by_rows("table.select", made, "aggregations of all rows are selected without other columns, those of groups by t.group_by(...).agg(...); t.sort sorts")
        return self._mapped("table.select", lambda frame: frame.select(*made))

    def drop(self, *columns: Any) -> "Table":
        """The other columns."""
        names = self._names("table.drop", columns)
        return self._mapped("table.drop", lambda frame: frame.drop(names))

    def rename(self, names: dict[str, str]) -> "Table":
        """The same columns with other names: old ones and new ones."""
        self._need("table.rename", list(names))
        return self._mapped("table.rename", lambda frame: frame.rename(names))

    def map_partitions(self, f: Callable[[pl.DataFrame], Any]) -> "Table":
        """What `f` makes of the rows of each rank: anything from which polars makes a frame, with the same columns on all ranks."""
        return Table(together("table.map_partitions", lambda: _typed("table.map_partitions", _as_frame("table.map_partitions", f(self.local()))))).checked("table.map_partitions")

    def checked(self, name: str) -> "Table":
        """Itself, after the ranks have compared their columns."""
        together(name, lambda: None, lambda: f"rows of {dict(self.schema)}")
        return self

    # ---- groups ----

    def group_by(self, *keys: Any) -> "Groups":
        """The rows in groups of equal keys, for `agg`: columns, or expressions of each row, which become columns of the result."""
        given = [k for each in keys for k in (each if isinstance(each, (list, tuple)) else [each])]
        names = [name for k in given for name in (self._names_of_key(k) if isinstance(k, nw.Expr) else [k])]
        made = [k for k in given if isinstance(k, nw.Expr) and not expressions.is_column(k)]
        table = self.with_columns(*made) if made else self
        return Groups(table, table._names("table.group_by", names))

    def _names_of_key(self, key: nw.Expr) -> list[str]:
        found = _named("table.group_by", lambda: nw.from_native(pl.DataFrame(schema=self.schema)).select(key).columns)
        taken = [] if expressions.is_column(key) else [c for c in found if c in self.schema]
        if taken:
            raise _core.UsageError(f"armilla: table.group_by: the key {key!r} would be named '{taken[0]}', as a column of the table is; give it another name with .alias")
        return found

    def _aggregated(self, name: str, keys: list[str], exprs: list[nw.Expr]) -> "Table":
        return Table(together(name, lambda: _aggregated(name, self, keys, exprs), lambda: f"{[*map(expressions.outline, exprs)]} by {keys} of {dict(self.schema)}"))

    def value_counts(self, column: str, *, name: str = "count") -> "Table":
        """How often each value of a column occurs, the most frequent one first."""
        self._need("table.value_counts", [column])
        return self.group_by(column).agg(nw.len().alias(name)).sort(name, column, descending=[True, False])

    def unique(self, *subset: Any, keep: str = "any") -> "Table":
        """One row for each combination of the values in these columns (in all of them): `keep` is "any", "first" or "last", or "none" for those that occur once. The order of rows changes."""
        if keep not in ("any", "first", "last", "none"):
            raise _core.UsageError(f"armilla: table.unique: keep {keep!r}; there are 'any', 'first', 'last' and 'none'")
        keys = self._names("table.unique", subset) or self.columns

        def run() -> pl.DataFrame:
            rows = self.local() if keep == "none" else self.local().unique(keys, keep=keep, maintain_order=True)  # type: ignore[arg-type]
            return moving.shuffled("table.unique", rows, keys).unique(keys, keep=keep, maintain_order=True)  # type: ignore[arg-type]

        return Table(together("table.unique", run, lambda: f"{keys} {keep} of {dict(self.schema)}"))

    # ---- order ----

    def sort(self, *by: Any, descending: Any = False, nulls_last: bool = False) -> "Table":
        """The rows in order, over all ranks. Equal rows stay in their order. `descending`: for all columns, or one for each."""
        order = self._order("table.sort", by, descending, nulls_last)
        return Table(together("table.sort", lambda: moving.in_order("table.sort", self.local(), order), lambda: f"{order.by} {order.descending} {nulls_last} of {dict(self.schema)}"))

    def _order(self, name: str, by: Any, descending: Any, nulls_last: bool) -> moving.Order:
        names = self._names(name, by)
        if not names:
            raise _core.UsageError(f"armilla: {name}: no columns; give the names of those that say the order")
        flags = [descending] * len(names) if isinstance(descending, bool) else list(descending)
        if len(flags) != len(names):
            raise _core.UsageError(f"armilla: {name}: {len(flags)} values of descending for {len(names)} columns; give one for each")
        return moving.Order(names, flags, nulls_last)

    def top_k(self, k: int, by: Any, *, reverse: Any = False) -> "Table":
        """The k greatest rows by these columns, the greatest one first (`reverse`: the least), all on rank 0. Nulls come last."""
        _check_count("table.top_k", k)
        names = self._names("table.top_k", [by])
        order = self._order("table.top_k", names, [not r for r in ([reverse] * len(names) if isinstance(reverse, bool) else reverse)], True)

        def run() -> pl.DataFrame:
            rows = order.sorted(self.local()).head(k)
            return order.sorted(moving.exchanged("table.top_k", [rows] + [rows.clear()] * (_core.size() - 1))).head(k)

        return Table(together("table.top_k", run, lambda: f"{k} {names} {order.descending} of {dict(self.schema)}"))

    def head(self, n: int = 5) -> "Table":
        """The first n rows, where they are."""
        _check_count("table.head", n)
        before = lambda: int(meeting.meet_numbers("table.head", len(self.local()))[: _core.rank(), 0].sum())  # noqa: E731
        return Table(together("table.head", lambda: self.local().head(max(0, n - before())), lambda: str(n)))

    def rebalance(self) -> "Table":
        """The same rows in the same order, in equal parts."""

        def run() -> pl.DataFrame:
            total = int(meeting.meet_numbers("table.rebalance", len(self.local())).sum())
            return moving.in_parts("table.rebalance", self.local(), blocks(total)[1:])

        return Table(together("table.rebalance", run))

    def partition_by(self, *keys: Any) -> "Table":
        """The rows dealt by the hash of their keys: equal keys are on one rank, for `map_partitions`."""
        names = self._names("table.partition_by", keys)
        if not names:
            raise _core.UsageError("armilla: table.partition_by: no columns; give the names of the keys")
        return Table(together("table.partition_by", lambda: moving.shuffled("table.partition_by", self.local(), names), lambda: f"{names} of {dict(self.schema)}"))

    # ---- two tables ----

    def join(self, other: "Table", on: Any = None, how: str = "inner", *, left_on: Any = None, right_on: Any = None, suffix: str = "_right", broadcast: bool | None = None) -> "Table":
        """The rows of two tables with equal keys: "inner", "left", "semi" or "anti". Nulls equal nothing.

        A small other table goes to all ranks; else the rows of both are dealt by the hash of their keys. `broadcast` decides it. Columns of the
        other one whose names are taken get the suffix.
        """
        if how not in ("inner", "left", "semi", "anti"):
            raise _core.UsageError(f"armilla: table.join: how {how!r}; there are 'inner', 'left', 'semi' and 'anti'")
        if not isinstance(other, Table):
            raise _core.UsageError(f"armilla: table.join: the other side is of type {type(other).__qualname__}; make a table of it by armilla.table")
        left, right = (self._names("table.join", [on if on is not None else left_on or []]), other._names("table.join", [on if on is not None else right_on or []]))
        self._check_keys(other, left, right)

        def run() -> pl.DataFrame:
            mine, its = self.local(), other.local()
            small = broadcast
            if small is None:
                small = int(meeting.meet_numbers("table.join", its.estimated_size()).sum()) <= broadcast_limit
            if small:
                its = moving.gathered("table.join", its)
            else:
                mine, its = moving.shuffled("table.join", mine, left), moving.shuffled("table.join", its, right)
            return mine.join(its, left_on=left, right_on=right, how=how, suffix=suffix, maintain_order="left" if how in ("inner", "left") else None)  # type: ignore[arg-type]

        return Table(together("table.join", run, lambda: f"{how} {left} {right} {broadcast} of {dict(self.schema)} and {dict(other.schema)}"))

    def _check_keys(self, other: "Table", left: list[str], right: list[str]) -> None:
        if not left or len(left) != len(right):
            raise _core.UsageError(f"armilla: table.join: keys {left} and {right}; give `on`, or as many names in `left_on` as in `right_on`")
        for a, b in zip(left, right):
            if self.schema[a] != other.schema[b]:
                raise _core.UsageError(f"armilla: table.join: the keys {a!r} of {self.schema[a]} and {b!r} of {other.schema[b]} have different types; cast one by with_columns(nw.col({b!r}).cast(...))")

    # ---- arrays ----

    def __getitem__(self, column: str) -> Array:
        """A column of numbers or truth values as a distributed array. All ranks call it. Costs a copy; nulls are an error."""
        from .._nd.create import from_local

        if not isinstance(column, str):
            raise _core.UsageError(f"armilla: table: an index of type {type(column).__qualname__}; t['x'] is a column as an array, and t.select, t.filter and t.head choose columns and rows")
        self._need("table", [column])
        return from_local(together(f"table[{column!r}]", lambda: self._numbers(column)))

    def _numbers(self, column: str) -> np.ndarray:
        values = self.local()[column]
        if not (values.dtype.is_numeric() or values.dtype == pl.Boolean) or values.dtype.is_decimal():
            raise _core.UsageError(f"armilla: table[{column!r}]: a column of {values.dtype} is no array of numbers; cast it by with_columns, or use t.local()")
        if values.null_count():
            raise _core.UsageError(f"armilla: table[{column!r}]: {values.null_count()} nulls on rank {_core.rank()}, which arrays do not have; replace them by with_columns(nw.col({column!r}).fill_null(...))")
        return values.to_numpy()

    def _with_arrays(self, arrays: dict[str, Array]) -> "Table":
        def run() -> pl.DataFrame:
            rows = self.local()
            sizes = meeting.meet_numbers("table.with_columns", len(rows))[:, 0].tolist()
            return rows.with_columns([pl.Series(key, _part_of("table.with_columns", key, a, sizes)) for key, a in arrays.items()])

        return Table(together("table.with_columns", run))

    # ---- whole tables ----

    def to_polars(self, limit: int | None = 0) -> pl.DataFrame:
        """The whole table on each rank. All ranks call it. `limit`: of its bytes; None: no limit."""
        bound = gather_limit if limit == 0 else limit

        def run() -> pl.DataFrame:
            size = int(meeting.meet_numbers("table.to_polars", self.local().estimated_size()).sum())
            if bound is not None and size > bound:
                raise _core.LimitError(f"armilla: table: the whole table of {size} bytes is more than the {bound} that may be gathered on each rank; work on t.local(), select what you need, or call t.to_polars(limit=None)")
            return moving.gathered("table.to_polars", self.local())

        return together("table.to_polars", run, lambda: str(dict(self.schema)))

    def to_pandas(self) -> Any:
        """The whole table on each rank, as a frame of pandas."""
        return self.to_polars().to_pandas()

    def to_arrow(self) -> Any:
        """The whole table on each rank, as a table of pyarrow."""
        return self.to_polars().to_arrow()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The whole table on each rank, for all that reads Arrow's C stream. All ranks call it."""
        return self.to_polars().__arrow_c_stream__(requested_schema)

    # ---- what other files define ----

    def write_parquet(self, folder: str, **options: Any) -> None:
        """Writes a folder with one Parquet file for each rank. `options` are those of polars."""
        from . import writing

        writing.write_parquet(self, folder, options)

    def write_csv(self, path: str, **options: Any) -> None:
        """Writes one file, with a header. `options` are those of polars."""
        from . import writing

        writing.write_csv(self, path, options)

    def sql(self, query: str) -> "Table":
        """What a query of DuckDB makes of this table, which it calls `self`."""
        from . import queries

        return queries.run(self, query)


class Groups:
    """The rows of a table in groups of equal keys. Made by `table.group_by`."""

    def __init__(self, table: Table, keys: list[str]) -> None:
        if not keys:
            raise _core.UsageError("armilla: table.group_by: no keys; table.select aggregates all rows")
        self._table, self._keys = table, keys

    def agg(self, *exprs: Any, **named: Any) -> Table:
        """One row for each group: the keys, and what the expressions make of its rows. The order of rows is not defined.

        Sums, counts, means, extremes, `any` and `all` are computed of parts, so that few rows move. For others the rows of each group are
        brought to one rank.
        """
        return self._table._aggregated("table.group_by", self._keys, expressions.given("table.group_by", exprs, named))


def _aggregated(name: str, table: Table, keys: list[str], exprs: list[nw.Expr]) -> pl.DataFrame:
    empty = pl.DataFrame(schema=table.schema)
    schema = expressions.evaluated(empty, keys, exprs).schema
    outputs = [c for c in schema if c not in keys]
    splits = [expressions.split(e, c, schema[c], i) for i, (e, c) in enumerate(zip(exprs, outputs))] if all(map(expressions.has_one_output, exprs)) else [None]
    if not all(splits) or _rows_first(name, table.local(), keys):
        found = _of_groups(moving.shuffled(name, table.local(), keys), keys, exprs).cast(dict(schema))  # type: ignore[arg-type]
    else:
        parts = expressions.evaluated(table.local(), keys, [e for s in splits for e in s.first])  # type: ignore[union-attr]
        moved = moving.shuffled(name, parts, keys)
        whole = expressions.evaluated(moved, keys, [e for s in splits for e in s.then])  # type: ignore[union-attr]
        found = nw.from_native(whole).select(*keys, *(s.last for s in splits)).to_native().cast(dict(schema))  # type: ignore[union-attr, arg-type]
    return found if keys or _core.rank() == 0 else found.clear()


def _rows_first(name: str, rows: pl.DataFrame, keys: list[str]) -> bool:
    """Whether there are so many groups that partial results would have about as many rows as the table. All ranks decide the same."""
    if _core.size() == 1:
        return True
    few = len(rows) < moving._few_rows
    votes = meeting.meet_numbers(name, 1 if few else 2 * (2 * moving.estimated_groups(rows, keys) > len(rows)))[:, 0]
    return bool(votes.all() and votes.max() == 2)


def _of_groups(rows: pl.DataFrame, keys: list[str], exprs: list[nw.Expr]) -> pl.DataFrame:
    """Aggregates rows; all rows of a group are on this rank. If there are many groups, aggregates parts of the rows one after the other."""
    if moving.estimated_groups(rows, keys) < _many_groups:
        return expressions.evaluated(rows, keys, exprs)
    return pl.concat([expressions.evaluated(part, keys, exprs) for part in moving.near_parts(rows, keys) if len(part)])


_many_groups = 1 << 18


def _part_of(name: str, key: str, a: Array, sizes: list[int]) -> np.ndarray:
    """The elements of an array that belong to this rank's rows."""
    if a.ndim != 1 or len(a) != sum(sizes):
        raise _core.UsageError(f"armilla: {name}: {key!r}: an array of shape {a.shape} for {sum(sizes)} rows; a column has one axis and as many elements")
    return np.array(a.redistribute(0, sizes).local())


def _as_frame(name: str, source: Any) -> pl.DataFrame:
    if isinstance(source, pl.DataFrame):
        return source
    if isinstance(source, pl.LazyFrame):
        return source.collect()
    if isinstance(source, dict) or hasattr(source, "__arrow_c_stream__"):
        return pl.DataFrame(source)
    if type(source).__module__.partition(".")[0] == "pandas":
        return pl.from_pandas(source)
    raise _core.UsageError(f"armilla: {name}: {type(source).__module__}.{type(source).__qualname__} is no table; give a dict of columns, a frame of polars or pandas, or what has Arrow's C stream")


def _typed(name: str, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of this rank; columns without a type, since they have no values, get that of another rank."""
    schemas = core.gathered(name, rows.schema)
    types = {column: kind for schema in reversed(schemas) for column, kind in schema.items() if kind != pl.Null}
    return rows.cast({column: types[column] for column, kind in rows.schema.items() if kind == pl.Null and column in types})


def table(source: Any, *, local: bool = False, name: str | None = None) -> Table:
    """A distributed table of `source`: a dict of columns, a frame of polars or pandas, or what has Arrow's C stream.

    All ranks give the same rows, of which each takes its part. `local=True`: each rank gives a part of its own. Columns of a dict may be
    distributed arrays. Statistics and `armilla-top` show `name`.

    >>> import armilla as am
    >>> t = am.table({"x": am.arange(5), "y": am.arange(5) * 2})
    >>> len(t), t.columns
    (5, ['x', 'y'])
    """
    if isinstance(source, Table):
        return source if name is None else source._alike(source._lazy)._named(name)
    if isinstance(source, dict) and any(isinstance(v, Array) for v in source.values()):
        return _of_arrays(source)._named(name)

    def run() -> pl.DataFrame:
        rows = _as_frame("armilla.table", source)
        if local:
            return _typed("armilla.table", rows)
        ends = blocks(len(rows))
        return rows[ends[_core.rank()]:ends[_core.rank() + 1]]

    return Table(together("armilla.table", run, lambda: "a part of each rank" if local else "the same rows")).checked("armilla.table")._named(name)


def _of_arrays(columns: dict[str, Any]) -> Table:
    wrong = next((key for key, v in columns.items() if not isinstance(v, Array)), None)
    if wrong is not None:
        raise _core.UsageError(f"armilla: armilla.table: the column {wrong!r} is of type {type(columns[wrong]).__qualname__} beside distributed arrays; make an array of it by armilla.array")
    ends = blocks(len(next(iter(columns.values()))))
    sizes = [end - first for first, end in zip(ends, ends[1:])]
    return Table(together("armilla.table", lambda: pl.DataFrame({key: _part_of("armilla.table", key, a, sizes) for key, a in columns.items()})))


def from_polars(frame: Any, *, local: bool = False, name: str | None = None) -> Table:
    """Returns a distributed table of a polars data frame. All ranks pass the same rows; with `local=True`, each rank passes its own part of the rows.

    >>> import armilla as am
    >>> import polars as pl
    >>> am.from_polars(pl.DataFrame({"x": [1, 2, 3]})).to_polars()["x"].to_list()
    [1, 2, 3]
    """
    return table(frame, local=local, name=name)


def from_pandas(frame: Any, *, local: bool = False, name: str | None = None) -> Table:
    """Returns a distributed table of a pandas data frame. Otherwise as `from_polars`.

    >>> import armilla as am
    >>> import pandas as pd
    >>> len(am.from_pandas(pd.DataFrame({"x": [1, 2, 3]})))
    3
    """
    return table(frame, local=local, name=name)


def from_arrow(source: Any, *, local: bool = False, name: str | None = None) -> Table:
    """Returns a distributed table of a pyarrow table, or of an object with Arrow's C stream. Otherwise as `from_polars`.

    >>> import armilla as am
    >>> import pyarrow as pa
    >>> am.from_arrow(pa.table({"x": [1, 2, 3]})).columns
    ['x']
    """
    return table(source, local=local, name=name)
