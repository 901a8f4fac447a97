# SPDX-License-Identifier: Apache-2.0
"""The figures of an experiment, from its records and verdicts."""
import fnmatch

import numpy

from . import store, style

MARKERS = "osD^vPX"
FOLLOWING = ("steps", "kernels", "operations", "order", "cutoff", "degree", "hosts")  # sizes that follow from others
COMPONENTS = {"cpu": "cpu", "net": "net", "thread_mgmt": "thread management", "thread_sync": "thread synchronisation",
              "runtime": "runtime"}


def wanted(name, only):
    return not only or any(fnmatch.fnmatchcase(name, pattern) for pattern in only)


def of_other_sizes(where, x):
    return tuple((name, value) for name, value in where.items() if name != x)


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def draw(experiment, entry, verdicts):
    """(title, svg) of those figures for which there is something to draw."""
    kinds = {"ratios": ratios, "lines": lines, "bars": bars}
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
    ticks = [m * 10.0**e for e in range(-6, 9) for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    if len(ticks) > 9:
        ticks = [t for t in ticks if f"{t:e}"[0] == "1"]
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

    for rest in rests:
        here = [v for v in mine if of_other_sizes(v.where, fig.x) == rest]
        plot, ax = style.figure()
        names = list(dict.fromkeys(v.target.name for v in here))
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
        for name, points in fig.paper:
            ax.plot(list(points), list(points.values()), color=style.series(6), marker="*", markersize=9, linestyle="none", label=name)
        ax.axhline(1, color=style.INK, linewidth=.8)
        if fig.log:
            shown = [y for v in here for y in (v.low, v.high, v.limit or v.ratio)] + [y for _, p in fig.paper for y in p.values()]
            log_axis(ax, min([1, *shown]), max([1, *shown]))
        if words:
            ax.set_xticks(range(len(words)), labels=words)
        else:
            label_axis(ax, {at(v) for v in here})
        ax.set_xlabel(fig.x)
        ax.set_ylabel("time, ours / baseline")
        ax.set_title(title_of(fig, rest))
        style.legend_below(plot, ax, 1)
        yield title_of(fig, rest), style.svg_of(plot)


def title_of(fig, rest):
    return fig.title + "".join(f", {name} {value:,}" if number(value) else f", {name} {value}" for name, value in rest)


def place(record, x):
    """Where a record stands on the axis: one of its sizes, or its ranks."""
    return record["ranks"] if x == "ranks" else record["size"].get(x)


def lines(fig, entry, _):
    mine = [r for r in entry["records"] if wanted(r["version"], fig.only) and number(place(r, fig.x))]
    fixed = [name for name in {n for r in mine for n in r["size"]} if name != fig.x and name not in FOLLOWING]
    rests = sorted({tuple((n, r["size"].get(n)) for n in sorted(fixed)) for r in mine}, key=str)
    many = [n for n in sorted(fixed) if len({dict(rest)[n] for rest in rests}) > 1]
    for rest in rests:
        here = [r for r in mine if tuple((n, r["size"].get(n)) for n in sorted(fixed)) == rest]
        plot, ax = style.figure(height=style.HEIGHT + .6)
        names = list(dict.fromkeys((r["version"], r["by"], r["fabric"]) for r in here))
        for i, name in enumerate(names):
            points = sorted((place(r, fig.x), store.value_of(r)) for r in here if (r["version"], r["by"], r["fabric"]) == name)
            ax.plot(*zip(*points), color=style.series(i), marker=MARKERS[(i + i // style.SERIES) % 7], markersize=4,
                    linestyle="-" if name[1] == "armilla" else "--", label=f"{name[0]}, {name[2] if name[1] == 'armilla' else name[1]}")
        values = [store.value_of(r) for r in here]
        if fig.log and min(values) > 0:
            log_axis(ax, min(values), max(values))
        xs = {place(r, fig.x) for r in here}
        if min(xs) > 0 and max(xs) / min(xs) > 50:
            ax.set_xscale("log")
        label_axis(ax, xs)
        ax.set_xlabel(fig.x)
        ax.set_ylabel(here[0]["unit"])
        title = title_of(fig, tuple((n, v) for n, v in rest if n in many))
        ax.set_title(title)
        style.legend_below(plot, ax)
        yield title, style.svg_of(plot)


def bars(fig, entry, _):
    mine = [r for r in entry.get("components", []) if sum(r["components"].get(c, 0) for c in COMPONENTS) > 0]
    mine = [r for r in mine if wanted(r["version"], fig.only)]
    for command in dict.fromkeys(r["command"] for r in mine):
        here = [r for r in mine if r["command"] == command]
        for start in range(0, len(here), 20):
            yield bars_of(fig, command, here[start:start + 20])


def bars_of(fig, command, mine):
    """Stacked, each of one length: the shares, as in the papers."""
    sizes = {name for name in mine[0]["size"] if len({str(r["size"].get(name)) for r in mine}) > 1}
    plot, ax = style.figure(height=1.45 + .26 * len(mine))
    labels = [" ".join([r["version"], *(f"{n} {v}" for n, v in r["size"].items() if n in sizes and n not in FOLLOWING)]) for r in mine]
    left = numpy.zeros(len(mine))
    whole = numpy.array([sum(r["components"].get(c, 0) for c in COMPONENTS) for r in mine])
    for i, (name, words) in enumerate(COMPONENTS.items()):
        part = 100 * numpy.array([r["components"].get(name, 0) for r in mine]) / whole
        ax.barh(range(len(mine)), part, left=left, color=style.series(i), label=words, height=.7)
        left += part
    ax.set_yticks(range(len(mine)), labels=labels)
    ax.tick_params(axis="y", labelsize=8)
    ax.invert_yaxis()
    ax.set_xlim(0, 100)
    ax.set_xlabel("% of the time of all ranks")
    ax.grid(axis="y", visible=False)
    title = f"{fig.title} ({command})"
    ax.set_title(title)
    style.legend_below(plot, ax, 3)
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


def targets(verdicts):
    """All targets in one picture: how much of each limit is used."""
    judged = [v for v in verdicts if v.limit is not None]
    if not judged:
        return None
    # One bar a target: its worst size.
    worst = {}
    for v in judged:
        if (v.program, v.target.name) not in worst or v.of_limit > worst[v.program, v.target.name].of_limit:
            worst[v.program, v.target.name] = v
    rows = list(worst.values())
    plot, ax = style.figure(height=1.0 + .27 * len(rows))
    for i, v in enumerate(rows):
        colour = style.series(2) if v.reached else style.MARK
        ax.plot([1, v.of_limit], [i, i], color=colour, linewidth=2)
        ax.plot(v.of_limit, i, marker="o", color=colour, markersize=6, markerfacecolor="none" if v.noisy else colour)
    ax.axvline(1, color=style.INK, linewidth=1)
    ax.set_yticks(range(len(rows)), labels=[f"{v.program}, {v.target.name}" for v in rows])
    ax.tick_params(axis="y", labelsize=8)
    ax.invert_yaxis()
    ax.set_xscale("log")
    low, high = min(.4, *(v.of_limit for v in rows)), max(2.5, *(v.of_limit for v in rows))
    ticks = [t for t in (.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 20, 50, 100) if low / 1.1 <= t <= high * 1.1]
    if len(ticks) > 7:
        ticks = [t for t in ticks if f"{t:e}"[0] == "1"]
    ax.set_xlim(low / 1.15, high * 1.15)
    ax.set_xticks(ticks, labels=[f"{t:g}" for t in ticks])
    ax.minorticks_off()
    ax.set_xlabel("ratio by target: 1 is the limit")
    ax.set_title("Ratios to their targets")
    return style.svg_of(plot)
