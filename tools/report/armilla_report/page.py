# SPDX-License-Identifier: Apache-2.0
"""One page of HTML with everything in it, and each figure as a file."""
import pathlib
import re

import jinja2

from . import figures, gap, judge, overview, plan, store, style

FAST_LINE = "85 to 125"  # as armilla-bench judges ratios to the line
FOLDER = pathlib.Path(__file__).resolve().parent


def significant(value, digits=3):
    if value is None:
        return "–"
    if isinstance(value, (int, float)) and value == value:
        if value and not 1e-3 <= abs(value) < 10**digits:
            return f"{value:,.0f}" if abs(value) >= 1 else f"{value:.{digits - 1}e}"
        return f"{value:,.{digits}g}"
    return "–" if isinstance(value, float) else str(value)


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def row_of(record):
    values = [sample for round_ in record["rounds"] for sample in round_]
    rounds = [store.median(r) for r in record["rounds"]]
    return {"version": record["version"], "by": record["by"], "fabric": record["fabric"], "ranks": record["ranks"],
            "size": judge.words(record["size"]), "unit": record["unit"], "value": store.value_of(record), "low": min(values, default=None),
            "high": max(values, default=None), "runs": len(values), "noisy": not store.spread_of(rounds) <= judge.NOISE,
            "lines": record.get("lines"), "counts": record.get("counts")}


def lines_of(entry):
    """Parallel lines by version, each once."""
    return sorted({(r["version"], r["by"], r["lines"]) for r in entry.get("records", []) if r.get("lines")})


def against(row):
    """(name, ratio) of what a row of armilla-bench was compared with. One that was taken apart has itself, timed, behind all others."""
    pairs = [(other["baseline"], other["ratio"]) for other in (row, *row.get("more_baselines", [])) if other.get("baseline")]
    if row.get("components"):
        pairs = pairs[:-1]
    name = row["name"]
    same = {name: "the same on mapped memory", name.removesuffix("_mpmd"): "within one program"}
    return [(same.get(other, other), ratio) for other, ratio in pairs]


def parts_of(row):
    """What the time of a row went into, as the paper's table has it."""
    c = row.get("components")
    if not c:
        return ""
    return (f"{c['total']:.0f} = {c['messages']:.0f} + {c['threads']:.0f} ({c['yields']:.0f} switches, {c['syncs']:.0f} locks) + {c['runtime']:.0f}"
            f" + {c['body']:.0f}")


def section_of(item, entry):
    section = {"id": item.id, "short": plan.SHORT.get(item.id, item.id), "title": item.title, "paper": item.paper, "what": item.what, "state": entry.get("state", "skipped"),
               "why": entry.get("why", "not run"), "left_out": entry.get("left_out") or {}, "bench": hasattr(item, "rows")}
    if section["bench"]:
        section["rows"] = [r | {"paper": item.paper_rows.get(r["name"], ""), "against": against(r), "parts": parts_of(r)} for r in entry.get("rows", [])]
        section["papers_words"] = any(r["paper"] for r in section["rows"])
        section["verdicts"] = []
        return section
    verdicts = judge.judge_all(item, entry)
    section |= {"verdicts": verdicts, "pictures": figures.draw(item, entry, verdicts) if entry.get("records") else [],
                "rows": [row_of(r) for r in entry.get("records", [])], "lines": lines_of(entry), "table": [*item.table, *(item.ours(entry) if item.ours else ())],
                "paper_rows": len(item.table), "rounds": entry.get("rounds", 0)}
    section["components"] = figures.component_rows(entry)
    section["filled_words"] = filled_words(section["components"])
    section["gaps"], section["gap_paper"] = gap.rows_of(item.id, entry), gap.PAPER.get(item.id)
    section["component_names"] = list(figures.COMPONENTS.values())
    section["counts"] = [r for r in section["rows"] if r["counts"]]
    section["count_names"] = list(dict.fromkeys(name for r in section["counts"] for name in r["counts"]))
    return section


def filled_words(rows):
    """How well the components fill the wall clock, and what taking their times cost."""
    if not rows:
        return ""
    filled, measuring = [r["filled"] for r in rows], [r["measuring"] for r in rows]
    inside = sum(abs(f - 100) <= 5 for f in filled)
    return (f"The components sum up to {between(filled)} % of the wall clock, within 5 % of it in {inside} of {len(rows)} versions and sizes; taking the times "
            f"cost about {between(measuring)} % of it.")


def between(values):
    low, high = round(min(values)), round(max(values))
    return f"{low}" if low == high else f"{low} to {high}"


def why_not_judged(row, target):
    """In words, for a target of armilla-bench."""
    if target["against"] == "raw line" and row.get("yardstick_ns"):
        return f"the line took {row['yardstick_ns']:.0f} ns, and counts at {FAST_LINE} ns only"
    return "the samples were disturbed" if row.get("noisy") else "there were too few samples"


def bench_targets(section):
    for row in section["rows"]:
        for target in row.get("targets", []):
            if target.get("judged"):
                yield target


def counted(sections):
    marks = [v.reached for s in sections for v in s["verdicts"]]
    marks += [t["pass"] for s in sections if s["bench"] for t in bench_targets(s)]
    return {"reached": marks.count(True), "missed": marks.count(False),
            "noisy": sum(v.noisy for s in sections for v in s["verdicts"])}


def yardsticks(results):
    lines = [y["line_ns"] for y in results["yardsticks"]]
    if not lines:
        return None
    return {"median": store.median(lines), "low": min(lines), "high": max(lines), "times": len(lines),
            "am": store.median([y["am_rtt_ns"] for y in results["yardsticks"]])}


def write(results, out):
    """`out`/index.html and `out`/figures/*.svg; the page's path."""
    out = pathlib.Path(out)
    known = {item.id: item for item in plan.ITEMS}
    sections = [section_of(known[name], entry) for name, entry in results["experiments"].items() if name in known]
    for section in sections:
        section["changed"] = results.get("changed_lines", {}).get(section["id"])
    sections.sort(key=lambda s: list(known).index(s["id"]))
    verdicts = [v for s in sections for v in s["verdicts"]]
    overviews = {width: svg for width in ("wide", "narrow") if (svg := overview.draw(verdicts, width == "wide"))}
    (out / "figures").mkdir(parents=True, exist_ok=True)
    if overviews:
        (out / "figures" / "targets.svg").write_text(style.standalone(overviews["wide"]))
    for section in sections:
        shown = []
        for title, svg in section.get("pictures", []):
            (out / "figures" / f"{slug(title)}.svg").write_text(style.standalone(svg))
            shown.append((title, style.unique_names(svg, slug(title))))
        section["pictures"] = shown
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"number": significant, "words": judge.words}
    environment.globals["why_not_judged"] = why_not_judged
    text = environment.get_template("page.html.j2").render(
        sections=sections, counted=counted(sections), machine=results["machine"], yardstick=yardsticks(results),
        quick=results.get("quick"), overviews={width: style.unique_names(svg, width) for width, svg in overviews.items()},
        style=(FOLDER / "page.css").read_text(), light=style.variables(style.LIGHT), dark=style.variables(style.DARK),
        noise=round(100 * judge.NOISE))
    (out / "index.html").write_text(text)
    return out / "index.html"
