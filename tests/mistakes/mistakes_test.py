#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which library finds the commonest mistakes, and how: mistakes_test.py PROGRAM release|checked [K/N]: all, or
the K-th of N shares. The table in docs/guide/debugging.md is
made of the one here, and compared with it; mistakes_test.py --table prints it."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/guide/debugging.md"
BARRIER = "met the others at a barrier, which does not complete such calls; call fence"
BEYOND = "index or a pointer went beyond its end"
MAYBE = "one-way calls of this rank to the container may be still under way; call fence"
STAGED = "this rank has appended elements, which the next fence adds to the container; call fence"
UNDER_WAY = r"one-way call that changes element \d+ may be still under way"
OWN = r"(at mistakes[.]cpp:\d+.*|in .*span_.*)"  # the line and function of the user; without -g, or by clang++, the function
ENDED = rf"SIGSEGV arose {OWN}\n(.*\n)*rank \d: the container was destroyed, or its elements moved, {OWN}\n(.*\n)*.* was memory of a container until"
NEVER_POPPED = r"rank 0: \"results\" \(am::remote_channel<int>, .*mistakes[.]cpp:\d+\): 100 values were never popped; pop until it"
RECURSION = r"called functions wait at a time, the last one (at mistakes[.]cpp:\d+, )?in .*call_itself.*without end"
COLLECTIVES = "ranks entered different collectives"

# The scene of mistakes.cpp; what it does; what the two libraries say, None: nothing; how it is found, or what helps.
MISTAKES = [
    ("barrier_for_fence_array", "a barrier after one-way calls to an `array`, `vector` or `bag`, then `local()`", None, BARRIER, "`local()` throws"),
    ("barrier_for_fence_map", "the same with a map or set", None, BARRIER, "`local()` throws"),
    ("barrier_for_fence_per_rank", "the same with plain `async` calls that change a `per_rank` or `distributed` object", None, None, "a barrier does not complete calls; call fence"),
    ("nothing_before_a_remote_read", "`x[i]` after one's own `update`, `visit` or `set` of element i, without a fence", None, UNDER_WAY, "`x[i]` throws"),
    ("nothing_before_local", "a loop over `local()` after one's own one-way calls to these elements, without a fence", None, UNDER_WAY, "`begin()` of the span throws"),
    ("nothing_before_an_element_of_local", "`local()[k]` after one's own one-way call to that element, without a fence", None, UNDER_WAY, "`[]` of the span throws"),
    ("only_others_before_local", "a read of `local()` while other ranks have one-way calls to its elements in flight", None, None, "fence before each phase that reads"),
    ("nothing_before_an_algorithm", "an algorithm over elements after one's own one-way calls to them, without a fence", None, UNDER_WAY, "the algorithm throws"),
    ("nothing_before_an_algorithm_over_a_map", "an algorithm over a map or set after one's own one-way calls to it, without a fence", None, MAYBE, "the same"),
    ("nothing_before_size", "`size()` of a `vector` or `bag` after one's own `push_back` or `push`, without a fence", None, STAGED, "`size()` throws"),
    ("nothing_before_size_of_a_map", "`size()` of a map or set after one's own one-way calls to it, without a fence", None, MAYBE, "`size()` throws"),
    ("nothing_before_a_file", "`write_csv`, or another algorithm, after one's own `push_back`, without a fence", None, STAGED, "the operation throws"),
    ("nothing_before_resize", "`resize` or `redistribute` after one's own one-way calls, without a fence", None, MAYBE, "the operation throws"),
    ("barrier_after_push_back", "`push_back`, then a barrier, then `local()`", None, BARRIER, "`local()` throws; a barrier does not append the elements"),
    ("index_of_container", "an index beyond the end of a container", "index 5,000 is out of range", "index 5,000 is out of range", "the operation throws"),
    ("index_of_local", "`local()[i]` beyond the end", None, "Assertion '__idx < size", "`std::span` aborts; the report has the line"),
    ("stencil_beyond_its_halo", "a stencil that reads beyond the halo", None, "the halo of the input is 1 wide there; make it with am::halo.2.", "the stencil throws"),
    ("stencil_without_a_halo", "a stencil over a matrix without a halo", None, "the halo of the input is 0 wide there; make it with am::halo.1.", "the stencil throws"),
    ("local_cell_beyond_the_halo", "`local()(i, j)` of a matrix beyond its halo", None, "this rank's cells and their halo are from -1 to", "the access throws"),
    ("rank_that_does_not_exist", "a rank that does not exist", "rank 2 does not exist", "rank 2 does not exist", "the call throws"),
    ("rank_of_a_team", "a rank of a team used as a rank of the job", None, None, "`team.world_rank(i)`; found only if no such rank exists"),
    ("rank_of_a_team_for_an_object_of_it", "the same for an object of the team, if that rank is not a member", "is no member of the object.s team", "is no member of the object.s team", "`on` throws"),
    ("container_that_was_moved_from", "a container that was moved from", "it has no elements", "it has no elements", "the operation throws"),
    ("handle_of_a_container_that_has_ended", "a handle of a destroyed container", "or it has ended there", "or it has ended there", "the operation throws"),
    ("span_of_a_container_that_has_ended", "the span of `local()` used after the container was destroyed", None, ENDED, "the access ends the rank; the report has its line, and where the container was destroyed"),
    ("span_from_before_the_elements_moved", "the span of `local()` used after the elements moved (`resize`, growth, `redistribute`)", None, ENDED, "the same"),
    ("reference_in_a_call", "a pointer or a captured reference in a call", "is memory of rank . and not of rank|SIGSEGV", "a capture of the closure holds an address", "the call throws; without checks a crash has a hint"),
    ("write_past_an_allocation", "a global pointer beyond its allocation", None, "the pointer has left it|the pointer left the object", "the access throws"),
    ("write_before_an_allocation", "a global pointer before its allocation", None, "it was freed, or the pointer has left it", "the access throws"),
    ("write_past_by_a_plain_pointer", "the same by a plain pointer (`p.local()[i]`, a span)", None, BEYOND, "words after the block are compared at fences and when it is freed"),
    ("pointer_that_was_freed", "a global pointer to memory that was freed", None, "it was freed, or the pointer has left it", "the access throws"),
    ("freed_twice", "memory that is freed twice", "was given back already", "was given back already", "`deallocate` throws"),
    ("collective_of_some_ranks", "a collective that some ranks do not call", COLLECTIVES, COLLECTIVES, "the next collective throws"),
    ("different_roots", "different arguments of a collective", COLLECTIVES, COLLECTIVES, "as above; in the checked library before anything moves"),
    ("function_that_calls_itself", "a function that calls itself without end, and waits", RECURSION, RECURSION, "a message at 50,000 calls that wait on a rank; the job goes on"),
    ("values_that_nobody_pops", "a `remote_channel` that ends with values that nobody has popped", None, NEVER_POPPED, "a message at its end; the job goes on"),
]


def table():
    lines = ["| mistake | found by | how, or what helps |", "|---|---|---|"]
    for _, text, release, checked, how in MISTAKES:
        lines.append(f"| {text} | {'both' if release else 'checked' if checked else 'neither'} | {how} |")
    return "\n".join(lines) + "\n"


class Mistakes(unittest.TestCase):
    def test_each_is_found_or_not_as_the_table_says(self):
        for scene, _, release, checked, how in MISTAKES[SHARE]:
            expected = {"release": release, "checked": checked}[GRADE]
            with self.subTest(scene=scene):
                environment = {**os.environ, "ARMILLA_RANKS": "2", "ARMILLA_PIN": "none", "ARMILLA_FABRIC": "shm",
                               "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"}  # the report is the library's
                job = subprocess.run([PROGRAM, scene], env=environment, capture_output=True, text=True, check=False, timeout=60)
                if expected is None:
                    if GRADE == "checked":  # without checks it may break anything
                        self.assertEqual((job.returncode, job.stderr), (0, ""))
                else:
                    self.assertRegex(job.stderr, expected)
                    self.assertEqual(job.returncode == 0, "the job goes on" in how)
                    self.assertNotRegex(job.stderr, r"\n  (at|in) (?!mistakes[.]cpp|\(anonymous|main)")  # a place, if found in time, is the user's
                    self.assertLessEqual(len(re.findall("^(?:armilla: |  )", job.stderr, re.MULTILINE)), 6)

    def test_each_scene_is_in_the_table(self):
        source = (pathlib.Path(__file__).parent / "mistakes.cpp").read_text(encoding="utf-8")
        self.assertEqual(sorted(re.findall(r"^ +SCENE\((\w+)\)", source, re.MULTILINE)), sorted(each[0] for each in MISTAKES))

    def test_the_page_has_the_table(self):
        self.assertIn(table(), PAGE.read_text(encoding="utf-8"), "mistakes_test.py --table prints what belongs there")


if __name__ == "__main__":
    if sys.argv[1] == "--table":
        print(table(), end="")
    else:
        PROGRAM, GRADE = os.path.abspath(sys.argv[1]), sys.argv[2]
        k, n = map(int, sys.argv[3].split("/")) if len(sys.argv) > 3 else (1, 1)
        SHARE = slice(k - 1, None, n)
        unittest.main(argv=sys.argv[:1])
