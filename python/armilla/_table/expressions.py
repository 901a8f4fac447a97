# SPDX-License-Identifier: Apache-2.0
"""What Narwhals' expressions ask for: whether each row has its own answer, and which aggregations can be made of parts.

An expression of Narwhals is a chain of nodes, each with a kind; further expressions are among a node's arguments.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import narwhals as nw
import polars as pl

from .. import _core

_by_rows = {"LITERAL", "COL", "NTH", "EXCLUDE", "ALL", "SELECTOR", "ELEMENTWISE", "WHEN_THEN"}


def given(name: str, exprs: tuple, named: dict[str, Any]) -> list[nw.Expr]:
    """The arguments as expressions: names of columns, expressions, lists of these, and values with a name."""
    found: list[nw.Expr] = []
    for e in exprs:
        if isinstance(e, (list, tuple)):
            found += given(name, tuple(e), {})
        elif isinstance(e, (str, nw.Expr)):
            found.append(nw.col(e) if isinstance(e, str) else e)
        else:
            raise _core.UsageError(f"armilla: {name}: an argument of type {type(e).__module__}.{type(e).__qualname__}; give names of columns or expressions of Narwhals (import narwhals as nw; nw.col('x') * 2)")
    return found + [(e if isinstance(e, nw.Expr) else nw.col(e) if isinstance(e, str) else nw.lit(e)).alias(key) for key, e in named.items()]


def _nodes(e: nw.Expr) -> Iterator[Any]:
    for node in e._nodes:
        yield node
        for inner in (*node.exprs, *node.kwargs.values()):
            if isinstance(inner, nw.Expr):
                yield from _nodes(inner)


def outline(e: nw.Expr) -> str:
    """What ranks compare of an expression: its text names objects in ways that differ between processes."""
    return ".".join(node.name for node in _nodes(e))


def across_rows(e: nw.Expr) -> str | None:
    """The first thing in the expression for which a row's answer depends on other rows; None: there is none."""
    return next((node.name for node in _nodes(e) if node.kind.name not in _by_rows), None)


def is_column(e: nw.Expr) -> bool:
    """Whether it is columns as they are."""
    return len(e._nodes) == 1 and e._nodes[0].kind.name == "COL"


def require_by_rows(name: str, exprs: list[nw.Expr], advice: str) -> None:
    for e in exprs:
        what = across_rows(e)
        if what is not None:
            raise _core.UsageError(f"armilla: {name}: {e!r}: '{what}' goes over the rows of all ranks; {advice}")


def has_one_output(e: nw.Expr) -> bool:
    """Whether it makes one column of every table; a selector makes none of some tables."""
    first = e._nodes[0]
    return first.kind.name not in ("NTH", "EXCLUDE", "ALL", "SELECTOR") and len(first.kwargs.get("names", ("",))) == 1


def are_aggregates(exprs: list[nw.Expr], schema: pl.Schema) -> bool:
    """Whether they make one row of all rows: also of no rows."""
    return bool(exprs) and len(evaluated(pl.DataFrame(schema=schema), [], exprs)) == 1


def evaluated(rows: pl.DataFrame, keys: list[str], exprs: list[nw.Expr]) -> pl.DataFrame:
    """Aggregations within groups; without keys of all rows."""
    frame = nw.from_native(rows)
    return (frame.group_by(keys).agg(exprs) if keys else frame.select(exprs)).to_native()


class Split(NamedTuple):
    """An aggregation of parts: `first` within each rank, `then` of all ranks' results, and `last` of those."""

    first: list[nw.Expr]
    then: list[nw.Expr]
    last: nw.Expr


_same = {"sum": "sum", "min": "min", "max": "max", "count": "sum", "len": "sum", "any": "any", "all": "all"}


def split(e: nw.Expr, output: str, dtype: pl.DataType, number: int) -> Split | None:
    """How the aggregation that gives this column is made of parts; None: of whole groups alone."""
    nodes = list(e._nodes)
    while nodes and nodes[-1].name == "alias":
        nodes.pop()
    if not nodes or nodes[-1].kind.name != "AGGREGATION" or any(node.kind.name not in _by_rows for node in nodes[:-1]):
        return None
    if any(across_rows(inner) for node in nodes for inner in (*node.exprs, *node.kwargs.values()) if isinstance(inner, nw.Expr)):
        return None
    how, each = nodes[-1].name, nw.Expr(*nodes[:-1])
    part, other = f"__part_{number}", f"__count_{number}"
    if how in _same:
        return Split([nw.Expr(*nodes).alias(part)], [getattr(nw.col(part), _same[how])()], nw.col(part).alias(output))
    if how == "mean" and dtype.is_float():
        return Split([each.cast(nw.Float64).sum().alias(part), each.count().alias(other)], [nw.col(part).sum(), nw.col(other).sum()],
                     nw.when(nw.col(other) > 0).then(nw.col(part) / nw.col(other)).alias(output))
    return None
