#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the matrix of Poisson's equation on a square of N x N points as a MatrixMarket file: poisson.py N FILE."""
import sys

n = int(sys.argv[1])
entries = []
for row in range(n * n):
    entries.append((row, row, 4.0))
    if row % n > 0:
        entries.append((row, row - 1, -1.0))
    if row >= n:
        entries.append((row, row - n, -1.0))
with open(sys.argv[2], "w", encoding="ascii") as file:
    file.write(f"%%MatrixMarket matrix coordinate real symmetric\n{n * n} {n * n} {len(entries)}\n")
    file.writelines(f"{row + 1} {column + 1} {value}\n" for row, column, value in entries)
