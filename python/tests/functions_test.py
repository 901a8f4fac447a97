# SPDX-License-Identifier: Apache-2.0
"""Functions that go to other processes by value: when they are packed again."""
import numpy as np
import pytest

from armilla._functions import Packed

names = {"__name__": "__main__", "flag": True}
exec("def by_flag():\n    return flag", names)


@pytest.mark.parametrize("changed", [1, False, 1.0, np.array([1, 2]), "text"])
def test_a_global_that_changes_is_noticed(changed):
    names["flag"] = True
    packed = Packed()
    first = packed.of(names["by_flag"])
    assert packed.of(names["by_flag"]) is first
    names["flag"] = changed
    again = packed.of(names["by_flag"])  # None: it is packed for each task
    assert again is None or repr(again.needs.get()()) == repr(changed)
