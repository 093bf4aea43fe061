"""A sheet of a workbook as a pool: its values as they were kept, and one line for what cannot be read."""

import datetime
import sys
import zipfile
from itertools import pairwise

import openpyxl
import pytest

from ringtrue import read_votes
from ringtrue.core import InvalidInput
from ringtrue.pools import read_pool

ROWS = [
    ["id", "when", "score", "ok", "said"],
    ["a", datetime.datetime(2026, 1, 2), 1, True, "yes"],
    ["b", datetime.datetime(2026, 1, 2, 8, 30), None, False, " "],
    [None] * 5,
    ["007", datetime.time(8, 30), 2.5, True, "no"],
]


def write(path, rows=ROWS, title="First", **others):
    book = openpyxl.Workbook()
    book.active.title = title
    pages = {title: rows, **others}
    for name, content in pages.items():
        page = book[name] if name in book.sheetnames else book.create_sheet(name)
        for row in content:
            page.append(row)
    book.save(path)
    return path


def refused(source, *words, **options):
    with pytest.raises(InvalidInput) as caught:
        read_pool(source, **options)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message


def test_the_values_of_the_first_sheet(tmp_path):
    pool = read_pool(write(tmp_path / "scores.xlsx", Other=[["x"], [1]]))
    assert (pool.name, pool.size, pool.columns) == ("scores.xlsx", 3, ("id", "when", "score", "ok", "said"))
    batch = pool.take([0, 1, 2])
    assert batch.ids == ["a", "b", "007"]
    assert batch.columns["when"].tolist() == ["2026-01-02", "2026-01-02 08:30:00", "08:30:00"]
    assert batch.columns["score"].tolist()[::2] == [1, 2.5]
    assert str(batch.columns["score"][1]) == "nan"
    assert batch.columns["ok"].tolist() == [True, False, True]
    assert batch.columns["said"].tolist() == ["yes", None, "no"]


def test_a_sheet_by_its_name(tmp_path):
    path = write(tmp_path / "scores.xlsx", **{"May #2": [["x"], [1]]})
    assert read_pool(f"{path}#May #2").columns == ("x",)
    assert read_pool(f"{path}#First").fingerprint == read_pool(path).fingerprint
    refused(f"{path}#Frist", "scores.xlsx has no sheet 'Frist', did you mean 'First'?", "sheets: First, May #2")
    refused(f"{path}#", "nothing follows the #")
    refused(tmp_path / "none.xlsx#May", "none.xlsx: no such file")


def test_the_fingerprint_is_that_of_the_values(tmp_path):
    before = read_pool(write(tmp_path / "a.xlsx")).fingerprint
    assert read_pool(write(tmp_path / "b.xlsx", Notes=[["other"]])).fingerprint == before
    assert read_pool(write(tmp_path / "a.xlsx", [*ROWS, ["d", None, 1, True, "no"]])).fingerprint != before


def test_of_a_formula_the_value_that_was_kept(tmp_path):
    path = write(tmp_path / "a.xlsx", [["x", "twice"], [1, "=A2*2"], [2, "=A3*2"]])
    parts = {}
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    parts[sheet] = parts[sheet].replace(b"<f>A2*2</f><v></v>", b"<f>A2*2</f><v>99</v>")
    parts[sheet] = parts[sheet].replace(b"<f>A2*2</f><v />", b"<f>A2*2</f><v>99</v>")
    with zipfile.ZipFile(path, "w") as book:
        for name, content in parts.items():
            book.writestr(name, content)
    assert [str(cell) for cell in read_pool(path).take([0, 1]).columns["twice"].tolist()] == ["99", "None"]


def test_several_workbooks_and_votes(tmp_path):
    write(tmp_path / "a.xlsx", [["ann", "bob"], ["yes", "no"]])
    write(tmp_path / "b.xlsx", [["bob", "ann"], ["yes", "yes"]])
    pool = read_pool(tmp_path / "*.xlsx")
    assert pool.take([0, 1]).columns["bob"].tolist() == ["no", "yes"]
    assert read_votes(tmp_path / "a.xlsx").judges == ("ann", "bob")


CASES = {
    "no rows": ([["id", "x"]], ["no rows"]),
    "nothing": ([], ["first row is blank"]),
    "title above": ([["Scores of May"], ["id", "x"], ["a", 1]], ["row 2: 'x' stands in column 2", "has no name"]),
    "blank header": ([["id", None, "x"], ["a", 1, 2]], ["column 2 has no name in the first row"]),
    "header twice": ([["id", "x", "x"], ["a", 1, 2]], ["columns 2 and 3 are both named 'x'"]),
    "id twice": ([["id"], ["a"], ["a"]], ["rows 1 and 2 have the same id 'a'"]),
    "missing id": ([["id", "x"], ["a", 1], [None, 2]], ["row 2", "no id"]),
    "error": ([["id", "x"], ["a", "#DIV/0!"]], ["row 2: column 'x' holds the error #DIV/0!"]),
}


@pytest.mark.parametrize("case", CASES)
def test_tables_that_are_no_pool(tmp_path, case):
    rows, words = CASES[case]
    refused(write(tmp_path / "a.xlsx", rows), "a.xlsx", *words)


def _rewritten(path, name, content):
    """Put other content into one part of a workbook."""
    with zipfile.ZipFile(path) as book:
        parts = {one: book.read(one) for one in book.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for one, before in {**parts, name: content}.items():
            book.writestr(one, content if one == name else before)


SHEET = "xl/worksheets/sheet1.xml"
_HEAD = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
_ID = b'<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c></row>'
_END = b"</sheetData></worksheet>"


def test_a_bomb_is_refused_by_what_it_would_unpack_to(tmp_path, monkeypatch):
    path = write(tmp_path / "a.xlsx")
    _rewritten(path, "xl/media/image.png", bytes(3_000_000))
    monkeypatch.setattr("ringtrue.pools._xlsx.MOST_BYTES", 2_000_000)
    refused(path, "a.xlsx unpacks to 3,", "at most 2,000,000 are read")


def test_more_than_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("ringtrue.pools._memory.allowed", lambda: 1_000)
    refused(write(tmp_path / "a.xlsx"), "a.xlsx unpacked would take", "part it")


def test_rows_and_cells_without_end_are_refused(tmp_path, monkeypatch):
    path = write(tmp_path / "a.xlsx")
    _rewritten(path, SHEET, _HEAD + _ID + b'<row r="99999999999"><c r="A99999999999"><v>1</v></c></row>' + _END)
    monkeypatch.setattr("ringtrue.pools._xlsx.MOST_ROWS", 1_000)
    refused(path, "a.xlsx", "rows or")
    wide = b"".join(b'<row r="%d"><c r="XFD%d"/></row>' % (row, row) for row in range(2, 50))
    _rewritten(path, SHEET, _HEAD + _ID + wide + _END)
    monkeypatch.setattr("ringtrue.pools._xlsx.MOST_CELLS", 100_000)
    refused(path, "a.xlsx has a sheet of more than 1,000 rows or 100,000 cells")


def test_entities_that_grow_are_refused(tmp_path):
    path = write(tmp_path / "a.xlsx")
    names = "abcdefghij"
    grown = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in pairwise(names))
    kept = _HEAD.decode() + '<row r="1"><c r="A1" t="inlineStr"><is><t>&j;</t></is></c></row>' + _END.decode()
    _rewritten(path, SHEET, f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">{grown}]>{kept}'.encode())
    refused(path, "a.xlsx")


@pytest.mark.parametrize("content", [b"x", b"PK\x03\x04 no archive"])
def test_what_is_no_workbook(tmp_path, content):
    (tmp_path / "a.xlsx").write_bytes(content)
    refused(tmp_path / "a.xlsx", "a.xlsx is not an xlsx file that can be read", "save it anew")
    (tmp_path / "b.xlsx").write_bytes(write(tmp_path / "c.xlsx").read_bytes()[:-200])
    refused(tmp_path / "b.xlsx", "b.xlsx is not an xlsx file that can be read")


def test_without_openpyxl_the_line_that_installs_it(tmp_path, monkeypatch):
    path = write(tmp_path / "a.xlsx")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    refused(path, "a.xlsx needs openpyxl: run pip install 'ringtrue[sheets]'")
