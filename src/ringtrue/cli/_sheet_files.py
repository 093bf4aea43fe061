"""Tables in files that a spreadsheet opens: CSV, or xlsx by the ending. No cell is a formula; only values are read."""

from __future__ import annotations

import csv
import io
import math
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ringtrue.core import InvalidInput, decimal, formula_restored, formula_safe
from ringtrue.journal import for_owner
from ringtrue.pools._xlsx import import_openpyxl, sheet_rows

_OTHERS = (".xls", ".xlsm", ".xlsb", ".ods", ".numbers")
"""Endings of spreadsheets that are neither written nor read."""

_LONGEST = 32_000
"""Characters of a cell; spreadsheets hold a few more."""

_WHOLE = 1e11
"""Whole numbers below this are never rounded by a spreadsheet, so that 1000001 and 1000002 are two."""


class Number(str):
    """The text of a cell in which the file holds a number: no person marked its decimals."""

    __slots__ = ()


class Cells(NamedTuple):
    """A table: its columns, its rows by column, each with its place in words, and whether decimals may have commas."""

    header: list[str]
    rows: list[tuple[str, dict[str, str]]]
    with_commas: bool

    def number(self, cell: str) -> float | None:
        """Return the finite number in a cell, None if there is none; between commas, "1,234" may be a thousand."""
        return decimal(cell) if self.with_commas or "," not in cell else None


def write_cells(path: str | Path, rows: Iterable[Sequence[Any]]) -> None:
    """Write rows of texts and numbers into a new file: one that exists may be filled in, and is not written over."""
    _check_ending(path)
    safe = [[formula_safe(cell) for cell in row] for row in rows]
    content = _xlsx(path, safe) if _is_xlsx(path) else _csv(safe)
    try:
        with open(path, "xb", opener=for_owner) as file:
            file.write(content)
    except FileExistsError:
        raise InvalidInput(f"sheet {str(path)!r} exists, and may be filled in: name another file") from None
    except OSError as error:
        raise InvalidInput(f"sheet {str(path)!r} cannot be written ({error.strerror}): name another file") from None


def read_cells(path: str | Path) -> Cells:
    """Read the header of a file and its rows, trimmed; of a formula, the value that the spreadsheet kept with it."""
    _check_ending(path)
    try:
        rows, with_commas = _from_xlsx(path) if _is_xlsx(path) else _from_csv(path, Path(path).read_bytes())
    except OSError as error:
        raise InvalidInput(f"sheet {str(path)!r} cannot be read ({error.strerror}): check its name") from None
    header = [formula_restored(name) for name in rows[0]] if rows else []
    places = (f"sheet {str(path)!r}, row {number}" for number in range(2, len(rows) + 1))
    filled = [(where, dict(zip(header, row, strict=False))) for where, row in zip(places, rows[1:], strict=True)]
    return Cells(header, filled, with_commas)


def cell_of(value: Any) -> Any:
    """Return a value as a cell holds it: a text without control characters, or a number; nothing for what is missing.

    >>> [cell_of(value) for value in ("two\\nlines\\x07", 1.5, None, float("nan"), [1, 2])]
    ['two\\nlines?', 1.5, '', '', '[1, 2]']
    """
    if hasattr(value, "tolist") and not getattr(value, "shape", ()):  # numpy's scalars
        value = value.tolist()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    text = value.replace("\r\n", "\n") if isinstance(value, str) else " ".join(str(value).split())
    return "".join("?" if _is_control(letter) else letter for letter in text[:_LONGEST])


def _is_control(letter: str) -> bool:
    """Return whether a workbook cannot hold a character."""
    return letter in "\ufffe\uffff" or (unicodedata.category(letter) in ("Cc", "Cs") and letter not in "\n\t")


def is_same(found: str, value: Any, cells: Cells) -> bool:
    """Return whether a cell still holds a value, but for what spreadsheets do to it: rounding, case of true, blanks."""
    asked = cell_of(value)
    text = str(asked)
    if " ".join(found.split()) == " ".join(text.split()):
        return True
    if isinstance(asked, bool):
        return found.casefold() == text.casefold()
    number = cells.number(found)
    wanted = float(asked) if isinstance(asked, int | float) else decimal(text)  # a text such as 007 may come back as 7
    if number is None or wanted is None:
        return False
    if wanted.is_integer() and abs(wanted) < _WHOLE:
        return number == wanted
    return abs(number - wanted) <= 1e-6 * max(1.0, abs(wanted))


def _is_xlsx(path: str | Path) -> bool:
    return Path(path).suffix.lower() == ".xlsx"


def _check_ending(path: str | Path) -> None:
    if Path(path).suffix.lower() in _OTHERS:
        raise InvalidInput(f"sheet {str(path)!r} is neither CSV nor xlsx: end its name in .csv or .xlsx")


def _csv(rows: Sequence[Sequence[Any]]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue().encode("utf-8-sig")  # with a mark for the encoding, which spreadsheets take for another


def _from_csv(path: str | Path, content: bytes) -> tuple[list[list[str]], bool]:
    """Return the rows, and whether no comma parts their cells: a semicolon or a tab does."""
    try:
        text = content.decode("utf-8-sig")
        first = text.partition("\n")[0]
        mark = max(",;\t", key=lambda one: len(next(csv.reader([first], delimiter=one), [])))
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=mark))
    except (UnicodeDecodeError, csv.Error):
        raise InvalidInput(f"sheet {str(path)!r} is not CSV in UTF-8: save it as such from the spreadsheet") from None
    return [[cell.strip() for cell in row] for row in rows], mark != ","


def _xlsx(path: str | Path, rows: Sequence[Sequence[Any]]) -> bytes:
    book = import_openpyxl(f"sheet {str(path)!r}").Workbook()
    page = book.active
    page.freeze_panes = "A2"
    for down, row in enumerate(rows, start=1):
        for across, value in enumerate(row, start=1):
            cell = page.cell(down, across, value)
            if isinstance(value, str):  # as text, also what is filled in: 1-2 is a label, not a date
                cell.data_type, cell.number_format = "s", "@"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _from_xlsx(path: str | Path) -> tuple[list[list[str]], bool]:
    """Return the rows of the first page; a text in it may have decimal commas."""
    return [[_text(cell) for cell in row] for row in sheet_rows(path, called=f"sheet {str(path)!r}")], True


def _text(value: Any) -> str:
    """Return what a cell of a workbook holds, as text.

    >>> [_text(value) for value in (None, " cat ", True, 3.0, 0.25)]
    ['', 'cat', 'true', '3', '0.25']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return Number(int(value) if isinstance(value, float) and value.is_integer() else value)
    return (value.isoformat() if hasattr(value, "isoformat") else str(value)).strip()
