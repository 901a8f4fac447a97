#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/guide/linux-calls.txt and the code agree on what is used of Linux: linux_test.py FILE..., which are libraries and programs."""
import functools
import glob
import pathlib
import re
import subprocess
import sys
import sysconfig
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = sys.argv[1:]
PAGE = (ROOT / "docs/guide/linux-calls.txt").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \| ([\d.]+) \| (.+?) \| (.*?) ?\| (.*?) ?\|$", re.MULTILINE)
MULTIARCH = sysconfig.get_config_var("MULTIARCH")
SOURCES = [path for folder in ("armilla", "backends", "tools") for path in (ROOT / folder).rglob("*") if path.suffix in (".cpp", ".hpp")
           and not path.stem.endswith("_test") and "conformance" not in path.parts]
# Constants whose meaning depends on the kernel.
OPERATIONS = r"\b(?:MADV|PR|MEMBARRIER_CMD|FUTEX)_[A-Z_0-9]+\b"
# What the C library calls otherwise than the kernel.
WRAPPERS = {"eventfd": "eventfd2", "signalfd": "signalfd4", "waitpid": "wait4", "pread": "pread64", "pwrite": "pwrite64"}


@functools.cache
def text_of_sources():
    comments = re.compile(r"//[^\n]*")
    return "\n".join(comments.sub("", path.read_text(encoding="utf-8")) for path in SOURCES)


@functools.cache
def calls_of_kernel():
    """Names of system calls, of this machine's and of new ones."""
    headers = glob.glob("/usr/include/asm-generic/unistd.h") + glob.glob(f"/usr/include/{MULTIARCH}/asm/unistd_64.h") + glob.glob(f"/usr/include/{MULTIARCH}/asm/unistd.h")
    return {name for header in headers for name in re.findall(r"\b__NR(?:3264)?_(\w+)", pathlib.Path(header).read_text(encoding="utf-8"))} | set(WRAPPERS)


@functools.cache
def called_by(file):
    words = ["nm", "--undefined-only", *(["-D"] if file.endswith(".so") or "/bin/" in file else []), file]
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    symbols = {re.sub(r"@.*", "", line.split()[1]) for line in listed.splitlines() if len(line.split()) == 2}
    return {re.sub(r"^_+|64(_2)?$", "", name) for name in symbols} & (calls_of_kernel() - {"syscall"})


class Linux(unittest.TestCase):
    def setUp(self):
        self.rows = {name: (where, tests) for name, _, _, where, tests in ROW.findall(PAGE)}
        self.code = text_of_sources()
        beside = PAGE.split("## Beside these")[1]
        self.old = set(re.findall(r"`(\w+)`", beside))
        self.used = set().union(*(called_by(file) for file in FILES)) | set(re.findall(r"\bSYS_(\w+)", self.code))

    def test_the_table_is_read(self):
        self.assertGreater(len(self.rows), 25)
        self.assertEqual(len(self.rows), len(re.findall(r"^\| `", PAGE, re.MULTILINE)), "a row that is written otherwise")
        self.assertFalse(set(self.rows) & self.old)

    def test_every_call_of_the_code_is_on_the_page(self):
        self.assertIn("memfd_create", self.used)
        self.assertEqual(sorted(self.used - set(self.rows) - self.old - {"wait4", "waitpid", "exit"}), [])

    def test_every_operation_of_the_code_is_in_the_table(self):
        self.assertEqual(sorted(set(re.findall(OPERATIONS, self.code)) - set(self.rows)), [])

    def test_every_name_of_the_page_is_in_the_code(self):
        for name in self.rows:
            self.assertRegex(self.code, rf"\b(SYS_)?{name}\b", f"{name} of the table is used nowhere")
        self.assertEqual(sorted(self.old - self.used - {"exit", "execve"}), [], "named as used, and is not")

    def test_what_the_table_calls_denied_is_denied(self):
        denied = (ROOT / "tests/start/deny_test.py").read_text(encoding="utf-8") + (ROOT / "tests/launched/launched_test.py").read_text(encoding="utf-8")
        known = (ROOT / "tests/start/deny.cpp").read_text(encoding="utf-8")
        untested = []
        for name, (_, tests) in self.rows.items():
            if not tests:
                untested.append(name)
                continue
            under = re.search(r"as `(\w+)`", tests)
            call = under[1] if under else name
            if call == "futex":  # by its operations, as threads of the C library need it, too
                continue
            self.assertIn(f'"{call}"', known, f"deny.cpp does not know {call}")
            self.assertRegex(denied, rf'["\', ]{call}["\',]', f"no test denies {call}")
        self.assertEqual(untested, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
