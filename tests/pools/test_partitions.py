"""A folder of Parquet files: its partitions as columns, its items by file and row, its hash from footers."""

import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from ringtrue import Risk, Study
from ringtrue.core import InvalidInput, PlanChanged, RingtrueWarning
from ringtrue.pools import ParquetPool, TablePool, read_pool


def write(folder, values, name="rows.parquet", **columns):
    folder.mkdir(parents=True, exist_ok=True)
    table = {"n": values, "said": ["yes"] * len(values)} | columns
    pq.write_table(pa.table(table), folder / name, row_group_size=3)


@pytest.fixture
def lake(tmp_path):
    """What a writer of partitions leaves: two levels, one without a value, and files of its own."""
    root = tmp_path / "lake"
    write(root / "region=eu" / "day=1", [1, 2, 3, 4])
    write(root / "region=eu" / "day=2", [5])
    write(root / "region=d%27Or" / "day=1", [6, 7])
    write(root / "region=__HIVE_DEFAULT_PARTITION__" / "day=2", [8])
    (root / "_SUCCESS").touch()
    (root / "region=eu" / ".rows.crc").write_bytes(b"x")
    (root / "_temporary").mkdir()
    write(root / "_temporary", [99])
    return root


@pytest.fixture(params=["memory", "disk"])
def reads(request, monkeypatch):
    """Reads a pool into memory, or leaves it on the disk."""
    if request.param == "disk":
        monkeypatch.setattr("ringtrue.pools._read.SMALL", 1)
    kind = ParquetPool if request.param == "disk" else TablePool

    def read(path, **how):
        pool = read_pool(path, **how)
        assert type(pool) is kind
        return pool

    return read


def test_a_folder_is_its_files_sorted_by_name(lake, reads):
    pool = reads(lake)
    assert (pool.name, pool.size, pool.columns) == ("lake", 8, ("n", "said"))
    batch = pool.take(range(8))
    assert batch.columns["n"].tolist() == [8, 6, 7, 1, 2, 3, 4, 5]
    assert list(batch.ids)[3:6] == [f"region=eu/day=1/rows.parquet:{row}" for row in range(3)]
    assert batch.ids[-1] == "region=eu/day=2/rows.parquet:0"
    assert [name for chunk in pool.chunks(3) for name in chunk.ids] == list(batch.ids)
    assert pool.take([4]).ids[0] == "region=eu/day=1/rows.parquet:1"


def test_partitions_are_columns_on_request(lake, reads):
    pool = reads(lake, partitions=True)
    assert pool.columns == ("n", "said", "region", "day")
    batch = pool.take([0, 1, 3, 7])
    assert batch.columns["region"].tolist() == [None, "d'Or", "eu", "eu"]
    assert batch.columns["day"].tolist() == [2, 1, 1, 2]
    assert [cell for cells in pool.scan("day") for cell in cells.tolist()] == [2, 1, 1, 1, 1, 1, 1, 2]


def test_a_pattern_names_its_items_by_file_too(lake, reads):
    pool = reads(lake / "region=eu" / "*" / "*.parquet")
    assert list(pool.take([0, 4]).ids) == ["day=1/rows.parquet:0", "day=2/rows.parquet:0"]


def test_what_partitions_cannot_be_is_said(lake, tmp_path):
    write(lake / "region=us", [1])
    with pytest.raises(InvalidInput, match=r"region=us.*has the partitions region, and .* has region, day"):
        read_pool(lake, partitions=True)
    write(tmp_path / "plain", [1])
    with pytest.raises(InvalidInput, match=r"no folder on its path is named as a partition, such as region=eu"):
        read_pool(tmp_path / "plain", partitions=True)
    write(tmp_path / "both" / "n=1", [1])
    with pytest.raises(InvalidInput, match=r"columns 1 and 3 are both named 'n'"):
        read_pool(tmp_path / "both", partitions=True)
    with pytest.raises(InvalidInput, match=r"is a partition, which many rows share"):
        read_pool(_days(tmp_path), id="day", partitions=True)
    (tmp_path / "a.csv").write_text("x\n1\n")
    with pytest.raises(InvalidInput, match=r"is for Parquet files, and a.csv is not"):
        read_pool(tmp_path / "a.csv", partitions=True)


def _days(tmp_path):
    write(tmp_path / "days" / "day=1", [1, 2])
    return tmp_path / "days"


def test_what_stands_beside_parquet_files_is_passed_over_with_one_notice(lake, reads):
    """As on Hugging Face, where a page about the data comes first; and Spark leaves files without a row."""
    known = reads(lake).take(range(8))
    (lake / "README.md").write_text("about it")
    (lake / "region=eu" / "day=1" / "readme.txt").write_text("about it")
    write(lake / "region=eu" / "day=1", [], "empty.parquet")
    write(lake / "a" / "region=eu" / "day=1", [], "first.parquet")
    with pytest.warns(
        RingtrueWarning, match=r"lake is read as Parquet; passed over: 2 other files, such as .*README.md"
    ) as told:
        pool = reads(lake)
    assert len(told) == 1
    found = pool.take(range(8))
    assert found.columns["n"].tolist() == known.columns["n"].tolist()
    assert list(found.ids) == list(known.ids)
    with pytest.warns(RingtrueWarning):
        assert "region" in reads(lake, partitions=True).columns


def test_a_folder_without_a_row_is_refused(tmp_path):
    for part in ("a", "b"):
        write(tmp_path / "lake" / part, [])
    with pytest.raises(InvalidInput, match="there are no rows"):
        read_pool(tmp_path / "lake")


@pytest.mark.parametrize("argument", ["partitions", "all_bytes"])
def test_what_is_for_parquet_files_is_refused_elsewhere(tmp_path, argument):
    (tmp_path / "a.csv").write_text("n\n1\n")
    (tmp_path / "photos").mkdir()
    Image.new("L", (2, 2)).save(tmp_path / "photos" / "a.png")
    for place in ("a.csv", "photos"):
        with pytest.raises(
            InvalidInput, match=rf"{argument}=.* is for Parquet files, and {place} is not: leave it out"
        ):
            read_pool(tmp_path / place, **{argument: True})


@pytest.mark.parametrize("partitions", [False, True])
def test_an_empty_folder_is_told_what_could_be_in_it(tmp_path, partitions):
    (tmp_path / "none").mkdir()
    with pytest.raises(InvalidInput, match=r"and no Parquet file: give one with files in \.parquet, or in \.png"):
        read_pool(tmp_path / "none", partitions=partitions)


def test_a_file_of_the_folder_that_is_no_part_of_it_is_named(tmp_path, reads):
    """One that was cut short, has other columns, or another type in one of them."""
    part = tmp_path / "lake" / "day=2" / "rows.parquet"
    for day in (1, 2):
        write(tmp_path / "lake" / f"day={day}", [1, 2])
    part.write_bytes(part.read_bytes()[:-100])
    with pytest.raises(InvalidInput, match=r"day=2/rows.parquet: cannot be read as Parquet .*: write the file again"):
        reads(tmp_path / "lake")
    write(part.parent, [1, 2], more=[1, 2])
    with pytest.raises(InvalidInput, match=r"day=2/rows.parquet: its columns are not those of .*day=1/rows.parquet"):
        reads(tmp_path / "lake")
    write(part.parent, ["1", "2"])
    with pytest.raises(InvalidInput, match=r"day=2/rows.parquet: column 'n' is VARCHAR, and BIGINT in .*day=1"):
        reads(tmp_path / "lake")


def test_a_folder_of_another_kind_of_files_stays_what_it_was(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("x")
    with pytest.raises(InvalidInput, match="image"):
        read_pool(tmp_path / "notes")


@pytest.mark.parametrize("all_bytes", [False, True])
def test_other_content_is_another_pool(tmp_path, monkeypatch, all_bytes):
    monkeypatch.setattr("ringtrue.pools._read.SMALL", 1)
    write(tmp_path / "a", np.arange(1000))
    write(tmp_path / "b", np.arange(1000))
    first = read_pool(tmp_path / "*" / "*.parquet", all_bytes=all_bytes).fingerprint
    assert read_pool(tmp_path / "*" / "*.parquet", all_bytes=all_bytes).fingerprint == first
    changed = np.arange(1000)
    changed[500] = 499
    write(tmp_path / "b", changed)
    assert read_pool(tmp_path / "*" / "*.parquet", all_bytes=all_bytes).fingerprint != first


def test_footers_alone_miss_a_byte_that_leaves_them_as_they_are(tmp_path, monkeypatch):
    monkeypatch.setattr("ringtrue.pools._read.SMALL", 1)
    write(tmp_path / "a", np.arange(1000))
    file = tmp_path / "a" / "rows.parquet"
    by_footer, by_bytes = (read_pool(tmp_path / "a", all_bytes=each).fingerprint for each in (False, True))
    content = bytearray(file.read_bytes())
    content[200] ^= 1
    file.write_bytes(content)
    assert read_pool(tmp_path / "a").fingerprint == by_footer
    assert read_pool(tmp_path / "a", all_bytes=True).fingerprint != by_bytes


def test_a_file_without_a_footer_is_refused(tmp_path):
    from ringtrue.pools._parts import hash_footer

    for name, content in (("short", b"PAR1"), ("other", b"x" * 100), ("long", b"PAR1" + b"\xff\xff\xff\x7fPAR1")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InvalidInput, match="it has no footer"):
            hash_footer(str(tmp_path / name))


def test_a_partition_that_appears_later_is_refused_with_the_difference(lake, tmp_path, reads):
    pool = reads(lake, partitions=True)
    with Study.create(tmp_path / "study", pool=pool, model="said", question=Risk()):
        pass
    Study.open(tmp_path / "study", pool=reads(lake, partitions=True)).close()
    write(lake / "region=us" / "day=3", [9])
    with pytest.raises(PlanChanged, match=r"new: 'region=us/day=3/rows.parquet'"):
        Study.open(tmp_path / "study", pool=reads(lake, partitions=True))
    (lake / "region=us" / "day=3" / "rows.parquet").unlink()
    write(lake / "region=eu" / "day=2", [55])
    with pytest.raises(PlanChanged, match=r"changed: 'region=eu/day=2/rows.parquet'"):
        Study.open(tmp_path / "study", pool=reads(lake, partitions=True))


def test_a_study_that_knew_large_files_by_all_their_bytes_is_opened(lake, tmp_path, monkeypatch):
    monkeypatch.setattr("ringtrue.pools._read.SMALL", 1)
    with Study.create(tmp_path / "study", pool=read_pool(lake, all_bytes=True), model="said", question=Risk()):
        pass
    Study.open(tmp_path / "study", pool=read_pool(lake)).close()


def test_another_process_reads_the_same_files_and_refuses_others(lake, monkeypatch):
    monkeypatch.setattr("ringtrue.pools._read.SMALL", 1)
    pool = read_pool(lake, partitions=True)
    part = pickle.dumps(pool.part(2, 6))
    assert len(part) < 500
    batch = pickle.loads(part)()
    assert batch.columns["n"].tolist() == [7, 1, 2, 3]
    assert batch.columns["day"].tolist() == [1, 1, 1, 1]
    assert batch.ids[0] == "region=d%27Or/day=1/rows.parquet:1"
    from ringtrue.pools import _parquet_pool

    _parquet_pool._opened_again.cache_clear()
    write(lake / "region=eu" / "day=2", [55])
    with pytest.raises(InvalidInput, match="the files here are not those of the study"):
        pickle.loads(part)


def test_rows_are_stored_in_groups(lake, monkeypatch):
    monkeypatch.setattr("ringtrue.pools._read.SMALL", 1)
    assert read_pool(lake).groups() == [1, 3, 6, 7, 8]
    assert TablePool({"n": np.arange(5)}).groups() == [5]
    assert TablePool({"n": np.arange(5)}).part(1, 3)().columns["n"].tolist() == [1, 2]


def test_partitions_beside_dates(tmp_path, reads):
    """A partition whose name looks like a date is text."""
    write(tmp_path / "x" / "on=2024-01-05", [1])
    pool = reads(tmp_path / "x", partitions=True)
    assert pool.take([0]).columns["on"].tolist() == ["2024-01-05"]
