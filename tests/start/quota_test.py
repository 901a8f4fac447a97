#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs in a group with a quota of processor time, as a container sees it: its own group at the root. Where the machine lets one
make such a group."""
import contextlib
import os
import pathlib
import subprocess
import sys
import time
import unittest

from start_case import ACTOR, FABRICS, LAUNCHER, StartTest

V1 = pathlib.Path("/sys/fs/cgroup/cpu")
V2 = pathlib.Path("/sys/fs/cgroup")
PERIOD = 100_000  # us


@contextlib.contextmanager
def group(processors):
    """A group that may use so many processors: the words that start a program in it. None where there can be no group."""
    second = (V2 / "cgroup.controllers").exists()
    place = (V2 if second else V1) / f"armilla-{os.getpid()}"
    mounts = ["mount -t cgroup2 none /sys/fs/cgroup"] if second else ["umount /sys/fs/cgroup/cpu", "mount -t cgroup -o cpu none /sys/fs/cgroup/cpu"]
    made = False
    try:
        if second:
            (V2 / "cgroup.subtree_control").write_text("+cpu")
        place.mkdir()
        made = True
        if second:
            (place / "cpu.max").write_text(f"{int(processors * PERIOD)} {PERIOD}")
        else:
            (place / "cpu.cfs_period_us").write_text(str(PERIOD))
            (place / "cpu.cfs_quota_us").write_text(str(int(processors * PERIOD)))
        inside = " && ".join([f"echo $$ > {place / 'cgroup.procs'}", f"exec unshare -m -C sh -c '{' && '.join(mounts)} && exec \"$@\"' sh \"$@\""])
        words = ["sh", "-c", inside, "sh"]
        yield words if subprocess.run([*words, "true"], capture_output=True).returncode == 0 else None
    except OSError:
        yield None
    finally:
        if made:
            while subprocess.run(["rmdir", place], capture_output=True).returncode != 0:  # until the last process has gone
                time.sleep(0.01)


class Quota(StartTest):
    def under(self, processors, *program, **env):
        with group(processors) as words:
            if words is None:
                self.skipTest("no group with a quota can be made here")
            done = subprocess.run([*words, *program], capture_output=True, text=True, timeout=60, env={**os.environ, **env})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return done.stdout

    def test_ranks_call_each_other_with_less_time_than_cores(self):
        for fabric in FABRICS:
            for processors, ranks in ((1.5, 2), (1.5, 4), (0.5, 2)):
                with self.subTest(fabric=fabric, processors=processors, ranks=ranks):
                    out = self.under(processors, ACTOR, "calls", ARMILLA_RANKS=str(ranks), ARMILLA_FABRIC=fabric)
                    self.assertEqual(sorted(out.splitlines()), [f"hello from {r} of {ranks}" for r in range(ranks)])

    def test_a_quota_counts_in_processors(self):
        for quota, processors in ((0.5, 1), (1, 1)):
            with self.subTest(quota=quota):
                self.assertRegex(self.under(quota, os.path.join(os.path.dirname(LAUNCHER), "armilla-info"), ARMILLA_RANKS="2"), rf"processors +{processors} on")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
