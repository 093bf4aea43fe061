"""No row and no cell of a text file is lost without a word: they are compared with what another reader finds."""

import csv
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringtrue.core import InvalidInput
from ringtrue.pools import ParquetPool, read_pool, read_votes

HUGE = 33_000_000
"""Bytes of a cell beyond the block that DuckDB reads at once: a last row that is so long was left out silently."""


def refused(path, *words):
    with pytest.raises(InvalidInput) as caught:
        read_pool(path)
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("name", "head", "tail"),
    [
        ("a.csv", b"id,t\n1,a\n2,", b""),
        ("a.csv", b"id,t\n1,a\n2,", b"\n"),
        ("a.csv", b'id,t\r\n1,"a, b"\r\n\r\n2,', b"\r\n"),
        ("a.tsv", b"id\tt\n1\ta\n2\t", b"\n"),
        ("a.csv", b'id,t\n1,a\n2,"', b'"\n3,b\n'),
    ],
)
def test_a_row_that_is_too_long_is_named_and_not_left_out(tmp_path, name, head, tail):
    (tmp_path / name).write_bytes(head + b"x" * HUGE + tail)
    refused(tmp_path / name, name, "row 2 has 33,000,00", "more than the 2,000,000", "Parquet")


def test_a_row_that_is_left_out_is_named_although_quotes_do_not_tell_where_cells_end(tmp_path):
    (tmp_path / "a.csv").write_bytes(b'id,t\n1,6" wide\n2,b\n3,' + b"x" * HUGE)
    refused(tmp_path / "a.csv", "row 3 has 33,000,00")


def test_rows_that_follow_a_name_with_a_line_end_are_not_left_out(tmp_path):
    (tmp_path / "a.csv").write_bytes(b'"t\ru",v\na,1\nb,2\n')
    refused(tmp_path / "a.csv", "row 1 cannot be read as it stands")


def test_votes_are_read_by_the_same_rule(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"id,ann,bob\n1,yes,no\n2,yes," + b"x" * HUGE)
    with pytest.raises(InvalidInput, match="row 2 has"):
        read_votes(tmp_path / "a.csv")


def test_long_cells_that_can_be_read_are_whole(tmp_path):
    long = "x" * 1_900_000
    (tmp_path / "a.csv").write_text(f"id,t\n1,a\n2,{long}\n")
    assert next(read_pool(tmp_path / "a.csv").scan("t")).tolist() == ["a", long]


def test_other_files_keep_a_cell_of_any_length(tmp_path):
    long = "x" * HUGE
    (tmp_path / "a.jsonl").write_text(f'{{"t":"a"}}\n{{"t":"{long}"}}')
    pq.write_table(pa.table({"t": ["a", long]}), tmp_path / "a.parquet")
    for pool in (read_pool(tmp_path / "a.jsonl"), ParquetPool(tmp_path / "a.parquet")):
        assert pool.size == 2
        assert next(pool.scan("t")).tolist() == ["a", long]


@pytest.mark.parametrize(
    ("content", "cells"),
    [
        (b"id,t\n\n1,a\n\n\n2,b\n\n", [[1, 2], ["a", "b"]]),
        (b"id,t\r\n1,a\r\n\r\n2,b", [[1, 2], ["a", "b"]]),
        (b"id,t\r1,a\r2,b\r", [[1, 2], ["a", "b"]]),
        (b'\xef\xbb\xbf"id","t"\n"1",a\n2,"b"\n', [[1, 2], ["a", "b"]]),
        (b'id,t\n1,"a" \n2,"b"\n', [[1, 2], ["a", "b"]]),
        (b'id,t\n1, "a, b"\n2,"c\nd"\n', [[1, 2], ["a, b", "c\nd"]]),
        (b'id,t\n1,6" wide\n2,""""\n', [[1, 2], ['6" wide', '"']]),
        (b"id,t\n1,a,\n2,b,\n", [[1, 2], ["a", "b"]]),
        (b"t\na\n\nb\n", [["a", None, "b"]]),
        (b't\r\na\r\n""\r\nb', [["a", None, "b"]]),
    ],
)
def test_files_that_hold_all_that_was_read_are_read(tmp_path, content, cells):
    (tmp_path / "a.csv").write_bytes(content)
    pool = read_pool(tmp_path / "a.csv")
    assert [next(pool.scan(name)).tolist() for name in pool.columns] == cells


rows = st.lists(st.lists(st.text(alphabet='ab",;\n\r é', max_size=5), min_size=3, max_size=3), min_size=1, max_size=8)


@given(rows=rows, end=st.sampled_from(["\n", "\r\n"]), always=st.booleans())
def test_the_cells_are_those_of_another_reader(tmp_path_factory, rows, end, always):
    def written(cell):
        return '"' + cell.replace('"', '""') + '"' if always or set(cell) & set(',"\r\n') else cell

    lines = [",".join(map(written, row)) for row in (["u", "v", "w"], *rows)]
    text = (end + end).join(lines)
    path = tmp_path_factory.mktemp("count") / "a.csv"
    path.write_bytes(text.encode("utf-8-sig"))
    _, *kept = [cells for cells in csv.reader(io.StringIO(text, newline="")) if cells]
    pool = read_pool(path)
    assert pool.size == len(kept)
    found = zip(*(next(pool.scan(name)).tolist() for name in pool.columns), strict=True)
    assert [[(cell or "").strip() for cell in row] for row in found] == [[cell.strip() for cell in row] for row in kept]
