# SPDX-License-Identifier: Apache-2.0
"""Armilla from Python."""
from ._core import Error, LimitError, RankLost, RemoteError, TimeoutError, UsageError
from .job import Job, attach, jobs
