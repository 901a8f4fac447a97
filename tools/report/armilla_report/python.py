# SPDX-License-Identifier: Apache-2.0
"""Debian's packages belong to Debian's Python, which need not be the first in PATH."""
import importlib.util
import os
import sys

PACKAGES = {"matplotlib": "python3-matplotlib", "pandas": "python3-pandas", "jinja2": "python3-jinja2"}
DEBIAN = "/usr/bin/python3"


def missing():
    """The Debian packages that this Python lacks."""
    return [package for module, package in PACKAGES.items() if importlib.util.find_spec(module) is None]


def take_one_with_packages():
    """Starts the script again with Debian's Python where this one lacks a package; says what to install if that does, too."""
    if not missing():
        return
    if os.path.exists(DEBIAN) and os.path.realpath(DEBIAN) != os.path.realpath(sys.executable):
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    sys.exit("armilla-report: missing " + ", ".join(missing()) + "; tools/install-packages report installs them")
