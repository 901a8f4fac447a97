# SPDX-License-Identifier: Apache-2.0
"""mypy and pyright, in their strict modes, pass on a program that uses the package."""
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.whole
TYPED = pathlib.Path(__file__).with_name("typed.py")
PACKAGE = TYPED.parents[1] / "armilla"


@pytest.fixture
def program(tmp_path):
    """The program, beside the package as it is installed: its own code is not checked."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site/armilla").symlink_to(PACKAGE)
    return shutil.copy(TYPED, tmp_path / "typed.py")


def test_mypy(program, tmp_path):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    (tmp_path / "mypy.ini").write_text("[mypy]\nmypy_path = site\n[mypy-armilla.*]\nfollow_imports = silent\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-incremental", "typed.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    errors = [line for line in done.stdout.splitlines() if line.startswith("typed.py:")]
    assert not errors and "checked 1 source file" in done.stdout or "no issues found" in done.stdout, done.stdout + done.stderr


def test_pyright(program, tmp_path):
    if importlib.util.find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    settings = {"include": ["typed.py"], "typeCheckingMode": "strict", "extraPaths": ["site"], "pythonPlatform": "Linux"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "pyright", "-p", ".", "--pythonpath", sys.executable], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    if "errors," not in done.stdout:
        pytest.skip(f"pyright does not run: {done.stdout + done.stderr}")
    assert "0 errors, 0 warnings" in done.stdout, done.stdout
