# SPDX-License-Identifier: Apache-2.0
"""What the workers run in the tests of pools. They import this module, so it imports little."""
import importlib
import mmap
import os
import resource
import signal
import struct
import sys
import threading
import time


def ten_times(x):
    return x * 10


def nap(seconds, value=None):
    time.sleep(seconds)
    return value


def until_there(path, value=None):
    while not os.path.exists(path):
        time.sleep(0.01)
    return value


# ---- errors ----


def fail(text):
    raise ValueError(text)


def raising(make, *arguments):
    raise make(*arguments)


def of_ranks_alone(*arguments):
    """A function whose module only ranks can import."""
    return importlib.import_module("armilla.array_api").sin


def fail_with(f):
    raise LookupError(f())


class NoText(Exception):
    def __str__(self):
        raise ValueError("no text")


class WithLock(Exception):
    def __init__(self):
        super().__init__(threading.Lock())


def array_error(n):
    import numpy as np

    return ValueError(np.ones(n))


def lock_at(k, bad):
    return threading.Lock() if k == bad else k


def limited(size):
    """Returns a value that is too long for the files of this process."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (10**6, resource.RLIM_INFINITY))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    threading.Timer(0.5, resource.setrlimit, (resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))).start()
    return b"x" * size


# ---- results that do something when they are unpickled ----


class Interrupting:
    """Sends SIGINT to the driver."""

    def __reduce__(self):
        return signal.raise_signal, (signal.SIGINT,)


class Ending:
    """Ends the thread, or so it tries."""

    def __reduce__(self):
        return sys.exit, (3,)


def filled(n, value):
    import numpy as np

    return [np.full(n, value), Interrupting()] if value == 1 else np.full(n, value)


# ---- the ends of workers ----


def die(how):
    os.kill(os.getpid(), 9) if how == "signal" else os._exit(3)


def die_once(folder, value):
    try:
        open(f"{folder}/{value}", "x").close()
    except FileExistsError:
        return value
    os.kill(os.getpid(), 9)


def die_at(k, bad):
    return die("signal") if k == bad else k


def fork_and_die(path):
    """Leaves a child that has all files of the worker."""
    if os.fork() == 0:
        until_there(path)
        os._exit(0)
    os.kill(os.getpid(), 9)


def flood():
    """Leaves a child that prints without end."""
    child = os.fork()
    while child == 0:
        os.write(1, b"x" * 4096)
    os.kill(os.getpid(), 9)


# ---- memory ----


class Adder:
    def __init__(self, n):
        self.n = n

    def add(self, x):
        return x + self.n


def address(a):
    return os.getpid(), a.__array_interface__["data"][0], a.flags.writeable, float(a[-1])


def handle_sum(x):
    return x


kept = []


def keep_megabytes(n, seconds=0):
    kept.append(b"x" * (n * 10**6))
    time.sleep(seconds)


def held_for(seconds, array):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        array.sum()
    return os.getpid()


def maps_shared_memory():
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return any("armilla-shared" in line for line in maps)


def overwrite(size):
    """Announces a result whose record says `size`, in the lane of this worker, which is the only one."""
    file = next(n for n in range(3, 100) if os.path.exists(f"/proc/self/fd/{n}") and "armilla-pool" in os.readlink(f"/proc/self/fd/{n}"))
    with mmap.mmap(file, 0) as memory:
        lane = 256 + 1024 * 4096
        at = struct.unpack_from("<Q", memory, lane + 128)[0]
        struct.pack_into("<QQII", memory, lane + 256 + at % (1 << 20), 12345, 0, 0, size)
        struct.pack_into("<Q", memory, lane + 128, at + 25 if size < 100 else at + (2 << 20))


# ---- initializers ----


def remember(value):
    os.environ["REMEMBERED"] = value


def initialize(value, text):
    global initialized
    initialized = value


def total():
    return initialized.sum()
