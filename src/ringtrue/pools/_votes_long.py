"""Votes in rows of their own: who voted what on which item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import Argument, InvalidInput, Sketch, is_missing, meant
from ringtrue.pools._columns import EXACT, id_text, rounded_id, shown
from ringtrue.pools._votes_cells import count_patterns, encode, numbered
from ringtrue.pools._votes_panel import MOST, check_voted, check_votes, in_order, settle_labels
from ringtrue.pools._votes_source import Source
from ringtrue.pools._votes_table import TRUTH, Asked, Gold, Long, items_named

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 1 << 24  # cells, items by judges, that are laid out at once
HELD = 1 << 28  # cells of distinct patterns, at 8 bytes each, that a sketch in memory may have


def read_long(source: Source, layout: Long, asked: Asked, gold: Gold | None) -> Sketch:
    """Count votes that have a row each, a share of the items at a time."""
    judges = _pick_raters(source, layout.rater, asked.judges)
    truths = (layout.truth,) if layout.truth else ()
    # More distinct values than these are refused anyway: some of them are not labels.
    most = 100 * MOST + len(asked.labels or ())
    values = {column: source.distinct(column, most) for column in (layout.label, *truths)}
    cells = {column: encode(found, name=f"{source.name}: column {column!r}") for column, found in values.items()}
    if asked.labels is None:
        check_votes(source.name, layout.label, cells[layout.label], votes=source.votes)
    if gold is not None:
        cells[f"truth in {gold.name}"] = encode(gold.of(gold.labels))

    def where(column: str, code: int) -> str:
        if gold is not None and column not in values:
            return gold.where(cells[column].texts[code])
        row = cells[column].row(code)
        row, rater = source.place(column, row, values[column][row], layout.rater)
        return f"row {row + 1}: judge {column if column == layout.truth else id_text(rater)!r}"

    truths = truths or ((TRUTH,) if gold is not None else ())
    if truths and truths[0] in judges:
        raise InvalidInput(f"{source.name}: a rater is named {truths[0]!r}, as the truth is: rename the rater")
    sketch = Sketch((*judges, *truths), settle_labels(source.name, cells, asked.labels, where))
    voted = np.zeros(len(sketch.judges), dtype=bool)
    found: set[str] = set()
    columns = (layout.item, layout.rater, layout.label, *((layout.truth,) if layout.truth else ()))
    for share, rows in source.shares(columns):
        ballots = _Ballots(source.name, layout, sketch, share, rows)
        truth = ballots.truth(gold)
        found.update(ballots.items)
        voted |= ballots.count(truth)
    if gold is not None:
        gold.check_found(found)
    check_voted(source.name, dict(zip(sketch.judges, voted.tolist(), strict=True)))
    return sketch


def _pick_raters(source: Source, column: str, judges: Sequence[str] | None) -> Sequence[str]:
    """Return the raters that were asked for, else all of them: numbers by size, then names by the alphabet."""
    _, cells = numbered(source.distinct(column), name=f"{source.name}: column {column!r}")
    raters = list(dict.fromkeys(id_text(cell) for cell in cells.values() if not is_missing(cell)))
    for judge in judges or ():
        if judge not in raters:
            which = f"{meant(judge, raters)} raters: {shown(in_order(raters))}"
            raise InvalidInput(f"{source.name}: there is no rater {judge!r}{which}")
    return in_order(raters) if judges is None else judges


class _Ballots:
    """The votes on a share of the items, all those on an item together; `rows` are their numbers in the table."""

    def __init__(
        self, name: str, layout: Long, sketch: Sketch, columns: Mapping[str, NDArray[Any]], rows: NDArray[Any]
    ) -> None:
        self._name, self._layout, self._sketch, self._columns, self._rows = name, layout, sketch, columns, rows
        self._item, self.items = self._named(layout.item)
        self._rater, self._raters = self._named(layout.rater)
        self._check_once()

    def _named(self, column: str) -> tuple[NDArray[np.intp], list[str]]:
        """Return the number of each row's item or rater, and the names by their numbers; refuse a row without."""
        codes, cells = numbered(self._columns[column], name=f"{self._name}: column {column!r}")
        wrong = [
            code for code, cell in cells.items() if is_missing(cell) or (isinstance(cell, float) and abs(cell) >= EXACT)
        ]
        if wrong:
            row = int(np.argmax(np.isin(codes, wrong)))
            cell, number = cells[int(codes[row])], int(self._rows[row])
            if not is_missing(cell):
                with items_named():
                    raise rounded_id(self._name, column, cell, number)
            raise InvalidInput(
                f"{self._name}: row {number + 1}: column {column!r} is missing: fill it in, or remove the row"
            )
        names: dict[str, int] = {}
        places = np.zeros(max(cells) + 1, dtype=np.intp)
        for code, cell in cells.items():
            places[code] = names.setdefault(id_text(cell), len(names))
        return places[codes], list(names)

    def _check_once(self) -> None:
        """Refuse two votes of one rater on one item."""
        keys = self._item * len(self._raters) + self._rater
        order = np.argsort(keys, kind="stable")
        twice = np.flatnonzero(keys[order][1:] == keys[order][:-1])
        if len(twice):
            first, second = order[twice[0]], order[twice[0] + 1]
            raise InvalidInput(
                f"{self._name}: rows {self._rows[first] + 1} and {self._rows[second] + 1} are both votes of rater "
                f"{self._raters[self._rater[first]]!r} on item {self.items[self._item[first]]!r}: keep one of them"
            )

    def truth(self, gold: Gold | None) -> NDArray[Any] | None:
        """Return the true label of each item: from the table of truths, else from the rows, which must agree."""
        labels = self._sketch.labels
        if gold is not None:
            return encode(gold.of(self.items)).places(labels)
        if self._layout.truth is None:
            return None
        said = encode(self._columns[self._layout.truth]).places(labels)
        truth = np.full(len(self.items), len(labels), dtype=np.intp)
        known = said < len(labels)
        truth[self._item[known]] = said[known]
        differs = known & (truth[self._item] != said)
        if differs.any():
            row = int(np.argmax(differs))
            item = self._item[row]
            raise InvalidInput(
                f"{self._name}: row {self._rows[row] + 1}: item {self.items[item]!r} has the true label "
                f"{labels[said[row]]!r} here and {labels[truth[item]]!r} in another row: give each item one"
            )
        return truth

    def count(self, truth: NDArray[Any] | None) -> NDArray[np.bool_]:
        """Lay the votes out as a row per judge, a block of items at a time; count them and tell which judges voted."""
        sketch, none, width = self._sketch, len(self._sketch.labels), len(self._sketch.judges)
        places = {judge: place for place, judge in enumerate(sketch.judges)}
        judges = np.array([places.get(rater, -1) for rater in self._raters], dtype=np.intp)[self._rater]
        votes = encode(self._columns[self._layout.label]).places(sketch.labels)
        order = np.argsort(self._item, kind="stable")
        order = order[judges[order] >= 0]
        items, judges, votes = self._item[order], judges[order], votes[order]
        voted = np.zeros(width, dtype=bool)
        step = max(1, BLOCK // width)
        for start in range(0, len(self.items), step):
            stop = min(start + step, len(self.items))
            block = slice(*np.searchsorted(items, [start, stop]))
            table = np.full((width, stop - start), none, dtype=np.min_scalar_type(none))
            table[judges[block], items[block] - start] = votes[block]
            if truth is not None:
                table[-1] = truth[start:stop]
            voted |= (table < none).any(axis=1)
            for pattern, times in count_patterns(list(table), none):
                sketch.count(pattern, times)
            if len(sketch) * width > HELD:
                raise InvalidInput(
                    f"{self._name}: {len(sketch):,} patterns of {width:,} raters are more than memory should "
                    "hold: pick the raters with ",
                    Argument("judges"),
                )
        return voted
