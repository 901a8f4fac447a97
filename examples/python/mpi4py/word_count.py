# SPDX-License-Identifier: Apache-2.0
"""Counts the words of text files by mpi4py: each word is sent to the rank that its hash names.

    mpirun -n 4 python word_count.py FILE...
"""
import collections
import os
import re
import sys
import zlib

from mpi4py import MPI

world = MPI.COMM_WORLD


def share_of(path):
    """The words that begin in this rank's part of a file."""
    size = os.path.getsize(path)
    first, end = size * world.rank // world.size, size * (world.rank + 1) // world.size
    with open(path, "rb") as file:
        file.seek(max(0, first - 1))
        if first > 0 and file.read(1).isalpha():  # the word at the border began in the part before
            while file.read(1).isalpha():
                pass
        text = file.read(max(0, end - file.tell()))
        while text[-1:].isalpha() and (more := file.read(1)).isalpha():
            text += more
    return re.findall(rb"[a-z]+", text.lower())


mine = collections.Counter()
for path in sys.argv[1:]:
    mine.update(share_of(path))
outgoing = [{} for _ in range(world.size)]
for word, count in mine.items():
    outgoing[zlib.crc32(word) % world.size][word] = count
owned = collections.Counter()
for part in world.alltoall(outgoing):
    owned.update(part)
parts = world.gather(list(owned.items()))
if world.rank == 0:
    most = sorted((pair for part in parts for pair in part), key=lambda pair: (-pair[1], pair[0]))
    for word, count in most[:10]:
        print(f"{count:8} {word.decode()}")
    print(f"{sum(count for _, count in most)} words, {len(most)} different ones")
