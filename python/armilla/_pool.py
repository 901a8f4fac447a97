# SPDX-License-Identifier: Apache-2.0
"""A pool of workers on this host, as an executor of `concurrent.futures`."""
from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import concurrent.futures.process
import contextlib
import errno
import functools
import logging
import os
import pickle
import queue
import re
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from typing import Any, Callable, Generator, Iterable, Iterator

from concurrent.futures._base import FINISHED
from . import _core, _current_folder, _functions, _launch, _shared
from ._pickling import RemoteTraceback, loads_error
from ._pool_map import Map, with_bar
from ._pool_worker import CALL, RAISED, SPILLED, receive_message, resident, send_message

_most_task = _core.most_task
_no_head = bytes(2)  # the function is the first argument
_park_seconds = 0.002  # how long the reader stays away after a caller has taken results itself
_deep = 64  # from so many tasks on, results are waited for in company
_pause_seconds = 0.0003
_most_files = 256  # the arguments of more tasks wait in this process
_starts = 3  # workers in succession that may end before they are ready


class WorkerLost(_core.Error, concurrent.futures.process.BrokenProcessPool):
    """A worker of a pool died while it ran this task. `process`: which; `exit_code`: its exit code, or -9 for signal 9."""

    process: int
    exit_code: int


class PoolFuture(concurrent.futures.Future):
    """What a task gives, as a future of `concurrent.futures`; `get` is `result`, and `await` works in a coroutine.

    An interrupt (Ctrl-C) while one waits cancels the task, also one that runs. Callbacks (`add_done_callback`) may submit tasks and wait for them.
    """

    def __init__(self, pool: "Pool", task: "Task") -> None:
        super().__init__()
        self._pool = pool
        self._task: Task | None = task

    def result(self, timeout: float | None = None) -> Any:
        if self._state == FINISHED:
            return super().result()
        return self._in_time(super().result, timeout)

    get = result

    def exception(self, timeout: float | None = None) -> BaseException | None:
        return self._in_time(super().exception, timeout)

    def _in_time(self, get: Callable[[float | None], Any], timeout: float | None) -> Any:
        if not self.done():
            self._pool._wait_for(self, timeout)
            timeout = 0
        try:
            return get(timeout)
        except concurrent.futures.TimeoutError:
            if self.done():
                raise
            raise _core.TimeoutError("armilla: Pool: the task has not ended in time; wait again, or cancel it") from None

    def cancel(self) -> bool:
        """Takes the task back, unless a worker has begun it. `interrupt` ends one that runs."""
        if self.cancelled():
            return True
        task = self._task
        if self.done() or task is None or not self._pool._withdraw(task):
            return False
        if super().cancel():
            self.set_running_or_notify_cancel()
        self._task = None
        return self.cancelled()

    def interrupt(self) -> None:
        """Cancels the task; if it runs, KeyboardInterrupt is raised in it, which `result` raises then."""
        if not self.cancel() and not self.done():
            self._pool._interrupt([self])

    def running(self) -> bool:
        task = self._task
        return not self.done() and task is not None and self._pool._runs(task)

    def add_done_callback(self, f: Callable[[Any], Any]) -> None:
        # asyncio's own returns at once.
        super().add_done_callback(f if getattr(f, "__module__", "") == "asyncio.futures" else functools.partial(self._pool._call_back, f))

    def __await__(self) -> Generator[Any, None, Any]:
        return asyncio.wrap_future(self).__await__()


class _InterruptsLater:
    """Postpones KeyboardInterrupt to the end of a `with` block, which may then change what other threads see in several steps."""

    __slots__ = ("_handler", "_came", "_since")

    def __init__(self) -> None:
        self._handler: Any = None
        self._came: tuple | None = None
        self._since = 0.0

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if callable(handler):
                self._handler = handler
                signal.signal(signal.SIGINT, self._note)

    def _note(self, *came: Any) -> None:
        if self._came is not None and time.monotonic() > self._since + 1:  # what the block calls does not return
            self._handler(*came)
        self._came, self._since = came, time.monotonic()

    def __exit__(self, *error: Any) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
            if self._came is not None:
                self._handler(*self._came)


class Task:
    __slots__ = ("number", "kind", "head", "data", "parts", "file", "held", "ticket", "withdrawn", "tries", "f", "future", "on_end")

    def __init__(self, kind: int, head: bytes, parts: list[Any], held: list[Any], tries: int, f: Any) -> None:
        self.number = 0
        self.kind = kind
        self.head = head  # the packed function, after its length
        self.data = b""  # what is published; empty: not known yet
        self.parts = parts  # the packed arguments
        self.file: _shared.File | None = None  # of those that are too long for a slot
        self.held = held  # values in shared memory that it needs
        self.ticket = 0
        self.withdrawn = False
        self.tries = tries
        self.f = f
        self.future: Any = None
        self.on_end: Callable[..., None] | None = None  # of a chunk: (outcomes, error, nanoseconds, item that was lost)

    @property
    def name(self) -> str:
        f = getattr(self.f, "func", self.f)
        return getattr(f, "__qualname__", type(f).__qualname__)


class _Worker:
    def __init__(self, index: int, process: subprocess.Popen, control: socket.socket, spill: socket.socket) -> None:
        self.index = index
        self.process = process
        self.control = control
        self.spill = spill
        self.ready = False
        self.large = 0  # the task in which it had too much memory
        self.killed = ""  # why this process has killed it
        self.said: deque[str] = deque(maxlen=20)
        self.pipes: dict[Any, tuple[str, bytes]] = {}


def _bytes_of(memory: int | str | None) -> int | None:
    if memory is None or isinstance(memory, int):
        return memory
    found = re.fullmatch(r"\s*([0-9.]+)\s*([kMGT]?)(i?)B?\s*", memory, re.IGNORECASE)
    if found is None:
        raise _core.UsageError(f"armilla: Pool: memory {memory!r} is no size; give a number of bytes, or text such as '2 GB' or '512 MiB'")
    power = " KMGT".index(found[2].upper() or " ")
    return int(float(found[1]) * (1024 if found[3] else 1000) ** power)


def _broken(said: str) -> concurrent.futures.process.BrokenProcessPool:
    return concurrent.futures.process.BrokenProcessPool(f"armilla: Pool: {said}")


_open: "weakref.WeakSet[Pool]" = weakref.WeakSet()


class Pool(concurrent.futures.Executor):
    """Workers of this host that run tasks: an `Executor` of `concurrent.futures`.

        with armilla.Pool(2) as pool:
            print(pool.submit(pow, 2, 10).result())      # 1024
            print(list(pool.map(abs, [-1, 2, -3])))      # [1, 2, 3]

    `max_workers`: as many as the cores that this process may use, if it is not given. `initializer(*initargs)` runs in each worker before its
    first task. A worker that dies is replaced, and the pool goes on: its task is tried again up to `retries` times, then it raises `WorkerLost`.
    `max_tasks_per_child`: after so many tasks a worker is replaced. `memory`: bytes that a worker may have (or '2 GB'): one that has more after
    a task is replaced; one that has more during a task is killed, and the task raises `WorkerLost`. `label`: puts the worker's number before
    each line that it prints. `environment`: variables for the workers.

    Functions of modules go by reference; those of `__main__` and of notebooks, lambdas and inner functions go by value, with the globals that they name.
    """

    def __init__(self, max_workers: int | None = None, initializer: Callable[..., Any] | None = None, initargs: tuple = (), *, retries: int = 0, memory: int | str | None = None,
                 max_tasks_per_child: int | None = None, environment: dict[str, str] | None = None, label: bool = False) -> None:
        if max_workers is None:
            max_workers = min(256, len(os.sched_getaffinity(0)))
        if not 1 <= max_workers <= 256:
            raise _core.UsageError(f"armilla: Pool: {max_workers} workers; give 1 to 256")
        if max_tasks_per_child is not None and max_tasks_per_child < 1:
            raise _core.UsageError(f"armilla: Pool: max_tasks_per_child={max_tasks_per_child}; give one or more, or None")
        if retries < 0:
            raise _core.UsageError(f"armilla: Pool: retries={retries}; give zero or more")
        self.size = max_workers
        self._max_workers = max_workers  # what joblib and others read
        self._retries, self._memory_limit, self._tasks_each, self._label = retries, _bytes_of(memory), max_tasks_per_child, label
        self._environment = environment or {}
        self._initializer, self._needs = (None, []) if initializer is None else self._packed_initializer(initializer, initargs)
        self._folder = _current_folder()
        self._foreign: BaseException | None = None  # raised in a process that was forked from the pool's
        self._memory = _core.PoolDriver(max_workers)
        self._lock = threading.RLock()
        self._waiting: deque[Task] = deque()  # not published yet
        self._tasks: dict[int, Task] = {}  # published, and not answered
        self._last = 0
        self._files = 0  # tasks whose arguments are in a file of their own
        self._done_tasks = 0
        self._functions = _functions.Packed()
        self._pumping = threading.Lock()
        self._helping = self._helped = self._others = self._urgent = 0
        self._give_way = False
        self._resume = threading.Event()
        self._idle = threading.Condition(self._lock)
        self._callbacks: queue.SimpleQueue[Any] | None = None
        self._closing = self._finished = False
        self._broken: BaseException | None = None
        self._failed_starts = 0.0
        self._workers: list[_Worker | None] = [None] * max_workers
        self._selector = selectors.DefaultSelector()
        self._poke, poked = socket.socketpair()
        self._poke.setblocking(False)
        self._selector.register(poked, selectors.EVENT_READ, None)
        try:
            for index in range(max_workers):
                self._start(index)
        except BaseException:
            self._kill_workers()
            raise
        self._manager = threading.Thread(target=self._manage, daemon=True, name="armilla-pool-manager")
        self._reader = threading.Thread(target=self._read, daemon=True, name="armilla-pool-reader")
        self._manager.start()
        self._reader.start()
        _open.add(self)

    @staticmethod
    def _packed_initializer(f: Any, arguments: tuple) -> tuple[_shared.File, list[Any]]:
        """The initializer in a file, which each worker maps, and the values in shared memory that it needs."""
        local = _shared.local
        local.held = held = []
        try:
            return _shared.File(_shared.dumps((f, tuple(arguments)))), held
        finally:
            local.held = None

    # ---- tasks ----

    def submit(self, f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> PoolFuture:
        """Runs `f(*args, **kwargs)` on a worker; a future of what it returns.

            with armilla.Pool(2) as pool:
                print(pool.submit(max, 3, 5).result())   # 5
        """
        task = self._packed(CALL, f, args, kwargs)
        future = task.future = PoolFuture(self, task)
        self._add(task)
        return future

    def _packed(self, kind: int, f: Any, *rest: Any) -> Task:
        local = _shared.local
        local.held = held = []
        try:
            function = self._functions.of(f)
            if function is None:
                head, parts = _no_head, _shared.dumps((f, *rest))
            else:
                head, parts = function.head, _shared.dumps(rest)
                held.append(function.needs)
        except Exception as why:
            raise self._unsendable(kind, f, rest, why) from why
        finally:
            local.held = None
        task = Task(kind, head, parts, held, self._retries, f)
        if len(parts) == 1 and len(head) + len(parts[0]) <= _most_task:
            task.data, task.parts = head + parts[0], []
        elif self._files + len(self._waiting) >= _most_files or self._spill(task) is not None:
            task.parts = [bytes(part) for part in parts]  # the caller may change its arrays; a file is made later
        return task

    def _spill(self, task: Task) -> OSError | None:
        """Writes long arguments to a file."""
        try:
            file = _shared.File(task.parts)
        except OSError as why:
            return why
        with self._lock:
            self._files += 1
            task.file = file
        task.kind |= SPILLED
        task.data = task.head + pickle.dumps(file.where())
        task.parts = []
        return None

    def _drop(self, task: Task) -> None:
        """Frees what a task that has ended keeps in memory."""
        with self._lock:
            self._tasks.pop(task.number, None)
            self._files -= task.file is not None
            task.file, task.parts, task.held, task.data = None, [], [], b""

    @staticmethod
    def _unsendable(kind: int, f: Any, rest: tuple, why: Exception) -> TypeError:
        args, kwargs = rest if kind == CALL else ((), {})
        if len(rest) == 1 and len(rest[0]) == 1:  # one value of a map
            args = rest[0][0]
        for name, value in [("the function", f), *((f"argument {i}", a) for i, a in enumerate(args, 1)), *((f"argument '{k}'", a) for k, a in kwargs.items())]:
            try:
                _shared.dumps(value)
            except Exception as its:
                return TypeError(f"armilla: Pool.submit: {name}, of type {type(value).__name__}, cannot be sent: {its}; send what it is made of instead")
        return TypeError(f"armilla: Pool: arguments of {getattr(f, '__qualname__', f)} cannot be sent: {why}; send what they are made of instead")

    def _add(self, task: Task, begun: bool = False) -> None:
        """`begun`: it is of a `map` that was called before."""
        with self._lock:
            if self._broken is not None:
                raise self._broken
            if self._finished or self._closing and not begun:
                raise RuntimeError("armilla: Pool: cannot take new tasks after shutdown; make a new armilla.Pool")
            self._waiting.append(task)
            self._refill()

    def _refill(self) -> None:
        """Publishes what there is room for."""
        waiting = self._waiting
        while waiting:
            task = waiting[0]
            if not task.withdrawn and not task.ticket:  # an interrupt may have come after it was published
                if not task.data and not self._has_file(task):
                    return
                if not task.number:
                    self._last += 1
                    task.number = self._last
                self._tasks[task.number] = task
                if not self._memory.publish(task, task.number, task.kind, task.data):
                    del self._tasks[task.number]
                    return
            waiting.popleft()

    def _has_file(self, task: Task) -> bool:
        """Writes the arguments of the next task to a file. Returns false if that has to wait for the end of another task."""
        if self._files >= _most_files:
            return False
        why = self._spill(task)
        if why is not None and not self._tasks:
            self._waiting.popleft()
            with _InterruptsLater():
                self._end(task, None, OSError(why.errno, f"armilla: Pool: the arguments of {task.name} cannot be written to shared memory: {why.strerror}"))
        return why is None

    def _withdraw(self, task: Task) -> bool:
        """Takes a task back, unless a worker has begun it."""
        with _InterruptsLater(), self._lock:
            if task.withdrawn:
                return True
            if self._foreign is None and task.ticket and not self._memory.withdraw(task.ticket):
                return False
            task.withdrawn = True
            self._drop(task)
            self._refill()
            self._note_idle()
            return True

    def _runs(self, task: Task) -> bool:
        return task.number != 0 and any(self._memory.running(w) == task.number for w in range(self.size))

    def _interrupt(self, futures: Iterable[PoolFuture]) -> None:
        tasks = [(f, f._task) for f in futures]  # a future drops its task when that has ended
        self._cancel_running([task.number for f, task in tasks if task is not None and not f.cancel() and not f.done()])

    def _cancel_running(self, numbers: list[int]) -> None:
        for worker in list(self._workers) if numbers else []:
            if worker is not None and worker.ready:
                try:
                    send_message(worker.control, ("cancel", numbers))
                except OSError:
                    pass

    # ---- results ----

    def _wait_for(self, future: PoolFuture, timeout: float | None) -> None:
        """Until it is done, or the time is over. Takes results itself where the reader lets it."""
        end = None if timeout is None else time.monotonic() + timeout
        try:
            while not future.done():
                left = 3600.0 if end is None else end - time.monotonic()
                if left <= 0:
                    return
                if self._help(min(left, 0.5), future.done):
                    continue
                self._others += 1
                try:
                    self._wait_as_others_do(future, min(left, 0.5))
                finally:
                    self._others -= 1
        except KeyboardInterrupt:
            self._interrupt([future])
            raise

    def _help(self, seconds: float, there: Callable[[], bool]) -> bool:
        """Takes results on the caller's thread, unless another one does now; False: it does. That saves the change of threads, which takes longer than a short task."""
        if self._foreign is not None:
            raise self._foreign
        self._give_way = True  # the reader does when it has taken what it waits for now
        with _InterruptsLater():
            if self._urgent or not self._pumping.acquire(False):
                return False
            self._helping += 1
            try:
                if not there():
                    self._pump(seconds)
            finally:
                self._helped += 1
                self._helping -= 1
                self._pumping.release()
        if self._others:
            self._resume.set()
        return True

    @staticmethod
    def _wait_as_others_do(future: PoolFuture, timeout: float) -> None:
        try:
            concurrent.futures.Future.exception(future, timeout)
        except (concurrent.futures.TimeoutError, concurrent.futures.CancelledError):
            pass

    def _read(self) -> None:
        try:
            self._read_results()
        except BaseException as why:
            self._fail(why)

    def _read_results(self) -> None:
        while not self._closing or self._tasks or self._waiting:
            if self._give_way or self._urgent:
                before = self._helped
                self._resume.wait(_park_seconds if not self._helping else 10 * _park_seconds)
                if self._resume.is_set() or (self._helped == before and not self._helping):
                    self._give_way = False
                    self._resume.clear()
                continue
            with self._pumping:
                self._pump(1.0)

    def _pump(self, seconds: float) -> None:
        """Takes the results that have come. Holds `_pumping`; no interrupt comes here."""
        results: list[tuple] = []
        try:
            self._memory.collect(results, seconds, _pause_seconds if self._memory.published > _deep else 0.0)
        except Exception as why:
            self._fail(why)
        for result in results:
            self._take(*result)
        with self._lock:
            self._refill()
            self._note_idle()

    def _note_idle(self) -> None:
        if not self._tasks and not self._waiting:
            self._idle.notify_all()

    def _take(self, number: int, kind: int, ns: int, data: bytes, index: int) -> None:
        task = self._tasks.get(number)
        try:
            parts: list[Any] = [data] if not kind & SPILLED else self._received(index, number)
            if task is None:  # it was lost, and done elsewhere
                return
            value, error = (None, loads_error(index, parts, "worker")) if kind & RAISED else (pickle.loads(parts[0], buffers=parts[1:]), None)
            if error is None and task.on_end is not None:
                values, errors = value
                value = [(v, loads_error(index, [errors[i]], "worker") if i in errors else None) for i, v in enumerate(values)]
        except BaseException as why:  # whatever a class of the user raises when it is unpickled
            value, error = None, why
        if task is not None:
            self._done_tasks += 1
            self._end(task, value, error, ns)

    def _received(self, index: int, number: int) -> list[Any]:
        """The parts of a result that is in a file. The file comes with the number of its task."""
        worker = self._workers[index]
        assert worker is not None
        while True:
            its, files, _, _ = socket.recv_fds(worker.spill, 8, 1)
            try:
                if int.from_bytes(its, "little") == number:
                    if not files:
                        raise OSError(errno.EMFILE, "armilla: Pool: a result cannot be received: too many files are open; close some, or raise the limit (ulimit -n)")
                    return list(_shared.mapped(files[0], True))
            finally:
                for file in files:
                    os.close(file)

    def _end(self, task: Task, value: Any, error: BaseException | None, ns: int = 0, lost_item: int = -1) -> None:
        if error is not None and isinstance(error.__cause__, RemoteTraceback):
            error.__cause__.text = f"in {task.name}:\n\n{error.__cause__.text}"
        if task.on_end is not None:
            task.on_end(value, error, ns, lost_item)  # which may add more
            return self._drop(task)
        try:
            if error is not None:
                task.future.set_exception(error)
            else:
                task.future.set_result(value)
        except concurrent.futures.InvalidStateError:  # another thread has ended it
            pass
        task.future._task = None
        if task.file is None:
            self._tasks.pop(task.number, None)  # the task itself goes with what referred to it
        else:
            self._drop(task)

    def _call_back(self, f: Callable[[Any], Any], future: PoolFuture) -> None:
        """On a thread of its own: it may wait for other tasks."""
        with self._lock:
            if self._callbacks is None:
                self._callbacks = queue.SimpleQueue()
                threading.Thread(target=_run_callbacks, args=(self._callbacks,), daemon=True).start()
        self._callbacks.put((f, future))

    # ---- map ----

    def map(self, f: Callable[..., Any], *iterables: Iterable[Any], timeout: float | None = None, chunksize: int | None = None, buffersize: int | None = None,
            progress: bool = False) -> Iterator[Any]:
        """`f` of the values of the iterables, as `map`; an iterator over the results, in their order.

        `chunksize`: how many values a worker takes at once. By itself the pool measures what a value takes, and chooses it so that a chunk takes
        a millisecond. `buffersize`: at most so many values are taken from the iterables ahead of the results. `progress`: a bar of tqdm, if that
        is installed. Raises what `f` raised when the iterator comes to it.

            with armilla.Pool(2) as pool:
                print(list(pool.map(pow, [1, 2, 3], [2, 2, 2])))   # [1, 4, 9]
        """
        return self._mapped(f, iterables, timeout, chunksize, buffersize, progress, True)

    def map_unordered(self, f: Callable[..., Any], *iterables: Iterable[Any], timeout: float | None = None, chunksize: int | None = None, buffersize: int | None = None,
                      progress: bool = False) -> Iterator[Any]:
        """As `map`; the results come as they are there.

            with armilla.Pool(2) as pool:
                print(sorted(pool.map_unordered(abs, [-3, 2, -1])))   # [1, 2, 3]
        """
        return self._mapped(f, iterables, timeout, chunksize, buffersize, progress, False)

    def _mapped(self, f: Any, iterables: tuple, timeout: float | None, chunksize: int | None, buffersize: int | None, progress: bool, ordered: bool) -> Iterator[Any]:
        for name, value in (("chunksize", chunksize), ("buffersize", buffersize)):
            if value is not None and value < 1:
                raise ValueError(f"armilla: Pool.map: {name}={value}; give one or more, or None")
        run = Map(self, f, iterables, chunksize, buffersize, ordered)
        results = run.results(None if timeout is None else time.monotonic() + timeout)
        return with_bar(results, run.total) if progress else results

    # ---- workers ----

    def _start(self, index: int) -> None:
        control, its_control = socket.socketpair()
        spill, its_spill = socket.socketpair()
        with its_control, its_spill:
            files = (its_control.fileno(), its_spill.fileno(), self._memory.file)
            code = f"{_launch.loading()}; from armilla._pool_worker import main; main({', '.join(map(str, files))}, {self.size}, {index})"
            variables = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_INTERNAL_") and k not in ("ARMILLA_RANKS", "ARMILLA_LABEL", "ARMILLA_FABRIC")}
            flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
            process = subprocess.Popen([sys.executable, *flags, "-c", code], env={**variables, "ARMILLA_LAUNCHER": "none", **self._environment}, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=files, start_new_session=True)
        spill.setblocking(False)  # what it brings is there before its result
        worker = _Worker(index, process, control, spill)
        initializer = None if self._initializer is None else self._initializer.where()
        with contextlib.suppress(OSError):  # it has ended, which the manager notices
            send_message(control, {"folder": self._folder, "path": list(sys.path), "initializer": initializer, "tasks": self._tasks_each, "memory": self._memory_limit})
        self._workers[index] = worker
        self._selector.register(control, selectors.EVENT_READ, (worker, None))
        for pipe, name in ((process.stdout, "stdout"), (process.stderr, "stderr")):
            os.set_blocking(pipe.fileno(), False)  # type: ignore[union-attr]
            worker.pipes[pipe] = (name, b"")
            self._selector.register(pipe, selectors.EVENT_READ, (worker, pipe))  # type: ignore[arg-type]

    def _manage(self) -> None:
        try:
            self._watch()
        except BaseException as why:
            self._fail(why)

    def _watch(self) -> None:
        looked = 0.0
        while not (self._closing and not any(self._workers)):
            for key, _ in self._selector.select(0.1 if self._memory_limit is not None else None):
                if key.data is None:
                    key.fileobj.recv(4096)  # type: ignore[union-attr]
                    continue
                worker, pipe = key.data
                if pipe is not None:
                    self._print(worker, pipe)
                    continue
                try:
                    self._told(worker, *receive_message(worker.control))
                except (EOFError, OSError):
                    self._ended(worker)
            if self._memory_limit is not None and time.monotonic() - looked > 0.1:
                looked = time.monotonic()
                self._kill_the_large(self._memory_limit)

    def _print(self, worker: _Worker, pipe: Any) -> None:
        if pipe not in worker.pipes:  # it was closed meanwhile
            return
        name, rest = worker.pipes[pipe]
        try:
            data = os.read(pipe.fileno(), 65536)
        except BlockingIOError:
            return
        except (OSError, ValueError):
            data = b""
        lines = (rest + data).split(b"\n")
        worker.pipes[pipe] = (name, lines.pop())
        if not data:
            self._selector.unregister(pipe)
            if worker.pipes[pipe][1]:
                lines.append(worker.pipes[pipe][1])
            del worker.pipes[pipe]
            pipe.close()
        for line in lines:
            text = line.decode(errors="replace")
            if name == "stderr":
                worker.said.append(text)
            stream = getattr(sys, name)
            try:
                if stream is not None:
                    stream.write(f"[{worker.index}] {text}\n" if self._label else text + "\n")
                    stream.flush()
            except (OSError, ValueError):  # it is closed; the pool goes on
                pass

    def _told(self, worker: _Worker, what: str, *rest: Any) -> None:
        if what == "ready":
            worker.ready = True
            self._failed_starts = 0
        elif what == "failed":
            error = loads_error(worker.index, [rest[0]], "worker")
            broken = _broken(f"the initializer raised {type(error).__name__}: {error}; the pool takes no tasks")
            broken.__cause__ = error
            self._break(broken)

    def _kill_the_large(self, limit: int) -> None:
        for worker in self._workers:
            if worker is not None and self._memory.running(worker.index) and not worker.killed:
                size, task = resident(worker.process.pid), self._memory.running(worker.index)
                if size <= limit:
                    worker.large = 0
                elif worker.large != task:  # it may be about to end
                    worker.large = task
                else:
                    worker.killed = f"had {size / 1e6:.0f} MB of memory, of {limit / 1e6:.0f} MB that it may have,"
                    worker.process.kill()

    def _ended(self, worker: _Worker) -> None:
        self._selector.unregister(worker.control)
        try:
            code = worker.process.wait(5)
        except subprocess.TimeoutExpired:
            worker.process.kill()
            code = worker.process.wait()
        for pipe in list(worker.pipes):
            while pipe in worker.pipes and worker.pipes[pipe] is not None:
                before = worker.pipes[pipe]
                self._print(worker, pipe)
                if pipe in worker.pipes and worker.pipes[pipe] == before:  # a process of its own has it still
                    self._selector.unregister(pipe)
                    worker.pipes.pop(pipe)
        self._urgent = 1
        try:
            self._memory.knock()
            with self._pumping:
                self._pump(0)  # what it had done
                lost = self._memory.lost(worker.index)
        finally:
            self._urgent = 0
        with self._lock:
            self._workers[worker.index] = None
        worker.control.close()
        worker.spill.close()
        again = [(self._tasks[number], begun, item) for number, begun, item in lost if number in self._tasks]
        for task, begun, item in again:
            self._lose(task, begun, item, worker, code)
        if not worker.ready:
            self._failed_starts += 1 if code >= 0 else 0.1  # a signal is sent from outside
            if self._failed_starts >= _starts and self._broken is None:
                self._break(_broken("workers end before they are ready; they said: " + ("\n".join(worker.said) or "nothing")))
        if self._broken is None and (not self._closing or self._tasks or self._waiting):
            self._start(worker.index)

    def _lose(self, task: Task, begun: bool, item: int, worker: _Worker, code: int) -> None:
        if begun and (task.tries <= 0 or worker.killed):
            what = worker.killed or ("was killed by " + signal.Signals(-code).name if code < 0 else f"exited with code {code}")
            error = WorkerLost(f"armilla: Pool: worker {worker.index} (process {worker.process.pid}) {what} {'and was killed ' if worker.killed else ''}while it ran {task.name}; "
                               + ("give it more memory, or smaller tasks" if worker.killed else f"the task was tried {1 + self._retries} time{'s' if self._retries else ''}: Pool(retries=...) tries again"))
            error.process, error.exit_code = worker.process.pid, code
            self._end(task, None, error, 0, item)
            with self._lock:
                self._note_idle()
            return
        if begun:
            task.tries -= 1
        with self._lock:
            self._tasks.pop(task.number, None)
            task.ticket = task.number = 0
            if self._broken is None:
                self._waiting.appendleft(task)
                self._refill()

    def _fail(self, why: BaseException) -> None:
        """Breaks the pool after an error of its own."""
        broken = _broken(f"{why if isinstance(why, RuntimeError) else f'{type(why).__name__}: {why}'}; make a new armilla.Pool")
        broken.__cause__ = why
        self._break(broken)

    def _break(self, error: BaseException) -> None:
        """Ends all tasks with the error, and the workers."""
        with self._lock:
            self._broken = error
            tasks = [*self._waiting, *self._tasks.values()]
            self._waiting.clear()
        for task in tasks:
            if not task.withdrawn:
                self._end(task, None, error)
        self._kill_workers()
        with self._lock:
            self._note_idle()

    def _kill_workers(self) -> None:
        for worker in list(self._workers):
            if worker is not None:
                worker.process.kill()

    @property
    def processes(self) -> list[int]:
        """The workers' processes."""
        return [worker.process.pid for worker in self._workers if worker is not None]

    # ---- end ----

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Takes no more tasks, and ends the workers when all tasks have ended. `cancel_futures`: those that no worker has begun are cancelled."""
        if self._foreign is not None:  # the workers are those of another process
            return
        with self._lock:
            self._closing = True
        if cancel_futures:
            self._cancel_all()
        if wait:
            self._finish()
        else:
            threading.Thread(target=self._finish, daemon=True).start()

    def _finish(self) -> None:
        with self._idle:
            while (self._tasks or self._waiting) and self._broken is None:
                self._idle.wait(0.5)
            self._finished = True
        for worker in list(self._workers):
            if worker is not None:
                try:
                    send_message(worker.control, ("end",) if worker.ready else ("none",))
                except OSError:
                    pass
                if not worker.ready:
                    worker.process.kill()
        self._memory.knock()
        try:
            self._poke.send(b"p")
        except OSError:
            pass
        for thread in (self._manager, self._reader):
            if thread is not threading.current_thread():
                thread.join(5)
        self._kill_workers()
        if self._callbacks is not None:
            self._callbacks.put(None)
        _open.discard(self)

    def __exit__(self, kind: Any, error: Any, at: Any) -> None:
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            self.interrupt()
        self.shutdown()

    def interrupt(self) -> None:
        """Cancels all tasks; in those that run KeyboardInterrupt is raised."""
        self._cancel_running(self._cancel_all())

    def _cancel_all(self) -> list[int]:
        """Cancels what no worker has begun; the numbers of the other tasks."""
        with self._lock:
            tasks = {task.number or id(task): task for task in [*self._waiting, *self._tasks.values()]}
        running = []
        for task in tasks.values():
            if task.future is not None and task.future.cancel():
                continue
            if task.future is None and self._withdraw(task):
                if task.on_end is not None:
                    task.on_end(None, concurrent.futures.CancelledError(), 0, -1)
                continue
            running.append(task.number)
        return running

    def __repr__(self) -> str:
        state = "ended" if self._closing and not any(self._workers) else f"{self._open_tasks()} tasks open, {self._done_tasks} done"
        return f"<armilla.Pool: {self.size} workers, {state}>"

    def _open_tasks(self) -> int:
        return len(self._tasks) + sum(not task.withdrawn for task in list(self._waiting))

    def _repr_html_(self) -> str:
        rows = []
        for w, worker in enumerate(self._workers):
            if worker is not None:
                running = self._tasks.get(self._memory.running(w))
                what = "starts" if not worker.ready else "waits" if running is None else running.name
                rows.append(f"<tr><td>{w}</td><td>{worker.process.pid}</td><td>{what.replace('<', '&lt;')}</td><td>{resident(worker.process.pid) / 1e6:.0f} MB</td></tr>")
        return (f"<b>armilla.Pool</b>: {self.size} workers, {self._open_tasks()} tasks open, {self._done_tasks} done"
                f"<table><tr><th>worker</th><th>process</th><th>runs</th><th>memory</th></tr>{''.join(rows)}</table>")


def _run_callbacks(calls: queue.SimpleQueue) -> None:
    for f, future in iter(calls.get, None):
        try:
            f(future)
        except BaseException:
            logging.getLogger("concurrent.futures").exception("exception calling callback for %r", future)


@atexit.register
def _shut_down() -> None:
    for pool in list(_open):
        pool.shutdown()


def _leave_to_the_parent() -> None:
    """In a process that was forked: its pools are those of its parent."""
    for pool in list(_open):
        pool._foreign = pool._broken = RuntimeError("armilla: Pool: the pool is that of the process that forked this one; make a new armilla.Pool here")
        pool._lock = threading.RLock()  # a thread that this process does not have may hold it
        pool._idle = threading.Condition(pool._lock)
        pool._waiting.clear()
        for worker in pool._workers:
            if worker is not None:  # it ends with the parent, however long this process lives
                worker.control.close()
                worker.spill.close()
    _open.clear()


os.register_at_fork(after_in_child=_leave_to_the_parent)
