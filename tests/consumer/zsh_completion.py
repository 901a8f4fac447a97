#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/consumer/zsh_completion.py PREFIX: what zsh proposes behind the names of the installed programs, asked at a terminal."""
import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import time

COLOURS = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]|\r|\x07|\x08")


class Zsh:
    """An interactive zsh without any user's settings, whose completion finds the programs of the prefix."""

    def __init__(self, prefix):
        self.terminal, other = pty.openpty()
        environment = {"TERM": "dumb", "PATH": f"{prefix}/bin:{os.environ['PATH']}", "LC_ALL": "C"}
        self.process = subprocess.Popen(["zsh", "-f", "-i"], stdin=other, stdout=other, stderr=other, env=environment, start_new_session=True)
        os.close(other)
        self.say(f"PS1='ready> '; unsetopt zle_bracketed_paste; fpath=({prefix}/share/zsh/site-functions $fpath)\n")
        self.say("autoload -U compinit; compinit -D -u; print load''ed\n")
        self.expect("loaded")

    def say(self, text):
        os.write(self.terminal, text.encode())

    def expect(self, text, seconds=30):
        """Reads until the terminal shows the text."""
        shown, end = b"", time.monotonic() + seconds
        while text.encode() not in COLOURS.sub(b"", shown):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.terminal], [], [], left)[0]:
                sys.exit(f"zsh does not show '{text}', but: {shown!r}")
            shown += os.read(self.terminal, 4096)

    def close(self):
        self.process.kill()
        self.process.wait()


def main():
    prefix = pathlib.Path(sys.argv[1]).resolve()
    for program in sorted((prefix / "bin").glob("armilla-*")):
        zsh = Zsh(prefix)
        zsh.say(f"{program.name} --versi\t")
        zsh.expect("--version")
        zsh.close()
    zsh = Zsh(prefix)
    zsh.say("armilla-run --\t")
    zsh.expect("Put [rank] before each line")  # the texts of --help, with the brackets that zsh's own syntax has
    zsh.close()


if __name__ == "__main__":
    main()
