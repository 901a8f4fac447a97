# SPDX-License-Identifier: Apache-2.0
"""Features of ranks of Python, each with a result that is known: pairs_ranks.py SEED FEATURE..., driven by pairs_test.py."""
import random
import sys

import armilla as am
import numpy as np


def half(x):
    return x / 2


def length(words):
    return am.rank, len(words)


def calls(dice):
    futures = [am.call(i % am.size, half, i) for i in range(50)]
    assert [f.get() for f in futures] == [i / 2 for i in range(50)]
    words = ["x" * dice.randrange(3000) for _ in range(20)]
    assert am.call((am.rank + 1) % am.size, length, words).get() == ((am.rank + 1) % am.size, 20)


noted = []


def note(x):
    noted.append(x)


def one_way_calls(dice):
    for r in range(am.size):
        for x in range(20):
            am.async_(r, note, x)
    am.fence()
    assert sorted(noted) == sorted(list(range(20)) * am.size), noted
    am.barrier()


def collectives(dice):
    assert am.all_reduce(am.rank) == am.size * (am.size - 1) // 2
    assert am.all_gather("of %d" % am.rank) == ["of %d" % r for r in range(am.size)]
    assert am.broadcast({"root": am.rank}, am.size - 1) == {"root": am.size - 1}
    am.barrier()


def arrays(dice):
    n = dice.randrange(1, 5000)
    a = am.array(np.array([(i * 7919 + n) % 1009 for i in range(n)], dtype="i8"))
    whole = np.asarray(a).copy()
    am.barrier()
    assert a.sum() == whole.sum()
    a.sort()
    assert (np.asarray(a) == np.sort(whole)).all()
    am.barrier()


def dictionaries(dice):
    d = am.dict()
    for i in range(300):
        d.update(f"key {i % 17}", i)
    am.fence()
    for k in range(17):
        assert d[f"key {k}"] == am.size * sum(range(k, 300, 17))
    am.barrier()


def main():
    dice = random.Random(int(sys.argv[1]))
    for feature in sys.argv[2:]:
        globals()[feature](dice)
    am.barrier()
    if am.rank == 0:
        print("right", flush=True)


main()
