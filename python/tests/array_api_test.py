# SPDX-License-Identifier: Apache-2.0
"""The array API standard: all of its names, and the examples of the docstrings. arrays_test.py compares values with NumPy's."""
import pathlib
import subprocess
import sys

import pytest

FUNCTIONS = """
    arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu zeros zeros_like astype can_cast finfo iinfo isdtype result_type abs acos acosh add asin asinh
    atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide greater
    greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter not_equal
    positive pow real reciprocal remainder round sign signbit sin sinh square sqrt subtract tan tanh trunc take take_along_axis matmul matrix_transpose tensordot vecdot broadcast_arrays broadcast_to
    concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack tile unstack argmax argmin count_nonzero nonzero searchsorted where unique_all unique_counts unique_inverse
    unique_values argsort sort cumulative_prod cumulative_sum max mean min prod std sum var all any diff __array_namespace_info__
""".split()


def test_all_names_of_the_standard_are_there(together):
    together(f"""
        import armilla as am, math
        a = am.zeros((2, 3))
        xp = a.__array_namespace__(api_version='2024.12')
        missing = [name for name in {FUNCTIONS} if not callable(getattr(xp, name, None))]
        assert not missing, missing
        assert (xp.pi, xp.e, xp.inf, xp.newaxis) == (math.pi, math.e, math.inf, None) and math.isnan(xp.nan)
        kinds = xp.__array_namespace_info__().dtypes()
        assert len(kinds) == 13 and all(getattr(xp, name) == dtype for name, dtype in kinds.items())
        assert sorted(xp.__array_namespace_info__().dtypes(kind='complex floating')) == ['complex128', 'complex64'] and xp.isdtype(xp.int8, ('bool', 'integral'))
        assert xp.finfo(a).bits == 64 and xp.can_cast(xp.int8, xp.int16) and xp.result_type(a, xp.int8) == xp.float64
        for name in ('linalg', 'fft'):
            try: getattr(xp, name)
            except AttributeError as error: assert 'extension' in str(error)
            else: assert False
        assert all(isinstance(f(a), am.Array) and f(a).shape == () for f in (xp.sum, xp.mean, xp.max, xp.argmax, xp.count_nonzero, xp.all, xp.std)) and a.device == 'cpu'
        """)


def test_names_and_parameters_are_those_of_array_api_strict(together):
    pytest.importorskip("array_api_strict")
    together("""
        import armilla.array_api as api, array_api_strict, inspect
        array_api_strict.set_array_api_strict_flags(api_version='2024.12')
        def names(f): return {p.name: p.kind for p in inspect.signature(f).parameters.values() if p.kind is p.KEYWORD_ONLY}
        for name in array_api_strict.__all__:
            theirs = getattr(array_api_strict, name)
            if inspect.isfunction(theirs) and not name.endswith('_strict_flags') and hasattr(api, name):
                lacking = set(names(theirs)) - set(inspect.signature(getattr(api, name)).parameters)
                assert not lacking, (name, lacking)
        """)


MODULES = ["armilla.array_api", "armilla._nd.core", "armilla._nd.create", "armilla._nd.random", "armilla._nd.files"]


@pytest.mark.parametrize("ranks", [1, 2])
def test_examples_of_docstrings(ranks, tmp_path):
    script = tmp_path / "examples.py"
    script.write_text(f"""
import doctest, importlib, sys
import armilla as am
for name in {MODULES}:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted and not found.failed, name
am.barrier()
""", encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "armilla", "-n", str(ranks), str(script)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_benchmark_runs(tmp_path):
    script = pathlib.Path(__file__).resolve().parents[2] / "bench/python/arrays.py"
    small = tmp_path / "arrays.py"
    small.write_text(script.read_text(encoding="utf-8").replace("N, SIDE, RANKS = 10**7, 2000, 2", "N, SIDE, RANKS = 10**4, 20, 2"), encoding="utf-8")
    (tmp_path / "timing.py").write_text(script.with_name("timing.py").read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run([sys.executable, str(small)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and "matmul" in done.stdout, done.stdout + done.stderr
