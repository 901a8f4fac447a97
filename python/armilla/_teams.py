# SPDX-License-Identifier: Apache-2.0
"""Collectives of a team of ranks, and messages by tag.

Numbers, short texts and short pickles travel in one line of a collective of the library; longer values follow in a second step. With `out`, arrays are
moved and combined in place.
"""
from __future__ import annotations

import functools
import pickle
import sys
import zlib
from typing import Any, Callable, Generator, NoReturn, Sequence

from greenlet import getcurrent

from . import _calls, _collectives, _core, _waits
from ._pickling import dumps, dumps_error, loads, loads_error


def _dumps(value: Any, name: str) -> Any:
    try:
        return dumps(value)
    except Exception as why:
        raise TypeError(f"armilla: rank {_core.rank()}: {name}: a value of type {type(value).__name__} cannot be sent: {why}; send what it is made of instead") from why


def _raise_packed(rank: int, parts: Sequence[Any]) -> NoReturn:
    raise loads_error(rank, parts)


_core.set_pickling(_dumps, loads, pickle.loads, _raise_packed)


def _less(a: Any, b: Any) -> Any:
    return b if b < a or b != b and a == a else a


def _greater(a: Any, b: Any) -> Any:
    return b if a < b or b != b and a == a else a


_by_name: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda a, b: a + b,
    "prod": lambda a, b: a * b,
    "min": _less,  # NaN, if one is
    "max": _greater,
}
_marks = {op: zlib.crc32(op.encode()) | 1 for op in _by_name}


def _combine(op: Any, value: Any) -> Callable[[Any, Any], Any]:
    """What combines two values such as this one."""
    if not isinstance(op, str):
        return op
    if not _is_array(value):
        return _by_name[op]
    import numpy as np

    return {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}[op]


def _op_name(op: Any) -> str:
    return op if isinstance(op, str) else f"the function {getattr(op, '__qualname__', type(op).__qualname__)}"


def _is_array(value: Any) -> bool:
    global _ndarray
    if _ndarray is None:
        numpy = sys.modules.get("numpy")
        if numpy is None:
            return False
        _ndarray = numpy.ndarray
    return isinstance(value, _ndarray) and value.ndim > 0


def _kind_of(value: Any) -> str:
    return f"an array of {value.dtype} of shape {value.shape}" if _is_array(value) else "values"


def _described(value: Any, op: Any) -> str:
    """What all ranks give alike: the operation, and type and shape of arrays."""
    return f"{_kind_of(value)} and {_op_name(op)}"


def _start(team: "Team", name: str, begin: Callable[..., int], *arguments: Any) -> int:
    if getcurrent() is not _waits._main:
        _calls.refuse_in_call(name)
    if _calls.keep_interrupts and team is world:  # a worker remembers it
        return _waits.undisturbed(lambda: _collectives._begin(begin, (team._core, *arguments)))
    return begin(team._core, *arguments)


def _values(name: str, number: int) -> list[Any]:
    values = _core.try_values(number)
    if values is None:
        _waits.wait(number, None, name)
        values = _core.take_values(number)
    return values


_ndarray: Any = None  # numpy.ndarray, once an array was given


def _at_once() -> bool:
    """Whether a collective may be begun and ended by one call of the extension: in the rank's own code, where no worker remembers it."""
    return getcurrent() is _waits._main and not _calls.keep_interrupts


_numbers = frozenset((int, float))


def _reduced_now(team: "Team", name: str, value: Any, op: str, how: int = 0) -> Any:
    """A reduction of numbers, by one call of the extension if the others come soon."""
    found = _core.reduced_now(team._core, value, _marks[op], name, op, how)
    return _ended(_combined_by(team, name, found[0], value, op, how)) if type(found) is tuple else found


def _ended(begun: tuple[str, int, Callable[[list], Any]]) -> Any:
    return _end(*begun)


def _end(name: str, number: int, finish: Callable[[list], Any]) -> Any:
    return finish(_values(name, number))


def gathered(name: str, value: Any) -> list[Any]:
    """The values of all ranks, for an operation of that name."""
    try:
        number = _start(world, name, _core.gathered, value, 0, name, -1)
    except Exception as error:
        return _end(*_raised(world, name, error))
    return _values(name, number)


def _differ(team: "Team", name: str, what: str) -> NoReturn:
    """All members have seen that they do not give the same: they tell each other what they gave."""
    said = _values(name, _start(team, name, _core.gathered, what, 0, name, -1))
    r = next((r for r, its in enumerate(said) if its != said[0]), 0)
    raise _core.UsageError(f"armilla: {name}: ranks do not ask for the same: rank 0 gives {said[0]}, rank {r} {said[r]}; all of them give the same")


class Pending:
    """A collective that has begun: `get()` or `result()` waits for its result, `await` does so in a coroutine. Made by `team.future`.

    >>> import armilla as am
    >>> f = am.world.future.all_reduce(1)
    >>> f.get() == am.size, f.done()
    (True, True)
    """

    __slots__ = ("_name", "_number", "_finish", "_value", "_error", "_over")

    def __init__(self, name: str, number: int, finish: Callable[[list], Any]) -> None:
        self._name, self._number, self._finish = name, number, finish
        self._value: Any = None
        self._error: BaseException | None = None
        self._over = False

    def done(self) -> bool:
        """Whether it has ended. Takes in what has come."""
        if not self._over and not _core.is_ready(self._number):
            _core.poll()
        return self._over or _core.is_ready(self._number)

    def get(self, timeout: float | None = None) -> Any:
        if not self._over:
            if not _waits.wait(self._number, timeout, self._name):
                raise _core.TimeoutError(f"armilla: rank {_core.rank()}: {self._name}: it has not ended within {timeout} s; wait again")
            self._over = True
            try:
                self._value = self._finish(_core.take_values(self._number))
            except BaseException as error:
                self._error = error
        if self._error is not None:
            raise self._error
        return self._value

    result = get

    def __await__(self) -> Generator[Any, None, Any]:
        import asyncio

        while not self.done():
            _calls.poll()
            yield from asyncio.sleep(0).__await__()
        return self.get()

    def __repr__(self) -> str:
        return f"<armilla.Pending: {self._name}, {'ended' if self._over or _core.is_ready(self._number) else 'open'}>"


class Futures:
    """The collectives of a team, begun and not waited for: each method returns a `Pending`. All members begin them in the same order."""

    def __init__(self, team: "Team") -> None:
        self._team = team

    def __getattr__(self, name: str) -> Callable[..., Pending]:
        start = _starts.get(name)
        if start is None:
            raise AttributeError(f"armilla: team.future.{name}: there are {', '.join(_starts)}")
        return lambda *arguments, **options: Pending(*start(self._team, *arguments, **options))


class Team:
    """Ranks that do something together: `armilla.world` are all of them, `split` makes others.

    Members are numbered from 0; roots are such numbers. All members call the same collectives in the same order. A rank that waits in one runs what
    others call. `team.future.all_reduce(x)` begins one, and returns at once: `get()` or `await` give its result. If a member gives a value that cannot be
    pickled, or wrong arguments, all members raise that member's error, which names its rank.

    >>> import armilla as am
    >>> mine = am.world.split(am.rank % 2, key=-am.rank)  # the even and the odd ones, the highest first
    >>> mine.ranks == sorted(range(am.rank % 2, am.size, 2), reverse=True)
    True
    >>> mine.all_reduce(1) == mine.size
    True
    """

    def __init__(self, core: Any) -> None:
        self._core = core

    @property
    def rank(self) -> int:
        """This rank's number in the team."""
        return self._core.rank

    @property
    def size(self) -> int:
        """How many members it has."""
        return self._core.size

    @property
    def ranks(self) -> list[int]:
        """The ranks of the job that are its members, by number."""
        return [self._core.world_rank(r) for r in range(self.size)]

    @property
    def future(self) -> Futures:
        """The same collectives, begun and not waited for."""
        return Futures(self)

    def split(self, color: int | None, key: int = 0) -> "Team | None":
        """Returns a new team of the members that pass the same color (0 or more), ordered by `key`, then by rank in this team. With None or a negative color, returns None. As `Comm.Split`.

        >>> import armilla as am
        >>> am.world.split(0, key=am.rank).size == am.size
        True
        """
        made = _core.Team()
        wanted = -1 if color is None else color
        _values("split", _start(self, "split", _core.split, wanted, key, made))
        return None if wanted < 0 else Team(made)

    def barrier(self) -> None:
        """Returns when every member has come to it."""
        if self is world:
            return _collectives.barrier()
        _values("barrier", _start(self, "barrier", _core.Team.barrier))

    def broadcast(self, value: Any = None, root: int = 0, *, out: Any = None) -> Any:
        """Returns the root's value on all members. `out`: an array of the type and shape of the root's, which receives the value; all members pass it, or none does.

        >>> import armilla as am
        >>> import numpy as np
        >>> am.broadcast({"n": 5} if am.rank == 0 else None)
        {'n': 5}
        >>> a = np.full(3, am.rank)
        >>> am.broadcast(a, out=a)  # in place
        array([0, 0, 0])
        """
        if out is not None and out is value and type(out) is _ndarray and _at_once():
            number = _core.broadcast_now(self._core, out, root)
            if number >= 0:
                return out if number == 0 else _ended(_broadcast_by(number, out, root))
        if out is None and _at_once():
            core = self._core
            mine = core.rank == root
            try:
                number = _core.broadcast_value(core, value if mine else None, root)
            except Exception as error:
                return _end(*_raised(self, "broadcast", error, root))
            values = _values("broadcast", number)
            return value if mine else values[0]
        return _end(*_broadcast(self, value, root, out=out))

    def all_gather(self, value: Any, *, out: Any = None) -> Any:
        """Returns a list of the values of all members, on all members. `out`: an array with one row for each member's array; all members pass it, or none does.

        >>> import armilla as am
        >>> import numpy as np
        >>> am.all_gather(am.rank) == list(range(am.size))
        True
        >>> am.all_gather(np.ones(3), out=np.empty((am.size, 3))).shape == (am.size, 3)
        True
        """
        if out is not None and type(out) is type(value) is _ndarray and _at_once():
            number = _core.all_gather_now(self._core, value, out)
            if number >= 0:
                return out if number == 0 else _ended(_moved_by(self, "all_gather", number, value, out))
        if out is None and _at_once():
            try:
                number = _core.gathered(self._core, value, 0, "all_gather", -1)
            except Exception as error:
                return _end(*_raised(self, "all_gather", error))
            return _values("all_gather", number)
        return _end(*_all_gather(self, value, out=out))

    def gather(self, value: Any, root: int = 0) -> list[Any] | None:
        """Returns the values of all members on the root, and None on the others.

        >>> import armilla as am
        >>> am.gather(am.rank, root=0) == (list(range(am.size)) if am.rank == 0 else None)
        True
        """
        return _end(*_gather(self, value, root))

    def scatter(self, values: Sequence[Any] | None = None, root: int = 0) -> Any:
        """Returns one of the root's values on each member.

        >>> import armilla as am
        >>> am.scatter([10 * r for r in range(am.size)]) == 10 * am.rank
        True
        """
        if _at_once():
            core = self._core
            try:
                number = _core.scatter_values(core, _one_each(self, "scatter", values) if core.rank == root else None, root)
            except Exception as error:
                return _end(*_raised(self, "scatter", error, root))
            return _values("scatter", number)[0]
        return _end(*_scatter(self, values, root))

    def all_to_all(self, values: Any, *, out: Any = None) -> Any:
        """Sends value i of each member to member i, and returns the list of values that this member received. `out` and `values` may be arrays whose first axes go over the members.

        >>> import armilla as am
        >>> am.all_to_all([(am.rank, r) for r in range(am.size)]) == [(r, am.rank) for r in range(am.size)]
        True
        """
        if out is not None and type(out) is type(values) is _ndarray and _at_once():
            number = _core.all_to_all_now(self._core, values, out)
            if number >= 0:
                return out if number == 0 else _ended(_moved_by(self, "all_to_all", number, values, out))
        return _end(*_all_to_all(self, values, out=out))

    def all_reduce(self, value: Any, op: Any = "sum", *, out: Any = None) -> Any:
        """The values of all members, combined in their order: "sum", "prod", "min", "max", or a function of two values.

        NumPy arrays are combined element by element: where the operation is named and the elements are float64, float32, int64 or int32, by
        the library's own reduction. "min" and "max" are NaN where one value is. Members that give other operations, or arrays of other types or
        shapes, get a UsageError, all of them. `out`: an array that takes the result; `out=value` combines in place.

        >>> import armilla as am
        >>> import numpy as np
        >>> am.all_reduce(1) == am.size, am.all_reduce(am.rank, "max") == am.size - 1
        (True, True)
        >>> a = np.ones(2)
        >>> (am.all_reduce(a, out=a) == am.size).all()
        np.True_
        """
        if type(value) in _numbers and type(op) is str and op in _marks and out is None and _at_once():
            return _reduced_now(self, "all_reduce", value, op)
        if out is not None and out is value and type(out) is _ndarray and _at_once() and type(op) is str:
            number = _core.all_reduce_now(self._core, out, op, _compared(self))
            if number >= 0:
                return out if number == 0 else _ended(_reduced_by(self, number, out, op))
        return _end(*_all_reduce(self, value, op, out=out))

    def reduce(self, value: Any, op: Any = "sum", root: int = 0) -> Any:
        """Does the same as `all_reduce`, but returns the result on the root only, and None on the others.

        >>> import armilla as am
        >>> am.reduce(2, "prod", root=0) == (2**am.size if am.rank == 0 else None)
        True
        """
        if type(value) in _numbers and type(op) is str and op in _marks and _at_once():
            _check_root(self, "reduce", root)
            result = _reduced_now(self, "reduce", value, op)
            return result if self._core.rank == root else None
        return _end(*_reduce(self, value, op, root))

    def scan(self, value: Any, op: Any = "sum") -> Any:
        """Returns the combined values of the members up to this one, in their order.

        >>> import armilla as am
        >>> am.scan(1) == am.rank + 1
        True
        """
        if type(value) in _numbers and type(op) is str and op in _marks and _at_once():
            return _reduced_now(self, "scan", value, op, 1)
        return _end(*_scan(self, value, op))

    def exscan(self, value: Any, op: Any = "sum") -> Any:
        """Returns the combined values of the members before this one, in their order; None on the first.

        >>> import armilla as am
        >>> am.exscan(1) == (am.rank or None)
        True
        """
        if type(value) in _numbers and type(op) is str and op in _marks and _at_once():
            return _reduced_now(self, "exscan", value, op, 2)
        return _end(*_exscan(self, value, op))

    def reduce_scatter(self, values: Any, op: Any = "sum") -> Any:
        """Combines value i of all members, in their order, and returns it on member i. `values` has one value for each member; an array has them along its first axis.

        >>> import armilla as am
        >>> am.reduce_scatter([r for r in range(am.size)]) == am.rank * am.size
        True
        """
        return _end(*_reduce_scatter(self, values, op))

    def __repr__(self) -> str:
        return f"<armilla.Team: member {self.rank} of {self.size}>"


world: Team = Team(_core.Team())


# ---- how each begins, and what makes its values the result ----

def _in_order(array: Any) -> bool:
    flags = array.flags.num if _is_array(array) else 0
    return flags & 0x401 == 0x401  # C order, writable


def _checked_out(name: str, out: Any, shape: tuple, dtype: Any) -> None:
    if not _in_order(out) or out.shape != shape or out.dtype != dtype:
        kind = f"an array of {out.dtype} of shape {out.shape}" if _is_array(out) else f"of type {type(out).__name__}"
        raise _core.UsageError(f"armilla: rank {_core.rank()}: {name}: out is {kind}; it takes a writable array in C order of {dtype} of shape {shape}")


def _mark(*what: Any) -> int:
    return zlib.crc32(repr(what).encode()) | 1


def _moved(team: Team, name: str, source: Any, out: Any) -> Any:
    return _moved_by(team, name, _start(team, name, _core.moved, source, out, name), source, out)


def _moved_by(team: Team, name: str, number: int, source: Any, out: Any) -> Any:
    def finish(values: list) -> Any:
        if not values:
            _differ(team, name, f"{_kind_of(source)} into out")
        return out

    return name, number, finish


_steps = {"broadcast": "broadcast", "scatter": "scatter", "all_to_all": "all_to_all", "reduce_scatter": "all_to_all"}  # how members first meet; in the others: all_gather


def _raised(team: Team, name: str, error: Exception, root: int = 0) -> Any:
    """This member has an error instead of a value, and has not begun: takes part with the error, so that all members raise it. An error that does not concern
    the others is raised here alone: that of a member that only receives from the root, and any beside ranks of C++."""
    step = _steps.get(name, "all_gather")
    alone = team.rank != root if name in ("broadcast", "scatter") else name in ("all_reduce", "reduce") and not _compared(team)
    if alone or isinstance(error, _core.RankLost) or _calls.in_body():
        raise error
    return name, _start(team, name, _core.raised, name, step, root if step == name else 0, bytes(dumps_error(error)[0])), list


def _on_all(start: Callable[..., Any]) -> Callable[..., Any]:
    """Starts a collective. An error that one member raises in `start` is raised by all members."""

    @functools.wraps(start)
    def started(team: Team, *arguments: Any, **options: Any) -> Any:
        try:
            return start(team, *arguments, **options)
        except Exception as error:
            import inspect  # here, since its import takes longer than ours

            given = inspect.signature(start).bind(team, *arguments, **options).arguments
            return _raised(team, start.__name__[1:], error, given.get("root", 0))

    return started


def _broadcast_by(number: int, out: Any, root: int) -> Any:
    def finish(values: list) -> Any:
        if values[0] is not None:
            raise _core.UsageError(f"armilla: rank {_core.rank()}: broadcast: out is {_kind_of(out)}, and member {root} sends {values[0]} bytes of another type or shape; all of them give the same")
        return out

    return "broadcast", number, finish


@_on_all
def _broadcast(team: Team, value: Any = None, root: int = 0, *, out: Any = None) -> Any:
    mine = team.rank == root
    if out is not None:
        if mine and value is not out:
            _checked_out("broadcast", out, value.shape, value.dtype)
            out[...] = value
        elif value is not out or not _in_order(out):
            _checked_out("broadcast", out, getattr(out, "shape", ()), getattr(out, "dtype", None))
        return _broadcast_by(_start(team, "broadcast", _core.broadcast_array, out, root), out, root)
    number = _start(team, "broadcast", _core.broadcast_value, value if mine else None, root)
    return "broadcast", number, lambda values: value if mine else values[0]


def _contiguous(value: Any) -> Any:
    import numpy as np

    return np.ascontiguousarray(value)


@_on_all
def _all_gather(team: Team, value: Any, *, out: Any = None) -> Any:
    if out is not None:
        source = _contiguous(value)
        _checked_out("all_gather", out, (team.size, *source.shape), source.dtype)
        return _moved(team, "all_gather", source, out)
    return "all_gather", _start(team, "all_gather", _core.gathered, value, 0, "all_gather", -1), lambda values: values


@_on_all
def _gather(team: Team, value: Any, root: int = 0) -> Any:
    mine = team.rank == root
    return "gather", _start(team, "gather", _core.gathered, value, 0, "gather", root), lambda values: values if mine else None


def _one_each(team: Team, name: str, values: Any) -> list[Any]:
    values = list(values)
    if len(values) != team._core.size:
        raise _core.UsageError(f"armilla: rank {_core.rank()}: {name}: {len(values)} values for {team.size} ranks; give one for each")
    return values


@_on_all
def _scatter(team: Team, values: Any = None, root: int = 0) -> Any:
    number = _start(team, "scatter", _core.scatter_values, _one_each(team, "scatter", values) if team.rank == root else None, root)
    return "scatter", number, lambda values: values[0]


@_on_all
def _all_to_all(team: Team, values: Any, *, out: Any = None) -> Any:
    if out is not None:
        source = _contiguous(values)
        if not source.shape or source.shape[0] != team.size:
            raise _core.UsageError(f"armilla: rank {_core.rank()}: all_to_all: an array of shape {source.shape} for {team.size} ranks; its first axis goes over the ranks")
        _checked_out("all_to_all", out, source.shape, source.dtype)
        return _moved(team, "all_to_all", source, out)
    return "all_to_all", _start(team, "all_to_all", _core.exchange_values, _one_each(team, "all_to_all", values), 0, "all_to_all"), lambda values: values


def _fold(values: list, op: Any) -> Any:
    combine = _combine(op, values[0])
    result = values[0]
    for value in values[1:]:
        result = combine(result, value)
    return result


def _mark_of(op: Any) -> int:
    return isinstance(op, str) and _marks.get(op) or _mark(_op_name(op))


def _check_operation(name: str, op: Any) -> None:
    if isinstance(op, str) and op not in _by_name:
        raise _core.UsageError(f"armilla: rank {_core.rank()}: {name}: '{op}' is no operation; there are {', '.join(_by_name)}, or a function of two values")


def _combined(team: Team, name: str, value: Any, op: Any, how: int = 0) -> Any:
    """What the values of all members (`how` 0), of those up to this one (1) or of those before it (2) make; an error on all of them if they give
    different operations, or arrays that differ in type or shape."""
    mark = _mark_of(op)
    if _is_array(value):
        mark = _mark(mark, value.dtype.str, value.shape)
    return _combined_by(team, name, _start(team, name, _core.gathered, value, mark, name, -1), value, op, how)


def _combined_by(team: Team, name: str, number: int, value: Any, op: Any, how: int) -> Any:
    def finish(values: list) -> Any:
        if not values:
            _differ(team, name, _described(value, op))
        _check_operation(name, op)
        last = (team.size, team.rank + 1, team.rank)[how]
        return _fold(values[:last], op) if last else None

    return name, number, finish


def _compared(team: Team) -> bool:
    return team is not world or _collectives._python_alone()  # ranks of C++ reduce as well, and compare nothing


def _reduced_by(team: Team, number: int, out: Any, op: str) -> Any:
    def finish(values: list) -> Any:
        if not values:
            _differ(team, "all_reduce", _described(out, op))
        return out

    return "all_reduce", number, finish


def _all_reduced(team: Team, name: str, value: Any, op: Any, out: Any = None) -> Any:
    if not _is_array(value):
        if out is not None:
            raise _core.UsageError(f"armilla: rank {_core.rank()}: {name}: out is for arrays; the value is of type {type(value).__name__}")
        return _combined(team, name, value, op)
    if out is not None and (out is not value or not _in_order(out)):
        _checked_out(name, out, value.shape, value.dtype)
    if isinstance(op, str) and op in _by_name and value.dtype.char in "dflqi" and value.dtype.isnative:
        if out is None:
            import numpy as np

            out = np.array(value, order="C")
        elif out is not value:
            out[...] = value
        return _reduced_by(team, _start(team, name, _core.reduced, out, op, _compared(team)), out, op)
    _, number, end = _combined(team, name, value, op)
    if out is None:
        return name, number, end

    def into(values: list) -> Any:
        out[...] = end(values)
        return out

    return name, number, into


@_on_all
def _all_reduce(team: Team, value: Any, op: Any = "sum", *, out: Any = None) -> Any:
    return _all_reduced(team, "all_reduce", value, op, out)


def _check_root(team: Team, name: str, root: int) -> None:
    if not 0 <= root < team.size:
        raise _core.UsageError(f"armilla: rank {_core.rank()}: {name}: rank {root} does not exist (ranks of this team: {team.size})")


@_on_all
def _reduce(team: Team, value: Any, op: Any = "sum", root: int = 0) -> Any:
    _check_root(team, "reduce", root)
    name, number, end = _all_reduced(team, "reduce", value, op)
    mine = team.rank == root

    def finish(values: list) -> Any:
        result = end(values)
        return result if mine else None

    return name, number, finish


@_on_all
def _scan(team: Team, value: Any, op: Any = "sum") -> Any:
    return _combined(team, "scan", value, op, 1)


@_on_all
def _exscan(team: Team, value: Any, op: Any = "sum") -> Any:
    return _combined(team, "exscan", value, op, 2)


@_on_all
def _reduce_scatter(team: Team, values: Any, op: Any = "sum") -> Any:
    mine = _one_each(team, "reduce_scatter", values)
    kinds = [_kind_of(value) for value in mine]
    mark = _mark(_mark_of(op), *kinds)

    def finish(each: list) -> Any:
        if not each:
            alike = len(set(kinds)) == 1
            _differ(team, "reduce_scatter", f"{team.size} times {kinds[0]} and {_op_name(op)}" if alike else f"{', '.join(kinds)} and {_op_name(op)}")
        _check_operation("reduce_scatter", op)
        return _fold(each, op)

    return "reduce_scatter", _start(team, "reduce_scatter", _core.exchange_values, mine, mark, "reduce_scatter"), finish


_starts: dict[str, Callable[..., Any]] = {
    "broadcast": _broadcast, "all_gather": _all_gather, "gather": _gather, "scatter": _scatter, "all_to_all": _all_to_all, "all_reduce": _all_reduce, "reduce": _reduce, "scan": _scan,
    "exscan": _exscan, "reduce_scatter": _reduce_scatter,
    "barrier": lambda team: ("barrier", _start(team, "barrier", _core.Team.barrier), lambda values: None),
}


# ---- how a worker that was interrupted takes part in what the others have entered ----

def _empty(dtype: str, shape: tuple) -> Any:
    import numpy as np

    return np.zeros(shape, dtype)


recalled: dict[str, Callable[..., tuple]] = {  # of the arguments behind the team: what is remembered
    "gathered": lambda value, mark, name, root: (mark, name, root),
    "broadcast_value": lambda value, root: (root,),
    "scatter_values": lambda values, root: (root,),
    "exchange_values": lambda values, mark, name: (mark, name),
    "raised": lambda name, step, root, packed: (name, step, root),
    "reduced": lambda array, op, compared: (array.dtype.str, array.shape, op, compared),
    "moved": lambda source, out, name: (source.dtype.str, source.shape, out.shape, name),
    "broadcast_array": lambda array, root: (array.dtype.str, array.shape, root),
    "split": lambda color, key, made: (),
}
absent: dict[str, Callable[..., tuple]] = {  # of what is remembered: the arguments of a rank that has nothing to give
    "gathered": lambda mark, name, root: (None, mark, name, root),
    "broadcast_value": lambda root: (None, root),
    "scatter_values": lambda root: ([None] * world.size if world.rank == root else None, root),
    "exchange_values": lambda mark, name: ([None] * world.size, mark, name),
    "raised": lambda name, step, root: (name, step, root, b""),
    "reduced": lambda dtype, shape, op, compared: (_empty(dtype, shape), op, compared),
    "moved": lambda dtype, shape, out, name: (_empty(dtype, shape), _empty(dtype, out), name),
    "broadcast_array": lambda dtype, shape, root: (_empty(dtype, shape), root),
    "split": lambda: (-1, 0, _core.Team()),
}


# ---- messages by tag ----

def send(value: Any, dest: int, tag: int = 0) -> None:
    """Sends a value to a rank (this one, too), which gets it by `recv`. Returns at once: the value has been packed, and may change.

    >>> import armilla as am
    >>> am.send({"step": 3}, (am.rank + 1) % am.size, tag=7)
    >>> am.recv(tag=7)
    {'step': 3}
    """
    try:
        _core.send_message(dest, tag, value)
    except TypeError as why:
        for name, given in (("dest", dest), ("tag", tag)):
            if not hasattr(given, "__index__"):
                raise TypeError(f"armilla: rank {_core.rank()}: send: {name} is {given!r}; give an integer") from why
        raise


def _received(source: int | None, tag: int | None, timeout: float | None) -> Sequence[Any]:
    """The message, its source and its tag."""
    number = _core.receive_message(-1 if source is None else source, 0 if tag is None else tag, tag is None)
    if isinstance(number, tuple):  # it is there
        return number
    try:
        if not _waits.wait(number, timeout, "recv"):
            raise _core.TimeoutError(f"armilla: rank {_core.rank()}: recv: no message from {'any rank' if source is None else f'rank {source}'} with {'any tag' if tag is None else f'tag {tag}'} within {timeout} s")
    except BaseException:
        _core.forget(number)
        raise
    return _core.take_values(number)


def recv(source: int | None = None, tag: int | None = None, timeout: float | None = None) -> Any:
    """Returns the next message from `source` (None: any rank) with `tag` (None: any tag). Messages from one rank with one tag arrive in the order in which they were sent.

    >>> import armilla as am
    >>> am.send("hello", am.rank)
    >>> am.recv(am.rank, timeout=60)
    'hello'
    """
    return _received(source, tag, timeout)[0]


def recv_from(source: int | None = None, tag: int | None = None, timeout: float | None = None) -> tuple[Any, int, int]:
    """Does the same as `recv`, and returns the message, its source and its tag.

    >>> import armilla as am
    >>> am.send("hello", am.rank, tag=2)
    >>> am.recv_from() == ("hello", am.rank, 2)
    True
    """
    value, its, tagged = _received(source, tag, timeout)
    return value, its, tagged
