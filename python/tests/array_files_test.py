# SPDX-License-Identifier: Apache-2.0
"""Arrays in files: what is written is read again, on any number of ranks, and errors name file, line and reason."""
import numpy as np
import pytest

KINDS = [".npy", ".csv", pytest.param(".h5", marks=pytest.mark.hdf5)]


@pytest.fixture(autouse=True)
def hdf5(request):
    if request.node.get_closest_marker("hdf5"):
        pytest.importorskip("h5py", reason="the package h5py is not installed")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_saved_is_loaded(together, tmp_path, kind):
    together(f"""
        import armilla as am, numpy as np
        rng = np.random.default_rng(5)
        for number, x in enumerate((rng.normal(size=(10, 3)), rng.normal(size=(2, 7)), np.arange(11.0), np.zeros((0, 4)) if {kind!r} != '.csv' else np.ones((1, 1)), np.array([[np.nan, np.inf, -1e-300]]))):
            path = {str(tmp_path)!r} + f'/{{number}}{kind}'
            am.save(path, am.asarray(x))
            got = am.load(path)
            got = got['data'] if {kind!r} == '.h5' else got
            assert np.array_equal(np.asarray(got).reshape(x.shape), x, equal_nan=True) and got.dtype == x.dtype, x
            assert got.offsets == am.zeros(got.shape).offsets                # in equal blocks
            am.save(path, am.asarray(x).redistribute(x.ndim - 1))            # the file is replaced
            got = am.load(path)
            assert np.array_equal(np.asarray(got['data'] if {kind!r} == '.h5' else got).reshape(x.shape), x, equal_nan=True)
        """)


@pytest.mark.hdf5
def test_datasets_of_hdf5(together, tmp_path):
    import h5py

    path = tmp_path / "many.hdf5"
    with h5py.File(path, "w") as file:
        file["a/x"] = np.arange(20, dtype=">i4").reshape(10, 2)
        file["one"] = 2.5
        file["text"] = "words"
    together(f"""
        import armilla as am, numpy as np
        a = am.load({str(path)!r}, 'a/x')
        assert a.dtype == 'i4' and (np.asarray(a) == np.arange(20).reshape(10, 2)).all() and a.bounds() == am.zeros(10).bounds()
        assert float(am.load({str(path)!r}, '/one')) == 2.5
        for dataset, said in (('b', "there is no dataset 'b'; there are a/x, one, text"), ('text', "many.hdf5: the dataset '/text': elements of object are not supported")):
            try: am.load({str(path)!r}, dataset)
            except (am.UsageError, TypeError) as e: assert said in str(e), e
            else: assert False
        """)


def test_records_of_csv(together, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('x;"y"\r\n1;+2.5\r\n\r\n"3";\r\n nan ;1e3', encoding="utf-8")
    together(f"""
        import armilla as am, numpy as np
        a = am.load({str(path)!r}, header=True, separator=';')
        assert np.array_equal(np.asarray(a), [[1, 2.5], [3, np.nan], [np.nan, 1000]], equal_nan=True)
        """)


@pytest.mark.parametrize(("text", "said"), [
    ("1,2\n" * 50 + "3,x\n" + "1,2\n" * 50, "line 51: 'x' in field 2 is not a number; fix the file"),
    ("1,2\n" * 50 + "3,4,5\n", "line 51: it has 3 fields, and the first record 2; fix the file"),
    ("1,2\n" * 50 + "1,2,3\n" * 50, "it has 3 fields, and the first record 2"),
    ("a,b\n1,2\n", "line 1: 'a' in field 1 is not a number; give header=True"),
    ('1,"2"3\n', "line 1"),
])
def test_bad_records_are_an_error_on_all_ranks(together, tmp_path, text, said):
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    together(f"""
        import armilla as am
        try: am.load({str(path)!r})
        except am.UsageError as e: assert {said!r} in str(e) and 'bad.csv' in str(e), e
        else: assert False
        assert am.all_reduce(1) == 3
        """)


@pytest.mark.parametrize(("call", "said"), [
    ("am.load('{0}/none.csv')", "No such file"), ("am.load('{0}/none.npy')", "none.npy: there is no such file"), ("am.load('{0}/none.npy', 'a')", "a .npy file holds one array, which has no name"), ("am.load('{0}/x.txt')", "'.txt'; there are .npy, .npz, .csv, .h5, .hdf5"),
    ("am.save('{0}/x.npz', am.zeros(3))", "'.npz'; there are .npy, .csv"), ("am.save('{0}/x.csv', am.zeros((2, 2, 2)))", "takes real numbers of one axis or two"),
    ("am.save('{0}/x.csv', am.zeros(2, 'c16'))", "takes real numbers"), ("am.load('{0}/words.npy')", "words.npy: it cannot be read as a .npy file"), ("am.load('{0}/x.csv', separator='ab')", "one ASCII character"),
    ("am.save('{0}/no/x.csv', am.zeros(3))", "no/x.csv"), ("am.save('{0}/x.npy', [1])", "x.npy: a value of type list; make an array of it by armilla.asarray"),
])
def test_mistakes_name_the_file(together, tmp_path, call, said):
    (tmp_path / "words.npy").write_text("words", encoding="utf-8")
    together(f"""
        import armilla as am
        try: {call.format(tmp_path)}
        except (OSError, ValueError) as e: assert {said!r} in str(e), e
        else: assert False
        assert am.all_reduce(1) == 3
        """)
