# SPDX-License-Identifier: Apache-2.0
"""Maps and sets that a job in C++ exposes."""
import os
import pathlib
import subprocess

import armilla
import pytest

PROGRAM = pathlib.Path(os.environ["TESTED_BUILD"]) / "bin/python_tables"


class Tables:
    def __init__(self, ranks: int) -> None:
        self.process = subprocess.Popen([PROGRAM], env=os.environ | {"ARMILLA_RANKS": str(ranks)}, stdout=subprocess.PIPE, text=True)
        self.expect("ready\n")

    def expect(self, line: str) -> None:
        assert self.process.stdout.readline() == line

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="module", params=[1, 3])
def tables(request):
    job = Tables(request.param)
    yield armilla.attach(job.process.pid)
    job.end()


def test_keys_are_looked_up(tables):
    words = tables.map("words")
    assert [words[f"word {i}"] for i in range(0, 10_000, 499)] == list(range(0, 10_000, 499))
    assert "word 3" in words and "word 10000" not in words
    assert (words.get("word 4"), words.get("no word"), words.get("no word", 7)) == (4, None, 7)
    with pytest.raises(KeyError, match="no word"):
        words["no word"]


def test_sizes_are_seen(tables):
    words = tables.map("words")
    assert len(words) == sum(words.sizes().values()) == 10_000
    assert list(words.sizes()) == words.ranks == list(range(tables.ranks))
    assert repr(words) == f"<armilla map 'words' of a running job: map<string, int64>, 10000 elements, on ranks {words.ranks}>"
    assert tables.exposed() == {"array": "float64", "lists": "map<int32, list<float64>>", "numbers": "set<int32>", "words": "map<string, int64>"}


def test_elements_are_listed(tables):
    words = tables.map("words")
    everything = [*words.items()]
    assert len(everything) == 10_000 and dict(everything) == {f"word {i}": i for i in range(10_000)}
    assert sorted(words.values()) == list(range(10_000)) and set(words) == set(words.keys()) == set(dict(everything))
    some = words.elements(0, 10)
    assert len(some) == 10 and all(words[key] == value for key, value in some)
    assert words.elements(0, 0) == [] and len(words.elements(0)) == words.sizes()[0]
    with pytest.raises(IndexError, match="rank 9 exposes no part of 'words'"):
        words.elements(9)


def test_values_of_other_types_travel(tables):
    lists = tables.map("lists")
    assert lists[3].tolist() == [0.5] * 3 and lists[0].size == 0
    assert {key: len(value) for key, value in lists.items()} == {i: i for i in range(50)}


def test_a_set_is_a_set(tables):
    numbers = tables.set("numbers")
    assert 49 in numbers and 50 not in numbers and len(numbers) == 50
    assert set(numbers) == set(range(50)) and numbers & {3, 70} == {3}
    assert sorted(key for rank in numbers.ranks for key in numbers.elements(rank)) == list(range(50))


def test_what_is_something_else_says_so(tables):
    with pytest.raises(armilla.UsageError, match="'numbers' is set<int32>, not a map"):
        tables.map("numbers")
    with pytest.raises(armilla.UsageError, match="'array' is an array of float64, not a set"):
        tables.set("array")
    with pytest.raises(armilla.UsageError, match="nothing is exposed as 'word'; it exposes array, lists, numbers, words"):
        tables.map("word")
    with pytest.raises(armilla.UsageError, match="'words' is a map<string, int64>, which ranks have in memory of their own"):
        tables.array("words")
    with pytest.raises(TypeError, match="is no string"):
        tables.map("words")[3]


def test_a_rank_that_computes_is_described(tables):
    numbers = armilla.attach(tables.process).set("numbers")
    numbers._table.job.timeout = 0.1
    assert 3 in numbers  # the methods are known by now
    busy = tables[0].demo.tables.compute.future()
    with pytest.raises(armilla.TimeoutError, match="of rank 0 has .*begun.* within 0.1 s: the rank is busy"):
        while True:
            3 in numbers
    busy.result()
    numbers._table.job.timeout = 10.0
    assert 3 in numbers


def test_an_exposure_that_ends_is_an_error():
    job = Tables(2)
    try:
        seen = armilla.attach(job.process.pid)
        lists = seen.map("lists")
        assert 3 in lists
        for rank in lists.ranks:
            seen[rank].demo.tables.stop()
        job.expect("ended\n")
        with pytest.raises(armilla.RemoteError, match="'lists.rank_of'"):
            lists[3]
        with pytest.raises(armilla.UsageError, match="nothing is exposed as 'lists'; it exposes array, numbers, words"):
            len(lists)
        assert 3 in seen.set("numbers")
    finally:
        job.end()
