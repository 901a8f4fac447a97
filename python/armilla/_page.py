# SPDX-License-Identifier: Apache-2.0
"""The live page of workers: armilla-top shows them in a browser."""
from __future__ import annotations

import select
import shutil
import subprocess
from typing import Any

from . import _core

_start_seconds = 10.0


class Page:
    """`armilla-top --serve` for a job, as a process of its own."""

    def __init__(self, job: int, port: int | None) -> None:
        program = shutil.which("armilla-top")
        if program is None:
            raise _core.UsageError("armilla: page: armilla-top is not on the PATH; it comes with the C++ library")
        words = [program, str(job), "--serve", *([str(port)] if port is not None else [])]
        self._process: subprocess.Popen[Any] = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        said = self._first_line()
        self.address = next((word for word in said.split() if word.startswith("http://")), "")
        if not self.address:
            self.close()
            raise _core.Error(f"armilla: page: {program} did not start a page; it printed: {said.strip() or 'nothing'}")

    def _first_line(self) -> str:
        pipe = self._process.stdout
        assert pipe is not None
        return pipe.readline().decode(errors="replace") if select.select([pipe], [], [], _start_seconds)[0] else ""

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
