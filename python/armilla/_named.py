# SPDX-License-Identifier: Apache-2.0
"""Methods by name between this rank and ranks of any program of the job: what others provide, and what this rank does."""
from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

from . import _calls, _core, _signatures
from ._methods import RankMethods, named_function

_methods_of_rank = ("armilla.methods", "string()")  # which every rank provides


class NamedFuture(_calls.Future):
    """The answer to a call by name, that may not be there yet."""

    __slots__ = ("_method",)

    def __init__(self, number: int, rank: int, method: _core.PeerMethod) -> None:
        super().__init__(number, rank)
        self._method = method

    def _take(self) -> None:
        if self._state:
            return
        number, self._number = self._number, 0
        try:
            self._value = self._method.take(number)
            self._state = 1
        except _core.Error as error:
            self._value = error
            self._state = 2


class PeerRank(RankMethods):
    """One rank of this job: `am.job[2]`. What it provides by name are its attributes."""

    def _ask_for_methods(self) -> dict[str, str]:
        method = _core.PeerMethod(*_methods_of_rank)
        lines = NamedFuture(method.ask(self.number), self.number, method).get().splitlines()
        return {name: signature for name, signature, _ in (line.split("\t") for line in lines)}

    def _make(self, name: str, signature: str) -> Callable[..., Any]:
        rank, method = self.number, _core.PeerMethod(name, signature)

        def future(*arguments: Any) -> NamedFuture:
            return NamedFuture(method.ask(rank, *arguments), rank, method)

        def call(*arguments: Any) -> Any:
            return future(*arguments).get()

        def async_(*arguments: Any) -> None:
            method.tell(rank, *arguments)

        more = "`.future(...)` returns at once, with a Future; `.async_(...)` sends a one-way call, whose result is dropped."
        return named_function(name, signature, rank, call, {"future": future, "async_": async_}, more)

    def __repr__(self) -> str:
        return f"<armilla rank {self.number}>"


class OwnJob:
    """The job that this process is a rank of: `am.job`. `am.job[2].demo.solver.step(0.1)` calls what rank 2 provides by that name, in
    whichever language: it returns the value, or raises what the method threw as RemoteError.

    >>> import armilla as am
    >>> def half(x: float) -> float:
    ...     return x / 2
    >>> am.provide("demo.half", half)
    >>> am.barrier()
    >>> am.job[am.size - 1].demo.half(5)
    2.5
    >>> am.barrier()
    >>> am.withdraw("demo.half")
    """

    def __init__(self) -> None:
        self._ranks: dict[int, PeerRank] = {}

    def __getitem__(self, rank: int) -> PeerRank:
        if rank not in self._ranks:
            if not 0 <= rank < _core.size():
                raise _core.UsageError(f"armilla: rank {_core.rank()}: job: there is no rank {rank}; the job has {_core.size()}, from 0 to {_core.size() - 1}")
            self._ranks[rank] = PeerRank(rank)
        return self._ranks[rank]

    def __len__(self) -> int:
        return _core.size()

    def __repr__(self) -> str:
        return f"<the armilla job of this rank: {len(self)} rank{'s' if len(self) != 1 else ''}>"


job = OwnJob()


def provide(name: str, f: Callable[..., Any], signature: str | None = None) -> None:
    """Lets ranks of every program, and attached clients, call `f` as method `name` of this rank, from now on.

    `signature`: "f8(i4, str)", or as C++ prints it, "float64(int32, string)". Without it the annotations of `f` say it: `float` is float64,
    `int` int64; `str`, `bool`, `complex`, `list[float]`, `dict[str, int]`, `tuple[...]`, `X | None`, types of NumPy, and such texts. A caller
    with another signature is told so; nothing runs. `f` runs as other calls do, where the rank waits. What it raises, the caller sees as
    remote_error with rank, type and text. Errors: UsageError if this rank already provides the name.

    >>> import armilla as am
    >>> def scale(xs: list[float], by: float) -> list[float]:
    ...     return [x * by for x in xs]
    >>> am.provide("demo.scale", scale)
    >>> am.job[am.rank].demo.scale([1, 2], 3)
    array([3., 6.])
    >>> am.withdraw("demo.scale")
    """
    _core.provide(name, _signatures.text_of(signature) if signature is not None else _signatures.of_function(name, f), f)


def withdraw(name: str) -> None:
    """Withdraws a method that `provide` offered. Later calls get an error.

    >>> import armilla as am
    >>> am.provide("demo.one", lambda: 1, "i8()")
    >>> am.withdraw("demo.one")
    """
    _core.withdraw(name)


def run(number: int, f: Callable[..., Any], arguments: tuple) -> None:
    """Runs a call that has come in by name, and answers it."""
    try:
        try:
            value = f(*arguments)
        finally:
            _calls.left_body()
    except BaseException as error:  # SystemExit as well: the caller is told
        _core.fail_named(number, *described(error))
        if isinstance(error, KeyboardInterrupt) and not _calls.keep_interrupts:
            raise
        return
    try:
        _core.answer_named(number, value)
    except Exception as error:
        _core.fail_named(number, type(error).__name__, f"the result of {getattr(f, '__qualname__', f)}: {error}")


def described(error: BaseException) -> tuple[str, str]:
    """Type and text of an error, and where it was raised: what a program of another language can show."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__qualname__}"
    at = traceback.extract_tb(error.__traceback__)
    place = f" [{at[-1].filename}:{at[-1].lineno}, in {at[-1].name}]" if at else ""
    return name, f"{error}{place}"


_calls.run_named = run
