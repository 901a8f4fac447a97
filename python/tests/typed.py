# SPDX-License-Identifier: Apache-2.0
"""A program whose types are checked, not run: what users write, as mypy --strict and pyright's strict mode see it."""
import concurrent.futures

import armilla
import armilla as am
import numpy as np


def area(w: float, h: float = 1) -> float:
    return w * h


def ranks() -> int:
    answer: am.Future[float] = am.call(am.size - 1, area, 2.0, h=3.0)
    value: float = answer.get(timeout=10)
    am.async_(0, area, value)
    am.fence()
    am.barrier()
    pair = am.world.split(am.rank % 2, key=am.rank)
    if pair is not None:
        pair.all_reduce(np.ones(3), "max")
    pending: am.Pending = am.world.future.all_reduce(1)
    pending.get()
    am.send("text", 0, tag=3)
    text, source, tag = am.recv_from()
    shared: am.SharedArray = am.shared(np.zeros(4, int))
    shared.add([0, 1], 1)
    words = am.dict()
    words.update("x", 1)
    a: am.Array = am.zeros((2, 3), dtype="f4")
    a += 1
    am.save("a.npy", a)
    frame: am.Table = am.read_csv("x.csv")
    frame.head(3)
    am.provide("demo.area", area)
    return am.rank + am.size + source + tag + len(text)


def driver() -> None:
    with armilla.ranks(2) as workers:
        future = workers.call(1, area, 2.0)
        print(future.result(), workers.call_all(area, 3.0), workers.map(abs, [-1, 2]))
        workers["kept"] = workers.arange(10)
    with armilla.connect("lab") as lab:
        print(lab.names())
    print(armilla.attach("solver").stats(), armilla.jobs(), armilla.sessions())


def pool() -> None:
    table = armilla.put(np.arange(10.0))
    executor: concurrent.futures.Executor
    with armilla.Pool(2, retries=1, memory="2 GB", hosts=["a:2"]) as executor:
        print(executor.submit(area, 2.0, h=3.0).result(), list(executor.map(area, [1.0, 2.0])))
        print(executor.map_unordered(abs, [1, -2]), executor.submit(np.sum, table).get())
    try:
        ranks()
    except (am.UsageError, am.RankLost, am.RemoteError, am.LimitError, am.TimeoutError, armilla.WorkerLost, am.Error) as error:
        print(error)
