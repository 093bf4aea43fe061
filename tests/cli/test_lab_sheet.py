"""Sheets for a laboratory: what goes out comes back, half-filled rows are named, and nothing runs as a formula."""

import csv
from decimal import Decimal

import pytest

from ringtrue.cli import _lab_sheet
from ringtrue.cli._sheet_forms import Numbers
from ringtrue.core import InvalidInput, Item, Query

OUTPUTS = ["force", "heat"]


def write_sheet(path, queries, outputs):
    """Write a sheet for a laboratory that measures these outputs."""
    _lab_sheet.write_sheet(path, queries, Numbers(outputs))


def query(number, study="alloys", **values):
    return Query(f"{study}:{number}", "worst", "oracle", Item(f"i{number}", values), Decimal(1), None)


def read_sheet(path, outputs):
    """The answers of a laboratory, by query."""
    return [(row.query, row.value) for row in _lab_sheet.read_sheet(path, Numbers(outputs))[1]]


def cells(path):
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def filled(path, *answers, delimiter=","):
    """The sheet with these cells in its last columns, as a laboratory sends it back."""
    header, *rows = cells(path)
    rows = [row[: len(row) - len(told)] + list(told) for row, told in zip(rows, answers, strict=True)]
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([header, *rows])


@pytest.fixture
def sheet(tmp_path):
    path = tmp_path / "sheet.csv"
    write_sheet(path, [query(n, Cu=n / 4, Mn=-n, shape="ründ") for n in range(3)], OUTPUTS)
    return path


def refused(call, *words):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value), caught.value


def test_a_sheet_goes_out_with_empty_columns(sheet):
    assert sheet.read_bytes().startswith(b"\xef\xbb\xbf"), "spreadsheets need the mark to read ü"
    assert cells(sheet) == [
        ["query", "Cu", "Mn", "shape", "force", "heat"],
        ["alloys:0", "0.0", "0", "ründ", "", ""],
        ["alloys:1", "0.25", "-1", "ründ", "", ""],
        ["alloys:2", "0.5", "-2", "ründ", "", ""],
    ]
    assert read_sheet(sheet, OUTPUTS) == []


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_what_is_filled_in_comes_back(sheet, delimiter):
    filled(sheet, ("1.5", " 2 "), ("", " "), ("?", "?"), delimiter=delimiter)
    assert read_sheet(sheet, OUTPUTS) == [("alloys:0", [1.5, 2.0]), ("alloys:2", None)]


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_decimal_commas_are_read_where_no_comma_parts_the_cells(sheet, delimiter):
    filled(sheet, ("351,8", "-2,5e3"), ("", ""), ("7", "1,234"), delimiter=delimiter)
    assert read_sheet(sheet, OUTPUTS) == [("alloys:0", [351.8, -2500.0]), ("alloys:2", [7.0, 1.234])]


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (("0,5", "1.234"), ["row 2, column 'heat'", "'1.234', where cells before it mark decimals otherwise"]),
        (
            ("1.234,5", "1"),
            ["row 2, column 'force'", "'1.234,5' is not a number", "one mark, for the decimals, or ? in all"],
        ),
        (("1,234,567", "1"), ["'1,234,567' is not a number"]),
    ],
)
def test_marks_that_may_be_those_of_thousands_are_not_guessed_at(sheet, told, words):
    filled(sheet, told, ("", ""), ("", ""), delimiter=";")
    refused(lambda: read_sheet(sheet, OUTPUTS), *words)


def test_columns_may_be_moved_rows_left_out_and_one_output_is_a_number(sheet):
    sheet.write_text("heat,note,query\n1e-3,fine,alloys:2\n\n-4,,alloys:0\n,later\n")
    assert read_sheet(sheet, ["heat"]) == [("alloys:2", 0.001), ("alloys:0", -4.0)]


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (("1", ""), ["nothing in column 'heat'", "every output of a row, or none"]),
        (("1", "?"), ["column 'heat'", "'?' is not a number", "all outputs"]),
        (("much", "1"), ["column 'force'", "'much' is not a number"]),
        (("1", "0,5"), ["'0,5' is not a number", "with a point"]),
        (("nan", "1"), ["'nan' is not a number"]),
        (("inf", "1"), ["'inf' is not a number"]),
    ],
)
def test_rows_that_say_half_or_no_number(sheet, told, words):
    filled(sheet, ("1", "2"), told, ("", ""))
    refused(lambda: read_sheet(sheet, OUTPUTS), "sheet.csv', row 3", *words)


def test_rows_that_answer_nothing_or_something_twice(sheet):
    sheet.write_text("query,heat\nalloys:1,1\nalloys:1,2\n")
    refused(lambda: read_sheet(sheet, ["heat"]), "row 3", "'alloys:1' a second time")
    sheet.write_text("query,heat\n,1\n")
    refused(lambda: read_sheet(sheet, ["heat"]), "row 2", "no query")


TEXTS = ["=HYPERLINK(1)", "+1", "-x", "@cmd", "\tx", "'quoted'", "'=1", "plain"]


def test_no_text_is_a_formula_and_every_text_comes_back(tmp_path):
    path = tmp_path / "sheet.csv"
    queries = [query(0, study=text, shape=text, x=-1.5) for text in TEXTS]
    write_sheet(path, queries, ["=heat"])
    rows = cells(path)
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "@", "\t"))]
    assert [row[2] for row in rows[1:]] == ["-1.5"] * len(TEXTS), "a number is no formula"
    assert [row[1] for row in rows[1:]] == [
        "'=HYPERLINK(1)",
        "'+1",
        "'-x",
        "'@cmd",
        "'\tx",
        "''quoted'",
        "''=1",
        "plain",
    ]
    filled(path, *[("1",)] * len(TEXTS))
    assert read_sheet(path, ["=heat"]) == [(f"{text}:0", 1.0) for text in TEXTS]


def test_a_filled_in_sheet_is_never_written_over(sheet, tmp_path):
    before = sheet.read_bytes()
    refused(lambda: write_sheet(sheet, [query(9, Cu=1)], OUTPUTS), "exists", "name another file")
    assert sheet.read_bytes() == before
    refused(lambda: write_sheet(tmp_path / "no" / "folder.csv", [], OUTPUTS), "No such file", "name another file")


def test_names_that_clash(tmp_path):
    refused(lambda: write_sheet(tmp_path / "s", [query(0, query=1)], OUTPUTS), "two columns 'query'", "rename")
    refused(lambda: write_sheet(tmp_path / "s", [query(0, heat=1)], OUTPUTS), "two columns 'heat'")
    assert not (tmp_path / "s").exists()


def test_files_that_are_no_sheet(tmp_path):
    path = tmp_path / "sheet.csv"
    refused(lambda: read_sheet(path, OUTPUTS), "cannot be read (No such file", "check its name")
    path.write_bytes(b"PK\x03\x04\xff\xfe\x00\x90")
    refused(lambda: read_sheet(path, OUTPUTS), "is not CSV in UTF-8", "save it as such")
    path.write_text("")
    refused(lambda: read_sheet(path, OUTPUTS), "has no column 'query'")
    path.write_text("query,force\n")
    refused(lambda: read_sheet(path, OUTPUTS), "has no column 'heat'", "columns: query, force")
