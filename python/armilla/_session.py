# SPDX-License-Identifier: Apache-2.0
"""How this process becomes a rank, and how it ends as one."""
from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import traceback
from typing import Any

from . import _collectives, _core

_started = False
_failed = False


def start() -> None:
    """Joins the job: the one that started this process, or one of this process alone."""
    global _started
    if _started:
        return
    for stream in (sys.stdout, sys.stderr):  # a first process becomes the supervisor here, and does not come back
        if stream is not None:
            stream.flush()
    _core.join()
    _started = True
    atexit.register(_finish)
    sys.excepthook = _uncaught(sys.excepthook)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forget)


def _forget() -> None:
    atexit.unregister(_finish)


def _uncaught(before: Any) -> Any:
    def hook(kind: type[BaseException], error: BaseException, at: Any) -> None:
        if issubclass(kind, KeyboardInterrupt):
            end_by_interrupt()
        if not issubclass(kind, _core.RankLost):  # which the rank that is lost has told
            before(kind, error, at)
        fail_by(error)

    return hook


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
        traceback.print_exception(type(error), error, error.__traceback__)
        fail_by(error)
        os._exit(1)
    _core.finish()
