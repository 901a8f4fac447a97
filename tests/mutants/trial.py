# SPDX-License-Identifier: Apache-2.0
"""Tests of ctest run one by one, with and without a mutant: which reach it, and which one fails."""
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
import uuid

NO_MUTANT = 0
TAG = "MUTANTS_RUN"


class Test:
    """One test as ctest knows it."""

    def __init__(self, entry, graph):
        values = {p["name"]: p["value"] for p in entry["properties"]}
        self.name, self.command = entry["name"], entry.get("command")
        self.environment = dict(pair.split("=", 1) for pair in values.get("ENVIRONMENT", []))
        self.folder = values.get("WORKING_DIRECTORY")
        self.timeout = values.get("TIMEOUT", 120)
        self.skip_code = values.get("SKIP_RETURN_CODE")
        self.expects = values.get("PASS_REGULAR_EXPRESSION")
        self.serial = values.get("RUN_SERIAL", False)
        self.layer = layer_of(entry, graph)
        self.seconds = None  # without a mutant
        self.reached = set()  # numbers of mutants


def layer_of(entry, graph):
    """The layer whose CMakeLists.txt has the test, or None."""
    at = entry.get("backtrace")
    while at is not None:
        node = graph["nodes"][at]
        found = re.search(r"armilla/(\w+)/CMakeLists.txt$", graph["files"][node["file"]])
        if found:
            return found.group(1)
        at = node.get("parent")
    return None


def listed(build, selection):
    """The tests that ctest selects by these options."""
    out = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", *selection], check=True, stdout=subprocess.PIPE).stdout
    all_of_them = json.loads(out)
    return [Test(entry, all_of_them["backtraceGraph"]) for entry in all_of_them["tests"] if "command" in entry]


def commands(build):
    """{test: words of its command}, also of tests whose programs are not built yet, of which ctest says nothing."""
    found = {}
    for folder, _, names in os.walk(build):
        if "CTestTestfile.cmake" in names:
            with open(os.path.join(folder, "CTestTestfile.cmake"), encoding="utf-8") as f:
                for name, words in re.findall(r"^add_test\(\[=*\[(.*?)\]=*\] (.*)\)$", f.read(), re.MULTILINE):
                    found[name] = re.findall(r'"((?:[^"\\]|\\.)*)"', words)
    return found


def targets_of(selection, build):
    """What ninja has to make for the tests that ctest selects: the files of the build that their commands name."""
    known = {line.split(":")[0] for line in subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], check=True, text=True,
                                                           stdout=subprocess.PIPE).stdout.split("\n")}
    out = subprocess.run(["ctest", "--test-dir", build, "-N", *selection], check=True, text=True, stdout=subprocess.PIPE).stdout
    all_of_them = commands(build)
    names = re.findall(r"^ *Test +#\d+: (\S+)", out, re.MULTILINE)
    files = {os.path.relpath(word, build) for name in names for word in all_of_them.get(name, []) if word.startswith(build + "/")}
    return sorted(files & known)


def kill_tagged(tag):
    """Kills what a test has left, as ranks do not always share a process group."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                if f"{TAG}={tag}".encode() in f.read().split(b"\0"):
                    os.kill(int(pid), signal.SIGKILL)
        except OSError:
            pass


class Result:
    def __init__(self, outcome, seconds, output):
        self.outcome, self.seconds, self.output = outcome, seconds, output  # passed, skipped, timeout, or what failed

    @property
    def failed(self):
        return self.outcome not in ("passed", "skipped")


serial = threading.Lock()


def run(test, mutant, timeout, reached=None):
    """One run of a test. `reached`: the folder in which processes note the mutants that they reach."""
    tag = uuid.uuid4().hex
    environment = {**os.environ, **test.environment, "MUTANTS_TEST": test.name, TAG: tag}
    if mutant != NO_MUTANT:
        environment["MUTANT"] = str(mutant)
    if reached:
        environment["MUTANTS_REACHED"] = reached
    if test.serial:
        with serial:
            return run_now(test, environment, timeout, tag)
    return run_now(test, environment, timeout, tag)


def run_now(test, environment, timeout, tag):
    begun = time.monotonic()
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        try:
            process = subprocess.Popen(test.command, env=environment, cwd=test.folder, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.STDOUT, start_new_session=True)
        except OSError as error:
            return Result(f"does not start: {error.strerror}", 0, "")
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            code = None
            os.killpg(process.pid, signal.SIGKILL)
        kill_tagged(tag)
        process.wait()
        output.seek(0)
        text = output.read()
    return Result(outcome(test, code, text), time.monotonic() - begun, text)


def outcome(test, code, text):
    if code is None:
        return "timeout"
    if test.skip_code is not None and code == test.skip_code:
        return "skipped"
    if test.expects:
        return "passed" if any(re.search(e, text) for e in test.expects) else "prints something else"
    if code == 0:
        return "passed"
    return f"signal {-code}" if code < 0 else f"exit code {code}"


# --- without a mutant ------------------------------------------------------------------------------------------------
def record(tests, folder, jobs, say):
    """Runs each test without a mutant: its time, and the mutants that it reaches. Returns those that fail, which are of no use."""
    os.makedirs(folder, exist_ok=True)
    failing, done = [], []

    def one(test):
        result = run(test, NO_MUTANT, test.timeout, folder)
        if result.failed and result.outcome != "timeout":
            result = run(test, NO_MUTANT, test.timeout, folder)
        test.seconds = result.seconds
        if result.failed:
            failing.append((test.name, result.outcome))
        done.append(test)
        if len(done) % 50 == 0:
            say(f"recorded {len(done)} of {len(tests)}")

    in_parallel(one, tests, jobs)
    by_name = {test.name: test for test in tests}
    for name in os.listdir(folder):
        number, test = name.split(".", 1)
        if test in by_name:
            by_name[test].reached.add(int(number))
    return failing


def in_parallel(do, items, jobs):
    """Calls do(item) for all of them, `jobs` at a time, in order."""
    left, lock = iter(items), threading.Lock()

    def work():
        while True:
            with lock:
                item = next(left, None)
            if item is None:
                return
            do(item)

    threads = [threading.Thread(target=work) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# --- with one --------------------------------------------------------------------------------------------------------
def ordered(tests, layer):
    """One run of each program before the second of any; those of the mutant's layer first, then the quickest."""
    rounds, order = {}, []
    for test in sorted(tests, key=lambda t: t.seconds):
        program = tuple(test.command)
        rounds[program] = rounds.get(program, -1) + 1
        order.append((rounds[program], test.layer != layer, test.seconds, test))
    return [entry[-1] for entry in sorted(order, key=lambda entry: entry[:3])]


def try_mutant(number, layer, tests, limit):
    """Runs the tests that reach a mutant until one fails. Returns what is known of it then."""
    reaching = ordered([test for test in tests if number in test.reached], layer)
    begun, ran = time.monotonic(), 0
    for test in reaching:
        if time.monotonic() - begun > limit:
            return {"result": "survives", "reached_by": len(reaching), "ran": ran, "limited": True}
        result = run(test, number, 3 * test.seconds + 10)
        ran += 1
        if result.failed and is_confirmed(test, number, result):
            return {"result": "caught", "by": test.name, "how": result.outcome, "output": telling(result.output),
                    "reached_by": len(reaching), "ran": ran}
    return {"result": "survives" if reaching else "not reached", "reached_by": len(reaching), "ran": ran}


def is_confirmed(test, number, result):
    """A timeout counts if the test passes without the mutant right after it, and hangs again beside that time; another failure, if it
    comes again."""
    if result.outcome == "timeout":
        without = run(test, NO_MUTANT, 6 * test.seconds + 60)
        return not without.failed and run(test, number, 5 * without.seconds + 20).failed
    again = run(test, number, 3 * test.seconds + 10)
    return again.failed or run(test, number, 3 * test.seconds + 10).failed


def telling(output):
    """A line or three of the output that show what failed."""
    lines = [line for line in output.split("\n") if re.search(r"fail|error|expected|FAILED|assert|terminate|differ|lost|died", line, re.IGNORECASE)]
    return "\n".join((lines or output.strip().split("\n"))[:3])[:400]
