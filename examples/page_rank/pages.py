#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a graph whose first vertices many edges lead to: pages.py VERTICES FILE."""
import sys

vertices = int(sys.argv[1])
with open(sys.argv[2], "w", encoding="utf-8") as file:
    print("# from to", file=file)
    for v in range(vertices):
        for k in (0, v // 2, (v * v + 1) % vertices):
            print(v, k, file=file)
