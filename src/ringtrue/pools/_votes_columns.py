"""Which columns of a table can be votes: judges share a set of labels, and each label is given again and again."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ringtrue.core import InvalidInput, count, reading
from ringtrue.pools._ids import shown
from ringtrue.pools._votes_cells import Cells, encode
from ringtrue.pools._votes_labels import MOST, natural

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEW = 10
"""So many different values are votes in a table of any size; more must come twice on average, as labels do."""

SHARED = 0.5
"""Of a judge's votes at least so many are labels that others give as well."""


class LeftOut(UserWarning):
    """Columns were not taken for judges: the message names them, the reasons, and how to choose otherwise."""


class Choice(NamedTuple):
    """The columns that are judges, and why each of the others is none."""

    judges: tuple[str, ...]
    left_out: dict[str, str]

    def told(self) -> tuple[str, ...]:
        """The judges, after a warning of one line on what was left out."""
        if self.left_out:
            named = ", ".join(f"{column} ({reason})" for column, reason in self.left_out.items())
            warnings.warn(f"left out: {named}; name the judges with judges= to choose otherwise", LeftOut, stacklevel=4)
        return self.judges


def choose_judges(name: str, columns: Mapping[str, NDArray[Any]], labels: Sequence[str] | None) -> Choice:
    """The columns that can be votes; those with too many values are left out, and those that share no labels.

    The judges are the largest group of columns of which any two have most of their votes in common labels, and
    whoever votes for the labels of that group: a judge who always says the same is one. Where no two columns share
    labels, sharing decides nothing; where labels are named, they decide alone.
    """
    left: dict[str, str] = {}
    kept: dict[str, _Column] = {}
    refusal: InvalidInput | None = None
    for column, values in columns.items():
        try:
            cells = encode(values, name=f"{name}: judge {column!r}")
            if labels is None:
                check_votes(name, column, cells)
            kept[column] = _Column(cells)
        except NotVotes as error:
            left[column], refusal = error.reason, refusal or error
        except InvalidInput as error:
            left[column], refusal = "its cells are no labels", refusal or error
    if refusal is not None and not kept:
        raise refusal
    theirs = {reading(label) for label in labels} if labels is not None else _common(name, kept)
    if theirs is not None:
        strange = [column for column, votes in kept.items() if votes.labels and votes.share_in(theirs) < SHARED]
        for column in strange if len(strange) < len(kept) else ():
            left[column] = f"{shown(natural(kept.pop(column).texts), most=3)}: not the labels of the others"
    return Choice(tuple(kept), left)


class NotVotes(InvalidInput):
    """A column has too many different values to be one of votes; `reason` says how many."""

    def __init__(self, name: str, column: str, labels: set[str], votes: int) -> None:
        numbers = all(isinstance(reading(label), int | float) for label in labels)
        self.reason = f"{len(labels):,} different {'numbers' if numbers else 'values'} in {count(votes, 'row')}"
        super().__init__(
            f"{name}: column {column!r} has {self.reason} ({shown(natural(labels), most=3)}) and is probably not one "
            "of votes: pick the columns with judges=, or name the labels with labels="
        )


def check_votes(name: str, column: str, cells: Cells, *, votes: int | None = None) -> None:
    """Refuse a column that has too many labels; `votes` is their number if the cells are not all of them."""
    labels = cells.labels
    if len(labels) > FEW:
        given = cells.voted if votes is None else votes
        if len(labels) > MOST or 2 * len(labels) > given:
            raise NotVotes(name, column, labels, given)


class _Column:
    """How often a column has each label, as a reader takes the labels."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self.texts = cells.labels
        self.labels: frozenset[Hashable] = frozenset(map(reading, cells.labels))

    @cached_property
    def _counts(self) -> dict[Hashable, int]:
        counts: dict[Hashable, int] = {}
        times = np.bincount(self._cells.codes)
        for code, text in self._cells.texts.items():
            if text is not None:
                counts[reading(text)] = counts.get(reading(text), 0) + int(times[code])
        return counts

    def share_in(self, labels: Iterable[Hashable]) -> float:
        """The share of its votes that are among these labels."""
        if self.labels <= set(labels):
            return 1.0
        total = sum(self._counts.values())
        return sum(self._counts.get(label, 0) for label in set(labels)) / total if total else 1.0


def _common(name: str, columns: Mapping[str, _Column]) -> set[Hashable] | None:
    """The labels of the largest group of columns that share most of their votes; None where no two do."""
    groups: list[list[str]] = []
    for column, votes in columns.items():
        akin = [
            group
            for group in groups
            if any(
                votes.share_in(columns[one].labels) >= SHARED and columns[one].share_in(votes.labels) >= SHARED
                for one in group
            )
        ]
        joined = [*(one for group in akin for one in group), column]
        groups = [*(group for group in groups if group not in akin), joined]
    groups.sort(key=len, reverse=True)
    if len(groups[0]) < 2:
        return None
    if len(groups) > 1 and len(groups[1]) == len(groups[0]):
        raise InvalidInput(
            f"{name}: {shown(groups[0], most=3)} share labels, and so do {shown(groups[1], most=3)}, but not with each "
            "other: name the judges with judges="
        )
    return {label for column in groups[0] for label in columns[column].labels}
