#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/install-packages waits while another program holds apt's locks, says for what, and gives up in the end."""
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# An apt-get that cannot get its lock until it was called as often as `free_after` says. Root is what says so.
FAKES = {
    "id": "#!/bin/sh\necho 0\n",
    "dpkg-query": "#!/bin/sh\necho not-installed\n",
    "apt-get": """#!/bin/sh
echo "$*" >>"$FOLDER/calls"
if [ $(wc -l <"$FOLDER/calls") -le $(cat "$FOLDER/free_after") ]; then
  echo "E: $(cat "$FOLDER/says")"
  exit 100
fi
""",
}
HELD = "Could not get lock /var/lib/apt/lists/lock. It is held by process 4711 (unattended-upgr)"


class InstallPackages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in FAKES.items():
            (self.root / name).write_text(text, encoding="utf-8")
            (self.root / name).chmod(0o755)

    def install(self, free_after, says=HELD, wait="60"):
        (self.root / "free_after").write_text(str(free_after), encoding="utf-8")
        (self.root / "says").write_text(says, encoding="utf-8")
        environment = dict(os.environ, PATH=f"{self.root}:{os.environ['PATH']}", FOLDER=str(self.root), ARMILLA_APT_WAIT=wait)
        return subprocess.run([ROOT / "tools" / "install-packages", "test"], env=environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)

    def test_waits_for_a_lock_and_says_for_which(self):
        run = self.install(2)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("waiting up to 60 s: " + HELD, run.stdout)
        calls = (self.root / "calls").read_text(encoding="utf-8").splitlines()
        self.assertEqual([c.split()[-1] for c in calls], ["update"] * 3 + ["libgtest-dev"])

    def test_gives_up_in_the_end(self):
        run = self.install(1000, wait="1")
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("gave up after 1 s: " + HELD, run.stdout)

    def test_what_is_no_lock_fails_at_once(self):
        run = self.install(1000, says="Unable to locate package libgtest-dev")
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("failed", run.stdout)
        self.assertNotIn("waiting", run.stdout)


if __name__ == "__main__":
    unittest.main()
