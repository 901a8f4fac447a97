# SPDX-License-Identifier: Apache-2.0
"""How processes of this package are started: with no folder in front in which others may have put modules.

`python -m armilla` and `python -c` search the current folder first, before what is installed. A script does not: it searches its own folder.
"""
from __future__ import annotations

import os
import sys

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def command(*arguments: str) -> list[str]:
    """The command line of `python -m armilla arguments`, by this interpreter, without the current folder."""
    import subprocess

    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    return [sys.executable, *flags, "-c", f"{loading()}; from armilla.__main__ import main; sys.exit(main())", *arguments]


def loading() -> str:
    """Code that loads this very package, whichever other one the search path has in front. Its folder comes last, for a package that is not installed."""
    file = os.path.join(_PACKAGE, "armilla", "__init__.py")
    return (f"import sys; sys.path[:1] = [] if sys.path[:1] == [''] else sys.path[:1]; sys.path.append({_PACKAGE!r}); import importlib.util; "
            f"spec = importlib.util.spec_from_file_location('armilla', {file!r}, submodule_search_locations=[{os.path.dirname(file)!r}]); "
            "sys.modules['armilla'] = importlib.util.module_from_spec(spec); spec.loader.exec_module(sys.modules['armilla'])")


def put_first(folder: str) -> None:
    """As Python does for a script in that folder, unless it was told not to (-P)."""
    if not getattr(sys.flags, "safe_path", False) and not sys.flags.isolated:
        sys.path.insert(0, folder)
