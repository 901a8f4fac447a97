# SPDX-License-Identifier: Apache-2.0
"""Ranks of a running job and the methods that they provide, as attributes: job[2].demo.solver.step(0.1)."""
from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from . import _core

PATIENCE = 10.0  # seconds


class Reply:
    """The result of an attached client's call, later. Dropped before the call has begun, it takes the call back."""

    def __init__(self, reply: _core.ClientReply, patience: float) -> None:
        self._reply = reply
        self._patience = patience

    def done(self) -> bool:
        return self._reply.done()

    def result(self, timeout: float | None = None) -> Any:
        """Waits for the value. Raises what the method threw as RemoteError, RankLost, or TimeoutError that says what the rank does."""
        return self._reply.result(self._patience if timeout is None else timeout)

    get = result

    def __await__(self) -> Generator[Any, None, Any]:
        import asyncio  # dear to import, and wanted by few

        return asyncio.get_running_loop().run_in_executor(None, self.result).__await__()


def named_function(name: str, signature: str, rank: int, call: Callable[..., Any], further: dict[str, Callable[..., Any]], more: str) -> Callable[..., Any]:
    """`call` as the function that `help` shows; `further` are its attributes."""

    def method(*arguments: Any) -> Any:
        return call(*arguments)

    method.__name__ = name.rpartition(".")[2]
    method.__qualname__ = name
    method.__doc__ = f"{name}: {signature}, provided by rank {rank}.\n\nReturns its result, or raises RemoteError with what it threw. {more}"
    for word, f in further.items():
        setattr(method, word, f)
    return method


class Methods:
    """What a rank provides under a common beginning of names. Its attributes are methods, or go on with the name."""

    def __init__(self, rank: RankMethods, prefix: str) -> None:
        self._rank = rank
        self._prefix = prefix

    def __getattr__(self, word: str) -> Any:
        if word.startswith("__"):
            raise AttributeError(word)
        found = self._rank._find(self._prefix + word)
        setattr(self, word, found)  # the next look is quick
        return found

    def __dir__(self) -> list[str]:
        n = len(self._prefix)
        return sorted({name[n:].partition(".")[0] for name in self._rank.methods() if name.startswith(self._prefix)})

    def __repr__(self) -> str:
        return f"<methods {self._prefix}* of rank {self._rank.number}: {', '.join(self.__dir__())}>"


class RankMethods(Methods):
    """One rank. What it provides by name are its attributes."""

    def __init__(self, number: int) -> None:
        super().__init__(self, "")
        self.number = number
        self._known: dict[str, str] = {}

    def _ask_for_methods(self) -> dict[str, str]:
        raise NotImplementedError

    def _make(self, name: str, signature: str) -> Callable[..., Any]:
        raise NotImplementedError

    def methods(self) -> dict[str, str]:
        """Name and signature of all that the rank provides now."""
        self._known = self._ask_for_methods()
        return dict(self._known)

    def _find(self, name: str) -> Any:
        if not self._leads_to(name):
            self.methods()  # it may be provided by now
        if name in self._known:
            return self._make(name, self._known[name])
        if self._leads_to(name):
            return Methods(self, name + ".")
        provided = ", ".join(sorted(self._known)) or "nothing"
        raise AttributeError(f"rank {self.number} provides no '{name}'; it provides {provided}")

    def _leads_to(self, name: str) -> bool:
        return name in self._known or any(each.startswith(name + ".") for each in self._known)


class ClientRank(RankMethods):
    """One rank of a running job: `job[2]`. What it provides by name are its attributes."""

    def __init__(self, rank: _core.ClientRank, patience: float) -> None:
        super().__init__(rank.rank)
        self._core = rank
        self._patience = patience

    def _ask_for_methods(self) -> dict[str, str]:
        return dict(self._core.methods())

    def _make(self, name: str, signature: str) -> Callable[..., Any]:
        known, patience = _core.ClientMethod(self._core, name, signature, self._patience), self._patience
        ask = known.ask

        def future(*arguments: Any) -> Reply:
            return Reply(ask(*arguments), patience)

        return named_function(name, signature, self.number, known, {"future": future}, "`.future(...)` returns at once, with a Reply.")

    def __repr__(self) -> str:
        return f"<armilla rank {self.number} of a running job>"
