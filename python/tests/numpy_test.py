# SPDX-License-Identifier: Apache-2.0
"""All of NumPy's public functions on distributed arrays: NumPy's answer, or a TypeError that names the function."""
import pytest

# Of no arrays, of arrays in order alone, or with effects beyond their value.
NOT_ASKED = """
    test info show_config show_runtime get_include save savez savez_compressed savetxt load loadtxt genfromtxt fromfile fromregex frompyfunc fromiter from_dlpack frombuffer vectorize
    set_printoptions setbufsize seterr seterrcall errstate printoptions getbufsize geterr geterrcall get_printoptions ndarray memmap recarray nditer nested_iters ndenumerate matrix
    flatiter broadcast dtype empty empty_like poly1d asmatrix bmat typename mintypecode isdtype issubdtype busdaycalendar put place copyto putmask fill_diagonal require
    finfo iinfo void str_ bytes_ object_ datetime64 timedelta64 character generic array_repr array_str array2string searchsorted
    byte_bounds deprecate deprecate_with_doc fromstring get_array_wrap string_ unicode_
""".split()

# Whose second argument is a type: an array stands for its own there, as for NumPy all that has a `dtype`.
TAKE_TYPES = "array asarray asanyarray asarray_chkfinite ascontiguousarray asfortranarray zeros zeros_like ones ones_like identity indices promote_types result_type can_cast".split()
OTHER_NAMES = {"poly": "atleast_1d", "roots": "atleast_1d", "row_stack": "vstack"}  # which NumPy asks for

SCRIPT = """
    import warnings; warnings.simplefilter('ignore')
    import armilla as am, numpy as np
    NOT_ASKED, TAKE_TYPES, OTHER_NAMES = {lists!r}

    def same(x, y):
        if isinstance(y, (tuple, list)) and not isinstance(x, np.ndarray): return isinstance(x, type(y)) and len(x) == len(y) and all(map(same, x, y))
        if isinstance(x, am.Array):
            if x.dtype != np.asarray(y).dtype or x.shape != np.shape(y): return False
            x = np.asarray(x)
        x, y = np.asarray(x), np.asarray(y)
        if x.shape != y.shape: return False
        if y.dtype.kind in 'fc': return x.dtype == y.dtype and np.allclose(x, y, rtol=5e-3 if y.dtype == 'f2' else 1e-5, atol=1e-8, equal_nan=True)
        return x.dtype == y.dtype and (x == y).all()

    def functions():
        for name in sorted(np.__all__):
            f = getattr(np, name)
            if callable(f) and name not in NOT_ASKED and not (isinstance(f, type) and issubclass(f, BaseException)): yield name, f, f.__name__
            if isinstance(f, np.ufunc):
                for method in ('reduce', 'accumulate', 'outer', 'at', 'reduceat'): yield f'{{name}}.{{method}}', getattr(f, method), f'{{f.__name__}}.{{method}}'

    FORMS = {{
        'a': lambda a, b: ((a,), {{}}), 'a, b': lambda a, b: ((a, b), {{}}), 'a, 2': lambda a, b: ((a, 2), {{}}), 'a, numpy': lambda a, b: ((a, np.arange(11)), {{}}),
        'a, [5]': lambda a, b: ((a, np.array([5])), {{}}), '[a, b]': lambda a, b: (([a, b],), {{}}), 'axis': lambda a, b: ((a,), {{'axis': 0}}), 'dtype': lambda a, b: ((a,), {{'dtype': 'f4'}}),
        'where': lambda a, b: ((a,), {{'where': np.arange(11) > -1}}), '2, a': lambda a, b: ((2, a), {{}}), 'a, b, 3': lambda a, b: ((a, b, 3), {{}})}}
    MAY_WRITE = 'a, b', '2, a', 'a, b, 3'
    answers, refusals, wrong, NONE = 0, 0, [], object()
    for kinds in {kinds!r}:
        whole = [(np.array([3, 1, 2, 0, 1, 2, 1, 3, 1, 2, 1]) * (2 / 3 if kind[0] == 'f' else 1)).astype(kind).reshape({shape}) for kind in kinds]  # as a shape, of nothing
        made = [am.array(w) for w in whole]
        for name, f, its_name in functions():
            if name.endswith('.at'): continue
            for form in list(FORMS)[:{forms}]:
                args, options = FORMS[form](*([am.array(w) for w in whole] if form in MAY_WRITE else made))
                its_args, _ = FORMS[form](*map(np.copy, whole))
                if name in TAKE_TYPES and len(args) > 1: continue
                try: expected = f(*its_args, **({{'kind': 'stable'}} if name == 'argsort' and form in ('a', 'axis') else {{}}), **options)
                except Exception: expected = NONE
                try: found = f(*args, **options)
                except TypeError as error:
                    refusals += 1
                    if expected is not NONE and OTHER_NAMES.get(name, its_name) not in str(error): wrong.append((name, form, str(error)))
                    continue
                except Exception as error:
                    if expected is not NONE: wrong.append((name, form, repr(error)))
                    continue
                answers += 1
                if expected is NONE or not same(found, expected): wrong.append((name, form, np.asarray(found) if isinstance(found, am.Array) else found, expected))
        for a, w in zip(made, whole):
            if not (np.asarray(a) == w).all(): wrong.append('something has written')
    assert not wrong, '\\n'.join(map(str, wrong))
    assert answers > {least} and refusals > {least}, (answers, refusals)
    if am.rank == 0: print(answers, refusals)
    """


def script(kinds, forms, least, shape=(11,)):
    return SCRIPT.format(lists=(NOT_ASKED, TAKE_TYPES, OTHER_NAMES), kinds=kinds, forms=forms, least=least, shape=shape)


def test_all_functions(together):
    together(script([("f8", "i4")], 1, 30))


@pytest.mark.whole
@pytest.mark.parametrize("first", ["f8", "f4", "i8", "u1", "?"])
def test_all_functions_on_all_types(job, first):
    for second in ("f8", "i4"):
        job.passes(2, script([(first, second)], 11, 300))


@pytest.mark.whole
@pytest.mark.parametrize("shape", [(11, 1), (1, 11, 1)])
def test_all_functions_on_several_axes(job, shape):
    job.passes(2, script([("f8", "i4"), ("u1", "c16")], 6, 100, shape))


COMPOSED = """
    np.average(f, weights=g); np.average(m, 0, weights=np.arange(7)); np.average(m, 1, m, keepdims=True); np.average(i, weights=i); np.average(f, weights=g, returned=True); np.average(h, weights=h)
    np.nanvar(e, ddof=1); np.nanstd(e); np.nanstd(m, axis=0); np.nanstd(i)
    np.interp(f, [0, 1], [0, 10]); np.interp(g, np.sort(f), g); np.interp(0.5, np.sort(f), g); np.interp(m, [0, 0.5, 1], [3, 4, 9], left=-1); np.interp(e, [0, 1], [0, 10]); np.interp(f, [0, 1], [1j, 2])
    np.digitize(f, [0.2, 0.5]); np.digitize(m, [0.2, 0.5], right=True); np.digitize(f, np.sort(g)); np.digitize(0.3, np.sort(g))
    np.select([f > 0.7, f > 0.3], [1, 2]); np.select([f > 0.7, f > 0.3], [h, 2.0], -1); np.select([m > 0.5, m[0] > 0.2], [m, 0.0], 7); np.select([f > 0.5, g > 0.2], [f, i], 3)
    np.cov(m); np.cov(m, rowvar=False); np.cov(f); np.cov(m, bias=True); np.cov(h); np.corrcoef(m.T); np.corrcoef(f)
    np.union1d(i, [1, 2, 100]); np.union1d(m, e); np.union1d(h, 2); np.intersect1d(i, [1, 2, 100]); np.intersect1d(f, i); np.setdiff1d(i, [1, 2]); np.setdiff1d([1, 2, 77, 77], i); np.setdiff1d(e, f)
    np.extract(f > 0.5, f); np.extract(m > 0.5, m); np.hsplit(m, [2]); np.hsplit(f, [2]); np.vsplit(m, 7); np.dsplit(m[..., None], 1)
""".replace(";", "\n").split("\n")


def test_what_is_made_of_other_functions(together):
    together(SCRIPT.partition("    def functions")[0].format(lists=(0, 0, 0)) + f"""
    r = np.random.default_rng(5)
    whole = dict(f=r.random(23), g=r.random(23), e=np.where(r.random(23) < 0.2, np.nan, 1.5), m=r.random((7, 5)), i=r.integers(0, 9, 23), h=r.random(23).astype('f4'))
    for line in {[line.strip() for line in COMPOSED if line.strip()]!r}:
        expected, found = eval(line, dict(np=np, **whole)), eval(line, dict(np=np, **{{k: am.array(v) for k, v in whole.items()}}))
        assert same(found, expected), (line, found, expected)
    for line, why in (('np.average(f, weights=f * 0)', ZeroDivisionError), ('np.select([f > 1], [f, f])', ValueError), ('np.select([f], [f])', TypeError), ('np.cov(np.stack([m, m]))', ValueError), ('np.vsplit(f, 1)', ValueError)):
        try: eval(line, dict(np=np, **{{k: am.array(v) for k, v in whole.items()}}))
        except why: pass
        else: assert False, line
    """)


def test_results_of_several(together):
    together("""
        import armilla as am, numpy as np
        x, y = np.random.default_rng(1).random((2, 101))
        a, b = am.array(x), am.array(y)
        for f in (np.matmul, np.dot, np.inner, np.vdot):
            for p, q in ((a, b), (a, y), (x, b)): assert np.isclose(f(p, q), x @ y), f
        q, rest = divmod(a, 0.25)
        assert (np.asarray(q) == x // 0.25).all() and (np.asarray(rest) == x % 0.25).all()
        out = np.modf(a * 3, out=(am.array(101), am.array(101)))
        assert (np.asarray(out[0]) == np.modf(x * 3)[0]).all()
        one = am.array(np.array([2.0]))
        assert (np.asarray(a * one) == x * 2).all() and (np.asarray(one * y) == y * 2).all() and len(one + np.ones(1)) == 1
        big = am.array(np.full(4, 2**62, 'i8'))
        assert big.mean() == 2.0**62 and (np.asarray(am.array(np.full(4, 2**30, 'i4')).cumsum()) == np.arange(1, 5) * 2**30).all()
        """)


def test_mistakes_are_told_on_all_ranks(together):
    together("""
        import armilla as am, numpy as np, pytest
        def raises(kind, text, f):
            with pytest.raises(kind) as found: f()
            assert text in str(found.value), found.value
        a, n = am.array(np.arange(10.0)), am.array(np.arange(10))
        raises(TypeError, 'numpy.gradient', lambda: np.gradient(a))
        raises(TypeError, 'numpy.linalg.svd', lambda: np.linalg.svd(a))
        raises(TypeError, 'numpy.fft.fft', lambda: np.fft.fft(a))
        raises(TypeError, 'numpy.subtract.reduce', lambda: np.subtract.reduce(a))
        raises(TypeError, 'numpy.add', lambda: np.add(np.ones(10), a, out=np.ones(10)))
        raises(TypeError, 'numpy.sort', lambda: np.sort(a, order='x'))
        raises(TypeError, "ufunc 'add' output", lambda: n.__iadd__(1.5))
        raises(IndexError, 'of float64', lambda: a[np.ones(3)])
        raises(IndexError, 'of type float', lambda: a[1.0])
        raises(ValueError, 'without a copy', lambda: a.__array__(copy=False))
        raises(ValueError, 'negative integer powers', lambda: am.array(np.arange(3)) ** am.array(np.array([-1, 1, 1])))     # of one rank's elements
        raises(ValueError, 'negative integer powers', lambda: am.array(np.arange(3)) ** am.array(np.array([1, 1, -1])))
        assert a.sum() == 45
        """)


def test_nan_is_as_numpy_has_it(together):
    together("""
        import armilla as am, numpy as np
        for kind in ('f8', 'f4'):
            for at in (0, 5, 16):
                x = np.random.default_rng(at).random(17).astype(kind)
                x[at] = np.nan
                a = am.array(x)
                assert np.isnan(a.min()) and np.isnan(a.max()) and np.isnan(np.min(a)) and np.isnan(a.sum())
                a.sort()
                assert np.array_equal(np.asarray(a), np.sort(x), equal_nan=True)
                a.sort(descending=True)
                assert np.array_equal(np.asarray(a), np.sort(x)[::-1], equal_nan=True)
            for who in range(am.size):
                for op in ('min', 'max'):
                    value = float('nan') if am.rank == who else float(am.rank)
                    for mine in (value, np.float32(value), np.array(value), np.array([value, 1.0], kind), np.array([value], 'f2')):
                        assert np.isnan(np.ravel(am.all_reduce(mine, op))[0]), (who, op, mine)
        """)


def test_ranks_that_do_not_ask_for_the_same_are_told(together):
    together("""
        import armilla as am, numpy as np, pytest
        def differs(text, f):
            try: f()
            except am.UsageError as e: assert 'do not ask for the same' in str(e) and text in str(e), e
            else: assert False, text
        mine = am.rank == 2
        for kind in ('f8', 'u2'):
            differs('max', lambda: am.all_reduce(np.ones(5, kind), 'max' if mine else 'sum'))
            differs('(6,)', lambda: am.all_reduce(np.ones(6 if mine else 5, kind)))
            differs('(5, 1)', lambda: am.all_reduce(np.ones((5, 1) if mine else 5, kind)))
            differs('int64', lambda: am.all_reduce(np.ones(5, 'i8' if mine else kind)))
        differs('values', lambda: am.all_reduce(1.0 if mine else np.ones(1)))
        differs('min', lambda: am.all_reduce(1, 'min' if mine else 'sum'))
        differs('other', lambda: am.all_reduce(1, other if mine else max))
        differs('11', lambda: am.array(11 if mine else 10))
        differs("'f4'", lambda: am.array(10, 'f4' if mine else 'f8'))
        differs('max', lambda: am.dict(max if mine else min))
        a, b = am.array(10), am.zeros((4, 4))
        differs('numpy.multiply', lambda: np.multiply(a, a) if mine else np.add(a, a))
        differs('(11,)', lambda: am.asarray(np.ones(11 if mine else 10)))
        differs('axis=1', lambda: np.sum(b, axis=1 if mine else 0))
        differs('float32', lambda: a + (np.ones(10, 'f4') if mine else np.ones(10)))
        differs('slice(0, 4', lambda: a.__setitem__(slice(0, 4 if mine else 5), 1))
        with pytest.raises(ValueError, match='has raised|broadcast'): a + np.ones(9 if mine else 10)
        assert am.all_reduce(1) == 3
        """.replace("def differs", "def other(a, b): return a\n        def differs"))
