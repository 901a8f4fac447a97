# SPDX-License-Identifier: Apache-2.0
"""The rules of the trace event format as Perfetto's importer applies them: broken(trace) says what it would drop or misplace."""
import collections

NEEDED = {"B": {"name", "cat"}, "E": set(), "X": {"name", "cat", "dur"}, "s": {"id", "name", "cat"}, "f": {"id", "name", "cat", "bp"},
          "b": {"id", "name", "cat"}, "e": {"id", "name", "cat"}, "C": {"name", "args"}, "M": {"name", "args"}}
SLICES = "BEX"


def nanoseconds(e, field="ts"):
    return round(e[field] * 1000)


class Track:
    """The slices that are open, the innermost last: [name, end or None]."""

    def __init__(self):
        self.open, self.named = [], False

    def shut(self, now, say):
        """Closes slices with a length that are over."""
        while self.open and self.open[-1][1] is not None and self.open[-1][1] <= now:
            self.open.pop()
        for name, end in self.open[:-1]:
            if end is not None and end <= now:
                say(f"{name} ended at {end} with another slice open in it")


def broken(trace):
    """What is wrong, in words; nothing for a file that is shown whole."""
    found, whole, tracks, processes, flows, ended = [], [], collections.defaultdict(Track), set(), {}, collections.Counter()
    say = found.append
    for e in trace["traceEvents"]:
        lacks = ({"ph", "pid"} | ({"ts"} if e["ph"] != "M" else set()) | ({"tid"} if e["ph"] in "BEXsfbe" else set())
                 | NEEDED.get(e["ph"], {"a known kind"})) - set(e)
        if lacks:
            say(f"{e} lacks {lacks}")
            continue
        whole.append(e)
        if e["ph"] == "M" and e["name"] == "thread_name":
            tracks[e["pid"], e["tid"]].named = True
        if e["ph"] == "M" and e["name"] == "process_name":
            processes.add(e["pid"])
    # Sorted by time, and where times are equal as the file has them: so does Perfetto.
    for e in sorted((e for e in whole if "ts" in e), key=nanoseconds):
        now, kind, track = nanoseconds(e), e["ph"], tracks[e["pid"], e.get("tid")]
        if now < 0:
            say(f"{e} is before the beginning")
        if e["pid"] not in processes or (kind != "C" and not track.named):
            say(f"{e} is on a track without a name")
        if kind in SLICES:
            track.shut(now, say)
        if kind == "B":
            track.open.append((e["name"], None))
        elif kind == "E":
            if not track.open or track.open[-1][1] is not None:
                say(f"{e} ends what is not the innermost: {track.open[-1:]}")
            else:
                track.open.pop()
        elif kind == "X":
            end = now + nanoseconds(e, "dur")
            if track.open and track.open[-1][1] is not None and track.open[-1][1] < end:
                say(f"{e} overlaps the end of {track.open[-1]}")
            track.open.append((e["name"], end))
        elif kind in "sf" and not track.open:
            say(f"{e} is in no slice")
        if kind == "s":
            if e["id"] in flows:
                say(f"{e} begins an arrow that was begun before")
            flows[e["id"]] = now
        elif kind == "f":
            ended[e["id"]] += 1
            if e["id"] not in flows:
                say(f"{e} ends an arrow before it began")
            if e.get("bp") != "e":
                say(f"{e} would be bound to the next slice")
        elif kind == "C" and not all(isinstance(v, (int, float)) for v in e["args"].values()):
            say(f"{e} is no number")
    found += [f"arrow {i} has no end" for i in flows if i not in ended] + [f"arrow {i} has {n} ends" for i, n in ended.items() if n > 1]
    found += [f"{name} stays open" for track in tracks.values() for name, end in track.open if end is None]
    return found
