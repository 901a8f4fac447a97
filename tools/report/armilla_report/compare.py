# SPDX-License-Identifier: Apache-2.0
"""What changed between two runs beyond the noise."""
import dataclasses

from . import judge, plan, store

LEAST = 0.05  # less than this is never called a change


@dataclasses.dataclass
class Change:
    what: str
    before: float
    after: float
    noise: float  # of both, as a part of the value
    kind: str  # "ratio" or "row"

    @property
    def by(self):
        return self.after / self.before - 1 if self.before else float("inf")

    @property
    def real(self):
        """More than both runs' middle halves together, and not too little to matter."""
        return abs(self.by) > max(LEAST, self.noise)


FEW = 5  # pairs, of which the middle half may be narrow by chance: there all of them count


def spread(ratios):
    if len(ratios) < 2:
        return judge.NOISE  # too few to say
    if len(ratios) < FEW:
        return (max(ratios) - min(ratios)) / store.median(ratios)
    return store.spread_of(ratios)


def ratios_of(results):
    """Name and size -> (ratio, noise, whether more is better)."""
    found = {}
    known = {item.id: item for item in plan.ITEMS}
    for name, entry in results["experiments"].items():
        item = known.get(name)
        for row in entry.get("rows", []):
            if row.get("median") and row.get("x_yardstick"):
                noise = (row["max"] - row["min"]) / row["median"] / 2 if row.get("noisy") else judge.NOISE / 2
                found[f"{name}: {row['name']}, x raw line"] = (row["x_yardstick"], noise, False)
        for v in judge.judge_all(item, entry) if item and hasattr(item, "targets") else []:
            label = f"{name}: {v.target.name}" + (f", {judge.words(v.where)}" if v.where else "")
            found[label] = (v.ratio, spread(judge.pairs_of(v.target, v.ours, v.base)), v.target.share)
    return found


def compare(before, after):
    """(changes, labels only in one of them); the largest change first."""
    a, b = ratios_of(before), ratios_of(after)
    changes = [Change(label, a[label][0], b[label][0], a[label][1] + b[label][1], "more" if a[label][2] else "less")
               for label in a if label in b]
    changes.sort(key=lambda c: -abs(c.by))
    return changes, sorted(set(a) ^ set(b))


def text(before, after):
    changes, alone = compare(before, after)
    real = [c for c in changes if c.real]
    lines = [f"{len(changes)} ratios are in both, {len(real)} changed beyond the noise"
             + (f"; {len(alone)} are in one only" if alone else "")]
    if before.get("quick") != after.get("quick"):
        lines.append("one of them is a quick run: sizes differ")
    loads = [r.get("machine", {}).get("load before") for r in (before, after)]
    if all(loads) and loads[0] != loads[1]:
        lines.append(f"the machine was not the same: {loads[0]}, then {loads[1]}")
    width = max((len(c.what) for c in real), default=0)
    for c in real:
        better = (c.by > 0) == (c.kind == "more")
        lines.append(f"  {c.what:<{width}}  {c.before:8.3g} -> {c.after:8.3g}  {100 * c.by:+7.1f} %  (noise {100 * c.noise:.0f} %)  "
                     + ("better" if better else "worse"))
    return "\n".join(lines)
