# SPDX-License-Identifier: Apache-2.0
"""Running commands on the hosts of tests/hosts/hosts: the client of host_init.py.

Starts for every command on a host, and every rank started by rsh: it imports little."""
import array
import json
import os
import signal
import socket
import struct
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
RUN = "/run/armilla-hosts"  # a folder for each group of hosts
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGCONT)
LARGEST_MESSAGE = 4 << 20
SO_SNDBUFFORCE = 32  # Python has no name for it


class Failure(Exception):
    """Something the user did wrong; the text says what to do."""


class Skip(Exception):
    """This machine does not let us make hosts, or lacks a program; the text says which."""


def connect(folder, host):
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, LARGEST_MESSAGE)  # room for a long environment
    try:
        connection.connect(f"{folder}/{host}.socket")
    except OSError as error:
        there = ", ".join(names(folder)) or "none"
        raise Failure(f"no host '{host}' in {folder} ({error.strerror}); there are: {there}") from None
    return connection


def names(folder):
    """h1, h2, ... of an instance."""
    there = os.listdir(folder) if os.path.isdir(folder) else []
    return sorted(name.removesuffix(".socket") for name in there if name.startswith("h") and name.endswith(".socket") and name[1].isdigit())


def process_of(folder, host):
    """The host's first process, as seen from here."""
    with connect(folder, host) as connection:
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return struct.unpack("3i", credentials)[0]


def ask(connection, files=(), **message):
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
    connection.sendmsg([json.dumps(message).encode()], rights)


def share(folder, words):
    """What these words name in our /tmp is made visible in the /tmp of every host; they have private ones. Outside only."""
    places = {"/" + "/".join(word.split("/")[1:3]) for word in words if word.startswith("/tmp/") and len(word) > len("/tmp/")}
    for place in sorted(place for place in places if os.path.isdir(place)):
        for host in names(folder):
            with connect(folder, host) as connection:
                ask(connection, share=place)
                connection.recv(LARGEST_MESSAGE)


def outside(folder):
    """Whether this process is on none of the instance's hosts."""
    return not os.path.ismount(f"{folder}/outer-tmp")


def run(folder, host, words, detached=False, login=False, files=(0, 1, 2)):
    """Runs words on the host, passes signals on, returns the exit code (128 + number after a signal)."""
    if outside(folder):
        share(folder, [os.getcwd(), HERE, *words])
    with connect(folder, host) as connection:
        previous = {}
        if not detached:
            def forward(number, _):
                ask(connection, signal=number)
            previous = {number: signal.signal(number, forward) for number in FORWARDED}
        try:
            ask(connection, files, run=list(words), environment=None if login else dict(os.environ),
                folder=None if login else os.getcwd(), detached=detached)
            message = connection.recv(LARGEST_MESSAGE)
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)
    if not message:
        raise Failure(f"{host} went away while '{words[0]}' ran there")
    answer = json.loads(message)
    if "error" in answer:
        print(f"hosts: {answer['error']}", file=sys.stderr)
    return answer.get("exit", 0)
