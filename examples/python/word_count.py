# SPDX-License-Identifier: Apache-2.0
"""Counts the words of text files: each rank reads its share of the bytes, a distributed dictionary adds up.

    python -m armilla -n 4 word_count.py FILE...
"""
import collections
import os
import re
import sys

import armilla as am


def share_of(path):
    """The words that begin in this rank's part of a file."""
    size = os.path.getsize(path)
    first, end = size * am.rank // am.size, size * (am.rank + 1) // am.size
    with open(path, "rb") as file:
        file.seek(max(0, first - 1))
        if first > 0 and file.read(1).isalpha():  # the word at the border began in the part before
            while file.read(1).isalpha():
                pass
        text = file.read(max(0, end - file.tell()))
        while text[-1:].isalpha() and (more := file.read(1)).isalpha():
            text += more
    return re.findall(rb"[a-z]+", text.lower())


counts = am.dict()
for path in sys.argv[1:]:
    counts.update_all(collections.Counter(share_of(path)).items())
most = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
if am.rank == 0:
    for word, count in most[:10]:
        print(f"{count:8} {word.decode()}")
    print(f"{sum(count for _, count in most)} words, {len(most)} different ones")
