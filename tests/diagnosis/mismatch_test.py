#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs whose last rank calls other collectives than the rest end with an error that says so: mismatch_test.py PROGRAM [--all]
[--fabrics FABRIC...]. Without --all each job runs over one of the fabrics only, and with one number of ranks, in turn."""
import itertools
import os
import re
import subprocess
import sys
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
ALL = "--all" in sys.argv
FABRICS = sys.argv[sys.argv.index("--fabrics") + 1 :] if "--fabrics" in sys.argv else ["shm", "threads"]
PATIENCE = 60
ENDED = r"has ended its function"
LIST = r"\(std::vector<double.*>\)"
SUM, LONG_SUM, EXCHANGE = r"team::reduce\b", rf"team::reduce\b.*{LIST}", r"team::all_to_all of \d+ bytes \(int\)"


def uses(kind):
    return rf"uses elements of type {kind}\b"



# What is said of the last rank and of another one.
SAID = {
    "kinds": (r"team::all_reduce", r"barrier"),
    "fence": (r"fence", r"barrier"),
    "types": (r"team::all_reduce of 8 bytes \(double\)", r"team::all_reduce of 4 bytes \(int\)"),
    "signs": (r"team::all_reduce of 4 bytes \(unsigned int\)", r"team::all_reduce of 4 bytes \(int\)"),
    "roots": (r"team::broadcast with root 1 of 4 bytes \(int\)", r"team::broadcast with root 0 of 4 bytes \(int\)"),
    "lengths": (r"team::broadcast .* of 16 bytes \(int\)", r"team::broadcast .* of 8 bytes \(int\)"),
    "long_lengths": (r"team::broadcast .* of 20004 bytes", r"team::broadcast .* of 20000 bytes"),
    "parts": (EXCHANGE, EXCHANGE),
    "short_parts": (EXCHANGE, EXCHANGE),
    "long_roots": (rf"team::reduce with root 1 {LIST}", rf"team::reduce with root 0 {LIST}"),
    "long_kinds": (r"team::all_gather", r"barrier"),
    "order": (LONG_SUM, SUM),
    "more_barriers": (ENDED, r"barrier"),
    "fewer_barriers": (r"barrier", ENDED),
    "more_sums": (ENDED, r"team::all_reduce"),
    "more_sums_to_others": (SUM, ENDED),
    "more_long_sums": (ENDED, LONG_SUM),
    "more_long_sums_to_others": (LONG_SUM, ENDED),
    "more_gathers": (r"team::all_gather", ENDED),
    "more_exchanges": (ENDED, EXCHANGE),
    "algorithms": (r"team::all_reduce.* in fill", r"team::all_gather.* in inclusive_scan"),
    "algorithm_alone": (ENDED, uses("int") + r".* in sort"),
    "structures": (r"team::all_gather of 16 bytes \(first_part\)", r"team::all_gather of 16 bytes \(first_whole\)"),
    "classes": (r"team::all_gather of 8 bytes \(fahrenheit\)", r"team::all_gather of 8 bytes \(celsius\)"),
    "vectors": (uses("long"), uses("double")),
    "vectors_of_classes": (uses("fahrenheit"), uses("celsius")),
    "vectors_of_texts": (uses("std::string"), uses("double")),
    "matrices": (uses("int"), uses("float")),
    "sparse_matrices": (uses("long"), uses("double")),
    "graphs": (uses("long"), uses("double")),
    "maps": (uses("double"), uses("long")),
    "values_of_maps": (uses("int"), uses("float")),
    "queues": (uses("double"), uses("long")),
    "lists": (uses("double"), uses("long")),
    "sorts": (uses("long") + r".* in sort", uses("double") + r".* in sort"),
    "copies": (uses("float") + r".* in copy", uses("double") + r".* in copy"),
    "inclusions": (uses("float") + r".* in includes", uses("double") + r".* in includes"),
    "samples": (uses("float") + r".* in sample", uses("double") + r".* in sample"),
    "gemvs": (uses("float") + r".* in gemv", uses("double") + r".* in gemv"),
    "gemms": (uses("float") + r".* in gemm", uses("double") + r".* in gemm"),
    "spmvs": (uses("float") + r".* in spmv", uses("double") + r".* in spmv"),
    "transposes": (uses("float") + r".* in transpose", uses("double") + r".* in transpose"),
    "other_next": (r"team::all_reduce", r"barrier"),
}


def run(scene, ranks, fabric, words=(), **more):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMILLA_")}
    environment |= {"ARMILLA_RANKS": str(ranks), "ARMILLA_FABRIC": fabric, "ARMILLA_PIN": "none", "ARMILLA_TUNED": "none"}
    environment |= {"ARMILLA_" + k.upper(): v for k, v in more.items()}
    return subprocess.run([PROGRAM, scene, *words], env=environment, capture_output=True, text=True, timeout=PATIENCE)


def fabrics_of(number):
    return FABRICS if ALL else [FABRICS[number % len(FABRICS)]]


class Mismatches(unittest.TestCase):
    def check(self, scene, ranks, fabric, **more):
        job = run(scene, ranks, fabric, **more)
        where = (scene, ranks, fabric, more, job.err if hasattr(job, "err") else job.stderr)
        self.assertEqual(job.returncode, 1, where)
        said = re.search(r"ranks entered different collectives: rank (\d+) (.*), rank (\d+) (.*) \(number \d+ of this team\)", job.stderr)
        self.assertTrue(said, where)
        first, what, second, other = said.groups()
        self.assertIn(str(ranks - 1), (first, second), where)
        last, rest = (what, other) if first == str(ranks - 1) else (other, what)
        if fabric == "loop" and "but with another" in said[0]:
            return  # of a rank on another host that never waits no more is known
        for told, expected in zip((last, rest), SAID[scene]):  # the algorithm of a rank on another host is not known
            self.assertRegex(told, expected.split(r".* in ")[0] if fabric == "loop" else expected, where)

    def test_every_scene_is_looked_at(self):
        self.assertEqual(sorted(run("list", 1, "shm").stdout.split()), sorted(SAID))

    def test_an_error_names_both(self):
        for number, scene in enumerate(SAID):
            for ranks in (2, 4) if ALL else ((2, 4)[number // len(FABRICS) % 2],):
                for fabric in fabrics_of(number):
                    self.check(scene, ranks, fabric)

    def test_no_member_returns_what_comes_from_another_root(self):
        for case in range(0, 35, 1 if ALL else 4):
            for fabric in fabrics_of(case):
                with self.subTest(fabric=fabric, case=case):
                    job = run("other_roots", 3, fabric, words=[str(case)])
                    self.assertEqual((job.returncode, job.stdout), (1, ""), job.stderr)
                    self.assertRegex(job.stderr, r"ranks entered different collectives: rank \d .*root")

    def test_in_each_pattern(self):
        patterns = itertools.product(("flat", "tree", "hypercube", "dissemination"), ("flat", "tree"))
        for number, (barrier, fence) in enumerate(patterns):
            scenes = list(enumerate(("kinds", "fence", "more_barriers", "fewer_barriers")))
            for step, scene in scenes if ALL else scenes[(number + number // 2) % 2::2]:
                for fabric in fabrics_of(number + number // 2 + step):
                    self.check(scene, 4, fabric, barrier=barrier, fence=fence)

    def test_a_part_that_one_has_left_stands_still(self):
        for fabric in FABRICS:
            if fabric == "loop":
                continue  # no rank sees what is under way on a network
            job = run("part", 4, fabric, stall="300ms")
            self.assertEqual(job.returncode, 70, job.stderr)
            self.assertRegex(job.stderr, r"main waits for barrier 1 of team \d+: rank 1 has not come")
            self.assertRegex(job.stderr, r"main waits for the end of all ranks: rank 0 has not ended its function")

    def test_who_waits_in_an_algorithm_says_in_which(self):
        for fabric in FABRICS:
            if fabric == "loop":
                continue  # as above
            job = run("sort_a_part", 4, fabric, stall="300ms")
            self.assertEqual(job.returncode, 70, job.stderr)
            self.assertRegex(job.stderr, r"main waits for team::all_gather \d+ of team \d+: rank 1 has not come, in sort")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
