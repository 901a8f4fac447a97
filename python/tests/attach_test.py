# SPDX-License-Identifier: Apache-2.0
"""Running jobs, seen from outside."""
import os
import signal

import armilla
import pytest
from conftest import wait_for


def test_a_job_is_looked_at(job):
    running = job.start(2, """
        import armilla as am, sys, time
        if am.rank == 0:
            print('there', flush=True)
            time.sleep(60)
        am.call(0, abs, 1).get()
        """)
    try:
        assert running.stdout.readline() == "there\n"
        seen = armilla.attach(running.pid)
        assert (seen.ranks, len(seen), seen.process, seen.alive) == (2, 2, running.pid, True)
        assert seen.program == str(job.folder / "script.py")
        waits = wait_for(seen.who_waits)
        assert list(waits) == [1] and waits[1][0] == "future.get" and 0 <= waits[1][1] < 60
        ranks = seen.stats()
        assert [r["rank"] for r in ranks] == [0, 1] and ranks[0]["doing"] == "busy" and ranks[1]["doing"] == "waiting"
        assert ranks[1]["counters"]["polls"] >= 1 and ranks[0]["memory"] > 1e6 and ranks[0]["here"]
        assert repr(seen) == f"<armilla.Job {running.pid} (script.py): 2 ranks, 1 waiting>"
        assert running.pid in [j["process"] for j in armilla.jobs()]
        assert armilla.attach(str(job.folder / "script.py")).process == running.pid  # by the name of the script
        assert armilla.attach(ranks[1]["process"]).process == running.pid
    finally:
        os.kill(running.pid, signal.SIGINT)
        running.communicate(timeout=20)
    assert not seen.alive and repr(seen).endswith("2 ranks, ended>") and len(seen.stats()) == 2


def test_what_is_no_job():
    with pytest.raises(ValueError, match="no job runs 'no-such-program'"):
        armilla.attach("no-such-program")
    with pytest.raises(armilla.UsageError, match="belongs to no job"):
        armilla.attach(os.getppid())
    with pytest.raises(armilla.Error, match="there is no process 4194304"):
        armilla.attach(4194304)


def test_a_driver_looks_at_its_workers(workers):
    seen = armilla.attach(workers._supervisor.pid)
    waits = wait_for(lambda: len(seen.who_waits()) == 3 and seen.who_waits())
    assert {what for what, _ in waits.values()} == {"the driver"}
