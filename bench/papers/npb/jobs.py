# SPDX-License-Identifier: Apache-2.0
"""How the programs of this folder are started, and what they print taken in."""
import json
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BIN = ROOT / "build" / "release" / "bin" / "papers"
HOSTS = ROOT / "tests" / "hosts" / "hosts"


class Failed(Exception):
    """A job that gave no results; the text says why, in a line."""


def add_arguments(parser):
    parser.add_argument("--bin", type=pathlib.Path, default=BIN, metavar="DIR", help="where paper_cg, paper_is and the twins lie")
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE", help="the records, a JSON object a line, are added to it")
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS", help="of a job; default: 600")


def quiet_environment(**more):
    """Ranks are many and processors few: nobody is pinned."""
    return dict(os.environ, ARMILLA_PIN="none", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **more)


def mpirun(ranks):
    """On this machine, for the MPI that the twins are built with: that of the command mpirun."""
    if shutil.which("mpirun") is None:
        raise Failed("there is no mpirun here")
    said = subprocess.run(["mpirun", "--version"], text=True, capture_output=True, check=False).stdout
    words = ["--oversubscribe", "--bind-to", "none"] if "Open MPI" in said or "OpenRTE" in said else []
    return ["mpirun", *words, "-n", str(ranks)]


def records_of(line, environment, limit):
    """Runs a job; the records that it prints."""
    line = [str(word) for word in line]
    try:
        job = subprocess.run(line, env=environment, timeout=limit, text=True, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise Failed(str(error)) from error
    except subprocess.TimeoutExpired as error:
        raise Failed(f"no end within {limit:g} s") from error
    if job.returncode != 0:
        said = (job.stderr.strip() or job.stdout.strip() or "nothing").splitlines()
        skipped = [text for text in said if text.startswith("SKIP")]
        raise Failed(skipped[0] if skipped else f"code {job.returncode}: {said[0][:200]}")
    return [json.loads(text) for text in job.stdout.splitlines() if text.startswith("{")]


def keep(out, records):
    """Adds records to a file of JSON lines, if there is one."""
    if out is not None:
        with out.open("a") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)
