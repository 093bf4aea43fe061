"""Votes in rows of their own: who voted what on which item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import Argument, InvalidInput, Sketch, is_missing, meant
from ringtrue.pools._columns import EXACT, id_text, rounded_id, shown
from ringtrue.pools._patterns import Votes, count_patterns
from ringtrue.pools._votes_cells import Cells, encode
from ringtrue.pools._votes_gold import TRUTH, Gold
from ringtrue.pools._votes_panel import Where, check_voted, check_votes, in_order, settle_labels
from ringtrue.pools._votes_table import Asked, Long, items_named

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 1 << 24  # cells, items by judges, that are laid out at once
HELD = 1 << 28  # cells of distinct patterns, at 8 bytes each, that a sketch in memory may have


class Ballots:
    """Gathers votes into a sketch, a share of the items at a time; all votes on an item must be in one share.

    Parameters
    ----------
    name
        The name of the table, for errors.
    layout
        The columns of the table that hold item, rater, label and truth.
    judges
        The raters that count.
    labels
        All labels.
    gold
        The truth from another table, if there is one.
    """

    def __init__(
        self, name: str, layout: Long, judges: Sequence[str], labels: Sequence[str], gold: Gold | None
    ) -> None:
        truth = (layout.truth,) if layout.truth else (TRUTH,) if gold else ()
        if truth and truth[0] in judges:
            raise InvalidInput(f"{name}: a rater is named {truth[0]!r}, as the truth is: rename the rater")
        self.sketch = Sketch((*judges, *truth), labels)
        self._name, self._layout, self._gold = name, layout, gold
        self._found: set[str] = set()
        self._voted = np.zeros(len(self.sketch.judges), dtype=bool)

    def add(self, columns: Mapping[str, NDArray[Any]], rows: NDArray[Any] | None = None) -> None:
        """Count the items of these rows; `rows` are their numbers in the file if they are not all of it."""
        name, layout, sketch = self._name, self._layout, self.sketch
        items, item_names = _factorise(name, layout.item, columns[layout.item], rows)
        raters, rater_names = _factorise(name, layout.rater, columns[layout.rater], rows)
        self._check_once(items, item_names, raters, rater_names, rows)
        places = {judge: place for place, judge in enumerate(sketch.judges)}
        judges = np.array([places.get(rater, -1) for rater in rater_names], dtype=np.intp)[raters]
        votes = self._places(columns[layout.label])
        truth = self._truth(columns, items, item_names, rows)
        self._voted[judges[(judges >= 0) & (votes < len(sketch.labels))]] = True
        if truth is not None:
            self._voted[-1] |= bool((truth < len(sketch.labels)).any())
        order = np.argsort(items, kind="stable")
        self._count(items[order], judges[order], votes[order], truth, len(item_names))

    def finish(self) -> Sketch:
        """Return the sketch, once all votes are in it."""
        if self._gold is not None:
            self._gold.check_found(self._found)
        for judge, voted in zip(self.sketch.judges, self._voted.tolist(), strict=True):
            check_voted(self._name, judge, [judge] if voted else [])
        return self.sketch

    def _count(
        self,
        items: NDArray[Any],
        judges: NDArray[Any],
        votes: NDArray[Any],
        truth: NDArray[Any] | None,
        size: int,
    ) -> None:
        """Lay the votes out as a row per judge, a block of items at a time, and count the patterns."""
        labels, width = len(self.sketch.labels), len(self.sketch.judges)
        step = max(1, BLOCK // width)
        for start in range(0, size, step):
            stop = min(start + step, size)
            first, last = np.searchsorted(items, [start, stop])
            chosen = judges[first:last] >= 0
            table = np.full((width, stop - start), labels, dtype=np.min_scalar_type(labels))
            table[judges[first:last][chosen], items[first:last][chosen] - start] = votes[first:last][chosen]
            if truth is not None:
                table[-1] = truth[start:stop]
            panel = [Votes(row, None, labels + bool((row == labels).any())) for row in table]
            for pattern, times in count_patterns(panel, labels):
                self.sketch.count(pattern, times)
            if len(self.sketch) * width > HELD:
                raise InvalidInput(
                    f"{self._name}: {len(self.sketch):,} patterns of {width:,} raters are more than memory should "
                    "hold: pick the raters with ",
                    Argument("judges"),
                )

    def _places(self, values: NDArray[Any]) -> NDArray[Any]:
        return encode(values).votes(self.sketch.labels).piece(0, len(values))

    def _truth(
        self,
        columns: Mapping[str, NDArray[Any]],
        items: NDArray[Any],
        names: Sequence[str],
        rows: NDArray[Any] | None,
    ) -> NDArray[Any] | None:
        """Return the true label of each item: from the table of truths, else from the rows, which must agree."""
        if self._gold is not None:
            self._found.update(names)
            return self._places(self._gold.of(names))
        if self._layout.truth is None:
            return None
        none = len(self.sketch.labels)
        said = self._places(columns[self._layout.truth])
        truth = np.full(len(names), none, dtype=np.intp)
        known = said < none
        truth[items[known]] = said[known]
        differs = known & (truth[items] != said)
        if differs.any():
            row = int(np.argmax(differs))
            raise InvalidInput(
                f"{self._name}: row {_row(row, rows)}: item {names[items[row]]!r} has the true label "
                f"{self.sketch.labels[said[row]]!r} here and {self.sketch.labels[truth[items[row]]]!r} in another "
                "row: give each item one"
            )
        return truth

    def _check_once(
        self,
        items: NDArray[Any],
        item_names: Sequence[str],
        raters: NDArray[Any],
        rater_names: Sequence[str],
        rows: NDArray[Any] | None,
    ) -> None:
        """Refuse two votes of one rater on one item."""
        keys = items * len(rater_names) + raters
        order = np.argsort(keys, kind="stable")
        twice = np.flatnonzero(keys[order][1:] == keys[order][:-1])
        if len(twice):
            first, second = order[twice[0]], order[twice[0] + 1]
            raise InvalidInput(
                f"{self._name}: rows {_row(first, rows)} and {_row(second, rows)} are both votes of rater "
                f"{rater_names[raters[first]]!r} on item {item_names[items[first]]!r}: keep one of them"
            )


def _factorise(
    name: str, column: str, values: NDArray[Any], rows: NDArray[Any] | None = None
) -> tuple[NDArray[np.intp], list[str]]:
    """Return the number of each row's item or rater, and the names by their numbers; refuse a row without a name.

    `rows` are the numbers of the rows in the file, counted from 0, if these are not all of them.
    """
    if values.dtype.kind in "iu":
        distinct, codes = np.unique(values, return_inverse=True)
        return codes, list(map(str, distinct.tolist()))
    cells = values.tolist()
    if set(map(type, cells)) == {str}:  # the usual case, in which each name is looked at once and not in every row
        numbers = {text: number for number, text in enumerate(dict.fromkeys(cells))}
        if not any(map(is_missing, numbers)):
            return np.fromiter(map(numbers.__getitem__, cells), dtype=np.intp, count=len(cells)), list(numbers)
    places: dict[str, int] = {}
    codes = np.empty(len(cells), dtype=np.intp)
    for row, value in enumerate(cells):
        number = row if rows is None else int(rows[row])
        if is_missing(value):
            raise InvalidInput(f"{name}: row {number + 1}: column {column!r} is missing: fill it in, or remove the row")
        if isinstance(value, float) and abs(value) >= EXACT:
            with items_named():
                raise rounded_id(name, column, value, number)
        codes[row] = places.setdefault(id_text(value), len(places))
    return codes, list(places)


def _row(place: Any, rows: NDArray[Any] | None) -> int:
    """Return the number of a row as people count, from 1."""
    return int(place if rows is None else rows[place]) + 1


def read_long(name: str, columns: Mapping[str, NDArray[Any]], layout: Long, asked: Asked, gold: Gold | None) -> Sketch:
    """Count votes that are in memory, a row each.

    Parameters
    ----------
    name
        The name of the table, for errors.
    columns
        The columns of the table, by name.
    layout
        The columns that hold item, rater, label and truth.
    asked
        What the user asked for: judges and labels among it.
    gold
        The truth from another table, if there is one.
    """
    raters, names = _factorise(name, layout.rater, columns[layout.rater])
    judges = pick_raters(name, names, asked.judges)
    cells = encode(columns[layout.label], name=f"{name}: column {layout.label!r}")
    if asked.labels is None:
        check_votes(name, layout.label, cells)
    both = {layout.label: cells}
    if layout.truth is not None:
        both[layout.truth] = encode(columns[layout.truth], name=f"{name}: column {layout.truth!r}")

    def where(column: str, code: int) -> str:
        row = both[column].row(code)
        return f"row {row + 1}: judge {column if column == layout.truth else names[raters[row]]!r}"

    ballots = Ballots(name, layout, judges, long_labels(name, both, asked, gold, where), gold)
    ballots.add(columns)
    return ballots.finish()


def long_labels(name: str, columns: dict[str, Cells], asked: Asked, gold: Gold | None, where: Where) -> tuple[str, ...]:
    """Return the labels of the votes and of the truth, which may stand in another table.

    Parameters
    ----------
    name
        The name of the table, for errors.
    columns
        The columns that hold labels, by name.
    asked
        What the user asked for: the labels among it.
    gold
        The truth from another table, if there is one.
    where
        Names the place of a cell, given its column and its code.
    """
    if gold is None:
        return settle_labels(name, columns, asked.labels, where)
    key = f"truth in {gold.name}"

    def anywhere(column: str, code: int) -> str:
        return f"item {gold.items[gold.cells.row(code)]!r}: judge {TRUTH!r}" if column == key else where(column, code)

    return settle_labels(name, {**columns, key: gold.cells}, asked.labels, anywhere)


def pick_raters(name: str, raters: Sequence[str], judges: Sequence[str] | None) -> Sequence[str]:
    """Return the raters that were asked for, else all of them: numbers by size, then names by the alphabet."""
    for judge in judges or ():
        if judge not in raters:
            which = f"{meant(judge, raters)} raters: {shown(in_order(raters))}"
            raise InvalidInput(f"{name}: there is no rater {judge!r}{which}")
    return in_order(raters) if judges is None else judges
