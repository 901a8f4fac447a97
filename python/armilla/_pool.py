# SPDX-License-Identifier: Apache-2.0
"""A pool of workers on this host, as an executor of `concurrent.futures`."""
from __future__ import annotations

import atexit
import concurrent.futures
import concurrent.futures.process
import html
import logging
import os
import pickle
import queue
import re
import selectors
import signal
import socket
import sys
import threading
import time
import weakref
from collections import deque
from typing import Any, Callable, Iterable, Iterator, Sequence

from . import _core, _current_folder, _functions, _shared
from ._pickling import RemoteTraceback, from_outside, loads, loads_error
from ._pool_future import InterruptsLater, PoolFuture, Task, WorkerLost
from ._pool_map import Map, with_bar
from ._pool_process import WorkerProcess
from ._pool_worker import CALL, RAISED, SPILLED, resident

_most_task = _core.most_task
_no_head = bytes(2)  # the function is the first argument
_park_seconds = 0.002  # how long the reader stays away after a caller has taken results itself
_deep = 64  # with more tasks than this, results are collected for a while before they are taken
_pause_seconds = 0.0003
_most_files = 256  # the arguments of more tasks wait in this process
_starts = 3  # workers in succession that may end before they are ready
_look_seconds = 0.1  # between two looks at the memory of workers
_linger_seconds = 1.0  # how long the thread of callbacks waits for another one


def _bytes_of(memory: int | str | None) -> int | None:
    if memory is None or isinstance(memory, int) and memory > 0:
        return memory
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?)\s*([kMGT]?)(i?)B?\s*", str(memory), re.IGNORECASE)
    if found is None or float(found[1]) == 0:
        raise _core.UsageError(f"armilla: Pool: memory {memory!r} is no size above zero; give a number of bytes, or text such as '2 GB' or '512 MiB'")
    power = " KMGT".index(found[2].upper() or " ")
    return int(float(found[1]) * (1024 if found[3] else 1000) ** power)


_open: "weakref.WeakSet[Pool]" = weakref.WeakSet()


class Pool(concurrent.futures.Executor):
    """Workers of this host that run tasks: an `Executor` of `concurrent.futures`.

    `max_workers`: as many as the cores that this process may use, if it is not given. `initializer(*initargs)` runs in each worker before its
    first task. A worker that dies is replaced, and the pool goes on: its task is tried again up to `retries` times, then it raises `WorkerLost`.
    `max_tasks_per_child`: a worker is replaced after this number of tasks; a chunk of a `map` is one task. `memory`: bytes that a worker may
    have for itself (or '2 GB'). A worker that has more after a task is replaced; one that has more during a task is killed, and the task raises
    `WorkerLost`. `label`: puts the worker's number before each line that it prints. `environment`: variables for the workers.
    `hosts`: names of hosts with numbers of workers, such as `["a:4", "b:4"]`; `rsh` is the command that starts them. Without `hosts` and
    `max_workers`, a pool in a Slurm allocation of several nodes has workers on all of them.

    Functions of modules go by reference; those of `__main__` and of notebooks, lambdas and inner functions go by value, with the globals that they name.

    >>> import armilla
    >>> with armilla.Pool(2) as pool:
    ...     pool.submit(pow, 2, 10).result()
    ...     list(pool.map(abs, [-1, 2, -3]))
    1024
    [1, 2, 3]
    """

    def __init__(self, max_workers: int | None = None, initializer: Callable[..., Any] | None = None, initargs: tuple = (), *, retries: int = 0, memory: int | str | None = None,
                 max_tasks_per_child: int | None = None, environment: dict[str, str] | None = None, label: bool = False, hosts: Sequence[str] | str | None = None, rsh: str = "ssh") -> None:
        slots = self._slots_of(hosts, rsh, max_workers)
        if max_workers is None:
            max_workers = min(256, len(slots) or len(os.sched_getaffinity(0)))
        if not isinstance(max_workers, int) or not 1 <= max_workers <= 256:
            raise _core.UsageError(f"armilla: Pool: {max_workers} workers; give 1 to 256")
        if max_tasks_per_child is not None and max_tasks_per_child < 1:
            raise _core.UsageError(f"armilla: Pool: max_tasks_per_child={max_tasks_per_child}; give one or more, or None")
        if retries < 0:
            raise _core.UsageError(f"armilla: Pool: retries={retries}; give zero or more")
        self.size = self._max_workers = max_workers  # the second is what joblib and others read
        self._hosts = [slots[w] if slots else None for w in range(max_workers)]
        self._retries, self._memory_limit, self._label = retries, _bytes_of(memory), label
        self._environment = environment or {}
        self._initializer, self._needs = (None, []) if initializer is None else self._packed_initializer(initializer, initargs)
        self._setup = {"folder": _current_folder(), "initializer": self._initializer and self._initializer.where(), "tasks": max_tasks_per_child, "memory": self._memory_limit,
                       "environment": self._environment}
        self._memory = _core.PoolDriver(max_workers)
        self._functions = _functions.Packed()
        self._foreign: BaseException | None = None  # raised in a process that was forked from the pool's
        self._broken: BaseException | None = None
        self._closing = self._finished = False
        # Tasks.
        self._lock = threading.RLock()
        self._idle = threading.Condition(self._lock)
        self._waiting: deque[Task] = deque()  # not published yet
        self._tasks: dict[int, Task] = {}  # published, and not answered
        self._last = self._done_tasks = 0
        self._files = 0  # tasks whose arguments are in a file of their own
        # The thread that takes results, and the callers that do so for it.
        self._pumping = threading.Lock()
        self._helping = self._helped = self._others = self._urgent = 0
        self._give_way = False
        self._resume = threading.Event()
        self._callbacks: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._calls_back = False  # a thread runs them
        # Workers.
        self._failed_starts = self._looked = 0.0
        self._workers: list[WorkerProcess | None] = [None] * max_workers
        self._selector = selectors.DefaultSelector()
        self._poke, poked = socket.socketpair()
        self._poke.setblocking(False)
        self._selector.register(poked, selectors.EVENT_READ, None)
        self._abandoned = weakref.finalize(self, _abandon, self._workers, self._poke)
        self._abandoned.atexit = False
        for index in range(max_workers):
            self._start(index)
        # The threads do not keep a pool alive that nobody uses.
        self._manager = threading.Thread(target=_manage, args=(weakref.ref(self), self._selector, poked, None if self._memory_limit is None else _look_seconds), daemon=True,
                                         name="armilla-pool-manager")
        self._reader = threading.Thread(target=_read, args=(weakref.ref(self),), daemon=True, name="armilla-pool-reader")
        self._manager.start()
        self._reader.start()
        _open.add(self)

    @staticmethod
    def _slots_of(hosts: Sequence[str] | str | None, rsh: str, max_workers: int | None) -> list[Any]:
        """The host of each possible worker, None for this host. An empty list: all workers are on this host."""
        if hosts is None and (max_workers is not None or not os.environ.get("SLURM_JOB_ID")):
            return []
        from . import _pool_remote

        named = _pool_remote.hosts_of_slurm() if hosts is None else _pool_remote.named_hosts(hosts, rsh)
        slots = [None if _pool_remote.is_here(host.name) else host for host in named for _ in range(host.slots)]
        if hosts is not None and max_workers is not None and max_workers > len(slots):
            raise _core.UsageError(f"armilla: Pool: {max_workers} workers for {len(slots)} slots on the hosts; give more hosts or more slots, as in 'a:4'")
        return slots

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
        """Runs `f(*args, **kwargs)` on a worker. Returns a future of the result.

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
        if len(parts) == 1 and len(head) + len(parts[0]) <= _most_task:
            return Task(kind, head + parts[0], held, self._retries, f)
        task = Task(kind, b"", held, self._retries, f)
        if self._files + len(self._waiting) >= _most_files or self._spill(task, head, parts) is not None:
            task.parts = [head, *map(bytes, parts)]  # the caller may change its arrays; a file is made later
        return task

    def _spill(self, task: Task, head: bytes, parts: list[Any]) -> OSError | None:
        """Writes long arguments to a file."""
        try:
            file = _shared.File(parts)
        except OSError as why:
            return why
        with self._lock:
            self._files += 1
            task.held.append(file)
            task.kind |= SPILLED
        task.data = head + pickle.dumps(file.where())
        task.parts = None
        return None

    def _drop(self, task: Task) -> None:
        """Frees what a task that has ended keeps in memory."""
        with self._lock:
            self._tasks.pop(task.number, None)
            if task.kind & SPILLED and task.held:
                self._files -= 1
            task.data, task.parts, task.held = b"", None, []

    @staticmethod
    def _unsendable(kind: int, f: Any, rest: tuple, why: Exception) -> TypeError:
        args, kwargs = rest if kind == CALL else ((), {})
        if len(rest) == 1 and len(rest[0]) == 1:  # one value of a map
            args = rest[0][0]
        for name, value in [("the function", f), *((f"argument {i}", a) for i, a in enumerate(args, 1)), *((f"argument '{k}'", a) for k, a in kwargs.items())]:
            try:
                _shared.dumps(value)
            except Exception as its:
                return TypeError(f"armilla: Pool: {name}, of type {type(value).__name__}, cannot be sent: {its}; send what it is made of instead")
        return TypeError(f"armilla: Pool: arguments of {getattr(f, '__qualname__', f)} cannot be sent: {why}; send what they are made of instead")

    def _add(self, task: Task, begun: bool = False) -> None:
        """Adds a task to those that wait. `begun`: it is a later chunk of a `map`, which goes on after `shutdown`."""
        with self._lock:
            if self._broken is not None:
                raise type(self._broken)(*self._broken.args) from self._broken.__cause__
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
                if task.parts is not None and not self._has_file(task):
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
        why = self._spill(task, task.parts[0], task.parts[1:])
        if why is not None and not self._tasks:
            self._waiting.popleft()
            with InterruptsLater():
                self._end(task, None, OSError(why.errno, f"armilla: Pool: the arguments of {task.name} cannot be written to shared memory: {why.strerror}"))
        return why is None

    def _withdraw(self, task: Task) -> bool:
        """Takes a task back, unless a worker has begun it."""
        with InterruptsLater(), self._lock:
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
            if worker is not None and (worker.ready or self._memory.running(worker.index)):
                worker.send(("cancel", numbers))

    # ---- results ----

    def _wait_for(self, future: PoolFuture, timeout: float | None) -> None:
        """Returns when the future is done, or the time is over. Takes results itself where no other thread does."""
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
        """Takes results on the caller's thread, which saves a change of threads: that takes longer than a short task. Returns false if another thread takes them now."""
        if self._foreign is not None:
            raise self._foreign
        self._give_way = True  # the reader stays away after what it waits for now
        with InterruptsLater():
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

    def _read_some(self) -> bool:
        """Takes results on the reader's thread. Returns false when there will be none."""
        while True:
            if self._give_way or self._urgent:
                before = self._helped
                self._resume.wait(_park_seconds if not self._helping else 10 * _park_seconds)
                if self._resume.is_set() or (self._helped == before and not self._helping):
                    self._give_way = False
                    self._resume.clear()
            else:
                with self._pumping:
                    self._pump(1.0)
            if not self._tasks and not self._waiting:
                return not self._closing

    def _pump(self, seconds: float) -> None:
        """Takes the results that have come. Holds `_pumping`; no interrupt comes here."""
        results: list[tuple] = []
        try:
            self._memory.collect(results, seconds, _pause_seconds if self._memory.published > _deep else 0.0)
            for result in results:
                self._take(*result)
            with self._lock:
                self._refill()
                self._note_idle()
        except BaseException as why:
            self._fail(why)

    def _note_idle(self) -> None:
        if not self._tasks and not self._waiting:
            self._idle.notify_all()

    def _take(self, number: int, kind: int, ns: int, data: bytes, index: int) -> None:
        task = self._tasks.get(number)
        try:
            parts = self._workers[index].result(number) if kind & SPILLED else [data]  # type: ignore[union-attr]
            if task is None:  # it was lost, and done elsewhere
                return
            with from_outside:
                value, error = (None, loads_error(index, parts, "worker")) if kind & RAISED else (loads(parts), None)
                if error is None and task.on_end is not None:
                    values, errors = value
                    value = [(v, loads_error(index, [errors[i]], "worker") if i in errors else None) for i, v in enumerate(values)]
        except BaseException as why:  # whatever a class of the user raises when it is unpickled
            value, error = None, why
        if task is not None:
            self._done_tasks += 1
            self._end(task, value, error, ns)

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
        if task.kind & SPILLED:
            self._drop(task)
        else:
            self._tasks.pop(task.number, None)  # nothing refers to the task then

    def _call_back(self, f: Callable[[Any], Any], future: PoolFuture) -> None:
        """Calls it on a thread for that, where it may wait for other tasks."""
        with self._lock:
            self._callbacks.put((f, future))
            if not self._calls_back:
                self._calls_back = True
                threading.Thread(target=self._run_callbacks, daemon=True, name="armilla-pool-callbacks").start()

    def _run_callbacks(self) -> None:
        while True:
            try:
                f, future = self._callbacks.get(timeout=_linger_seconds)
            except queue.Empty:
                with self._lock:
                    if self._callbacks.empty():
                        self._calls_back = False
                        return
                continue
            try:
                f(future)
            except BaseException:
                logging.getLogger("concurrent.futures").exception("exception calling callback for %r", future)
            del f, future

    # ---- map ----

    def map(self, f: Callable[..., Any], *iterables: Iterable[Any], timeout: float | None = None, chunksize: int | None = None, buffersize: int | None = None,
            progress: bool = False) -> Iterator[Any]:
        """Calls `f` with the values of the iterables, as `map` does. Returns an iterator over the results, in the order of the values.

        `chunksize`: how many values a worker takes at once. Without it the pool measures the time of a value, and sends chunks that take a
        millisecond. `buffersize`: how many values are taken from the iterables ahead of the results, at most. `progress`: shows a bar of tqdm,
        if that is installed. An error that `f` raised is raised where the result would be.

            with armilla.Pool(2) as pool:
                print(list(pool.map(pow, [1, 2, 3], [2, 2, 2])))   # [1, 4, 9]
        """
        return self._mapped(f, iterables, timeout, chunksize, buffersize, progress, True)

    def map_unordered(self, f: Callable[..., Any], *iterables: Iterable[Any], timeout: float | None = None, chunksize: int | None = None, buffersize: int | None = None,
                      progress: bool = False) -> Iterator[Any]:
        """Does the same as `map`, but the results come in the order in which they are ready.

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
        setup = {**self._setup, "path": list(sys.path)}
        self._workers[index] = WorkerProcess(index, self.size, self._memory.file, self._environment, setup, self._selector, self._hosts[index])

    def _handle(self, events: list[tuple[selectors.SelectorKey, int]]) -> bool:
        """What the manager's thread does about its workers. Returns false when they have ended for good."""
        try:
            for key, _ in events:
                if key.data is None:
                    key.fileobj.recv(4096)  # type: ignore[union-attr]
                    continue
                worker, pipe = key.data
                if pipe is not None:
                    worker.print(pipe, self._label)
                elif self._workers[worker.index] is worker:
                    self._hear(worker)
            if self._memory_limit is not None and time.monotonic() > self._looked + _look_seconds:
                self._looked = time.monotonic()
                self._kill_the_large(self._memory_limit)
        except BaseException as why:
            self._fail(why)
        return not self._closing or any(self._workers)

    def _hear(self, worker: WorkerProcess) -> None:
        what, *rest = worker.receive() or ("end",)
        if what == "ready":
            worker.ready = True
            self._failed_starts = 0
        elif what == "large":  # on another host, which has killed it
            worker.killed = self._too_large(rest[0])
        elif what == "failed":
            with from_outside:
                error = loads_error(worker.index, rest, "worker")
            self._break(f"the initializer raised {type(error).__name__}: {error}; the pool takes no tasks", error)
        else:
            self._ended(worker)

    def _too_large(self, size: int) -> str:
        return f"used {size / 1e6:.0f} MB of memory, more than its limit of {(self._memory_limit or 0) / 1e6:.0f} MB,"

    def _kill_the_large(self, limit: int) -> None:
        for worker in self._workers:
            if worker is not None and self._memory.running(worker.index) and not worker.killed:
                size, task = resident(worker.process.pid), self._memory.running(worker.index)
                if size <= limit:
                    worker.large = 0
                elif worker.large != task:  # it may be about to end
                    worker.large = task
                else:
                    worker.killed = self._too_large(size)
                    worker.process.kill()

    def _ended(self, worker: WorkerProcess) -> None:
        code = worker.wait(self._label)
        self._urgent = 1
        try:
            self._memory.knock()
            with self._pumping:
                self._pump(0)  # what it had done
                lost = self._memory.lost(worker.index)
        finally:
            self._urgent = 0
        self._workers[worker.index] = None
        worker.close()
        for number, begun, item in lost:
            task = self._tasks.get(number)
            if task is not None:
                self._lose(task, begun, item, worker, code)
        if not worker.ready:
            self._failed_starts += 1 if code >= 0 else 0.1  # a signal is sent from outside
            if self._failed_starts >= _starts and self._broken is None:
                self._break("workers end before they are ready; they said: " + ("\n".join(worker.said) or "nothing"))
        if self._broken is None and (not self._closing or self._tasks or self._waiting):
            self._start(worker.index)

    def _lose(self, task: Task, begun: bool, item: int, worker: WorkerProcess, code: int) -> None:
        """A worker has died with a task. `begun`: it ran the task, and of a chunk this item."""
        if begun and (task.tries <= 0 or worker.killed):
            self._end(task, None, self._worker_lost(task, worker, code), 0, item)
            with self._lock:
                self._note_idle()
            return
        with self._lock:
            task.tries -= begun
            self._tasks.pop(task.number, None)
            task.ticket = task.number = 0
            self._waiting.appendleft(task)
            self._refill()

    def _worker_lost(self, task: Task, worker: WorkerProcess, code: int) -> WorkerLost:
        pid = worker.process.pid
        if worker.killed:
            what, advice = f"{worker.killed} and was killed", "give it more memory, or smaller tasks"
        else:
            what = "was killed by " + signal.Signals(-code).name if code < 0 else f"exited with code {code}"
            advice = f"the task was tried {1 + self._retries} time{'s' if self._retries else ''}: Pool(retries=...) tries again"
        where = f" on {worker.host}" if worker.host else f" (process {pid})"
        error = WorkerLost(f"armilla: Pool: worker {worker.index}{where} {what} while it ran {task.name}; {advice}")
        error.process, error.exit_code = pid, code
        return error

    def _fail(self, why: BaseException) -> None:
        """Breaks the pool after an error of its own."""
        self._break(f"{why if isinstance(why, RuntimeError) else f'{type(why).__name__}: {why}'}; make a new armilla.Pool", why)

    def _break(self, said: str, cause: BaseException | None = None) -> None:
        """Ends all tasks with an error, and the workers."""
        error = concurrent.futures.process.BrokenProcessPool(f"armilla: Pool: {said}")
        error.__cause__ = cause
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
        """Takes no more tasks, and ends the workers when all tasks have ended. `cancel_futures`: cancels the tasks that no worker has begun.

        An interrupt (Ctrl-C) while the caller waits cancels all tasks, also those that run.
        """
        if self._foreign is not None:  # the workers are those of another process
            return
        with self._lock:
            self._closing = True
        if cancel_futures:
            self._cancel_all()
        if wait:
            try:
                self._finish()
            except KeyboardInterrupt:
                self.interrupt()
                raise
        else:
            threading.Thread(target=self._finish, daemon=True).start()

    def _finish(self) -> None:
        with self._idle:
            while (self._tasks or self._waiting) and self._broken is None:
                self._idle.wait(0.5)
            self._finished = True
        for worker in list(self._workers):
            if worker is not None:
                if worker.ready:
                    worker.send(("end",))
                else:
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
        _open.discard(self)

    def __exit__(self, kind: Any, error: Any, at: Any) -> None:
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            self.interrupt()
        self.shutdown()

    def interrupt(self) -> None:
        """Cancels all tasks; in those that run KeyboardInterrupt is raised."""
        self._cancel_running(self._cancel_all())

    def _cancel_all(self) -> list[int]:
        """Cancels the tasks that no worker has begun. Returns the numbers of the others."""
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
                rows.append(f"<tr><td>{w}</td><td>{html.escape(worker.host) or worker.process.pid}</td><td>{html.escape(what)}</td><td>{'' if worker.host else f'{resident(worker.process.pid) / 1e6:.0f} MB'}</td></tr>")
        return (f"<b>armilla.Pool</b>: {self.size} workers, {self._open_tasks()} tasks open, {self._done_tasks} done"
                f"<table><tr><th>worker</th><th>process or host</th><th>runs</th><th>memory</th></tr>{''.join(rows)}</table>")


def _manage(pool: weakref.ref[Pool], selector: selectors.BaseSelector, poked: socket.socket, seconds: float | None) -> None:
    """Watches the workers of a pool, until they have ended or nobody has the pool."""

    def handle(events: list[tuple[selectors.SelectorKey, int]]) -> bool:
        its = pool()
        return its is not None and its._handle(events)

    with poked, selector:
        while handle(selector.select(seconds)):
            pass


def _read(pool: weakref.ref[Pool]) -> None:
    """Takes the results of a pool where no caller does."""

    def read() -> bool:
        its = pool()
        return its is not None and its._read_some()

    while read():
        pass


def _abandon(workers: list[WorkerProcess | None], poke: socket.socket) -> None:
    """Ends the workers of a pool that nobody has."""
    for worker in workers:
        if worker is not None:
            worker.process.kill()
            worker.process.wait()
            worker.close()
    poke.close()


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
            if worker is not None:
                worker.close()  # it ends with the parent, however long this process lives
        pool._abandoned.detach()
    _open.clear()


os.register_at_fork(after_in_child=_leave_to_the_parent)
