# SPDX-License-Identifier: Apache-2.0
"""Functions that a driver calls on its workers by name, and the objects that it has there."""
from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import Any, Callable

_objects: dict[Any, Any] = {}  # by who has it, the driver or a client of a session, and its number there
_named: dict[str, Any] = {}


class Reference:
    """Stands for an object of the workers in the arguments of a call. `job`: what tells the jobs of all drivers apart."""

    __slots__ = ("job", "number")

    def __init__(self, job: str, number: Any) -> None:
        self.job = job
        self.number = number

    def __reduce__(self) -> Any:
        return _found, (self.job, self.number)


job = ""  # whose worker this is; "": none


def _found(of: str, number: Any) -> Any:
    from . import _core

    if of != job:
        raise _core.UsageError("armilla: an array or dictionary of other workers is among the arguments; those of one armilla.ranks can be used by its own calls alone: "
                               "send what is in it (numpy.asarray(a), d.items())")
    found = _objects.get(number)
    if found is None:
        raise _core.UsageError("armilla: an array or dictionary is among the arguments that these workers do not have any more")
    return found


def prepare(path: list[str], folder: str) -> None:
    """First of all: modules are found as the driver finds them."""
    sys.path[:] = path
    os.chdir(folder)


def together_so_far() -> tuple[int, list[tuple]]:
    """How many collectives this worker has entered, and which the last ones were."""
    from . import _collectives

    return _collectives.begun, list(_collectives.log)


def take_part(missed: list[tuple], told: int) -> None:
    """Enters what others have entered for calls that were cancelled. `told`: by how many interrupts."""
    from . import _collectives, _waits

    for what in missed:
        _collectives.take_part(what)
    _waits.unsettled -= told


def barrier() -> None:
    from . import _collectives

    _collectives.barrier()


def fence() -> None:
    from . import _collectives

    _collectives.fence()


def execute(code: str) -> None:
    main = sys.modules["__main__"]
    exec(compile(code, "<ranks>", "exec"), main.__dict__)


class _Labelled(io.TextIOBase):
    """Puts the rank before each line."""

    def __init__(self, stream: Any, rank: int) -> None:
        self._stream, self._label, self._rest = stream, f"[{rank}] ", ""

    def write(self, text: str) -> int:
        *lines, self._rest = (self._rest + text).split("\n")
        self._stream.write("".join(f"{self._label}{line}\n" for line in lines))
        return len(text)

    def end(self) -> None:
        if self._rest:
            self.write("\n")


def run_labelled(code: str) -> Any:
    """As `run_cell`, with the rank before each line of output."""
    from . import _core

    out, err = (_Labelled(stream, int(_core.rank())) for stream in (sys.stdout, sys.stderr))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            return run_cell(code)
    finally:
        out.end()
        err.end()


def run_cell(code: str) -> Any:
    """The imports and definitions with which a cell begins are there on all workers before one of them goes on: another one's call
    would not find them."""
    import ast

    body = ast.parse(code, "<ranks>").body
    names = sys.modules["__main__"].__dict__
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    defines = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    first = next((k for k, statement in enumerate(body) if not isinstance(statement, defines)), len(body))

    def run(statements: list[ast.stmt]) -> None:
        exec(compile(ast.Module(statements, []), "<ranks>", "exec"), names)

    try:
        run(body[:first])
    finally:
        barrier()
    run(body[first:])
    return None if last is None else eval(compile(ast.Expression(last.value), "<ranks>", "eval"), names)


def evaluate(expression: str) -> Any:
    return eval(expression, sys.modules["__main__"].__dict__)


def make(number: Any, gone: list[Any], kind: str, /, *arguments: Any, **options: Any) -> Any:
    """A distributed object, under the number that the driver has chosen. `kind`: the name of what makes it."""
    return together(number, gone, getattr(sys.modules["armilla"], kind), *arguments, **options)


def together(number: Any, gone: list[Any], f: Callable[..., Any], /, *arguments: Any, **options: Any) -> Any:
    """All workers run `f`; what it returns: of distributed objects, also in tuples, lists and dicts, their descriptions; of values rank 0's."""
    drop(gone)
    return _described(f(*arguments, **options), number)


def drop(gone: list[Any]) -> None:
    """Of a number that stands for several objects, all of them."""
    for holder, number in gone:
        if _objects.pop((holder, number), None) is None and not isinstance(number, tuple):
            for key in [key for key in _objects if key[0] == holder and isinstance(key[1], tuple) and key[1][0] == number]:
                del _objects[key]


def _is_table(value: Any) -> bool:
    module = sys.modules.get("armilla._table")  # without it there is none
    return module is not None and isinstance(value, module.Table)


def _is_generator(value: Any) -> bool:
    module = sys.modules.get("armilla._nd.random")
    return module is not None and isinstance(value, module.Generator)


def default_rng(seed: int | None) -> Any:
    return sys.modules["armilla"].random.default_rng(seed)  # type: ignore[attr-defined]


def _is_distributed(value: Any) -> bool:
    from ._arrays import Array
    from ._dict import Dict

    return isinstance(value, (Array, Dict)) or _is_table(value) or _is_generator(value)


class _Slot:
    """Stands for one of the distributed objects in what a call returns."""

    def __init__(self, k: int) -> None:
        self.k = k


_plain = frozenset((int, float, complex, bool, str, bytes, type(None)))  # which long lists are of


def with_each(value: Any, chosen: Callable[[Any], bool], f: Callable[[Any], Any]) -> Any:
    """The value with `f(each)` in place of what is chosen in its tuples, lists and dicts; itself where nothing is."""
    if isinstance(value, dict):
        items = {key: with_each(each, chosen, f) for key, each in value.items()}
        return items if any(items[key] is not value[key] for key in items) else value
    if isinstance(value, (tuple, list)):
        made = [each if type(each) in _plain else with_each(each, chosen, f) for each in value]
        if all(new is old for new, old in zip(made, value)):
            return value
        return made if isinstance(value, list) else type(value)._make(made) if hasattr(value, "_make") else tuple(made)
    return f(value) if chosen(value) else value


def filled(form: Any, objects: list[Any]) -> Any:
    """What `form` stands for, with the objects in its slots."""
    return with_each(form, lambda each: isinstance(each, _Slot), lambda slot: objects[slot.k])


def _described(result: Any, number: Any) -> Any:
    from . import _core
    from ._arrays import Array
    from ._dict import Dict

    if _is_distributed(result):
        known = next((k for k, v in _objects.items() if v is result and k[0] == number[0]), number)
        _objects[known] = result
        return ("array", known, result.shape, result.dtype.str, result.axis) if isinstance(result, Array) else ("dict" if isinstance(result, Dict) else "table" if _is_table(result) else "generator", known)
    found: list[Any] = []

    def slot(each: Any) -> _Slot:
        found.append(each)
        return _Slot(len(found) - 1)

    form = with_each(result, _is_distributed, slot)
    if found:
        return ("several", form if _core.rank() == 0 else None, [_described(each, (number[0], (number[1], k))) for k, each in enumerate(found)])
    return ("value", result) if _core.rank() == 0 else ("value", None)


def forget(holder: Any) -> None:
    """A client of a session is gone, and does not use its objects any more."""
    for key in [key for key in _objects if key[0] == holder]:
        del _objects[key]


def set_name(name: str, value: Any) -> None:
    _named[name] = value


def get_name(name: str) -> Any:
    if name not in _named:
        raise KeyError(f"armilla: the workers keep nothing as '{name}'; there are: {', '.join(sorted(_named)) or 'no names'}")
    return _named[name]


def delete_name(name: str) -> None:
    get_name(name)
    del _named[name]


def names() -> list[str]:
    return sorted(_named)


def method(of: Any, name: str, /, *arguments: Any, **options: Any) -> Any:
    return getattr(of, name)(*arguments, **options)


# Frames of polars travel as Arrow's: on threads of a rank that shares the cores with others, polars' own pickling may not come to an end.


class _Frame:
    """A frame of polars that is pickled so."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __reduce__(self) -> Any:
        return unpacked_frame, (packed_frame(self.frame),)


def put_part(number: Any, gone: list[Any], of: Any) -> tuple[int, int, int]:
    """Puts this rank's part into shared memory, as long as the driver has it."""
    from ._shared import Shared

    drop(gone)
    part = of.local()
    _objects[number] = shared = Shared(_Frame(part) if _is_table(of) else part)
    return shared.where()


def packed_frame(frame: Any) -> tuple[Any, Any]:
    import polars as pl

    return frame.to_arrow(compat_level=pl.CompatLevel.oldest()), frame.schema


def unpacked_frame(packed: tuple[Any, Any]) -> Any:
    import polars as pl

    return pl.DataFrame(pl.from_arrow(packed[0]), schema=packed[1])


def table_of(kind: str, packed: tuple[Any, Any], options: dict[str, Any]) -> Any:
    return getattr(sys.modules["armilla"], kind)(unpacked_frame(packed), **options)


def local_rows(of: Any) -> Any:
    return packed_frame(of.local())


def all_rows(of: Any, options: dict[str, Any]) -> Any:
    return packed_frame(of.to_polars(**options))


def aggregate(of: Any, keys: tuple, exprs: tuple, named: dict[str, Any]) -> Any:
    return of.group_by(*keys).agg(*exprs, **named)


def name_program(name: str) -> None:
    from . import _core

    _core.name_program(name)


def attribute(of: Any, name: str) -> Any:
    return getattr(of, name)


def ufunc(of: Any, function: Any, how: str, inputs: tuple, options: dict[str, Any]) -> Any:
    return of.__array_ufunc__(function, how, *inputs, **options)


def function(of: Any, f: Any, arguments: tuple, options: dict[str, Any]) -> Any:
    return of.__array_function__(f, (), arguments, options)


def place(of: Any) -> tuple[int, tuple[int, ...]] | None:
    """Where this rank's block is in the memory of the host, and its shape; None if its elements do not follow each other there."""
    block = of.local()
    if not block.flags.c_contiguous:
        return None
    core = of._memory.core
    return core.place() + block.ctypes.data - memoryview_address(core), block.shape


def memoryview_address(core: Any) -> int:
    import numpy as np

    return np.frombuffer(core, np.uint8).ctypes.data if memoryview(core).nbytes else 0


def local(of: Any) -> Any:
    return of.local()
