# SPDX-License-Identifier: Apache-2.0
"""What armilla-report can be told."""
import argparse
import pathlib
import re
import sys
import tempfile

from . import compare, look, plan, runner, store

ROOT = pathlib.Path(__file__).resolve().parents[3]  # of the sources; of an installed tree its share/
QUICK_SECONDS = 270  # and the page, 10 to 20 seconds


def folder_for(path):
    """The folder, made if it is not there, into which something can be written."""
    out = pathlib.Path(path)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as why:
        raise store.ReportError(f"{out}: the folder cannot be made ({why.strerror}); name another one") from why
    try:
        with tempfile.TemporaryFile(dir=out):
            return out
    except OSError as why:
        raise store.ReportError(f"{out}: cannot be written to ({why.strerror}); name another folder") from why


def word(text):
    if not text:
        raise argparse.ArgumentTypeError("it is empty")
    return text


def version():
    """Installed it lies in a file, in the sources in the project's CMakeLists.txt."""
    installed, project = pathlib.Path(__file__).resolve().parents[1] / "version", ROOT / "CMakeLists.txt"
    return installed.read_text().strip() if installed.exists() else re.search(r"project\(armilla VERSION ([\d.]+)", project.read_text())[1]


def write_page(results, out):
    """What draws is loaded where it is needed: that takes a second, which a mistyped word need not take."""
    from . import page
    print(f"page: {page.write(results, out)}")


def run(arguments):
    try:
        items = plan.chosen(arguments.programs)
    except ValueError as why:
        raise store.ReportError(str(why)) from why
    build = runner.find_build(ROOT, arguments.build)
    out = folder_for(arguments.out)
    if (out / "results.json").exists():
        results = store.load(out)
        if results["quick"] != arguments.quick:
            raise store.ReportError(f"{out} holds a run {'with' if results['quick'] else 'without'} --quick; name another --out")
    else:
        results = store.empty(arguments.quick)
    work = runner.Runner(ROOT, build, results, out, arguments.quick, lambda text: print(text, flush=True),
                         QUICK_SECONDS if arguments.quick else None)
    try:
        work.run_all(items)
    except KeyboardInterrupt:
        print(f"stopped; the same command goes on from {out / 'results.json'}")
        return 130
    finally:
        if results["experiments"]:
            write_page(results, out)
    return 0


def draw(arguments):
    write_page(store.load(arguments.out), arguments.out)
    return 0


def show_changes(arguments):
    print(compare.text(store.load(arguments.before), store.load(arguments.after)))
    return 0


def show_trace(arguments):
    from . import trace
    print(trace.describe(arguments.file, arguments.out))
    return 0


def take_picture(arguments):
    from . import overview
    stem = pathlib.Path(arguments.out)
    folder_for(stem.parent)
    print("\n".join(map(str, overview.write(store.load(arguments.results), stem))))
    return 0


def take_look(arguments):
    files, wrong = look.look(arguments.out, arguments.piece)
    print("\n".join([*map(str, files), *wrong]))
    return 1 if wrong else 0


def parser():
    top = argparse.ArgumentParser(prog="armilla-report", description="Runs the papers' programs beside their baselines and draws what came out.")
    top.add_argument("--version", action="version", version=f"armilla-report (Armilla) {version()}", help="print the version and exit")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("run", help="run any or all programs; goes on where an earlier run into the same folder stopped")
    one.add_argument("--out", required=True, type=word, metavar="DIR", help="for results.json, index.html and figures/")
    one.add_argument("--quick", action="store_true", help="small sizes and few rounds: five minutes")
    one.add_argument("--build", type=word, metavar="DIR", help="the build to run (default: the installed programs, or build/release)")
    one.add_argument("programs", nargs="*", metavar="PROGRAM", help="of: " + ", ".join(item.id for item in plan.ITEMS))
    one.set_defaults(do=run)
    one = commands.add_parser("page", help="draw the page of a run once more")
    one.add_argument("out", type=word, metavar="DIR")
    one.set_defaults(do=draw)
    one = commands.add_parser("compare", help="what changed between two runs beyond the noise")
    one.add_argument("before", type=word, metavar="A", help="results.json, or the folder of a run")
    one.add_argument("after", type=word, metavar="B")
    one.set_defaults(do=show_changes)
    one = commands.add_parser("picture", help="the ratios of a run with their targets as STEM-light.svg and STEM-dark.svg; docs/perf/report shows in the README")
    one.add_argument("results", type=word, metavar="DIR", help="the folder of a run, or its results.json")
    one.add_argument("--out", required=True, type=word, metavar="STEM")
    one.set_defaults(do=take_picture)
    one = commands.add_parser("look", help="show the page of a run to a headless browser, in light and dark, as a phone and a desk: pictures in DIR/look")
    one.add_argument("out", type=word, metavar="DIR")
    one.add_argument("--piece", type=int, default=look.TALLEST, metavar="N", help="cut the pictures into pieces of N pixels' height")
    one.set_defaults(do=take_look)
    one = commands.add_parser("trace", help="totals, sizes and traffic of a file of ARMILLA_TRACE")
    one.add_argument("file", type=word)
    one.add_argument("--out", type=word, metavar="DIR", help="for traffic.svg and sizes.svg")
    one.set_defaults(do=show_trace)
    return top


def main(words=None):
    arguments = parser().parse_args(words)
    try:
        return arguments.do(arguments)
    except store.ReportError as why:
        print(f"armilla-report: {why}", file=sys.stderr)
        return 2
