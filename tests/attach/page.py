# SPDX-License-Identifier: Apache-2.0
"""A page of `armilla-top --serve` and its events, as a browser gets them."""
import http.client
import json
import re
import socket
import subprocess
import urllib.parse

from shown import PATIENCE, TOP, clean_environment


class Page:
    """`armilla-top --serve` of a job; with its address."""

    def __init__(self, test, job, *more):
        self.test = test
        self.process = subprocess.Popen([TOP, str(job), "--serve", *more], env=clean_environment(), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise AssertionError(self.process.communicate()[1])
        parts = urllib.parse.urlsplit(self.address)
        self.host, self.port, self.root = parts.hostname, parts.port, parts.path

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.process.terminate()
        self.out, self.err = self.process.communicate(timeout=PATIENCE)
        if kind is None:
            self.test.assertEqual(self.process.returncode, 0, self.err)

    def get(self, path="", method="GET", root=None, headers=None):
        """Status, headers and text of an answer."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        try:
            connection.request(method, (self.root if root is None else root) + path, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def connect(self, buffer=None):
        one = socket.socket()
        if buffer:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        one.settimeout(PATIENCE)
        one.connect((self.host, self.port))
        return one

    def events(self):
        return Events(self)

    def snapshot(self, good=lambda s: True):
        """The first one that is good."""
        with self.events() as events:
            return events.until(good)


class Events:
    """An open page."""

    def __init__(self, page, buffer=None):
        self.socket = page.connect(buffer)
        self.socket.sendall(f"GET {page.root}events HTTP/1.1\r\nHost: {page.host}:{page.port}\r\nAccept: text/event-stream\r\n"
                            "Accept-Encoding: gzip, deflate, br\r\n\r\n".encode())
        self.file = self.socket.makefile("rb")
        self.all = self.parsed()  # name and object of each event

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.close()

    def close(self):
        self.file.close()
        self.socket.close()

    def head(self):
        lines = []
        while (line := self.file.readline()) not in (b"\r\n", b""):
            lines.append(line.decode().strip())
        self.head = lambda: lines
        return lines

    def chunks(self):
        self.head()
        while size := int(self.file.readline() or b"0", 16):
            chunk = self.file.read(size)
            self.file.readline()
            yield chunk

    def parsed(self):
        text = ""
        for chunk in self.chunks():
            text += chunk.decode()
            *whole, text = text.split("\n\n")
            for event in whole:
                if found := re.fullmatch(r"event: (\w+)\ndata: (.*)", event):
                    yield found[1], json.loads(found[2])

    def until(self, good=lambda s: True):
        for name, event in self.all:
            if name == "snapshot" and good(event):
                return event
        raise AssertionError("the page ended")
