# SPDX-License-Identifier: Apache-2.0
"""Ranks of Python and ranks of C++ in one job call each other by name."""
import os
import pathlib
import re
import subprocess
import sys
import textwrap

import armilla
import pytest

BUILD = pathlib.Path(os.environ["TESTED_BUILD"])

SCRIPT = """
    from __future__ import annotations
    import asyncio
    import numpy as np
    import numpy.typing as npt
    import armilla as am
    from armilla import _waits

    notes = []

    def score(x: float) -> float:
        return 2 * x

    def look_up(key: np.int32) -> int:
        return {1: 1}[int(key)]

    def relay(rank: int, x: float) -> float:
        return am.job[rank].demo.peer.half(x)       # waits for its caller

    def mixed(there):
        assert there is True
        return 7, "seven"

    def total(v):
        assert isinstance(v, np.ndarray) and v.dtype == np.float64
        return v.sum()

    def count(words: list[str]) -> dict[str, int]:
        return {w: words.count(w) for w in words}

    def note(n: int) -> None:
        if n == 99:
            _waits.wait(0, 0.2, "a test")                          # the others go on
        notes.append(n)

    am.provide("demo.py.score", score)
    am.provide("demo.py.sum", total, "f8(view<f8>)")
    am.provide("demo.py.count", count)
    am.provide("demo.py.look_up", look_up)
    am.provide("demo.py.relay", relay, "f8(i4,f8)")
    am.provide("demo.py.bad_result", lambda: 5, "str()")
    am.provide("demo.py.note", note)
    am.provide("demo.py.noted", lambda: sum(notes), "i8()")
    am.provide("demo.py.mixed", mixed, "(i4, str)(optional<bool>)")
    am.barrier()

    def raises(kind, f, *arguments):
        try:
            f(*arguments)
        except kind as error:
            return str(error)
        raise AssertionError("no error")

    peer = am.job[0].demo.peer
    assert peer.half(3) == 1.5 and peer.half(5) == 2.5
    assert peer.sum(np.ones(10)) == 10 and peer.sum(np.ones(300_000)) == 300_000
    assert peer.count(["x", "y", "x"]) == {"x": 2, "y": 1}
    assert peer.mirror((3, 1.5)) == (3, -1.5)
    futures = [peer.half.future(i) for i in range(500)]
    assert [f.get() for f in futures] == [i / 2 for i in range(500)] and futures[0].rank == 0

    async def both():
        return await asyncio.gather(peer.half.future(1), am.job[1].demo.peer.half.future(2))

    assert asyncio.run(both()) == [0.5, 1.0]
    assert "float64(float64)" in peer.half.__doc__ and am.job[1].methods()["demo.peer.note"] == "void(int64)"
    assert am.job[am.rank].demo.py.score(4) == 8                  # its own
    text = raises(am.RemoteError, peer.fail, "too far")
    assert text == f"armilla: rank {am.rank}: demo.peer.fail: rank 0 threw std::out_of_range (too far); catch it there, or catch armilla.RemoteError here", text
    text = raises(am.RemoteError, am.job[am.size - 1].demo.py.look_up, 9)
    assert f"rank {am.size - 1} threw KeyError (9 [" in text and "in look_up])" in text, text
    assert "no 'demo.peer.halff'; it provides demo.peer.count, " in raises(AttributeError, lambda: peer.halff)
    assert "there is no rank 7" in raises(ValueError, lambda: am.job[7])
    assert "takes 1 arguments, not 0" in raises(TypeError, peer.half)
    assert "'a' is no float64" in raises(TypeError, peer.half, "a")
    assert "another program" in raises(am.UsageError, am.call, 0, score, 1.0)
    late = peer.half.future(1)
    del late                                                       # its answer comes, and goes
    if am.rank == 2:
        for i in range(100):
            peer.note.async_(i)
        assert peer.noted() == 4950
    am.barrier()
    am.barrier()                                                   # C++ calls
    am.fence()
    am.fence()
    assert "threw KeyError (4 [" in raises(am.RemoteError, am.fence)

    def one_way_call():
        raise KeyError("of a one-way call")

    if am.rank == am.size - 1:
        am.async_(am.size - 1, one_way_call)
    assert raises(KeyError, am.fence) == "'of a one-way call'"
    assert am.all_reduce(np.ones(1), "sum")[0] == 5.5              # with C++
    print("python", am.rank)
"""


def run(tmp_path, script, programs="-n 2 {peer} : -n 2 {python} {script}", **environment):
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(script), encoding="utf-8")
    words = programs.format(peer=BUILD / "bin/python_peer", python=sys.executable, script=path).split()
    return subprocess.run([BUILD / "bin/armilla-run", *words], capture_output=True, text=True, timeout=60, check=False, env={**os.environ, **environment})


@pytest.mark.parametrize("launch", [[], ["-m", "armilla"]], ids=["script", "module"])
def test_both_languages_call_each_other(tmp_path, launch):
    done = run(tmp_path, SCRIPT, f"-n 2 {{peer}} : -n 2 {{python}} {' '.join(launch)} {{script}}")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    where = f"[{tmp_path}/script.py:"
    for line in ("score 3", "sum 500", "count a 2 b 1", "relay 2.5", "mixed 7 seven", "noted 9900", "python 2", "python 3"):
        assert lines.count(line) == 1, (line, done.stdout)
    assert lines.count(f"long sum {sum(i % 7 for i in range(1 << 20))}") == 2 and lines.count("reduced 5.5") == 2
    errors = {line.partition(": ")[0]: line for line in lines if ": " in line}
    assert re.fullmatch(rf"look_up: 3: KeyError: 3 {re.escape(where)}\d+, in look_up\]", errors["look_up"])
    assert errors["bad_result"] == "bad_result: 3: TypeError: the result of <lambda>: 5 is no string"
    assert "armilla: rank 3: call: rank 0 called 'demo.py.missing' void(), which this rank does not provide; provided here: " in errors["missing"]
    assert "called 'demo.py.score' as float32(float32), but here it is float64(float64)" in errors["signature"]
    for line in lines:
        if line.startswith("fence: "):
            assert re.match(rf"fence: 3: KeyError: 4 {re.escape(where)}\d+, in look_up\] \(in a one-way call of rank 0\)", line)
    assert sum(line.startswith("fence of Python's one-way call: 3: KeyError: 'of a one-way call'") for line in lines) == 2


def test_a_script_answers_when_it_has_ended(tmp_path):
    """C++ calls, and is not waited for by the script's last line."""
    names = re.findall(r'am.provide\("[^\n]*', SCRIPT)
    script = SCRIPT[: SCRIPT.index("    peer = ")].replace("am.barrier()", "am.barrier(); am.barrier(); am.barrier()") + """
    am.fence()
    am.fence()
    try: am.fence()
    except am.RemoteError: pass
    am.fence()
    am.all_reduce(np.ones(1), "sum")
    """
    assert names
    done = run(tmp_path, script)
    assert done.returncode == 0 and "relay 2.5" in done.stdout and "fence of Python's one-way call: no error" in done.stdout, done.stdout + done.stderr


def test_an_error_of_a_script_ends_both_programs(tmp_path):
    done = run(tmp_path, "import armilla as am\nam.barrier()\nif am.rank == 3: raise ValueError('of Python')\nam.barrier()\n")
    assert done.returncode != 0 and "ValueError: of Python" in done.stderr and "rank 3" in done.stderr


def test_an_error_of_cpp_reaches_the_script(tmp_path):
    done = run(tmp_path, "import armilla as am\nam.barrier()\nam.job[0].demo.peer.fail('out')\n", "-n 1 {peer} : -n 1 {python} {script}")
    assert done.returncode != 0 and "armilla.RemoteError: armilla: rank 1: demo.peer.fail: rank 0 threw std::out_of_range (out)" in done.stderr


def test_clients_call_ranks_of_python(job):
    running = job.start(2, """
        import armilla as am
        stopped = []
        am.provide("demo.py.score", lambda x: x * 2, "f8(f8)")
        am.provide("demo.py.size", lambda words: len(words), "i4(list<str>)")
        am.provide("demo.py.bad", lambda: -"a", "void()")
        am.provide("demo.py.stop", lambda: stopped.append(1), "void()")
        am.barrier()
        print("there", flush=True)
        while am.rank == 0 and not stopped:
            am.poll()
        """)
    try:
        assert [running.stdout.readline() for _ in range(2)] == ["there\n"] * 2
        seen = armilla.attach(running.pid)
        assert seen[0].demo.py.score(2.5) == 5.0
        assert seen[0].demo.py.size(["a", "b"]) == 2
        with pytest.raises(armilla.RemoteError, match="rank 0 threw TypeError .*bad operand"):
            seen[0].demo.py.bad()
        seen[0].demo.py.stop()
        assert running.wait(20) == 0
    finally:
        running.kill()
        running.communicate(timeout=20)


def test_what_is_provided_is_checked(job):
    job.passes(1, """
        import armilla as am

        def raises(f, *arguments):
            try:
                f(*arguments)
            except am.UsageError as error:
                return str(error)
            raise AssertionError("no error")

        def plain(x): return x
        def odd(x: object) -> int: return 1
        assert "plain has no annotation for x, return; annotate it" in raises(am.provide, "a.plain", plain)
        assert "programs in other languages know no <class 'object'>" in raises(am.provide, "a.odd", odd)
        assert "has no annotations; give the signature" in raises(am.provide, "a.abs", abs)
        assert "'f8' is no signature" in raises(am.provide, "a.plain", plain, "f8")
        assert "a type that Python does not know" in raises(am.provide, "a.plain", plain, "f8(double)")
        assert "void is no type of a parameter" in raises(am.provide, "a.plain", plain, "f8(void)")
        am.provide("a.plain", plain, "f8(f8)")
        assert "already provides 'a.plain' float64(float64); withdraw it first" in raises(am.provide, "a.plain", plain, "i4(i4)")
        known = am.job[0].a.plain
        assert known(2) == 2.0
        am.withdraw("a.plain")
        try:
            known(2)
        except am.RemoteError as error:
            assert "'a.plain' float64(float64) was withdrawn; nothing is provided here" in str(error), error
        am.provide("a.plain", lambda x: x + 1, "f8(f8)")
        assert known(2) == 3.0
        assert "does not provide 'a.other'" in raises(am.withdraw, "a.other")

        class Counter:
            def __init__(self): self.n = 0
            def add(self, n: int) -> int:
                self.n += n
                return self.n

        counter = Counter()
        am.provide("a.add", counter.add)
        assert (am.job[0].a.add(2), am.job[0].a.add(3)) == (2, 5) and am.job[0].methods()["a.add"] == "int64(int64)"
        assert am.job[0].a.add.__name__ == "add" and "a.add: int64(int64), provided by rank 0" in am.job[0].a.add.__doc__
        """)


def test_signatures_are_spelt_as_in_cpp():
    import collections.abc
    import typing

    import numpy as np
    import numpy.typing as npt
    from armilla import _signatures

    assert _signatures.text_of("f8( i4,u2 , str)") == "float64(int32, uint16, string)"
    assert _signatures.text_of("c16(list<c8>, map<str,f4>, enum i4)") == "complex<float64>(list<complex<float32>>, map<string, float32>, enum int32)"

    def f(a: npt.NDArray[np.float32], b: typing.Optional[int], c: typing.Tuple[bool, str], d: typing.Union[int, str], e: collections.abc.Mapping[str, np.uint8]) -> None:
        pass

    assert _signatures.of_function("f", f) == "void(list<float32>, optional<int64>, (bool, string), variant<int64, string>, map<string, uint8>)"
