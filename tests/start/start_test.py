#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How jobs start and how they end: start_test.py ACTOR LAUNCHER [unittest arguments]."""
import itertools
import json
import os
import pathlib
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from start_case import ACTOR, FABRICS, LAUNCHER, SANITIZED, Job, StartTest


def shared_bytes(supervisor):
    """What the memory of the host's ranks takes."""
    folder = f"/proc/{supervisor}/fd"
    kept = {os.path.realpath(f"{folder}/{each}"): os.stat(f"{folder}/{each}") for each in os.listdir(folder)}
    return sum(512 * each.st_blocks for name, each in kept.items() if "memfd:" in name)


class Starting(StartTest):
    def test_every_rank_runs_the_function(self):
        for fabric in FABRICS:
            for ranks in (1, 2, 4, 13):  # the last: more than cores
                with self.subTest(fabric=fabric, ranks=ranks):
                    self.assert_hellos(self.run_job("hello", ranks=ranks, fabric=fabric), ranks)

    def test_a_job_ends_when_its_fibers_have_ended(self):
        for fabric in FABRICS:
            for ranks in (1, 2, 4):
                job = self.run_job("fibers", ranks=ranks, fabric=fabric)
                self.assertEqual((job.code, job.err), (0, ""))
                expected = [line for r in range(ranks) for line in (f"fiber of {r}", f"fiber of {r} after {(r + 1) % ranks}")]
                self.assertEqual(sorted(job.out.splitlines()), sorted(expected))

    def test_one_rank_needs_no_supervisor(self):
        self.assert_hellos(self.run_job("hello"), 1)

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_what_a_process_has_set_itself_is_no_launcher(self):
        self.assert_hellos(self.run_job("hello", ranks=2, env={"EARLY_SIGNS": "1"}), 2)

    def test_a_launcher_that_has_ended_is_named(self):
        left = {"PMIX_RANK": "0", "PMIX_NAMESPACE": "left"}
        self.assert_failed(self.run_job("hello", env=left), "a launcher that speaks PMIx started this process, but no PMIX_SERVER_URI names a server: "
                           "its variables were left over by a job that has ended; unset them, or set ARMILLA_LAUNCHER=none")
        self.assert_hellos(self.run_job("hello", env=left | {"ARMILLA_LAUNCHER": "none"}), 1)

    def test_run_main_runs_it_on_rank_0(self):
        for fabric in FABRICS:
            job = self.run_job("run_main", ranks=3, fabric=fabric)
            self.assertEqual((job.code, job.out, job.err), (0, "main on 0 of 3\n", ""))

    def test_run_main_ends_when_instances_have_ended(self):
        for fabric in FABRICS:
            job = self.run_job("instances", ranks=3, fabric=fabric)
            self.assertEqual((job.code, job.out, job.err), (0, "met 3\n" * 3, ""))

    def test_a_session_is_a_rank(self):
        self.assert_hellos(self.run_job("session", ranks=1 if FABRICS == ["threads"] else 3), 1 if FABRICS == ["threads"] else 3)

    def test_a_fiber_of_a_session_outlives_what_it_runs(self):
        ranks = 1 if FABRICS == ["threads"] else 3
        job = self.run_job("session_fiber", ranks=ranks)
        self.assertEqual((job.code, job.out, job.err), (0, "joined\n" * ranks, ""))

    def test_a_session_cannot_hold_several_threads(self):
        job = self.run_job("session", ranks=3, fabric="threads")
        self.assertRegex(job.err, "session: with ARMILLA_FABRIC=threads a session holds one rank; use armilla::run")
        self.assertNotEqual(job.code, 0)

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_a_fabric_that_is_none_is_told_what_there_is(self):
        for ranks, code in ((1, 2), (2, 1)):
            self.assert_failed(self.run_job("hello", ranks=ranks, fabric="nosuch"),
                               "ARMILLA_FABRIC=nosuch: (rank 0: )?there is no such fabric; built in are auto, shm, threads and loop, backends found: "
                               ".*; looked in .*; ARMILLA_BACKENDS names other folders", code)

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_a_backend_that_cannot_be_loaded_says_why(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "libarmilla-broken.so").write_text("no library")
            self.assert_failed(self.run_job("hello", ranks=2, fabric="broken", env={"ARMILLA_BACKENDS": folder}),
                               "ARMILLA_FABRIC=broken: rank 0: .*libarmilla-broken.so cannot be loaded: .*file too short", 1)

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_a_kin_of_backends_takes_a_sign_of_one(self):
        with tempfile.TemporaryDirectory() as folder:
            for one in "ab":
                pathlib.Path(folder, f"libarmilla-{one}.so").write_text("no library")
                pathlib.Path(folder, f"libarmilla-{one}.backend").write_text(f"kin pair\nsign 1 variable BACKEND_OF_KIND_{one} meant\n")
            job = self.run_job("hello", ranks=2, fabric="pair", env={"ARMILLA_BACKENDS": folder})
            self.assert_failed(job, "ARMILLA_FABRIC=pair: rank 0: it means one of a, b, .*mpirun -n 4 ./program", 1)

    def test_unknown_option(self):
        job = self.run_job("hello", ranks=2, env={"ARMILLA_RNIG": "1M"})
        self.assert_failed(job, "ARMILLA_RNIG.*ARMILLA_RING", 2)

    def test_too_many_ranks(self):
        self.assert_failed(self.run_job("hello", ranks=2000), "2000", 2)

    def test_a_second_run_is_refused(self):
        for ranks in (1, 2):
            job = self.run_job("twice", ranks=ranks, fabric=FABRICS[0])
            self.assertRegex(job.err, "run: this process has run its job already")
            self.assertNotEqual(job.code, 0)

    def test_calls_outside_of_run_are_refused(self):
        for scene in ("before", "after"):
            self.assertRegex(self.run_job(scene, ranks=2, fabric=FABRICS[0]).err, "rank: ")

    def test_what_a_rank_starts_inherits_nothing(self):
        job = self.run_job("inherit", ranks=2, fabric=FABRICS[0])
        self.assertEqual(set(job.out.splitlines()), {"descriptor is gone, variable gone"})

    def test_no_name_in_the_file_system(self):
        job = Job([ACTOR, "hang"], ranks=3, fabric=FABRICS[0])
        job.wait_for_lines(3)
        for pid in job.left_behind():
            with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
                self.assertEqual([line for line in maps if "/dev/shm" in line], [])
        job.process.send_signal(signal.SIGTERM)
        job.end()

    @unittest.skipIf("shm" not in FABRICS or SANITIZED, "processes only, as users build them")
    def test_ranks_that_do_not_talk_share_little_memory(self):
        ranks = 64
        job = Job([ACTOR, "hang"], ranks=ranks, fabric="shm")
        job.wait_for_lines(ranks)
        self.assertLess(shared_bytes(job.process.pid), (1 << 20) + ranks * (40 << 10))  # a ring for each pair would take 16 MiB
        job.process.send_signal(signal.SIGTERM)
        job.end()

    @unittest.skipIf(SANITIZED, "sanitizers need the addresses")
    def test_a_small_address_space_has_smaller_segments(self):
        command = ["bash", "-c", f"ulimit -v 4000000; exec {ACTOR} hello"]
        for ranks in (1, 2):
            job = Job(command, ranks=ranks).end()
            self.assertEqual((job.code, sorted(job.out.splitlines())), (0, [f"hello from {r} of {ranks}" for r in range(ranks)]))
            self.assertRegex(job.err, "the address space limit .ulimit -v. is 3.8 GiB: each rank can allocate [0-9]+ MiB .*ARMILLA_SEGMENT")
        self.assert_hellos(Job(command, ranks=2, env={"ARMILLA_SEGMENT": "64M"}).end(), 2)
        self.assert_failed(Job(command, ranks=2, env={"ARMILLA_SEGMENT": "4G"}).end(), "could not start.*ARMILLA_SEGMENT")

    def test_the_least_segment_is_enough(self):
        for fabric in FABRICS:
            self.assert_hellos(Job([ACTOR, "hello"], ranks=2, fabric=fabric, env={"ARMILLA_SEGMENT": "4M"}).end(), 2)
        self.assertRegex(self.run_job("hello", env={"ARMILLA_SEGMENT": "2M"}).err, "ARMILLA_SEGMENT=2M is not allowed; give bytes from 4M to")

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_few_descriptors(self):
        self.assert_hellos(Job(["bash", "-c", f"ulimit -n 8; exec {ACTOR} hello"], ranks=9).end(), 9)

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_two_builds_of_one_program(self):
        notes = subprocess.run(["readelf", "-n", ACTOR], capture_output=True, text=True, check=False).stdout
        found = re.search("Build ID: ([0-9a-f]+)", notes)
        if not found:
            self.skipTest("linked without a build id")
        with tempfile.TemporaryDirectory() as folder:
            other = os.path.join(folder, "actor")
            identity = bytes.fromhex(found[1])
            with open(ACTOR, "rb") as old, open(other, "wb") as new:
                new.write(old.read().replace(identity, bytes(reversed(identity))))
            os.chmod(other, 0o755)
            script = f'test "$ARMILLA_INTERNAL_RANK" = 1 && exec {other} hello; exec {ACTOR} hello'
            job = self.launch("-n", "3", "sh", "-c", script)
        self.assert_failed(job, r"rank [012] \(sh, pid \d+\) could not start: .*run different builds of sh", 1)

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_standard_input_goes_to_rank_0(self):
        self.assertEqual(self.run_job("read", "0", ranks=2, text="word\n").out, "rank 0 read word\n")
        self.assertEqual(self.run_job("read", "1", ranks=2, text="word\n").out, "rank 1 read the end\n")


class Pinning(StartTest):
    cores = sorted(os.sched_getaffinity(0))

    def places(self, ranks, pin, fabric):
        job = self.run_job("processors", ranks=ranks, fabric=fabric, env={"ARMILLA_PIN": pin})
        return [line.split()[3] for line in sorted(job.out.splitlines())]

    def test_core_gives_each_rank_its_own(self):
        if len(self.cores) < 2:
            self.skipTest("one core")
        for fabric in FABRICS:
            self.assertEqual(len(set(self.places(2, "core", fabric))), 2)

    def test_none_leaves_them_alone(self):
        everything = ",".join(map(str, self.cores))
        for fabric in FABRICS:
            self.assertEqual(self.places(3, "none", fabric), [everything] * 3)

    def test_share_binds_more_ranks_than_cores(self):
        everything = ",".join(map(str, self.cores))
        for fabric in FABRICS:
            places = self.places(5, "share", fabric)
            self.assertEqual(len(places), 5)
            if len(self.cores) > 1:
                self.assertNotIn(everything, places)

    def test_the_affinity_of_the_job_is_respected(self):
        one = self.cores[-1]
        job = Job(["taskset", "-c", str(one), ACTOR, "processors"], ranks=2, fabric=FABRICS[0], env={"ARMILLA_PIN": "share"}).end()
        self.assertEqual({line.split()[3] for line in job.out.splitlines()}, {str(one)})


class OnFabrics(StartTest):
    """Each cause on each fabric: one message that names rank, program and cause; a code that is not 0; nothing left."""

    def on_fabrics(self, scene, cause, code=None, rank="2", fabrics=FABRICS, who=None, **more):
        for fabric in fabrics:
            with self.subTest(fabric=fabric):
                job = self.run_job(scene, rank, ranks=4, fabric=fabric, **more)
                self.assert_failed(job, rf"^armilla: {who or rf'rank {rank} '}\(.*actor(, pid \d+)?\) {cause}; the job was stopped$", code)


class Ending(OnFabrics):
    # Ranks that come late are not there any more when the job is stopped.
    PATIENT = {"ARMILLA_LOSS_GRACE": "20s"}

    def test_ranks_that_fail_alike_share_one_report(self):
        for scene, cause in (("throw", "ended by an exception: std::runtime_error: the sky falls"), ("code", "exited with code 7")):
            for fabric in FABRICS:
                with self.subTest(scene=scene, fabric=fabric):
                    job = self.run_job(f"{scene}_together", "0", ranks=4, fabric=fabric, env={"ARMILLA_LOSS_GRACE": "2s"})
                    self.assert_failed(job, rf"^armilla: ranks 0-2 \(.*actor\) {cause}; the job was stopped$")

    def test_the_number_of_a_rank_makes_no_other_error(self):
        self.on_fabrics("misuse_together", "ended by an exception: armilla::usage_error: get: the index is 9; give less", 1, who="ranks 0-3 ", env=self.PATIENT)

    def test_json(self):
        job = self.run_job("misuse_together", "0", ranks=4, fabric=FABRICS[0], env={"ARMILLA_ERRORS": "json", **self.PATIENT})
        told = json.loads(job.err)
        self.assertEqual((told["event"], told["kind"], told["ranks"], told["certain"]), ("failure", "exception", [0, 1, 2, 3], True))
        self.assertEqual((told["type"], told["text"], told["outcome"]), ("armilla::usage_error", "get: the index is 9; give less", "the job was stopped"))
        self.assertIn("ranks 0-3", told["message"])
        job = self.run_job("segv", "2", ranks=4, fabric=FABRICS[-1], env={"ARMILLA_ERRORS": "json"})
        told = [json.loads(line) for line in job.err.splitlines() if line.startswith("{")]
        self.assertEqual([(each["kind"], each["signal"], each["code"]) for each in told if each["event"] == "failure"], [("signal", "SIGSEGV", 139)])

    def test_exception(self):
        self.on_fabrics("throw", "ended by an exception: std::runtime_error: the sky falls", 1)

    def test_control_bytes_of_an_exception_are_shown(self):
        self.on_fabrics("throw_bytes", r"ended by an exception: std::runtime_error: red \\x1b\[31m\\nand \\xff", 1)
        self.assertIn(r"runtime_error: red \x1b[31m\nand \xff", self.run_job("throw_bytes", "0").err)

    def test_control_bytes_of_files_are_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("bad", "bad.0", "bad.1"):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(b"\x1b]0;title\x07\xff\n")
            for variable in ("ARMILLA_TUNED", "ARMILLA_REPLAY"):
                for ranks in (1, 2):
                    job = self.run_job("hello", ranks=ranks, fabric=FABRICS[0], env={variable: os.path.join(folder, "bad")})
                    self.assertIn(r"'\x1b]0;title\x07\xff'", job.err)
                    self.assertNotEqual(job.code, 0)

    @unittest.skipUnless("shm" in FABRICS, "one process, one end")
    def test_of_two_that_fail_at_once_one_is_named(self):
        job = self.run_job("fail_beside_another", "1", ranks=3, fabric="shm")
        self.assert_failed(job, r"^armilla: rank 1 .*ended by an exception: std::runtime_error: the sky falls; the job was stopped$", 1)

    def test_a_function_that_is_null(self):
        for scene in ("null", "null_main", "session_null", "session_null_main"):
            self.on_fabrics(scene, "ended by an exception: armilla::usage_error: run: the function is a null pointer, or an empty std::function; "
                            "pass a function", 1, rank="2", who=r"ranks? [\d, -]+ ", fabrics=["shm"] if "session" in scene else FABRICS)

    def test_exception_that_is_none(self):
        self.on_fabrics("throw_int", "ended by an exception: int.*", 1)

    def test_code(self):
        self.on_fabrics("code", "exited with code 7", 7)

    def codes(self, code):
        """Of each way of starting a job of which a rank fails with `code`."""
        for scene in ("code_given", "exit_given", "given_after", "session_given"):
            for ranks in (1, 2):
                for fabric in FABRICS:
                    if ranks == 1 or fabric != "threads" or "session" not in scene:
                        yield f"{scene}, {ranks} ranks, {fabric}", self.run_job(scene, "0", str(code), ranks=ranks, fabric=fabric).code
            for ranks in ("1", "2"):
                yield f"{scene}, armilla-run -n {ranks}", self.launch("-n", ranks, ACTOR, scene, "0", str(code), fabric=FABRICS[0]).code

    def test_a_code_of_more_bits_than_the_system_keeps_is_no_success(self):
        for code, shown in ((256, 1), (512, 1), (300, 44), (-1, 255)):
            for how, seen in self.codes(code):
                with self.subTest(how=how, code=code):
                    self.assertEqual(seen, shown)

    def test_code_after_the_run(self):
        job = self.run_job("code_after", ranks=3, fabric=FABRICS[0])
        self.assert_failed(job, r"exited with code 9", 9)

    def test_exit(self):
        self.on_fabrics("exit0", r"ended with code 0 before its run\(\) ended", 1)
        self.on_fabrics("exit3", r"ended with code 3 before its run\(\) ended", 3)

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_exit_without_handlers(self):
        self.on_fabrics("_exit0", r"ended with code 0 before its run\(\) ended", 1, fabrics=["shm"])

    def test_terminate(self):
        self.on_fabrics("terminate", "ended by an exception: std::logic_error: inside noexcept", 1)

    def test_a_result_that_cannot_be_waited_for(self):
        self.assertRegex(self.run_job("filling", "0").err, "call_into: the buffer of a call_into goes before the reply")

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_exception_in_another_thread_of_a_rank(self):
        self.on_fabrics("thread_throws", "ended by an exception: std::logic_error: in a thread of mine", 1, fabrics=["shm"])

    def test_exception_of_run_main(self):
        self.on_fabrics("main_throws", "ended by an exception: std::runtime_error: main fell", 1, rank="0")

    def test_alone(self):
        self.assert_failed(self.run_job("throw", "0"), r"^armilla: rank 0 .*ended by an exception: std::runtime_error: the sky falls$", 1)
        self.assert_failed(self.run_job("exit0", "0"), r"^armilla: rank 0 .*ended with code 0 before", 1)
        self.assert_failed(self.run_job("exit3", "0"), r"^armilla: rank 0 .*ended with code 3 before", 3)
        self.assertEqual(self.run_job("code", "0").code, 7)

    def test_a_child_of_a_rank_is_ended_too(self):
        self.on_fabrics("child", "ended by an exception: std::runtime_error: and leave a child", 1)

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_sessions(self):
        self.on_fabrics("session_throw", "ended by an exception: std::runtime_error: out of main", 1, fabrics=["shm"])
        self.on_fabrics("session_exit", r"ended with code 0 before its run\(\) ended", 1, fabrics=["shm"])
        self.on_fabrics("session_caught", "ended by an exception: .*left the scope of its session", 1, fabrics=["shm"])


class Signals(OnFabrics):
    def test_abort(self):
        self.on_fabrics("abort", r"was killed by signal 6 \(SIGABRT\)(, core dumped)?", 134)

    @unittest.skipIf("shm" not in FABRICS, "processes only")
    def test_kill(self):
        self.on_fabrics("kill", r"was killed by signal 9 \(SIGKILL\)", 137, fabrics=["shm"])

    def test_kill_of_all_threads(self):
        job = self.run_job("kill", "2", ranks=4, fabric="threads")
        self.assert_failed(job, r"one of the ranks 0 to 3 .*killed by signal 9 \(SIGKILL\)", 137)

    @unittest.skipIf(SANITIZED, "sanitizers handle it themselves")
    def test_segmentation_fault(self):
        self.on_fabrics("segv", r"was killed by signal 11 \(SIGSEGV\)(, core dumped)?", 139)

    @unittest.skipIf(SANITIZED, "sanitizers handle it themselves")
    def test_a_signal_that_is_sent_ends_a_rank_like_one_that_it_causes(self):
        for number in (signal.SIGSEGV, signal.SIGBUS):
            cause = rf"was killed by signal {int(number)} \({number.name}\)(, core dumped)?"
            for fabric in FABRICS:
                with self.subTest(number=number, fabric=fabric):
                    job = self.run_job("sent", "2", str(int(number)), ranks=4, fabric=fabric)
                    self.assert_failed(job, rf"^armilla: rank 2 \(.*actor, pid \d+\) {cause}; the job was stopped$", 128 + number)
            self.assertEqual(self.run_job("sent", "0", str(int(number))).code, -number)

    @unittest.skipIf(SANITIZED, "sanitizers handle it themselves")
    def test_stack_overflow(self):
        self.on_fabrics("overflow", r"was killed by signal 11 \(SIGSEGV\)(, core dumped)?", 139)

    @unittest.skipIf(SANITIZED, "sanitizers handle it themselves")
    def test_the_kind_of_a_wrong_address_is_named(self):
        texts = {"segv": "by a null dereference: it used address 0x8", "overflow": "by a stack overflow: ",
                 "fiber_overflow": "by a stack overflow: ", "code_there": "it used address 0x[0-9a-f]+, where it may not"}
        for fabric in FABRICS:
            own = {"captured": "it used address 0x[0-9a-f]+, which is memory of rank 3 and not of rank 2: "} if fabric == "shm" else {}
            for scene, text in {**texts, **own}.items():
                with self.subTest(scene=scene, fabric=fabric):
                    job = self.run_job(scene, "2", ranks=4, fabric=fabric)
                    self.assertRegex(job.err, rf"(?m)^armilla: rank 2 .* \(SIGSEGV\).*; the job was stopped\n  {text}[^\n]*$")
                    said = re.sub(r"(?m)^rank 2: SIGSEGV arose .*$", "", job.err)  # which names the scene's function
                    self.assertEqual(said.count("captured"), int(scene == "captured"))
            job = self.run_job("beyond", "2", ranks=4, fabric=fabric)
            hint = "  by a pointer whose value cannot be an address: .*\n" if platform.machine() == "x86_64" else ""  # others name the address
            self.assertRegex(job.err, rf"(?m)^armilla: rank 2 .* \(SIGSEGV\).*; the job was stopped\n{hint}\Z")
            self.assertEqual(self.run_job("handled", "2", ranks=4, fabric=fabric).code, 9)


class LeftErrors(StartTest):
    """Errors that the end of the job reports, as no call has. START_TEST_ALL: of each kind on each fabric with each number of ranks, in place of one each."""

    def test_an_error_of_a_one_way_call_is_told_at_once_under_run_main(self):
        for fabric in FABRICS:
            job = self.run_job("lost_error", ranks=2, fabric=fabric, env={"ARMILLA_STALL": "300ms"})
            self.assertRegex(job.err, r"(?s)^armilla: rank 1: std::logic_error: the instance fell \(in a one-way call of rank 0\)[^\n]*\n"
                                      r".*the job stands still")
            self.assertNotEqual(job.code, 0)

    def assert_told(self, scenes, text, fabrics, ranks, env=None):
        """Each of them leaves an error that the end of the job tells once."""
        for number, scene in enumerate(scenes):
            ways = list(itertools.product(fabrics, ranks))
            for fabric, many in ways if os.environ.get("START_TEST_ALL") else ways[number % len(ways)::len(ways)]:
                with self.subTest(scene=scene, fabric=fabric, ranks=many):
                    self.assert_failed(self.run_job(scene, "0", ranks=many, fabric=fabric, env=env), text, 1)

    def test_an_error_that_nobody_asks_for_fails_the_job(self):
        of_members = [part + of for part in ("", "half_") for of in ("collective", "nowait", "visit", "map")]
        scenes = ["left_" + of for of in (
            "one_way_call", "batch", "last_hop", "object", "destroyed", "destroyed_usage", "destroyed_future", "future", "usage", "kept_future",
            "replaced_future", "then", "then_behind", "then_inside", "when_all", "fiber", "late_fiber", "kept_fiber", "task", "late_task", *of_members)]
        self.assert_told(scenes, "nobody asked", FABRICS, (2,))
        self.assert_told(scenes if os.environ.get("START_TEST_ALL") else scenes[::2], "nobody asked", FABRICS[:1], (1,))
        if "shm" in FABRICS:
            self.assert_told(["session_" + scene for scene in scenes if "destroyed" not in scene], "nobody asked", ["shm"], (1, 2))

    def test_an_access_that_fails_behind_the_last_wait_fails_the_job(self):
        by_owner = {"ARMILLA_ACCESS": "opened", "ARMILLA_ACCESS_BY_MESSAGE": "on", "ARMILLA_CROSS_COPY": "off"}
        scenes = ["left_write_" + of for of in ("put", "store", "add", "signal", "event", "failed_event")]
        self.assert_told(scenes, "has not opened that memory", [f for f in FABRICS if f != "threads"], (2,), by_owner)


class Interrupted(StartTest):
    def hanging(self, scene="hang", fabric="shm", command=None, env=None):
        fabric = fabric if fabric in FABRICS else FABRICS[0]
        job = Job(command or [ACTOR, scene], ranks=4, fabric=fabric, env=env)
        job.wait_for_lines(4)
        return job

    def check(self, job, number):
        job.end()
        self.assertEqual(job.left_behind(), [])
        self.assert_failed(job, rf"interrupted by signal {int(number)} \({number.name}\); the job was stopped", 128 + number)

    def test_signals_to_the_supervisor(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            for fabric in FABRICS:
                with self.subTest(number=number, fabric=fabric):
                    job = self.hanging(fabric=fabric)
                    job.process.send_signal(number)
                    self.check(job, number)

    def test_signals_that_strike_another_thread_of_the_supervisor(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(number=number):
                job = self.hanging(env={"EARLY_THREAD": "1"})
                job.process.send_signal(number)
                self.check(job, number)

    def test_ctrl_c_strikes_all_processes_at_once(self):
        for fabric in FABRICS:
            job = self.hanging(fabric=fabric)
            os.killpg(job.process.pid, signal.SIGINT)
            self.check(job, signal.SIGINT)

    def test_ranks_that_ignore_signals(self):
        job = self.hanging("stubborn")
        os.killpg(job.process.pid, signal.SIGINT)
        self.check(job, signal.SIGINT)

    def test_stopped_ranks(self):
        job = self.hanging()
        for pid in job.left_behind():
            if pid != job.process.pid:
                os.kill(pid, signal.SIGSTOP)
        job.process.send_signal(signal.SIGTERM)
        self.check(job, signal.SIGTERM)

    def test_kill_of_the_supervisor(self):
        for fabric in FABRICS:
            job = self.hanging(fabric=fabric)
            job.process.kill()
            self.assert_gone(job)
            job.end()

    def test_kill_of_the_supervisor_at_any_moment(self):
        for i in range(25):
            job = Job([ACTOR, "hang"], ranks=4, fabric=FABRICS[0])
            time.sleep(i * 0.0007)
            job.process.kill()
            self.assert_gone(job)
            job.end()

    def test_kill_of_the_launcher_reaches_ranks_behind_a_shell(self):
        job = self.hanging(command=[LAUNCHER, "-n", "4", "bash", "-c", f"{ACTOR} hang; true"])
        job.process.kill()
        self.assert_gone(job)
        job.end()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
