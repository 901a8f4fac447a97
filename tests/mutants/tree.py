# SPDX-License-Identifier: Apache-2.0
"""The copy of the tree that holds all mutants at once, and its build."""
import filecmp
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

from schema import combine, overlap, schemata
import sample

HERE = os.path.dirname(os.path.abspath(__file__))
DROPPED_OPTIONS = {"-c", "-Winvalid-pch"}


def say(*words):
    print(*words, flush=True)


class Tree:
    """A copy of the project's files, made by git, in `root`, built in `root`/build/tests."""

    def __init__(self, project, root):
        self.project, self.root = project, root
        self.build = os.path.join(root, "build/tests")
        self.originals = {}  # path: text, of files that hold mutants
        self.schemas = {}  # path: {number: (start, end, text)}
        self.includers = None

    def copy(self):
        """Files that are as they were keep their time, so that a second run builds little."""
        files = subprocess.run(["git", "-C", self.project, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True,
                               stdout=subprocess.PIPE).stdout.decode().split("\0")
        files = {name: os.path.join(self.project, name) for name in files if name and os.path.isfile(os.path.join(self.project, name))}
        files["armilla/base/mutant.hpp"] = os.path.join(HERE, "mutant.hpp")
        for folder, _, names in os.walk(self.root):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), self.root)
                if path not in files and not path.startswith("build/"):
                    os.remove(os.path.join(self.root, path))
        for name, source in files.items():
            to = os.path.join(self.root, name)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            if not os.path.exists(to) or os.path.islink(source) or not filecmp.cmp(source, to, shallow=False):
                if os.path.lexists(to):
                    os.remove(to)
                shutil.copy(source, to, follow_symlinks=False)

    def configure(self, options):
        subprocess.run(["cmake", "-S", self.root, "--preset", "tests", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", *options], check=True,
                       cwd=self.root, stdout=subprocess.DEVNULL)
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as f:
            self.commands = {os.path.relpath(entry["file"], self.root): entry for entry in json.load(f)}

    def text(self, path):
        if path not in self.originals:
            with open(os.path.join(self.project, path), encoding="utf-8") as f:
                self.originals[path] = f.read()
        return self.originals[path]

    # --- mutants ----------------------------------------------------------------------------------------------------
    def try_to_add(self, number, mutant):
        """Whether the mutant compiles as one of its schemas, which then stays in the tree."""
        path = mutant["file"]
        here = self.schemas.setdefault(path, {})
        for attempt, schema in enumerate(schemata(self.text(path), mutant["line"], mutant["mutated"], number)):
            if attempt == 3 or any(overlap(schema, other) for other in here.values()):
                break
            here[number] = schema
            self.write(path)
            if self.compiles(path, number):
                return True
            del here[number]
        self.write(path)
        return False

    def remove(self, number):
        for path, here in self.schemas.items():
            if here.pop(number, None):
                self.write(path)

    def write(self, path):
        here = self.schemas[path]
        with open(os.path.join(self.root, path), "w", encoding="utf-8") as f:
            f.write(combine(self.text(path), here.values()) if here else self.text(path))

    # --- whether one file compiles ----------------------------------------------------------------------------------
    def find_includers(self):
        """{header: files that include it}, without the compiler."""
        self.includers = {}
        for folder in ("armilla", "tests", "tools", "examples", "backends"):
            for at, _, names in os.walk(os.path.join(self.project, folder)):
                for name in names:
                    if name.endswith((".cpp", ".hpp")):
                        path = os.path.relpath(os.path.join(at, name), self.project)
                        with open(os.path.join(self.project, path), encoding="utf-8") as f:
                            for header in re.findall(r'^#include [<"](armilla/[\w/]+\.hpp)[>"]', f.read(), re.MULTILINE):
                                self.includers.setdefault(header, []).append(path)

    def compiled_with(self, path):
        """The source by which to see whether `path` compiles: itself, or one that most probably uses all of a header."""
        if path.endswith(".cpp"):
            return [path]
        if self.includers is None:
            self.find_includers()
        level, seen, found = [path], {path}, []
        stem = re.sub(r"(_inline)?\.hpp$", "", os.path.basename(path))
        while level and not found:
            level = [f for header in level for f in self.includers.get(header, []) if f not in seen and not seen.add(f)]
            compiled = [f for f in level if f.endswith(".cpp") and f in self.commands]
            tests = [f for f in compiled if f.endswith("_test.cpp")]
            found = sorted(tests or compiled, key=lambda f: (stem not in f, os.path.dirname(f) != os.path.dirname(path), len(f)))
        return found[:1]

    def command(self, path):
        """The compiler's command of a source, or of its neighbor where it is compiled as a part of one file."""
        entry = self.commands.get(path)
        if entry is None:
            layer = path.split("/")[1]
            entry = next(e for f, e in self.commands.items() if f"armilla_{layer}.dir" in f)
        words, kept = shlex.split(entry["command"]), []
        skip = False
        for before, word in zip([""] + words, words):
            if skip or word in DROPPED_OPTIONS or word == entry["file"] or word.endswith("cmake_pch.hxx"):
                if kept and kept[-1] == "-include":
                    kept.pop()
                skip = False
            elif word == "-o":
                skip = True
            elif os.path.basename(word) != "ccache":
                kept.append(word)
        return kept + ["-w", "-O0", os.path.join(self.root, path)]

    def compiles(self, path, number):
        """Whether it compiles, and is no code of another platform."""
        active = False
        for source in self.compiled_with(path):
            command = self.command(source)
            if not active:
                done = subprocess.run([*command, "-E"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self.build)
                active = f"::armilla_mutant::on({number})".encode() in done.stdout
                if not active:
                    return False
            if subprocess.run([*command, "-fsyntax-only"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.build).returncode != 0:
                return False
        return active

    # --- the build --------------------------------------------------------------------------------------------------
    def make(self, targets, jobs):
        """Builds; removes mutants that the compiler names in its errors, and builds again. Returns their numbers."""
        removed = []
        for _ in range(4):
            with open(os.path.join(self.root, "build.log"), "w+", encoding="utf-8", errors="replace") as log:
                done = subprocess.run(["cmake", "--build", self.build, "-j", str(jobs), "--target", *targets, "--", "-k", "0"], stdout=log,
                                      stderr=subprocess.STDOUT)
                log.seek(0)
                bad = self.named_in(log.read()) if done.returncode != 0 else []
            if not bad:
                if done.returncode != 0:
                    say(f"The build failed in part, see {self.root}/build.log")
                return removed
            say(f"removed, as they do not compile everywhere: {bad}")
            for number in bad:
                self.remove(number)
            removed += bad
        sys.exit("mutants: the build does not come to an end")

    def named_in(self, log):
        bad = set()
        for path, line in set(re.findall(r"(armilla/\w+/[\w/]+\.[ch]pp):(\d+)", log)):
            if path not in self.schemas or not self.schemas[path]:
                continue
            with open(os.path.join(self.root, path), encoding="utf-8") as f:
                lines = f.read().split("\n")
            around = "\n".join(lines[max(0, int(line) - 3):int(line) + 1])
            bad |= {int(n) for n in re.findall(r"armilla_mutant::on\((\d+)\)", around)}
        return sorted(bad)


def choose(tree, names, count, random):
    """Mutants spread evenly over these layers, numbered from 1."""
    order = names[:]
    random.shuffle(order)
    streams = {layer: sample.random_candidates(tree.project, layer, random) for layer in names}
    mutants, number = [], 1
    while len(mutants) < count and streams:
        for layer in [name for name in order if name in streams]:
            if len(mutants) == count:
                break
            mutant = next_that_compiles(tree, number, streams[layer])
            if mutant is None:
                del streams[layer]
                continue
            mutants.append({"number": number, "layer": layer, **mutant})
            say(f"{number:4} {mutant['file']}:{mutant['line']}: {mutant['original'].strip()}  ->  {mutant['mutated'].strip()}")
            number += 1
    return mutants


def next_that_compiles(tree, number, stream):
    used = {(path, tree.text(path).count("\n", 0, start) + 1) for path, here in tree.schemas.items() for start, _, _ in here.values()}
    for mutant in stream:
        if (mutant["file"], mutant["line"]) not in used and tree.try_to_add(number, mutant):
            return mutant
    return None


def reuse(tree, known):
    """The same mutants in this tree. Returns those placed, and those that can not be placed."""
    texts = {path: text for layer in sample.layers(tree.project) for path, text in sample.sources(tree.project, layer).items()}
    placed, lost = [], []
    for mutant in known:
        now = sample.place(mutant, texts)
        if now is not None and tree.try_to_add(mutant["number"], now):
            placed.append({**mutant, **now})
            say(f"{mutant['number']:4} {mutant['file']}:{mutant['line']} is {now['file']}:{now['line']}")
        else:
            lost.append(mutant)
            say(f"{mutant['number']:4} {mutant['file']}:{mutant['line']} can not be placed: {mutant['original'].strip()}")
    return placed, lost
