# SPDX-License-Identifier: Apache-2.0
"""Functions that a driver calls on its workers by name, and the objects that it has there."""
from __future__ import annotations

import os
import sys
from typing import Any, Callable

_objects: dict[int, Any] = {}


class Reference:
    """Stands for an object of the workers in the arguments of a call. `job`: what tells the jobs of all drivers apart."""

    __slots__ = ("job", "number")

    def __init__(self, job: str, number: int) -> None:
        self.job = job
        self.number = number

    def __reduce__(self) -> Any:
        return _found, (self.job, self.number)


job = ""  # whose worker this is; "": none


def _found(of: str, number: int) -> Any:
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
    os.chdir(folder)
    sys.path[:] = path


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
    if not _waits.unsettled and "armilla._arrays" in sys.modules:
        sys.modules["armilla._arrays"]._just_made.clear()


def barrier() -> None:
    from . import _collectives

    _collectives.barrier()


def fence() -> None:
    from . import _collectives

    _collectives.fence()


def execute(code: str) -> None:
    main = sys.modules["__main__"]
    exec(compile(code, "<ranks>", "exec"), main.__dict__)


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


def make(number: int, gone: list[int], kind: str, *arguments: Any, **options: Any) -> Any:
    """A distributed object, under the number that the driver has chosen."""
    from ._arrays import array
    from ._dict import make_dict

    return together(number, gone, array if kind == "array" else make_dict, *arguments, **options)


def together(number: int, gone: list[int], f: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """All workers run `f`; what it returns: if it is a distributed object, its description; of values rank 0's."""
    from . import _core
    from ._arrays import Array
    from ._dict import Dict

    for one in gone:
        _objects.pop(one, None)

    def described(result: Any, number: int) -> tuple:
        known = next((k for k, v in _objects.items() if v is result), number)
        _objects[known] = result
        return ("array", known, result.size, result.dtype.str) if isinstance(result, Array) else ("dict", known)

    result = f(*arguments, **options)
    if isinstance(result, (Array, Dict)):
        return described(result, number)
    if isinstance(result, tuple) and result and all(isinstance(each, Array) for each in result):  # of numpy.divmod and others
        return ("several", [described(each, number + i) for i, each in enumerate(result)])
    return ("value", result) if _core.rank() == 0 else None


def method(of: Any, name: str, *arguments: Any, **options: Any) -> Any:
    return getattr(of, name)(*arguments, **options)


def ufunc(of: Any, function: Any, inputs: tuple, outs: tuple | None, options: dict[str, Any]) -> Any:
    if outs is not None:
        options["out"] = outs
    return of.__array_ufunc__(function, "__call__", *inputs, **options)


def place(of: Any) -> tuple[int, int]:
    """Where this rank's elements lie in the memory of the host, and how many they are."""
    return of._core.place(), len(of.local())


def local(of: Any) -> Any:
    return of.local()


def slice_of(of: Any, where: Any) -> Any:
    return of[where]


def set_slice(of: Any, where: Any, value: Any) -> None:
    of[where] = value
