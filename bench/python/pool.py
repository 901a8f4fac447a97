#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times armilla.Pool beside ProcessPoolExecutor: bench/python/pool.py [WORKERS ...]. Microseconds a task, unless the name says otherwise.

Both pools run the same functions with the same number of workers (1, 2 and 4 without arguments), in turn, in one run. Prints a table in Markdown: medians.
"""
import concurrent.futures
import sys
import time

import numpy as np

import armilla
from timing import held, tries, us_each

TASKS = 4000
TARGETS = {"submit, then results": 25, "map": 25, "map, chunks of 1": 25, "ms: an array of 100 MB as an argument": 30}


def small(x):
    return x + 1


def ten_microseconds(x):
    end = time.perf_counter() + 1e-5
    while time.perf_counter() < end:
        pass
    return x


def uneven(x):
    time.sleep(0.1 if x % 500 == 0 else 0)
    return x


def first(a):
    return a[0]


def submitted(pool, f):
    def work():
        futures = [pool.submit(f, i) for i in range(TASKS)]
        assert sum(future.result() for future in futures) >= 0

    return lambda: us_each(work, 1)() / TASKS


def mapped(pool, f, **options):
    return lambda: us_each(lambda: list(pool.map(f, range(TASKS), **options)), 1)() / TASKS


def one_by_one(pool):
    return us_each(lambda: pool.submit(small, 1).result(), 300)


def measures(pool, workers):
    large = np.ones(12_500_000)  # 100 MB
    yield "submit, then results", submitted(pool, small), 5
    yield "submit, tasks of 10 us", submitted(pool, ten_microseconds), 5
    yield "map", mapped(pool, small), 5
    yield "map, chunks of 1", mapped(pool, small, chunksize=1), 5
    yield "one after the other", one_by_one(pool), 5
    yield "ms: 2000 tasks, four of them sleep 0.1 s", lambda: us_each(lambda: list(pool.map(uneven, range(2000))), 1)() / 1e3, 3
    yield "ms: an array of 100 MB as an argument", lambda: us_each(lambda: pool.submit(first, large).result(), 1)() / 1e3, 5
    yield "ms: an array of 100 MB as a result", lambda: us_each(lambda: pool.submit(np.ones, 12_500_000).result(), 1)() / 1e3, 3
    if isinstance(pool, armilla.Pool):
        handle = armilla.put(large)
        pool.submit(first, handle).result()
        yield "ms: the same array, put before", lambda: us_each(lambda: pool.submit(first, handle).result(), 20)() / 1e3, 5


def main():
    numbers = [int(word) for word in sys.argv[1:]] or [1, 2, 4]
    rows = {}
    for workers in numbers:
        with armilla.Pool(workers) as ours, concurrent.futures.ProcessPoolExecutor(workers) as theirs:
            for pool in (ours, theirs):
                list(pool.map(small, range(100)))
            its = measures(theirs, workers)
            for name, work, times in measures(ours, workers):
                other = next(its, None)
                rows.setdefault(name, []).append((tries(work, times)["median"], tries(other[1], times)["median"] if other else None))
    print(f"| us | {' | '.join(f'{n} workers | ProcessPoolExecutor' for n in numbers)} |\n|---|{'---|---|' * len(numbers)}")
    for name, figures in rows.items():
        print(f"| {name} | {' | '.join(f'{held(mine, TARGETS.get(name))} | ' + (f'{its:.3g}' if its else '') for mine, its in figures)} |")


if __name__ == "__main__":
    main()
