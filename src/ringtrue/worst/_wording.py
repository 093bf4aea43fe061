"""How a page writes the numbers and the points of a search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from ringtrue.core import Column, Quoted, Table, Text, cell, count

MOST_COLUMNS = 8
"""Parameters that have a column of their own in a table: as many as a sheet of paper holds beside the rest."""


def value(one: Any) -> str:
    """Return a number with four digits; what is not one as the user wrote it."""
    return f"{one:.4g}" if isinstance(one, float) else Quoted(cell(one))


def listed(parts: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return parts of a sentence with commas between them."""
    return tuple(word for place, part in enumerate(parts) for word in ((", ",) if place else ()) + tuple(part))


def left_out(most: int, total: int, noun: str, done: str = "listed; the JSON twin has them all") -> str:
    """Return a sentence that says how many are shown, to follow another; nothing where all are.

    >>> left_out(8, 60, "parameter", "drawn"), left_out(8, 8, "parameter")
    (' The first 8 of 60 parameters are drawn.', '')
    """
    return f" The first {most} of {count(total, noun)} are {done}." if total > most else ""


Cells: TypeAlias = tuple[Column, Callable[[Any], Text]]
"""A column of a table: its head, and the cell that it has for a row."""


def numbers(head: str, cell_of: Callable[[Any], Text]) -> Cells:
    """Return a column of numbers."""
    return Column(head, number=True), cell_of


def table_of(rows: Sequence[Any], columns: Sequence[Cells], caption: Text) -> Table:
    """Return a table with a row for each of these."""
    return Table([[cell_of(row) for _, cell_of in columns] for row in rows], [head for head, _ in columns], caption)


class Parameters:
    """The parameters of a search as columns of a table: the first few, and words for those left out."""

    def __init__(self, finding: Mapping[str, Any]) -> None:
        self.names = [parameter["name"] for parameter in finding["space"]["parameters"]]
        self.shown = self.names[:MOST_COLUMNS]
        self.many = len(finding["tasks"]) > 1

    @property
    def task(self) -> list[Cells]:
        """A column for the task, where there are several."""
        return [(Column("task"), lambda row: Quoted(cell(row["task"])))] if self.many else []

    @property
    def columns(self) -> list[Cells]:
        """A column for each parameter shown, of rows with a point; a dash where there is none yet."""
        return [self._column(name) for name in self.shown]

    def _column(self, name: str) -> Cells:
        return numbers(Quoted(cell(name)), lambda row: value(row["point"][name]) if row["point"] else "–")

    def named(self, point: Mapping[str, Any], digits: int | None = None) -> tuple[str, ...]:
        """Return a point in a sentence: each parameter by name."""
        told = {name: value(point[name]) if digits is None else f"{point[name]:.{digits}g}" for name in self.shown}
        return listed([(Quoted(cell(name)), " ", said) for name, said in told.items()])

    @property
    def left_out(self) -> str:
        return left_out(len(self.shown), len(self.names), "parameter")
