"""The laboratory of `ringtrue worst`: a batch goes out on a sheet of CSV, and the filled-in sheet comes back."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from ringtrue.cli._verb import Asked, Told
from ringtrue.core import InvalidInput, Json, Query, count, decimal
from ringtrue.journal import for_owner
from ringtrue.oracles._typed import set_value

QUERY = "query"
"""The column that says which query a row answers; it comes back as it went out."""

UNKNOWN = "?"
"""What a laboratory writes in every output of a row that it cannot tell."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
"""A text that begins so is a formula to a spreadsheet, which would run it; the last is our own mark."""


def write_sheet(path: str | Path, queries: Sequence[Query], outputs: Sequence[str]) -> None:
    """Write one row per query: its id, the item's values, and an empty column per output to fill in.

    A sheet that exists is not written over: it may be filled in.
    """
    names = list(queries[0].item.values) if queries else []
    header = [QUERY, *names, *outputs]
    twice = next((name for place, name in enumerate(header) if name in header[:place]), None)
    if twice is not None:
        raise InvalidInput(f"sheet {str(path)!r} would have two columns {twice!r}: rename the parameter or the output")
    rows = [[query.id, *query.item.values.values(), *[""] * len(outputs)] for query in queries]
    try:
        # With a mark for the encoding, which spreadsheets take for another without it.
        with open(path, "x", encoding="utf-8-sig", newline="", opener=for_owner) as file:
            csv.writer(file).writerows([_safe(cell) for cell in row] for row in [header, *rows])
    except FileExistsError:
        raise InvalidInput(f"sheet {str(path)!r} exists, and may be filled in: name another file") from None
    except OSError as error:
        raise InvalidInput(f"sheet {str(path)!r} cannot be written ({error.strerror}): name another file") from None


def read_sheet(path: str | Path, outputs: Sequence[str]) -> list[tuple[str, Json]]:
    """Return the answers in a sheet: query ids, each with a number, a list of them, or None if it cannot be told.

    Rows that are not filled in are passed over. Decimals have a point or, where no comma parts the cells, a comma.
    """
    sheet = _table(path)
    lacking = [name for name in (QUERY, *outputs) if name not in sheet.header]
    if lacking:
        raise InvalidInput(f"sheet {str(path)!r} has no column {lacking[0]!r}: columns: {', '.join(sheet.header)}")
    found: dict[str, Json] = {}
    marks: set[str] = set()
    for where, cells in sheet.rows:
        told = {name: cells.get(name, "") for name in outputs}
        if not any(told.values()):
            continue
        query = _restored(cells.get(QUERY, ""))
        if not query or query in found:
            why = f"the query {query!r} a second time" if query else "numbers but no query"
            raise InvalidInput(f"{where} has {why}: keep one row per query, with its id")
        blank = [name for name, cell in told.items() if not cell]
        if blank:
            raise InvalidInput(f"{where} has nothing in column {blank[0]!r}: fill in every output of a row, or none")
        numbers: list[Json] = [sheet.number(cell) for cell in told.values()]
        for name, cell in told.items():
            if sheet.number(cell) is None and set(told.values()) != {UNKNOWN}:
                how = "one mark, for the decimals," if sheet.with_commas else "decimals with a point"
                raise InvalidInput(
                    f"{where}, column {name!r}: {cell!r} is not a number: write {how}, or {UNKNOWN} in all outputs of "
                    "a row that cannot be told"
                )
            marks |= {mark for mark in ".," if mark in cell}
            if len(marks) > 1:  # "1.234" beside "0,5" may be a thousand and more
                raise InvalidInput(
                    f"{where}, column {name!r}: {cell!r}, where cells before it mark decimals otherwise: write all "
                    "with a point, or all with a comma"
                )
        found[query] = None if None in numbers else numbers if len(numbers) > 1 else numbers[0]
    return list(found.items())


class Changed(NamedTuple):
    """An input that is not the one that was asked for: its row in words, its query and name, as found and as asked."""

    where: str
    query: str
    name: str
    found: str
    asked: Any


def changed_inputs(path: str | Path, asked: Mapping[str, Mapping[str, Any]]) -> list[Changed]:
    """Return the inputs of a sheet that are not those that were asked for, by the ids of the queries."""
    sheet, changed = _table(path), []
    for where, cells in sheet.rows:
        query = _restored(cells.get(QUERY, ""))
        for name, value in asked.get(query, {}).items():
            found = _restored(cells.get(name, str(value)))
            number = sheet.number(found) if isinstance(value, int | float) else None
            # A number comes back as it was, but for a spreadsheet's rounding.
            if found != str(value) and (number is None or abs(number - value) > 1e-6 * max(1.0, abs(value))):
                changed.append(Changed(where, query, name, found, value))
    return changed


class _Sheet(NamedTuple):
    """A table: its columns, its rows by column, each with its place in words, and whether decimals may have commas."""

    header: list[str]
    rows: list[tuple[str, dict[str, str]]]
    with_commas: bool

    def number(self, cell: str) -> float | None:
        """Return the finite number in a cell, None if there is none; between commas, "1,234" may be a thousand."""
        return decimal(cell) if self.with_commas or "," not in cell else None


def _table(path: str | Path) -> _Sheet:
    """Read the header of a file and its rows; cells are parted by the comma, semicolon or tab that the header has."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            file.seek(0)
            mark = next((mark for mark in ",;\t" if mark in first), ",")
            rows = [[cell.strip() for cell in row] for row in csv.reader(file, delimiter=mark)]
    except OSError as error:
        raise InvalidInput(f"sheet {str(path)!r} cannot be read ({error.strerror}): check its name") from None
    except (UnicodeDecodeError, csv.Error):
        raise InvalidInput(f"sheet {str(path)!r} is not CSV in UTF-8: save it as such from the spreadsheet") from None
    header = [_restored(name) for name in rows[0]] if rows else []
    places = (f"sheet {str(path)!r}, row {number}" for number in range(2, len(rows) + 1))
    filled = [(where, dict(zip(header, row, strict=False))) for where, row in zip(places, rows[1:], strict=True)]
    return _Sheet(header, filled, with_commas=mark != ",")


def _safe(cell: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula; numbers are none.

    >>> [_safe(cell) for cell in ("=1+1", "round", -0.5)]
    ["'=1+1", 'round', -0.5]
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


def _restored(cell: str) -> str:
    """Return a text as it was before it was made safe.

    >>> [_restored(_safe(cell)) for cell in ("=1+1", "'quoted'", "round")]
    ['=1+1', "'quoted'", 'round']
    """
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


_LABORATORY = "the laboratory"
"""With whom the queries of a sheet are out."""


def write_next_sheet(asked: Asked, outputs: Sequence[str]) -> Told:
    """Lease the next batch and write it down for a laboratory; or write down again what is out with it."""
    study, question, file = asked.study, asked.question, asked.given["sheet"]
    write_sheet(file, [], outputs)  # tried first: a file that cannot be written takes no query along
    Path(file).unlink()
    if asked.given.get("again"):
        queries, nothing = study.out(rater=_LABORATORY), "nothing is out with the laboratory"
    else:
        queries = study.ask(study.plan["batch"], question=question.name, rater=_LABORATORY)
        nothing = "nothing is left to ask: the budget is spent, or all of it is out (a lost sheet: --again)"
    result = {"study": str(asked.path), "sheet": file, "queries": [query.id for query in queries]}
    if not queries:
        return Told(0, result, [nothing])
    write_sheet(file, queries, outputs)
    next_step = f"next: fill in the last columns, then ringtrue worst {asked.path} --answers {file}"
    return Told(0, result, [f"wrote {file}: {count(len(queries), 'point')} to evaluate", next_step])


def read_answers(asked: Asked, outputs: Sequence[str]) -> str:
    """Record what the laboratory found, and say how much that was."""
    file, study = asked.given["answers"], asked.study
    search: Any = asked.question
    told = dict(read_sheet(file, outputs))
    space = search.plan.asked_space
    points = [record for record in study.records if record.point is not None]
    values = {f"{study.name}:{record.number}": space.item(record.point or ()).values for record in points}
    changed = changed_inputs(file, values)
    if changed and not asked.given.get("as_set"):  # an answer to another row would be believed of this one
        one = changed[0]
        raise InvalidInput(
            f"{one.where}: {one.name} is {one.found!r} where {one.asked!r} was asked for: evaluate what was asked, "
            "leave the row blank, or give --as-set if that is how it was set"
        )
    for query, settings in _settings(changed, search, values).items():
        if told.get(query) is not None:
            told[query] = {"label": told[query], "set": settings}
    before = study.status()
    study.tell_all(told.items(), rater=_LABORATORY)
    after = study.status()
    fresh = after.answered + after.abandoned - before.answered - before.abandoned
    again = f", {len(told) - fresh} recorded before stay as they are" if len(told) > fresh else ""
    return f"recorded {count(fresh, 'answer')} from {file}{again}"


def _settings(
    changed: Sequence[Changed], search: Any, asked: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Return what was set otherwise than asked, by query; refuse what lies outside the space."""
    found: dict[str, dict[str, Any]] = {}
    for (query, where), row in groupby(changed, key=lambda one: (one.query, one.where)):
        try:
            found[query] = {one.name: set_value(one.name, one.found, one.asked) for one in row}
            search.check_setting(asked[query], found[query])
        except InvalidInput as error:
            raise InvalidInput(f"{where}: {error}") from None
    return found
