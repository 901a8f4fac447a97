# SPDX-License-Identifier: Apache-2.0
"""What the plan is made of. See plan.py."""
import dataclasses
from collections.abc import Callable

ARMILLA = {"by": "armilla"}

# What the MRPC paper says of the gap between CC++ and Split-C, for all its programs.
GAP_TABLE = (("of the gap: threads", "25-50 %"), ("of the gap: thread management", "10-15 %, 75-85 % of it switches"),
             ("of the gap: synchronisation", "14 % (water-atomic), 19 % (em3d-ghost), 32 % (lu)"),
             ("locks taken without contention; for the sake of thread-safety", "about 95 %; 98-99 % of them"),
             ("of the gap: stubs, marshalling, dispatch", "over 50 %"), ("against CC++ over Nexus", "5 to 35 times faster"))


@dataclasses.dataclass(frozen=True)
class Command:
    """One executable that writes a JSON object a line. All commands of an experiment take turns, a round each."""
    label: str  # told apart by it, and shown
    program: str  # in build/*/bin/papers
    args: tuple = ()
    quick: tuple | None = None  # in place of args with --quick; () leaves the command out
    # or mpi: by mpirun; programs: by armilla-run, with `peer` on all ranks but the first; script: one of the project that starts
    # jobs itself and writes the records to --out
    launcher: str = "armilla"
    ranks: int = 2
    env: tuple = ()  # of "NAME=value"
    peer: str = ""


@dataclasses.dataclass(frozen=True)
class Target:
    """Ours against a baseline, paired by round, for each value of the sizes in `on`. Of several that fit, the best of each."""
    name: str
    ours: dict  # what a record must have; text may hold * and ?
    base: dict
    limit: float | Callable | None = None  # of the ratio of times; or a function of the sizes; None: shown only
    on: tuple = ()
    share: bool = False  # the baseline's speed is 1, and the limit the least that is to be reached
    peak: bool = False  # the baseline's best of all sizes, whatever `on` says
    paper: str = ""  # the paper's number for the same, in its words
    # in place of a baseline's record: the Mop/s that others published for a size; judged only where the raw line takes what it did there
    published: Callable | None = None


@dataclasses.dataclass(frozen=True)
class Figure:
    """`ratios`: the targets over `x`; `lines`: the records over `x`; `scaling`: how many times as fast as at the least `x`; `bars`: the
    components of the records."""
    kind: str
    title: str
    x: str = ""
    log: bool = False
    only: tuple = ()  # names of targets, or patterns of versions
    paper: tuple = ()  # (label, {x: number}): the paper's points, where its text gives them


@dataclasses.dataclass(frozen=True)
class Experiment:
    id: str
    title: str
    paper: str  # where it stands there
    what: str
    commands: tuple = ()
    targets: tuple = ()
    figures: tuple = ()
    table: tuple = ()  # the paper's numbers: a heading and rows
    ours: Callable | None = None  # the rows of the same that an entry of the results gives, from beside.py
    rounds: int = 11
    quick_rounds: int = 3
    seconds: float = 10  # of a round of --quick, about, as long as it is not measured


@dataclasses.dataclass(frozen=True)
class Bench:
    """Rows of armilla-bench, which pairs them itself. `paper`: row -> the paper's numbers in words."""
    id: str
    title: str
    paper: str
    what: str
    suite: str
    rows: tuple = ()
    quick_rows: tuple = ()
    paper_rows: dict = dataclasses.field(default_factory=dict)
    seconds: float = 30
