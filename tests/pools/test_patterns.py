"""Several files by a pattern as one pool: sorted by name, of the same columns, known by the file that differs."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ringtrue import Study, read_votes
from ringtrue.core import InvalidInput, PlanChanged
from ringtrue.pools import ParquetPool, TablePool, find_place, read_pool
from ringtrue.risk import Risk

COLUMNS = {"id": ["a", "b", "c", "d", "e"], "n": [1, None, 3, 4, 5], "said": ["x", "y", "x", "y", "x"]}
PARTS = (slice(0, 2), slice(2, 3), slice(3, 5))


def write(folder, kind, columns=COLUMNS, parts=PARTS):
    folder.mkdir(exist_ok=True)
    for place, rows in enumerate(parts):
        own = {name: cells[rows] for name, cells in columns.items()}
        path = folder / f"part-{place}.{kind}"
        if kind == "parquet":
            types = {"id": pa.string(), "n": pa.int64(), "said": pa.string()}
            pq.write_table(pa.table({name: pa.array(cells, types.get(name)) for name, cells in own.items()}), path)
        elif kind == "jsonl":
            path.write_text(
                "\n".join(json.dumps(dict(zip(own, row, strict=True))) for row in zip(*own.values(), strict=True))
            )
        else:
            mark = "\t" if kind == "tsv" else ","
            rows = [list(own), *zip(*own.values(), strict=True)]
            lines = [mark.join("" if cell is None else str(cell) for cell in row) for row in rows]
            path.write_text("\n".join(lines) + "\n")
    return folder / f"*.{kind}"


def refused(source, *words, **options):
    with pytest.raises(InvalidInput) as caught:
        read_pool(source, **options)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message


KINDS = ["csv", "tsv", "jsonl", "parquet"]


@pytest.mark.parametrize("kind", KINDS)
def test_files_are_one_pool_in_the_order_of_their_names(tmp_path, kind):
    pool = read_pool(write(tmp_path / "parts", kind))
    assert (pool.name, pool.size, pool.columns) == (f"*.{kind}", 5, ("id", "n", "said"))
    batch = pool.take([4, 0, 2])
    assert batch.ids == ["e", "a", "c"]
    assert batch.columns["n"].tolist() == [5, 1, 3]
    assert batch.columns["said"].tolist() == ["x", "x", "x"]


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_text_in_parts_is_the_pool_that_it_is_in_one_file(tmp_path, kind):
    whole = write(tmp_path / "whole", kind, parts=[slice(0, 5)])
    in_parts = read_pool(write(tmp_path / "parts", kind))
    assert (
        in_parts.fingerprint == read_pool(whole).fingerprint == read_pool(whole.parent / f"part-0.{kind}").fingerprint
    )


def test_all_files_together_decide_what_a_column_is(tmp_path):
    (tmp_path / "a.csv").write_text("code,x\n12,1\n")
    (tmp_path / "b.csv").write_text("x;code\n0.5;007\n")
    batch = read_pool(tmp_path / "*.csv").take([0, 1])
    assert batch.columns["code"].tolist() == ["12", "007"]
    assert batch.columns["x"].tolist() == [1.0, 0.5]


def test_large_parts_stay_on_disk(tmp_path, monkeypatch):
    numbers = np.arange(5_000)
    for part in range(5):
        own = numbers[part * 1_000 : (part + 1) * 1_000]
        missing = [None if part == 2 and n % 7 == 0 else int(n) for n in own]
        pq.write_table(pa.table({"id": own, "n": pa.array(missing)}), tmp_path / f"{part}.parquet", row_group_size=100)
    memory = read_pool(tmp_path / "*.parquet")
    assert isinstance(memory, TablePool)
    monkeypatch.setattr("ringtrue.pools._read.SMALL", 10)
    monkeypatch.setattr("ringtrue.pools._parquet_pool.WINDOW", 700)
    monkeypatch.setattr("ringtrue.pools._parquet_pool.PIECE", 3)
    pool = read_pool(tmp_path / "*.parquet")
    assert isinstance(pool, ParquetPool)
    assert pool.hash_of_file == memory.fingerprint != pool.fingerprint
    for rows in ([], [4_999, 0, 2_500, 0], [999, 1_000], range(5_000), [*range(900, 1_100)], [0, 2_002, 2_003, 4_000]):
        left, right = pool.take(rows), memory.take(rows)
        assert left.ids == right.ids
        assert left.columns["n"].tolist() == right.columns["n"].tolist()
    assert [item for batch in pool.chunks(333) for item in batch.ids] == memory.take(range(5_000)).ids
    assert [len(batch) for batch in pool.chunks(3_000)] == [3_000, 2_000]
    assert np.concatenate(list(pool.scan("n"))).tolist() == memory.take(range(5_000)).columns["n"].tolist()


def test_ids_are_unique_across_files(tmp_path, monkeypatch):
    for kind in KINDS:
        at = write(tmp_path / kind, kind, COLUMNS | {"id": ["a", "b", "c", "b", "a"]})
        refused(at, f"*.{kind}: rows 2 and 4 have the same id 'b'" if kind == "parquet" else "have the same id")
    pq.write_table(pa.table({"id": pa.array(["a", None]), "n": [1, 2]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"id": ["b"], "n": [1]}), tmp_path / "0.parquet")
    refused(tmp_path / "*.parquet", "row 3", "no id")


def test_a_file_that_differs_is_named(tmp_path):
    for kind in ("csv", "parquet"):
        at = write(tmp_path / kind, kind)
        with Study.create(tmp_path / f"of-{kind}", pool=at, model="said", question=Risk()):
            pass
        Study.open(tmp_path / f"of-{kind}", pool=at).close()
        folder = at.parent
        (folder / f"part-2.{kind}").rename(folder / f"part-9.{kind}")
        Study.open(tmp_path / f"of-{kind}", pool=at).close()  # the same rows in the same order
        write(tmp_path / "more", kind, COLUMNS | {"id": ["f", "g", "h", "i", "j"]}, parts=[slice(0, 5)])
        (tmp_path / "more" / f"part-0.{kind}").rename(folder / f"part-a.{kind}")
        with pytest.raises(
            PlanChanged, match=rf"size was 5, now 10; .*; new: 'part-a.{kind}'; renamed: 'part-9.{kind}'"
        ):
            Study.open(tmp_path / f"of-{kind}", pool=at)
        (folder / f"part-a.{kind}").unlink()
        (folder / f"part-9.{kind}").rename(folder / f"part-2.{kind}")
        (folder / f"part-0.{kind}").rename(folder / f"part-5.{kind}")
        with pytest.raises(PlanChanged, match=rf"renamed: 'part-5.{kind}'; the first row .* row"):
            Study.open(tmp_path / f"of-{kind}", pool=at)


def test_files_that_are_no_pool_together(tmp_path):
    (tmp_path / "a.csv").write_text("id,x,y\n1,2,3\n")
    (tmp_path / "b.csv").write_text("id,x,z\n2,3,4\n")
    refused(tmp_path / "*.csv", "b.csv: its columns are not those of", "a.csv (it lacks y and also has z)")
    (tmp_path / "a.jsonl").write_text('{"id": 1}')
    refused(tmp_path / "a.*", "a.csv and", "a.jsonl are files of two kinds")
    refused(tmp_path / "*.tsv", "*.tsv: no file has such a name: check the pattern")
    pq.write_table(pa.table({"id": [1], "x": [1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"id": [2], "x": [1.5]}), tmp_path / "b.parquet")
    refused(tmp_path / "*.parquet", "b.parquet: column 'x' is DOUBLE, and BIGINT in", "a.parquet")
    (tmp_path / "b.csv").write_text("id,x,y\n2,3\n")
    refused(tmp_path / "*.csv", "b.csv: row 1 has 2 cells, the header has 3")
    (tmp_path / "b.csv").write_text("")
    refused(tmp_path / "*.csv", "b.csv: the file is empty")
    (tmp_path / "b.csv").unlink()
    (tmp_path / "b.csv").mkdir()
    refused(tmp_path / "*.csv", "b.csv: is a directory")
    np.savez(tmp_path / "a.npz", x=[1])
    np.savez(tmp_path / "b.npz", x=[1])
    refused(tmp_path / "*.npz", "arrays are read from one .npz file")


def test_a_file_is_taken_at_its_word(tmp_path):
    (tmp_path / "a[1]*.csv").write_text("id\n1\n")
    (tmp_path / "a1x.csv").write_text("id\n2\n")
    assert read_pool(tmp_path / "a[1]*.csv").take([0]).ids == ["1"]
    assert find_place(tmp_path / "*" / "x*.csv").folder == str(tmp_path)
    (tmp_path / "[b]").mkdir()
    (tmp_path / "[b]" / "a.csv").write_text("id\n3\n")
    assert read_pool(tmp_path / "[b]" / "*.csv").take([0]).ids == ["3"]
    assert read_pool(tmp_path / "*" / "a.csv").take([0]).ids == ["3"]


def test_a_file_that_changes_while_it_is_open(tmp_path):
    pool = ParquetPool(write(tmp_path / "parts", "parquet"))
    pq.write_table(pa.table({"id": ["z"]}), tmp_path / "parts" / "part-1.parquet")
    assert pool.take([0]).ids == ["a"]
    with pytest.raises(InvalidInput, match=r"part-1\.parquet: the file changed"):
        pool.take([2])


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_votes_in_several_files(tmp_path, kind):
    at = write(tmp_path / "parts", kind, {"ann": list("xyxyx"), "bob": list("xxxyy")})
    assert dict(read_votes(at)) == dict(read_votes({"ann": list("xyxyx"), "bob": list("xxxyy")}))
