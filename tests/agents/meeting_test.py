#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""armilla-run --meet: the same command on each host, here several times on this machine: meeting_test.py ACTOR LAUNCHER."""
import hashlib
import hmac
import os
import signal
import socket
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import FailedJobs, Job  # noqa: E402

ACTOR, LAUNCHER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


class Meeting(FailedJobs, unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.key = self.write_key("0123456789abcdef" * 4)
        self.place = f"localhost:{free_port()}"

    def write_key(self, text, mode=0o600):
        path = os.path.join(self.folder.name, f"key{len(os.listdir(self.folder.name))}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        os.chmod(path, mode)
        return path

    def come(self, *words, expected=2, ranks=1, key=None, place=None, within=30, **more):
        """The command on one of the hosts."""
        return Job([LAUNCHER, "--meet", place or self.place, "--hosts-expected", str(expected), "--meet-within", str(within),
                    "--key-file", key or self.key, "-n", str(ranks), *words], fabric="auto", **more)

    def wait_for_first(self):
        """Until one has opened the port: it is the first host then."""
        port = int(self.place.split(":")[1])
        until = time.monotonic() + 10
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.01)

    def end(self, *jobs):
        for job in jobs:
            job.end()
        until = time.monotonic() + 2
        while any(job.left_behind() for job in jobs) and time.monotonic() < until:
            time.sleep(0.01)
        self.assertEqual([job.left_behind() for job in jobs], [[]] * len(jobs))
        return jobs

    def started(self, scene, star, ranks=(2, 1)):
        """A job of two hosts: the first one's command, and that of the other."""
        first = self.come(ACTOR, scene, star, ranks=ranks[0])
        self.wait_for_first()
        return first, self.come(ACTOR, scene, star, ranks=ranks[1])

    def test_every_rank_runs_and_each_command_shows_its_own(self):
        for expected in (1, 2, 3):
            with self.subTest(expected=expected):
                first = self.come(ACTOR, "hello", expected=expected, ranks=2)
                self.wait_for_first()
                others = [self.come(ACTOR, "hello", expected=expected) for _ in range(expected - 1)]
                self.end(first, *others)
                all_of_them = [first, *others]
                self.assertEqual([(job.code, job.err) for job in all_of_them], [(0, "")] * expected)
                ranks = expected + 1
                self.assertEqual(sorted("".join(job.out for job in all_of_them).splitlines()), [f"hello from {r} of {ranks}" for r in range(ranks)])
                self.assertEqual(sorted(first.out.splitlines()), [f"hello from {r} of {ranks}" for r in range(2)])

    def test_all_may_start_at_once_and_each_has_its_own_variables(self):
        jobs = self.end(*[self.come("/bin/sh", "-c", f'echo "$MINE" >&2; exec {ACTOR} hello', env={"MINE": str(i)}) for i in range(2)])
        self.assertEqual([(job.code, job.err) for job in jobs], [(0, "0\n"), (0, "1\n")])

    def test_a_failure_ends_all_commands_with_its_code_and_its_reason(self):
        for scene, star, cause, code in [("throw", "0", "rank 0 on .* the sky falls", 1), ("code", "2", "rank 2 on .* exited with code 7", 7),
                                         ("kill", "2", "rank 2 on .* was killed by signal 9", 137)]:
            with self.subTest(scene=scene, star=star):
                for job in self.end(*self.started(scene, star)):
                    self.assert_failed(job, cause, code)

    def hanging(self):
        jobs = self.started("hang", "0")
        jobs[0].wait_for_lines(2)
        jobs[1].wait_for_lines(1)
        return jobs

    def test_a_signal_to_one_command_ends_all(self):
        for which in (0, 1):
            with self.subTest(which=which):
                jobs = self.hanging()
                jobs[which].process.send_signal(signal.SIGTERM)
                for job in self.end(*jobs):
                    self.assert_failed(job, r"interrupted by signal 15 \(SIGTERM\)", 143)

    def test_a_command_that_is_killed_ends_the_job(self):
        jobs = self.hanging()
        jobs[1].process.kill()
        self.end(*jobs)
        self.assert_failed(jobs[0], "the agent on .* ended, and with it rank", 1)
        jobs = self.hanging()
        jobs[0].process.kill()
        self.end(*jobs)
        self.assert_failed(jobs[1], "armilla-run ended, or cannot be reached any more", 1)

    def test_missing_hosts_are_counted_and_the_others_named(self):
        first = self.come(ACTOR, "hello", expected=3, within=2)
        self.wait_for_first()
        jobs = self.end(first, self.come(ACTOR, "hello", expected=3))
        name = socket.gethostname()
        for job in jobs:
            self.assert_failed(job, rf"within 2 s 2 of 3 hosts have connected to {self.place}: {name} \(this one\), {name}; the job does not start", 1)

    def test_one_that_leaves_while_all_wait_is_not_counted(self):
        first = self.come(ACTOR, "hello", ranks=2)
        self.wait_for_first()
        gone = self.come(ACTOR, "hello", expected=2, env={"ARMILLA_RANKS": "1"}, key=self.write_key("another key of someone"))
        gone.process.stderr.readline()
        gone.process.send_signal(signal.SIGINT)
        other = self.come(ACTOR, "hello")
        self.end(first, other, gone)
        self.assertEqual([(job.code, job.err) for job in (first, other)], [(0, "")] * 2)

    def test_a_host_with_another_key_is_refused_and_does_no_harm(self):
        first = self.come(ACTOR, "hello")
        self.wait_for_first()
        stranger = self.come(ACTOR, "hello", key=self.write_key("another key of someone"), within=1)
        self.end(stranger)
        self.assertEqual(stranger.code, 1)
        self.assertRegex(stranger.err, "does not prove that it knows this host's key; give the same --key-file")
        with socket.create_connection(("127.0.0.1", int(self.place.split(":")[1]))) as other:
            other.sendall(os.urandom(500))
        self.end(first, self.come(ACTOR, "hello"))
        self.assertEqual((first.code, first.err), (0, ""))

    def test_commands_that_differ_are_refused(self):
        first = self.come(ACTOR, "hello", expected=2)
        self.wait_for_first()
        other = self.come(ACTOR, "hello", expected=3)
        self.end(other)
        self.assert_failed(other, "was started with --hosts-expected 3, but the host at .* with 2", 2)
        self.end(first, self.come(ACTOR, "hello"))
        self.assertEqual((first.code, first.err), (0, ""))

    def prove(self, secret):
        """A host that knows the key, and says nothing more."""
        def seal(key, text):
            return hmac.new(key, text, hashlib.sha256).digest()

        other = socket.create_connection(("127.0.0.1", int(self.place.split(":")[1])))
        self.addCleanup(other.close)
        theirs, mine, any_host = other.recv(32, socket.MSG_WAITALL), os.urandom(32), b"\xff" * 4
        other.sendall(any_host + mine + seal(seal(bytes(32), secret.encode()), b"agent" + theirs + mine + any_host))
        self.assertEqual(len(other.recv(32, socket.MSG_WAITALL)), 32)
        return other

    def test_a_host_too_many_that_has_offered_nothing_yet_stops_nobody(self):
        first = self.come(ACTOR, "hello")
        self.wait_for_first()
        other = self.prove("0123456789abcdef" * 4)
        self.end(first, self.come(ACTOR, "hello"))
        self.assertEqual((first.code, first.err), (0, ""))
        self.assertIn(b"this host is one host more than the 2 that were expected", other.recv(4096))

    def test_wrong_use(self):
        def refused(text, *words, **more):
            self.assert_failed(Job([LAUNCHER, *words, ACTOR, "hello"], **more).end(), text, 2)

        refused("--meet needs the number of hosts", "--meet", "a:1")
        refused("--meet needs a key", "--meet", "a:1", "--hosts-expected", "2")
        refused("go with --meet", "--key-file", self.key)
        refused("--meet wants a host and a port", "--meet", "a", "--hosts-expected", "2", "--key-file", self.key)
        refused("leave --hosts", "--meet", "a:1", "--hosts-expected", "2", "--key-file", self.key, "--hosts", "a")
        refused("ARMILLA_MAX_RANKS=5 is for the ranks of one host", "--meet", "a:1", "--hosts-expected", "2", "--key-file", self.key,
                env={"ARMILLA_ON_LOSS": "continue", "ARMILLA_MAX_RANKS": "5"})
        for key, text in ((self.write_key("0123456789abcdef", 0o640), "other users may read it.*chmod 600"), (self.write_key("short"), "has 5 characters"),
                          (self.folder.name + "/none", "No such file")):
            refused(text, "--meet", "a:1", "--hosts-expected", "2", "--key-file", key)

    def test_addresses_that_no_host_has(self):
        for place, cause in (("no.such.invalid:29400", "has no address here"), ("127.0.0.1:1", "only root|no host answers|have connected")):
            with self.subTest(place=place):
                job = self.come(ACTOR, "hello", place=place, within=1)
                self.end(job)
                self.assert_failed(job, cause)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
