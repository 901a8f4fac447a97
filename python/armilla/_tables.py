# SPDX-License-Identifier: Apache-2.0
"""Maps and sets by hash that a running job exposes: its ranks are asked, by the methods that they provide for it."""
from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, Set, ValuesView
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from ._job import Job

_BATCH = 4096  # elements that leave a rank at a time


class _Table:
    """What a job exposes under a name, of a kind: "map" or "set"."""

    def __init__(self, job: Job, name: str, kind: str) -> None:
        self.job, self.name = job, name
        parts = self.parts()
        self.type: str = parts[0]["type"]
        if parts[0]["element_bytes"] != 0 or not self.type.startswith(kind + "<"):
            what = "an array of " if parts[0]["element_bytes"] else ""
            raise _core.UsageError(f"armilla: '{name}' is {what}{self.type}, not a {kind}")
        self.ranks: list[int] = [part["rank"] for part in parts]
        self._signatures: dict[str, str] = {}
        self._known: dict[tuple[int, str], _core.ClientMethod] = {}

    def parts(self) -> list[dict[str, Any]]:
        """As they are now."""
        everything = _core.exposed(self.job._client)
        mine = [part for part in everything if part["name"] == self.name]
        if not mine:
            names = ", ".join(sorted({part["name"] for part in everything}))
            raise _core.UsageError(f"armilla: nothing is exposed as '{self.name}'; " + (f"it exposes {names}" if names else "the job exposes nothing"))
        return mine

    def ask(self, rank: int, method: str, *arguments: Any) -> Any:
        """Calls what the rank provides for the table."""
        known = self._known.get((rank, method))
        if known is None:
            name = f"{self.name}.{method}"
            if name not in self._signatures:
                self._signatures = self.job[rank].methods()  # the same on all ranks
            if name not in self._signatures:
                raise _core.UsageError(f"armilla: '{self.name}' is exposed no more: rank {rank} provides no '{name}'")
            known = self._known[rank, method] = _core.ClientMethod(self.job._client.on(rank), name, self._signatures[name], self.job.timeout)
        return known.ask(*arguments).result(self.job.timeout)  # as it is now: it may be set anew

    def rank_of(self, key: Any) -> int:
        """Which rank is to be asked: the one that has the key, or, if no part of that is seen, another one, which asks it."""
        first = self.ranks[0]
        if len(self.ranks) == 1:
            return first
        owner = int(self.ask(first, "rank_of", key))
        return owner if owner in self.ranks else first

    def contains(self, key: Any) -> bool:
        return self.ask(self.rank_of(key), "contains", key)

    def elements(self, rank: int, most: int | None) -> list[Any]:
        """The first `most` elements of a rank. Where it makes its table anew meanwhile, this begins again, with larger batches."""
        if rank not in self.ranks:
            raise IndexError(f"rank {rank} exposes no part of '{self.name}'; ranks {self.ranks} do")
        if most is not None and most < 0:
            raise ValueError(f"{most} elements")
        batch = _BATCH
        found = self._collect(rank, most, batch)
        while found is None:
            batch *= 4
            found = self._collect(rank, most, batch)
        return found[:most]

    def _collect(self, rank: int, most: int | None, batch: int) -> list[Any] | None:
        found: list[Any] = []
        begun = None
        place = 0
        while most is None or len(found) < most:
            wanted = batch if most is None else min(batch, most - len(found))
            rebuilds, place, some = self.ask(rank, "elements", place, wanted)
            if begun not in (None, rebuilds):
                return None
            begun = rebuilds
            found += some.tolist() if hasattr(some, "tolist") else some  # keys that are numbers come as an array
            if place == 0:
                break
        return found

    def each(self) -> Iterator[Any]:
        for rank in self.ranks:
            yield from self.elements(rank, None)

    def sizes(self) -> dict[int, int]:
        return {part["rank"]: part["extent"][0] for part in self.parts()}

    def __len__(self) -> int:
        return self.parts()[0]["shape"][0]

    def text(self, kind: str) -> str:
        return f"<armilla {kind} '{self.name}' of a running job: {self.type}, {len(self)} elements, on ranks {self.ranks}>"


class _Keys(KeysView):
    def __iter__(self) -> Iterator[Any]:
        return iter(self._mapping)


class _Items(ItemsView):
    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return (tuple(element) for element in self._mapping._table.each())


class _Values(ValuesView):
    def __iter__(self) -> Iterator[Any]:
        return (value for _, value in self._mapping._table.each())


class ExposedMap(Mapping):
    """An unordered_map, counting_set or unordered_multimap of a running job: `job.map("words")`.

    The job changes it meanwhile. A key is looked up on the rank that has it, elements come rank by rank, in no order; those that stay there
    come once. Calls wait `job.timeout` seconds for a rank. `len` and `sizes` ask no rank: they are of the job's last fence.
    """

    def __init__(self, job: Job, name: str) -> None:
        self._table = _Table(job, name, "map")

    name = property(lambda self: self._table.name)
    type = property(lambda self: self._table.type, doc='As in signatures: "map<string, int64>".')
    ranks = property(lambda self: self._table.ranks, doc="Those that have a part.")

    def _find(self, key: Any) -> Any:
        return self._table.ask(self._table.rank_of(key), "find", key)

    def __getitem__(self, key: Any) -> Any:
        value = self._find(key)
        if value is None and not self._table.contains(key):
            raise KeyError(key)
        return value

    def __contains__(self, key: Any) -> bool:
        return self._table.contains(key)

    def __iter__(self) -> Iterator[Any]:
        return (key for key, _ in self._table.each())

    def __len__(self) -> int:
        return len(self._table)

    def keys(self) -> KeysView:
        return _Keys(self)

    def items(self) -> ItemsView:
        return _Items(self)

    def values(self) -> ValuesView:
        return _Values(self)

    def sizes(self) -> dict[int, int]:
        """How many elements each rank had at the job's last fence."""
        return self._table.sizes()

    def elements(self, rank: int, most: int | None = None) -> list[tuple[Any, Any]]:
        """Pairs of keys and values of one rank: the first `most`, or all."""
        return [tuple(element) for element in self._table.elements(rank, most)]

    def __repr__(self) -> str:
        return self._table.text("map")


class ExposedSet(Set):
    """An unordered_set of a running job: `job.set("names")`. As an ExposedMap without values."""

    def __init__(self, job: Job, name: str) -> None:
        self._table = _Table(job, name, "set")

    name = property(lambda self: self._table.name)
    type = property(lambda self: self._table.type, doc='As in signatures: "set<string>".')
    ranks = property(lambda self: self._table.ranks, doc="Those that have a part.")

    @classmethod
    def _from_iterable(cls, keys: Any) -> set[Any]:
        return set(keys)  # what & and | give is a set of this process

    def __contains__(self, key: Any) -> bool:
        return self._table.contains(key)

    def __iter__(self) -> Iterator[Any]:
        return self._table.each()

    def __len__(self) -> int:
        return len(self._table)

    def sizes(self) -> dict[int, int]:
        """How many keys each rank had at the job's last fence."""
        return self._table.sizes()

    def elements(self, rank: int, most: int | None = None) -> list[Any]:
        """Keys of one rank: the first `most`, or all."""
        return self._table.elements(rank, most)

    def __repr__(self) -> str:
        return self._table.text("set")
