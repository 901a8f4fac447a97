# SPDX-License-Identifier: Apache-2.0
"""Queries of DuckDB on a distributed table: each rank runs the query on rows that make it right, or the query is refused.

DuckDB's parser says what a query is. One without aggregates goes over each row by itself. One that groups by columns needs the rows of each group
on one rank. One that aggregates without groups needs all rows on one rank.
"""
from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from typing import Any

import polars as pl

from .. import _core
from .._nd import meeting
from . import moving
from .core import Table, first_line, together

_name = "table.sql"


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError as why:
        raise _core.UsageError(f"armilla: {_name}: it needs the package duckdb, which cannot be imported ({why}); pip install duckdb") from None
    return duckdb


def _refused(query: str, what: str) -> Exception:
    return _core.UsageError(f"armilla: {_name}: {query!r}: {what}")


@functools.lru_cache(maxsize=None)
def _functions() -> dict[str, str]:
    """Each function's kind: scalar or aggregate; others are left out."""
    found = _duckdb().connect().execute("select function_name, function_type from duckdb_functions() where function_type in ('scalar', 'aggregate')").fetchall()
    return dict(sorted(found, key=lambda row: row[1] == "aggregate"))


def _parsed(query: str) -> dict[str, Any]:
    (text,) = _duckdb().connect().execute("select json_serialize_sql(?::varchar)", [query]).fetchone()
    tree = json.loads(text)
    if tree["error"]:
        raise _refused(query, tree["error_message"])
    if len(tree["statements"]) != 1:
        raise _refused(query, "several statements; give one")
    return tree["statements"][0]["node"]


def _inner(tree: Any) -> Iterator[dict[str, Any]]:
    for value in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _inner(value)
    if isinstance(tree, dict) and "class" in tree:
        yield tree


def _keys(query: str, node: dict[str, Any], columns: list[str]) -> list[str] | None:
    """By which columns the rows are dealt, so that each rank has all that its part of the answer needs. None: rows stay."""
    source = node.get("from_table", {})
    if node["type"] != "SELECT_NODE" or node["cte_map"]["map"] or source["type"] != "BASE_TABLE" or source["table_name"].lower() != "self":
        raise _refused(query, "it is more than one SELECT ... FROM self; unions, joins and WITH are not supported: join by t.join")
    if node["sample"] or source["sample"] or node["qualify"]:
        raise _refused(query, "samples and QUALIFY are not supported")
    for modifier in node["modifiers"]:
        what = modifier["type"].removesuffix("_MODIFIER")
        raise _refused(query, f"{what} goes over the rows of all ranks; use t.sort, t.head, t.top_k or t.unique with the result")
    aggregates = False
    for each in _inner(node):
        if each["class"] in ("SUBQUERY", "WINDOW"):
            raise _refused(query, f"a {each['class'].lower()} is not supported")
        if each["class"] == "FUNCTION":
            kind = _functions().get(each["function_name"].lower())
            if kind is None:
                raise _refused(query, f"the function '{each['function_name']}' is neither a scalar nor an aggregate of DuckDB")
            aggregates = aggregates or kind == "aggregate"
    if node["aggregate_handling"] != "STANDARD_HANDLING" or len(node["group_sets"]) > 1:
        raise _refused(query, "GROUP BY ALL, ROLLUP, CUBE and GROUPING SETS are not supported; name the columns after GROUP BY")
    if not node["group_expressions"]:
        return [] if aggregates or node["having"] else None
    known = {c.lower(): c for c in columns}
    keys = []
    for key in node["group_expressions"]:
        *table, name = [n.lower() for n in key["column_names"]] if key["class"] == "COLUMN_REF" else [""]
        if name not in known or table not in ([], ["self"]):  # st.x may be a field of the column st
            raise _refused(query, "GROUP BY takes columns of the table; make others by t.with_columns first")
        keys.append(known[name])
    return keys


def run(table: Table, query: str) -> Table:
    duckdb = _duckdb()
    node = _parsed(query)
    keys = _keys(query, node, table.columns)

    def answer() -> pl.DataFrame:
        rows = _needed(table, node)
        if keys is not None:
            rows = moving.shuffled(_name, rows, keys)
        connection = duckdb.connect()
        connection.execute("set threads = 1")
        connection.register("self", rows.to_arrow())
        try:
            relation = connection.sql(query)
            found = pl.DataFrame(relation)
        except duckdb.Error as why:
            raise _refused(query, first_line(why)) from why
        found = _without_huge(found, [c for c, kind in zip(relation.columns, relation.types) if str(kind) == "HUGEINT"])
        return found.clear() if keys == [] and _core.rank() else found

    return Table(together(_name, answer, lambda: f"{query} of {dict(table.schema)}"))


def _without_huge(rows: pl.DataFrame, huge: list[str]) -> pl.DataFrame:
    """DuckDB's sums of integers have 128 bits: as int64, where those of all ranks fit."""
    if not huge:
        return rows
    small = rows.with_columns(pl.col(huge).cast(pl.Int64, strict=False))
    fits = [small[c].null_count() == rows[c].null_count() for c in huge]
    chosen = meeting.meet_numbers(_name, fits).all(axis=0)
    return rows.with_columns(small[c] for c, good in zip(huge, chosen) if good)


def _needed(table: Table, node: dict[str, Any]) -> pl.DataFrame:
    """The columns that the query names."""
    inner = list(_inner(node))
    if any(each["class"] == "STAR" for each in inner):
        return table.local()
    named = {name.lower() for each in inner if each["class"] == "COLUMN_REF" for name in each["column_names"]}
    return table.select([c for c in table.columns if c.lower() in named] or table.columns[:1]).local()
