"""True labels that stand in a table of their own: by item, some or all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.pools._cells import filled
from ringtrue.pools._columns import id_text, id_texts, shown, unknown_column
from ringtrue.pools._files import SUFFIXES
from ringtrue.pools._votes_cells import Cells, encode
from ringtrue.pools._votes_table import ITEMS, check_items, read_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

TRUTH = "truth"
"""The judge that a table of true labels becomes."""

NAMES = ("truth", "gold", "label")


@dataclass(frozen=True, slots=True)
class Gold:
    """The true labels of some items: names and labels in the order of the table."""

    name: str
    items: list[str]
    cells: Cells

    @property
    def texts(self) -> list[str | None]:
        """The label of each item, None where it is missing."""
        return [self.cells.texts[code] for code in self.cells.codes.tolist()]

    def of(self, items: Iterable[str]) -> NDArray[Any]:
        """Return the labels of these items as text, None for those that have none here."""
        known = dict(zip(self.items, self.texts, strict=True))
        return filled([known.get(item) for item in items])

    def check_found(self, found: Iterable[str]) -> None:
        """Refuse a true label for an item that has no votes."""
        there = set(found)
        lost = next((item for item in self.items if item not in there), None)
        if lost is not None:
            raise InvalidInput(
                f"{self.name}: item {lost!r} has a true label and no votes: remove it, or check how items are named"
            )


def truth_column(name: str, truth: Any, columns: Sequence[str]) -> str | None:
    """Return the column of the votes' own table that `truth` names; None if truth is another table, or not given."""
    if isinstance(truth, str) and truth in columns:
        return truth
    if isinstance(truth, str) and os.path.splitext(truth)[1].lower() not in SUFFIXES:
        raise unknown_column(name, truth, columns)
    return None


def read_gold(truth: Any, *, item: str | None) -> Gold:
    """Read true labels from a file, a dataframe, a mapping from columns to cells or one from items to labels."""
    if isinstance(truth, Mapping) and not _is_table(truth, item):
        return _from_items(truth)
    if isinstance(truth, np.ndarray):
        raise InvalidInput("truth= is an array, which does not say whose labels these are: give a mapping from items")
    name, columns = read_table(truth, item=item, what=TRUTH)
    items = _choose(name, columns, ((item,) if item else ()) + ITEMS, "item")
    labels = _choose(name, {key: cells for key, cells in columns.items() if key != items}, NAMES, TRUTH)
    check_items(name, items, columns[items])
    return Gold(name, id_texts(columns[items]), encode(columns[labels], name=f"{name}: column {labels!r}"))


def _from_items(truth: Mapping[Any, Any]) -> Gold:
    if not truth:
        raise InvalidInput("truth={} has no labels: give some, or leave truth= out")
    items = filled(list(truth))
    check_items(TRUTH, "item", items)
    return Gold(TRUTH, [id_text(item) for item in truth], encode(filled(list(truth.values())), name=TRUTH))


def _is_table(truth: Mapping[Any, Any], item: str | None) -> bool:
    """Return whether a mapping has columns rather than items: its cells are lists, and a name says which are items."""
    names = {str(key).lower() for key in truth}
    listed = all(hasattr(cells, "__len__") and not isinstance(cells, str) for cells in truth.values())
    return listed and bool(names & {*ITEMS, (item or "item").lower()})


def _choose(name: str, columns: Mapping[str, Any], names: Sequence[str], what: str) -> str:
    for wanted in names:
        for column in columns:
            if wanted in (column, column.lower()):
                return column
    raise InvalidInput(
        f"{name}: there is no column for the {what} of the items among {shown(list(columns))}: "
        f"name it {' or '.join(map(repr, names))}"
    )
