# SPDX-License-Identifier: Apache-2.0
"""One global name space for the ranks of a parallel program, from Python.

    import armilla as am

    am.attach()                      # a running job, seen from outside
    am.rank, am.size                 # this process as a rank: python -m armilla -n 4 script.py, mpirun, srun
    am.call(1, f, 5).get()           # f(5) on rank 1
    am.all_reduce(am.rank, "sum")    # what all ranks do together
    am.job[0].demo.solver.step(0.1)  # what a program in C++ of this job provides by name
    am.Pool(4)                       # an executor of concurrent.futures
"""
from __future__ import annotations

import os as _os
import re as _re
import sys as _sys


def _is_main() -> bool:
    """Whether this is imported for `python -m armilla`."""
    if _sys.argv[:1] != ["-m"]:
        return False
    with open("/proc/self/cmdline", "rb") as file:
        words = file.read().split(b"\0")
    return any(_re.fullmatch(rb"-[A-Za-z]*m ?armilla(\.__main__)?", word + (b" " + following if word.endswith(b"m") else b""))
               for word, following in zip(words, words[1:]))


def _current_folder() -> str:
    try:
        return _os.getcwd()
    except OSError:  # it is removed
        return ""


# `python -m` has put the current folder in front, in which others may have put a greenlet.py. The script's own folder takes its place later.
if _is_main() and not getattr(_sys.flags, "safe_path", False) and _sys.path[:1] == [_current_folder()]:
    del _sys.path[0]

from typing import Any  # noqa: E402

_os.environ.setdefault("ARMILLA_BACKENDS", _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "backends"))

from . import _core, _session  # noqa: E402
from ._calls import Future, in_body, poll  # noqa: E402
from ._core import Error, LimitError, RankLost, RemoteError, TimeoutError, UsageError  # noqa: E402
from ._pickling import RemoteTraceback  # noqa: E402
from ._job import Job, attach, jobs  # noqa: E402

__version__ = "0.1.0"

# What needs a session: found by __getattr__, which starts it at first use, and is in its place afterwards.
_of_ranks = ("call", "async_", "barrier", "fence", "broadcast", "all_gather", "gather", "scatter", "all_to_all", "all_reduce", "reduce", "scan", "exscan", "reduce_scatter", "send", "recv", "recv_from", "world", "rank", "size", "dict", "job", "provide", "withdraw")
_of_arrays = ("Array", "SharedArray", "arange", "array", "asarray", "empty", "eye", "from_function", "from_local", "full", "linspace", "load", "ones", "random", "save", "shared", "zeros")
_of_tables = ("Table", "from_arrow", "from_pandas", "from_polars", "read_csv", "read_ipc", "read_parquet", "table")  # not in __all__: their packages may be missing

__all__ = ["Error", "Future", "Job", "LimitError", "Pending", "Pool", "PoolFuture", "RankLost", "RemoteError", "RemoteTraceback", "Ranks", "Session", "Shared", "Team", "TimeoutError", "UsageError", "WorkerLost", "attach", "connect", "in_body", "jobs",
           "poll", "put", "ranks", "sessions", *_of_ranks, *_of_arrays]


class _Number(int):
    """`rank` or `size`: a number as any other, which says so where it is called as a function, as in C++ and in mpi4py.

    >>> import armilla as am
    >>> 0 <= am.rank < am.size, am.rank + 1 == int(am.rank) + 1
    (True, True)
    """

    name: str

    @classmethod
    def of(cls, name: str, value: int) -> "_Number":
        made = cls(value)
        made.name = name
        return made

    def __call__(self, *arguments: Any) -> Any:
        raise TypeError(f"armilla: armilla.{self.name} is a number, not a function: write armilla.{self.name}, which is {int(self)} here")

    def __reduce__(self) -> Any:
        return int, (int(self),)


def _start() -> None:
    from . import _calls, _collectives, _named
    from ._dict import make_dict

    _session.start()
    names = globals()
    for module in (_calls, _collectives, _named):
        for name in _of_ranks:
            if hasattr(module, name):
                names[name] = getattr(module, name)
    names["rank"] = _Number.of("rank", _core.rank())
    names["size"] = _Number.of("size", _core.size())
    names["dict"] = make_dict


def __getattr__(name: str) -> Any:
    if name in ("ranks", "Ranks"):  # threads and sockets, which ranks do not need
        from .driver import Ranks, ranks

        globals().update(Ranks=Ranks, ranks=ranks)
        return globals()[name]
    if name in ("Session", "connect", "sessions"):
        from ._sessions import Session, connect, sessions

        globals().update(Session=Session, connect=connect, sessions=sessions)
        return globals()[name]
    if name in ("Pool", "PoolFuture", "WorkerLost"):
        from ._pool import Pool
        from ._pool_future import PoolFuture, WorkerLost

        globals().update(Pool=Pool, PoolFuture=PoolFuture, WorkerLost=WorkerLost)
        return globals()[name]
    if name in ("Team", "Pending"):
        from ._teams import Pending, Team

        globals().update(Team=Team, Pending=Pending)
        return globals()[name]
    if name in ("put", "Shared"):
        from ._shared import Shared, put

        globals().update(put=put, Shared=Shared)
        return globals()[name]
    if name in _of_arrays:  # which need NumPy
        _session.start()
        from . import _arrays

        globals().update({each: getattr(_arrays, each) for each in _of_arrays})
        return globals()[name]
    if name in _of_tables:  # which need polars
        _session.start()
        from . import _table

        globals().update({each: getattr(_table, each) for each in _of_tables})
        return globals()[name]
    if name in _of_ranks:
        _start()
        return globals()[name]
    raise AttributeError(f"module 'armilla' has no attribute '{name}'")


def load_ipython_extension(shell: Any) -> None:
    """For notebooks: %load_ext armilla makes cells of %%ranks."""
    from ._magic import load

    load(shell)


def __dir__() -> list[str]:
    from importlib.util import find_spec

    return sorted({*globals(), *__all__, *(_of_tables if find_spec("polars") else ())})


if _core.launched():
    _start()
