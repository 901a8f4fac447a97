# SPDX-License-Identifier: Apache-2.0
"""The figures of an experiment, from its records and verdicts."""
import fnmatch

import numpy

from . import store, style

MARKERS = "osD^vPX"
FOLLOWING = ("steps", "kernels", "operations", "order", "cutoff", "degree", "hosts", "carrier")  # sizes that follow from others
MOST_BARS, FEWEST_BARS = 12, 6  # in one picture, if they can be told apart by a size
RUNS = {"armilla": "short cut on", "messages": "by messages", "names": "calls by name"}
BY = {"mpi": "MPI", "line": "raw line"}
WORDS = {"remote": "edges to another rank, %", "block": "rows of a block", "pings": "pings before the pong", "aggregation": "pings in a message",
         "keys": "keys", "class": "class", "ranks": "ranks", "molecules": "molecules", "network": "network"}
COMPONENTS = {"cpu": "cpu", "net": "net", "thread_mgmt": "thread management", "thread_sync": "thread synchronisation",
              "runtime": "runtime"}


def wanted(name, only):
    return not only or any(fnmatch.fnmatchcase(name, pattern) for pattern in only)


def of_other_sizes(where, x):
    return tuple((name, value) for name, value in where.items() if name != x)


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def words_of(x):
    return WORDS.get(x, x)


def unit_words(unit):
    """`us/step` as it is read: microseconds a step, with its sign."""
    return unit.replace("us", "µs").replace("/", " / ")


def draw(experiment, entry, verdicts):
    """(title, svg) of those figures for which there is something to draw."""
    kinds = {"ratios": ratios, "lines": lines, "scaling": scaling, "bars": bars}
    found = []
    for fig in experiment.figures:
        for title, svg in kinds[fig.kind](fig, entry, verdicts):
            found.append((title, svg))
    return found


def label_axis(ax, values):
    """A number at each point that was measured: they are few."""
    ax.set_xticks(sorted(values), labels=[f"{v:,g}" for v in sorted(values)])
    ax.minorticks_off()


def log_axis(ax, low, high):
    """1, 2, 5 in plain digits, in place of powers of ten that say nothing within a decade."""
    ax.set_yscale("log")
    low, high = low / 1.25, high * 1.25
    for steps in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 5, 7), (.9, 1, 1.1, 1.2, 1.4, 1.7, 2, 2.5, 3, 4, 5, 6, 7, 8)):
        ticks = [m * 10.0**e for e in range(-6, 9) for m in steps if low <= m * 10.0**e <= high]
        if len(ticks) >= 3:
            break
    ax.set_ylim(low, high)
    ax.set_yticks(ticks, labels=[f"{t:,g}" for t in ticks])
    ax.minorticks_off()


def ratios(fig, _, verdicts):
    mine = [v for v in verdicts if wanted(v.target.name, fig.only) and v.where.get(fig.x) is not None]
    words = list(dict.fromkeys(v.where[fig.x] for v in mine if not number(v.where[fig.x])))  # classes, networks: side by side
    rests = sorted({of_other_sizes(v.where, fig.x) for v in mine}, key=str)

    def at(verdict):
        value = verdict.where[fig.x]
        return value if number(value) else words.index(value)

    several = [rest for rest in rests if len({v.where[fig.x] for v in mine if of_other_sizes(v.where, fig.x) == rest}) > 1]
    for rest in several or rests:  # one point is no curve; the table has it
        here = [v for v in mine if of_other_sizes(v.where, fig.x) == rest]
        names = list(dict.fromkeys(v.target.name for v in here))
        plot, ax = style.figure()
        xs_here = {v.where[fig.x] for v in here}
        for i, name in enumerate(names):
            line = [v for v in here if v.target.name == name]
            xs, ys = [at(v) for v in line], [v.ratio for v in line]
            spread = [[max(0, v.ratio - v.low) for v in line], [max(0, v.high - v.ratio) for v in line]]
            ax.errorbar(xs, ys, yerr=spread, color=style.series(i), marker=MARKERS[(i + i // style.SERIES) % 7], markersize=5, elinewidth=.8, label=name)
            for v in line:
                if v.noisy:
                    ax.plot(at(v), v.ratio, marker="o", markersize=11, markerfacecolor="none", color=style.MARK)
            limits = [v.limit for v in line]
            if all(limit is not None for limit in limits):
                ax.plot(xs, limits, color=style.series(i), linestyle=":", linewidth=1.1)
        for i, (name, points) in enumerate(fig.paper):
            points = {x: y for x, y in points.items() if x in xs_here}
            if not points:
                continue
            ax.plot(list(points), list(points.values()), color=style.series(6), marker="*Pp"[i % 3], markersize=9, linestyle="none", label=name)
        ax.axhline(1, color=style.INK, linewidth=.8)
        if fig.log:
            shown = [y for v in here for y in (v.low, v.high, v.limit or v.ratio)] + [y for _, p in fig.paper for x, y in p.items() if x in xs_here]
            log_axis(ax, min([1, *shown]), max([1, *shown]))
        if words:
            ax.set_xticks(range(len(words)), labels=words)
        else:
            if max(xs_here) / max(1, min(xs_here)) > 8:
                ax.set_xscale("log")
            label_axis(ax, xs_here)
        ax.set_xlabel(words_of(fig.x))
        ax.set_ylabel("time, ours / baseline")
        style.title(ax, title_of(fig, rest))
        style.legend_below(plot, ax, 1)
        yield title_of(fig, rest), style.svg_of(plot)


def title_of(fig, rest):
    return fig.title + "".join(f", {name} {value:,}" if number(value) else f", {name} {value}" for name, value in rest)


def place(record, x):
    """Where a record stands on the axis: one of its sizes, or its ranks."""
    return record["ranks"] if x == "ranks" else record["size"].get(x)


def series_name(record):
    """What tells a line from the others: the version, what made it if not Armilla, and what carries it if not shared memory."""
    by, version = record["by"], record["version"]
    if record["fabric"].startswith("simulated"):
        return f"{BY.get(by, by) if by != 'armilla' else 'Armilla'}: {version}, {record['fabric']}"
    if by != "armilla":
        return by if version.split("/")[0] == by else f"{BY.get(by, by)}: {version}"
    carried = {"shm": "", "shm-by-message": ", by messages"}.get(record["fabric"], f", over {record['fabric']}")
    return version + carried


def lines(fig, entry, _):
    """The records over a size; where they have but one, bars."""
    mine = [r for r in entry["records"] if wanted(series_name(r), fig.only) and number(place(r, fig.x))]
    fixed = [name for name in {n for r in mine for n in r["size"]} if name != fig.x and name not in FOLLOWING]
    rests = sorted({tuple((n, r["size"].get(n)) for n in sorted(fixed)) for r in mine}, key=str)
    many = [n for n in sorted(fixed) if len({dict(rest)[n] for rest in rests}) > 1]
    for rest in rests:
        here = [r for r in mine if tuple((n, r["size"].get(n)) for n in sorted(fixed)) == rest]
        by_name = points_of(here, fig.x)
        xs = sorted({at for points in by_name.values() for at in points})
        title = title_of(fig, tuple((n, v) for n, v in rest if n in many and v is not None))
        if len(xs) == 1:
            yield bars_of_one_size(f"{title}, {fig.x} {xs[0]:,g}", {name: points[xs[0]] for name, points in by_name.items()}, here)
        else:
            yield lines_of(fig, title, by_name, xs, here)


def points_of(records, x):
    """By what tells a line from the others, the figures over a size; what ran in several commands counts once, as its best."""
    by_name = {}
    for record in records:
        points = by_name.setdefault(series_name(record), {})
        at, better = place(record, x), max if store.is_rate(record["unit"]) else min
        points[at] = better(points.get(at, store.value_of(record)), store.value_of(record))
    return by_name


def scaling(fig, entry, _):
    """How many times as fast as at the least size, for each size of the rest at which there are several."""
    mine = [r for r in entry["records"] if wanted(series_name(r), fig.only) and number(place(r, fig.x))]
    for rest in sorted({of_other_sizes(r["size"], fig.x) for r in mine}, key=str):
        here = [r for r in mine if of_other_sizes(r["size"], fig.x) == rest]
        by_name = {name: times_as_fast(points, store.is_rate(here[0]["unit"])) for name, points in points_of(here, fig.x).items() if len(points) > 1}
        if by_name:
            xs = sorted({at for points in by_name.values() for at in points})
            yield lines_of(fig, title_of(fig, rest), by_name, xs, here, f"times as fast as at {xs[0]}")


def times_as_fast(points, rate):
    first = points[min(points)]
    return {at: value / first if rate else first / value for at, value in points.items()}


def lines_of(fig, title, by_name, xs, here, measured=""):
    plot, ax = style.figure()
    for i, (name, points) in enumerate(by_name.items()):
        ours = any(series_name(r) == name and r["by"] == "armilla" for r in here)
        ax.plot(*zip(*sorted(points.items())), color=style.series(i), marker=MARKERS[(i + i // style.SERIES) % 7], markersize=4,
                linestyle="-" if ours else "--", label=name)
    values = [value for points in by_name.values() for value in points.values()]
    if fig.log and min(values) > 0:
        log_axis(ax, min(values), max(values))
    if min(xs) > 0 and max(xs) / min(xs) > 8:
        ax.set_xscale("log")
    label_axis(ax, xs)
    ax.set_xlabel(words_of(fig.x))
    ax.set_ylabel(measured or unit_words(here[0]["unit"]))
    style.title(ax, title)
    style.legend_below(plot, ax, 2)
    return title, style.svg_of(plot)


def bars_of_one_size(title, values, here):
    """Time by version, the numbers beside the bars; theirs are pale."""
    plot, ax = style.figure(height=.75 + .24 * len(values))
    theirs = {series_name(r) for r in here if r["by"] != "armilla"}
    for i, (name, value) in enumerate(values.items()):
        ax.barh(i, value, color=style.series(6 if name in theirs else 0), height=.7)
        ax.annotate(style.significant(value), (value, i), xytext=(3, 0), textcoords="offset points", va="center", fontsize=8.5)
    ax.set_yticks(range(len(values)), labels=list(values))
    ax.tick_params(axis="y", labelsize=8.5, length=0)
    ax.invert_yaxis()
    ax.set_xlim(0, 1.17 * max(values.values()))
    ax.xaxis.set_major_locator(style.few_ticks())
    ax.grid(axis="y", visible=False)
    ax.set_xlabel(unit_words(here[0]["unit"]))
    style.title(ax, title, plot)
    return title, style.svg_of(plot)


def bars(fig, entry, _):
    given = [r for r in entry.get("records", []) if r.get("components")]  # where nothing had to run once more for them
    mine = [r for r in entry.get("components", []) + given if sum(r["components"].get(c, 0) for c in COMPONENTS) > 0]
    mine = [r for r in mine if wanted(r["version"], fig.only)]
    for command in dict.fromkeys(r["command"] for r in mine):
        here = [r for r in mine if r["command"] == command]
        title = f"{fig.title}: {RUNS.get(command, command)}"
        apart = next((name for name in varying(here) if name not in FOLLOWING), None)
        if len(here) <= MOST_BARS or len(here) / len({r["size"].get(apart) for r in here}) < FEWEST_BARS:
            apart = None
        for value in dict.fromkeys(r["size"].get(apart) for r in here):
            more = f", {words_of(apart)} {value}" if apart else ""
            yield bars_of(title + more, [r for r in here if r["size"].get(apart) == value])


def varying(records):
    """The sizes in which records differ."""
    return [name for name in records[0]["size"] if len({str(r["size"].get(name)) for r in records}) > 1]


def bars_of(title, mine):
    """Stacked, each of one length: the shares, as in the papers."""
    sizes = varying(mine)
    plot, ax = style.figure(height=.75 + .24 * len(mine))
    ranks = len({r["ranks"] for r in mine}) > 1
    labels = [" ".join([r["version"], *([f"{r['ranks']} ranks"] if ranks else []), *(f"{n} {v}" for n, v in r["size"].items() if n in sizes and n not in FOLLOWING)]) for r in mine]
    left = numpy.zeros(len(mine))
    whole = numpy.array([sum(r["components"].get(c, 0) for c in COMPONENTS) for r in mine])
    for i, (name, words) in enumerate(COMPONENTS.items()):
        part = 100 * numpy.array([r["components"].get(name, 0) for r in mine]) / whole
        ax.barh(range(len(mine)), part, left=left, color=style.series(i), label=words, height=.7)
        left += part
    ax.set_yticks(range(len(mine)), labels=labels)
    ax.tick_params(axis="y", labelsize=8.5, length=0)
    ax.invert_yaxis()
    ax.set_xlim(0, 100)
    ax.set_xlabel("% of the time of all ranks")
    ax.grid(axis="y", visible=False)
    style.title(ax, title, plot)
    style.legend_below(plot, ax, 2)
    return title, style.svg_of(plot)


def component_rows(entry):
    """What the bars are made of, how well they fill the wall clock, and what measuring cost."""
    rows = []
    for r in entry.get("components", []):
        c = r["components"]
        total, wall = sum(c.get(name, 0) for name in COMPONENTS), c.get("wall", 0)
        if total > 0 and wall > 0:
            rows.append({"version": r["version"], "command": r["command"], "size": r["size"],
                         "shares": [100 * c.get(name, 0) / total for name in COMPONENTS], "filled": 100 * total / wall,
                         "measuring": 100 * c.get("borders", 0) * r["ns_per_border"] * 1e-9 / wall})
    return rows
