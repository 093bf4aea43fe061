"""What a table shows of the user's own values: short, with every letter to be seen, and nothing told twice."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

from ringtrue.core._canonical import is_missing
from ringtrue.core._sections import Column, Quoted
from ringtrue.core._text import count, harmless

CELL = 40
"""Characters of a cell: a hundred rows of eleven cells stay under 300 KB even where each character is escaped."""

SHOWN = 100
"""Items shown with their content: a reader looks at some, a program reads the records."""

_CELLS = 11
"""Columns of a table in all: as many as a sheet of paper holds."""

_TOLD = {"id", "kind", "model", "truth", "old", "new", "confidence"}
"""What a table says of an item anyway."""


def cell(value: object, longest: int = CELL) -> str:
    """Return a value as one short text: what would be invisible or turn the writing round is spelled out.

    >>> cell("a\\u202eb"), cell(float("nan")), cell([1, 2]), cell("x" * 50, 5)
    ('a\\\\u202eb', '–', '[1, 2]', 'xxxx…')
    """
    if not isinstance(value, list | dict | bool) and is_missing(value):
        return "–"
    if isinstance(value, list | dict):
        value = json.dumps(value, ensure_ascii=False)
    text = str(value)
    text = text if len(text) <= longest else text[: longest - 1] + "…"
    shown = harmless(text)
    return shown if len(shown) <= 2 * longest else shown[: 2 * longest - 1] + "…"


def line(value: object) -> str:
    """Return a name in a sentence or a small table: longer than a cell, yet bounded."""
    return cell(value, 200)


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a column of such values is read best when it stands to the right."""
    return isinstance(value, int | float) and not isinstance(value, bool)


class ItemColumns(NamedTuple):
    """The columns of the items shown that a table has room for, and what is said of those it leaves out."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    """The cells of these columns, for each item shown."""
    left_out: str


def item_columns(shown: Sequence[Mapping[str, Any]], items: Mapping[str, Mapping[str, Any]]) -> ItemColumns:
    """Return the content of the items to show, without what a table says of them anyway."""
    names, hidden = fresh_columns(shown, items)
    columns = [
        Column(Quoted(cell(name)), number=all(is_number(values.get(name)) for values in items.values()))
        for name in names
    ]
    rows = [[cell(items[entry["id"]].get(name)) if entry["id"] in items else "" for name in names] for entry in shown]
    left_out = f"; {len(names)} of {count(len(names) + hidden, 'column')} shown" if hidden else ""
    if len(items) < len(shown):
        bare = count(len(shown) - len(items), "item")
        left_out += f"; {bare} without content, because it is long or the pool was not at hand"
    return ItemColumns(columns, rows, left_out)


def fresh_columns(entries: Sequence[Mapping[str, Any]], contents: Mapping[str, Any]) -> tuple[list[str], int]:
    """Return the columns of the items to show that do not repeat what is told, and how many are left out."""
    shown = [(entry, contents[entry["id"]]) for entry in entries if entry["id"] in contents]
    names = list(dict.fromkeys(name for _, values in shown for name in values))
    told = sorted({key for entry, _ in shown for key in entry} & _TOLD)
    fresh = [
        name
        for name in names
        if not any(all(str(values.get(name)) == str(entry[key]) for entry, values in shown) for key in told)
    ]
    room = _CELLS - len(told)
    return fresh[:room], len(fresh[room:])
