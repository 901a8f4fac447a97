# SPDX-License-Identifier: Apache-2.0
"""The file of results: written after each round, so that a run can be resumed, and read by `page` and `compare`."""
import json
import os
import pathlib
import statistics

VERSION = 1


class ReportError(Exception):
    """What the user can mend; printed without a trace."""


def empty(quick):
    return {"armilla_report": VERSION, "quick": quick, "machine": {}, "yardsticks": [], "experiments": {}}


def load(path):
    path = pathlib.Path(path)
    if path.is_dir():
        path = path / "results.json"
    try:
        results = json.loads(path.read_text())
    except (OSError, ValueError) as why:
        raise ReportError(f"{path}: cannot be read as results of armilla-report ({why})") from why
    if not isinstance(results, dict) or results.get("armilla_report") != VERSION:
        raise ReportError(f"{path}: not results of this armilla-report (version {VERSION}); run it again")
    return results


def save(results, path):
    """In one piece: a run that is interrupted finds the old file or the new one."""
    path = pathlib.Path(path)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(results, indent=1) + "\n")
    os.replace(part, path)


def key_of(record):
    """What makes two records the same measurement."""
    return (record["command"], record["program"], record["version"], record["by"], record["ranks"], record["fabric"],
            json.dumps(record["size"], sort_keys=True))


def median(values):
    return statistics.median(values) if values else float("nan")


def value_of(record):
    """The figure of a record: the median over all samples of all rounds."""
    return median([sample for round_ in record["rounds"] for sample in round_])


def is_rate(unit):
    """Whether more is better: GF/s, Mop/s, but not s or ns/edge."""
    return unit.endswith("/s")


def spread_of(values):
    """The middle half's width by the median: what is called noise here."""
    if len(values) < 3:
        return float("nan")
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    middle = median(values)
    return (high - low) / middle if middle else float("nan")
