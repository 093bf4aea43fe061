"""A Parquet pool reads what is asked, in the order asked, from any thread."""

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ringtrue.core import canonical_json
from ringtrue.pools import ParquetPool, TablePool, check_column, read_pool

SIZE = 200_000


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    path = tmp_path_factory.mktemp("large") / "large.parquet"
    random = np.random.default_rng(0)
    table = {
        "id": np.arange(SIZE) * 3,
        "x": random.random(SIZE),
        "n": pa.array([None if row % 5 == 0 else row for row in range(SIZE)]),
        "truth": random.choice(["cat", "dog"], SIZE),
    }
    pq.write_table(pa.table(table), path, row_group_size=20_000)
    return path


@pytest.fixture(scope="module")
def pool(large):
    return ParquetPool(large)


def same(left, right):
    assert list(left.ids) == list(right.ids)
    for name, values in left.columns.items():
        np.testing.assert_array_equal(values.astype(object), right.columns[name].astype(object))


def test_large_files_stay_on_disk_and_small_ones_do_not(large, tmp_path):
    pq.write_table(pa.table({"x": range(SIZE)}), tmp_path / "small.parquet")
    assert isinstance(read_pool(tmp_path / "small.parquet"), TablePool)
    pq.write_table(pa.table({f"x{i}": range(SIZE) for i in range(11)}), tmp_path / "wide.parquet")
    assert isinstance(read_pool(tmp_path / "wide.parquet"), ParquetPool)


def test_take_keeps_order_and_repeats(pool):
    rows = [199_999, 0, 70_000, 0, 19_999, 20_000]
    batch = pool.take(rows)
    assert batch.ids == [str(3 * row) for row in rows]
    assert batch.columns["n"].tolist() == [None if row % 5 == 0 else row for row in rows]
    assert len(pool.take([])) == 0
    assert list(pool.take([]).columns) == list(pool.columns)


def test_take_equals_memory(pool):
    rows = np.random.default_rng(1).integers(0, SIZE, 9_000)
    memory = pool.load()
    assert memory.fingerprint == pool.fingerprint
    same(pool.take(rows), memory.take(rows))
    same(pool.take(rows % 7_000), memory.take(rows % 7_000))  # so dense that a range is read
    same(pool.take(rows[:1]), memory.take(rows[:1]))


@pytest.mark.parametrize("size", [7_777, 65_536, 150_000, SIZE + 1])
def test_chunks_are_the_whole_pool_in_order(pool, size):
    ids, cells = [], []
    for batch in pool.chunks(size):
        assert len(batch) <= size
        ids += batch.ids
        cells += batch.columns["n"].tolist()
    whole = pool.take(range(SIZE))
    assert ids == whole.ids
    assert cells == whole.columns["n"].tolist()


def test_threads_share_a_pool(pool):
    rows = np.random.default_rng(2).integers(0, SIZE, 60).tolist()
    with ThreadPoolExecutor(4) as threads:
        batches = list(threads.map(lambda row: pool.take([row]), rows))
    assert [batch.ids for batch in batches] == [[str(3 * row)] for row in rows]


def test_a_duplicate_far_apart_is_found(large, tmp_path, monkeypatch):
    table = pq.read_table(large).to_pydict()
    table["id"][150_000] = table["id"][17]
    pq.write_table(pa.table(table), tmp_path / "a.parquet", row_group_size=20_000)
    monkeypatch.setattr("ringtrue.pools._parquet.AT_ONCE", 30_000)  # several shares, as of a far larger file
    with pytest.raises(ValueError, match="rows 18 and 150001 have the same id '51'"):
        ParquetPool(tmp_path / "a.parquet")
    assert ParquetPool(large).size == SIZE


def test_check_column_reads_the_column(pool):
    check_column(pool, "truth", labels=["cat", "dog"])
    with pytest.raises(ValueError, match=r"large\.parquet: row 1: column 'n' is missing"):
        check_column(pool, "n")


def test_odd_types_are_json(tmp_path, monkeypatch):
    import duckdb

    duckdb.execute(
        """COPY (SELECT 1.5::decimal(10,2) d, date '2020-01-02' dt, timestamp '2020-01-02 10:00:00' ts,
        timestamptz '2020-01-02 10:00:00+02' tz, '550e8400-e29b-41d4-a716-446655440000'::uuid u, [1, 2] l,
        {'a': 1, 'b': [1]} s, 'ab'::blob bl, 3::ubigint ub, 7::decimal(30,0) id) TO '"""
        + str(tmp_path / "odd.parquet")
        + "'"
    )
    monkeypatch.setenv("TZ", "America/New_York")
    pool = ParquetPool(tmp_path / "odd.parquet")
    item = next(iter(pool.take([0])))
    expected = {"d": 1.5, "dt": "2020-01-02", "ts": "2020-01-02 10:00:00", "tz": "2020-01-02 08:00:00+00"}
    expected |= {"u": "550e8400-e29b-41d4-a716-446655440000", "l": [1, 2], "s": {"a": 1, "b": [1]}, "bl": "6162"}
    assert canonical_json(item.values) == canonical_json(expected | {"ub": 3, "id": "7"})
    assert item.id == "7"


def test_lists_after_many_missing_ones(tmp_path):
    pq.write_table(pa.table({"l": [None] * 500 + [[1, 2]]}), tmp_path / "a.parquet")
    assert ParquetPool(tmp_path / "a.parquet").take(range(501)).columns["l"].tolist()[-2:] == [None, [1, 2]]


def test_names_may_differ_in_case(tmp_path):
    pq.write_table(pa.table({"s": [{"case": 0}], "Case": [1], "case": [2], "CASE_1": [3]}), tmp_path / "a.parquet")
    batch = ParquetPool(tmp_path / "a.parquet").take([0])
    cells = {name: values.tolist() for name, values in batch.columns.items()}
    assert cells == {"s": [{"case": 0}], "Case": [1], "case": [2], "CASE_1": [3]}


def test_nothing_stays_in_the_temporary_directory(large, tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("id\n1\n")
    read_pool(tmp_path / "a.csv")  # the first of a process makes the database that all readings share
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    pool = ParquetPool(large)
    read_pool(tmp_path / "a.csv")
    assert sum(name.startswith("ringtrue-") for name in os.listdir(tmp_path)) == 1
    del pool
    assert os.listdir(tmp_path) == ["a.csv"]
