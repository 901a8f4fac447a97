# SPDX-License-Identifier: Apache-2.0
"""Distributed n-dimensional arrays: what `armilla.array` and its relatives are made of. Each file is one topic; `core` has the class."""
