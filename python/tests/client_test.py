# SPDX-License-Identifier: Apache-2.0
"""Python as an attached client of a job in C++: the program heat of examples/."""
import asyncio
import gc
import os
import pathlib
import pydoc
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import armilla
from armilla import _exposed
from conftest import wait_for

HEAT = pathlib.Path(os.environ["TESTED_BUILD"]) / "bin/heat"
CELLS = 10_007


class Heat:
    def __init__(self, ranks: int) -> None:
        environment = os.environ | {"ARMILLA_RANKS": str(ranks)}
        self.process = subprocess.Popen([HEAT, "--cells", str(CELLS)], env=environment, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline().startswith("after 0 steps")

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="module")
def heat():
    job = Heat(3)
    yield armilla.attach(job.process.pid)
    job.end()


@pytest.fixture
def own_heat():
    job = Heat(2)
    yield job
    job.end()


def test_a_method_is_called_by_its_name(heat):
    assert heat[2].demo.solver.step(0.1) == pytest.approx(0.1)  # the warm end
    assert heat[0].demo.solver.part()[:2] == (0, 3336)
    assert "demo.solver.step" in heat[0].methods()
    assert dir(heat[0].demo) == ["solver", "stop"]
    assert "float64(float64)" in heat[1].demo.solver.step.__doc__


def test_values_of_many_types_travel(heat):
    solver = heat[1].demo.solver
    solver.set({5000: 2.5, 9000: 1})
    seen = solver.get([5000, 9000, 5001])
    assert isinstance(seen, np.ndarray) and seen.tolist() == [2.5, 1.0, 0.0]
    assert solver.get(np.arange(6000, 6003)).tolist() == [0, 0, 0]
    assert solver.get(np.arange(8000)).size == 8000  # longer than what lies in one place
    assert solver.get([]).size == 0


def test_what_the_method_throws_is_raised(heat):
    with pytest.raises(armilla.RemoteError, match=r"rank 1 threw std::out_of_range \(cell -1 of a rod of 10007\)"):
        heat[1].demo.solver.get([-1])


def test_wrong_calls_are_refused_before_they_leave(heat):
    step, set_cells = heat[1].demo.solver.step, heat[1].demo.solver.set
    with pytest.raises(TypeError, match="takes 1 arguments, not 2"):
        step(1, 2)
    with pytest.raises(TypeError, match="'a' is no float64"):
        step("a")
    with pytest.raises(TypeError, match="1.5 is no int64"):
        set_cells({1.5: 1})
    with pytest.raises(OverflowError, match="does not fit into int64"):
        set_cells({2**63: 1})
    with pytest.raises(AttributeError, match="rank 1 provides no 'demo.solver.stepp'; it provides .*demo.solver.step"):
        heat[1].demo.solver.stepp
    with pytest.raises(ValueError):
        heat[3]


def test_replies_come_later(heat):
    step = heat[0].demo.solver.step
    replies = [step.future(0.1) for _ in range(100)]  # more than are under way at a time
    assert all(isinstance(reply.result(), float) for reply in replies)
    assert replies[0].done()

    async def both():
        return await asyncio.gather(heat[0].demo.solver.part.future(), heat[1].demo.solver.part.future())

    assert [part[0] for part in asyncio.run(both())] == [0, 3336]


def test_arrays_are_seen_where_they_lie(heat):
    t = heat.array("temperature")
    assert heat.exposed()["temperature"] == "float64"
    assert (t.shape, t.dtype, t.ranks, len(t)) == ((CELLS,), np.float64, [0, 1, 2], CELLS)
    heat[0].demo.solver.set({7: 3.0, 4000: 4.0, CELLS - 1: 5.0})
    assert (t[7], t[4000], t[-1], t.local(1)[4000 - 3336]) == (3.0, 4.0, 5.0, 4.0)
    whole = np.asarray(t)
    assert t.sum() == pytest.approx(whole.sum()) and t.max() == whole.max() and t.mean() == pytest.approx(whole.mean())
    assert t[3330:3340].tolist() == whole[3330:3340].tolist()  # of two ranks
    assert t[::-1].tolist() == whole[::-1].tolist()
    with pytest.raises(IndexError):
        t[CELLS]


def test_sums_by_pieces_leave_no_element_out(heat, monkeypatch):
    t = heat.array("temperature")
    t[:] = np.arange(CELLS)
    monkeypatch.setattr(_exposed, "_PIECE", 800)
    assert len(t._parts[0].pieces()) == 34
    assert (t.sum(), t.min(), t.max()) == (CELLS * (CELLS - 1) / 2, 0, CELLS - 1)
    assert isinstance(t.sum(), np.float64)


class FarMemory:
    """What a part of another host reads and writes, in memory of the test."""

    def __init__(self, memory):
        self.memory = memory

    def read(self, offset, to):
        to[:] = self.memory[offset : offset + len(to)]

    def write(self, offset, data):
        self.memory[offset : offset + len(data)] = data


def parts_of(whole):
    """The array as one part, mapped, and as a part of another host; of a matrix with a column of others' cells on either side."""
    padded = np.full((*whole.shape[:-1], whole.shape[-1] + 2 * (whole.ndim > 1)), -1, whole.dtype)
    inner = padded[..., 1:-1] if whole.ndim > 1 else padded
    inner[...] = whole
    first = 4 * (whole.ndim > 1)
    raw = padded.reshape(-1).view(np.uint8)[first:]
    info = {"rank": 0, "extent": whole.shape, "stride": tuple(n // 4 for n in inner.strides)}
    return inner, [_exposed._Part(info | {"memory": memory}, whole.dtype) for memory in (raw, FarMemory(raw))]


SHAPES = pytest.mark.parametrize("shape", [(1,), (300,), (5, 7), (1, 3000), (3, 1, 2)])


@SHAPES
def test_pieces_are_the_whole(shape, monkeypatch):
    monkeypatch.setattr(_exposed, "_PIECE", 100)
    whole = np.arange(np.prod(shape), dtype="i4").reshape(shape)
    for part in parts_of(whole)[1]:
        assert np.array_equal(np.concatenate([rows() for rows in part.pieces()]), whole)
        assert np.array_equal(part.rows(), whole)
        assert part.rows(shape[0], shape[0] + 1).shape == (0, *shape[1:])
        assert sum(_exposed._by_all_cores(lambda rows: rows().sum(), part.pieces())) == whole.sum()


@SHAPES
def test_only_what_is_chosen_is_written(shape):
    whole = np.arange(np.prod(shape), dtype="i4").reshape(shape)
    dice = np.random.default_rng(5)
    for turn in range(20):
        inner, (here, far) = parts_of(whole)
        wanted, mask = whole.copy(), dice.random(shape) < dice.choice([0.0, 0.1, 0.5, 1.0])
        wanted[mask] = -whole[mask]
        (far if turn % 2 else here).put(mask, -whole[mask])
        assert np.array_equal(inner, wanted)
        assert inner.base is None or (np.delete(inner.base.reshape(*shape[:-1], -1), np.s_[1:-1], -1) == -1).all() or inner.ndim == 1


def test_what_has_no_sum_says_so_once():
    with pytest.raises(TypeError):
        _exposed._by_all_cores(np.sum, [np.zeros(3, "V4")] * 9)


def test_what_is_written_is_in_the_job(heat):
    t = heat.array("temperature")
    t[100] = 9.0
    t[3300:3400] = 7.0
    t.local(2)[-1] = 8.0
    assert heat[1].demo.solver.get([100, 3300, 3399, CELLS - 1]).tolist() == [9.0, 7.0, 7.0, 8.0]


def test_memory_stays_mapped_as_long_as_an_array_of_it(own_heat):
    local = armilla.attach(own_heat.process.pid).array("temperature").local(0)
    gc.collect()
    own_heat.end()
    assert local.sum() == 0.0  # also when the job has ended
    local[:] = 1


def test_a_job_that_is_killed_is_an_error(own_heat):
    job = armilla.attach(own_heat.process.pid)
    step = job[1].demo.solver.step
    step(0.1)
    own_heat.process.kill()
    with pytest.raises(armilla.RankLost, match="rank 1 has ended"):
        while True:
            step(0.1)
    assert not job.alive


def test_a_rank_that_does_not_answer_is_described(own_heat):
    job = armilla.attach(own_heat.process.pid)
    rank = job.stats()[1]["process"]
    step = job[1].demo.solver.step
    os.kill(rank, signal.SIGSTOP)
    with pytest.raises(armilla.TimeoutError, match="'demo.solver.step' of rank 1 has not begun within 0.2 s: the rank is stopped by a signal"):
        step.future(0.1).result(0.2)
    os.kill(rank, signal.SIGCONT)
    assert step(0.1) >= 0


def test_ctrl_c_ends_a_wait(own_heat, tmp_path):
    rank = armilla.attach(own_heat.process.pid).stats()[1]["process"]
    script = tmp_path / "wait.py"
    script.write_text(textwrap.dedent(f"""
        import armilla
        step = armilla.attach({own_heat.process.pid})[1].demo.solver.step
        print("ready", flush=True)
        input()
        try:
            step.future(0.1).result(60)
        except KeyboardInterrupt:
            print("interrupted")
        """))
    client = subprocess.Popen([sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert client.stdout.readline() == "ready\n"
    os.kill(rank, signal.SIGSTOP)
    client.stdin.write("\n")
    client.stdin.flush()
    time.sleep(0.5)
    client.send_signal(signal.SIGINT)
    out, _ = client.communicate(timeout=20)
    os.kill(rank, signal.SIGCONT)
    assert out == "interrupted\n"


def test_waits_are_explained(own_heat):
    text = armilla.attach(own_heat.process.pid).explain_waits()
    assert "rank 0 (" in text and "main waits for sleep_for" in text


def test_types_of_signatures_become_types_of_numpy():
    from armilla._exposed import dtype_of

    assert dtype_of("float64", 8) == np.float64
    assert dtype_of("int32[4]", 16) == np.dtype((np.int32, (4,)))
    assert dtype_of("{int32, float64}", 16) == np.dtype([("m0", "i4"), ("m1", "f8")], align=True)
    assert dtype_of("geometry.polygon size 24 align 8", 24) == np.dtype((np.void, 24))


def test_threads_share_a_client_and_a_method(heat):
    step, seen = heat[1].demo.solver.step, []

    def work():
        for _ in range(300):
            seen.append(isinstance(step(0.1), float))
            with pytest.raises(TypeError, match="takes 1 arguments, not 2"):
                step(0.1, 0.2)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert seen == [True] * 1200


def test_a_method_takes_no_keywords_and_says_what_is_wrong(heat):
    with pytest.raises(TypeError):
        heat[0].demo.solver.step(dt=0.1)
    with pytest.raises(TypeError, match="'x' is no float64"):
        heat[0].demo.solver.step("x")


def test_a_forked_child_is_a_client_of_its_own(heat):
    step = heat[0].demo.solver.step
    step(0.1)
    child = os.fork()
    if child == 0:
        os._exit(0 if isinstance(step(0.1), float) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert isinstance(step(0.1), float)


def test_help_tells_the_signature(heat):
    text = pydoc.render_doc(heat[2].demo.solver.step, renderer=pydoc.plaintext)
    assert "demo.solver.step: float64(float64), provided by rank 2." in text and "raises RemoteError with what it threw" in text
    assert "step(*arguments" in text


def test_a_job_of_cpp_shows_its_counters(own_heat):
    job = armilla.attach(own_heat.process.pid)
    before = job.stats()
    assert [r["rank"] for r in before] == [0, 1] and all(r["program"].endswith("heat") and r["here"] and r["memory"] > 0 for r in before)
    for _ in range(100):
        job[1].demo.solver.step(0.1)
    calls = [b["counters"]["client_calls"] - a["counters"]["client_calls"] for a, b in zip(before, job.stats())]
    assert calls[0] == 0 and calls[1] >= 100
    waits = wait_for(lambda: len(job.who_waits()) == 2 and job.who_waits())
    assert {what for what, _ in waits.values()} == {"sleep_for"} and all(seconds >= 0 for _, seconds in waits.values())
