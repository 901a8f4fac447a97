#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times am.table on two ranks beside polars and DuckDB with two threads, and Dask with two workers: bench/python/distributed_tables.py [NAME].

10^7 rows. The ratios are those of the medians: to the quicker of polars and DuckDB, and to Dask where it is installed (dask[dataframe], distributed).
Prints a table in Markdown. For figures of a machine that others use, too: chrt -f 5.
"""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

from timing import held, milliseconds, tries

N, OTHER, RANKS = 10**7, 10**6, 2
TO_ENGINES, READING_TO_ENGINES, TO_DASK = 1.2, 1.3, 0.2  # targets of the ratios
GROUPS = {f"group {g}": g for g in (100, 10**4, 10**7)}


def columns(first, end):
    """The rows of a table, the same however they are dealt."""
    import numpy as np

    rng = np.random.default_rng([first, end])
    return {"k": rng.integers(0, OTHER, end - first), "x": rng.random(end - first), **{name: rng.integers(0, g, end - first) for name, g in GROUPS.items()}}


def chosen(all_cases):
    return {k: f for k, f in all_cases.items() if len(sys.argv) < 4 or sys.argv[3] in k}


def of_armilla(folder):
    import narwhals as nw
    import numpy as np

    import armilla as am

    t = am.table(columns(N * am.rank // am.size, N * (am.rank + 1) // am.size), local=True)
    other = am.table({"k": np.arange(OTHER), "w": np.arange(OTHER) * 0.5})
    t.select("k", "x").write_parquet(f"{folder}/x")
    t.select("k", "x").write_csv(f"{folder}/x.csv")

    def one(f):
        am.barrier()

        def run():
            f()
            am.barrier()

        return milliseconds(run)()

    cases = {name: lambda name=name: t.group_by(name).agg(nw.col("x").sum(), n=nw.len()) for name in GROUPS}
    cases |= {"join": lambda: t.join(other, "k"), "join, both moved": lambda: t.join(other, "k", broadcast=False), "sort": lambda: t.select("x").sort("x"),
              "read_parquet": lambda: am.read_parquet(f"{folder}/x").local(), "read_csv": lambda: am.read_csv(f"{folder}/x.csv").local()}
    figures = {name: tries(lambda f=f: one(f), 5) for name, f in chosen(cases).items()}
    if am.rank == 0:
        print(json.dumps(figures))
    am.barrier()


def of_polars(folder):
    import numpy as np
    import polars as pl

    t, other = pl.DataFrame(columns(0, N)), pl.DataFrame({"k": np.arange(OTHER), "w": np.arange(OTHER) * 0.5})
    cases = {name: lambda name=name: t.group_by(name).agg(pl.col("x").sum(), n=pl.len()) for name in GROUPS}
    cases |= {"join": lambda: t.join(other, on="k"), "join, both moved": lambda: t.join(other, on="k"), "sort": lambda: t.select("x").sort("x"),
              "read_parquet": lambda: pl.read_parquet(f"{folder}/x/*.parquet"), "read_csv": lambda: pl.read_csv(f"{folder}/x.csv")}
    print(json.dumps({name: tries(milliseconds(f), 5) for name, f in chosen(cases).items()}))


def of_duckdb(folder):
    import duckdb
    import numpy as np
    import pyarrow as pa

    duckdb.register("t", pa.table(columns(0, N)))
    duckdb.register("other", pa.table({"k": np.arange(OTHER), "w": np.arange(OTHER) * 0.5}))
    duckdb.execute(f"set threads = {RANKS}")
    queries = {name: f'select "{name}", sum(x), count(*) from t group by "{name}"' for name in GROUPS}
    join = "select t.*, w from t join other using (k)"
    queries |= {"join": join, "join, both moved": join, "sort": "select x from t order by x", "read_parquet": f"select * from '{folder}/x/*.parquet'", "read_csv": f"select * from '{folder}/x.csv'"}
    print(json.dumps({name: tries(milliseconds(lambda q=q: duckdb.sql(q).to_arrow_table()), 5) for name, q in chosen(queries).items()}))


def of_dask(folder):
    import dask.dataframe as dd
    import distributed
    import numpy as np
    import pandas as pd

    with distributed.Client(n_workers=RANKS, threads_per_worker=1, dashboard_address=None, memory_limit=None) as client:

        def held(frame):
            frame = client.persist(frame)
            distributed.wait(frame)
            return frame

        t = held(dd.from_map(lambda r: pd.DataFrame(columns(N * r // RANKS, N * (r + 1) // RANKS)), range(RANKS)))
        other = held(dd.from_pandas(pd.DataFrame({"k": np.arange(OTHER), "w": np.arange(OTHER) * 0.5}), npartitions=1))
        cases = {name: lambda name=name: held(t.groupby(name).agg({"x": ["sum", "count"]}, split_out=RANKS)) for name in GROUPS}
        cases |= {"join": lambda: held(t.merge(other, on="k", broadcast=True)),
                  "sort": lambda: held(t[["x"]].sort_values("x")), "read_parquet": lambda: held(dd.read_parquet(f"{folder}/x/*.parquet")), "read_csv": lambda: held(dd.read_csv(f"{folder}/x.csv"))}
        print(json.dumps({name: tries(milliseconds(f), 1) for name, f in chosen(cases).items()}))  # it keeps results for a while


def child(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "POLARS_MAX_THREADS": str(1 if "armilla" in command else RANKS)})
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    return json.loads(done.stdout.splitlines()[-1])


def main():
    if len(sys.argv) > 2:
        return {"armilla": of_armilla, "polars": of_polars, "duckdb": of_duckdb, "dask": of_dask}[sys.argv[1]](sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        rest = [folder, *sys.argv[1:2]]
        ours = child(sys.executable, "-m", "armilla", "-n", str(RANKS), __file__, "armilla", *rest)
        names = ["polars", "duckdb", *(["dask"] if importlib.util.find_spec("distributed") else [])]
        others = {name: child(sys.executable, __file__, name, *rest) for name in names}
    print("| what | armilla | polars | DuckDB | Dask | ratio | to Dask |\n|---|---|---|---|---|---|---|")
    for name, figures in ours.items():
        mine, theirs = figures["median"], {other: each[name]["median"] for other, each in others.items() if name in each}
        dask = theirs.pop("dask", None)
        shown = [f"{t:.0f} ms" for t in (mine, *theirs.values())] + ["" if dask is None else f"{dask:.0f} ms"]
        ratio = held(mine / min(theirs.values()), READING_TO_ENGINES if name.startswith("read_") else TO_ENGINES)
        print(f"| {name} | {' | '.join(shown)} | {ratio} | {'' if dask is None else held(mine / dask, TO_DASK)} |")


if __name__ == "__main__":
    main()
