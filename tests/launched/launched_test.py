#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs that mpirun starts: launched_test.py openmpi|mpich ACTOR BACKENDS [unittest arguments]. Ends with 77 where there is no such
mpirun, or no backend that can join its jobs."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import PATIENCE, FailedJobs, Job  # noqa: E402

KIND, ACTOR, BACKENDS = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3]
SKIPPED = 77
SIGNS = {"openmpi": "Open MPI", "mpich": "HYDRA"}
JOINED_BY = {"openmpi": ["pmix", "mpi-openmpi"], "mpich": ["mpi-mpich"]}


def find_launcher():
    for name in ["mpirun." + KIND, "mpiexec.hydra", "mpirun"]:
        path = shutil.which(name)
        if path is None:
            continue
        version = subprocess.run([path, "--version"], capture_output=True, text=True, check=False, timeout=PATIENCE)
        if SIGNS[KIND] in version.stdout + version.stderr:
            return path
    return None


LAUNCHER = find_launcher()
MORE = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"] if KIND == "openmpi" else []


def starts_two_programs():
    """Open MPI 5.0 of Debian 13 does not: its launcher is killed by SIGSEGV, whatever the programs are."""
    return subprocess.run([LAUNCHER, *MORE, "-n", "1", "true", ":", "-n", "2", "true"], capture_output=True, check=False, timeout=PATIENCE).returncode == 0


class Launched(FailedJobs, unittest.TestCase):
    def launch(self, *arguments, **more):
        job = Job([LAUNCHER, *MORE, *arguments], fabric=more.pop("fabric", "auto"), **more).end()
        for _ in range(500):
            if not job.left_behind():
                break
            time.sleep(0.01)
        self.assertEqual(job.left_behind(), [])
        return job

    def assert_hellos(self, job, ranks):
        self.assertEqual(job.code, 0, job.err)
        self.assertEqual(sorted(job.out.splitlines()), sorted(f"hello from {r} of {ranks}" for r in range(ranks)))

    def test_every_rank_runs_the_function(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                self.assert_hellos(self.launch("-n", str(ranks), ACTOR, "hello"), ranks)

    def test_lines_are_labeled_also_the_last_ones(self):
        job = self.launch("-n", "2", ACTOR, "hello", env={"ARMILLA_LABEL": "1"})
        self.assertEqual((job.code, sorted(job.out.splitlines())), (0, ["[0] hello from 0 of 2", "[1] hello from 1 of 2"]), job.err)
        job = self.launch("-n", "2", ACTOR, "throw", "1", env={"ARMILLA_LABEL": "1"})
        self.assertRegex(job.err, r"(?m)^\[[01]\] armilla: rank 1 .*the sky falls")
        self.assertNotEqual(job.code, 0)

    def test_every_rank_does_without_what_a_container_refuses(self):
        deny = os.path.join(os.path.dirname(ACTOR), "deny")
        if not os.path.exists(deny):
            self.skipTest("no program that refuses calls")
        of_ours = ["pipe2"] if KIND == "openmpi" else []  # MPICH ends the process without it
        for calls in ("accept4", "eventfd2", "pidfd_open", "prctl", "process_vm_readv,process_vm_writev", *of_ours):
            with self.subTest(calls=calls):
                self.assert_hellos(self.launch("-n", "3", deny, "EPERM", calls, ACTOR, "hello"), 3)

    def test_a_launcher_does_not_let_ranks_go_on(self):
        job = self.launch("-n", "2", ACTOR, "hello", env={"ARMILLA_ON_LOSS": "continue"})
        self.assert_failed(job, "ARMILLA_ON_LOSS=continue is for the ranks of one host, and mpirun.* started this one; start the program by itself")

    def test_run_main_runs_it_on_rank_0(self):
        self.assertEqual(self.launch("-n", "3", ACTOR, "run_main").out, "main on 0 of 3\n")

    def test_a_session_is_a_rank(self):
        self.assert_hellos(self.launch("-n", "3", ACTOR, "session"), 3)

    def test_two_programs(self):
        if not starts_two_programs():
            self.skipTest("the launcher cannot start two programs")
        with tempfile.TemporaryDirectory(dir=os.path.dirname(ACTOR)) as folder:  # from where backends are found
            other = os.path.join(os.path.dirname(ACTOR), os.path.basename(folder) + "_other")
            shutil.copy(ACTOR, other)
            self.addCleanup(os.remove, other)
            job = self.launch("-n", "1", ACTOR, "programs", ":", "-n", "2", other, "programs")
        tail = f"{ACTOR} on 0; {other} on 1 2;"
        self.assertEqual(sorted(job.out.splitlines()), [f"rank {r} runs {p}; {tail}" for r, p in enumerate([0, 1, 1])])

    def test_a_launcher_of_one_rank_changes_nothing(self):
        self.assert_hellos(self.launch("-n", "1", ACTOR, "hello", ranks=3), 3)

    def test_a_launcher_that_is_not_to_be_noticed(self):
        job = self.launch("-n", "2", ACTOR, "hello", env={"ARMILLA_LAUNCHER": "none"})
        self.assertEqual(job.out.splitlines(), ["hello from 0 of 1"] * 2)

    def test_failures_are_told_once(self):
        for scene, cause, code in [
            ("throw", "ended by an exception: std::runtime_error: the sky falls", 1),
            ("code", "exited with code 7", 7),
            ("exit0", r"ended with code 0 before its run\(\) ended", 1),
            ("exit3", r"ended with code 3 before its run\(\) ended", 3),
            ("terminate", "ended by an exception: std::logic_error: inside noexcept", 1),
            ("session_throw", "ended by an exception: std::runtime_error: out of main", 1),
        ]:
            for star in (0, 2):
                with self.subTest(scene=scene, star=star):
                    self.assert_failed(self.launch("-n", "3", ACTOR, scene, str(star)), f"rank {star} .*{cause}", code)

    def test_a_rank_that_is_killed_ends_the_job(self):
        for scene, cause in [("kill", r"was killed by signal 9 \(SIGKILL\)"), ("segv", r"was killed by signal 11 \(SIGSEGV\)"),
                             ("abort", r"was killed by signal 6 \(SIGABRT\)"), ("_exit0", r"ended with code 0 before its run\(\) ended")]:
            if scene == "_exit0" and KIND == "mpich":
                continue  # it takes that for a success
            for star in (0, 1):
                with self.subTest(scene=scene, star=star):
                    began = time.monotonic()
                    job = self.launch("-n", "3", ACTOR, scene + "_alone", str(star))
                    self.assertNotEqual(job.code, 0)
                    self.assertLess(time.monotonic() - began, PATIENCE / 2)
                    if KIND == "openmpi":  # MPICH's launcher kills the others in the same millisecond: no one may be left to say it
                        self.assertEqual(len(job.messages()), 1, job.err)
                        self.assertRegex(job.messages()[0], rf"rank {star} on .*{cause}; the job was stopped")
                        heard = re.findall(rf"(\d) heard: rank {star} on \S+ {cause}", job.out)
                        self.assertEqual(sorted(heard), [str(r) for r in range(3) if r != star], job.out + job.err)

    def kill_launcher(self, *command, **more):
        job = Job([LAUNCHER, *MORE, "-n", "2", *command, ACTOR, "hang"], **more)
        job.wait_for_lines(2)
        job.process.kill()
        until = time.monotonic() + PATIENCE
        while job.left_behind() and time.monotonic() < until:
            time.sleep(0.01)
        left = job.left_behind()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(left, [])
        return job.end()

    def test_a_job_whose_launcher_is_killed_ends(self):
        has_ucx = os.path.exists(os.path.join(BACKENDS, "libarmilla-ucx.so"))
        for fabric in ("auto", "ucx", "mpi") if has_ucx else ("auto", "mpi"):
            with self.subTest(fabric=fabric):
                job = self.kill_launcher(fabric=fabric)
                if KIND == "openmpi":  # MPICH's launcher leaves a process that kills the ranks at once
                    self.assertEqual(len(job.messages()), 1, job.err)
                    self.assertIn("the launcher that started the job has ended", job.messages()[0])

    @unittest.skipUnless(KIND == "openmpi" and os.path.exists(os.path.join(BACKENDS, "libarmilla-pmix.so")), "no PMIx")
    def test_a_job_whose_launcher_is_killed_ends_also_below_a_script(self):
        job = self.kill_launcher("sh", "-c", '"$@"; exit', "sh", fabric="auto")
        self.assertEqual(len(job.messages()), 1, job.err)

    def test_a_rank_that_waits_long_says_so(self):
        job = self.launch("-n", "2", ACTOR, "late", "1", env={"ARMILLA_WAIT_REPORT": "300ms"})
        self.assertEqual(job.code, 0, job.err)
        self.assertRegex(job.err, r"armilla: who waits for what:\nrank 0 \(.*\):\n"
                                  r"  main waits for the end of all ranks: rank 1 has not ended its function\n")

    def test_a_trace_of_a_job_that_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace.json")
            job = self.launch("-n", "3", ACTOR, "throw", "1", env={"ARMILLA_TRACE": trace})
            told = [line for line in job.messages() if not line.startswith("armilla trace:")]
            self.assertEqual(len(told), 1, job.err)
            self.assertEqual(job.messages()[0], told[0], "the failure is told first")
            with open(trace, encoding="utf-8") as file:
                self.assertEqual(json.load(file)["otherData"]["ranks"], 3)
            self.assertEqual(os.listdir(folder), ["trace.json"])

    def test_wrong_options_are_told_once(self):
        self.assert_failed(self.launch("-n", "3", ACTOR, "hello", env={"ARMILLA_RNIG": "1M"}), "ARMILLA_RNIG.*ARMILLA_RING")
        self.assert_failed(self.launch("-n", "3", ACTOR, "hello", fabric="threads"), "ARMILLA_FABRIC=threads runs all ranks in one")

    def test_what_all_must_share_is_taken_from_rank_0(self):
        if not starts_two_programs():
            self.skipTest("the launcher cannot give two parts of a job different variables")

        def given(first, others):
            scripts = [f'{words} exec "$@"' for words in (first, others)]
            parts = [["-n", str(n), "sh", "-c", script, "sh", ACTOR, "hello"] for n, script in zip((1, 2), scripts)]
            return self.launch(*parts[0], ":", *parts[1])

        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "trace.json")
            job = given(f"ARMILLA_STATS=1 ARMILLA_TRACE={trace} ARMILLA_FENCE=flat ARMILLA_BARRIER=tree", "")
            self.assert_hellos(job, 3)
            self.assertRegex(job.err, "3 ranks")
            self.assertTrue(os.path.exists(trace))
            self.assertNotIn("go by", job.err)
            os.remove(trace)
            job = given("ARMILLA_FENCE=tree", f"ARMILLA_TRACE={trace} ARMILLA_FENCE=flat")
            self.assert_hellos(job, 3)
            self.assertFalse(os.path.exists(trace))
        self.assertEqual(len(job.messages()), 1, job.err)
        self.assertRegex(job.messages()[0], r"rank 1 on .* \(and 1 more\) has ARMILLA_FENCE=flat ARMILLA_TRACE=.*, "
                                            "rank 0 on .* has ARMILLA_FENCE=tree ARMILLA_TRACE=: all ranks go by rank 0")

    def test_everything_by_a_network(self):
        for fabric, backend in [("ucx", "ucx"), ("ofi", "ofi"), ("mpi", "mpi-" + KIND)]:
            if os.path.exists(f"{BACKENDS}/libarmilla-{backend}.so"):
                with self.subTest(fabric=fabric):
                    self.assert_hellos(self.launch("-n", "2", ACTOR, "hello", fabric=fabric), 2)

    def test_a_backend_that_others_can_write_is_not_loaded(self):
        name = f"libarmilla-{JOINED_BY[KIND][0]}.so"
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, name), "w", encoding="utf-8"):
                pass
            os.chmod(os.path.join(folder, name), 0o666)
            shutil.copy(os.path.join(BACKENDS, name.replace(".so", ".backend")), folder)  # what it can, without which it is no candidate
            job = self.launch("-n", "2", ACTOR, "hello", env={"ARMILLA_BACKENDS": folder})
        if KIND == "mpich":
            self.assertRegex(job.err, re.escape(name) + " is not loaded: it must belong to this user")
            self.assertNotEqual(job.code, 0)

    def test_no_name_in_the_file_system(self):
        job = Job([LAUNCHER, *MORE, "-n", "2", ACTOR, "hang"], fabric="auto")
        job.wait_for_lines(2)
        try:
            for pid in job.left_behind():
                with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
                    self.assertNotRegex(maps.read(), "/dev/shm/.*armilla")
        finally:
            job.process.terminate()
            job.end()


if __name__ == "__main__":
    if LAUNCHER is None:
        print(f"skipped: there is no mpirun of {KIND} here")
        sys.exit(SKIPPED)
    if not any(os.path.exists(f"{BACKENDS}/libarmilla-{way}.so") for way in JOINED_BY[KIND]):
        print(f"skipped: none of {JOINED_BY[KIND]} was built")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
