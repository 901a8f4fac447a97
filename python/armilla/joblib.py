# SPDX-License-Identifier: Apache-2.0
"""`import armilla.joblib` makes the backend "armilla" known to joblib, and so to scikit-learn's `n_jobs`.

    import armilla.joblib
    import joblib

    with joblib.parallel_config("armilla", n_jobs=2):
        print(joblib.Parallel()(joblib.delayed(abs)(x) for x in [-1, -2]))   # [1, 2]

One pool serves all calls of one number of workers. `parallel_config("armilla", pool=mine)` takes a pool of yours.
"""
from __future__ import annotations

import os
import weakref
from typing import Any, Callable

import joblib
from joblib._parallel_backends import AutoBatchingMixin, ParallelBackendBase

from ._pool import Pool
from ._pool_future import PoolFuture

_pools: dict[int, Pool] = {}


class ArmillaBackend(AutoBatchingMixin, ParallelBackendBase):
    """Joblib's batches as tasks of an `armilla.Pool`."""

    supports_retrieve_callback = True
    supports_sharedmem = False
    uses_threads = False

    def __init__(self, pool: Pool | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._given = pool
        self._pool: Pool | None = None
        self._futures: weakref.WeakSet[PoolFuture] = weakref.WeakSet()  # of this backend; others may use the pool, too

    def effective_n_jobs(self, n_jobs: int) -> int:
        if n_jobs == 0:
            raise ValueError("armilla: joblib: n_jobs == 0 has no meaning; give the number of workers, or -1 for all cores")
        if self._given is not None:
            return self._given.size
        cores = len(os.sched_getaffinity(0))
        return 1 if n_jobs is None else max(1, cores + 1 + n_jobs) if n_jobs < 0 else n_jobs

    def configure(self, n_jobs: int = 1, parallel: Any = None, **options: Any) -> int:
        n_jobs = self.effective_n_jobs(n_jobs)
        self._pool = self._given
        if self._pool is None:
            known = _pools.get(n_jobs)
            if known is None or known._closing or known._broken is not None:
                known = _pools[n_jobs] = Pool(n_jobs)
            self._pool = known
        self.parallel = parallel
        return n_jobs

    def submit(self, func: Callable[[], Any], callback: Any = None) -> Any:
        assert self._pool is not None
        future = self._pool.submit(func)
        self._futures.add(future)
        if callback is not None:
            future.add_done_callback(callback)
        return future

    apply_async = submit

    def retrieve_result_callback(self, out: Any) -> Any:
        return out.result()

    def abort_everything(self, ensure_ready: bool = True) -> None:
        if self._pool is not None:
            self._pool._interrupt(list(self._futures))

    def terminate(self) -> None:
        self.reset_batch_stats()


joblib.register_parallel_backend("armilla", ArmillaBackend)
