#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every algorithm that tests/names uses has its name of STAPL, p_<name>."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NO_ALGORITHMS = {"barrier", "cyclic", "fence", "grid", "halo", "like", "rank", "read_edges", "read_graph", "set_exchange_limit", "swap", "world"}

shown = set()
for file in ("algorithms", "graphs"):
    shown |= set(re.findall(r"\bam::([a-z_0-9]+)\(", (ROOT / f"tests/names/{file}.cpp").read_text(encoding="utf-8")))
here = set(re.findall(r"^ARMILLA_STAPL_P\((\w+)\)", (ROOT / "armilla/dialect/stapl_every_algorithm.hpp").read_text(encoding="utf-8"), re.M))
here |= set(re.findall(r"\bp_(\w+)\(", (ROOT / "armilla/dialect/stapl_algorithms.hpp").read_text(encoding="utf-8")))
if len(shown) < 100:
    sys.exit(f"tests/names uses {len(shown)} algorithms only: does this test still read the right files?")
if missing := sorted(shown - here - NO_ALGORITHMS):
    sys.exit("armilla/dialect/stapl_every_algorithm.hpp lacks: " + " ".join(missing))
