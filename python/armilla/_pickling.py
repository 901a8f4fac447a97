# SPDX-License-Identifier: Apache-2.0
"""How values, functions and errors travel: short plain values by an encoding of the extension, others by pickle protocol 5, with long buffers beside the pickle.

What can be imported goes by reference. Ranks of one script have the same `__main__`, so its functions and classes go by reference, too;
lambdas and inner functions go as code that finds the globals of its module again. All else goes by cloudpickle.
"""
from __future__ import annotations

import collections
import importlib
import io
import marshal
import pickle
import sys
import threading
import traceback
import types
from typing import Any, Sequence

from . import _core

_in_band = 2048  # shorter buffers stay in the pickle
_most_buffers = 4  # that a message carries beside it

Parts = Sequence[Any]  # a plain value or a pickle, then its buffers
_pickled = 0x80  # what a pickle begins with, and a plain value does not


class _FromOutside(threading.local):
    """Entered while a process that is not a rank unpickles a value from another process, which must not make it a rank."""

    depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *error: Any) -> None:
        self.depth -= 1


from_outside = _FromOutside()


def _collector(buffers: list[Any], in_band: int = _in_band, most: int = _most_buffers):
    def keep(buffer: pickle.PickleBuffer) -> bool:
        raw = buffer.raw()
        if raw.nbytes < in_band or len(buffers) == most:
            return True
        buffers.append(raw)
        return False

    return keep


def _rebuilt(code: bytes, module: str, name: str, qualname: str, defaults: Any, keywords: Any, closure: Any) -> types.FunctionType:
    scope = importlib.import_module(module).__dict__
    f = types.FunctionType(marshal.loads(code), scope, name, defaults, closure)
    f.__kwdefaults__ = keywords
    f.__qualname__ = qualname
    return f


def _fill(cell: types.CellType, contents: tuple) -> None:
    (cell.cell_contents,) = contents


def _by_contents(cell: types.CellType) -> Any:
    """The reduction of a cell. It is filled afterwards, for what it holds may be a function that uses it."""
    try:
        contents = (cell.cell_contents,)
    except ValueError:  # not filled yet
        return types.CellType, ()
    return types.CellType, (), contents, None, None, _fill


def _found(obj: Any) -> bool:
    """Whether every rank finds it by its name."""
    place: Any = sys.modules.get(getattr(obj, "__module__", None) or "")
    for name in obj.__qualname__.split("."):
        place = getattr(place, name, None)
    return place is obj


def _by_code(f: types.FunctionType) -> Any:
    """The reduction of an inner function of a module that every rank has; None: it has none."""
    module = sys.modules.get(f.__module__ or "")
    if module is None or f.__globals__ is not module.__dict__:
        return None
    return _rebuilt, (marshal.dumps(f.__code__), f.__module__, f.__name__, f.__qualname__, f.__defaults__, f.__kwdefaults__, f.__closure__)


_pickler: Any = None


def _pickler_type() -> Any:
    global _pickler
    if _pickler is None:
        import cloudpickle  # here, since few programs need it, and its import takes longer than ours

        class Pickler(cloudpickle.Pickler):
            def reducer_override(self, obj: Any) -> Any:
                if isinstance(obj, (types.FunctionType, type)) and _found(obj):
                    return NotImplemented  # by its name
                if isinstance(obj, types.CellType):
                    return _by_contents(obj)
                if isinstance(obj, types.FunctionType):
                    by_code = _by_code(obj)
                    if by_code is not None:
                        return by_code
                return super().reducer_override(obj)

        _pickler = Pickler
    return _pickler


def dumps(value: Any, most: int = _most_buffers) -> Parts:
    """For ranks that run the same script. At most `most` buffers are beside the pickle."""
    plain = _core.write_plain(value, most)
    if plain is not None:
        return plain
    buffers: list[Any] = []
    try:
        return [pickle.dumps(value, 5, buffer_callback=_collector(buffers, most=most)), *buffers]
    except (pickle.PicklingError, AttributeError, TypeError):
        buffers.clear()
    out = io.BytesIO()
    _pickler_type()(out, 5, buffer_callback=_collector(buffers, most=most)).dump(value)
    return [out.getbuffer(), *buffers]


def dumps_by_value(value: Any, in_band: int = _in_band, most: int = _most_buffers) -> Parts:
    """For processes that have another `__main__`."""
    buffers: list[Any] = []
    if not _by_value_modules():
        try:  # ten times as quick, and right where it names nothing of `__main__`
            data = pickle.dumps(value, 5, buffer_callback=_collector(buffers, in_band, most))
            if b"__main__" not in data:
                return [data, *buffers]
        except (pickle.PicklingError, AttributeError, TypeError):
            pass
        buffers.clear()
    out = io.BytesIO()
    _by_value_type()(out, 5, buffer_callback=_collector(buffers, in_band, most)).dump(value)
    return [out.getbuffer(), *buffers]


_of_code: Any = None


def _by_value_type() -> Any:
    """Packs as cloudpickle does, but for code: that keeps its file, so that tracebacks of other processes show the line."""
    global _of_code
    if _of_code is None:
        import cloudpickle

        class Pickler(cloudpickle.Pickler):
            dispatch_table = collections.ChainMap({types.CodeType: lambda code: (marshal.loads, (marshal.dumps(code),))}, cloudpickle.Pickler.dispatch_table)

        _of_code = Pickler
    return _of_code


def _by_value_modules() -> Any:
    """Modules that the program wants to have sent by value."""
    loaded = sys.modules.get("cloudpickle")
    return loaded is not None and loaded.list_registry_pickle_by_value()


def loads(parts: Parts) -> Any:
    data = parts[0]
    return pickle.loads(data, buffers=parts[1:]) if data[0] == _pickled else _core.read_plain(parts, 0)


_named = ord("F")  # what such a call begins with; a pickle begins otherwise
_names: dict[tuple[str, str], bytes] = {}  # of functions: module and name, as they travel


def _name_of(f: Any) -> bytes | None:
    """Module and name, as they travel, of a function that the other rank finds by them now; None: it goes by its pickle."""
    if type(f) is not types.FunctionType or "." in f.__qualname__:
        return None
    module = sys.modules.get(f.__module__)
    if module is None or module.__dict__.get(f.__name__) is not f:
        return None
    key = f.__module__, f.__name__
    found = _names.get(key)
    if found is None:
        name = "\0".join(key).encode()
        found = _names[key] = b"%c%b%b" % (_named, len(name).to_bytes(2, "little"), name)
    return found


_scopes: dict[bytes, tuple[dict[str, Any], str]] = {}


def loads_call(parts: Parts) -> tuple:
    """What `dumps_call` has packed: function, arguments, keyword arguments, and the driver's call if there is one."""
    data = parts[0]
    if data[0] != _named:
        return loads(parts)
    end = 3 + data[1] + 256 * data[2]
    name = bytes(data[3:end])
    found = _scopes.get(name)
    if found is None:
        module, _, function = name.decode().partition("\0")
        found = _scopes[name] = (importlib.import_module(module).__dict__, function)
    f = found[0].get(found[1])
    if f is None:
        raise AttributeError(f"Can't get attribute '{found[1]}' on <module '{found[0].get('__name__')}'>")
    return (f, *(pickle.loads(memoryview(data)[end:], buffers=parts[1:]) if data[end] == _pickled else _core.read_plain(parts, end)))


def _dumps_named(name: bytes, rest: tuple) -> Parts:
    parts = dumps(rest)
    return [b"%b%b" % (name, parts[0]), *parts[1:]]


def dumps_call(operation: str, f: Any, args: tuple, kwargs: dict, how=dumps, root: int = 0) -> Parts:
    """A call; raises TypeError that names what cannot travel. `root`: the driver's call for which it is made."""
    try:
        if how is dumps:
            named = _name_of(f)
            if named is not None:
                return _dumps_named(named, (args, kwargs, root) if root else (args, kwargs))
        return how((f, args, kwargs, root) if root else (f, args, kwargs))
    except Exception as why:
        for name, value in [("the function", f), *((f"argument {i}", a) for i, a in enumerate(args, 1)), *((f"argument '{k}'", a) for k, a in kwargs.items())]:
            try:
                how(value)
            except Exception as its:
                raise TypeError(f"armilla: {operation}: {name}, of type {type(value).__name__}, cannot travel: {its}; send what it is made of instead") from why
        raise


def dumps_result(f: Any, value: Any) -> Parts:
    """What a function has returned; raises TypeError that names the function if it cannot travel."""
    try:
        return dumps(value)
    except Exception as why:
        raise TypeError(f"armilla: the result of {getattr(f, '__qualname__', f)}, of type {type(value).__name__}, cannot travel: {why}; return what it is made of instead") from why


class RemoteTraceback(Exception):
    """Where an error was raised on another rank, or in a worker of a pool: the cause of the error that the caller sees.

    >>> import armilla
    >>> with armilla.Pool(1) as pool:
    ...     try:
    ...         pool.submit(int, "x").result()
    ...     except ValueError as error:
    ...         error.__cause__.kind, error.__cause__.rank
    ('worker', 0)
    """

    def __init__(self, rank: int, text: str, kind: str = "rank") -> None:
        super().__init__(rank, text, kind)
        self.rank = rank
        self.text = text
        self.kind = kind

    def __str__(self) -> str:
        return f"on {self.kind} {self.rank}:\n\n{self.text}"


def dumps_error(error: BaseException) -> Parts:
    """An error with its traceback as text; itself, if it can travel."""
    text = "".join(traceback.format_exception(type(error), error, _outside(error.__traceback__)))
    try:
        itself = bytes(dumps(error, most=0)[0])
        if type(pickle.loads(itself)) is not type(error):
            itself = None
    except Exception:
        itself = None
    try:
        said = str(error)
    except Exception as why:
        said = f"<its __str__ raised {type(why).__name__}>"
    name = type(error).__qualname__ if type(error).__module__ in ("builtins", "__main__") else f"{type(error).__module__}.{type(error).__qualname__}"
    return [pickle.dumps((name, said, text, itself), 5)]


def described_error(parts: Parts) -> tuple[str, str]:
    """Type and text of a packed error."""
    name, said, _, _ = pickle.loads(parts[0])
    return name, said


def _outside(at: types.TracebackType | None) -> types.TracebackType | None:
    """Without the frames of this package in front."""
    while at is not None and at.tb_frame.f_globals.get("__package__") == "armilla" and at.tb_next is not None:
        at = at.tb_next
    return at


def loads_error(rank: int, parts: Parts, kind: str = "rank") -> BaseException:
    """The error that `dumps_error` has packed on a rank, or on another `kind` of process with that number."""
    name, said, text, itself = pickle.loads(parts[0])
    error: BaseException | None = None
    if itself is not None:
        try:
            error = pickle.loads(itself)
        except Exception:
            pass
    if not isinstance(error, BaseException):
        error = _core.RemoteError(f"armilla: {kind} {rank} raised {name}: {said}")
        error.rank = rank  # type: ignore[attr-defined]
    elif hasattr(error, "add_note"):
        error.add_note(f"raised on {kind} {rank}")
    error.__cause__ = RemoteTraceback(rank, text, kind)
    return error
