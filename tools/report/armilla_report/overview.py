# SPDX-License-Identifier: Apache-2.0
"""All ratios that have a target in one picture: the first of the page, and that of the README."""
import dataclasses

from . import judge, plan, store, style

NARROW, WIDE = style.WIDTH, 8.4
TICKS = (.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 20, 50, 100)


@dataclasses.dataclass
class Row:
    name: str
    ratio: float  # of times, also where the target is a share of speed
    low: float
    high: float
    limit: float
    reached: bool
    noisy: bool


def row_of(v):
    name = f"{plan.SHORT.get(v.program, v.program)}: {v.target.name}"
    if v.target.share:
        return Row(name, 1 / v.ratio, 1 / v.high, 1 / v.low, 1 / v.limit, v.reached, v.noisy)
    return Row(name, v.ratio, v.low, v.high, v.limit, v.reached, v.noisy)


def rows_of(verdicts):
    """(heading, rows): of each target the size at which it comes out worst."""
    worst = {}
    for v in verdicts:
        key = (v.program, v.target.name)
        if v.limit is not None and (key not in worst or v.of_limit > worst[key].of_limit):
            worst[key] = v
    groups = (("Armilla / written by hand", [row_of(v) for v in worst.values() if v.base["by"] != "armilla" or v.target.share]),
              ("Armilla / Armilla, written in another way", [row_of(v) for v in worst.values() if v.base["by"] == "armilla" and not v.target.share]))
    return [(heading, rows) for heading, rows in groups if rows]


def draw(verdicts, wide):
    """As a desk shows it, names at the left, or as a phone, names above; None where nothing has a target."""
    groups = rows_of(verdicts)
    if not groups:
        return None
    count = sum(len(rows) for _, rows in groups)
    step = .235 if wide else .36  # inches a row
    tall = step * count + .34 * len(groups) + .85
    fig, ax = style.figure(WIDE if wide else NARROW, tall)
    y, gap, every = 0.0, .34 / step, [row for _, rows in groups for row in rows]
    low = min(.4, *(min(row.low, row.limit) for row in every)) / 1.15
    high = max(2.0, *(max(row.high, row.limit) for row in every)) * (1.5 if wide else 1.3)
    ax.set_xscale("log")
    ax.set_xlim(low, high)
    at = ax.get_yaxis_transform()
    for heading, rows in groups:
        y += gap
        ax.text(-.01 if wide else 0, y - (.15 if wide else .3), heading, in_layout=wide, transform=at, ha="right" if wide else "left", va="center", fontweight="bold", fontsize=9)
        for row in rows:
            y += 1
            draw_row(ax, at, y, row, wide)
    ax.set_ylim(y + .8, .2 if wide else -.1)
    ax.axvline(1, color=style.INK, linewidth=.9)
    ticks = [t for t in TICKS if low <= t <= high]
    if len(ticks) > 7:
        ticks = [t for t in ticks if f"{t:e}"[0] == "1"]
    ax.set_xticks(ticks, labels=[f"{t:g}" for t in ticks])
    ax.minorticks_off()
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.set_xlabel("time, ours / baseline" + (": less is faster; the stroke: to be reached" if wide else "; the stroke: to be reached"))
    return style.svg_of(fig)


def draw_row(ax, at, y, row, wide):
    colour = style.series(2) if row.reached else style.MARK
    if wide:
        ax.text(-.01, y, row.name, transform=at, ha="right", va="center", fontsize=8.5)
    else:
        ax.text(0, y - .42, row.name, in_layout=False, transform=at, ha="left", va="center", fontsize=8.5)
    ax.plot([row.low, row.high], [y, y], color=colour, linewidth=1.6, alpha=.55)
    ax.plot(row.ratio, y, marker="o", color=colour, markersize=6, markerfacecolor=style.PAPER if row.noisy else colour)
    ax.plot([row.limit] * 2, [y - .3, y + .3] if wide else [y - .16, y + .16], color=style.INK, linewidth=1.8)
    ax.text(1.01 if wide else 1, y if wide else y - .42, style.significant(row.ratio), in_layout=wide, transform=at, ha="left" if wide else "right", va="center",
            fontsize=8.5, fontweight="bold", color=colour)


def verdicts_of(results):
    known = {item.id: item for item in plan.ITEMS}
    return [v for name, entry in results["experiments"].items() if name in known and hasattr(known[name], "targets")
            for v in judge.judge_all(known[name], entry)]


def write(results, stem):
    """`stem`-light.svg and `stem`-dark.svg, of fixed colours, as a page of another's wants them; the files."""
    svg = draw(verdicts_of(results), wide=True)
    if svg is None:
        raise store.ReportError("no ratio in these results has a target; run more programs")
    files = []
    for name, colours in (("light", style.LIGHT), ("dark", style.DARK)):
        files.append(stem.with_name(f"{stem.name}-{name}.svg"))
        files[-1].write_text(style.fixed(svg, colours))
    return files
