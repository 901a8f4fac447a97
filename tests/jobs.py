# SPDX-License-Identifier: Apache-2.0
"""Jobs started and looked at from outside, for the tests of how they start and end."""
import contextlib
import os
import random
import re
import signal
import subprocess
import time
import uuid

PATIENCE = 60  # seconds before a hang is called one
FABRIC = os.environ.get("TEST_FABRIC", "shm")  # of jobs that do not name another one


class Job:
    """One started job. Its processes bear a token in their environment, by which those left behind are found."""

    def __init__(self, command, ranks=None, fabric=FABRIC, env=None, stdin=subprocess.DEVNULL, **more):
        self.token = "START_TEST_TOKEN=" + uuid.uuid4().hex
        name, value = self.token.split("=")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_")}
        environment |= {name: value, "ARMILLA_FABRIC": fabric, "ARMILLA_PIN": "none", "ARMILLA_TUNED": "none"}
        if ranks is not None:
            environment["ARMILLA_RANKS"] = str(ranks)
        environment |= env or {}
        self.process = subprocess.Popen(command, env=environment, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, start_new_session=True, **more)

    def end(self, text=None):
        """Waits for the end; fills code, out, err. One that hangs is killed, and the error has what its ranks wait for."""
        if not self.ends(text):
            raise AssertionError(f"the job hangs\n--- output\n{self.out}--- errors\n{self.err}---")
        return self

    def ends(self, text=None):
        """As `end`; False: it hung, has told what its ranks wait for, and was killed."""
        try:
            self._communicate(text)
            return True
        except subprocess.TimeoutExpired:
            self._ask_what_ranks_wait_for()
            for pid in [self.process.pid, *self.left_behind()]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._communicate()
            return False

    def _communicate(self, text=None):
        self.out, self.err = self.process.communicate(text, timeout=PATIENCE)
        self.code = self.process.returncode

    def _ask_what_ranks_wait_for(self):
        catches = re.compile(r"^SigCgt:\t\w*[2367abef]\w\w$", re.M)  # SIGUSR1
        for pid in self.left_behind():
            with contextlib.suppress(OSError), open(f"/proc/{pid}/status") as f:
                if catches.search(f.read()):
                    os.kill(pid, signal.SIGUSR1)
                    time.sleep(2)
                    return

    def wait_for_lines(self, count):
        for _ in range(count):
            self.process.stdout.readline()

    def left_behind(self):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as f:
                    if self.token.encode() in f.read().split(b"\0"):
                        found.append(int(pid))
            except OSError:
                pass
        return found

    def children(self):
        """Its ranks, where it is a supervisor."""
        return children_of(self.process.pid)

    def messages(self):
        return [line for line in self.err.splitlines() if line.startswith("armilla")]


def children_of(pid):
    """In the order in which they were started; that of their numbers may have begun anew."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            return list(map(int, f.read().split()))
    except (FileNotFoundError, ProcessLookupError):
        return []


FABRIC_OF_HOSTS = os.environ.get("FABRIC_OF_HOSTS", "auto")  # of jobs over several
HOSTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hosts", "hosts")


def over_hosts(launcher, ranks):
    """The words before a program whose ranks are on two hosts of tests/hosts/hosts, which are there."""
    on_first = (ranks + 1) // 2
    return [HOSTS, "run", "h1", os.path.realpath(launcher), "--hosts", f"h1:{on_first},h2:{ranks - on_first}",
            "--rsh", os.environ["TEST_HOSTS_RSH"]]


def processes_on(host, programs):
    """Those of any of the programs on one of the hosts."""
    listed = subprocess.run([HOSTS, "list"], capture_output=True, text=True, check=True).stdout
    space = os.readlink("/proc/" + re.search(rf" {host} .* process (\d+)$", listed, re.M)[1] + "/ns/net")
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/exe") in programs and os.readlink(f"/proc/{pid}/ns/net") == space:
                found.append(int(pid))
        except OSError:
            pass
    return sorted(found)


def ranks_on_hosts(program):
    """The processes of the program by host; on each in the order of their start."""
    by_host, started = {}, []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        started += children_of(pid)
    for pid in started:
        try:
            if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(program):
                by_host.setdefault(os.readlink(f"/proc/{pid}/ns/uts"), []).append(pid)
        except OSError:
            pass
    return list(by_host.values())


def until_tried(count, tried):
    """The numbers of the jobs of a test: `count` of them, and up to ten times as many until tried() says that chance has hit what is tested."""
    for job in range(10 * count):
        if job >= count and tried():
            return
        yield job


def read_arguments(parser):
    """PROGRAM COUNT [--seed N], and what `parser` knows besides: what was chosen, and dice by the seed, which is printed."""
    parser.add_argument("program")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=None)
    chosen = parser.parse_args()
    seed = chosen.seed if chosen.seed is not None else random.SystemRandom().randrange(10**9)
    print(f"seed {seed}", flush=True)
    return chosen, random.Random(seed)


class FailedJobs:
    """For test cases about jobs: one that failed says so once."""

    def assert_failed(self, job, cause, code=None):
        self.assertEqual(len(job.messages()), 1, job.err)
        self.assertRegex(job.messages()[0], cause)
        if code is not None:
            self.assertEqual(job.code, code, job.err)
        self.assertNotEqual(job.code, 0)
