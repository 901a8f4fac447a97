# SPDX-License-Identifier: Apache-2.0
"""How the programs of this folder are started, and what they print taken in."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BIN = ROOT / "build" / "release" / "bin" / "papers"
HOSTS = ROOT / "tests" / "hosts" / "hosts"


class Failed(Exception):
    """A job that gave no results; the text says why, in a line."""


def file_to_add_to(text):
    """Tried before the first job runs, not behind the last."""
    path = pathlib.Path(text)
    new = not path.exists()
    try:
        with path.open("a"):
            pass
        if new:  # a run without records leaves no file
            path.unlink()
        return path
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text}: cannot be written to ({error.strerror}); name another file") from error


def add_arguments(parser):
    parser.add_argument("--bin", type=pathlib.Path, default=BIN, metavar="DIR", help="where paper_cg, paper_is and the twins lie")
    parser.add_argument("--out", type=file_to_add_to, metavar="FILE", help="the records, a JSON object a line, are added to it")
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS", help="of a job; default: 600")


def quiet_environment(**more):
    """Ranks are many and processors few: none is pinned."""
    return dict(os.environ, ARMILLA_PIN="none", ARMILLA_TUNED="none", OMPI_ALLOW_RUN_AS_ROOT="1",
                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **more)


def mpirun(ranks):
    """On this machine, for the MPI that the twins are built with: that of the command mpirun."""
    if shutil.which("mpirun") is None:
        raise Failed("there is no mpirun here")
    said = subprocess.run(["mpirun", "--version"], text=True, capture_output=True, check=False).stdout
    words = ["--oversubscribe", "--bind-to", "none"] if "Open MPI" in said or "OpenRTE" in said else []
    return ["mpirun", *words, "-n", str(ranks)]


def records_of(line, environment, limit, expected=1):
    """Runs a job that prints so many records, and returns them. A job that has printed all and then does not end is ended: between hosts
    MPICH 4.0 may stay in MPI_Finalize."""
    records, said = [], []
    with tempfile.TemporaryFile("w+") as errors:
        try:
            job = subprocess.Popen([str(word) for word in line], env=environment, text=True, stdout=subprocess.PIPE, stderr=errors)
        except OSError as error:
            raise Failed(str(error)) from error
        late = threading.Timer(limit, job.terminate)
        late.start()
        try:
            with job.stdout:
                for text in job.stdout:
                    said.append(text.strip())
                    if text.startswith("{"):
                        records.append(json.loads(text))
                    if len(records) == expected:
                        break
            if len(records) < expected:
                job.wait()  # the limit ends it
        finally:
            in_time = late.is_alive()
            late.cancel()
            ended = end(job, 5 if len(records) == expected else 0)
        errors.seek(0)
        said = [text for text in errors.read().splitlines() + said if text.strip() and not text.startswith("{")]
    if not in_time:
        raise Failed(f"no end within {limit:g} s")
    if len(records) == expected and all(record["verified"] for record in records) and (job.returncode == 0 or not ended):
        return records
    skipped = [text for text in said if text.startswith("SKIP")]
    raise Failed(skipped[0] if skipped else f"code {job.returncode}: {(said or ['nothing'])[0][:200]}")


def end(job, patience):
    """Waits for the end of a job; after that it is ended. Whether it ended by itself."""
    for again in (None, job.terminate, job.kill):
        if again is not None:
            again()
        try:
            job.wait(patience if again is None else 10)
            return again is None
        except subprocess.TimeoutExpired:
            continue
    return False


def keep(out, records):
    """Adds records to a file of JSON lines, if there is one."""
    if out is not None:
        with out.open("a") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)
