#!/usr/bin/env -S python3 -SE
# SPDX-License-Identifier: Apache-2.0
"""The first process of a host made by tests/hosts/hosts: gives it a name, its own /tmp and /dev/shm, then runs commands.

It plays sshd: a client connects to the socket FOLDER/HOST.socket, from outside or from any other host, and sends what is to be
run together with its standard input, output and error. Signals follow as messages; the exit code is the answer. As process 1
of its pid namespace it takes every process of the host with it when it ends.

A message is a JSON object in one packet:
  {"run": [words], "environment": {...} or null for what a login gives, "folder": "/path" or null for home, "detached": bool}
  {"signal": 15}     to the process group of the command that this connection started
  {"share": "/tmp/x"} the folder /tmp/x of outside shall be there, too
  answers: {"exit": code}, {"exit": 127, "error": "text"}, {"started": pid}, {"shared": true}
"""
import json
import os
import pathlib
import selectors
import signal
import socket
import subprocess
import sys
import uuid

LARGEST_MESSAGE = 4 << 20


def mount(*words):
    subprocess.run(["mount", *words], check=True, stdin=subprocess.DEVNULL)


class Host:
    def __init__(self, folder, name):
        self.folder = pathlib.Path(folder)
        self.name = name
        self.selector = selectors.DefaultSelector()
        self.commands = {}  # process id -> (process, connection or None)
        home = os.environ.get("HOME", "/root")
        self.login = {"HOME": home, "USER": "root", "LOGNAME": "root", "SHELL": "/bin/sh", "LC_ALL": "C",
                      "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                      "TEST_HOSTS_NAME": str(self.folder)}

    def furnish(self):
        """Name, /tmp, /dev/shm, names of the others, and what programs take for the identity of a machine."""
        socket.sethostname(self.name)
        mount("--rbind", "/tmp", str(self.folder / "outer-tmp"))
        for place in ("/tmp", "/dev/shm"):
            mount("-t", "tmpfs", "-o", "mode=1777", "tmpfs", place)
        mount("--bind", str(self.folder / "hosts"), "/etc/hosts")
        identity = uuid.uuid4()
        for text, place in ((str(identity), "/proc/sys/kernel/random/boot_id"), (identity.hex, "/etc/machine-id")):
            if os.path.exists(place):
                file = self.folder / f"{self.name}.{os.path.basename(place)}"
                file.write_text(text + "\n")
                mount("--bind", str(file), place)

    def serve(self):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind(str(self.folder / f"{self.name}.socket"))
        listener.listen(64)
        reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.selector.register(listener, selectors.EVENT_READ, self.accept)
        self.selector.register(reader, selectors.EVENT_READ, self.reap)
        print("ready", flush=True)
        os.close(1)
        os.open("/dev/null", os.O_WRONLY)
        while True:
            for key, _ in self.selector.select():
                key.data(key.fileobj)

    def accept(self, listener):
        connection, _ = listener.accept()
        self.selector.register(connection, selectors.EVENT_READ, self.hear)

    def hear(self, connection):
        try:
            message, files, _, _ = socket.recv_fds(connection, LARGEST_MESSAGE, 3)
        except ConnectionError:
            message, files = b"", []
        try:
            if not message:
                self.hang_up(connection)
            else:
                self.obey(connection, json.loads(message), files)
        finally:
            for file in files:
                os.close(file)

    def hang_up(self, connection):
        """The process that waited for a command is gone: so is the command."""
        self.selector.unregister(connection)
        connection.close()
        for process, owner in self.commands.values():
            if owner is connection:
                self.signal_group(process.pid, signal.SIGKILL)

    def obey(self, connection, message, files):
        if "run" in message:
            self.run(connection, message, files)
        elif "signal" in message:
            for process, owner in self.commands.values():
                if owner is connection:
                    self.signal_group(process.pid, message["signal"])
        elif "share" in message:
            self.share(message["share"])
            self.answer(connection, shared=True)

    def run(self, connection, message, files):
        environment = message["environment"]
        if environment is None:
            environment = self.login
        else:
            tools = os.path.dirname(os.path.realpath(__file__))
            environment |= {"TEST_HOSTS_NAME": str(self.folder), "PATH": f"{tools}:{environment.get('PATH', self.login['PATH'])}"}
        if not os.path.isdir(environment.get("TMPDIR", "/tmp")):  # a folder of outside that is none here
            environment = {name: value for name, value in environment.items() if name != "TMPDIR"}
        folder = message["folder"] or self.login["HOME"]
        try:
            process = subprocess.Popen(message["run"], env=environment, cwd=folder if os.path.isdir(folder) else "/", stdin=files[0],
                                       stdout=files[1], stderr=files[2], start_new_session=True)
        except OSError as error:
            self.answer(connection, exit=127, error=f"{self.name}: cannot run '{message['run'][0]}': {error.strerror}")
            return
        self.commands[process.pid] = (process, None if message["detached"] else connection)
        if message["detached"]:
            self.answer(connection, started=process.pid)

    def reap(self, reader):
        os.read(reader, 4096)
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            process, connection = self.commands.pop(pid, (None, None))
            if process:
                code = os.waitstatus_to_exitcode(status)
                process.returncode = code  # tells Popen that there is no wait any more
                if connection:
                    self.answer(connection, exit=code if code >= 0 else 128 - code)

    def share(self, place):
        """A folder that outside has directly in /tmp, as if by a network file system."""
        original = self.folder / "outer-tmp" / os.path.basename(place)
        if original.is_dir() and not os.path.exists(place):
            os.mkdir(place)
            mount("--bind", str(original), place)

    def answer(self, connection, **message):
        try:
            connection.send(json.dumps(message).encode())
        except OSError:
            pass  # gone; the next select() tells

    @staticmethod
    def signal_group(group, number):
        try:
            os.killpg(group, number)
        except ProcessLookupError:
            pass


if __name__ == "__main__":
    host = Host(sys.argv[1], sys.argv[2])
    host.furnish()
    host.serve()
