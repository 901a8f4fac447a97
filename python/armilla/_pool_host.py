# SPDX-License-Identifier: Apache-2.0
"""The program of a pool's worker on another host: `python -P .../armilla/_pool_host.py`. It loads the package in whose folder it is."""
import importlib.util
import os
import sys

if __name__ == "__main__":
    folder = os.path.dirname(os.path.abspath(__file__))
    spec = importlib.util.spec_from_file_location("armilla", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder])
    assert spec is not None and spec.loader is not None
    sys.modules["armilla"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["armilla"])
    from armilla._pool_remote import main

    main()
