"""Another content is another fingerprint; the same content is the same in every process and library."""

import hashlib
import subprocess
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ringtrue.pools import read_pool

COLUMNS = {"id": ["a", "b", "c"], "n": [1, 2, 3], "x": [0.5, 0.25, -0.0], "ok": [True, False, True]}


def test_of_a_parquet_file_is_the_hash_of_its_bytes(tmp_path):
    pl.DataFrame(COLUMNS).write_parquet(tmp_path / "a.parquet")
    expected = hashlib.sha256((tmp_path / "a.parquet").read_bytes()).hexdigest()
    assert read_pool(tmp_path / "a.parquet").fingerprint == expected


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_of_a_file_of_text_is_that_of_its_values(tmp_path, name):
    frame = pl.DataFrame(COLUMNS)
    {"csv": frame.write_csv, "jsonl": frame.write_ndjson}[name[2:]](tmp_path / name)
    assert read_pool(tmp_path / name).fingerprint == read_pool(frame).fingerprint


def test_of_a_frame_is_what_earlier_versions_recorded():
    cells = {
        "t": ["é\n", " ", None, '"'],
        "ok": [True, None, False, True],
        "n": [1, 2, None, 4],
        "l": [[1], ["a"], [], None],
    }
    expected = "61309d28572f57765d28cc8dc8e0004d4e2e96f9799b9e7ed4bab0d8a30ae5f7"
    assert read_pool(pd.DataFrame(cells)).fingerprint == expected


def test_of_a_frame_is_the_same_in_every_library():
    frames = [pl.DataFrame(COLUMNS), pd.DataFrame(COLUMNS), pa.table(COLUMNS)]
    assert len({read_pool(frame).fingerprint for frame in frames}) == 1


def test_missing_cells_are_the_same_in_every_library():
    columns = {"n": [1, None, 3], "t": ["a", None, "b"], "x": [0.5, None, 1.0]}
    frames = [pl.DataFrame(columns), pd.DataFrame(columns), pa.table(columns)]
    assert len({read_pool(frame).fingerprint for frame in frames}) == 1


def test_of_a_frame_is_the_same_in_every_process():
    code = f"import polars, ringtrue.pools as p; print(p.read_pool(polars.DataFrame({COLUMNS!r})).fingerprint)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == read_pool(pl.DataFrame(COLUMNS)).fingerprint


CHANGES = [
    {"id": ["a", "b", "d"]},
    {"n": [1, 2, 4]},
    {"x": [0.5, 0.25, 1e-300]},
    {"ok": [True, True, True]},
    {"n": [1, 2, None]},
    {"n": ["1", "2", "3"]},
    {"n": [1, 2, 2**60]},
    {"n": [1, 2, 2**60 + 1]},
    {"extra": [1, 2, 3]},
]


def test_of_a_frame_changes_with_every_cell():
    tables = [COLUMNS, *({**COLUMNS, **change} for change in CHANGES)]
    tables.append(dict(reversed(COLUMNS.items())))
    tables.append({"key" if name == "id" else name: cells for name, cells in COLUMNS.items()})
    assert len({read_pool(pl.DataFrame(table)).fingerprint for table in tables}) == len(tables)


def test_cells_cannot_run_into_each_other():
    left, right = pl.DataFrame({"t": ["a\nb", "c"]}), pl.DataFrame({"t": ["a", "b\nc"]})
    assert read_pool(left).fingerprint != read_pool(right).fingerprint


def test_of_parquet_changes_with_a_cell(tmp_path):
    prints = set()
    for value in (1, 2):
        pq.write_table(pa.table({"x": [value]}), tmp_path / "a.parquet")
        prints.add(read_pool(tmp_path / "a.parquet").fingerprint)
    assert len(prints) == 2
