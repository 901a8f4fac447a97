# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Job:
    """A script that runs on several ranks."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder

    def command(self, ranks: int, script: str, *arguments: str) -> list[str]:
        path = self.folder / "script.py"
        path.write_text(textwrap.dedent(script), encoding="utf-8")
        return [sys.executable, "-m", "armilla", "-n", str(ranks), str(path), *arguments]

    def start(self, ranks: int, script: str, **options) -> subprocess.Popen:
        return subprocess.Popen(self.command(ranks, script), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **options)

    def __call__(self, ranks: int, script: str, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(self.command(ranks, script, *arguments), capture_output=True, text=True, timeout=60, check=False)

    def passes(self, ranks: int, script: str) -> str:
        done = self(ranks, script)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def job(tmp_path) -> Job:
    return Job(tmp_path)


@pytest.fixture(scope="session")
def workers():
    import armilla

    with armilla.ranks(3) as am:
        yield am


@pytest.fixture(autouse=True)
def no_rank():
    """The process of the tests drives workers and pools, and is a client of jobs: it must not become a rank by what it gets from them."""
    yield
    session = sys.modules.get("armilla._session")
    assert session is None or not session._started


@pytest.fixture
def together(workers):
    """Runs a script on three ranks that are there already: cheaper than a job of its own."""
    return lambda script: workers.execute(textwrap.dedent(script))


def wait_for(condition, seconds: float = 20.0):
    """What the condition gives when it is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds} s")


def alive(pid: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def pytest_addoption(parser):
    parser.addoption("--whole", action="store_true", help="also what takes long for what it finds")


def pytest_configure(config):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts background jobs with SIGINT ignored, which the processes of the tests would inherit; not where workers import this file
    config.addinivalue_line("markers", "hdf5: needs the package h5py")
    config.addinivalue_line("markers", "whole: takes long for what it finds; with --whole alone")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--whole"):
        items[:] = [item for item in items if "whole" not in item.keywords]
