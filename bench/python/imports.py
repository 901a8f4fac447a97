#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times `import armilla` beside `import numpy`: bench/python/imports.py. Milliseconds of CPython's start with the import, less those without: medians of 15."""
import os
import subprocess
import sys

from timing import held, milliseconds, tries

TARGETS = {"armilla": 40}


def main():
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run(code):
        return milliseconds(lambda: subprocess.run([sys.executable, "-c", code], check=True, env=variables))

    codes = {"start": "pass", "numpy": "import numpy", "armilla": "import armilla"}
    for code in codes.values():
        run(code)()  # once, for what is read from disk
    took = {name: tries(run(code), 15)["median"] for name, code in codes.items()}
    print("| import | ms |\n|---|---|")
    for name in ("armilla", "numpy"):
        print(f"| {name} | {held(took[name] - took['start'], TARGETS.get(name))} |")


if __name__ == "__main__":
    main()
