# SPDX-License-Identifier: Apache-2.0
"""What a trace of ARMILLA_TRACE says in numbers: totals by method and phase, sizes of messages, which rank talks to which."""
import json
import pathlib

import numpy
import pandas

from . import store, style


def load(path):
    """(frame of slices and messages, what else the file says)."""
    try:
        with open(path, encoding="utf-8") as file:
            whole = json.load(file)
    except (OSError, ValueError) as why:
        raise store.ReportError(f"{path}: cannot be read as a trace ({why})") from why
    if not isinstance(whole, dict) or whole.get("otherData", {}).get("armilla_trace") != 1:
        raise store.ReportError(f"{path}: no trace of ARMILLA_TRACE")
    return whole["traceEvents"], whole["otherData"]


def slices(events):
    """Begins and ends put together, with the phase of their beginning: a frame with a row each; times in microseconds."""
    rows, open_, phases = [], {}, {}
    for e in events:
        kind = e["ph"]
        if kind == "B":
            row = [e["pid"] - 1, e["cat"], e["name"], e["ts"], None, e.get("args", {}), phases.get(e["pid"], [""])[-1]]
            rows.append(row)
            open_.setdefault((e["pid"], e["tid"]), []).append(row)
            if e["cat"] == "phase":
                phases.setdefault(e["pid"], [""]).append(e["name"])
        elif kind == "E" and open_.get((e["pid"], e["tid"])):
            row = open_[e["pid"], e["tid"]].pop()
            row[4] = e["ts"] - row[3]
            if row[1] == "phase" and len(phases[e["pid"]]) > 1:
                phases[e["pid"]].pop()
        elif kind == "X":
            rows.append([e["pid"] - 1, e["cat"], e["name"], e["ts"], e["dur"], e.get("args", {}), phases.get(e["pid"], [""])[-1]])
    frame = pandas.DataFrame(rows, columns=["rank", "kind", "name", "at", "took", "args", "phase"])
    for column in ("from", "to", "bytes"):
        frame[column] = [a.get(column) for a in frame["args"]]
    return frame.drop(columns="args")


def totals(frame, kinds, by):
    """Count, bytes, and time of slices of these kinds."""
    mine = frame[frame["kind"].isin(kinds)]
    if mine.empty:
        return mine
    grouped = mine.groupby(by, sort=False)
    table = pandas.DataFrame({"times": grouped.size(), "bytes": grouped["bytes"].sum(), "total us": grouped["took"].sum(),
                              "median us": grouped["took"].median(), "longest us": grouped["took"].max()})
    return table.sort_values("total us", ascending=False)


def sizes(frame):
    """Frames by the power of two below their size."""
    sent = frame[frame["kind"] == "send"]
    if sent.empty:
        return pandas.Series(dtype=int)
    power = 2 ** numpy.floor(numpy.log2(numpy.maximum(sent["bytes"].astype(float), 1))).astype(int)
    return power.value_counts().sort_index()


def traffic(frame, ranks):
    """Bytes from each rank to each."""
    matrix = numpy.zeros((ranks, ranks))
    for (source, dest), bytes_ in frame[frame["kind"] == "send"].groupby(["rank", "to"])["bytes"].sum().items():
        if 0 <= source < ranks and 0 <= dest < ranks:
            matrix[int(source), int(dest)] = bytes_
    return matrix


def bytes_words(n):
    for unit in ("B", "KiB", "MiB"):
        if n < 1024:
            return f"{n:.3g} {unit}"
        n /= 1024
    return f"{n:.3g} GiB"


def heat_map(matrix):
    """How much each rank sent to each, as a picture."""
    ranks = len(matrix)
    fig, ax = style.figure(height=4.4)
    most = matrix.max() or 1
    for source in range(ranks):
        for dest in range(ranks):
            share = matrix[source, dest] / most
            ax.add_patch(style.plt.Rectangle((dest - .47, source - .47), .94, .94, facecolor=style.series(0), alpha=.08 + .52 * share,
                                             linewidth=0))
            if ranks <= 8 and matrix[source, dest] > 0:
                ax.text(dest, source, bytes_words(matrix[source, dest]), ha="center", va="center", fontsize=9 if ranks <= 4 else 6.5)
    ax.set_xlim(-.5, ranks - .5)
    ax.set_ylim(ranks - .5, -.5)
    step = max(1, ranks // 16)
    ax.set_xticks(range(0, ranks, step))
    ax.set_yticks(range(0, ranks, step))
    ax.set_aspect("equal")
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    ax.set_xlabel("to rank")
    ax.set_ylabel("from rank")
    ax.set_title(f"Bytes sent; the darkest is {bytes_words(matrix.max())}")
    return style.svg_of(fig)


def histogram(counts):
    """The sizes as a picture."""
    fig, ax = style.figure(height=2.6)
    ax.bar(range(len(counts)), counts.to_numpy(), color=style.series(0), width=.8)
    ax.set_xticks(range(len(counts)), labels=[bytes_words(int(n)) for n in counts.index], rotation=30 if len(counts) > 8 else 0)
    ax.grid(axis="x", visible=False)
    ax.set_xlabel("bytes of a frame, from")
    ax.set_ylabel("frames")
    ax.set_title("Sizes of frames")
    return style.svg_of(fig)


def table_text(title, table, limit=20):
    if table.empty:
        return ""
    shown = table.head(limit).reset_index()
    formats = {c: style.significant for c in shown.columns if str(c).endswith("us")} | {"bytes": "{:,.0f}".format}
    more = f"\n({len(table) - limit} more)" if len(table) > limit else ""
    return f"{title}\n{shown.to_string(index=False, formatters=formats)}{more}\n"


def describe(path, out):
    """Text for the terminal; pictures into the folder `out`, if there is one."""
    events, other = load(path)
    frame = slices(events)
    dropped = sum(other["dropped"].values())
    parts = [f"{other['ranks']} ranks, {other['events']:,} events"
             + (f"; {dropped:,} older ones were dropped: totals are of the end" if dropped else "")
             + (f"; {other['missing']} ranks are missing" if other["missing"] else "") + "\n"]
    parts.append(table_text("bodies and replies, by method", totals(frame, ["body", "reply"], ["name"])))
    in_phases = frame[frame["phase"] != ""]
    parts.append(table_text("bodies and replies, by phase and method", totals(in_phases, ["body", "reply"], ["phase", "name"])))
    parts.append(table_text("phases", totals(frame, ["phase"], ["name"]).drop(columns="bytes", errors="ignore")))
    parts.append(table_text("waits and collectives, with what runs in them",
                            totals(frame, ["wait", "collective"], ["kind", "name"]).drop(columns="bytes", errors="ignore")))
    counts, matrix = sizes(frame), traffic(frame, other["ranks"])
    if not counts.empty:
        parts.append("frames by size\n" + "\n".join(f"  from {bytes_words(int(n)):>9}  {c:>9,}" for n, c in counts.items()) + "\n")
    if out:
        out = pathlib.Path(out)
        out.mkdir(parents=True, exist_ok=True)
        (out / "traffic.svg").write_text(style.standalone(heat_map(matrix)))
        if not counts.empty:
            (out / "sizes.svg").write_text(style.standalone(histogram(counts)))
        parts.append(f"pictures: {out}/traffic.svg, {out}/sizes.svg")
    return "\n".join(p for p in parts if p)
