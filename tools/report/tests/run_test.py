#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""armilla-report run: the plan, the runner, verdicts and the page, from what real programs printed once."""
import dataclasses
import json
import pathlib
import re
import sys
import tempfile
import unittest
import xml.dom.minidom

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
from armilla_report import beside, gap, judge, lines, plan, python, runner, spec, store  # noqa: E402

import recorded  # noqa: E402

EM3D = next(item for item in plan.ITEMS if item.id == "em3d")


def record(version, rounds, unit="ns/edge", by="armilla", **size):
    return {"command": "c", "program": "p", "version": version, "by": by, "ranks": 2, "fabric": "shm", "size": size, "unit": unit,
            "rounds": rounds}


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.said = []

    def runner(self, results=None, build=None, **how):
        build = build or recorded.make_build(self.folder / "build")
        results = results or store.empty(True)
        return runner.Runner(HERE.parents[2], build, results, self.folder, quick=True, say=self.said.append, **how)

    def test_takes_rounds_of_all_commands_and_leaves_out_what_is_not_built(self):
        work = self.runner()
        work.run_all([EM3D])
        entry = work.results["experiments"]["em3d"]
        self.assertEqual(entry["state"], "done")
        self.assertEqual(entry["rounds"], EM3D.quick_rounds)
        self.assertTrue(all(len(r["rounds"]) == EM3D.quick_rounds for r in entry["records"]))
        self.assertEqual(entry["left_out"]["mpi"], "paper_em3d_mpi is not built")
        self.assertGreater(len(work.results["yardsticks"]), 0)
        self.assertEqual(store.load(self.folder)["experiments"]["em3d"]["rounds"], EM3D.quick_rounds)

    def test_what_is_wanted_once_runs_once(self):
        work = self.runner()
        once = dataclasses.replace(EM3D, id="once", quick_rounds=1)
        work.run_all([EM3D, once])
        self.assertEqual(work.results["experiments"]["em3d"]["rounds"], EM3D.quick_rounds)
        self.assertEqual(work.results["experiments"]["once"]["rounds"], 1)

    def test_goes_on_where_it_stopped(self):
        work = self.runner()
        work.run_all([EM3D])
        entry = work.results["experiments"]["em3d"]
        entry["state"], entry["rounds"] = "begun", 1
        for r in entry["records"]:
            r["rounds"] = r["rounds"][:1]
        again = self.runner(work.results, work.build)
        again.run_all([EM3D])
        self.assertEqual({len(r["rounds"]) for r in entry["records"]}, {EM3D.quick_rounds})
        again.run_all([EM3D])
        self.assertIn("there already", self.said[-1])

    def test_says_why_nothing_ran(self):
        work = self.runner(build=recorded.make_build(self.folder / "empty", ()))
        work.run_all([EM3D])
        entry = work.results["experiments"]["em3d"]
        self.assertEqual(entry["state"], "skipped")
        self.assertIn("paper_em3d is not built", entry["why"])

    def test_a_program_that_fails_or_is_wrong_is_left_out(self):
        build = recorded.make_build(self.folder / "bad")
        recorded.write(build / "bin" / "papers" / "paper_em3d", "#!/bin/sh\necho 'no such option' >&2\nexit 2\n")
        work = self.runner(build=build)
        work.run_all([EM3D])
        self.assertEqual(work.results["experiments"]["em3d"]["state"], "failed")
        self.assertIn("ended with code 2: no such option", work.results["experiments"]["em3d"]["why"])
        line = json.loads(recorded.lines("paper_em3d.jsonl")[0])
        with self.assertRaisesRegex(runner.Failed, "wrong results"):
            runner.parse_line(json.dumps(line | {"verified": False}), EM3D.commands[0])
        with self.assertRaisesRegex(runner.Failed, "without a usable 'samples'"):
            runner.parse_line(json.dumps({k: v for k, v in line.items() if k != "samples"}), EM3D.commands[0])

    def test_stops_when_the_time_is_used_up(self):
        work = self.runner(budget=-1)
        work.run_all([EM3D])
        entry = work.results["experiments"]["em3d"]
        self.assertEqual((entry["state"], entry["why"]), ("skipped", "the time was used up"))

    def test_time_that_is_left_goes_to_noisy_ratios_with_a_target(self):
        short = dataclasses.replace(EM3D, commands=(EM3D.commands[2],), figures=())
        build = recorded.make_build(self.folder / "noisy")
        for seconds, rounds in ((60, runner.MOST_ROUNDS), (None, EM3D.quick_rounds)):
            recorded.make_noisy(build / "bin" / "papers" / "paper_em3d")
            work = self.runner(build=build, budget=seconds)
            work.run_all([short])
            self.assertEqual(work.results["experiments"]["em3d"]["rounds"], rounds)
        recorded.make_build(self.folder / "quiet")
        work = self.runner(build=self.folder / "quiet", budget=60)
        work.run_all([short])
        self.assertEqual(work.results["experiments"]["em3d"]["rounds"], EM3D.quick_rounds)

    def test_rounds_in_which_a_program_was_missing_make_no_pairs(self):
        work = self.runner()
        entry = {"rounds": 0, "records": []}
        line = json.loads(recorded.lines("paper_em3d.jsonl")[0])
        for entry["rounds"], labels in enumerate((["a", "b"], ["a"], ["a", "b"])):
            for label in labels:
                work.add(entry, dataclasses.replace(EM3D.commands[0], label=label), line | {"samples": [entry["rounds"] + 1.0]})
        a, b = entry["records"]
        self.assertEqual((a["rounds"], b["rounds"]), ([[1], [2], [3]], [[1], [], [3]]))
        self.assertEqual(judge.pairs_of(spec.Target("t", {}, {}), a, b), [1, 1])

    def test_a_round_that_was_broken_off_does_not_count(self):
        work = self.runner()
        work.run_all([EM3D])
        entry = work.results["experiments"]["em3d"]
        entry["state"], entry["rounds"] = "begun", 2  # as if stopped in the third, after its last program
        self.runner(work.results, work.build).run_all([EM3D])
        self.assertEqual({len(r["rounds"]) for r in entry["records"]}, {3})
        self.assertEqual({len(samples) for r in entry["records"] for samples in r["rounds"]},
                         {len(entry["records"][0]["rounds"][0])})

    @unittest.skipIf(python.missing(), "needs " + ", ".join(python.missing()))
    def test_makes_a_page_of_one_file_and_figures(self):
        from armilla_report import page
        work = self.runner(build=recorded.make_build(self.folder / "build", ("paper_em3d", "paper_em3d_mpi")))
        calls = next(item for item in plan.ITEMS if item.id == "calls")
        work.run_all([calls, EM3D])
        entry = work.results["experiments"]["em3d"]
        for r in recorded.lines("paper_em3d_mpi.jsonl"):  # as if there were an mpirun
            for entry["rounds"] in range(3):
                work.add(entry, EM3D.commands[2], json.loads(r))
        entry["rounds"] = 3
        text = page.write(work.results, self.folder).read_text()
        self.assertNotRegex(text, r'(src|href)="(?!#)')  # nothing from elsewhere
        self.assertIn("prefers-color-scheme", text)
        self.assertNotIn("#0101", text)  # every stand-in has its colour
        names = re.findall(r'\bid="([^"]+)"', text)
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("base: global pointers / MPI", text)
        pictures = list((self.folder / "figures").glob("*.svg"))
        self.assertGreater(len(pictures), 2)
        for picture in pictures:
            xml.dom.minidom.parse(str(picture))


class Judge(unittest.TestCase):
    def target(self, **more):
        return spec.Target("t", {"by": "armilla"}, {"by": "mpi"}, **more)

    def test_ratios_are_of_rounds(self):
        ours, base = record("a", [[2], [4], [6]], n=1), record("b", [[1], [4], [3]], by="mpi", n=1)
        [v] = judge.judge(self.target(limit=1.5, on=("n",)), [ours, base])
        self.assertEqual((v.ratio, v.low, v.high, v.pairs), (2, 1, 2, 3))
        self.assertFalse(v.reached)
        self.assertTrue(v.noisy)

    def test_more_is_better_for_rates(self):
        ours, base = record("a", [[50]] * 3, "GF/s"), record("b", [[100]] * 3, "GF/s", "mpi")
        [v] = judge.judge(self.target(limit=1.0), [ours, base])
        self.assertEqual(v.ratio, 2)
        [v] = judge.judge(self.target(limit=0.4, share=True), [ours, base])
        self.assertEqual((v.ratio, v.reached, v.noisy), (0.5, True, False))
        self.assertAlmostEqual(v.of_limit, 0.8)

    def test_the_best_of_several_baselines_counts(self):
        records = [record("a", [[3]], n=1), record("b", [[4]], by="mpi", n=1), record("c", [[2]], by="mpi", n=1),
                   record("c", [[1]], by="mpi", n=2)]
        [v] = judge.judge(self.target(on=("n",)), records)
        self.assertEqual((v.ratio, v.base["version"], v.where), (1.5, "c", {"n": 1}))

    def test_a_baseline_counts_at_its_best_size_where_that_is_asked(self):
        records = [record("a", [[60]], "GF/s", block=16), record("b", [[40]], "GF/s", "mpi", block=16), record("b", [[80]], "GF/s", "mpi", block=64)]
        [v] = judge.judge(self.target(on=("block",), share=True, peak=True), records)
        self.assertEqual((v.ratio, v.where), (0.75, {"block": 16}))
        [v] = judge.judge(self.target(on=("block",), share=True), records)
        self.assertEqual(v.ratio, 1.5)

    def test_the_share_of_dgemm_is_of_all_versions_but_dgemm(self):
        target = next(item for item in plan.ITEMS if item.id == "mm").targets[0]
        for version, right in (("get", True), ("double-buffered", True), ("direct", True), ("dgemm", False)):
            self.assertEqual(judge.fits(record(version, [[1]]) | {"command": "armilla"}, target.ours), right, version)

    def test_a_published_speed_is_a_limit_only_where_the_hardware_is_as_it_was_there(self):
        target = spec.Target("t", {}, {}, 1.0, ("class",), published=lambda size: {"A": 50}.get(size["class"]))
        records = [record("a", [[2.0], [4.0]], "s", **{"class": "A"}, operations=200_000_000),
                   record("a", [[2.0]], "s", **{"class": "B"}, operations=200_000_000)]
        [v] = judge.judge(target, records, 100)
        self.assertEqual((v.ratio, v.limit, v.where), (0.75, 1.0, {"class": "A"}))
        self.assertIsNone(judge.judge(target, records, 400)[0].limit)
        self.assertIsNone(judge.judge(target, records)[0].limit)


class Beside(unittest.TestCase):
    def test_our_rows_have_the_columns_of_the_papers_tables(self):
        def on(ranks, *rest, **more):
            return record(*rest, **more) | {"ranks": ranks}

        entries = {"ping": [record("flag", [[250.0]], by="line", pings=1), record("one_way_calls", [[1500.0]], pings=1, aggregation=1),
                            record("two_way_calls", [[2000.0]], pings=1, aggregation=1), record("one_way_calls", [[9.0]], pings=100, aggregation=1)],
                   "inner": [on(2, "collect", [[30.0]], "ms"), on(2, "openmp", [[20.0], [40.0]], "ms", "openmp")],
                   "cg_counts": [on(4, "two-sided", [[1]], by="mpi", **{"class": "A"}) | {"counts": {"Send": 2790, "bytes": 2790 * 11760}}]}
        rows = {}
        for name, records in entries.items():
            item = next(item for item in plan.ITEMS if item.id == name)
            rows[name] = item.ours({"records": records})
            self.assertEqual({len(row) for row in rows[name]}, {len(item.table[0])}, name)
            self.assertEqual(item.ours({"records": []}), [])
        self.assertEqual(rows["ping"], [("here, shared memory (explicit: a flag)", "0.25", "1.5", "2")])
        self.assertEqual([row[2] for row in rows["inner"]], ["0.03", "0.03", "1.00"])
        self.assertEqual([row[2] for row in rows["cg_counts"]], ["2,790", "11.8", "31.3"])


class Bench(unittest.TestCase):
    @unittest.skipIf(python.missing(), "needs " + ", ".join(python.missing()))
    def test_a_row_that_was_taken_apart_is_not_compared_with_itself(self):
        from armilla_report import page
        parts = {name: 1.4 for name in ("total", "messages", "threads", "yields", "creates", "syncs", "runtime", "body")}
        row = {"name": "word0_mpmd", "baseline": "word0", "ratio": 1.01, "components": parts,
               "more_baselines": [{"baseline": "mpi_rtt", "ratio": .8}, {"baseline": "word0", "ratio": .7}]}
        self.assertEqual(page.against(row), [("within one program", 1.01), ("mpi_rtt", .8)])
        self.assertEqual(page.parts_of(row), "1 = 1 + 1 (1 switches, 1 locks) + 1 + 1")
        self.assertEqual((page.against({"name": "a"}), page.parts_of({"name": "a"})), ([], ""))


class Scaling(unittest.TestCase):
    @unittest.skipIf(python.missing(), "needs " + ", ".join(python.missing()))
    def test_is_against_the_least_size(self):
        from armilla_report import figures
        self.assertEqual(figures.times_as_fast({1: 8.0, 2: 4.0, 4: 16.0}, rate=False), {1: 1, 2: 2, 4: .5})
        self.assertEqual(figures.times_as_fast({1: 8.0, 2: 16.0}, rate=True), {1: 1, 2: 2})
        records = [record("a", [[8.0 / n]], "ms", keys=10) | {"ranks": n} for n in (1, 2, 4)] + [record("a", [[1.0]], "ms", keys=99)]
        [(title, svg)] = figures.scaling(spec.Figure("scaling", "Sort", "ranks"), {"records": records}, [])
        self.assertEqual((title, "<svg" in svg), ("Sort, keys 10", True))


class Components(unittest.TestCase):
    def entry(self, version, wall, **parts):
        names = ("cpu", "net", "thread_mgmt", "thread_sync", "runtime")
        return {"version": version, "command": "messages", "size": {"nodes": 200}, "ns_per_border": 10,
                "components": {name: parts.get(name, 0.0) for name in names} | {"wall": wall, "borders": 1e7}}

    def test_the_gap_between_ccpp_and_splitc_is_shared_out(self):
        entry = {"components": [self.entry("base/splitc", 1.0, cpu=.4, net=.6), self.entry("bulk/splitc", 1.0, cpu=1.0),
                                self.entry("base/ccpp", 3.0, cpu=.4, net=1.0, thread_mgmt=.2, thread_sync=.4, runtime=1.0),
                                self.entry("bulk/ccpp", .9, cpu=.9)]}
        base, bulk = gap.rows_of("em3d", entry)
        self.assertAlmostEqual(base["gap"], 200)
        for mine, right in zip(base["shares"], (30, 10, 20, 50, 20, 0)):
            self.assertAlmostEqual(mine, right)
        self.assertEqual((bulk["version"], round(bulk["gap"]), bulk["shares"]), ("bulk/ccpp", -10, None))
        entry = {"components": [self.entry("splitc", 1.0, cpu=1.0), self.entry("ccpp", 2.0, cpu=1.0, runtime=1.0), self.entry("calls", 2.0, cpu=2.0)]}
        self.assertEqual([(row["version"], round(row["gap"])) for row in gap.rows_of("lu", entry)], [("ccpp", 100)])
        self.assertEqual(gap.rows_of("mm", entry), [])

    @unittest.skipIf(python.missing(), "needs " + ", ".join(python.missing()))
    def test_says_how_well_the_components_fill_the_time_and_what_that_costs(self):
        from armilla_report import figures, page
        rows = figures.component_rows({"components": [self.entry("a", 1.0, cpu=.6, net=.4), self.entry("b", 1.0, cpu=.9)]})
        self.assertEqual([round(r["filled"]) for r in rows], [100, 90])
        self.assertEqual(page.filled_words(rows), "The components sum up to 90 to 100 % of the wall clock, within 5 % of it in 1 of 2 versions and sizes; "
                                                  "taking the times cost about 10 % of it.")


class Lines(unittest.TestCase):
    def test_counts_code_between_marks(self):
        text = "a;\n// parallel\nb();  // c\n\n  // only words\n{\nd;\n}\n// end of parallel\ne;\n"
        self.assertEqual(lines.count(text), 2)
        self.assertIsNone(lines.count("a;\n"))
        self.assertIsNone(lines.count_file(HERE, "../../../../etc/passwd"))


class Store(unittest.TestCase):
    def test_refuses_what_is_not_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.json"
            for text in ("", "[1]", "{}", '{"armilla_report": 99}'):
                path.write_text(text)
                with self.assertRaises(store.ReportError):
                    store.load(folder)

    def test_noise_is_the_middle_half(self):
        self.assertEqual(store.spread_of([1, 1, 1, 1, 100]), 0)
        self.assertAlmostEqual(store.spread_of([8, 10, 12]), 0.2)


if __name__ == "__main__":
    unittest.main()
