#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What armilla-run --explore finds: explore_test.py ORDERS GROUP ARMILLA_RUN FOLDER_OF_EXAMPLES [name of a test]."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

ORDERS, GROUP, LAUNCHER, EXAMPLES = (os.path.abspath(word) if "/" in word else word for word in sys.argv[1:5])
SOURCE = (pathlib.Path(__file__).parent / "orders.cpp").read_text(encoding="utf-8")
SCENES = re.findall(r"^ +SCENE\((\w+)\)", SOURCE, re.MULTILINE)
CORRECT = [["hello"], ["grid"], ["bins", "--bins", "100", "--updates", "300"], ["heat", "--cells", "60", "--steps", "5", "--once"],
           ["em3d", "--nodes", "8", "--degree", "3", "--blocks", "3", "--steps", "2", "--remote", "40"], ["recipe_exchange"],
           ["recipe_pipeline"], ["recipe_particles"]]


def run(*words, ranks=3, **more):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_")}
    environment |= {"ARMILLA_TUNED": "none"} | more
    return subprocess.run([LAUNCHER, *words[:-1], "-n", str(ranks), *words[-1]], env=environment, capture_output=True, text=True,
                          check=False, timeout=600)


class Explored(unittest.TestCase):
    def find(self, runs, scene, **more):
        """The seed that shows the mistake of a scene, and what is said of it; the seed is 0 if there is none."""
        found = run("--explore", str(runs), [ORDERS, scene, "wrong"], **more)
        self.assertIn(found.returncode, (0, 1), found.stdout + found.stderr)
        seed = re.match(r"armilla-run: seed (\d+): ", found.stdout)
        self.assertEqual(seed is None, found.returncode == 0, found.stdout + found.stderr)
        return int(seed[1]) if seed else 0, found.stdout

    def assert_clean(self, runs, command, **more):
        job = run("--explore", str(runs), command, **more)
        self.assertEqual(job.returncode, 0, (command, job.stdout, job.stderr))
        self.assertRegex(job.stdout, rf"^armilla-run: exit code.* of {runs} runs in other orders are as usual\n$")


class Some(Explored):
    RUNS = 20

    def test_mistakes_are_found(self):
        for scene in ("missing_fence", "calls_that_do_not_commute", "lost_update"):
            with self.subTest(scene=scene):
                self.assertNotEqual(self.find(self.RUNS, scene)[0], 0)

    def test_correct_programs_are_clean(self):
        self.assert_clean(self.RUNS, [ORDERS, "missing_fence", "right"])

    def test_ranks_may_be_threads(self):
        self.assertNotEqual(self.find(self.RUNS, "missing_fence", ARMILLA_FABRIC="threads")[0], 0)


class Lines(Explored):
    def test_a_seed_gives_the_same_run_again(self):
        _, text = self.find(50, "chain_of_calls")
        seed, other = re.search(r"to repeat this run: --seed (\d+); .*: --seed (\d+:\d+)$", text, re.MULTILINE).groups()
        again = [run("--explore", "1", "--seed", seed, [ORDERS, "chain_of_calls", "wrong"]).stdout for _ in range(3)]
        self.assertEqual(again, [text] * 3)
        self.assertEqual(run("--explore", "1", "--seed", other, [ORDERS, "chain_of_calls", "wrong"]).returncode, 1)

    def test_the_first_call_that_differs_is_named(self):
        self.assertRegex(self.find(50, "chain_of_calls")[1], r"outcome \"rank 2: 2 1\" instead of \"rank 2: 1 2\"\n"
                         r"  first call that differs: rank \d.* runs .* of rank \d\n  instead of: rank \d.* runs async .* of rank 0\n")

    def test_one_seed_runs_the_program_alone(self):
        job = run("--seed", "3", [ORDERS, "in_output", "right"])
        self.assertEqual((job.returncode, job.stdout.count("took"), job.stdout.count("sum 6")), (0, 3, 1), job.stderr)
        job = run("--seed", "3", [ORDERS, "calls_that_do_not_commute", "right"])
        self.assertEqual((job.returncode, job.stderr), (0, "armilla-run: outcome of rank 0: 6\n"))

    def test_a_job_that_a_rank_starts_is_not_explored(self):
        another = f'test -z "$ARMILLA_INTERNAL_EXPLORE" && {LAUNCHER} -n 3 {ORDERS} in_output right'
        job = run("--seed", "3", [ORDERS, "a_job_of_a_rank", "right"], ANOTHER_JOB=another)
        self.assertEqual((job.returncode, job.stdout.count("took"), job.stdout.count("sum 6")), (0, 3, 1), job.stderr)

    def test_wrong_options_are_refused(self):
        for words, said in ((["--explore", "0"], "--explore"), (["--seed", "x"], "--seed wants what --explore has printed, such as 17 or 17:45"),
                            (["--seed", "7", "--hosts", "a,b"], "leave --hosts")):
            job = run(*words, [ORDERS, "missing_fence", "right"])
            self.assertEqual(job.returncode, 2, job.stdout)
            self.assertIn(said, job.stderr)

    def test_a_job_over_a_network_is_not_explored(self):
        job = run("--seed", "1", [ORDERS, "missing_fence", "right"], ARMILLA_FABRIC="loop")
        self.assertNotEqual(job.returncode, 0)
        self.assertIn("armilla-run --explore over a network", job.stderr)

    def test_output_and_exit_code_are_compared_without_an_outcome(self):
        self.assertIn('output "sum 3" instead of "sum 6"', self.find(50, "in_output")[1])
        self.assertIn("exit code 4 instead of 0: armilla: rank 0 ", self.find(50, "in_exit_code")[1])
        self.assert_clean(5, [ORDERS, "in_output", "right"])


class All(Explored):
    def test_nine_of_ten_mistakes_are_found(self):
        seeds = {scene: self.find(200, scene)[0] for scene in SCENES}
        print(seeds)
        self.assertEqual(len(seeds), 10)
        self.assertGreaterEqual(sum(seed != 0 for seed in seeds.values()), 9, seeds)
        for scene, seed in seeds.items():
            if seed != 0:
                again = run("--explore", "1", "--seed", str(seed), [ORDERS, scene, "wrong"])
                self.assertEqual(again.returncode, 1, (scene, again.stdout))

    def test_correct_twins_are_clean(self):
        for scene in SCENES:
            self.assert_clean(50, [ORDERS, scene, "right"])


class Examples(Explored):
    def test_examples_are_clean(self):
        for name, *arguments in CORRECT:
            with self.subTest(name=name):
                self.assert_clean(20, [os.path.join(EXAMPLES, name), *arguments])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *([GROUP] if len(sys.argv) == 5 else [f"{GROUP}.{name}" for name in sys.argv[5:]])])
