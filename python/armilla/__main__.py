# SPDX-License-Identifier: Apache-2.0
"""python -m armilla -n 4 script.py arguments: starts ranks of Python. In a process that a launcher has started, this is a rank.

python -m armilla serve lab -n 4, list and stop are of sessions.
"""
from __future__ import annotations

import argparse
import os
import sys
import types

from . import _core, _launch, _session


def _parsed() -> argparse.Namespace:
    p = argparse.ArgumentParser(prog="python -m armilla", description="Runs a script on several ranks. Under mpirun, srun and armilla-run: python -m armilla script.py, "
                                "or python script.py. python -m armilla serve, list and stop are of sessions: --help after them tells.")
    p.add_argument("-n", "--ranks", type=int, help="how many ranks; ARMILLA_RANKS, or one, without it")
    p.add_argument("--label", action="store_true", help="put the rank before each line of output")
    p.add_argument("-m", dest="module", action="store_true", help="what follows is the name of a module")
    p.add_argument("script", help="the program")
    p.add_argument("arguments", nargs=argparse.REMAINDER)
    return p.parse_args()


def _become_main(path: str, arguments: list[str]) -> None:
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=path, __builtins__=__builtins__, __spec__=None, __cached__=None)
    sys.modules["__main__"] = main
    sys.argv[:] = [path, *arguments]
    _launch.put_first(os.path.dirname(os.path.realpath(path)))
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec")
    exec(code, main.__dict__)


def _become_module(name: str, arguments: list[str]) -> None:
    import runpy

    sys.argv[:] = [name, *arguments]
    if not name.startswith("armilla."):  # ours, whose path the driver gives
        _launch.put_first(os.getcwd())
    runpy._run_module_as_main(name, alter_argv=True)  # type: ignore[attr-defined]


def _run_rank(what: argparse.Namespace) -> int:
    try:
        _session.start()
    except _core.Error as error:
        print(error, file=sys.stderr)
        return 2
    _core.name_program(os.path.abspath(what.script) if not what.module else what.script)
    try:
        (_become_module if what.module else _become_main)(what.script, what.arguments)
        return 0
    except SystemExit as end:
        if end.code is None or end.code == 0:
            return 0
        if not isinstance(end.code, int):
            print(end.code, file=sys.stderr)
        code = end.code if isinstance(end.code, int) else 1
        _session.fail_by_code(code)
        return code & 0xFF or 1
    except KeyboardInterrupt:
        _session.end_by_interrupt()
        return 130
    except BaseException as error:
        at = error.__traceback__
        while at is not None and at.tb_next is not None and at.tb_frame.f_code.co_filename == __file__:
            at = at.tb_next
        if not isinstance(error, _core.RankLost):  # which the rank that is lost has told
            _session.tell(error, at)
        _session.fail_by(error)
        return 1


def main() -> int:
    if sys.argv[1:2] and sys.argv[1] in ("serve", "list", "stop") and not os.path.isfile(sys.argv[1]) and not _core.launched():
        from . import _serve

        return _serve.main()
    what = _parsed()
    if _core.joined() or _core.launched():
        return _run_rank(what)
    if not what.module and not os.path.exists(what.script):
        print(f"armilla: there is no script {what.script!r}; `python -m armilla --help` says what can be run", file=sys.stderr)
        return 2
    if what.ranks is not None:
        os.environ["ARMILLA_RANKS"] = str(what.ranks)
    if what.label:
        os.environ["ARMILLA_LABEL"] = "1"
    if os.environ.get("ARMILLA_RANKS", "1") == "1":
        return _run_rank(what)
    if os.environ.get("ARMILLA_FABRIC") == "threads":
        print("armilla: ranks of Python are processes; unset ARMILLA_FABRIC=threads", file=sys.stderr)
        return 2
    from . import _said

    os.environ["ARMILLA_INTERNAL_ERRORS"] = _said.shared()
    module = ["-m"] if what.module else []
    try:
        return _core.supervise(_launch.command(*module, what.script, *what.arguments), [])
    except _core.Error as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
