"""Every file that cannot be a pool is refused in one line that names the file, the place and the remedy."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ringtrue.core import InvalidInput
from ringtrue.pools import ParquetPool, TablePool, read_pool

TEXT_CASES = {
    # name: (file name, bytes, id, words that must be in the message)
    "unknown suffix": ("a.xls", b"x", None, ["'.xls'", ".csv, .tsv, .parquet, .jsonl, .ndjson, .npz, .xlsx"]),
    "no suffix": ("data", b"x", None, ["suffix ''", ".parquet"]),
    "empty csv": ("a.csv", b"", None, ["empty", "at least one row"]),
    "empty parquet": ("a.parquet", b"", None, ["empty"]),
    "empty jsonl": ("a.jsonl", b"", None, ["empty"]),
    "header only": ("a.csv", b"id,x\n", None, ["no rows", "at least one item"]),
    "header without newline": ("a.csv", b"id,x", None, ["no rows"]),
    "blank jsonl": ("a.jsonl", b"\n\n", None, ["no rows"]),
    "blank first line": ("a.csv", b"\nid,x\n1,2\n", None, ["first line is blank", "column names"]),
    "row too long": ("a.csv", b"id,x\n1,2\n3,4,5\n", None, ["row 2 has 3 cells", "header has 2", "quote"]),
    "row too short": ("a.csv", b"id,x\n1,2\n3,4\n5\n6,7\n", None, ["row 3 has 1 cell,"]),
    "ragged after a long quote": ("a.csv", b'id,x\n1,"two\nlines"\n3,4,5\n', None, ["row 2 has 3 cells"]),
    "ragged late": ("a.csv", b"id,x\n" + b"1,2\n" * 50_000 + b"9\n", None, ["row 50001 has 1 cell,"]),
    "ragged tsv": ("a.tsv", b"id\tx\n1\t2\t3\n", None, ["row 1 has 3 cells"]),
    "open quote": ("a.csv", b'id,x\n1,"abc\n2,3\n', None, ["row 1", "quotes"]),
    "mixed line ends": ("a.csv", b"id,x\r\n1,2\n2,3\r\n", None, ["\\r\\n", "one kind of line ending"]),
    "latin-1 csv": ("a.csv", "id,x\n1,b\n2,café\n".encode("latin-1"), None, ["row 2", "UTF-8"]),
    "latin-1 header": ("a.csv", "id,café\n1,b\n".encode("latin-1"), None, ["header", "UTF-8"]),
    "latin-1 jsonl": ("a.jsonl", '{"x":"a"}\n{"x":"é"}\n'.encode("latin-1"), None, ["line 2", "UTF-8"]),
    "broken jsonl": ("a.jsonl", b'{"x":1}\n{"x":\n', None, ["line 2 is not JSON", "one object per line"]),
    "two objects a line": ("a.jsonl", b'{"x":1} {"x":2}\n', None, ["line 1 is not JSON"]),
    "jsonl of lists": ("a.jsonl", b'{"x":1}\n[1]\n', None, ["line 2 is not a JSON object"]),
    "jsonl without keys": ("a.jsonl", b"{}\n", None, ["no columns"]),
    "half a character": ("a.jsonl", b'{"x":"\\ud800"}\n', None, ["line 1", "half a character"]),
    "deep": ("a.jsonl", b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}", None, ["line 1", "100 deep"]),
    "key twice": ("a.jsonl", b'{"x":1,"x":2}\n', None, ["line 1", "'x' twice", "rename"]),
    "columns of one name": ("a.csv", b"x,y,x\n1,2,3\n", None, ["columns 1 and 3", "'x'", "rename"]),
    "text as parquet": ("a.parquet", b"hello, I am no Parquet file", None, ["Parquet", "write the file again"]),
    "absent id column": ("a.csv", b"key,x\n1,2\n", "kex", ["'kex'", "did you mean 'key'", "columns: key, x"]),
    "missing id": ("a.csv", b"id,x\n1,2\n,3\n", None, ["row 2", "'id'", "id="]),
    "blank id": ("a.jsonl", b'{"id":"a"}\n{"id":" "}\n', None, ["row 2", "no id"]),
    "id twice": ("a.csv", b"id,x\n7,2\n8,3\n7,4\n", None, ["rows 1 and 3", "'7'", "id="]),
    "chosen id twice": ("a.csv", b"id,k\n1,a\n2,a\n", "k", ["rows 1 and 2", "'a'", "'k'"]),
}  # fmt: skip


def refused(source, *, words, **options):
    with pytest.raises(InvalidInput) as caught:
        read_pool(source, **options)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message
    return message


@pytest.mark.parametrize("case", TEXT_CASES)
def test_bad_text_files(tmp_path, case):
    name, content, id_column, words = TEXT_CASES[case]
    path = tmp_path / name
    path.write_bytes(content)
    refused(path, id=id_column, words=[name, *words])


def test_missing_file(tmp_path):
    refused(tmp_path / "none.csv", words=["none.csv", "no such file", "check the path"])


def test_directory(tmp_path):
    refused(tmp_path, words=[tmp_path.name, "no image in the folder", ".png"])
    (tmp_path / "pool.csv").write_text("id\n1\n")
    refused(tmp_path, words=["pool.csv", "is not an image", "*.csv"])


def test_unreadable_file(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("id\n1\n")

    def refuse(*args, **options):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("ringtrue.pools._columns.open", refuse, raising=False)
    refused(path, words=["a.csv", "Permission denied", "permissions"])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_file_without_permission(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id\n1\n")
    path.chmod(0)
    refused(path, words=["a.csv", "Permission denied"])


def test_pipe(tmp_path):
    os.mkfifo(tmp_path / "a.csv")
    refused(tmp_path / "a.csv", words=["a.csv", "not a regular file"])


PARQUET_CASES = {
    "no rows": ({"id": pa.array([], pa.int64())}, ["no rows"]),
    "id twice": ({"id": [5, 6, 7, 6, 5]}, ["rows 2 and 4", "'6'", "id="]),
    "text id twice": ({"id": ["a", "b", "b"]}, ["rows 2 and 3", "'b'"]),
    "missing id": ({"id": [1, 2, None]}, ["row 3", "no id"]),
    "blank id": ({"id": ["a", " \t"]}, ["row 2", "no id"]),
    "nan id": ({"id": [1.0, float("nan")]}, ["row 2", "no id"]),
    "rounded id": ({"id": [1.0, 2.0**60]}, ["row 2", "2**53", "integers or text"]),
    "taken name": ({"id": [1], "file_row_number": [2]}, ["'file_row_number'", "rename"]),
}


@pytest.mark.parametrize("case", PARQUET_CASES)
def test_bad_parquet_content(tmp_path, case):
    columns, words = PARQUET_CASES[case]
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    refused(tmp_path / "a.parquet", words=["a.parquet", *words])


@pytest.mark.parametrize("column", ["n", "v", "r", "a", "b"])
def test_an_id_twice_in_a_column_of_any_name(tmp_path, column):
    pq.write_table(pa.table({column: [5, 6, 6]}), tmp_path / "a.parquet")
    refused(tmp_path / "a.parquet", id=column, words=["rows 2 and 3", "'6'", f"column {column!r}"])


def test_parquet_columns_of_one_name(tmp_path):
    pq.write_table(pa.table([[1], [2]], names=["x", "x"]), tmp_path / "a.parquet")
    refused(tmp_path / "a.parquet", words=["a.parquet", "columns 1 and 2", "'x'"])


@pytest.mark.parametrize("cut", [-1, -30, 100])
def test_truncated_parquet(tmp_path, cut):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": list(range(1000))}), path)
    path.write_bytes(path.read_bytes()[:cut])
    refused(path, words=["a.parquet", "write the file again"])


def test_damaged_parquet_pages(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": np.random.default_rng(0).random(1000)}), path)
    content = bytearray(path.read_bytes())
    content[4:400] = bytes(396)
    path.write_bytes(content)
    refused(path, words=["a.parquet", "write the file again"])


def test_parquet_that_changes_while_open(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": [1, 2]}), path)
    pool = ParquetPool(path)
    pq.write_table(pa.table({"x": [1, 2, 3]}), path)
    with pytest.raises(InvalidInput, match=r"a\.parquet: the file changed"):
        pool.take([0])
    path.unlink()
    with pytest.raises(InvalidInput, match="put the file back"):
        pool.take([0])


def test_frames_that_are_no_pool():
    refused(pl.LazyFrame({"x": [1]}), words=["lazy", ".collect()"])
    refused(pl.DataFrame({"x": []}), words=["dataframe", "no rows"])
    refused(pa.table([[1], [2]], names=["x", "x"]), words=["dataframe", "columns 1 and 2", "'x'"])
    refused(pl.DataFrame({"id": [1, 2, 1]}), words=["dataframe", "rows 1 and 3", "'1'"])
    refused(pl.DataFrame({"id": [1.0, 2.0**60]}), words=["row 2", "2**53"])
    refused(42, words=["pool=42", ".csv", "pandas"])
    refused([{"x": 1}] * 50, words=["neither a file nor a dataframe"])
    refused(None, words=["pool=None"])


def test_pandas_frames_that_are_no_pool():
    pd = pytest.importorskip("pandas")
    refused(pd.DataFrame([[1, 2]], columns=["x", "x"]), words=["dataframe", "columns 1 and 2"])
    refused(pd.DataFrame([[1, 2]]), words=["dataframe", "0 is not text", "rename"])


@pytest.mark.parametrize("rows", [[-1], [3], [0, 3], [0, -1]])
@pytest.mark.parametrize("kind", ["table", "parquet"])
def test_rows_outside_the_pool(tmp_path: Path, rows, kind):
    pq.write_table(pa.table({"x": [1, 2, 3]}), tmp_path / "a.parquet")
    pool = ParquetPool(tmp_path / "a.parquet") if kind == "parquet" else read_pool(tmp_path / "a.parquet")
    with pytest.raises(InvalidInput, match=r"a\.parquet: row index -?\d is outside the pool: use 0 to 2"):
        pool.take(rows)
    with pytest.raises(InvalidInput, match="size=0 must be at least 1"):
        list(pool.chunks(0))


def test_columns_of_unequal_length():
    with pytest.raises(InvalidInput, match="x 1, y 2"):
        TablePool({"x": np.array([1]), "y": np.array([1, 2])})
