"""How a page writes the numbers and the points of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ringtrue.core import Column, Quoted, cell, count

MOST_COLUMNS = 8
"""Parameters that have a column of their own in a table: as many as a sheet of paper holds beside the rest."""


def value(one: Any) -> str:
    """Return a number with four digits; what is not one as the user wrote it."""
    return f"{one:.4g}" if isinstance(one, float) else Quoted(cell(one))


def listed(parts: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return parts of a sentence with commas between them."""
    return tuple(word for place, part in enumerate(parts) for word in ((", ",) if place else ()) + tuple(part))


class Parameters:
    """The parameters of a search as columns of a table: the first few, and words for those left out."""

    def __init__(self, finding: Mapping[str, Any]) -> None:
        self.names = [parameter["name"] for parameter in finding["space"]["parameters"]]
        self.shown = self.names[:MOST_COLUMNS]

    @property
    def columns(self) -> list[Column]:
        return [Column(Quoted(cell(name)), number=True) for name in self.shown]

    def cells(self, point: Mapping[str, Any]) -> list[str]:
        """Return a point as the cells of a row."""
        return [value(point[name]) for name in self.shown]

    def named(self, point: Mapping[str, Any], digits: int | None = None) -> tuple[str, ...]:
        """Return a point in a sentence: each parameter by name."""
        told = {name: value(point[name]) if digits is None else f"{point[name]:.{digits}g}" for name in self.shown}
        return listed([(Quoted(cell(name)), " ", said) for name, said in told.items()])

    @property
    def left_out(self) -> str:
        if len(self.names) <= len(self.shown):
            return ""
        return (
            f" The first {len(self.shown)} of {count(len(self.names), 'parameter')} are listed; the JSON twin has "
            "them all."
        )
