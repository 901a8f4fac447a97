# SPDX-License-Identifier: Apache-2.0
"""Ratios of ours to a baseline, and what they say about a target."""
import dataclasses
import fnmatch
import math

from . import store

LINE_NS = (85, 125)  # of the raw line's round trip: the state of the hardware in which published speeds were taken
NOISE = 0.15  # a ratio whose middle half is wider than this is marked


@dataclasses.dataclass
class Verdict:
    target: object
    where: dict  # the sizes
    ratio: float
    low: float
    high: float
    pairs: int
    limit: float | None
    noisy: bool
    ours: dict
    base: dict
    program: str = ""

    @property
    def reached(self):
        """True, False, or None where there is no limit."""
        if self.limit is None:
            return None
        return self.ratio >= self.limit if self.target.share else self.ratio <= self.limit

    @property
    def of_limit(self):
        """The part of the limit that is used: 1 is the limit, less is better."""
        if self.limit is None:
            return None
        return self.limit / self.ratio if self.target.share else self.ratio / self.limit


def fits(record, wanted):
    for name, pattern in wanted.items():
        value = record["size"].get(name[5:]) if name.startswith("size.") else record.get(name)
        if not fnmatch.fnmatchcase(str(value), str(pattern)):
            return False
    return True


def pairs_of(target, ours, base):
    """A ratio a round."""
    found = []
    for a, b in zip(ours["rounds"], base["rounds"]):
        mine, theirs = store.median(a), store.median(b)
        if not mine > 0 or not theirs > 0:
            continue
        slower = theirs / mine if store.is_rate(ours["unit"]) else mine / theirs
        found.append(1 / slower if target.share else slower)
    return found


def best(records):
    return min(records, key=lambda r: -store.value_of(r) if store.is_rate(r["unit"]) else store.value_of(r))


def sizes_of(record, names):
    return tuple((name, record["size"].get(name, record.get(name))) for name in names)


def order(sizes):
    return tuple((isinstance(value, str), value if value is not None else -math.inf) for _, value in sizes)


def published(target, ours, where):
    """The baseline's record that a published speed stands for, on a size that says how many operations it is; None without one."""
    speed, operations = target.published(where), ours["size"].get("operations")
    if not speed or not operations:
        return None
    return ours | {"by": "published", "version": "published", "rounds": [[operations / (speed * 1e6)]] * len(ours["rounds"])}


def judge(target, records, line_ns=None):
    """A verdict for each value of the sizes that both sides have."""
    ours = [r for r in records if fits(r, target.ours)]
    base = [r for r in records if fits(r, target.base)]
    groups = {sizes_of(r, target.on) for r in ours}
    verdicts = []
    for group in sorted(groups, key=order):
        mine = [r for r in ours if sizes_of(r, target.on) == group]
        theirs = [r for r in base if (target.peak or sizes_of(r, target.on) == group) and r["unit"] == mine[0]["unit"]]
        where = {name: value for name, value in group if value is not None}
        if target.published:
            theirs = [r for r in (published(target, best(mine), where),) if r]
        if not theirs:
            continue
        a, b = best(mine), best(theirs)
        ratios = pairs_of(target, a, b)
        if not ratios:
            continue
        limit = target.limit(where) if callable(target.limit) else target.limit
        if target.published and (line_ns is None or not LINE_NS[0] <= line_ns <= LINE_NS[1]):
            limit = None
        spread = store.spread_of(ratios)
        verdicts.append(Verdict(target, where, store.median(ratios), min(ratios), max(ratios), len(ratios), limit,
                                not spread <= NOISE, a, b))
    return verdicts


def judge_all(experiment, entry):
    verdicts = [v for target in experiment.targets for v in judge(target, entry.get("records", []), entry.get("line_ns"))]
    for v in verdicts:
        v.program = experiment.id
    return verdicts


def words(where):
    return ", ".join(f"{name} {value}" for name, value in where.items())
