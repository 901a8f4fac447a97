#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times joins and sums by key of polars and DuckDB, for armilla-bench: bench/python/tables.py ENGINE_ROW SIZE ITERATIONS.

ENGINE is polars or duckdb; ROW a join of two inputs of SIZE pairs each, or reduce_by_key, summaries_by_key or group_by with _10m, _100k, _100 or _zipf,
of SIZE pairs. Inputs are those of the rows of armilla-bench. Prints the nanoseconds of the row, which two threads do; what it gives is checked.
"""
import os
import sys
import time

THREADS = 2
os.environ["POLARS_MAX_THREADS"] = str(THREADS)  # read when polars is imported

import numpy as np  # noqa: E402

KEYS = {"10m": 10_000_000, "100k": 100_000, "100": 100, "zipf": 10_000_000}


def random_bits(i):
    """splitmix64 of numbers."""
    z = (i + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def keys_to_group(kind, n):
    bits = random_bits(np.arange(n, dtype=np.uint64))
    if kind != "zipf":
        return random_bits(bits % np.uint64(KEYS[kind]))
    fraction = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return random_bits((np.exp(fraction * np.log(KEYS[kind] + 1.0)) - 1).astype(np.uint64))


def join_input(first, n):
    at = np.arange(first, first + n, dtype=np.uint64)
    return {"k": random_bits(at) % np.uint64(n), "v": at}


def inputs(row, n):
    if row == "join":
        return {"l": join_input(0, n), "r": join_input(n, n)}
    return {"l": {"k": keys_to_group(row.rsplit("_", 1)[1], n), "v": np.arange(n, dtype=np.uint64)}}


def of_polars(row, tables):
    import polars as pl

    frames = {name: pl.DataFrame(table) for name, table in tables.items()}
    value = pl.col("v")
    sums = {"reduce_by_key": [value.sum()], "summaries_by_key": [value.sum(), value.min().alias("least"), value.max().alias("most"), pl.len().alias("n")],
            "group_by": [value]}

    def work():
        if row == "join":
            return frames["l"].join(frames["r"], on="k")
        return frames["l"].group_by("k").agg(sums[row.rsplit("_", 1)[0]])

    def sum_of(result):
        return len(result) if row == "join" else int((result.explode("v") if row.startswith("group_by") else result)["v"].sum())

    return work, sum_of


def of_duckdb(row, tables):
    import duckdb

    base = duckdb.connect()
    base.execute(f"SET threads = {THREADS}")
    for name, table in tables.items():
        k, v = table["k"], table["v"]  # found by their names
        base.register("arrays", {"k": k, "v": v})
        base.execute(f"CREATE TABLE {name} AS SELECT * FROM arrays")
    sums = {"reduce_by_key": "sum(v) AS v", "summaries_by_key": "sum(v) AS v, min(v) AS least, max(v) AS most, count(*) AS n", "group_by": "list(v) AS v"}
    query = "SELECT l.k, l.v, r.v AS w FROM l JOIN r ON l.k = r.k" if row == "join" else f"SELECT k, {sums[row.rsplit('_', 1)[0]]} FROM l GROUP BY k"

    def work():
        base.execute(f"CREATE OR REPLACE TEMP TABLE result AS {query}")

    def sum_of(_):
        value = "count(*)" if row == "join" else "sum(list_sum(v))" if row.startswith("group_by") else "sum(v)"
        return int(base.execute(f"SELECT {value} FROM result").fetchone()[0])

    return work, sum_of


def expected(row, n, tables):
    if row != "join":
        return n * (n - 1) // 2
    left, right = (np.bincount(tables[name]["k"].astype(np.int64), minlength=n) for name in "lr")
    return int((left * right).sum())


def main():
    engine, row = sys.argv[1].split("_", 1)
    n, iterations = int(sys.argv[2]), int(sys.argv[3])
    tables = inputs(row, n)
    work, sum_of = {"polars": of_polars, "duckdb": of_duckdb}[engine](row, tables)
    if sum_of(work()) != expected(row, n, tables):
        sys.exit(f"{engine}: {row} is wrong")
    start = time.perf_counter_ns()
    for _ in range(iterations):
        work()
    print((time.perf_counter_ns() - start) / iterations)


if __name__ == "__main__":
    main()
