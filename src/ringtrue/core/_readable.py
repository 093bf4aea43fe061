"""What makes a finding readable: its sections in a terminal and in a notebook, and what tables show of items.

Of the user's own values a table shows little: short, with every letter to be seen, and nothing told twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar, NamedTuple, TypeGuard

from ringtrue.core._canonical import is_missing
from ringtrue.core._question import Question
from ringtrue.core._sections import Column, Context, Quoted, Section, Soft, Table, plain_sections, text_of
from ringtrue.core._text import count, harmless

CELL = 40
"""Characters of a cell: a hundred rows of eleven cells stay under 300 KB even where each character is escaped."""

SHOWN = 100
"""Items shown with their content: a reader looks at some, a program reads the records."""

_CELLS = 11
"""Columns of a table in all: as many as a sheet of paper holds."""

_TOLD = {"id", "kind", "model", "truth", "old", "new", "confidence"}
"""What a table says of an item anyway."""


class Readable:
    """A finding that shows itself. `kind` is that of its question, which makes the sections."""

    __slots__ = ()

    kind: ClassVar[str] = ""

    def sections(self, context: Context | None = None) -> Sequence[Section]:
        """Return what a reader is shown of this finding; a report knows more of its study and gives it as `context`."""
        told: Any = self
        made = Context(told.to_json()) if context is None else context
        question = Question.kinds.get(self.kind)
        return plain_sections(made) if question is None else question.sections(made)

    def _repr_markdown_(self) -> str:
        return markdown(str(self), self._shown())

    def _repr_html_(self) -> str:
        # By name, because the core knows nothing above it; and here, because drawing takes long to import.
        shown: str = import_module("ringtrue.report").notebook_html(str(self), self._shown())
        return shown

    def _shown(self) -> list[Section]:
        """Return what a notebook shows: details are for a report, which knows what was kept in the study."""
        return [section for section in self.sections() if not section.detail]


def markdown(sentence: str, sections: Sequence[Section]) -> str:
    """Return sections as Markdown: words and tables, and in the place of a figure what is read aloud of it.

    >>> print(markdown("2 < 3", [Section("Why", ["a*b"])]))
    **2 \\< 3**
    <BLANKLINE>
    ## Why
    <BLANKLINE>
    a\\*b
    """
    parts = [f"**{_escaped(sentence)}**"]
    for section in sections:
        parts += [f"## {_escaped(section.title)}"] if section.title else []
        parts += [_escaped(text_of(words)) for words in section.words]
        parts += ["\n".join(f"- {_escaped(text_of(words))}" for words in section.listed)] if section.listed else []
        if section.figure is not None:
            parts.append(f"*{_escaped(section.figure.aloud)}.*")
        if section.table is not None and section.table.shape != "cards":
            parts.append(_table(section.table))
            parts += [_escaped(text_of(section.table.caption))] if section.table.caption else []
    return "\n\n".join(parts)


def terminal_lines(sections: Sequence[Section]) -> list[str]:
    """Return what a terminal shows of sections: the first rows of some tables under their title, and brief lines.

    Lines that should stand back are `Soft`, such as a table whose numbers hold under a condition that was not shown.

    >>> from ringtrue.core import Column
    >>> table = Table([("a", "1"), ("b", "2")], [Column("name"), Column("number")], brief=1)
    >>> print("\\n".join(terminal_lines([Section("Names", table=table), Section(brief=["no more"])])))
    <BLANKLINE>
    Names
      name  number
      a     1
    <BLANKLINE>
    no more
    """
    lines: list[str] = []
    for section in sections:
        table = section.table
        if table is None or not table.brief:
            lines += [text if isinstance(text, Soft) else text_of(text) for text in section.brief]
            continue
        heads = [[text_of(column.title) for column in table.columns]] if table.columns else []
        rows = [[text_of(cell) for cell in row] for row in table.rows[: table.brief]]
        shown = [*aligned([*heads, *rows]), *(f"  {text_of(text)}" for text in section.brief)]
        lines += [
            *([] if lines[-1:] == [""] else [""]),
            section.title,
            *(map(Soft, shown) if table.reserved else shown),
            "",
        ]
    return lines


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows of a table as lines, with its columns under each other."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _table(table: Table) -> str:
    widest = max(len(row) for row in table.rows) if table.rows else 0
    heads = [_escaped(text_of(column.title)) for column in table.columns] or [""] * widest
    sides = ["--:" if column.number else "---" for column in table.columns] or ["---"] * widest
    rows = [[_escaped(text_of(cell)) for cell in row] for row in table.rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in [heads, sides, *rows])


_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>#|$~"} | {"\n": " "})


def _escaped(text: str) -> str:
    """Return words that Markdown takes for words."""
    return text.translate(_MARKS)


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
    both = [(entry, items[entry["id"]]) for entry in shown if entry["id"] in items]
    told = sorted({key for entry, _ in both for key in entry} & _TOLD)
    fresh = [
        name
        for name in dict.fromkeys(name for _, values in both for name in values)
        if not any(all(str(values.get(name)) == str(entry[key]) for entry, values in both) for key in told)
    ]
    names, hidden = fresh[: _CELLS - len(told)], len(fresh[_CELLS - len(told) :])
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
