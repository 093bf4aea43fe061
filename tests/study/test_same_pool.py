"""A pool with the same values is the same pool, however its file is written; of another, the first row is named."""

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ringtrue.core import PlanChanged
from ringtrue.journal import SqliteJournal
from ringtrue.pools import Marks, ParquetPool, TablePool, first_difference, read_pool
from ringtrue.risk import Risk
from ringtrue.study import Study

HEADER = ["id", "text", "number", "predicted", "truth"]
ROWS = [[f"i{place}", f"a, b {place}", "" if place % 7 == 3 else str(place), "yes", "no"] for place in range(50)]


def written(rows, *, end="\n", always=False, delimiter=","):
    def cell(text):
        quoted = always or delimiter in text
        return '"' + text.replace('"', '""') + '"' if quoted else text

    return end.join(delimiter.join(map(cell, row)) for row in [HEADER, *rows]) + end


SAME = {
    "as it was": ("pool.csv", written(ROWS).encode()),
    "renamed": ("moved.csv", written(ROWS).encode()),
    "a mark before the text": ("pool.csv", written(ROWS).encode("utf-8-sig")),
    "other line ends": ("pool.csv", written(ROWS, end="\r\n").encode()),
    "quotes everywhere": ("pool.csv", written(ROWS, always=True).encode()),
    "blank lines": ("pool.csv", (written(ROWS, end="\n\n") + "\n\n").encode()),
    "no end of the last line": ("pool.csv", written(ROWS).rstrip("\n").encode()),
    "tabs": ("pool.tsv", written(ROWS, delimiter="\t").encode()),
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "first.csv").write_text(written(ROWS))
    with Study.create(tmp_path / "s", pool=tmp_path / "first.csv", model="predicted", question=Risk()) as study:
        for query in study.ask(10):
            study.tell(query, "no")
    return tmp_path


@pytest.mark.parametrize("case", SAME)
def test_the_same_values_are_the_same_pool_and_the_study_goes_on(folder, case):
    name, content = SAME[case]
    (folder / name).write_bytes(content)
    with Study.open(folder / "s", pool=folder / name, model="predicted") as study:
        assert len(study.ask(2)) == 2


def refusal(folder, rows, name="other.csv"):
    (folder / name).write_text(written(rows))
    with pytest.raises(PlanChanged) as caught:
        Study.open(folder / "s", pool=folder / name, model="predicted")
    return str(caught.value)


def changed(*places, cell=1, text="another"):
    return [[*row[:cell], text, *row[cell + 1 :]] if place in places else row for place, row in enumerate(ROWS)]


@pytest.mark.parametrize("place", [0, 1, 7, 8, 24, 48, 49])
def test_a_row_that_differs_is_named(folder, place):
    assert f"the first row that differs is row {place + 1} (item 'i{place}')" in refusal(folder, changed(place))
    assert f"row {place + 1} (item 'i{place}')" in refusal(folder, changed(place, cell=3, text="maybe"))


def test_the_first_of_many_is_named_as_closely_as_it_is_known(folder):
    assert "the first row that differs is row 12 (item 'i11')" in refusal(folder, changed(11, 19, 43))
    assert "is one of rows 10 to 11" in refusal(folder, changed(9, 34))
    assert "is one of rows 1 to 8" in refusal(folder, changed(*range(50)))


def test_rows_that_came_or_went(folder):
    more = refusal(folder, [*ROWS, ["new", "x", "1", "yes", "no"]])
    assert "size was 50, now 51" in more
    assert "row that differs" not in more, "all that were there are the same"
    assert "is one of rows 17 to 24" in refusal(folder, [*ROWS[:20], *ROWS[21:]])
    assert "row that differs" not in refusal(folder, ROWS[:30])


def test_a_study_of_an_earlier_version_knows_the_file_by_its_bytes(folder):
    old = folder / "old.ringtrue"
    journal = SqliteJournal(folder / "s.ringtrue")
    events = [(event.kind, dict(event.payload)) for event in journal.read("s", 0)]
    journal.close()
    created = events[0][1]
    del created["marks"]
    by_bytes = hashlib.sha256((folder / "first.csv").read_bytes()).hexdigest()
    created |= {"name": "old", "pool": {**created["pool"], "fingerprint": by_bytes}}
    journal = SqliteJournal(old, create=True)
    journal.append("old", 0, events)
    journal.close()
    with Study.open(old, pool=folder / "first.csv", model="predicted") as study:
        asked = [record.row for record in study.records]
        assert len(study.ask(1)) == 1
    (folder / "other.csv").write_text(written(changed(*asked)))
    with pytest.raises(PlanChanged) as caught:
        Study.open(old, pool=folder / "other.csv", model="predicted")
    row = min(asked)
    assert f"of the rows that were asked about, the first that differs is row {row + 1} (item 'i{row}')" in str(
        caught.value
    )


def test_a_pool_outside_memory_names_a_row_that_was_asked_about(tmp_path):
    columns = {"x": list(range(20)), "predicted": ["yes"] * 20}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    pool = ParquetPool(tmp_path / "a.parquet")
    with Study.create(tmp_path / "s", pool=pool, model="predicted", question=Risk()) as study:
        row = study.ask(1) and study.records[0].row
    pq.write_table(pa.table({**columns, "x": [-1] * 20}), tmp_path / "a.parquet")
    with pytest.raises(PlanChanged, match=rf"asked about, the first that differs is row {row + 1} \(item '{row}'\)"):
        Study.open(tmp_path / "s", pool=ParquetPool(tmp_path / "a.parquet"), model="predicted")


def test_lines_of_json_are_known_by_their_values(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"x":1,"t":"é"}\n{"x":2,"t":null}\n')
    (tmp_path / "b.jsonl").write_text('{"x": 1.0, "t": "\\u00e9"}\r\n\n{"t": "", "x": 2}')
    assert read_pool(tmp_path / "a.jsonl").fingerprint == read_pool(tmp_path / "b.jsonl").fingerprint


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 16, 17, 99])
def test_every_single_row_is_found(size):
    cells = np.arange(size)
    before = Marks(**TablePool({"x": cells}).marks(size))
    assert first_difference(before, Marks(**TablePool({"x": cells}).marks(size)), size) is None
    for row in range(size):
        other = cells.copy()
        other[row] = -1
        assert first_difference(before, Marks(**TablePool({"x": other}).marks(size)), size) == (row, row)
