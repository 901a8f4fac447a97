# SPDX-License-Identifier: Apache-2.0
"""Making and removing the hosts of tests/hosts/hosts.

A host is a process (host_init.py) in network, mount, process, IPC and name (UTS) namespaces of its own; one more, the hub, holds
what connects them. Nothing has a name outside: no `ip netns`, no device, no address. All that is left behind when everything is
killed is the folder /run/armilla-hosts/NAME, which the next one removes.

    hN: eth0 ---- hub: portN ---- bridge                             --fast
    hN: eth0 ---- hub: portN ---- bridgeN ---- tapN ---- slow_switch  --slow
"""
import ctypes
import fcntl
import os
import pathlib
import shutil
import signal
import subprocess

import remote
from remote import HERE, Failure, Skip

RUN = pathlib.Path(remote.RUN)
NETWORK = "10.99.0.0/24"  # the same for every instance: none sees another, or the world
DELAY_US = 15             # one way; with what waking up the switch takes, some 100 us for a round trip
MBIT = 100
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


def address(number):
    return f"10.99.0.{10 + number}"


def die_with_parent():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def check_machine():
    if os.geteuid() != 0:
        raise Skip("making network namespaces needs root")
    for command, package in (("ip", "iproute2"), ("unshare", "util-linux"), ("nsenter", "util-linux"), ("mount", "mount")):
        if not shutil.which(command):
            raise Skip(f"there is no command '{command}' (Debian package {package})")
    probe = subprocess.run(["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c",
                            "mount -t tmpfs tmpfs /dev/shm && ip link add name try0 type veth peer name try1 && ip link add name try2 type bridge"],
                           capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if probe.returncode != 0:
        raise Skip("this system refuses namespaces, mounts or network devices: " + " ".join(probe.stderr.split()))


def alive(folder):
    """Whether the process that made the instance still holds it."""
    try:
        with open(f"{folder}/lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return isinstance(error, BlockingIOError)
    return False


def instances():
    return sorted(path for path in RUN.glob("*") if path.is_dir() and alive(path)) if RUN.is_dir() else []


def sweep():
    for path in RUN.glob("*"):
        if path.is_dir() and not alive(path):
            shutil.rmtree(path, ignore_errors=True)


def slow_switch(folder):
    """The program; compiled now unless the environment says where it is."""
    program = os.environ.get("TEST_HOSTS_SWITCH")
    if program and os.access(program, os.X_OK):
        return program
    program = str(folder / "slow_switch")
    compiler = os.environ.get("CXX") or shutil.which("c++")
    if not compiler:
        raise Skip("--slow needs a C++ compiler, or TEST_HOSTS_SWITCH")
    subprocess.run([compiler, "-std=c++20", "-O1", f"{HERE}/slow_switch.cpp", "-o", program], check=True)
    return program


class Instance:
    """`with Instance(...) as it`: the hosts exist until the end of the block, or of this process."""

    def __init__(self, name, count, slow):
        if not 2 <= count <= 4:
            raise Failure(f"2 to 4 hosts can be made, not {count}")
        if not name.replace("-", "").replace("_", "").isalnum():
            raise Failure(f"'{name}' is no name for a group of hosts: letters, digits, - and _")
        self.folder = RUN / name
        self.names = [f"h{i}" for i in range(1, count + 1)]
        self.slow = slow
        self.processes = []

    def __enter__(self):
        check_machine()
        try:
            self.claim()
            self.start()
            self.connect()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()
        if getattr(self, "lock", None):
            shutil.rmtree(self.folder, ignore_errors=True)
            self.lock.close()

    def claim(self):
        RUN.mkdir(mode=0o755, exist_ok=True)
        with open(RUN / ".lock", "w") as everybody:
            fcntl.flock(everybody, fcntl.LOCK_EX)
            sweep()
            try:
                self.folder.mkdir()
            except FileExistsError:
                raise Failure(f"hosts of the name {self.folder.name} exist already; remove them with: hosts down --name "
                              f"{self.folder.name}") from None
            self.lock = open(self.folder / "lock", "w")
            fcntl.flock(self.lock, fcntl.LOCK_EX)
        (self.folder / "outer-tmp").mkdir()
        (self.folder / "speed").write_text("slow\n" if self.slow else "fast\n")
        lines = ["127.0.0.1 localhost", "::1 localhost ip6-localhost"]
        lines += [f"{address(i)} {name}" for i, name in enumerate(self.names, 1)]
        (self.folder / "hosts").write_text("\n".join(lines) + "\n")

    def spawn(self, command, **options):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent, **options)
        self.processes.append(process)
        return process

    @staticmethod
    def expect_ready(process, what):
        if process.stdout.readline().strip() != "ready":
            raise Skip(f"{what} did not come up")
        process.stdout.close()

    def start(self):
        hosts = [(name, self.spawn(["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
                                    f"{HERE}/host_init.py", str(self.folder), name],
                                   cwd="/", stdout=subprocess.PIPE, text=True)) for name in ("hub", *self.names)]
        for name, process in hosts:
            self.expect_ready(process, name)

    def ip(self, host, *lines):
        """Lines for `ip`, in the host's network namespace."""
        done = subprocess.run(["nsenter", f"--net=/proc/{remote.process_of(self.folder, host)}/ns/net", "ip", "-batch", "-"],
                              input="\n".join(lines), text=True, capture_output=True)
        if done.returncode != 0:
            raise Skip(f"the network of {host} cannot be made: " + " ".join(done.stderr.split()))

    def connect(self):
        numbers = range(1, len(self.names) + 1)
        bridges = [f"bridge{i}" for i in numbers] if self.slow else ["bridge"]
        lines = [f"link add name {bridge} type bridge mcast_snooping 0" for bridge in bridges]
        for i, name in enumerate(self.names, 1):
            process = remote.process_of(self.folder, name)
            lines += [f"link add name port{i} type veth peer name eth0 netns {process}",
                      f"link set port{i} master {bridges[i - 1 if self.slow else 0]} up"]
        self.ip("hub", *lines, *(f"link set {bridge} up" for bridge in bridges))
        if self.slow:
            hub = remote.process_of(self.folder, "hub")
            # Before all others: a network does not wait for a processor.
            switch = self.spawn(["nice", "-n", "-15", "nsenter", f"--net=/proc/{hub}/ns/net", slow_switch(self.folder), str(DELAY_US), str(MBIT),
                                 *(f"tap{i}" for i in numbers)], stdout=subprocess.PIPE, text=True)
            self.expect_ready(switch, "the slow switch")
            self.ip("hub", *(f"link set tap{i} master bridge{i} up" for i in numbers))
        for i, name in enumerate(self.names, 1):
            self.ip(name, "link set lo up", f"address add {address(i)}/24 dev eth0", "link set eth0 up")
