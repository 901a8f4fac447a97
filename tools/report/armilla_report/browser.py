# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, spoken to over two pipes in its DevTools protocol: no port, no package."""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

from . import store

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Browser:
    """One page of a browser that is shut at the end of `with`."""

    def __init__(self, seconds=60):
        self.program = next((found for name in NAMES if (found := shutil.which(name))), None)
        if self.program is None:
            raise store.ReportError("no browser here: tools/install-packages report installs chromium")
        self.seconds, self.number, self.rest, self.session = seconds, 0, b"", None

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory()
        its_in, self.to = os.pipe()
        self.come, its_out = os.pipe()

        def pipes():  # the protocol's numbers; the other ends may have them by chance, so they are moved away first
            spare = [os.dup(its_in), os.dup(its_out)]
            while min(spare) < 5:
                spare = [os.dup(end) for end in spare]
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)

        words = [self.program, "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--hide-scrollbars",
                 f"--user-data-dir={self.profile.name}", *(["--no-sandbox"] if os.geteuid() == 0 else []), "about:blank"]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        preexec_fn=pipes, close_fds=False)
        os.close(its_in)
        os.close(its_out)
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.do("Page.enable")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.come)
        try:
            self.profile.cleanup()
        except OSError:  # a child of the browser still writes there
            pass

    def message(self, until):
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.come], [], [], max(0, until - time.monotonic()))
            part = os.read(self.come, 1 << 20) if ready else b""
            if not part:
                raise store.ReportError(f"{self.program} " + ("ended early" if ready else f"gave no answer in {self.seconds} s"))
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def do(self, method, **parameters):
        """A command's result."""
        self.number += 1
        whole = {"id": self.number, "method": method, "params": parameters} | ({"sessionId": self.session} if self.session else {})
        data = json.dumps(whole).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        until = time.monotonic() + self.seconds
        while (answer := self.message(until)).get("id") != self.number:
            pass
        if "error" in answer:
            raise store.ReportError(f"{self.program}: {method}: {answer['error'].get('message')}")
        return answer["result"]

    def ask(self, script):
        """The value of an expression in the page."""
        answer = self.do("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise store.ReportError(f"in the page: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def show(self, path, width, height, dark):
        """Opens a file as a screen of this size shows it."""
        self.do("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.do("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.do("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        self.ask("new Promise(done => { const look = () => document.readyState == 'complete' && location.href != 'about:blank' ? "
                 "requestAnimationFrame(() => requestAnimationFrame(done)) : setTimeout(look, 20); look(); }).then(() => true)")

    def picture(self, top, width, height):
        clip = {"x": 0, "y": top, "width": width, "height": height, "scale": 1}
        return base64.b64decode(self.do("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"])
