"""The same data is the same pool, whichever format or library held it."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ringtrue.core import Pool, canonical_json, label_text
from ringtrue.pools import ParquetPool, TablePool, read_pool

WORDS = st.text("abcé \"',;\n日", min_size=1, max_size=8).filter(lambda text: text.strip() == text)
TABLES = st.lists(
    st.tuples(WORDS, st.integers(-(10**17), 10**17), st.floats(-1e9, 1e9), st.booleans()), min_size=1, max_size=12
)


def write_all(folder, columns):
    """The columns in every form there is."""
    frame = pl.DataFrame(columns)
    frame.write_csv(folder / "a.csv")
    frame.write_csv(folder / "a.tsv", separator="\t")
    frame.write_ndjson(folder / "a.jsonl")
    pq.write_table(pa.table(columns), folder / "a.parquet")
    files = [read_pool(folder / f"a.{suffix}") for suffix in ("csv", "tsv", "jsonl", "parquet")]
    frames = [read_pool(frame), read_pool(pd.DataFrame(columns)), read_pool(pa.table(columns))]
    return [*files, ParquetPool(folder / "a.parquet"), *frames]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=TABLES)
def test_round_trip(tmp_path, rows):
    labels, ids, numbers, truths = map(list, zip(*rows, strict=True))
    columns = {"id": [f"{place:03}" for place in range(len(rows))], "label": labels, "key": ids}
    columns |= {"x": numbers, "ok": truths}
    for pool in write_all(tmp_path, columns):
        assert isinstance(pool, Pool)
        assert (pool.size, pool.columns) == (len(rows), ("id", "label", "key", "x", "ok"))
        batch = pool.take(range(len(rows)))
        assert batch.ids == columns["id"]
        assert batch.columns["label"].tolist() == labels
        assert batch.columns["key"].tolist() == ids
        assert batch.columns["x"].tolist() == numbers
        assert [label_text(cell) for cell in batch.columns["ok"]] == [label_text(cell) for cell in truths]
        for item in batch:
            canonical_json(item.values)


def test_missing_cells_keep_their_digits(tmp_path):
    columns = {"n": [2**60 + 1, None], "t": ["a", None], "x": [0.5, None], "b": [True, None]}
    for pool in write_all(tmp_path, columns)[1:]:
        cells = {name: values.tolist() for name, values in pool.take([0, 1]).columns.items()}
        if pool.name == "dataframe" and cells["n"][0] != 2**60 + 1:
            assert cells["n"][0] == float(2**60)  # pandas itself made floats of it
        else:
            assert cells["n"] == [2**60 + 1, None]
        assert cells["t"] == ["a", None]
        assert cells["b"] == [True, None]
        assert cells["x"][0] == 0.5
        assert np.isnan(cells["x"][1])


CSV_TYPES = {
    # cells: (kind of array, cells as read)
    ("007", "10"): ("O", ["007", "10"]),
    ("-007", "10"): ("O", ["-007", "10"]),
    ("1", "2"): ("i", [1, 2]),
    (" 1", "2 "): ("i", [1, 2]),
    ("1", "2.50"): ("f", [1.0, 2.5]),
    ("1e5", "-.5"): ("f", [1e5, -0.5]),
    ("1_000", "2"): ("O", ["1_000", "2"]),
    ("12345678901234567890", "2"): ("O", ["12345678901234567890", "2"]),
    ("yes", "no"): ("O", ["yes", "no"]),
    ("True", "false"): ("b", [True, False]),
    ("2020-01-02", "2020-01-03"): ("O", ["2020-01-02", "2020-01-03"]),
    ("1", ""): ("O", [1, None]),
    ("", "1"): ("O", [None, 1]),
    ("a", ""): ("O", ["a", None]),
    ("a", "1"): ("O", ["a", "1"]),
    ("NA", "NULL"): ("O", ["NA", "NULL"]),
    ("inf", "1"): ("f", [float("inf"), 1.0]),
}


@pytest.mark.parametrize("cells", CSV_TYPES)
def test_types_of_csv_cells(tmp_path, cells):
    (tmp_path / "a.csv").write_text("k,x\n" + "".join(f"k,{cell}\n" for cell in cells))
    values = read_pool(tmp_path / "a.csv").take([0, 1]).columns["x"]
    assert (values.dtype.kind, values.tolist()) == CSV_TYPES[cells]


def test_a_late_word_makes_a_csv_column_text(tmp_path):
    (tmp_path / "a.csv").write_text("id,x\n" + "".join(f"{i},1\n" for i in range(30_000)) + "30000,word\n")
    pool = read_pool(tmp_path / "a.csv")
    assert pool.take([0, 30_000]).columns["x"].tolist() == ["1", "word"]


@pytest.mark.parametrize(
    ("cells", "ids"), [("007 010", ["007", "010"]), ("1.10 1.1", ["1.10", "1.1"]), ("7 8", ["7", "8"])]
)
def test_ids_of_csv_are_as_written(tmp_path, cells, ids):
    (tmp_path / "a.csv").write_text("key\n" + "\n".join(cells.split()) + "\n")
    assert read_pool(tmp_path / "a.csv", id="key").take([0, 1]).ids == ids


@pytest.mark.parametrize(
    "header", ["id;x\n1;2\n", "id\tx\n1\t2\n", "\ufeffid,x\r\n1,2\r\n", "id , x\n1,2", '"id","x"\n1,2\n']
)
def test_dialects(tmp_path, header):
    (tmp_path / "a.csv").write_bytes(header.encode())
    pool = read_pool(tmp_path / "a.csv")
    assert (pool.columns, pool.take([0]).columns["x"].tolist()) == (("id", "x"), [2])


def test_the_index_that_pandas_writes_along(tmp_path):
    pd.DataFrame({"x": [5, 6]}).to_csv(tmp_path / "a.csv")
    assert read_pool(tmp_path / "a.csv").columns == ("column_1", "x")


def test_jsonl_leaves_text_and_nested_values_alone(tmp_path):
    rows = [{"d": "2020-01-02T00:00:00Z", "l": [1, 2], "ID": 1, "id": "007"}, {"d": "x", "m": 1.5, "id": 8}]
    (tmp_path / "a.ndjson").write_text("\n\n".join(map(json.dumps, rows)))
    batch = read_pool(tmp_path / "a.ndjson").take([0, 1])
    assert batch.ids == ["007", "8"]
    assert batch.columns["d"].tolist() == ["2020-01-02T00:00:00Z", "x"]
    assert batch.columns["l"].tolist() == [[1, 2], None]
    assert batch.columns["ID"].tolist() == [1, None]
    assert batch.columns["m"].tolist()[1] == 1.5


ODD = ["a[1]*.csv", "q'u\"o?.csv", "a{b,c}.csv", "ü ;--.csv", "%20.csv", "year=2020/a.csv", "[].csv"]


@pytest.mark.parametrize("name", ODD)
def test_names_are_taken_at_their_word(tmp_path, name):
    for decoy in ("a1z.csv", "a11.csv", "b.csv", "q'u\"ox.csv"):
        (tmp_path / decoy).write_text("id,x\nwrong,1\n")
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("id,x\nright,1\n")
    pool = read_pool(str(path))
    assert (pool.take([0]).ids, pool.columns, pool.name, pool.source) == (
        ["right"],
        ("id", "x"),
        path.name,
        str(path),
    )
    parquet = path.with_suffix(".parquet")
    pq.write_table(pa.table({"id": ["right"], "x": [1]}), parquet)
    assert ParquetPool(parquet).take([0]).ids == ["right"]
    assert ParquetPool(parquet).columns == ("id", "x")


def test_relative_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("id\n1\n")
    assert read_pool("a.csv").source == "a.csv"


def test_a_pool_stays_as_it_is():
    pool = TablePool({"x": np.array([1])})
    assert read_pool(pool) is pool


def test_ids_without_a_column_are_row_numbers():
    pool = read_pool(pl.DataFrame({"x": [5, 6, 7]}))
    assert pool.take([2, 0]).ids == ["2", "0"]
    assert pool.take(np.array([1])).ids == ["1"]
    assert [batch.ids for batch in pool.chunks(2)] == [["0", "1"], ["2"]]


def test_whole_floats_are_ids_as_integers_are():
    assert read_pool(pd.DataFrame({"id": [1.0, 2.0]})).take([0]).ids == ["1"]


def test_batches_cannot_change_the_pool():
    pool = TablePool({"x": np.array([1, 2])})
    with pytest.raises(ValueError, match="read-only"):
        pool.take([0]).columns["x"][0] = 9


def test_frames_of_odd_types():
    frame = pl.DataFrame({"d": ["2020-01-02"], "c": ["a"], "l": [[1, 2]], "u": [2**63], "n": ["1.5"]}).with_columns(
        pl.col("d").str.to_date(), pl.col("c").cast(pl.Categorical), pl.col("n").cast(pl.Decimal(10, 2))
    )
    cells = {name: values.tolist()[0] for name, values in read_pool(frame).take([0]).columns.items()}
    assert cells == {"d": "2020-01-02", "c": "a", "l": [1, 2], "u": 2**63, "n": 1.5}
    frame = pd.DataFrame({"c": pd.Categorical(["a", None]), "n": pd.array([1, None], dtype="Int64")})
    cells = {name: values.tolist() for name, values in read_pool(frame).take([0, 1]).columns.items()}
    assert cells == {"c": ["a", None], "n": [1, None]}


def test_importing_pools_is_cheap():
    heavy = {"duckdb", "narwhals", "pandas", "polars"}
    code = f"import sys, ringtrue.pools; print(sorted({heavy!r} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_files_are_read_without_dataframe_libraries(tmp_path):
    pq.write_table(pa.table({"id": [1, None][:1], "t": ["a"]}), tmp_path / "a.parquet")
    (tmp_path / "a.csv").write_text("id,t\n1,a\n")
    code = (
        "import sys\nfor m in ('pandas', 'polars', 'pyarrow'): sys.modules[m] = None\n"
        "from ringtrue.pools import ParquetPool, read_pool\n"
        "for pool in (read_pool(sys.argv[1]), ParquetPool(sys.argv[2])):\n"
        "    print(pool.take([0]).ids, [len(batch) for batch in pool.chunks(1)])"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "a.csv"), str(tmp_path / "a.parquet")]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout == "['1'] [1]\n" * 2


def test_no_reader_draws_a_bar_into_what_programs_read():
    """Where no file is run, a library draws its bar on standard output after two seconds of a large file."""
    code = (
        "from ringtrue.pools._duck import connect\nclass Owner: pass\nowner = Owner()\n"
        "for one in (connect(owner), connect(owner).cursor()):\n"
        "    print(*one.execute(\"SELECT current_setting('enable_progress_bar')\").fetchone())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_decimal_commas_are_read_where_they_are_asked_for_and_no_comma_parts_the_cells(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text('x;y;z;note\n0,5;1;"1.234,5";a,b\n-2,25e1;2;7;c\n;3;8;d\n')
    columns = read_pool(file, commas=True).take([0, 1, 2]).columns
    assert columns["x"].tolist()[:2] == [0.5, -22.5]
    assert columns["y"].tolist() == [1, 2, 3]
    assert columns["z"].tolist() == ["1.234,5", "7", "8"], "marks of thousands are not guessed at"
    assert columns["note"].tolist() == ["a,b", "c", "d"]
    assert read_pool(file).take([0]).columns["x"].tolist() == ["0,5"], "the pools of studies stay as they were"
    file.write_text('x,y\n"1,234",1\n')
    assert read_pool(file, commas=True).take([0]).columns["x"].tolist() == ["1,234"]
