# SPDX-License-Identifier: Apache-2.0
"""How this process becomes a rank, and how it ends as one."""
from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import traceback
from typing import Any, Callable

from . import _collectives, _core
from ._pickling import from_outside

_started = False
_failed = False


def start() -> None:
    """Joins the job: the one that started this process, or one of this process alone."""
    global _started
    if _started:
        return
    if from_outside.depth:
        raise _core.UsageError("armilla: a value from another process needs a module or a function of armilla that only ranks can import: return plain values instead (numpy.asarray(a), a.tolist())")
    for stream in (sys.stdout, sys.stderr):  # a first process becomes the supervisor here, and does not come back
        if stream is not None:
            stream.flush()
    _core.join()
    _take_environment()
    _started = True
    atexit.register(_finish)
    sys.excepthook = _uncaught(sys.excepthook)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forget)


taken: dict[str, str] = {}  # variables of this rank alone


def _take_environment() -> None:
    """What made this process a rank is not for processes that it starts: those are no ranks, and start no job by themselves."""
    for name in list(os.environ):
        if name in ("ARMILLA_RANKS", "ARMILLA_LABEL") or name.startswith("ARMILLA_INTERNAL_"):
            taken[name] = os.environ.pop(name)
    if _core.launched():  # the launcher's own variables stay, for MPI of this process
        os.environ["ARMILLA_LAUNCHER"] = "none"


def _forget() -> None:
    atexit.unregister(_finish)


def _uncaught(before: Any) -> Any:
    def hook(kind: type[BaseException], error: BaseException, at: Any) -> None:
        if issubclass(kind, KeyboardInterrupt):
            end_by_interrupt()
        if not issubclass(kind, _core.RankLost):  # which the rank that is lost has told
            tell(error, at, lambda: before(kind, error, at))
        fail_by(error)

    return hook


def tell(error: BaseException, at: Any, otherwise: Callable[[], None] | None = None) -> None:
    """Prints what this rank ends by: once for all ranks that end by it, where `python -m armilla` has started them."""
    path = taken.get("ARMILLA_INTERNAL_ERRORS")
    if path is not None and _started:
        try:
            from . import _said

            return _said.print_once(path, _core.rank(), _core.size(), "".join(traceback.format_exception(type(error), error, at)))
        except Exception:  # the process that has the file is gone
            pass
    if otherwise is not None:
        otherwise()
    else:
        traceback.print_exception(type(error), error, at)


def fail_by(error: BaseException) -> None:
    """Notes in the job that this rank's code has ended by an error: that ends the job."""
    global _failed
    if _started and not _failed:
        _failed = True
        sys.stdout.flush()
        sys.stderr.flush()
        _core.fail("".join(traceback.format_exception_only(type(error), error)).splitlines()[0])


def fail_by_code(code: int) -> None:
    global _failed
    if _started and not _failed:
        _failed = True
        sys.stdout.flush()
        _core.fail_by_code(code)


def end_by_interrupt() -> None:
    """Ctrl-C was typed: ends as programs do that know nothing of it, so that the supervisor says it, once."""
    sys.stdout.flush()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    os.kill(os.getpid(), signal.SIGINT)


def _finish() -> None:
    """At the end of the interpreter. Collective: answers the others until all have come to it, and all calls have run."""
    if _failed or not _core.joined():
        return
    if threading.current_thread() is not threading.main_thread():
        return
    try:
        _collectives.last_fence()
    except KeyboardInterrupt:
        end_by_interrupt()
    except _core.RankLost:
        return
    except BaseException as error:
        error = _collectives.own_error() or error
        tell(error, error.__traceback__)
        fail_by(error)
        os._exit(1)
    _core.finish()
