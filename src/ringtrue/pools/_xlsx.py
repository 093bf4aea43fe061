"""Reading workbooks: the values that a spreadsheet kept in one sheet. No formula is evaluated."""

from __future__ import annotations

import datetime
import os
import warnings
import zipfile
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from itertools import islice
from typing import IO, TYPE_CHECKING, Any

from ringtrue.core import InvalidInput, meant
from ringtrue.pools._cells import clean, typed
from ringtrue.pools._columns import check_names, check_same, no_rows, short, shown
from ringtrue.pools._memory import check_memory

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_BYTES = 500_000_000
"""Bytes that a workbook may unpack to."""

MOST_ROWS = 1_048_576
"""Rows that a sheet may have: no spreadsheet writes more."""

MOST_CELLS = 50_000_000
"""Cells, also empty ones, that are looked at: a cell far to the right makes its row a wide one."""

_TIMES_IN_MEMORY = 4
"""How much more room text takes as Python's objects than in its file, at least."""

_TOGETHER = 100
"""Rows that are read together."""

_ERRORS = {"#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#SPILL!", "#CALC!"}


def import_openpyxl(called: str) -> Any:
    """Return the package that reads and writes workbooks; `called` is the file that needs it, in words."""
    try:
        import openpyxl
    except ImportError:
        raise InvalidInput(
            f"{called} needs openpyxl: run pip install 'ringtrue[sheets]', or name a file that ends in .csv"
        ) from None
    return openpyxl


def sheet_rows(path: str | os.PathLike[str], *, called: str, sheet: str | None = None) -> Generator[tuple[Any, ...]]:
    """Give the rows of a sheet, by default the first, as values; `called` is what errors call the file."""
    package = import_openpyxl(called)
    with open(path, "rb") as file:  # here, since the package leaves a damaged file open
        try:
            yield from _read_rows(package, file, called, sheet)
        except InvalidInput:
            raise
        except Exception as error:  # whatever a damaged file brings about
            why = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            raise InvalidInput(f"{called} is not an xlsx file that can be read ({why}): save it anew") from None


def _read_rows(package: Any, file: IO[bytes], called: str, sheet: str | None) -> Iterator[tuple[Any, ...]]:
    with zipfile.ZipFile(file) as parts:
        unpacked = sum(part.file_size for part in parts.infolist())
    if unpacked > MOST_BYTES:
        raise InvalidInput(f"{called} unpacks to {unpacked:,} bytes, at most {MOST_BYTES:,} are read: part it")
    check_memory(f"{called} unpacked would take", _TIMES_IN_MEMORY * unpacked, "part it")
    with closing(_quietly(lambda: package.load_workbook(file, read_only=True, data_only=True))) as book:
        page = _page(book, called, sheet)
        page.reset_dimensions()
        rows = _bounded(page.iter_rows(values_only=True), called)
        while block := _quietly(lambda: list(islice(rows, _TOGETHER))):
            yield from block


def _quietly(read: Callable[[], Any]) -> Any:
    """Return what is read, without a word about styles and the like, which are not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read()


def _page(book: Any, called: str, sheet: str | None) -> Any:
    pages = {page.title: page for page in book.worksheets}
    if not pages:
        raise InvalidInput(f"{called} has no sheet with cells: save it anew")
    if sheet is None:
        return next(iter(pages.values()))
    if sheet not in pages:
        raise InvalidInput(f"{called} has no sheet {sheet!r}{meant(sheet, list(pages))} sheets: {shown(list(pages))}")
    return pages[sheet]


def _bounded(rows: Iterator[tuple[Any, ...]], called: str) -> Iterator[tuple[Any, ...]]:
    """Give rows until there are more than a sheet can have, or cells than can be looked at."""
    cells = 0
    for number, row in enumerate(rows, start=1):
        cells += len(row)
        if number > MOST_ROWS or cells > MOST_CELLS:
            most = f"{MOST_ROWS:,} rows or {MOST_CELLS:,} cells"
            raise InvalidInput(f"{called} has a sheet of more than {most}: part it, or save it as Parquet")
        yield row


def read_xlsx(*paths: str, sheet: str | None = None) -> dict[str, NDArray[Any]]:
    """Read the columns of a sheet by the names in its first row; of several files, one after the other.

    Dates are text, and empty cells are missing. Rows without any value are passed over.
    """
    names: list[str] = []
    columns: dict[str, list[Any]] = {}
    for path in paths:
        rows = sheet_rows(path, called=path, sheet=sheet)
        with closing(rows):
            own = _header(path, next(rows, ()))
            names = names or own
            check_same(paths[0], names, path, own)
            for number, row in enumerate(rows, start=2):
                if any(cell is not None for cell in row):
                    for name, cell in zip(own, _cells(path, number, own, row), strict=True):
                        columns.setdefault(name, []).append(cell)
    if not columns:
        raise no_rows(paths[0])
    return {name: typed(columns[name]) for name in names}


def _header(path: str, row: tuple[Any, ...]) -> list[str]:
    """Return the names of the columns; refuse a blank one, since it may be a title that stands above the table."""
    width = max((place for place, cell in enumerate(row, start=1) if _value(cell) is not None), default=0)
    names = [" ".join(str(_value(cell)).split()) if _value(cell) is not None else "" for cell in islice(row, width)]
    if not names:
        raise InvalidInput(f"{path}: the first row is blank: write the column names there")
    if "" in names:
        raise InvalidInput(
            f"{path}: column {names.index('') + 1} has no name in the first row: write one, or delete it"
        )
    check_names(path, names)
    return names


def _cells(path: str, number: int, names: list[str], row: tuple[Any, ...]) -> list[Any]:
    """Return the values of a row, one for each name."""
    values = [_value(cell) for cell in row]
    for place, value in enumerate(values):
        if value is not None and place >= len(names):
            raise InvalidInput(
                f"{path}: row {number}: {short(value)} stands in column {place + 1}, which has no name: name it in the "
                "first row, or delete it"
            )
        if isinstance(value, str) and value in _ERRORS:
            raise InvalidInput(
                f"{path}: row {number}: column {names[place]!r} holds the error {value}: mend its formula, or empty it"
            )
    return [*values, *[None] * (len(names) - len(values))][: len(names)]


def _value(cell: Any) -> Any:
    """Return a cell as JSON could hold it; a date without a time of day is the day alone.

    >>> _value(" "), _value(datetime.datetime(2026, 1, 2)), _value(datetime.datetime(2026, 1, 2, 8)), _value(True)
    (None, '2026-01-02', '2026-01-02 08:00:00', True)
    """
    if isinstance(cell, str):
        return cell if cell.strip() else None
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return str(cell.date())
    return clean(cell)
