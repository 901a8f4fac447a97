# SPDX-License-Identifier: Apache-2.0
"""Distributed tables against polars, on random tables and one, two and three ranks."""
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("polars", reason="the package polars is not installed")
pytest.importorskip("narwhals", reason="the package narwhals is not installed")
pytest.importorskip("pyarrow", reason="the package pyarrow is not installed")

RANKS = pytest.mark.parametrize("ranks", [1, 2, 3])
BEGIN = """
import armilla as am, datetime, math, numpy as np, os, polars as pl, narwhals as nw
from polars.testing import assert_frame_equal
rng = np.random.default_rng(11)

def frame(n, keys=20):
    i = rng.integers(-keys // 2, keys // 2 + 1, n)
    floats = np.where(rng.random(n) < 0.1, rng.choice([np.nan, -0.0, 0.0, np.inf], n), rng.normal(size=n).round(1))
    words = rng.choice(['', 'a', 'b', 'long text', 'ä'], n)
    df = pl.DataFrame({'k': i, 's': words, 'f': floats, 'i': rng.integers(-100, 100, n).astype('i2'), 'b': rng.random(n) < 0.5,
                       'd': pl.Series([datetime.date(2020, 1, 1) + datetime.timedelta(days=int(x)) for x in i % 5], dtype=pl.Date), 'x': rng.normal(size=n)})
    return df.with_columns(pl.when(pl.Series(rng.random(n) < 0.1)).then(None).otherwise(pl.col(c)).alias(c) for c in ('k', 's', 'i', 'x'))

def frames():
    for n in (0, 2, 300): yield frame(n)
    yield frame(100, 1)

def same(got, want, order=False, by=None):
    got = got.to_polars() if isinstance(got, am.Table) else got
    if not order: got, want = (f.sort(by or f.columns, maintain_order=True) for f in (got, want))
    assert_frame_equal(got, want, check_exact=False)

def part(df):                                            # parts of very different lengths, some of them empty
    n, r = am.size, am.rank
    ends = [int(len(df) * (k / n) ** 3) for k in range(n + 1)]
    return df[ends[r]:ends[r + 1]]

def refused(f, *said):
    try: f()
    except am.Error as e: assert all(s in str(e) for s in said), e
    else: assert False, said
"""


@RANKS
def test_rows_by_themselves(job, ranks):
    job.passes(ranks, BEGIN + """
for df in frames():
    for t in (am.table(df), am.table(part(df), local=True)):
        assert len(t) == len(df) and t.columns == df.columns and t.schema == df.schema and t.to_polars().equals(df) and sum(am.all_gather(len(t.local()))) == len(df)
        same(t.filter(nw.col('x') > 0, nw.col('b')), df.filter(pl.col('x') > 0, pl.col('b')), True)
        same(t.select('k', 'x', y=nw.col('x') * 2 + nw.col('i')), df.select('k', 'x', y=pl.col('x') * 2 + pl.col('i')), True)
        same(t.with_columns(nw.col('s').str.to_uppercase().alias('u'), nw.when(nw.col('x') > 0).then(1).otherwise(0).alias('w'), one=nw.lit(1)),
             df.with_columns(pl.col('s').str.to_uppercase().alias('u'), pl.when(pl.col('x') > 0).then(1).otherwise(0).alias('w'), one=pl.lit(1)), True)
        same(t.drop('k', 's').rename({'x': 'z'}), df.drop('k', 's').rename({'x': 'z'}), True)
        same(t.map_partitions(lambda rows: rows.with_columns(n=pl.col('i') + 1)), df.with_columns(n=pl.col('i') + 1), True)
        same(t.head(7), df.head(7), True)
        even = t.rebalance()
        assert even.to_polars().equals(df) and max(am.all_gather(len(even.local()))) <= -(-len(df) // am.size)
""")


@RANKS
def test_groups(job, ranks):
    job.passes(ranks, BEGIN + """
def sums(m): return [m.col('x').sum().alias('sum'), m.col('x').mean().alias('mean'), m.col('i').min().alias('min'), m.col('d').max().alias('max'), m.len().alias('n'), m.col('s').count().alias('count'),
                     (m.col('i') * 2 + 1).sum().alias('twice'), m.col('i').mean().alias('mean_i'), m.col('b').any().alias('any'), m.col('b').all().alias('all'), m.col('i').sum().alias('sum_i')]
def whole(m): return [m.col('s').n_unique().alias('words'), m.col('x').median().alias('median'), m.col('x').std().alias('std'), (m.col('i').max() - m.col('i').min()).alias('range'), m.len().alias('n')]
for df in frames():
    for t in (am.table(df), am.table(part(df), local=True)):
        for keys in (['k'], ['s'], ['d', 'b'], ['f'], ['s', 'k']):
            by = keys
            for aggregations in (sums, whole):
                want = df.group_by(keys).agg(aggregations(pl))
                same(t.group_by(keys).agg(*aggregations(nw)), want, by=by)
        same(t.select(*sums(nw)), df.select(sums(pl)))
        same(t.select(*whole(nw)), df.select(whole(pl)))
        same(t.select(nw.col('i').sum() * 2, one=nw.lit(1)), df.select(pl.col('i').sum() * 2, one=pl.lit(1)))
        same(t.group_by('k').agg(nw.selectors.categorical().max(), nw.col('x', 'i').sum()), df.group_by('k').agg(pl.col('x', 'i').sum()), by=['k'])
        same(t.select(one=nw.lit(1)), df.select(one=pl.lit(1)))
        same(t.group_by('k').agg(nw.col('s').is_in({'a', 'b', 'ä', ''}).sum()), df.group_by('k').agg(pl.col('s').is_in(['a', 'b', 'ä', '']).sum()))
        counts = t.value_counts('s').to_polars()
        assert counts['count'].to_list() == sorted(df['s'].value_counts()['count'].to_list(), reverse=True)
        parts = t.partition_by('k', 's').local().select('k', 's').unique().rows()
        everyone = am.all_gather(parts)
        assert sum(map(len, everyone)) == len(df.select('k', 's').unique())
""")


@RANKS
def test_many_groups(job, ranks):
    """Of which the rows move, and each rank aggregates them in parts."""
    job.passes(ranks, BEGIN + """
import armilla._table.core as core, armilla._table.moving as moving
moving._few_rows, core._many_groups = 20, 1
rng = np.random.default_rng(3)
many = pl.DataFrame({'k': rng.permutation(3000), 's': pl.Series(rng.integers(0, 2000, 3000)).cast(pl.String), 'x': rng.random(3000), 'few': rng.integers(0, 5, 3000)})
for df in (many, *frames()):
    t = am.table(part(df), local=True)
    for keys in (['k'], ['s'], ['s', 'k']):
        for make in (lambda m: [m.col('x').sum().alias('sum'), m.len().alias('n')], lambda m: [m.col('x').median().alias('median'), m.col('x').mean().alias('mean')]):
            same(t.group_by(keys).agg(*make(nw)), df.group_by(keys).agg(make(pl)), by=keys)
same(am.table(many).group_by('few').agg(nw.col('x').sum()), many.group_by('few').agg(pl.col('x').sum()), by=['few'])
first = {key: core._rows_first('x', part(many), [key]) for key in ('k', 's', 'few')}
assert first['k'] and (first['few'] is (am.size == 1)), first
for groups in (10, 1000, 10**5, 10**6):
    rows = pl.DataFrame({'k': np.sort(rng.integers(0, groups, 10**6))})
    assert rows['k'].n_unique() / 2 < moving.estimated_groups(rows, ['k']) < rows['k'].n_unique() * 2, groups
""")


@RANKS
def test_order(job, ranks):
    job.passes(ranks, BEGIN + """
for df in frames():
    for t in (am.table(df), am.table(part(df), local=True)):
        for by, descending, last in ((['k'], False, False), (['s', 'x'], [True, False], False), (['f'], True, False), (['x'], False, True), (['b', 'd', 'k'], True, True)):
            same(t.sort(*by, descending=descending, nulls_last=last), df.sort(by, descending=descending, nulls_last=last, maintain_order=True), True)
        for k in (0, 3, 1000):
            got, want = t.top_k(k, 'x').to_polars(), df.sort('x', descending=True, nulls_last=True).head(k)
            assert got['x'].equals(want['x']), (got, want)
            got, want = t.top_k(k, ['i', 'x'], reverse=[True, False]).to_polars(), df.sort('i', 'x', descending=[False, True], nulls_last=True).head(k)
            assert got.select('i', 'x').equals(want.select('i', 'x'))
        for subset in (['s'], ['k', 'b'], ['f']):
            for keep in ('first', 'last', 'none'):
                same(t.unique(*subset, keep=keep), df.unique(subset, keep=keep), by=subset)
            assert len(t.unique(subset)) == len(df.unique(subset))
        assert len(t.unique()) == len(df.unique())
big = am.table({'x': rng.integers(0, 10**6, 20_000)}).sort('x')
lengths = am.all_gather(len(big.local()))
assert max(lengths) < 1.5 * 20_000 / am.size, lengths
""")


@RANKS
def test_joins(job, ranks):
    job.passes(ranks, BEGIN + """
for df in (frame(0), frame(300), frame(100, 1)):
    for other in (frame(0), frame(300, 200).with_columns(pl.col('x').alias('z'))):
        t, u = am.table(part(df), local=True), am.table(other)
        for on in (['k'], ['s', 'd'], ['f']):
            for how in ('inner', 'left', 'semi', 'anti'):
                want = df.join(other, on=on, how=how)
                for broadcast in (True, False):
                    same(t.join(u, on, how, broadcast=broadcast), want)
        same(t.join(u.rename({'k': 'q'}), left_on='k', right_on='q', how='left'), df.join(other.rename({'k': 'q'}), left_on='k', right_on='q', how='left'))
""")


def test_arrays_and_other_frames(job):
    pytest.importorskip("pandas", reason="the package pandas is not installed")
    job.passes(3, BEGIN + """
import pandas, pyarrow
df = frame(50).with_columns(x=pl.col('x').fill_null(0.0))
t = am.from_polars(df)
a = t['x']
assert isinstance(a, am.Array) and np.asarray(a).tolist() == df['x'].to_list() and t.filter(nw.col('b'))['b'].all()
u = t.filter(nw.col('b')).with_columns(double=t.filter(nw.col('b'))['x'] * 2)
same(u.select('double'), df.filter('b').select(double=pl.col('x') * 2), True)
v = am.table({'a': am.arange(10), 'b': am.arange(10) % 3 == 0})
same(v, pl.DataFrame({'a': np.arange(10), 'b': np.arange(10) % 3 == 0}), True)
same(am.from_pandas(df.to_pandas()[['i', 's']]).select('s'), df.select('s'), True)
same(am.from_arrow(df.to_arrow()), df, True)
assert t.to_pandas().equals(df.to_pandas()) and t.to_arrow().num_rows == 50 and pyarrow.table(t).num_rows == 50 and pl.DataFrame(t).equals(df)
same(am.table({'x': [1, 2, 3]}), pl.DataFrame({'x': [1, 2, 3]}), True)
assert '3 rows on rank' in repr(am.table({'x': [1] * 9})) and 'x: Int64' in repr(am.table({'x': [1]}))
""")


@RANKS
def test_files(job, ranks, tmp_path):
    job.passes(ranks, BEGIN + f"FOLDER = {str(tmp_path)!r}\n" + """
df = frame(500).with_columns(s=pl.Series(rng.choice(['a', 'b,b', 'c"c', 'd\\ne', 'ä'], 500)))
pieces = [df[:0], df[:100], df[100:101], df[101:450], df[450:]]
if am.rank == 0:
    df.write_csv(FOLDER + '/a.csv'), df.write_csv(FOLDER + '/semi.txt', separator=';', include_header=False), df.write_parquet(FOLDER + '/a.parquet', row_group_size=30), df.write_ipc(FOLDER + '/a.arrow')
    os.makedirs(FOLDER + '/many')
    for k, piece in enumerate(pieces): piece.write_csv(FOLDER + f'/many/{k}.csv'), piece.write_parquet(FOLDER + f'/many/{k}.parquet'), piece.write_ipc(FOLDER + f'/many/{k}.arrow')
am.barrier()
kinds = {'i': pl.Int16, 'd': pl.Date}
for t in (am.read_csv(FOLDER + '/a.csv', schema=kinds), am.read_csv(FOLDER + '/many', schema=kinds), am.read_csv(FOLDER + '/many/*.csv', schema=kinds), am.read_parquet(FOLDER + '/a.parquet'), am.read_parquet(FOLDER + '/many'),
          am.read_parquet([FOLDER + f'/many/{k}.parquet' for k in range(5)]), am.read_ipc(FOLDER + '/a.arrow'), am.read_ipc(FOLDER + '/many/*.arrow')):
    same(t, df, True)
    same(t.filter(nw.col('x') > 0).group_by('k').agg(nw.col('x').sum()), df.filter(pl.col('x') > 0).group_by('k').agg(pl.col('x').sum()))
same(am.read_csv(FOLDER + '/semi.txt', header=False, separator=';'), pl.read_csv(FOLDER + '/semi.txt', has_header=False, separator=';'), True)
t = am.read_parquet(FOLDER + '/a.parquet', columns=['k', 'x']).filter(nw.col('x') > 0)
plan = t._lazy.explain()
assert 'PROJECT 2/7' in plan and 'SELECTION' in plan, plan                # pushed down into the reader
if am.size == 3: assert max(am.all_gather(len(am.read_parquet(FOLDER + '/a.parquet').local()))) <= 200
t = am.read_parquet(FOLDER + '/a.parquet')
t.write_csv(FOLDER + '/out.csv'), t.write_parquet(FOLDER + '/out')
assert open(FOLDER + '/out.csv').read() == open(FOLDER + '/a.csv').read() and len(os.listdir(FOLDER + '/out')) == am.size
same(am.read_parquet(FOLDER + '/out'), df, True)
t.write_parquet(FOLDER + '/slash/'), t.write_csv(FOLDER + '/mark.csv', include_bom=True)
same(am.read_parquet(FOLDER + '/slash/'), df, True)
assert open(FOLDER + '/mark.csv', encoding='utf-8').read() == '\\ufeff' + open(FOLDER + '/a.csv').read()
refused(lambda: t.write_parquet(FOLDER + '/out'), '/out exists already')
""")


@RANKS
def test_files_of_one_table_have_the_same_columns(job, ranks, tmp_path):
    for name, text in {"order/1.csv": "a,b\n1,2\n", "order/2.csv": "b,a\n20,10\n", "empty/1.csv": "", "empty/2.csv": "a,b\n3,4\n", "empty/3.csv": "", "empty/4.csv": "a,b\n5,6\n"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    job.passes(ranks, BEGIN + f"FOLDER = {str(tmp_path)!r}\n" + """
refused(lambda: am.read_csv(FOLDER + '/order'), "order/2.csv: its columns are ['b', 'a'], and those of", "order/1.csv are ['a', 'b']")
same(am.read_csv(FOLDER + '/empty'), pl.DataFrame({'a': [3, 5], 'b': [4, 6]}), True)
refused(lambda: am.read_csv([FOLDER + '/empty/1.csv', FOLDER + '/empty/3.csv']), 'empty/1.csv: NoDataError')
if am.rank == 0:
    for kind, write in (('parquet', pl.DataFrame.write_parquet), ('arrow', pl.DataFrame.write_ipc)):
        for name, frames in {'order': [{'a': [1], 'b': [2]}, {'b': [20], 'a': [10]}], 'other': [{'a': [1], 'b': [2]}, {'a': [1], 'c': [2]}]}.items():
            os.makedirs(FOLDER + f'/{kind}/{name}')
            for k, columns in enumerate(frames): write(pl.DataFrame(columns), FOLDER + f'/{kind}/{name}/{k}.{kind}')
am.barrier()
for read, kind in ((am.read_parquet, 'parquet'), (am.read_ipc, 'arrow')):
    same(read(FOLDER + f'/{kind}/order'), pl.DataFrame({'a': [1, 10], 'b': [2, 20]}), True)
    refused(lambda: read(FOLDER + f'/{kind}/other', columns=['b']), f"other/1.{kind}: its columns are {{'a': Int64, 'c': Int64}}", '0.' + kind)
""")


def test_errors_of_files(job, tmp_path):
    lines = [f"{n},{n}" for n in range(3000)]
    lines[2500] = "7,zz"
    (tmp_path / "bad.csv").write_text("a,b\n" + "\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "bad.parquet").write_text("hello", encoding="utf-8")
    (tmp_path / "none").mkdir()
    job.passes(3, BEGIN + f"FOLDER = {str(tmp_path)!r}\n" + """
refused(lambda: am.read_csv(FOLDER + '/bad.csv').to_polars(), "bad.csv, line 2502: 'zz' in column 'b' is no Int64")
refused(lambda: am.read_parquet(FOLDER + '/bad.parquet'), 'bad.parquet')
refused(lambda: am.read_csv(FOLDER + '/bad.csv', columns=['c']), '"c"')
for use in (lambda: am.read_csv(FOLDER + '/x.csv'), lambda: am.read_parquet(FOLDER + '/none'), lambda: am.read_ipc(FOLDER + '/*.arrow')):
    try: use()
    except FileNotFoundError as e: assert FOLDER in str(e)
    else: assert False
assert len(am.read_csv(FOLDER + '/bad.csv', schema={'b': pl.String})) == 3000
""")


def test_columns_of_all_types_travel(job):
    job.passes(2, BEGIN + """
df = pl.DataFrame({'c': pl.Series(['a', 'b', 'a'], dtype=pl.Categorical), 'e': pl.Series(['a', 'b', 'a'], dtype=pl.Enum(['b', 'a'])), 'dec': pl.Series([1, 2, 3]).cast(pl.Decimal(10, 2)), 't': pl.Series([1, 2, 3]).cast(pl.Time),
                   'l': [[1], [2, 3], []], 'st': [{'a': 1}, {'a': 2}, {'a': 3}], 'z': pl.Series([None] * 3), 'bin': [b'a', b'', None], 'dur': pl.Series([1, 2, 3]).cast(pl.Duration('us')), 'at': pl.Series([1, 2, 3]).cast(pl.Datetime('ns', 'UTC')),
                   'arr': pl.Series([[1, 2], [3, 4], [5, 6]], dtype=pl.Array(pl.Int8, 2)), 'u1': pl.Series([1, 2, 3], dtype=pl.UInt8), 'f4': pl.Series([1, 2, 3], dtype=pl.Float32), 'n': [3, 1, 2]})
t = am.table(df)
for c in df.columns:
    if c not in ('n', 'z'): same(t.select(c, m=nw.col('n')).sort('m'), df.select(c, m='n').sort('m'), True)
same(t.sort('n'), df.sort('n'), True)
for key in ('c', 'e', 'dec', 't', 'bin', 'dur', 'at', 'u1', 'f4'):
    same(t.group_by(key).agg(nw.col('n').sum()).sort('n'), df.group_by(key).agg(pl.col('n').sum()).sort('n'), True)
    same(t.join(t.select(key, w=nw.col('n')), key, broadcast=False).sort('n', 'w'), df.join(df.select(key, w='n'), on=key).sort('n', 'w'), True)
refused(lambda: am.table({'x': pl.Series([1, 2], dtype=pl.Int128)}).sort('x'), 'Int128 cannot be sent')
refused(lambda: am.table({'x': [object(), object()]}).to_polars(), 'Object cannot be sent')
""")


def test_categories_that_ranks_number_differently_are_equal(job):
    job.passes(2, BEGIN + """
words = ['a', 'b', 'c', 'd']
c = pl.DataFrame({'c': pl.Series(words[::-1] if am.rank else words, dtype=pl.Categorical), 'n': [1] * 4})
t = am.table(c.select('c', 'n', l=pl.concat_list('c'), st=pl.struct('c'), deep=pl.concat_list(pl.struct('c')), a=pl.concat_list('c').list.to_array(1)), local=True)
for key in ('c', 'l', 'st', 'deep', 'a'):
    assert t.group_by(key).agg(nw.col('n').sum()).to_polars()['n'].to_list() == [2] * 4, key
    assert len(t.unique(key)) == 4 and len(t.join(t.select(key), key, 'inner', broadcast=False)) == 16, key
""")


def test_what_is_refused(job):
    job.passes(2, BEGIN + """
t = am.table(frame(20))
other = am.table({'k': ['a']})
refused(lambda: t.filter(nw.col('x') > nw.col('x').mean()), 'table.filter', "'mean' goes over the rows of all ranks")
refused(lambda: t.with_columns(nw.col('x').cum_sum()), "'cum_sum'")
refused(lambda: t.with_columns(nw.col('x').sum().over('k').alias('z')), "goes over the rows of all ranks")
refused(lambda: t.select(nw.col('x').shift(1)), "'shift'")
refused(lambda: t.select('k', nw.col('x').sum()), "'sum'")
refused(lambda: t.filter(nw.col('nothing') > 1), 'nothing')
refused(lambda: t.filter(pl.col('x') > 1), 'polars', 'expressions of Narwhals')
refused(lambda: t.group_by('nothing'), "no column 'nothing'")
refused(lambda: t.group_by(), 'no keys')
refused(lambda: t.sort(), 'no columns')
refused(lambda: t.sort('k', descending=[True, False]), 'one for each')
refused(lambda: t.join(other, 'k'), "'k' of Int64 and 'k' of String")
refused(lambda: t.join(t, 'k', 'cross'), "'cross'")
refused(lambda: t.join(t), 'keys [] and []')
refused(lambda: t.unique('k', keep='all'), "'all'")
refused(lambda: t.head(-1), 'table.head: -1 rows')
refused(lambda: t.top_k(-1, 'x'), 'table.top_k: -1 rows')
refused(lambda: t['s'], 'String')
refused(lambda: t['x'], 'nulls')
refused(lambda: t.with_columns(z=am.zeros(3)), "'z': an array of shape (3,) for 20 rows")
refused(lambda: am.table(3), 'builtins.int is no table')
refused(lambda: am.table({'x': [am.rank]} if am.rank else {'y': [1]}), 'ranks do not ask for the same')
refused(lambda: t.sort('k' if am.rank else 'i'), 'ranks do not ask for the same')
refused(lambda: t.group_by('k').agg(nw.col('i').max() if am.rank else nw.col('i').min()), 'ranks do not ask for the same', 'col.max', 'col.min')
def fails(rows):
    if am.rank: raise ValueError('no luck')
    return rows
try: t.map_partitions(fails)
except ValueError as e: assert 'no luck' in str(e)
else: assert False
import armilla._table.core as core
core.gather_limit = 100
try: t.to_polars()
except am.LimitError as e: assert 'more than the 100' in str(e)
else: assert False
assert len(t) == 20
""")


@RANKS
def test_queries(job, ranks):
    pytest.importorskip("duckdb", reason="the package duckdb is not installed")
    job.passes(ranks, BEGIN + """
import duckdb
df = frame(300)
t, self = am.table(part(df), local=True), df.to_arrow()
for query in ('select k, sum(i) as s, count(*) as n from self where x > 0 group by k having count(*) > 1', 'select i + 1 as j, upper(s) as u from self where x < 0', 'select count(distinct k) as c, max(i) as m from self',
              "select * from self where s = 'a'", 'select median(i) as m, s, d from self group by s, d'):
    same(t.sql(query), pl.DataFrame(duckdb.sql(query)))
for query, said in (('select distinct k from self', 'DISTINCT'), ('select k from self order by k', 'ORDER'), ('select * from self limit 3', 'LIMIT'), ('select row_number() over () from self', 'window'),
                    ('select 1; select 2', 'several statements'), ('drop table x', 'SELECT'), ('select k from self union select k from self', 'unions'), ('select * from self where k in (select 3)', 'subquery'),
                    ('select i % 2, sum(x) from self group by i % 2', 'GROUP BY takes columns'), ('select zz from self', 'zz'), ('selec', 'syntax error'), ('select k, sum(x) from self group by rollup(k)', 'ROLLUP'),
                    ('select geomean(x) from self', 'geomean'), ('select * from other', 'SELECT ... FROM self')):
    refused(lambda: t.sql(query), 'table.sql', said)
of_structs = am.table({'st': [{'a': i % 3} for i in range(12)], 'a': range(12), 'x': [1] * 12})
refused(lambda: of_structs.sql('select st.a, sum(x) from self group by st.a'), 'GROUP BY takes columns')
assert len(of_structs.sql('select self.a, sum(x) from self group by self.a')) == 12
""")


def test_examples_of_docstrings(job):
    job.passes(2, """
        import doctest, armilla as am, armilla._table.core as core
        found = doctest.testmod(core)
        assert found.attempted and not found.failed
        """)


def test_the_benchmark_runs(tmp_path):
    pytest.importorskip("duckdb", reason="the package duckdb is not installed")
    script = pathlib.Path(__file__).resolve().parents[2] / "bench/python/distributed_tables.py"
    small = tmp_path / "tables.py"
    small.write_text(script.read_text(encoding="utf-8").replace("N, OTHER, RANKS = 10**7, 10**6, 2", "N, OTHER, RANKS = 10**4, 10**3, 2"), encoding="utf-8")
    (tmp_path / "timing.py").write_text(script.with_name("timing.py").read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run([sys.executable, str(small)], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and "read_csv" in done.stdout, done.stdout + done.stderr


@RANKS
def test_groups_by_expressions(job, ranks):
    job.passes(ranks, BEGIN + """
for df in frames():
    t = am.table(df)
    for key in (lambda m: (m.col('i') % 3).alias('third'), lambda m: m.col('d').dt.day().alias('day'), lambda m: m.col('k')):
        same(t.group_by(key(nw), 's').agg(nw.col('x').sum(), nw.len().alias('n')), df.group_by(key(pl), 's').agg(pl.col('x').sum(), pl.len().alias('n')), by=['s', *key(pl).meta.output_name().split()])
t = am.table({'i': [1, 2]})
refused(lambda: t.group_by(nw.col('i') % 2), "would be named 'i'", '.alias')
refused(lambda: t.group_by(nw.col('i').sum().alias('s')), "'sum' goes over the rows of all ranks")
""")


@RANKS
def test_sums_of_queries_are_integers(job, ranks):
    pytest.importorskip("duckdb")
    job.passes(ranks, BEGIN + """
t = am.table({'k': ['a', 'b', 'a', None], 'i': [1, 2, 3, None]})
found = t.sql('select k, sum(i) as total, sum(i) + 1 as more from self group by k')
assert dict(found.schema) == {'k': pl.String(), 'total': pl.Int64(), 'more': pl.Int64()}, found.schema
assert dict(found.select('k', 'total').to_polars().rows()) == {'a': 4, 'b': 2, None: None}
large = am.table({'k': [0, 1, 1], 'i': [1, 2**62, 2**62]}).sql('select k, sum(i) as total from self group by k')
assert dict(large.to_polars().rows()) == {0: 1, 1: 2**63} and large.schema['total'].is_decimal()
""")


@RANKS
def test_lines_of_files_that_are_no_records_are_named(job, ranks, tmp_path):
    (tmp_path / "ragged.csv").write_text("a,b\n" + "1,2\n" * 7 + "1,2,3\n" + "1,2\n" * 4)
    (tmp_path / "latin.csv").write_bytes(b"a,b\n" + b"1,x\n" * 5 + b"2,caf\xe9\n" + b"1,x\n" * 3)
    job.passes(ranks, BEGIN + f"""
refused(lambda: am.read_csv('{tmp_path}/ragged.csv'), 'ragged.csv, line 9: 3 fields in 2 columns')
refused(lambda: am.read_csv('{tmp_path}/latin.csv'), 'latin.csv, line 7: byte 0xe9 is not UTF-8')
""")


@RANKS
def test_columns_without_values_have_the_type_of_other_ranks(job, ranks):
    job.passes(ranks, BEGIN + """
last = am.rank == am.size - 1
t = am.table({'r': [am.rank] if last else [], 'none': [None] * last}, local=True)
same(t, pl.DataFrame({'r': [am.size - 1], 'none': [None]}), True)
u = am.table({'k': np.arange(7) % 2, 'x': np.arange(7.0)}).partition_by('k').map_partitions(lambda rows: {'k': rows['k'].unique().to_list(), 'word': ['a' for _ in rows['k'].unique()]})
same(u, pl.DataFrame({'k': [0, 1], 'word': ['a', 'a']}))
if am.size > 1: refused(lambda: am.table({'r': [1] if last else ['x']}, local=True), 'Int64', 'String')
""")
