#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs that armilla-run starts, and what their lines of output bear: launcher_test.py ACTOR LAUNCHER [unittest arguments]."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from start_case import ACTOR, FABRICS, LAUNCHER, Job, StartTest


class Launcher(StartTest):
    def test_ranks_of_one_program(self):
        self.assert_hellos(self.launch("-n", "4", ACTOR, "hello"), 4)
        self.assert_hellos(self.launch("-n", "4", "--fabric", "threads", ACTOR, "hello"), 4)
        self.assert_hellos(self.launch("--fabric", "threads", "-np", "4", ACTOR, "hello"), 4)  # as mpirun has it
        self.assert_hellos(self.launch(ACTOR, "hello", ranks=3), 3)

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_two_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            other = os.path.join(folder, "other")
            shutil.copy(ACTOR, other)
            job = self.launch("-n", "1", ACTOR, "programs", ":", "-n", "2", other, "programs", ":", "-n", "1", ACTOR, "programs")
        tail = f"{ACTOR} on 0 3; {other} on 1 2;"
        expected = [f"rank {r} runs {p}; {tail}" for r, p in enumerate([0, 1, 1, 0])]
        self.assertEqual((job.code, job.err, sorted(job.out.splitlines())), (0, "", expected))

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_a_program_of_another_version(self):
        with tempfile.TemporaryDirectory() as folder:
            other = os.path.join(folder, "other")
            with open(other, "w", encoding="utf-8") as script:  # what it writes is the version of the launcher
                script.write(f"#!{sys.executable}\nimport os, struct\n"
                             'os.pwrite(int(os.environ["ARMILLA_INTERNAL_JOB"]), struct.pack("<I", 99), 8)\n'
                             f'os.execv({ACTOR!r}, [{ACTOR!r}, "hello"])\n')
            os.chmod(other, 0o755)
            job = self.launch("-n", "1", other)
        self.assertRegex(job.err, r"rank 0 was built with version \d+ of Armilla's wire, the launcher with version 99; build all")
        self.assertNotEqual(job.code, 0)

    def test_one_rank_has_a_supervisor_too(self):
        self.assert_failed(self.launch("-n", "1", ACTOR, "_exit0"), r"rank 0 .*ended with code 0 before", 1)

    def test_threads_take_one_program(self):
        job = self.launch("--fabric", "threads", "-n", "1", ACTOR, ":", "-n", "1", "sh")
        self.assert_failed(job, "threads runs all ranks in one process, so it takes one program", 2)

    def test_a_program_that_does_not_join(self):
        self.assert_failed(self.launch("-n", "1", ACTOR, "never"), r"rank 0 .*never joined the job; it must call armilla::run", 1)
        self.assert_failed(self.launch("-n", "2", "false"), r"rank [01] \(false.*exited with code 1 and never joined", 1)

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_what_all_ranks_must_share(self):
        others = ["sh", "-c", 'ARMILLA_FENCE=tree exec "$@"', "sh", ACTOR, "hello"]
        job = self.launch("-n", "1", "--env", "ARMILLA_FENCE=flat", ACTOR, "hello", ":", "-n", "2", *others)
        self.assertEqual(sorted(job.out.splitlines()), [f"hello from {r} of 3" for r in range(3)])
        self.assertEqual(len(job.messages()), 1, job.err)
        self.assertRegex(job.messages()[0], r"rank [12] has ARMILLA_FENCE=tree, the job was started with ARMILLA_FENCE=flat: all ranks")

    def test_a_tuned_file_that_is_not_there(self):
        for job in (self.launch("-n", "2", ACTOR, "hello", env={"ARMILLA_TUNED": "/nonexistent/t"}),
                    self.run_job("hello", ranks=2, env={"ARMILLA_TUNED": "/nonexistent/t"})):
            self.assertEqual((job.code, job.out.count("hello")), (0, 2))
            self.assertEqual(len(re.findall("ARMILLA_TUNED=/nonexistent/t is not read, so nothing is tuned: No such file", job.err)), 1, job.err)

    def test_environment_of_a_program(self):
        job = self.launch("-n", "1", "--env", "A=1", "--env", "B=2", "sh", "-c", 'echo "$A$B"')
        self.assertEqual(job.out, "12\n")

    def test_checked_twins_run_in_place_of_all_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            first, second = os.path.join(folder, "first"), os.path.join(folder, "second")
            for program in (first, second):
                shutil.copy(ACTOR, program)
            job = self.launch("--checked", "-n", "2", first, "hello")
            self.assertEqual((job.code, job.out, len(job.messages())), (127, "", 1), job.err)
            self.assertIn(f"there is no program {first}.checked", job.err)
            self.assertIn(f"armilla-c++ --checked -g FILE.cpp -o {first}.checked", job.err)
            for program in (first, second):
                with open(f"{program}.checked", "w", encoding="utf-8") as twin:
                    twin.write('#!/bin/sh\necho "$0 $*"\n')
                os.chmod(f"{program}.checked", 0o755)
            job = self.launch("--checked", "-n", "1", first, "a", ":", "-n", "1", f"{second}.checked", "b")
            self.assertEqual(sorted(job.out.splitlines()), [f"{first}.checked a", f"{second}.checked b"], job.err)

    def test_a_start_that_fails_leaves_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            for environment in ({"ARMILLA_REPLAY": "no_such_order"}, {"ARMILLA_FABRIC": "no_such_fabric"}, {"ARMILLA_RECORD": "/no/such/folder"}):
                job = self.launch("-n", "2", ACTOR, "hello", env={"ARMILLA_TRACE": "trace.json", **environment}, cwd=folder)
                self.assertNotEqual(job.code, 0)
                self.assertEqual(os.listdir(folder), [], job.err)

    def cores_of(self, *words, ranks, pin="auto", **env):
        """The processors of each rank of a job on two of them that runs until the test is over."""
        two = sorted(os.sched_getaffinity(0))[:2]
        job = Job([LAUNCHER, "-n", str(ranks), *words, ACTOR, "hang"], env={"ARMILLA_PIN": pin, **env}, preexec_fn=lambda: os.sched_setaffinity(0, two))
        self.addCleanup(lambda: (job.process.terminate(), job.end()))
        job.wait_for_lines(ranks)
        return [frozenset(os.sched_getaffinity(pid)) for pid in job.children()]

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs two processors")
    def test_jobs_take_no_core_of_another_and_the_last_ones_are_not_bound(self):
        everywhere = frozenset(sorted(os.sched_getaffinity(0))[:2])
        for pin in ("none", "auto"):
            self.assertEqual(self.cores_of(ranks=1, pin=pin), [everywhere])
        self.assertEqual(self.cores_of(ranks=2, OMP_NUM_THREADS="1000"), [everywhere] * 2)
        taken = [cores for _ in range(3) for cores in self.cores_of(ranks=2) if cores != everywhere]
        self.assertEqual(len(taken), len(set(taken)))

    def test_wrong_use(self):
        cases = [
            (["-n", "x", ACTOR], "--ranks", 2),
            (["-n", "0", ACTOR], "--ranks", 2),
            (["-n", "65537", ACTOR], "--ranks: '65537' is no number from 1 to 65536", 2),
            (["-n", "1025", ACTOR], "1025 ranks asked for; a host runs 1 to 1024", 2),
            (["--fabirc", "shm", ACTOR], "unknown option '--fabirc'; did you mean --fabric", 2),
            (["-n", "2"], "a program is missing", 2),
            (["-n", "2", ACTOR, ":"], "a program is missing", 2),
            (["./no/such"], "'./no/such' does not exist", 127),
            (["no-such-program"], "no program 'no-such-program' on PATH", 127),
            (["/etc/passwd"], "cannot be executed", 127),
            (["--pin", "bed", ACTOR], "ARMILLA_PIN=bed", 2),
            (["--hosts", "", ACTOR], "--hosts wants a value that is not empty: LIST", 2),
            (["--rsh", "ssh", ACTOR], "give --hosts", 2),
            (["--rsh", "", "--hosts", "a:1", ACTOR], "--rsh wants a value that is not empty: COMMAND", 2),
            (["--env", "=word", ACTOR], "--env wants NAME=value", 2), (["--env", "no_such_word", ACTOR], "--env no_such_word: this environment has no no_such_word; give a value", 2),
            (["--hostfile", "/nowhere", ACTOR], "--hostfile /nowhere: No such file", 2), (["--hosts", "a", "--hostfile", "b", ACTOR], "--hosts and --hostfile name the same", 2),
        ]
        for arguments, text, code in cases:
            with self.subTest(arguments=arguments):
                job = self.launch(*arguments)
                self.assertEqual((job.code, len(job.messages())), (code, 1), job.err)
                self.assertIn(text, job.err)

    def test_a_file_that_is_no_program(self):
        with tempfile.NamedTemporaryFile("w", suffix=".x") as file:
            file.write("\x7fELF is what it says")
            file.flush()
            os.chmod(file.name, 0o755)
            os.close(os.open(file.name, os.O_RDONLY))
            copy = file.name + ".copy"
            shutil.copy(file.name, copy)
        try:
            self.assert_failed(self.launch("-n", "2", copy), r"rank [01] .*could not be started: Exec format error", 127)
        finally:
            os.unlink(copy)


class Labels(StartTest):
    def test_lines_bear_the_rank(self):
        if "shm" in FABRICS:
            job = self.run_job("hello", ranks=3, env={"ARMILLA_LABEL": "1"})
            self.assertEqual(sorted(job.out.splitlines()), [f"[{r}] hello from {r} of 3" for r in range(3)])
        job = self.run_job("hello", ranks=3, fabric="threads", env={"ARMILLA_LABEL": "1"})
        self.assertEqual(sorted(job.out.splitlines()), [f"[0-2] hello from {r} of 3" for r in range(3)])

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_a_last_line_without_an_end(self):
        job = self.launch("--label", "-n", "2", ACTOR, "partial")
        self.assertEqual(sorted(job.out.splitlines()), ["[0] no end of line", "[1] no end of line"])
        self.assertEqual(sorted(job.err.splitlines()), ["[0] complaint", "[1] complaint"])

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_lines_of_several_ranks_come_whole(self):
        expected = sorted(f"{r}" + 9998 * "x" for r in range(4) for _ in range(50))
        job = self.launch("-n", "4", "--output", "lines", ACTOR, "long_lines", "9")
        self.assertEqual((job.code, job.err), (0, ""))
        self.assertEqual(sorted(job.out.splitlines()), expected)
        job = self.launch("-n", "4", "--output", "raw", ACTOR, "long_lines", "9")
        self.assertEqual(sorted(job.out.replace("\n", "")), sorted("".join(expected)))
        self.assert_failed(self.launch("-n", "2", "--output", "torn", ACTOR), "ARMILLA_OUTPUT=torn is not allowed; give one of raw lines", 2)

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_no_byte_is_added_to_lines(self):
        for how in ("raw", "lines"):
            job = self.launch("-n", "2", "--output", how, ACTOR, "partial")
            self.assertEqual((job.out, job.err), (2 * "no end of line", 2 * "complaint\n"), how)

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_a_two_way_call_of_rank_0_is_seen_before_its_answer(self):
        for how in ("raw", "lines"):
            job = Job([LAUNCHER, "-n", "2", "--output", how, ACTOR, "asks", "0"], stdin=subprocess.PIPE)
            self.assertEqual(job.process.stdout.read(6), "what? ", how)
            self.assertEqual(job.end("this\n").out, "this\n", how)

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_a_job_whose_reader_ends_does_too(self):
        job = Job(["sh", "-c", f"{LAUNCHER} -n 2 --output lines {ACTOR} flood; echo $? >&2"])
        self.assertEqual(job.process.stdout.readline(), "a line\n")
        job.process.stdout.close()
        self.assertRegex(job.process.stderr.read(), r"killed by signal 13 \(SIGPIPE\); the job was stopped\n141\n")
        job.process.wait()

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_a_job_whose_reader_stands_still_can_be_interrupted(self):
        job = Job([LAUNCHER, "-n", "2", "--output", "lines", ACTOR, "flood"])
        self.assertEqual(job.process.stdout.readline(), "a line\n")
        time.sleep(0.3)  # all pipes are full
        job.process.send_signal(signal.SIGINT)
        self.assertEqual(job.process.wait(20), 130)
        self.assertEqual(job.left_behind(), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
