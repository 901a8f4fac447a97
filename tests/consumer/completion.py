#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/consumer/completion.py PREFIX: what bash and zsh, where it is installed, propose behind the names of the installed programs, asked at a terminal."""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

COLORS = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]|\r|\x07|\x08")
READY = "completion is ready"
START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], ["bind 'set enable-bracketed-paste off'", "for file in {prefix}/share/bash-completion/completions/*; do . $file; done"]),
    "zsh": (["zsh", "-f", "-i"], ["unsetopt zle_bracketed_paste; fpath=({prefix}/share/zsh/site-functions $fpath)", "autoload -U compinit; compinit -D -u"]),
}


class Terminal:
    """An interactive shell without any user's settings, in which the completion of the prefix is set up."""

    def __init__(self, shell, prefix, folder):
        self.terminal, other = pty.openpty()
        self.shell, self.shown = shell, b""
        command, lines = START[shell]
        environment = {"TERM": "dumb", "PATH": f"{prefix}/bin:{os.environ['PATH']}", "LC_ALL": "C", "HOME": str(folder)}
        self.process = subprocess.Popen(command, cwd=folder, stdin=other, stdout=other, stderr=other, env=environment, start_new_session=True)
        os.close(other)
        for line in [*lines, "echo completion is rea''dy"]:
            self.say(line.format(prefix=prefix) + "\n")
        self.expect(READY)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)

    def say(self, text):
        os.write(self.terminal, text.encode())

    def expect(self, text, seconds=30):
        """Reads until the terminal shows the text, behind what was expected before."""
        end = time.monotonic() + seconds
        while text.encode() not in COLORS.sub(b"", self.shown):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.terminal], [], [], left)[0]:
                sys.exit(f"{self.shell} does not show '{text}', but: {self.shown!r}")
            self.shown += os.read(self.terminal, 4096)
        self.shown = COLORS.sub(b"", self.shown).partition(text.encode())[2]

    def completes(self, line, rest):
        """The tab key behind the line adds the rest; the line is then given up."""
        self.say(line + "\t")
        self.expect(line + rest)
        self.say("\x15")  # control-U


def options_of(program):
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
    return sorted(set(re.findall(r"(?m)^ {2,6}(?:-\w+, )*(--[a-z][a-z-]*)", text)))


def main():
    prefix = pathlib.Path(sys.argv[1]).resolve()
    programs = sorted((prefix / "bin").glob("armilla-*"))
    assert {"armilla-c++", "armilla-info", "armilla-run", "armilla-top"} <= {program.name for program in programs}
    for shell in START:
        if not shutil.which(shell):
            print(f"{shell} is not installed")
            continue
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "weather.cpp").touch()
            for program in programs:
                options = options_of(program)
                with Terminal(shell, prefix, folder) as terminal:
                    for option in options:
                        shortest = next(option[:end] for end in range(3, len(option) + 1) if sum(other.startswith(option[:end]) for other in options) == 1 or end == len(option))
                        terminal.completes(f"{program.name} {shortest}", option[len(shortest):])
                    terminal.completes(f"{program.name} ./wea", "ther.cpp")
                    terminal.completes(f"{program.name} --version wea", "ther.cpp")
                print(f"{shell}: {program.name}: {len(options)} options, and files")
            with Terminal(shell, prefix, folder) as terminal:
                terminal.completes("armilla-run --hostfile wea", "ther.cpp")  # the value of an option
                terminal.completes("armilla-run -n 2 ./wea", "ther.cpp")
                terminal.completes("armilla-c++ -O2 wea", "ther.cpp")  # an option of the compiler
                if shell == "zsh":
                    terminal.say("armilla-run --\t")
                    terminal.expect("Print [rank] before each line")  # the texts of --help, with the brackets that zsh's own syntax has


if __name__ == "__main__":
    main()
