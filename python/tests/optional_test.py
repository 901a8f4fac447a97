# SPDX-License-Identifier: Apache-2.0
"""Where optional packages are missing, an error names them."""


def test_without_h5py_the_error_names_it(job):
    job.passes(2, """
        import sys
        sys.modules['h5py'] = None
        import armilla as am
        for use in (lambda: am.load('x.h5'), lambda: am.save('x.h5', am.zeros(3))):
            try: use()
            except am.UsageError as e: assert 'pip install h5py' in str(e)
            else: assert False
        """)


def test_without_polars_the_error_names_it(job):
    job.passes(1, """
        import sys
        sys.modules['polars'] = None
        import armilla as am
        namespace = {}
        exec('from armilla import *', namespace)                      # which does not need it
        assert 'array' in namespace
        try: am.read_csv
        except am.UsageError as e: assert "pip install 'armilla[table]'" in str(e)
        else: assert False
        """)
