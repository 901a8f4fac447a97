#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""armilla-top --serve, as an HTTP client sees it: page_test.py SHOWN TOP CALLER [--fabrics FABRIC...]."""
import contextlib
import json
import os
import re
import signal
import sys
import tempfile
import time
import unittest

from page import Events, Page
from shown import FABRICS, PATIENCE, SHOWN, TOP, Job, Shown, client


def states(snapshot):
    return [r["state"] for r in snapshot["ranks"]]


def used(pid):
    """Seconds of processor time of all threads."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class ServedPage(unittest.TestCase):
    def test_ranks_are_shown(self):
        for fabric in FABRICS:
            with self.subTest(fabric), Shown(self, ranks=3, fabric=fabric) as job, Page(self, job.pid) as page:
                seen = page.snapshot(lambda s: states(s) == ["computes", "waits", "waits"])
                self.assertEqual((seen["program"], seen["process"], seen["alive"]), (SHOWN, job.process.pid, True))
                self.assertEqual([r["waits_for"] for r in seen["ranks"]], ["", "barrier", "barrier"])
                self.assertEqual([(h["host"], h["ranks"], h["waiting"]) for h in seen["hosts"]], [("", 3, 2)])
                status, headers, text = page.get()
                self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
                self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
                self.assertEqual(re.findall(r"(?:src|href)=\"(?!data:|trace\")[^\"]*\"", text), [])  # nothing from elsewhere

    def test_the_terminal_and_the_page_show_the_same(self):
        with Shown(self, scene="serve") as job, Page(self, job.pid) as page:
            shown = page.snapshot(lambda s: s["containers"])
            once = job.look()
            self.assertEqual(set(once), set(shown))
            self.assertEqual(set(once["ranks"][0]) - set(shown["ranks"][0]), {"counters"})
            self.assertEqual([(c["name"], c["shape"]) for c in shown["containers"]], [("numbers", [200_000]), ("squares", [1000])])
            numbers, squares = shown["containers"]
            self.assertEqual((numbers["bytes"], numbers["most_by_mean"], numbers["type"]), (1_600_000, 1, "float64"))
            self.assertEqual(sum(part["elements"] for part in squares["elements"]), 1000)
            table = client(TOP, "--once", "--containers", "--interval", "10", job.pid).stdout.splitlines()
            self.assertRegex(table[2], r"^ +200k +1600k +2  1\.00  numbers of float64$")

    def test_containers_that_are_not_exposed_are_named(self):
        with Shown(self, scene="doze") as job, Page(self, job.pid) as page:
            self.assertNotIn("objects", page.snapshot(lambda s: s["ranks"]))
            page.get("ask/objects")
            shown = page.snapshot(lambda s: len(s.get("objects", [])) == 2 and all(len(c["elements"]) == 2 for c in s["objects"]))
            ages, temperature = sorted(shown["objects"], key=lambda c: c["name"])
            self.assertEqual((temperature["name"], temperature["type"], temperature["bytes"], temperature["most_by_mean"]),
                             ("temperature", "am::vector<double>", 8000, 1))
            self.assertRegex(temperature["place"], r"^shown\.cpp:\d+$")
            self.assertEqual(sum(part["elements"] for part in ages["elements"]), 1)
            table = client(TOP, "--once", "--containers", "--interval", "300", job.pid).stdout
            self.assertRegex(table, r'(?m)^ +1000 +8000 +2  1\.00  "temperature" \(am::vector<double>, shown\.cpp:\d+\)$')

    def test_a_killed_rank_is_lost_within_two_seconds(self):
        job = Job([SHOWN, "compute"], ranks=3, env={"ARMILLA_ON_LOSS": "continue"})
        try:
            job.wait_for_lines(3)
            with Page(self, job.process.pid) as page, page.events() as events:
                victim = events.until()["ranks"][2]["process"]
                os.kill(victim, signal.SIGKILL)
                killed = time.monotonic()
                seen = events.until(lambda s: states(s)[2] == "lost")
                self.assertLess(time.monotonic() - killed, 2)
                self.assertEqual(states(seen)[0], "computes")
                self.assertIn("signal 9", events.until(lambda s: s["losses"])["losses"][0])
        finally:
            os.killpg(job.process.pid, signal.SIGKILL)
            job.process.communicate()

    def test_it_ends_with_the_job_and_the_last_page(self):
        with contextlib.ExitStack() as stack:
            with Shown(self) as job:
                page = Page(self, job.pid, "--interval", "50")
                events = stack.enter_context(page.events())
                events.until()
            self.assertFalse(events.until(lambda s: not s["alive"])["alive"])
            self.assertEqual(page.get("trace")[0], 200)
            self.assertEqual(page.process.poll(), None)
        out, _ = page.process.communicate(timeout=PATIENCE)
        self.assertEqual((page.process.returncode, out), (0, "The job has ended. The page is served until it is closed.\n"))

    def test_without_the_token_nothing_is_read(self):
        with Shown(self, scene="doze") as job, Page(self, job.pid) as page:
            self.assertRegex(page.root, r"^/[0-9a-f]{32}/$")
            wrong = f"/{'0' * 32}/"
            for root in ("/", wrong, page.root[:-2] + "/", page.root.upper(), "//" + page.root, "/favicon.ico"):
                for path in ("", "events", "trace", "ask/waits"):
                    status, _, text = page.get(path, root=root)
                    self.assertEqual(status, 403, root + path)
                    self.assertNotIn(os.path.basename(SHOWN) + " ", text)
            for method in ("POST", "PUT", "DELETE", "OPTIONS"):
                self.assertEqual(page.get(method=method)[0], 405)
                self.assertEqual(page.get(method=method, root=wrong)[0], 403)
            self.assertEqual(page.get("nothing")[0], 404)

    def test_another_site_cannot_read_it(self):
        with Shown(self, scene="doze") as job, Page(self, job.pid) as page:
            for host in ("evil.example", f"evil.example:{page.port}", "127.0.0.1.evil.example", "", "10.0.0.1"):
                self.assertEqual(page.get(headers={"Host": host})[0], 403, host)
            for host in ("localhost", "localhost:8000", "127.0.0.1", "[::1]:80"):  # as through ssh -L
                self.assertEqual(page.get(headers={"Host": host})[0], 200, host)
            own = f"http://{page.host}:{page.port}"
            for origin, status in ((own, 200), ("http://evil.example", 403), ("null", 403), (own + "0", 403), ("https" + own[4:], 403)):
                self.assertEqual(page.get(headers={"Origin": origin})[0], status, origin)

    def test_other_hosts_are_let_in_with_a_warning_only(self):
        with Shown(self, scene="doze") as job:
            with Page(self, job.pid, "--bind", "0.0.0.0") as page:
                page.host = "127.0.0.1"
                self.assertEqual(page.get(headers={"Host": f"10.0.0.1:{page.port}"})[0], 200)
                self.assertEqual(page.get(headers={"Host": "evil.example"})[0], 403)
            self.assertIn("warning: with --bind 0.0.0.0, other hosts reach this page", page.err)
            with Page(self, job.pid) as page:
                pass
            self.assertEqual(page.err, "")

    def test_a_port_that_is_taken_is_an_error(self):
        with Shown(self, scene="doze") as job, Page(self, job.pid) as page:
            again = client(TOP, job.pid, "--serve", str(page.port))
            self.assertEqual((again.returncode, again.stdout), (1, ""))
            self.assertRegex(again.stderr, f"^armilla-top: .*port {page.port} of 127.0.0.1 cannot be had")
            self.assertEqual(client(TOP, "--serve", "--once", job.pid).returncode, 2)
            self.assertRegex(client(TOP, "--serve", job.pid).stderr, f"--serve {job.pid} is a port; .*: armilla-top {job.pid} --serve ")
            self.assertEqual(client(TOP, "--bind", "::", job.pid).returncode, 2)

    def test_bad_requests_end_and_others_are_served(self):
        with Shown(self, scene="doze") as job, Page(self, job.pid) as page:
            for bad in (b"\r\n\r\n", b"GET\r\n\r\n", b"\0" * 1000 + b"\r\n\r\n", b"GET " + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n", b"x" * 1_000_000,
                        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 100_000, b"GET / HTTP/1.1\r\nContent-Length: 9999999999\r\n\r\n",
                        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n", b"GET / HTTP/9.9\r\n\r\n"):
                with page.connect() as one:
                    with contextlib.suppress(OSError):
                        one.sendall(bad)
                    answer = b""
                    with contextlib.suppress(OSError):
                        while more := one.recv(4096):
                            answer += more
                    self.assertNotIn(b" 200 ", answer, bad[:40])
            with page.connect() as slow:  # one that never ends its request
                slow.sendall(b"GET / HTTP/1.1\r\n")
                begin = time.monotonic()
                with contextlib.suppress(OSError):
                    for _ in range(100):
                        slow.sendall(b"a: b\r\n")
                        time.sleep(0.1)
                self.assertLess(time.monotonic() - begin, 8)
            self.assertEqual(page.get()[0], 200)

    def test_a_slow_reader_is_left_behind(self):
        with Shown(self, scene="doze", ranks=4) as job, Page(self, job.pid, "--interval", "10") as page:
            with contextlib.closing(Events(page, buffer=4096)) as slow, page.events() as other:
                slow.head()  # and no more
                begin = time.monotonic()
                seen = 0
                while time.monotonic() - begin < 9:
                    other.until()
                    seen += 1
                self.assertGreater(seen, 100)
                with contextlib.suppress(OSError):  # it was closed
                    slow.socket.settimeout(PATIENCE)
                    while slow.socket.recv(1 << 16):
                        pass

    def test_a_flood_of_connections_is_bounded(self):
        with Shown(self, scene="doze") as job, Page(self, job.pid, "--interval", "50") as page, page.events() as events:
            events.until()
            flood = []
            try:
                for _ in range(200):
                    flood.append(page.connect())
                last = [events.until()["time"] for _ in range(20)]
                self.assertLess(max(b - a for a, b in zip(last, last[1:])), 1)
                self.assertLess(len(os.listdir(f"/proc/{page.process.pid}/task")), 50)
            finally:
                for one in flood:
                    one.close()
            self.assertEqual(page.get()[0], 200)

    def test_many_pages_share_one_sampler(self):
        with Shown(self, scene="doze", ranks=3) as job, Page(self, job.pid, "--interval", "100") as page:
            pages = [page.events() for _ in range(20)]
            try:
                times = [{event.until()["time"] for _ in range(5)} for event in pages[:1]][0]
                begin, before = time.monotonic(), used(page.process.pid)
                for event in pages:
                    mine = [event.until()["time"] for _ in range(10)]
                    self.assertEqual(mine, sorted(set(mine)))
                    times |= set(mine)
                self.assertLess((used(page.process.pid) - before) / max(time.monotonic() - begin, 1), 0.5)
                self.assertLess(len(times), 300)
                refused = [page.events() for _ in range(15)]
                self.assertEqual(sum(" 503 " in each.head()[0] for each in refused), 3)  # 32 pages at most
                for each in refused:
                    each.close()
            finally:
                for event in pages:
                    event.close()

    def test_the_job_is_not_disturbed(self):
        """What waits stays asleep, whatever the page does."""
        with Shown(self, ranks=3) as job, Page(self, job.pid) as page, contextlib.ExitStack() as stack:
            events = [stack.enter_context(page.events()) for _ in range(20)]
            waiting = [r["process"] for r in events[0].until(lambda s: states(s) == ["computes", "waits", "waits"])["ranks"][1:]]
            before = sum(map(used, waiting + [job.process.pid]))
            time.sleep(3)
            self.assertLess(sum(map(used, waiting + [job.process.pid])) - before, 0.06)

    def test_ranks_answer_while_a_page_asks(self):
        with Shown(self, scene="mix") as job, Page(self, job.pid, "--interval", "100") as page, page.events() as events:
            self.assertNotIn("waits", events.until())
            for what in ("waits", "methods", "traffic"):
                self.assertEqual(page.get("ask/" + what)[0], 204)
            seen = events.until(lambda s: s.get("methods") and s.get("traffic") and any(map(any, s["traffic"]["bytes_a_second"])))
            self.assertTrue(any(m["name"].startswith("async count(") for m in seen["methods"]), seen["methods"])
            traffic = seen["traffic"]
            self.assertEqual((traffic["by"], traffic["names"], traffic["unheard"]), ("rank", ["0", "1"], 0))
            self.assertGreater(traffic["bytes"][0][1], 0)
            self.assertGreater(traffic["bytes"][1][0], 0)
            self.assertRegex(seen["waits"], r"^rank 0 \(")
            self.assertEqual(page.get("ask/passwords")[0], 404)

    def test_the_last_minute_as_a_trace(self):
        with Shown(self, ranks=3) as job, Page(self, job.pid, "--interval", "50") as page, page.events() as events:
            for _ in range(5):
                events.until()
            with page.events() as late:
                name, past = next(late.all)
                self.assertEqual(name, "past")
                self.assertGreaterEqual(len(past["samples"]), 5)
                self.assertRegex(past["samples"][-1]["states"], r"^cww$")
            status, headers, text = page.get("trace")
            self.assertEqual((status, headers["Content-Disposition"]), (200, 'attachment; filename="armilla-trace.json"'))
            slices = {(e["pid"], e["name"]) for e in json.loads(text)["traceEvents"] if e["ph"] == "X"}
            self.assertTrue({(1, "computes"), (2, "waits"), (3, "waits")} <= slices, slices)

    def test_a_job_that_traces_gives_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            job = Job([SHOWN, "mix"], ranks=2, env={"ARMILLA_TRACE": os.path.join(folder, "run.json"), "ARMILLA_TRACE_EVENTS": "4K"})
            try:
                job.wait_for_lines(2)
                with Page(self, job.process.pid) as page:
                    for _ in range(3):
                        trace = json.loads(page.get("trace")[2])
                        names = {e.get("name") for e in trace["traceEvents"]}
                        self.assertTrue({"async count(int)", "rank 0", "rank 1", "main"} & names >= {"async count(int)", "main"}, names)
                        at = [e["ts"] for e in trace["traceEvents"] if e["ph"] == "B"]
                        self.assertLess(max(at) - min(at), 10e6)
                job.process.send_signal(signal.SIGUSR2)
                job.end()
                self.assertEqual(job.code, 0, job.err)
                self.assertTrue(os.path.getsize(os.path.join(folder, "run.json")) > 1000)
            finally:
                job.process.kill()
                job.process.communicate()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
