# SPDX-License-Identifier: Apache-2.0
"""How the figures of this folder are taken."""
import statistics
import time


def held(figure, target):
    """The figure for a table. If it is over its target, it is bold, with the target."""
    text = f"{figure:.3g}" if figure >= 10 else f"{figure:.2f}"
    return text if target is None or not figure > target else f"**{text}** (target {target})"


def tries(measure, n=9):
    values = sorted(measure() for _ in range(n))
    return {"median": statistics.median(values), "lowest": values[0], "highest": values[-1]}


def us_each(work, times):
    def measure():
        start = time.perf_counter()
        for _ in range(times):
            work()
        return (time.perf_counter() - start) / times * 1e6

    return measure


def milliseconds(work):
    def measure():
        start = time.perf_counter()
        work()
        return (time.perf_counter() - start) * 1e3

    return measure
