#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""formats_test.py READER FOLDER [--ranks 1 2 3] [--only FORMAT]: thirty or more files of each format, made by pandas, polars, NumPy, h5py,
SciPy and NetworkX, are read by the program READER and by these libraries; every value must be the same. The libraries are those of the
Python that runs this script, or of an environment that it makes in FOLDER. Ends with 77, and says why, if neither is possible.
"""
import argparse
import gzip
import importlib
import io
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings
import zipfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from jobs import Job  # noqa: E402

NEEDED = ["numpy", "pandas", "polars", "pyarrow", "h5py", "scipy", "networkx", "zstandard"]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def with_libraries(folder):
    """Returns if this Python has the libraries; else an environment in the folder has them, and runs this script."""
    try:
        return [importlib.import_module(name) for name in NEEDED]
    except ImportError as missing:
        if folder.resolve() in pathlib.Path(sys.prefix).resolve().parents:
            skip(f"the environment in {folder} is not usable: {missing}")
    python, done = folder / "venv/bin/python", folder / "venv/complete"
    if not done.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "log", "w", encoding="utf-8") as log:
            for command in ([sys.executable, "-m", "venv", folder / "venv"], [python, "-m", "pip", "install", "--quiet", *NEEDED]):
                if subprocess.run(command, stdout=log, stderr=log, check=False).returncode != 0:
                    skip(f"Python has not all of {', '.join(NEEDED)}, and they cannot be installed; {folder / 'log'} says why")
        done.touch()
    os.execv(python, [python, *sys.argv])


class Case:
    """A file, how READER is to read it, and what must come of it: a list of values, in which floats are compared exactly."""

    def __init__(self, kind, name, expected, compare=None, **how):
        self.kind, self.name, self.expected, self.compare, self.how = kind, name, expected, compare or same, how


def same(read, expected):
    """The reader writes floats as texts, so that no digit is lost."""
    if isinstance(expected, float):
        value = float(read) if isinstance(read, str) else math.nan if read is None else read
        return value == expected and math.copysign(1, value) == math.copysign(1, expected) or math.isnan(value) and math.isnan(expected)
    if isinstance(expected, complex):
        return all(same(a, b) or float(a) == b == 0 for a, b in zip(read, (expected.real, expected.imag)))  # conjugates of 0
    if isinstance(expected, (list, tuple)):
        return isinstance(read, list) and len(read) == len(expected) and all(map(same, read, expected))
    return type(read) is type(expected) and read == expected


def difference(read, expected, where=""):
    """The first place where they differ."""
    if isinstance(expected, (list, tuple)) and isinstance(read, list):
        if len(read) != len(expected):
            return f"{where}: {len(read)} values where there should be {len(expected)}"
        for k, (a, b) in enumerate(zip(read, expected)):
            if not same(a, b):
                return difference(a, b, f"{where}[{k}]")
    return f"{where}: {read!r} where there should be {expected!r}"


# ---- CSV ----

TEXTS = ["plain", "two words", "comma, inside", 'a "quoted" word', "two\nlines", "Zürich", "東京", "😀", " space around ", "semi;colon", "tab\there", "#not a comment", "'single'",
         "1", "NA?", "true", "back\\slash", "x" * 3000, "a|b"]


def frame_of(n, seed, texts=TEXTS):
    """Rows with each type of column, a tenth of them missing."""
    r = random.Random(seed)

    def column(make):
        return [None if r.random() < 0.1 else make() for _ in range(n)]
    numbers = [lambda: r.random(), lambda: r.uniform(-1e6, 1e6), lambda: r.random() * 10.0**r.randrange(-300, 300), lambda: float(r.randrange(-1000, 1000)), lambda: 5e-324,
               lambda: 1.7976931348623157e308, lambda: -0.0, lambda: 0.1 + 0.2]
    days = column(lambda: pd.Timestamp(r.randrange(-40_000, 40_000), unit="D"))
    times = column(lambda: pd.Timestamp(r.randrange(-2**60, 2**60), unit="ns"))
    return pd.DataFrame({
        "i": pd.array(column(lambda: r.choice([r.randrange(-9, 9), r.randrange(-2**63, 2**63)])), dtype="Int64"),
        "x": pd.array([math.nan if v is None else v for v in column(lambda: r.choice(numbers)())], dtype="float64"),
        "s": pd.array(column(lambda: r.choice(texts)), dtype="string"),
        "b": pd.array(column(lambda: r.random() < 0.5), dtype="boolean"),
        "d": pd.Series(days, dtype="datetime64[s]").dt.strftime("%Y-%m-%d").astype("string"),
        "t": pd.Series(times, dtype="datetime64[ns]")})


def rows_of(frame):
    """The frame as the reader writes it."""
    def day(value):
        return None if pd.isna(value) else int((pd.Timestamp(value) - pd.Timestamp(0)) / pd.Timedelta(days=1))
    columns = {"i": lambda v: None if pd.isna(v) else int(v), "x": lambda v: None if pd.isna(v) else float(v), "s": lambda v: None if pd.isna(v) else str(v),
               "b": lambda v: None if pd.isna(v) else bool(v), "d": day, "t": lambda v: None if pd.isna(v) else int(pd.Timestamp(v).as_unit("ns").value)}
    return [list(row) for row in zip(*([of(v) for v in frame[name]] for name, of in columns.items()))]


def read_frame(path, **how):
    """What pandas reads. Empty fields are missing, also in quotes; no other text is, unless `na_values` has it."""
    how = {"keep_default_na": False, "na_values": [""], "float_precision": "round_trip"} | how
    frame = pd.read_csv(path, dtype={"i": "Int64", "x": "float64", "s": "string", "b": "boolean", "d": "string", "t": "string"}, **how)
    frame["t"] = pd.to_datetime(frame["t"], format="ISO8601", utc=True).dt.tz_localize(None).astype("datetime64[ns]")
    return rows_of(frame)


def in_quotes(rows):
    """A text in quotes is a value in Armilla, also if it is empty; pandas writes a missing one so, and reads it as missing."""
    return [[*row[:2], "" if row[2] is None else row[2], *row[3:]] for row in rows]


def csv_cases(folder):
    plain = [t for t in TEXTS if not set(t) & set("\n\"")]
    written = 0

    def write(frame, encode=lambda data: data, suffix=".csv", **how):
        nonlocal written
        path, written = folder / f"{written}{suffix}", written + 1
        how = {"index": False, "date_format": "%Y-%m-%dT%H:%M:%S.%f"} | how
        if not any(name == "t" for name in frame.columns):
            del how["date_format"]
        else:  # all nine digits
            frame = frame.assign(t=[None if pd.isna(v) else v.isoformat() for v in frame["t"]])
            del how["date_format"]
        path.write_bytes(encode(frame.to_csv(**how).encode(how.get("encoding", "utf-8"))))
        return path

    def case(name, path, how=None, expect=None, kind="csv", **options):
        return Case(kind, name, expect if expect is not None else read_frame(path, **(how or {})), path=path, **({"header": True} if kind == "csv" else {}), **options)

    for k, n in enumerate([200, 1, 2, 3000]):
        frame = frame_of(n, k)
        path = write(frame)
        assert same(read_frame(path), rows_of(frame)), "pandas does not read what it has written"
        yield case(f"{n} rows", path)
    frame = frame_of(300, 10)
    yield case("no rows", write(frame_of(0, 9)))
    yield case("CRLF", write(frame, lineterminator="\r\n"))
    yield case("byte order mark", write(frame, lambda data: b"\xef\xbb\xbf" + data))
    yield case("byte order mark and CRLF, a name in quotes first", write(frame, lambda data: b'\xef\xbb\xbf"i"' + data[1:], lineterminator="\r\n"))
    yield case("semicolons", write(frame, sep=";"), {"sep": ";"}, separator=";")
    yield case("semicolons and decimal commas", write(frame, sep=";", decimal=","), {"sep": ";", "decimal": ","}, separator=";", decimal=",")
    yield case("tabs", write(frame, sep="\t"), {"sep": "\t"}, separator="\t")
    yield case("bars", write(frame, sep="|"), {"sep": "|"}, separator="|")
    yield case("single quotes", write(frame, quotechar="'"), {"quotechar": "'"}, quote="'")
    path = write(frame, quoting=1)
    yield case("all in quotes", path, expect=in_quotes(read_frame(path)))
    path = write(frame, quoting=2)
    yield case("all but numbers in quotes", path, expect=in_quotes(read_frame(path)))
    yield case("no quotes", write(frame_of(300, 11, [t for t in plain if "," not in t]), quoting=3), {"quoting": 3}, quote="")
    yield case("missing as NA", write(frame, na_rep="NA"), {"na_values": ["", "NA"]}, missing=["NA"])
    yield case("missing as several texts", write(frame, lambda data: data.replace(b",NA,", b",-,").replace(b"\nNA,", b"\nk. A.,"), na_rep="NA"), {"na_values": ["", "NA", "-", "k. A."]},
               missing=["NA", "-", "k. A."])
    yield case("missing as nan", write(frame, na_rep="nan"), {"na_values": ["", "nan"]}, missing=["nan"])
    yield case("columns in another order, and more of them", write(frame.assign(more=1.5, other="a, b")[["other", "t", "more", "s", "x", "b", "d", "i"]]))
    german = write(frame.rename(columns={"i": "Zahl", "x": "Größe", "s": "Ort, Land", "b": "ja", "d": "Tag", "t": "Zeit"}))
    yield case("other names", german, {"header": 0, "names": list("ixsbdt")}, columns=["Zahl", "Größe", "Ort, Land", "ja", "Tag", "Zeit"])
    yield case("17 digits", write(frame, float_format="%.17g"))
    yield case("exponents", write(frame, float_format="%.16E"))
    few = frame_of(100, 12, ["first", "#second", "a # b"])
    yield case("comments", write(few, lambda data: b"# of pandas\n" + data.replace(b"\n", b"\n# between, \"\n", 20)), {"comment": None, "skiprows": lambda k: k % 2 == 0 and k <= 40}, comment="#")
    yield case("empty lines", write(few, lambda data: b"\n\n" + data.replace(b"\n", b"\n\n")))
    yield case("no end of the last line", write(frame, lambda data: data.rstrip(b"\n")))
    yield case("gzip", write(frame, gzip.compress, ".csv.gz"))
    yield case("gzip, of several members", write(frame, lambda data: b"".join(gzip.compress(data[k:k + 10_000]) for k in range(0, len(data), 10_000)), ".csv.gz"))
    yield case("zstd", write(frame, zstandard.compress, ".csv.zst"))
    yield case("zstd, of several frames", write(frame, lambda data: b"".join(zstandard.compress(data[k:k + 10_000]) for k in range(0, len(data), 10_000)), ".csv.zst"))
    yield case("bool as 1 and 0", write(frame.assign(b=frame["b"].astype("Int64"))))
    yield case("times with a space and a Z", folder / "times.csv", expect=times_with_zone(frame, folder / "times.csv"))
    polar = pl.from_pandas(frame.drop(columns="t")).with_columns(t=pl.Series([None if pd.isna(v) else v.isoformat() for v in frame["t"]]))
    for name, how in (("by polars", {}), ("by polars, all in quotes but numbers", {"quote_style": "non_numeric"})):
        polar.write_csv(folder / f"{name}.csv", **how)
        yield case(name, folder / f"{name}.csv", expect=rows_of(frame))
    arrow = pa.table({"i": pa.array(frame["i"]), "x": pa.array(frame["x"]), "s": pa.array(["" if pd.isna(v) else v for v in frame["s"]]), "b": pa.array(frame["b"]), "d": pa.array(frame["d"]),
                      "t": pa.array([None if pd.isna(v) else v.isoformat() for v in frame["t"]])})
    pacsv.write_csv(arrow, folder / "arrow.csv")
    yield case("by pyarrow", folder / "arrow.csv", expect=in_quotes(read_frame(folder / "arrow.csv")))
    texts = pd.DataFrame([[TEXTS[(k * j) % len(TEXTS)] for j in range(5)] for k in range(60)])
    for name, how in (("texts", {}), ("texts, CRLF", {"lineterminator": "\r\n"}), ("texts, all in quotes", {"quoting": 1}), ("texts by tabs", {"sep": "\t"})):
        path = write(texts, header=False, **how)
        sep = how.get("sep", ",")
        yield case(name, path, kind="csv_texts", expect=pd.read_csv(path, header=None, dtype=str, keep_default_na=False, sep=sep).values.tolist(), separator=sep)
    numbers = pd.DataFrame({"a": np.arange(2000) - 1000, "b": np.random.default_rng(1).normal(size=2000) * 1e50, "c": np.random.default_rng(2).normal(size=2000).astype("float32")})
    path = write(numbers, header=False)
    yield case("numbers", path, kind="csv_numbers", expect=read_numbers(path))
    spaced = write(numbers.head(50), lambda data: data.replace(b",", b"  , ").replace(b"\n", b" \n"), header=False)
    yield case("spaces around numbers", spaced, kind="csv_numbers", expect=read_numbers(spaced, skipinitialspace=True), skip_space=True)


def read_numbers(path, **how):
    frame = pd.read_csv(path, header=None, float_precision="round_trip", **how)
    return [[int(a), float(b), float(np.float32(c))] for a, b, c in frame.itertuples(index=False)]


def times_with_zone(frame, path):
    texts = ["" if pd.isna(v) else v.isoformat(sep=" ") + ("Z" if k % 2 else "+02:30") for k, v in enumerate(frame["t"])]
    frame.assign(t=texts).to_csv(path, index=False)
    return read_frame(path)


# ---- JSON lines ----

FIELDS = list("ixsbv") + ["p", "parts", "m"]


def value_of_json(record):
    """A record as the reader writes it."""
    def part(p):
        return [p["k"], p.get("text")]
    take = {"i": int, "x": float, "s": str, "b": bool, "v": lambda v: [math.nan if e is None else float(e) for e in v], "p": part, "parts": lambda v: [part(p) for p in v],
            "m": lambda v: [[k, math.nan if v[k] is None else float(v[k])] for k in sorted(v, key=lambda k: k.encode())]}
    return [None if record.get(name) is None else take[name](record[name]) for name in FIELDS]


def records_of(n, seed):
    r = random.Random(seed)

    def part():
        return {"k": r.randrange(-2**63, 2**63), **({"text": r.choice(TEXTS)} if r.random() < 0.5 else {})}
    for _ in range(n):
        whole = {"i": r.choice([r.randrange(-9, 9), r.randrange(-2**63, 2**63)]), "x": r.choice([r.random(), r.random() * 10.0**r.randrange(-300, 300), -0.0, 5e-324, 1.7976931348623157e308]),
                 "s": r.choice(TEXTS), "b": r.random() < 0.5, "v": [r.choice([None, r.gauss(0, 1)]) for _ in range(r.randrange(5))], "p": part(), "parts": [part() for _ in range(r.randrange(3))],
                 "m": {r.choice(TEXTS): r.gauss(0, 1) for _ in range(r.randrange(4))}}
        yield {k: v for k, v in whole.items() if r.random() < 0.9}


def json_cases(folder):
    written = 0

    def case(name, data, suffix=".jsonl", expect=None, **options):
        nonlocal written
        path, written = folder / f"{written}{suffix}", written + 1
        path.write_bytes(data)
        if expect is None:
            text = {".gz": gzip.decompress, ".zst": lambda d: b"".join(zstandard.ZstdDecompressor().stream_reader(io.BytesIO(d), read_across_frames=True).readall() for _ in [0])}
            plain = text.get(path.suffix, lambda d: d)(data).decode("utf-8-sig")
            expect = [value_of_json(json.loads(line)) for line in plain.split("\n") if line.strip()]
        return Case("json", name, expect, path=path, **options)

    def lines(records, end="\n", **how):
        return "".join(json.dumps(each, **how) + end for each in records).encode()

    def shuffled(record):
        names = list(record)
        random.Random(len(names)).shuffle(names)
        return {name: record[name] for name in names}
    for k, n in enumerate([1, 2, 50, 3000]):
        yield case(f"{n} lines", lines(records_of(n, k)))
    some = list(records_of(200, 10))
    yield case("an empty file", b"")
    yield case("not ASCII", lines(some, ensure_ascii=False))
    yield case("ASCII alone", lines(some, ensure_ascii=True))
    yield case("no spaces", lines(some, separators=(",", ":")))
    yield case("many spaces", lines(some, separators=("  ,\t", " :  ")))
    yield case("CRLF", lines(some, "\r\n"))
    yield case("byte order mark", b"\xef\xbb\xbf" + lines(some))
    yield case("empty lines", lines(some, "\n\n  \n"))
    yield case("no end of the last line", lines(some).rstrip(b"\n"))
    yield case("names in another order", lines(map(shuffled, some)))
    yield case("sorted names", lines(some, sort_keys=True))
    yield case("spaces before lines", b"".join(b"  \t" + line + b" \n" for line in lines(some).splitlines()))
    yield case("more fields", lines({"more": [1, {"i": 7, "s": ["x"]}, None], **each, "other": {"x": {"i": "text"}}} for each in some))
    yield case("null for what is missing", lines({name: each.get(name) for name in FIELDS} for each in some))
    yield case("no fields", lines([{}] * 20))
    yield case("gzip", gzip.compress(lines(some)), ".jsonl.gz")
    yield case("gzip of several members", gzip.compress(lines(some[:70])) + gzip.compress(lines(some[70:])), ".jsonl.gz")
    yield case("zstd", zstandard.compress(lines(some)), ".jsonl.zst")
    yield case("zstd of several frames", b"".join(zstandard.compress(lines(some[k:k + 20])) for k in range(0, 200, 20)), ".jsonl.zst")
    yield case("floats that are integers", b'{"i":5.0,"x":3}\n{"i":-7.0,"x":-12345678901234567890}\n{"i":1e3,"x":0}\n{"i":9007199254740991.0,"x":1E-5}\n')
    yield case("ends of the range", b'{"i":9223372036854775807}\n{"i":-9223372036854775808}\n{"x":1.7976931348623157e308}\n{"x":2.2250738585072014e-308}\n{"x":4.9e-324}\n{"x":1e-400}\n')
    yield case("digits", lines({"x": float(f"{k}e{e}")} for k in (1, 3, 7.1, 123456789.123456789) for e in range(-320, 300, 7)))
    yield case("escapes", rb'{"s":"\u0041\u00e9\u6771\ud83d\ude00\n\t\r\b\f\/\\\""}' + b"\n" + rb'{"s":"\u0000 and \u001f"}' + b"\n")
    yield case("other names", lines({"Zahl": each.get("i"), "Größe": each.get("x"), "s s": each.get("s")} for each in some),
               expect=[value_of_json({k: each.get(k) for k in "ixs"}) for each in some], columns=["Zahl", "Größe", "s s", "b", "v", "p", "parts", "m"])
    yield case("long lines", lines({"s": "long " * 40_000, "i": k, "v": [0.1 * j for j in range(2000)]} for k in range(7)))
    frame = frame_of(300, 30)[["i", "x", "s", "b"]]
    path = folder / "pandas.jsonl"
    frame.assign(x=[v if pd.isna(v) or abs(v) < 1e300 else 1.5 for v in frame["x"]]).to_json(path, orient="records", lines=True, double_precision=15)
    back = pd.read_json(path, orient="records", lines=True, dtype={"i": "Int64", "s": "string", "b": "boolean"}, precise_float=False)
    yield Case("json", "by pandas", [value_of_json(json.loads(line)) for line in path.read_text("utf-8").splitlines()], path=path)
    assert len(back) == len(frame)
    pl.from_pandas(frame).write_ndjson(folder / "polars.jsonl")
    polar = pl.read_ndjson(folder / "polars.jsonl", schema={"i": pl.Int64, "x": pl.Float64, "s": pl.String, "b": pl.Boolean})
    yield Case("json", "by polars", [[*row, None, None, None, None] for row in polar.rows()], path=folder / "polars.jsonl")


# ---- NumPy ----

TYPES = ["b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]


def array_of(dtype, shape, seed=0):
    """Any bits that are numbers of the type."""
    r, n = np.random.default_rng(seed), math.prod(shape)
    if dtype == "b1":
        a = r.integers(0, 2, n).astype("b1")
    elif dtype[0] in "iu":
        a = np.frombuffer(r.bytes(n * int(dtype[1:])), dtype)
    else:
        a = (r.normal(size=n) * 10.0**r.integers(-30, 30, n)).astype(dtype)
        if dtype[0] == "c":
            a = a + (1j * r.normal(size=n)).astype(dtype)
        a[::7] = [np.nan, np.inf, -np.inf, 0, -0.0][seed % 5]
    return a.reshape(shape)


def cells(a):
    return [list(a.shape), a.ravel(order="C").tolist()]


def array_case(kind, name, path, a, **how):
    return Case(kind, name, cells(a), path=path, type=a.dtype.str.lstrip("<>|="), dimensions=a.ndim, **how)


def arrays():
    """Of all types, orders and shapes: what it is, and the array."""
    for k, dtype in enumerate(TYPES):
        yield f"{dtype}", array_of(dtype, (101,), k)
        yield f"{dtype}, 2 dimensions", array_of(dtype, (7, 13), k)
        yield f"{dtype}, Fortran order", np.asfortranarray(array_of(dtype, (11, 5), k))
        if dtype not in ("b1", "i1", "u1"):
            yield f"{dtype}, big endian", array_of(dtype, (17,), k).astype(">" + dtype)
            yield f"{dtype}, big endian, Fortran order", np.asfortranarray(array_of(dtype, (4, 9), k).astype(">" + dtype))
    for dtype in ("f8", "i2"):
        yield f"{dtype}, 3 dimensions", array_of(dtype, (5, 4, 7), 3)
        yield f"{dtype}, 3 dimensions, Fortran order", np.asfortranarray(array_of(dtype, (6, 3, 8), 3))
    yield "no elements", array_of("f8", (0,))
    yield "one element", array_of("f8", (1,))
    yield "no rows", array_of("f8", (0, 5))
    yield "no columns", array_of("f8", (5, 0))
    yield "one row", array_of("f8", (1, 50))
    yield "one column", np.asfortranarray(array_of("f8", (50, 1)))
    yield "every other element", array_of("f8", (100,))[::2]
    yield "backwards", array_of("i4", (100,))[::-1]
    yield "turned", array_of("f4", (20, 30)).T
    yield "100,000 elements", array_of("f8", (100_000,), 4)


def npy_cases(folder):
    for k, (name, a) in enumerate(arrays()):
        path = folder / f"{k}.npy"
        np.save(path, a)
        yield array_case("npy", name, path, np.load(path))
    for version in ((1, 0), (2, 0), (3, 0)):
        path = folder / f"version{version[0]}.npy"
        with open(path, "wb") as file:
            np.lib.format.write_array(file, array_of("f8", (30, 2)), version=version)
        yield array_case("npy", f"version {version[0]}", path, np.load(path))


def npz_cases(folder):
    for k, (name, a) in enumerate(arrays()):
        path = folder / f"{k}.npz"
        (np.savez_compressed if k % 2 else np.savez)(path, first=np.arange(5), x=a, last="text")
        yield array_case("npz", name + (", deflated" if k % 2 else ""), path, np.load(path)["x"], of="x")
    path = folder / "names.npz"
    names = ["a/b", "a b", "Größe", "x.y", "arr_0"]
    np.savez(path, **{name: np.full(3, k) for k, name in enumerate(names)})
    for name in names:
        yield array_case("npz", f"the name {name}", path, np.load(path)[name], of=name)
    for level, method in ((1, zipfile.ZIP_DEFLATED), (9, zipfile.ZIP_DEFLATED), (None, zipfile.ZIP_STORED)):
        path, a = folder / f"zip{level}.npz", array_of("i4", (40, 50), 5)
        with zipfile.ZipFile(path, "w", method, compresslevel=level) as archive:
            data = io.BytesIO()
            np.save(data, a)
            archive.writestr("x.npy", data.getvalue())
            archive.comment = b"a comment of the archive"
        yield array_case("npz", f"by zipfile, level {level}", path, np.load(path)["x"], of="x")


# ---- HDF5 ----


def hdf5_cases(folder):
    path = folder / "arrays.h5"
    with h5py.File(path, "w") as file:
        for k, (name, a) in enumerate(arrays()):
            file[f"a{k}"] = a
    with h5py.File(path) as file:
        for k, (name, _) in enumerate(arrays()):
            yield array_case("hdf5", name, path, file[f"a{k}"][()], of=f"a{k}")
    ways = {"chunks": {"chunks": (3, 5)}, "gzip": {"chunks": (10, 7), "compression": "gzip", "compression_opts": 9}, "lzf": {"chunks": (4, 4), "compression": "lzf"},
            "shuffle and gzip": {"chunks": (8, 8), "shuffle": True, "compression": "gzip"}, "checksums": {"chunks": (8, 8), "fletcher32": True},
            "one chunk": {"chunks": (40, 30)}, "chunks that can grow": {"chunks": (6, 6), "maxshape": (None, None)}, "early allocation": {"track_order": True}}
    for k, (name, how) in enumerate(ways.items()):
        path = folder / f"way{k}.h5"
        with h5py.File(path, "w", libver=("earliest", "v110", "v108")[k % 3]) as file:
            file.create_dataset("g/h/x", data=array_of(("f8", "i4", "u2", "f4")[k % 4], (40, 30), k), **how)
        with h5py.File(path) as file:
            yield array_case("hdf5", name, path, file["g/h/x"][()], of="g/h/x")
    path = folder / "more.h5"
    kind = np.dtype([("place", "f8", 3), ("kind", "i4"), ("name", "S12"), ("seen", "b1"), ("more", [("code", "i2"), ("weight", "f8")])])
    r = np.random.default_rng(3)
    records = np.zeros(70, kind)
    records["place"], records["kind"], records["name"], records["seen"] = r.normal(size=(70, 3)), r.integers(-9, 9, 70), [f"particle {k}".encode() for k in range(70)], r.integers(0, 2, 70)
    records["more"]["code"], records["more"]["weight"] = r.integers(-2**15, 2**15, 70), r.normal(size=70)
    texts = [t for t in TEXTS] * 3
    other = np.zeros(30, [("unused", "f4"), ("more", [("weight", ">f8"), ("x", "i1"), ("code", ">i2")]), ("seen", "b1"), ("kind", ">i4"), ("name", h5py.string_dtype()), ("place", ">f8", 3)])
    other["kind"], other["name"], other["place"], other["more"]["weight"] = np.arange(30), [f"näme {k}" for k in range(30)], r.normal(size=(30, 3)), r.normal(size=30)
    with h5py.File(path, "w") as file:
        sparse = file.create_dataset("filled", (50, 20), "f8", chunks=(10, 10), fillvalue=7.5)
        sparse[13:17, 3:9] = 1.25
        file.create_dataset("never written", (30,), "i4", fillvalue=-3)
        file.create_dataset("external", (60,), "f8", external=[(folder / "external.raw", 0, 480)])[...] = np.arange(60) * 0.5
        file["linked"] = h5py.SoftLink("/filled")
        layout = h5py.VirtualLayout((20,), "f8")
        layout[...] = h5py.VirtualSource(".", "external", (60,))[10:30]
        file.create_virtual_dataset("virtual", layout)
        file.create_dataset("compact", data=np.arange(9, dtype="i2"))
        file["scale"] = array_of("f8", (25,), 8)
        file["scale"].attrs.update({"unit": "K", "longer": "Größe " * 50, "step": 17, "small": np.int8(-5), "x": 2.5, "single": np.float32(0.1), "bytes": np.bytes_(b"fixed")})
        file["strings"] = texts
        file.create_dataset("fixed strings", data=np.array([t.encode()[:40] for t in texts if "\0" not in t], "S40"))
        file.create_dataset("fixed UTF-8", data=[t.encode() for t in ("Zürich", "東京", "", "plain")], dtype=h5py.string_dtype("utf-8", 20))
        file.create_dataset("packed strings", data=texts, dtype=h5py.string_dtype(), chunks=(5,), compression="gzip")
        file["records"] = records
        file.create_dataset("packed records", data=records, chunks=(9,), compression="gzip")
        file["other records"] = other
        file["i4 as i8"] = array_of("i4", (33,), 1)
    with h5py.File(path) as file:
        for name in ("filled", "never written", "external", "linked", "virtual", "compact"):
            yield array_case("hdf5", name, path, file[name][()], of=name)
        yield array_case("hdf5", "32 bits into 64", path, file["i4 as i8"][()].astype("i8"), of="i4 as i8")
        yield array_case("hdf5", "32 bits into double", path, file["i4 as i8"][()].astype("f8"), of="i4 as i8")
        for name in ("strings", "fixed strings", "fixed UTF-8", "packed strings"):
            all_of = list(map(str, file[name].asstr("utf-8", errors="replace")[()]))
            yield Case("hdf5_strings", name, [[len(all_of)], all_of], path=path, of=name)
        for name in ("records", "packed records", "other records"):
            all_of = [[list(map(float, e["place"])), int(e["kind"]), e["name"].decode(), bool(e["seen"]), [int(e["more"]["code"]), float(e["more"]["weight"])]] for e in file[name][()]]
            yield Case("hdf5_records", name, [[len(all_of)], all_of], path=path, of=name)
        for name, kind in (("unit", "string"), ("longer", "string"), ("bytes", "string"), ("step", "i8"), ("small", "i8"), ("x", "f8"), ("single", "f8")):
            value = file["scale"].attrs[name]
            value = {"i8": int, "f8": float}.get(kind, lambda v: v if isinstance(v, str) else v.decode())(value)
            yield Case("hdf5_attribute", f"attribute {name}, {kind}", value, path=path, of="scale", attribute=name, type=kind)


# ---- MatrixMarket ----


def entries_equal(read, expected):
    """Entries of a sparse matrix in any order; zeros that a file lists are entries."""
    return read[0] == expected[0] and same(sorted(read[1], key=lambda e: e[:2]), sorted(expected[1], key=lambda e: e[:2]))


def market_case(name, path, dtype):
    """As SciPy reads the file."""
    m = sio.mmread(path, spmatrix=False)
    if not sp.issparse(m):
        return Case("market", name, cells(np.asarray(m).astype(dtype)), path=path, type=dtype, dense=True)
    m = m.tocsr().tocoo()  # those of one place are added up
    return Case("market", name, [list(m.shape), [[int(r), int(c), v] for r, c, v in zip(m.row, m.col, m.data.astype(dtype).tolist())]], entries_equal, path=path, type=dtype, dense=False)


def market_cases(folder):
    r = np.random.default_rng(9)

    def sparse(kind, shape, symmetry="general"):
        m = sp.random_array(shape, density=0.1, rng=r, format="coo")
        values = {"real": r.normal(size=m.nnz) * 10.0**r.integers(-40, 40, m.nnz), "integer": r.integers(-2**40, 2**40, m.nnz), "complex": r.normal(size=m.nnz) + 1j * r.normal(size=m.nnz),
                  "pattern": np.ones(m.nnz)}[kind]
        m = sp.coo_array((values, m.coords), shape)
        upper = sp.triu(m, 1).tocoo()
        if symmetry == "symmetric":
            return (sp.tril(m) + sp.tril(m, -1).T).tocoo()
        if symmetry == "skew-symmetric":
            return (upper - upper.T).tocoo()
        if symmetry == "hermitian":
            return (upper + upper.conj().T + sp.diags_array(r.normal(size=shape[0]))).tocoo()
        return m
    types = {"real": "f8", "integer": "i8", "complex": "c16", "pattern": "f8"}
    count = 0

    def write(m, **how):
        nonlocal count
        path, count = folder / f"{count}.mtx", count + 1
        sio.mmwrite(path, m, **how)
        return path
    for field, dtype in types.items():
        for symmetry in ("general", "symmetric", "skew-symmetric", "hermitian"):
            if (field == "pattern" and symmetry not in ("general", "symmetric")) or (symmetry == "hermitian" and field != "complex"):
                continue
            m = sparse(field, (40, 40), symmetry)
            yield market_case(f"{field}, {symmetry}", write(m, field=field, symmetry=symmetry), dtype)
            if field != "pattern":
                yield market_case(f"array, {field}, {symmetry}", write(m.toarray(), field=field, symmetry=symmetry), dtype)
    yield market_case("more rows than columns", write(sparse("real", (300, 7))), "f8")
    yield market_case("more columns than rows", write(sparse("real", (3, 900))), "f8")
    yield market_case("no entries", write(sp.coo_array((5, 6))), "f8")
    yield market_case("comment", write(sparse("real", (9, 9)), comment="one line\nand another one"), "f8")
    yield market_case("17 digits", write(sparse("real", (50, 50)), precision=17), "f8")
    yield market_case("3 digits", write(sparse("real", (50, 50)), precision=3), "f8")
    yield market_case("array, more rows", write(r.normal(size=(33, 4))), "f8")
    yield market_case("array, one column", write(r.normal(size=(33, 1))), "f8")
    yield market_case("array, one row", write(r.normal(size=(1, 33))), "f8")
    yield market_case("integers as real", write(sparse("integer", (30, 30))), "f8")
    yield market_case("integers as complex", write(sparse("integer", (30, 30))), "c16")
    yield market_case("large", write(sp.random_array((3000, 3000), density=0.003, rng=r)), "f8")

    def text(name, data, dtype="f8"):
        path = folder / f"{name}.mtx"
        path.write_bytes(data)
        return market_case(name, path, dtype)
    yield text("capital letters", b"%%MatrixMarket MATRIX Coordinate Real General\n3 3 2\n1 1 1.5\n3 2 -2\n")
    yield text("empty lines and spaces", b"%%MatrixMarket matrix coordinate real general\n% one\n%\n\n 3  3  2 \n\n 1   1\t1.5 \n\n3 2 -2e-3\n\n")
    yield text("CRLF", b"%%MatrixMarket matrix coordinate integer general\r\n% one\r\n3 3 2\r\n1 1 5\r\n3 2 -2\r\n", "i8")
    yield text("double", b"%%MatrixMarket matrix coordinate double general\n2 2 1\n2 2 .5\n")
    yield text("duplicates", b"%%MatrixMarket matrix coordinate real general\n2 2 3\n2 2 .5\n1 1 3.\n2 2 0.25\n")
    yield text("zeros", b"%%MatrixMarket matrix coordinate real general\n2 2 2\n2 2 0\n1 1 0.0\n")
    yield text("unsigned", b"%%MatrixMarket matrix coordinate unsigned-integer general\n2 2 2\n2 2 7\n1 1 9\n", "i8")
    for name in ("gzip",):
        path = folder / f"{name}.mtx.gz"
        with gzip.open(path, "wb") as file:
            sio.mmwrite(file, sparse("real", (60, 60)))
        yield market_case(name, path, "f8")


# ---- graphs ----


def edges_equal(read, expected):
    """The same edges; vertices without one may be more, where the vertices are the numbers up to the greatest."""
    (names, edges), (nodes, wanted) = read, expected

    def key(e):
        return (e[0], e[1], float(e[2]))
    return set(nodes) <= set(names) and len(set(names)) == len(names) and sorted(map(key, edges)) == sorted(map(key, wanted))


def graph_case(name, path, g, both=False, **how):
    """The edges of g, with their weights, by the names of their vertices; both: in a directed graph of Armilla, an edge leads both ways."""
    edges = [[str(a), str(b), float(d.get("weight", 1))] for a, b, d in g.edges(data=True)]
    if both or not g.is_directed():
        edges += [[b, a, w] for a, b, w in edges if a != b]
    return Case("graph", name, [[str(v) for v in g], edges], edges_equal, path=path, **how)


def graph_cases(folder):
    count = 0

    def place(suffix):
        nonlocal count
        count += 1
        return folder / f"{count}{suffix}"

    def graph(n, seed, names=None, directed=True, loops=False, weights=True):
        g = nx.gnp_random_graph(n, 4 / n, seed=seed, directed=directed)
        if loops:
            g.add_edges_from([(0, 0), (3, 3)])
        r = random.Random(seed)
        if weights:
            for _, _, d in g.edges(data=True):
                d["weight"] = r.choice([r.random(), float(r.randrange(-9, 9)), r.random() * 1e-30])
        g.remove_nodes_from(list(nx.isolates(g)))
        return nx.relabel_nodes(g, dict(enumerate(names))) if names else g
    towns = [f"Town{k}" for k in range(60)]
    utf8 = [f"Zürich-{k}" if k % 2 else f"東京{k}" for k in range(60)]
    large = [k * 10**15 + 7 for k in range(60)]
    for name, g in (("numbers", graph(100, 1)), ("names", graph(60, 2, towns)), ("UTF-8", graph(60, 3, utf8)), ("large numbers", graph(60, 4, large)), ("loops", graph(60, 5, loops=True)),
                    ("2,000 vertices", graph(2000, 6))):
        path = place(".txt")
        nx.write_weighted_edgelist(g, path)
        back = nx.read_weighted_edgelist(path, create_using=nx.DiGraph)
        yield graph_case(name, path, back)
    bare = graph(80, 7, weights=False)
    for name, how, read in (("no weights", {}, {}), ("tabs", {"delimiter": "\t"}, {"delimiter": "\t"}), ("commas", {"delimiter": ","}, {"delimiter": ","}), ("semicolons", {"delimiter": ";"}, {"delimiter": ";"})):
        path = place(".txt")
        nx.write_edgelist(bare, path, data=False, **how)
        yield graph_case(name, path, nx.read_edgelist(path, create_using=nx.DiGraph, **read), default_weight=1)
    for name, delimiter in (("weights by tabs", "\t"), ("weights by commas", ","), ("weights by semicolons", ";")):
        path, g = place(".txt"), graph(60, 8, towns)
        nx.write_weighted_edgelist(g, path, delimiter=delimiter)
        yield graph_case(name, path, nx.read_weighted_edgelist(path, delimiter=delimiter, create_using=nx.DiGraph))
    path, g = place(".txt"), graph(60, 9, [f"Town {k}" for k in range(60)])
    nx.write_weighted_edgelist(g, path, delimiter="\t")
    yield graph_case("spaces between tabs", path, nx.read_weighted_edgelist(path, delimiter="\t", create_using=nx.DiGraph))
    path = place(".txt")
    frame = nx.to_pandas_edgelist(graph(60, 10, [f'St. "{k}", Gallen' if k % 3 else f"Town {k}" for k in range(60)]))
    frame.to_csv(path, index=False)
    back = nx.from_pandas_edgelist(pd.read_csv(path, float_precision="round_trip"), edge_attr="weight", create_using=nx.DiGraph)
    yield graph_case("pandas' edges, quotes and a header", path, back, header=True)
    path = place(".txt")
    frame.to_csv(path, index=False, header=False, sep=" ")
    yield graph_case("quotes between spaces", path, back)
    path, g = place(".txt"), graph(60, 11, towns, directed=False)
    nx.write_weighted_edgelist(g, path)
    yield graph_case("undirected", path, nx.read_weighted_edgelist(path), undirected=True)
    path = place(".txt")
    path.write_text("# comment\n% another\n\n" + "\n".join(f"{a} {b} {d['weight']}\n# between" for a, b, d in g.edges(data=True)) + "\n")
    yield graph_case("comments", path, nx.parse_edgelist([line for line in path.read_text().splitlines() if not line.startswith("%")], data=(("weight", float),), create_using=nx.DiGraph))
    path = place(".txt")
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(f"{a} {b} {d['weight']}" for a, b, d in g.edges(data=True)).encode())
    yield graph_case("CRLF and a byte order mark", path, nx.DiGraph(list(g.edges(data=True))))
    for suffix, pack in ((".gz", gzip.compress), (".zst", zstandard.compress)):
        path, g = place(".txt" + suffix), graph(60, 12, towns)
        path.write_bytes(pack("\n".join(nx.generate_edgelist(g, data=["weight"])).encode() + b"\n"))
        yield graph_case(suffix, path, g)
    path, g = place(".txt"), graph(60, 13)
    shifted = nx.relabel_nodes(g, {v: v + 1 for v in g})
    nx.write_weighted_edgelist(shifted, path)
    yield graph_case("from 1", path, shifted, base=1)
    # MatrixMarket, by SciPy
    for name, directed in (("MatrixMarket", True), ("MatrixMarket, symmetric", False)):
        g = nx.convert_node_labels_to_integers(graph(70, 14, directed=directed))
        path = place(".mtx")
        sio.mmwrite(path, nx.to_scipy_sparse_array(g, nodelist=range(len(g))), symmetry="general" if directed else "symmetric")
        back = nx.from_scipy_sparse_array(sio.mmread(path, spmatrix=False), create_using=nx.DiGraph)
        yield graph_case(name, path, nx.relabel_nodes(back, {v: v + 1 for v in back}))
    g = nx.convert_node_labels_to_integers(graph(70, 15, weights=False))
    path = place(".mtx")
    sio.mmwrite(path, nx.to_scipy_sparse_array(g, nodelist=range(len(g))), field="pattern")
    yield graph_case("MatrixMarket, pattern", path, nx.relabel_nodes(g, {v: v + 1 for v in g}))
    path = place(".mtx")
    sio.mmwrite(path, sp.coo_array(nx.to_scipy_sparse_array(g, nodelist=range(len(g)), dtype=int)), field="integer")
    yield graph_case("MatrixMarket, integers", path, nx.relabel_nodes(g, {v: v + 1 for v in g}))
    # METIS and DIMACS, which NetworkX does not write
    for name, weights in (("METIS", False), ("METIS, weights", True)):
        g = nx.convert_node_labels_to_integers(graph(70, 16, directed=False, weights=False), first_label=1)
        for a, b in g.edges:
            g.edges[a, b]["weight"] = (a * b) % 7 + 1 if weights else 1
        g.add_node(len(g) + 1)
        lines = [" ".join(f"{w} {g.edges[v, w]['weight']}" if weights else str(w) for w in g[v]) for v in sorted(g)]
        path = place(".graph")
        path.write_text(f"% comment\n{len(g)} {g.number_of_edges()}{' 001' if weights else ''}\n" + "\n".join(lines) + "\n")
        yield graph_case(name, path, g)
    g = nx.convert_node_labels_to_integers(graph(70, 17), first_label=1)
    path = place(".gr")
    path.write_text(f"c comment\np sp {len(g)} {g.number_of_edges()}\n" + "".join(f"a {a} {b} {d['weight']!r}\n" for a, b, d in g.edges(data=True)))
    yield graph_case("DIMACS, sp", path, g)
    g = nx.convert_node_labels_to_integers(graph(70, 18, directed=False, weights=False), first_label=1)
    for word in ("edge", "col"):
        path = place(".col")
        path.write_text(f"c comment\np {word} {len(g)} {g.number_of_edges()}\n" + "".join(f"e {a} {b}\n" for a, b in g.edges))
        yield graph_case(f"DIMACS, {word}", path, g)
    g = nx.convert_node_labels_to_integers(graph(90, 19, weights=False))
    for bits in (32, 64):
        path = place(".bin")
        np.array(list(g.edges), dtype=f"u{bits // 8}").tofile(path)
        yield graph_case(f"{bits} bits", path, g, format=f"binary_{bits}")


FORMATS = {"CSV": csv_cases, "JSON lines": json_cases, ".npy": npy_cases, ".npz": npz_cases, "HDF5": hdf5_cases, "MatrixMarket": market_cases, "graphs": graph_cases}

# ---- reading ----


def check(reader, cases, ranks, folder):
    """Returns how many differ, after a line for each."""
    path = folder / "cases.json"
    path.write_text(json.dumps([{"kind": c.kind, **c.how} for c in cases], default=str))
    job = Job([reader, str(path)], ranks=ranks).end()
    lines = job.out.splitlines()
    if job.code != 0 or len(lines) != len(cases):
        sys.exit(f"the reader on {ranks} ranks ended with {job.code} after {len(lines)} of {len(cases)} files\n{job.err}")
    bad = 0
    for case, line in zip(cases, lines):
        answer = json.loads(line)
        if "error" in answer:
            why = answer["error"]
        elif case.compare(answer["read"], case.expected):
            continue
        else:
            why = difference(answer["read"], case.expected)
        bad += 1
        print(f"  {ranks} ranks, {case.name}: {case.how['path']}: {why[:600]}")
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("reader")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--only", choices=FORMATS)
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the files, which remain there")
    given = parser.parse_args()
    global np, pd, pl, pa, pacsv, h5py, sp, sio, nx, zstandard
    np, pd, pl, _, h5py, _, nx, zstandard = with_libraries(given.folder)
    pa, pacsv, sp, sio = (importlib.import_module(name) for name in ("pyarrow", "pyarrow.csv", "scipy.sparse", "scipy.io"))
    warnings.simplefilter("ignore")  # of arguments that newer releases do not need
    bad = 0
    with tempfile.TemporaryDirectory() as temporary:
        for name, make in FORMATS.items():
            if given.only and name != given.only:
                continue
            folder = (given.keep or pathlib.Path(temporary)) / name.replace(" ", "_").strip(".")
            folder.mkdir(parents=True, exist_ok=True)
            cases = list(make(folder))
            differ = sum(check(given.reader, cases, ranks, folder) for ranks in given.ranks)
            print(f"{name}: {len(cases)} files and data sets on {', '.join(map(str, given.ranks))} ranks, {differ} that differ", flush=True)
            bad += differ + (len(cases) < 30)
    sys.exit(f"{bad} reads differ" if bad else 0)


if __name__ == "__main__":
    main()
