# SPDX-License-Identifier: Apache-2.0
"""Arrays whose elements are dealt to all ranks. They are made of armilla/_nd; this file has the names that users and other files use."""
from ._nd import methods, random  # noqa: F401  (which makes the methods of arrays)
from ._nd.core import Array
from ._nd.create import arange, array, asarray, empty, eye, from_function, from_local, full, linspace, ones, zeros
from ._nd.files import load, save
from ._nd.meeting import UnsupportedError, unsupported
from ._shared_array import SharedArray, shared

__all__ = ["Array", "SharedArray", "UnsupportedError", "arange", "array", "asarray", "empty", "eye", "from_function", "from_local", "full", "linspace", "load", "ones", "random", "save", "shared", "unsupported", "zeros"]
