# SPDX-License-Identifier: Apache-2.0
"""Looking into a running job, from a process that is none of its ranks."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _core
from ._methods import PATIENCE, ClientRank

if TYPE_CHECKING:
    from ._tables import ExposedMap, ExposedSet


class Job:
    """A running job, seen from outside. Made by `attach`.

    What it shows lies in pages that the ranks share: it needs no help of theirs, so it sees ranks that compute, hang or are stopped
    as it sees others. The job may end at any time: `alive` says so, and `stats` gives what the ranks showed last.

    >>> import armilla
    >>> with armilla.ranks(2) as am:
    ...     job = armilla.attach(am.process)
    ...     job.ranks, job.alive, len(job.stats())
    (2, True, 2)
    """

    def __init__(self, client: _core.Client, timeout: float = PATIENCE) -> None:
        self._client = client
        self.timeout = timeout
        self._on: dict[int, ClientRank] = {}

    @property
    def ranks(self) -> int:
        """How many ranks it has."""
        return self._client.ranks

    @property
    def process(self) -> int:
        """Its supervisor, or the process of the job through which it was found."""
        return self._client.process

    @property
    def program(self) -> str:
        """The path of rank 0's program."""
        return self._client.summary()["program"]

    @property
    def alive(self) -> bool:
        """Whether a rank of it still runs on this host."""
        return self._client.alive

    def stats(self) -> list[dict[str, Any]]:
        """What each rank shows now: `rank`, `process`, `program`, `here`, `doing`, `seconds`, `waits_for`, `algorithm`, `cpu`
        (seconds of processor time), `memory`, `segment` (bytes in memory) and `counters`, a dict of all counters since the rank began to run."""
        return self._client.look()

    def who_waits(self) -> dict[int, tuple[str, float]]:
        """The ranks that sleep: in which operation, and for how many seconds."""
        return {r["rank"]: (r["waits_for"], r["seconds"]) for r in self.stats() if r["doing"] == "waiting"}

    def explain_waits(self) -> str:
        """What the ranks wait for, as the job itself would tell: each one's fibers and what they wait for, in lines. Asks the ranks;
        those that compute are said to."""
        return self._client.who_waits()

    def __getitem__(self, rank: int) -> ClientRank:
        """One rank. What it provides by name are its attributes: `job[2].demo.solver.step(0.1)` calls, and returns the value or raises
        RemoteError; `await job[2].demo.solver.step.future(0.1)`. Calls wait `timeout` seconds for the rank."""
        if rank not in self._on:
            self._on[rank] = ClientRank(self._client.on(rank), self.timeout)
        return self._on[rank]

    def exposed(self) -> dict[str, str]:
        """Name and type of the data that the job exposes."""
        return {part["name"]: part["type"] for part in _core.exposed(self._client)}

    def array(self, name: str) -> Any:
        """An array or matrix that the job exposes under the name: an `ExposedArray`, without a copy."""
        from ._exposed import ExposedArray  # which needs NumPy

        return ExposedArray(self._client, name)

    def map(self, name: str) -> ExposedMap:
        """A map by hash that the job exposes under the name, as a read-only Mapping: `job.map("words")["am"]`. Its ranks answer."""
        from ._tables import ExposedMap

        return ExposedMap(self, name)

    def set(self, name: str) -> ExposedSet:
        """A set by hash that the job exposes under the name, as a read-only Set: `"am" in job.set("names")`. Its ranks answer."""
        from ._tables import ExposedSet

        return ExposedSet(self, name)

    def __len__(self) -> int:
        return self.ranks

    def __repr__(self) -> str:
        ranks = f"{self.ranks} rank{'s' if self.ranks != 1 else ''}"
        if not self.alive:
            return f"<armilla.Job {self.process} ({os.path.basename(self.program)}): {ranks}, ended>"
        waiting = sum(r["doing"] == "waiting" for r in self.stats())
        return f"<armilla.Job {self.process} ({os.path.basename(self.program)}): {ranks}, {waiting} waiting>"


def jobs() -> list[dict[str, Any]]:
    """Returns the running jobs of this user on this host, ordered by process: `process`, `program`, `ranks` and `threads` of each.

    >>> import armilla
    >>> with armilla.ranks(2) as am:
    ...     [each["ranks"] for each in armilla.jobs() if each["process"] == am.process]
    [2]
    """
    return _core.jobs()


def attach(which: str | int = "") -> Job:
    """Joins a running job of this host as an attached client.

    `which`: a process of the job, or the name of its program with or without folders; empty: the only job of this user. Raises
    `UsageError`, a `ValueError`, if there is no such job, if there are several, or if the process is another user's.

    >>> import armilla
    >>> try:
    ...     armilla.attach("no such program")
    ... except armilla.UsageError as error:
    ...     print("no job" in str(error))
    True
    """
    return Job(_core.attach(str(which)))
