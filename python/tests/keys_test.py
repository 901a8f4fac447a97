# SPDX-License-Identifier: Apache-2.0
"""Keys of dictionaries: equal ones are one key, whatever they are made of and wherever they come from."""
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import itertools
import pathlib
import random
import subprocess
import sys
import uuid

import numpy as np
import pytest
from armilla._hashing import rank_of, stable_hash


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(str, enum.Enum):
    ONE = "one"


class Bits(enum.Flag):
    A = 1
    B = 2


@dataclasses.dataclass(frozen=True)
class Point:
    x: object
    y: object = 0
    note: str = dataclasses.field(default="", compare=False)


@dataclasses.dataclass(frozen=True)
class Upper:  # whose == is its own
    text: str

    def __eq__(self, other):
        return self.text.upper() == other.text.upper()

    def __hash__(self):
        return hash(self.text.upper())


class Own:
    def __init__(self, a, noise):
        self.a, self.noise = a, noise

    def __eq__(self, other):
        return isinstance(other, Own) and self.a == other.a

    def __hash__(self):
        return hash(self.a)

    def __armilla_hash__(self):
        return (self.a,)


def same_number(r):
    n = r.choice([0, 1, 2, -1, 7, 2**40, 2**70])
    forms = [n, float(n), complex(n)]
    if n in (0, 1):
        forms.append(bool(n))
    if n in (1, 2):
        forms.append(Level(n))
    if n in (7, 2**70):  # with which NumPy's integers cannot be compared
        forms += [fractions.Fraction(n), decimal.Decimal(n)]
    else:
        forms += [np.int64(n), np.float64(n), *([np.uint8(n), np.float32(n)] if 0 <= n < 100 else []), *([np.bool_(n)] if n in (0, 1) else [])]
    if n == 0:
        forms.append(-0.0)
    return forms


def same_text(r):
    text = r.choice(["", "a", "one", "word", "größer", "\ud800", "x" * 300])
    return [text, "".join(list(text)), np.str_(text), *([Word.ONE] if text == "one" else [])] if text != "\ud800" else [text, text[:1] + text[1:]]


def same_time(r):
    moment = dt.datetime(2024, r.randint(1, 12), 3, r.randint(0, 23), 30, 5, 7, dt.timezone.utc)
    return [moment, moment.astimezone(dt.timezone(dt.timedelta(hours=r.randint(-9, 9)))), moment.replace(fold=1)]


def same_dates(r):
    day = r.randint(1, 28)
    return r.choice([
        [dt.date(2024, 2, day), dt.datetime(2024, 2, day).date()],
        [dt.datetime(2024, 2, day, 5), dt.datetime(2024, 2, day, 5, fold=1)],
        [dt.timedelta(days=day), dt.timedelta(hours=24 * day)],
        [dt.time(4, day), dt.time(4, day, fold=1)],
        [dt.time(12, day, tzinfo=dt.timezone.utc), dt.time(13, day, tzinfo=dt.timezone(dt.timedelta(hours=1)))],
        [dt.timezone(dt.timedelta(hours=1)), dt.timezone(dt.timedelta(hours=1), "CET")]])


def same_others(r):
    n = r.randint(0, 3)
    return r.choice([
        [None, None], [..., ...], [b"ab" * n, bytes(bytearray(b"ab" * n)), *([np.bytes_(b"ab" * n)] if n else [])], [int, int], [Point, Point], [Color.RED, Color(1)], [Color.GREEN], [Bits.A | Bits.B, Bits(3)], [Bits(0), Bits.A & Bits.B],
        [uuid.UUID(int=n), uuid.UUID(str(uuid.UUID(int=n)))], [pathlib.PurePosixPath("a/b"), pathlib.PurePosixPath("a//b")], [range(0, 2 * n, 2), range(0, 2 * n - (n > 0), 2)], [Own(n, 1), Own(n, 2)]])


def equal_keys(r, depth=2):
    """Several forms of one key."""
    kind = r.randrange(8 if depth else 5)
    if kind < 5:
        return (same_number, same_text, same_time, same_dates, same_others)[kind](r)
    parts = [equal_keys(r, depth - 1) for _ in range(r.randint(0, 3))]
    chosen = [[r.choice(forms) for forms in parts] for _ in range(3)]
    if kind == 5:
        return [tuple(c) for c in chosen]
    if kind == 6:
        return [frozenset(r.sample(c, len(c))) for c in chosen]
    return [Point(tuple(c), y, note) for c, y, note in zip(chosen, (0, False, 0.0), "abc")]


def test_equal_keys_have_one_hash():
    r = random.Random(5)
    groups = [equal_keys(r) for _ in range(1000)]
    for forms in groups:
        assert all(a == b for a, b in itertools.combinations(forms, 2)), forms
        assert len({stable_hash(form) for form in forms}) == 1, forms


@pytest.mark.whole
def test_hashes_are_those_of_every_process(tmp_path):
    code = f"import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r}); import random; from keys_test import *\nr = random.Random(7)\nprint([stable_hash(k) for _ in range(300) for k in equal_keys(r)])"
    printed = {subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**__import__("os").environ, "PYTHONHASHSEED": seed}).stdout for seed in ("1", "2")}
    assert len(printed) == 1


@pytest.mark.parametrize("keys", [range(4000), [0.5 * k for k in range(4000)], [f"key {k}" for k in range(4000)], [(k // 50, k % 50) for k in range(4000)]], ids=["ints", "halves", "strings", "pairs"])
def test_keys_are_spread(keys):
    for size in (2, 3):
        counts = np.bincount([rank_of(k, size) for k in keys], minlength=size)
        assert counts.min() > 0.8 * 4000 / size, counts


@pytest.mark.parametrize("key, text", [
    (float("nan"), "not equal to itself"), ((1, (2.0, float("nan"))), "not equal to itself"), (np.float32("nan"), "not equal to itself"), (complex(0, float("nan")), "not equal to itself"),
    (decimal.Decimal("nan"), "not equal to itself"), ([1], "of type list can change"), ((1, {}), "of type dict can change"), (np.zeros(2), "of type ndarray can change"), (object(), "__armilla_hash__"),
    (Upper("a"), "of type Upper"), (np.datetime64("2024-01-01"), "of type datetime64"), (lambda: 0, "__armilla_hash__")])
def test_keys_that_ranks_cannot_compare_are_told(key, text):
    with pytest.raises(TypeError, match=text):
        rank_of(key, 2)


def test_a_dictionary_of_random_keys_is_as_one_of_python(together):
    together(f"""
        import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        import random, armilla as am
        from keys_test import equal_keys
        r = random.Random(11)
        draws = [(equal_keys(r), r.randrange(am.size), r.randint(1, 9)) for _ in range(300)]
        d, model = am.dict(), {{}}
        for forms, rank, n in draws:
            key = forms[rank % len(forms)]
            model[key] = model.get(key, 0) + n
            if rank == am.rank: d.update(key, n)
        items = d.items()
        assert len(items) == len(model) and dict(items) == model, (len(items), len(model))
        for forms, _, _ in draws[am.rank::20]:
            for form in forms: assert d[form] == model[form] and form in d
        am.barrier()
        if am.rank == 0:
            for key in ([1], float('nan'), object()):
                for f in (d.update, d.get, d.__getitem__, d.__contains__, lambda k: d.__setitem__(k, 1)):
                    try: f(key)
                    except TypeError as e: assert 'armilla: dict: a key' in str(e)
                    else: assert False, key
        am.barrier()
        """)


def test_a_dictionary_that_a_rank_gets_again_in_a_call_is_its_own_again(together):
    together("""
        import armilla as am, gc
        from armilla import _dict
        kept = []
        def keep(d): kept.append(d)
        def number_of(d): return d._number
        for told in (True, False):
            d = am.dict()
            number = d._number
            d.update('word', 1)
            am.fence()
            if am.rank != 0: del d
            gc.collect()
            if told: am.fence()                                # all have heard that rank 0 alone has it
            if am.rank == 0:
                am.call(1, keep, d).get()
                del d
            gc.collect()
            for _ in range(3): am.fence()                      # rank 0 has dropped it, rank 1 has it again
            assert number in _dict._parts
            if am.rank == 1:
                d = kept.pop()
                assert d['word'] == 3
                d.update('word', 4)
                d.flush()
                assert d['word'] == 7
                del d
            gc.collect()
            for _ in range(3): am.fence()
            assert number not in _dict._parts
        """)


def test_length_and_keys_are_those_of_all_ranks(job, workers):
    job.passes(3, """
        import armilla as am
        d = am.dict()
        d.update(am.rank)
        d.update("all")
        assert len(d) == 4 and sorted(map(str, d)) == ["0", "1", "2", "all"] and dict(d.items())["all"] == 3 and d
        assert not am.dict()
        """)
    d = workers.dict()
    d.update_all([("x", 1), ("y", 2)])
    assert len(d) == 2 and sorted(d) == ["x", "y"]
