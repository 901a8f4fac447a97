#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""armilla-run --hosts, with a command in the place of ssh that stays on this machine: agents_test.py ACTOR LAUNCHER."""
import collections
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import PATIENCE, FailedJobs, Job  # noqa: E402

ACTOR, LAUNCHER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
HOSTS = "localhost:2,127.0.0.2:2"


class Agents(FailedJobs, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.rsh = cls.script('shift; exec "$@"')

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def script(cls, text):
        path = os.path.join(cls.folder.name, f"rsh{len(os.listdir(cls.folder.name))}")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text + "\n")
        os.chmod(path, 0o755)
        return path

    def begin(self, *arguments, hosts=HOSTS, rsh=None, **more):
        return Job([LAUNCHER, "--hosts", hosts, "--rsh", rsh or self.rsh, *arguments], fabric=more.pop("fabric", "auto"), **more)

    def end(self, job):
        job.end()
        self.assert_gone(job)
        return job

    def launch(self, *arguments, **more):
        return self.end(self.begin(*arguments, **more))

    def assert_gone(self, job):
        until = time.monotonic() + 2
        while job.left_behind() and time.monotonic() < until:
            time.sleep(0.01)
        self.assertEqual(job.left_behind(), [])

    def assert_hellos(self, job, ranks):
        self.assertEqual((job.code, job.err), (0, ""))
        self.assertEqual(sorted(job.out.splitlines()), sorted(f"hello from {r} of {ranks}" for r in range(ranks)))

    def test_every_rank_runs_the_function(self):
        self.assert_hellos(self.launch(ACTOR, "hello"), 4)
        self.assert_hellos(self.launch("-n", "3", ACTOR, "hello"), 3)
        self.assert_hellos(self.launch(ACTOR, "hello", hosts="localhost"), 1)
        self.assert_hellos(self.launch("-n", "1", ACTOR, "hello", ":", "-n", "3", ACTOR, "session"), 4)

    def test_lines_bear_the_rank(self):
        job = self.launch("--label", ACTOR, "hello")
        self.assertEqual(sorted(job.out.splitlines()), [f"[{r}] hello from {r} of 4" for r in range(4)])

    def test_failures_are_told_once_with_rank_host_program_and_cause(self):
        for scene, cause, code in [
            ("throw", "ended by an exception: std::runtime_error: the sky falls", 1),
            ("code", "exited with code 7", 7),
            ("exit0", r"ended with code 0 before its run\(\) ended", 1),
            ("_exit0", r"ended with code 0 before its run\(\) ended", 1),
            ("exit3", r"ended with code 3 before its run\(\) ended", 3),
            ("kill", r"was killed by signal 9 \(SIGKILL\)", 137),
            ("segv", r"was killed by signal 11 \(SIGSEGV\)", 139),
            ("child", "ended by an exception: std::runtime_error: and leave a child", 1),
        ]:
            for star, host in ((0, "localhost"), (3, "127.0.0.2")):
                with self.subTest(scene=scene, star=star):
                    self.assert_failed(self.launch(ACTOR, scene, str(star)), rf"^armilla: rank {star} on {host} \(.*actor, pid \d+\) {cause}", code)
        self.assert_failed(self.launch(ACTOR, "never"), r"rank \d on .* never joined the job")

    def test_wrong_use(self):
        self.assert_failed(self.launch("-n", "9", ACTOR, "hello"), "9 ranks do not fit on the hosts, which take 4", 2)
        self.assert_failed(self.launch(ACTOR, "hello", hosts="a:x"), "--hosts wants names", 2)
        self.assert_failed(self.launch(ACTOR, "hello", hosts="-oProxyCommand=x"), "--hosts wants names", 2)
        self.assert_failed(self.launch(ACTOR, "hello", env={"ARMILLA_RNIG": "1"}), "ARMILLA_RNIG.*ARMILLA_RING", 2)
        self.assert_failed(self.launch(ACTOR, "hello", rsh="false"), "ended before the agent called .code 1.")
        self.assert_failed(self.launch(ACTOR, "hello", rsh="/no/such"), "'/no/such' could not start .*armilla-run on")

    def test_a_host_without_ipv4_is_told_so(self):
        alone = ["unshare", "--map-root-user", "--net"]
        if subprocess.run([*alone, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("no network namespace can be made")
        job = Job([*alone, LAUNCHER, "--hosts", "no.such.invalid", "--rsh", "false", ACTOR, "hello"], fabric="auto")
        self.assert_failed(self.end(job), "This host has no address of IPv4, over which agents call; IPv6 is not used")

    def test_of_many_hosts_some_agents_send_exchanges_on(self):
        job = self.hanging(hosts=",".join(f"127.0.1.{i}:1" for i in range(1, 13)))
        agents = self.agents_of(job)
        self.assertEqual(sorted(map(connections, agents)), [1] * 7 + [2] * 4 + [5])
        job.process.send_signal(signal.SIGINT)
        self.end(job)

    def test_few_shells_start_at_once(self):
        begun, go = (os.path.join(self.folder.name, name) for name in ("begun", "go"))
        rsh = self.script(f'shift; echo >>{begun}; while [ ! -e {go} ]; do sleep 0.02; done; exec "$@"')

        def count_until(wanted):
            until, count = time.monotonic() + 20, 0
            while count < wanted and time.monotonic() < until:
                time.sleep(0.02)
                if os.path.exists(begun):
                    with open(begun, encoding="utf-8") as file:
                        count = len(file.readlines())
            return count

        job = self.begin("-n", "36", "/bin/true", hosts=",".join(f"127.0.1.{i}:1" for i in range(1, 37)), rsh=rsh)
        self.assertEqual(count_until(32), 32)
        time.sleep(0.3)
        self.assertEqual(count_until(1), 32)
        with open(go, "w", encoding="utf-8"):
            pass
        self.assertEqual(count_until(36), 36)
        self.end(job)

    def hanging(self, **more):
        job = self.begin(ACTOR, "hang", **more)
        job.wait_for_lines(4)
        return job

    def agents_of(self, job):
        found = []
        for pid in job.left_behind():
            with open(f"/proc/{pid}/cmdline", encoding="utf-8") as words:
                if "--agent" in words.read().split("\0"):
                    found.append(pid)
        return found

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            job = self.hanging()
            job.process.send_signal(number)
            self.assert_failed(self.end(job), rf"interrupted by signal {int(number)}", 128 + number)

    def test_death_of_an_agent(self):
        job = self.hanging()
        os.kill(self.agents_of(job)[0], signal.SIGKILL)
        self.assert_failed(self.end(job), "the agent on .* ended, and with it ranks", 1)

    def test_death_of_armilla_run(self):
        job = self.hanging()
        job.process.kill()
        self.assert_gone(job)
        job.end()

    def test_the_key_is_in_no_command_line_and_no_environment(self):
        keys = os.path.join(self.folder.name, "call")
        job = self.hanging(rsh=self.script(f'shift; read call; echo "$call" >> {keys}; echo "$call" | "$@"'))
        with open(keys, encoding="utf-8") as file:
            key = file.readline().split()[0].encode()
        self.assertEqual(len(key), 64)
        for pid in job.left_behind():
            for name in ("cmdline", "environ"):
                with open(f"/proc/{pid}/{name}", "rb") as file:
                    self.assertNotIn(key, file.read())
        job.process.terminate()
        self.end(job)

    def test_strangers_are_refused_and_the_job_is_unharmed(self):
        calls = os.path.join(self.folder.name, "calls")
        slow = self.script(f'host=$1; shift; read call; echo "$call" >> {calls}; sleep 1; echo "$call" | "$@"')
        job = self.begin(ACTOR, "hello", rsh=slow)
        until = time.monotonic() + PATIENCE
        while (not os.path.exists(calls) or os.path.getsize(calls) == 0) and time.monotonic() < until:
            time.sleep(0.01)
        with open(calls, encoding="utf-8") as file:
            port = int(file.readline().split()[3])
        for said in (b"", b"GET / HTTP/1.0\r\n\r\n", bytes(68), os.urandom(68), os.urandom(5000)):
            with socket.create_connection(("127.0.0.1", port), timeout=10) as stranger:
                stranger.sendall(said)
                if len(said) >= 68:  # it has heard enough: its number came, and nothing else will
                    try:
                        while stranger.recv(4096):
                            pass
                    except ConnectionResetError:
                        pass
        silent = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(40)]
        self.assert_hellos(self.end(job), 4)
        for one in silent:
            one.close()

    def test_a_dropped_call_is_made_again(self):
        with socket.create_server(("127.0.0.1", 0)) as door:
            calls = os.path.join(self.folder.name, "dropped")
            through = f'shift; read key host number port rest; echo "$port" >> {calls}; echo "$key $host $number {door.getsockname()[1]} $rest" | "$@"'
            job = self.begin(ACTOR, "hello", hosts="localhost:2", rsh=self.script(through))
            for _ in range(3):  # as where strangers flood the port
                door.accept()[0].close()
            agent = door.accept()[0]
            with open(calls, encoding="utf-8") as file, socket.create_connection(("127.0.0.1", int(file.readline()))) as root:
                ways = [threading.Thread(target=relay, args=pair) for pair in ((agent, root), (root, agent))]
                for way in ways:
                    way.start()
                self.assert_hellos(self.end(job), 2)
                for way in ways:
                    way.join()
                agent.close()

    def test_a_flood_of_strangers_does_not_keep_a_job_from_starting(self):
        calls = os.path.join(self.folder.name, "flooded")
        job = self.begin(ACTOR, "hello", rsh=self.script(f'shift; read call; echo "$call" >> {calls}; sleep 0.5; echo "$call" | "$@"'))
        until = time.monotonic() + PATIENCE
        while (not os.path.exists(calls) or os.path.getsize(calls) == 0) and time.monotonic() < until:
            time.sleep(0.01)
        with open(calls, encoding="utf-8") as file:
            port = int(file.readline().split()[3])
        flood = threading.Thread(target=flood_port, args=(port, 600))
        flood.start()
        self.assert_hellos(self.end(job), 4)
        flood.join()


def connections(pid):
    """Of TCP, of a process."""
    with open("/proc/net/tcp", encoding="utf-8") as file:
        established = {line.split()[9] for line in file if line.split()[3] == "01"}
    count = 0
    for number in os.listdir(f"/proc/{pid}/fd"):
        try:
            found = os.readlink(f"/proc/{pid}/fd/{number}")
            count += found.startswith("socket:[") and found[8:-1] in established
        except OSError:
            pass
    return count


def relay(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def flood_port(port, most):
    """Calls and stays silent, as often as it can, until the port closes."""
    held = collections.deque(maxlen=most)
    while True:
        one = socket.socket()
        one.settimeout(5)
        try:
            one.connect(("127.0.0.1", port))
        except ConnectionRefusedError:
            return
        except OSError:
            continue
        held.append(one)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
