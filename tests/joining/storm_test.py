#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks join and are killed at random moments: storm_test.py PROGRAM COUNT --armilla-run FILE --kind grower|farm [--seed N]."""
import argparse
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import PATIENCE, Job, read_arguments, until_tried  # noqa: E402

LATE = r"(armilla-run: not in it yet: .*\n)?"
ANSWERS = re.compile(LATE + r"armilla-run: job \d+: (ranks? [\d, ]+ (is|are) (in it|not in it: .*)|the job has .*|it .*)\n|armilla: .*attach.*\n")


def words_of(kind, most, ends, dice):
    if kind == "farm":
        return ["150", str(dice.choice((3000, 20000)))]
    return [str(dice.randrange(10**6)), str(int(ends * 1000)), str(most)]


class Storm:
    def __init__(self, chosen, dice):
        self.dice, self.armilla_run, self.program = dice, chosen.armilla_run, chosen.program
        self.ranks, self.on_loss = dice.randint(1, 4), dice.choice(("continue", "replace"))
        self.most = self.ranks + dice.randint(1, 3)
        self.ends = time.monotonic() + dice.choice((0.3, 0.6, 1.0))
        self.words = words_of(chosen.kind, self.most, self.ends, dice)
        self.job = Job([chosen.program, *self.words], ranks=self.ranks,
                       env={"ARMILLA_ON_LOSS": self.on_loss, "ARMILLA_MAX_RANKS": str(self.most)})
        self.asked = []
        self.first = None

    def join(self):
        command = [self.armilla_run, "--join", str(self.job.process.pid), "-n", str(self.dice.choice((1, 1, 2))), self.program]
        self.asked.append(subprocess.Popen([*command, *self.words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
        if self.dice.random() < 0.05:
            time.sleep(self.dice.random() * 0.01)
            self.asked[-1].kill()  # the asker: its request is taken back

    def kill(self):
        self.first = self.first or min(self.job.children(), default=None)
        others = [pid for pid in self.job.children() if pid != self.first]
        for victim in self.dice.sample(others, min(self.dice.choice((1, 1, 2)), len(others))):
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def run(self):
        time.sleep(0.05)
        while time.monotonic() < self.ends - 0.1 and self.job.process.poll() is None:
            time.sleep(self.dice.random() * self.dice.choice((0.002, 0.02, 0.1)))
            self.dice.choice((self.join, self.join, self.kill))()
        self.job.end()
        answers = [one.communicate(timeout=PATIENCE)[0] for one in self.asked]
        strange = [text for one, text in zip(self.asked, answers) if one.returncode != -signal.SIGKILL and not ANSWERS.fullmatch(text)]
        early = self.job.code == 137 and "the job was stopped" in self.job.err  # a rank that dies before all have started ends the job
        good = early or (self.job.code == 0 and "WRONG" not in self.job.out)
        if good and not strange and not self.job.left_behind():
            return True
        print(f"{self.on_loss}, {self.ranks} ranks of {self.most}: code {self.job.code}, left behind: {self.job.left_behind()}, "
              f"answers {answers}\n--- output\n{self.job.out}--- errors\n{self.job.err}---", flush=True)
        return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--armilla-run", required=True)
    parser.add_argument("--kind", choices=("grower", "farm"), required=True)
    chosen, dice = read_arguments(parser)
    failed = joined = lost = 0
    for job in until_tried(chosen.count, lambda: joined and lost):
        storm = Storm(chosen, dice)
        failed += not storm.run()
        joined += storm.job.err.count(" has joined (")
        lost += storm.job.err.count(" was killed by signal 9")
    print(f"{job + 1} jobs, {failed} wrong; {joined} ranks joined, {lost} were lost")
    return failed != 0 or joined == 0 or lost == 0


sys.exit(main())
