#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""demo_test.py DENY: ./demo as a user who is not root, in a tree that cannot be written and whose path has spaces, by the second compiler,
and where what a container without ptrace refuses is denied: it builds and runs in a folder that was named. DENY is tests/start/deny."""
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    user = pwd.getpwnam("nobody")
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "with a space"
        tree, out = place / "a tree", place / "an other folder"
        place.mkdir()
        shutil.copytree(ROOT, tree, symlinks=True, ignore=lambda at, names: ["build", ".git"] if pathlib.Path(at) == ROOT else [])
        out.mkdir()
        deny = shutil.copy(sys.argv[1], place / "deny")
        for path in [pathlib.Path(folder), place, tree, deny, *tree.rglob("*")]:
            if not path.is_symlink():
                path.chmod(path.stat().st_mode & ~0o222 | (0o555 if path.is_dir() else 0o444))
        is_root = os.geteuid() == 0
        if is_root:
            os.chown(out, user.pw_uid, user.pw_gid)
        environment = dict(os.environ, HOME=str(out), CCACHE_DIR=str(out / "ccache"), PYTHONDONTWRITEBYTECODE="1")
        compiler = shutil.which("clang++-19")
        if compiler:
            environment["CXX"] = compiler
        run = subprocess.run([deny, "EPERM", "process_vm_readv,process_vm_writev,ptrace", tree / "demo", "--quick", "--build", out],
                             cwd="/", env=environment, user=user.pw_uid if is_root else None, group=user.pw_gid if is_root else None,
                             extra_groups=[] if is_root else None, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        print(run.stdout)
        place.chmod(0o755)
        tree.chmod(0o755)
        assert run.returncode == 0, run.returncode
        assert "everything ran and was right" in run.stdout
        assert (out / "micro.svg").exists()
        assert not (tree / "build").exists()


if __name__ == "__main__":
    main()
