# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in a rank is said once, names the rank, and ends the job; nothing hangs."""
import os
import re
import signal

import pytest
from conftest import wait_for


def test_an_error_comes_back_as_it_was_raised(job):
    job.passes(2, """
        import armilla as am, traceback
        class own(Exception):
            def __init__(self, a, b): super().__init__(f'{a} and {b}')      # cannot be made again from its text
        def key(): {}['x']
        def mine(): raise own(1, 2)
        def nested(): am.call(0, key).get()
        if am.rank == 0:
            try: am.call(1, key).get()
            except KeyError as e:
                text = ''.join(traceback.format_exception(e))
                assert "{}['x']" in text and 'on rank 1' in text, text
                assert e.__cause__.rank == 1
            try: am.call(1, mine).get()
            except am.RemoteError as e: assert e.rank == 1 and str(e) == 'armilla: rank 1 raised own: 1 and 2', e
            try: am.call(1, nested).get()
            except KeyError as e: assert e.__cause__.rank == 1 and 'on rank 0' in e.__cause__.text      # where it came from, too
            try: am.call(1, exit, 4).get()
            except SystemExit as e: assert e.code == 4
            assert isinstance(am.call(1, key).exception(), KeyError)
        am.barrier()
        """)


def test_what_a_one_way_call_raises_the_next_fence_raises_on_all(job):
    job.passes(3, """
        import armilla as am
        def bad(x): raise LookupError(x)
        if am.rank == 0:
            am.async_(2, bad, 'two'); am.async_(1, bad, 'one')
        try: am.fence()
        except LookupError as e: assert str(e) == 'one' and e.__cause__.rank == 1
        else: assert False
        am.fence()
        """)


def test_what_no_fence_has_told_fails_the_job(job):
    done = job(2, """
        import armilla as am
        def bad(): raise LookupError('lost')
        if am.rank == 0: am.async_(1, bad)
        """)
    # Both end by it, and the first one is told: rank 1 by what it raised, rank 0 by what it heard of that.
    told = r"rank 1 \(.*\) ended by an exception: LookupError: lost|rank 0 \(.*\) ended by an exception: .*rank 1 threw LookupError \(lost \("
    assert done.returncode == 1 and re.search(told, done.stderr), done.stderr


def test_the_callers_mistakes(job):
    job.passes(2, """
        import armilla as am, threading
        def raises(kind, text, f, *a):
            try: f(*a)
            except kind as e: assert text in str(e), e
            else: assert False, text
        lock = threading.Lock()
        raises(TypeError, 'argument 1, of type lock, cannot travel', am.call, 1 - am.rank, print, lock)
        raises(TypeError, 'the function, of type method', am.call, 1 - am.rank, type('c', (), {'l': lock, 'm': lambda self: 0})().m)
        raises(TypeError, 'cannot pickle', am.call(1 - am.rank, threading.Lock).get)
        raises(ValueError, 'rank 7 does not exist (ranks of this job: 2)', am.call, 7, print)
        raises(ValueError, 'rank -1 does not exist', am.async_, -1, print)
        raises(ValueError, "'avg' is no operation", am.all_reduce, 1, 'avg')
        raises(ValueError, 'cannot enter what all ranks do together', am.call(1 - am.rank, am.barrier).get)
        raises(ValueError, 'rank 9 does not exist', am.broadcast, 1, 9)
        def other():
            raises(ValueError, 'another thread', am.call, 0, print)
        t = threading.Thread(target=other); t.start(); t.join()
        raises(ValueError, '1 values for 2 ranks', am.scatter, [1] if am.rank == 0 else None)
        am.barrier()
        """)


@pytest.mark.parametrize("how, code, text", [
    ("raise ValueError('my bad\\nsecond line')", 1, "rank 1 .* ended by an exception: ValueError: my bad; the job was stopped"),
    ("import sys; sys.exit(3)", 3, "rank 1 .* exited with code 3; the job was stopped"),
    ("import os; os._exit(5)", 5, "rank 1 .* code 5"),
    ("import os; os.kill(os.getpid(), 9)", 137, r"rank 1 .* was killed by signal 9 \(SIGKILL\); the job was stopped"),
    ("assert am.call(0, lambda: 1).get() == 2", 1, "rank 1 .* AssertionError"),
])
def test_a_rank_that_ends_badly_ends_the_job(job, how, code, text):
    done = job(3, f"""
        import armilla as am
        if am.rank == 1: {how}
        am.call(1, print).get()
        am.barrier()
        """)
    assert done.returncode == code, done.stderr
    assert len(re.findall("the job was stopped", done.stderr)) == 1 and re.search(text, done.stderr), done.stderr
    assert done.stderr.count("Traceback") == (code == 1), done.stderr  # of the rank that failed alone


def test_a_rank_that_waits_for_one_that_is_lost_is_told(job):
    done = job(2, """
        import armilla as am, os
        def die(): os.kill(os.getpid(), 9)
        if am.rank == 0:
            try: am.call(1, die).get()
            except am.RankLost as e: print(e.rank, 'rank 1' in str(e) and 'SIGKILL' in str(e), flush=True)
        """)
    assert done.stdout == "1 True\n" and done.returncode == 137


@pytest.mark.parametrize("whom", ["supervisor", "all", "one rank"])
def test_an_interrupt_ends_waits_and_the_job(job, whom):
    running = job.start(2, """
        import armilla as am, time
        def sleep():
            print('there', flush=True)
            time.sleep(60)
        if am.rank == 0: am.call(1, sleep).get()
        else: am.call(0, abs, 1)
        """)
    assert running.stdout.readline() == "there\n"
    if whom == "supervisor":
        os.kill(running.pid, signal.SIGINT)
    elif whom == "all":
        os.killpg(running.pid, signal.SIGINT)  # as the terminal does
    else:
        import armilla

        os.kill(armilla.attach(running.pid).stats()[0]["process"], signal.SIGINT)
    _, errors = running.communicate(timeout=20)
    assert running.returncode == 130, errors
    said = r"armilla: rank 0 .* was killed by signal 2 \(SIGINT\); the job was stopped\n" if whom == "one rank" else r"armilla: interrupted by signal 2 \(SIGINT\); the job was stopped\n"
    assert re.fullmatch(said, errors), errors


def test_an_interrupt_can_be_caught(job):
    job.passes(2, """
        import armilla as am, os, signal, threading, time
        def slow(): time.sleep(1)
        if am.rank == 0:
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
            f = am.call(1, slow)
            try: f.get()
            except KeyboardInterrupt: caught = True
            assert caught and f.get() is None
        am.barrier()
        """)


def test_a_function_that_is_not_defined_yet_is_told(job):
    job.passes(2, """
        import armilla as am
        if am.rank == 0:
            def late(): pass
            try: am.call(1, late).get()
            except am.UsageError as e: assert "the script has defined no 'late'" in str(e) and 'in front of' in str(e), e
            else: assert False
        am.barrier()
        """)


def test_a_fork_of_a_rank_leaves_the_job_alone(job):
    job.passes(2, """
        import armilla as am, os, sys
        child = os.fork()
        if child == 0: sys.exit(0)
        assert os.waitpid(child, 0)[1] == 0
        am.barrier()
        """)


def test_the_environment_of_a_rank_makes_no_ranks(workers):
    def started():
        import subprocess
        import sys

        return subprocess.run([sys.executable, "-c", "import armilla as am; print(am.rank, am.size, am.all_reduce(5))"], capture_output=True, text=True, check=False, timeout=50).stdout

    assert workers.call(1, started).get() == "0 1 5\n"


@pytest.mark.whole
def test_processes_that_a_rank_starts_are_no_ranks(job):
    out = job.passes(2, """
        import armilla as am, multiprocessing as mp, os, subprocess, sys
        def work(x): return x * am.size             # a process of its own: one rank
        if __name__ == '__main__':
            assert not [k for k in os.environ if k.startswith('ARMILLA_INTERNAL_') or k == 'ARMILLA_RANKS']
            said = subprocess.run([sys.executable, '-c', 'import armilla as am; print(am.rank, am.size, am.all_reduce(5))'], capture_output=True, text=True, check=True, timeout=50)
            assert said.stdout == '0 1 5\\n', said
            with mp.get_context('spawn').Pool(1) as pool: assert pool.map(work, [3]) == [3]
            said = subprocess.run([sys.executable, '-m', 'armilla', '-n', '2', '-m', 'platform'], capture_output=True, text=True, check=True, timeout=50)
            assert len(said.stdout.splitlines()) == 2, said              # a job, where one is asked for
            if am.rank == 0: print(am.all_reduce(1))
            else: am.all_reduce(1)
        """)
    assert out == "2\n"


@pytest.mark.parametrize("how", ["script", *(pytest.param(how, marks=pytest.mark.whole) for how in ("module", "one rank", "driver"))])
def test_modules_of_the_current_folder_are_not_taken_for_installed_ones(tmp_path, how):
    import subprocess
    import sys

    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    mine.mkdir()
    theirs.mkdir()
    for name in ("greenlet", "numpy", "cloudpickle", "selectors", "subprocess", "queue", "beside"):
        (theirs / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write('{name} ')\n")
    (mine / "beside.py").write_text("value = 6\n")
    (mine / "script.py").write_text("import beside, sys, os\nimport armilla as am\nassert sys.path[0] == os.path.dirname(os.path.abspath(__file__))\nsys.stdout.write(str(am.all_reduce(beside.value)) + chr(10))\n")
    (mine / "driver.py").write_text("import armilla\nwith armilla.ranks(2) as am: print(sum(am.call_all(len, 'abcdef')))\n")
    command = {"script": ["-m", "armilla", "-n", "2", mine / "script.py"], "one rank": ["-m", "armilla", "-n", "1", mine / "script.py"], "driver": [mine / "driver.py"],
               "module": ["-m", "armilla", "-n", "2", "-m", "armilla.__main__", "--help"]}[how]
    done = subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, timeout=60, check=False, cwd=theirs)
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()
    assert done.returncode == 0 and (how == "module" or done.stdout.split() == (["6"] if how == "one rank" else ["12"] * (2 - (how == "driver")))), done.stdout + done.stderr


@pytest.mark.whole
def test_modules_beside_the_module_that_is_run_are_found(tmp_path):
    import subprocess
    import sys

    (tmp_path / "program.py").write_text("import beside, sys, armilla as am\nsys.stdout.write(str(am.all_reduce(beside.value)) + chr(10))\n")
    (tmp_path / "beside.py").write_text("value = 6\n")
    done = subprocess.run([sys.executable, "-m", "armilla", "-n", "2", "-m", "program"], capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "12\n12\n"), done.stderr


def test_an_error_of_all_ranks_is_printed_once(job):
    done = job(3, """
        import armilla as am
        am.barrier()
        def broken(): return undefined
        broken()
        """)
    assert done.returncode == 1 and done.stderr.count("Traceback") == 1 and done.stderr.count("NameError: name 'undefined'") == 2, done.stderr
    assert re.search(r"^armilla: ranks 0-2 raised this:$", done.stderr, re.MULTILINE), done.stderr


@pytest.mark.whole
def test_errors_of_several_ranks_are_printed_once_each(job):
    done = job(4, """
        import armilla as am
        am.barrier()
        if am.rank != 2: raise ValueError(am.rank // 3)
        am.barrier()
        """)
    assert done.returncode == 1 and done.stderr.count("Traceback") == 2, done.stderr
    assert re.search(r"^armilla: ranks 0-1 raised this:$", done.stderr, re.MULTILINE) and re.search(r"^armilla: rank 3 raised this:$", done.stderr, re.MULTILINE), done.stderr


def test_numbers_that_are_called_say_that_they_are_numbers(together):
    together("""
        import armilla as am, json, pickle
        for name in ('rank', 'size'):
            try: getattr(am, name)()
            except TypeError as e: assert f'armilla.{name} is a number, not a function' in str(e), e
            else: assert False
        assert type(pickle.loads(pickle.dumps(am.rank))) is int and json.dumps(am.rank) == str(int(am.rank)) and repr(am.size) == '3'
        """)


@pytest.mark.whole
@pytest.mark.parametrize("first, second, names", [
    ("a.sort()", "a.sum()", ("array.sort", "array.sum")),
        ("am.fence()", "am.barrier()", ("fence", "barrier")), ("a.sort()", "am.barrier()", ("array.sort", "barrier")), ("am.all_reduce(1)", "am.gather(1)", ("all_reduce", "gather")),
        ("a.max()", "am.broadcast(1)", ("array.max", "broadcast")), ("np.nanmax(a)", "np.ptp(a)", ("numpy.nanmax", "numpy.ptp"))])
def test_reports_of_different_collectives_name_what_was_called(job, first, second, names):
    done = job(2, f"""
        import armilla as am, numpy as np
        a = am.array(4)
        a.sort()
        am.dict()
        {first} if am.rank == 0 else {second}
        """)
    said = "".join(line for line in done.stderr.splitlines(True) if re.search("ranks (entered different collectives|do not ask for the same)", line))
    assert all(name in said for name in names) and not re.search(r"transform|cumsum|dict|(?<!\()(add|maximum)\.reduce", said), done.stderr


def test_different_scripts_of_wrong_options_are_told(job):
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-m", "armilla", "-n", "2", "no_such_file.py"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "no_such_file.py" in done.stderr
    done = subprocess.run([sys.executable, "-m", "armilla", "-n", "0", __file__], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "RANKS" in done.stderr, done.stderr
