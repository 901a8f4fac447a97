# SPDX-License-Identifier: Apache-2.0
from ._arrays import (
    Array as Array,
    SharedArray as SharedArray,
    arange as arange,
    array as array,
    asarray as asarray,
    empty as empty,
    eye as eye,
    from_function as from_function,
    from_local as from_local,
    full as full,
    linspace as linspace,
    load as load,
    ones as ones,
    random as random,
    save as save,
    shared as shared,
    zeros as zeros,
)
from ._calls import Future as Future, async_ as async_, call as call, in_body as in_body, poll as poll
from ._collectives import (
    all_gather as all_gather,
    all_reduce as all_reduce,
    all_to_all as all_to_all,
    barrier as barrier,
    broadcast as broadcast,
    exscan as exscan,
    fence as fence,
    gather as gather,
    recv as recv,
    recv_from as recv_from,
    reduce as reduce,
    reduce_scatter as reduce_scatter,
    scan as scan,
    scatter as scatter,
    send as send,
    world as world,
)
from ._teams import Pending as Pending, Team as Team
from ._core import (
    Error as Error,
    LimitError as LimitError,
    RankLost as RankLost,
    RemoteError as RemoteError,
    TimeoutError as TimeoutError,
    UsageError as UsageError,
)
from ._dict import Dict as Dict, make_dict
from ._named import OwnJob as OwnJob, job as job, provide as provide, withdraw as withdraw
from ._pickling import RemoteTraceback as RemoteTraceback
from ._pool import Pool as Pool
from ._pool_future import PoolFuture as PoolFuture, WorkerLost as WorkerLost
from ._sessions import Session as Session, connect as connect, sessions as sessions
from ._shared import Shared as Shared, put as put
from ._table import (
    Table as Table,
    from_arrow as from_arrow,
    from_pandas as from_pandas,
    from_polars as from_polars,
    read_csv as read_csv,
    read_ipc as read_ipc,
    read_parquet as read_parquet,
    table as table,
)
from .driver import Ranks as Ranks, ranks as ranks
from ._job import Job as Job, attach as attach, jobs as jobs

__version__: str
dict = make_dict
rank: int
size: int

def load_ipython_extension(shell: object) -> None: ...
