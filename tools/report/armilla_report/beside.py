# SPDX-License-Identifier: Apache-2.0
"""Our rows beside those of the papers' tables, with the same columns."""
from . import store

MB = 2.0**20
NONE = "–"


def number(value):
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def least(entry, by, version, ranks=None, **sizes):
    """The best of the records of a version at these sizes; None without one."""
    found = [store.value_of(r) for r in entry.get("records", []) if r["by"] == by and r["version"] == version and r["rounds"]
             and ranks in (None, r["ranks"]) and all(r["size"].get(name) == value for name, value in sizes.items())]
    return min(found, default=None)


def pings(entry):
    """Table 1 of the STAPL paper: one ping and its pong, microseconds."""
    def cell(by, version, **sizes):
        value = least(entry, by, version, pings=1, **sizes)
        return NONE if value is None else number(value / 1000)

    rows = [("here, shared memory (explicit: a flag)", cell("line", "flag"), cell("armilla", "one_way_calls", aggregation=1),
             cell("armilla", "two_way_calls", aggregation=1)),
            ("here, in STAPL's words", NONE, cell("armilla", "async_rmi", aggregation=1), cell("armilla", "sync_rmi", aggregation=1)),
            ("here, MPI", cell("mpi", "packed", aggregation=1), NONE, NONE)]
    return [row for row in rows if set(row[1:]) != {NONE}]


def inner(entry):
    """Tables 2 and 3: the inner product by processors, seconds."""
    ranks = (1, 2, 4, 8, 16, 32)
    found = {name: [least(entry, by, version, n) for n in ranks]
             for name, by, version in (("OpenMP", "openmp", "openmp"), ("MPI", "mpi", "allreduce"), ("collect", "armilla", "collect"),
                                       ("collect_rmi", "armilla", "collect_rmi"))}
    rows = [(f"here: {name}, s", *(NONE if value is None else number(value / 1000) for value in values)) for name, values in found.items()]
    for name in ("OpenMP", "MPI"):
        ratios = [NONE if a is None or b is None else f"{a / b:.2f}" for a, b in zip(found["collect"], found[name])]
        rows.append((f"here: collect / {name}", *ratios))
    return [row for row in rows if set(row[1:]) != {NONE}]


def counts(entry):
    """Tables 2 and 3 of the MPC++ paper: what a node sends."""
    rows = []
    for size in dict.fromkeys(r["size"].get("class") for r in entry.get("records", [])):
        for by, name, lines in (("mpi", "MPI twin", twin_lines), ("armilla", "Armilla", armilla_lines)):
            columns = {r["ranks"]: lines(r["counts"]) for r in entry["records"] if r["by"] == by and r["size"].get("class") == size and r.get("counts")}
            names = list(next(iter(columns.values()), {}))
            rows += [(f"here, class {size}, {name}: {line}", *(columns.get(n, {}).get(line, NONE) for n in (2, 4, 8, 16, 32))) for line in names]
    return rows


def twin_lines(c):
    sends = c.get("Send", 0)
    return {"sends": f"{sends:,.0f}", "average KB": f"{c.get('bytes', 0) / max(sends, 1) / 1000:.1f}", "total MB": f"{c.get('bytes', 0) / MB:.1f}"}


def armilla_lines(c):
    sent, length = (sum(c.get(name, 0) for name in names) for names in (("frames_sent", "bulk_sent"), ("bytes_sent", "bulk_bytes_sent")))
    return {"puts": f"{c.get('puts', 0):,.0f}", "collectives": f"{c.get('collectives', 0):,.0f}", "messages": f"{sent:,.0f}",
            "control messages apart": f"{c.get('control_sent', 0):,.0f}", "polls": f"{c.get('polls', 0):,.0f}",
            "average KB": f"{length / max(sent, 1) / 1000:.1f}", "total MB": f"{length / MB:.1f}"}
