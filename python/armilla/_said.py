# SPDX-License-Identifier: Apache-2.0
"""Errors that several ranks end by: each is printed once, with the ranks that have it.

The first rank that fails waits a moment for others, prints, and fails the job. Ranks that have printed nothing read in a file what was. It is
in the memory of the process that started them (`shared`): nothing is left behind.
"""
from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from typing import Any, Callable

_patience = 0.15  # seconds in which other ranks fail, too


def shared() -> str:
    """Makes the file; its name for the ranks."""
    file = os.memfd_create("armilla-errors")
    return f"/proc/{os.getpid()}/fd/{file}"


def _lines(path: str, add: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """What has been noted, with what is added now."""
    with open(path, "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        lines = [json.loads(line) for line in file.read().splitlines()]
        if add is not None:
            file.write(json.dumps(add).encode() + b"\n")
            lines.append(add)
        return lines


def _wait_until(condition: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)


def ranges(ranks: list[int]) -> str:
    """`0-3, 6`"""
    runs: list[list[int]] = []
    for r in sorted(ranks):
        if runs and r == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], r]
        else:
            runs.append([r, r])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def print_once(path: str, rank: int, size: int, text: str) -> None:
    """Prints the text of an error that ends this rank, unless another rank does."""
    lines = _lines(path, {"rank": rank, "text": text})
    if "rank" in lines[0] and lines[0]["rank"] == rank:
        _wait_until(lambda: len(_lines(path)) >= size, _patience)
        by_text: dict[str, list[int]] = {}
        for line in _lines(path, {"told": True}):
            if "rank" in line:
                by_text.setdefault(line["text"], []).append(line["rank"])
        for each, ranks in by_text.items():
            if len(ranks) > 1 or len(by_text) > 1:
                sys.stderr.write(f"armilla: rank{'s' if len(ranks) > 1 else ''} {ranges(ranks)} raised this:\n")
            sys.stderr.write(each)
        sys.stderr.flush()
        return
    _wait_until(lambda: any("told" in line for line in _lines(path)), 1.0)
    lines = _lines(path)
    told = next((i for i, line in enumerate(lines) if "told" in line), 0)
    mine = next(i for i, line in enumerate(lines) if line.get("rank") == rank)
    if mine > told and text not in [line.get("text") for line in lines[:told]]:
        sys.stderr.write(text)
        sys.stderr.flush()
