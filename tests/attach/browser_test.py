#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of armilla-top --serve in headless Chromium: browser_test.py SHOWN TOP CALLER [--fabrics ...].

A server of this test stands between the browser and armilla-top, or in its place: it adds a script to the page that reports what is seen.
docs/guide/armilla-top-page.png, of a job of eight ranks one of which is killed, is drawn by
  browser_test.py SHOWN TOP CALLER --picture docs/guide/armilla-top-page.png build/release/bin/jacobi_goes_on 400 10000000 1000
"""
import contextlib
import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PICTURE = sys.argv[sys.argv.index("--picture") + 1:] if "--picture" in sys.argv else []
if PICTURE:
    sys.argv = sys.argv[:sys.argv.index("--picture")]
from page import Page  # noqa: E402
from shown import PATIENCE, SHOWN, Job  # noqa: E402

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PAGE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "armilla-top" / "page.html"
WATCH = """<script>
setInterval(() => {
  const cells = [...document.querySelectorAll(".cells button")];
  fetch("seen", {method: "POST", body: JSON.stringify({
    states: cells.map(c => c.dataset.state), hosts: document.querySelectorAll(".host").length, title: document.title,
    lost: cells.filter(c => c.dataset.state === "lost").map(c => getComputedStyle(c).backgroundColor),
    back: getComputedStyle(document.body).backgroundColor, note: document.getElementById("note").hidden ? "" : document.getElementById("note").textContent,
    wide: document.documentElement.scrollWidth, window: innerWidth, outline: [...document.querySelectorAll("main section h2")].map(h => h.textContent),
    drawn: (() => { const c = document.getElementById("past"); return c.width ? [...c.getContext("2d").getImageData(c.width - 2, 1, 1, 1).data] : []; })()})});
}, 100);
</script></body>"""


def made_up(ranks, hosts):
    """A snapshot of a job that is too large for a test."""
    states = ["computes", "waits", "waits", "idle"]
    each = [{"rank": r, "state": "lost" if r == 77 else states[r % 4], "process": 1000 + r, "program": "/a/solver", "here": r < ranks // hosts,
             "known": True, "host": "" if r < ranks // hosts else f"node{r * hosts // ranks}", "doing": "busy", "seconds": 1.5, "waits_for": "barrier" if r % 4 in (1, 2) else "",
             "algorithm": "", "memory": 5e6, "segment": 1e6, "messages_a_second": 1000.0 * r, "bytes_a_second": 9000.0 * r, "busy": 0.5} for r in range(ranks)]
    return {"process": 4711, "program": "/a/solver", "threads": False, "seconds": 1, "alive": True, "time": time.time(), "most_by_mean": {"messages": 2, "bytes": 2, "busy": 1},
            "losses": ["rank 77 was killed by signal 9 (SIGKILL)"], "ranks": each, "methods": [],
            "hosts": [{"host": "" if h == 0 else f"node{h}", "ranks": ranks // hosts, "waiting": 3, "lost": 0, "messages_a_second": 1e6, "bytes_a_second": 1e8, "memory": 1e9} for h in range(hosts)],
            "containers": [{"name": "temperature", "type": "float64", "shape": [1_000_000, 1_000], "bytes": 8e9, "most_by_mean": 1.2,
                            "elements": [{"rank": r, "elements": 1000 + r} for r in range(ranks)]}]}


class Between:
    """What the browser connects to. `events` gives the text of an event at a time."""

    def __init__(self, text, events):
        self.seen, self.changed, self.over = {}, threading.Condition(), False
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream" if self.path == "/events" else "text/html; charset=utf-8")
                self.end_headers()
                with contextlib.suppress(OSError):
                    if self.path != "/events":
                        self.wfile.write(text.replace("</body>", WATCH).encode())
                        return
                    for event in events():
                        if outer.over:
                            return
                        self.wfile.write(event)
                        self.wfile.flush()

            def do_POST(self):
                said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with outer.changed:
                    outer.seen = said
                    outer.changed.notify_all()
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}/"

    def close(self):
        self.over = True
        self.server.shutdown()
        self.server.server_close()

    def until(self, good, patience=PATIENCE):
        with self.changed:
            if not self.changed.wait_for(lambda: self.seen and good(self.seen), patience):
                raise AssertionError(f"not seen within {patience} s; the page shows {self.seen}")
            return self.seen


@contextlib.contextmanager
def browser(address, width=1280, *more):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-port=0",
                                    f"--user-data-dir={profile}", f"--window-size={width},900", *more, address],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            yield process
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@unittest.skipUnless(CHROMIUM, "no chromium")
class Browser(unittest.TestCase):
    def test_a_killed_rank_turns_red_within_two_seconds(self):
        job = Job([SHOWN, "compute"], ranks=4, env={"ARMILLA_ON_LOSS": "continue"})
        try:
            job.wait_for_lines(4)
            with Page(self, job.process.pid) as page, page.events() as events:
                victim = page.snapshot()["ranks"][3]["process"]
                between = Between(page.get()[2], events.chunks)
                with browser(between.address):
                    seen = between.until(lambda s: s["states"] == ["computes"] + ["waits"] * 3)
                    self.assertEqual(seen["outline"], ["Ranks", "The last minute", "Containers", "Hosts", "Losses"])
                    self.assertEqual(seen["note"], "")
                    os.kill(victim, signal.SIGKILL)
                    seen = between.until(lambda s: s["states"][3] == "lost", patience=2)
                    self.assertEqual(seen["lost"][0], "rgb(211, 47, 47)")
                    self.assertRegex(between.until(lambda s: s["note"])["note"], "lost")
                between.close()
        finally:
            os.killpg(job.process.pid, signal.SIGKILL)
            job.process.communicate()

    def test_a_thousand_ranks_by_host(self):
        def events():
            while True:
                yield b"event: snapshot\ndata: " + json.dumps(made_up(1024, 16)).encode() + b"\n\n"
                time.sleep(1)

        for width in (1280, 500):  # the least that Chromium's windows have
            with self.subTest(width=width):
                between = Between(PAGE.read_text(encoding="utf-8"), events)
                with browser(between.address, width):
                    seen = between.until(lambda s: len(s["states"]) == 1024)
                    self.assertEqual((seen["hosts"], seen["states"].count("lost"), seen["title"]), (16, 1, "solver: 1024 ranks, 1 lost"))
                    self.assertLessEqual(seen["wide"], seen["window"])
                    self.assertEqual(between.until(lambda s: s["drawn"])["drawn"][3], 255)
                between.close()

    def test_it_is_readable_at_400_pixels_and_in_the_dark(self):
        def events():
            yield b"event: snapshot\ndata: " + json.dumps(made_up(80, 2)).encode() + b"\n\n"
            time.sleep(PATIENCE)

        between = Between(PAGE.read_text(encoding="utf-8"), events)
        with tempfile.TemporaryDirectory() as folder:
            outer = pathlib.Path(folder, "outer.html")
            outer.write_text(f"<!DOCTYPE html><iframe src='{between.address}' style='width:400px;height:800px;border:0'></iframe>", encoding="utf-8")
            with browser(outer.as_uri(), 1280, "--blink-settings=preferredColorScheme=0"):
                seen = between.until(lambda s: len(s["states"]) == 80)
        self.assertEqual(seen["window"], 400)
        self.assertLessEqual(seen["wide"], 400)
        self.assertEqual(seen["back"], "rgb(18, 22, 28)")
        between.close()


def draw(out, *command):
    job = Job(command, ranks=8, env={"ARMILLA_ON_LOSS": "continue"})
    try:
        job.wait_for_lines(1)
        with Page(unittest.TestCase(), job.process.pid) as page:
            time.sleep(40)
            os.kill(page.snapshot()["ranks"][5]["process"], signal.SIGKILL)
            time.sleep(8)
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
                subprocess.run([CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}", "--window-size=1100,1020",
                                "--timeout=4000", f"--screenshot={out}", page.address], check=True, timeout=PATIENCE, stderr=subprocess.DEVNULL)
    finally:
        os.killpg(job.process.pid, signal.SIGKILL)
        job.process.communicate()


if __name__ == "__main__":
    if PICTURE:
        sys.exit(draw(*PICTURE))
    if CHROMIUM is None:
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
