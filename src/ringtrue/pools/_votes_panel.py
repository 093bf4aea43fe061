"""The panel in a table of votes: which columns can be votes, and which labels they give."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ringtrue.core import Argument, InvalidInput, count, number_in, reading
from ringtrue.pools._columns import shown
from ringtrue.pools._votes_cells import Cells, encode

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEW = 10
"""A column with at most this many values is votes in a table of any size; with more, each must come twice on average,
as labels do."""

SHARED = 0.5
"""The share of a judge's votes that must be labels that others give as well."""

MOST = 50
"""The most labels that are taken for labels without being named; a column of ids, scores or comments has more."""

_ABSENT = frozenset(["nan", "na", "n/a", "null"])
"""Words that programs write where there is nothing; as labels they must be named, so that no gap becomes a vote."""

Where: TypeAlias = Callable[[str, int], str]
"""From a column and a number in its cells to the place where it was first seen, as in "row 3: judge 'ann'"."""


class LeftOut(UserWarning):
    """Columns were not taken for judges: the message names them, the reasons, and how to choose otherwise."""


class Choice(NamedTuple):
    """The columns that are judges, and why each of the others is not."""

    judges: tuple[str, ...]
    left_out: dict[str, str]

    def warned(self) -> tuple[str, ...]:
        """Return the judges, after a warning of one line on the columns that were left out.

        It is to be called by a function that `read_votes` calls: the warning points to the caller of that.
        """
        if self.left_out:
            named = ", ".join(f"{column} ({reason})" for column, reason in self.left_out.items())
            warnings.warn(f"left out: {named}; name the judges to choose otherwise", LeftOut, stacklevel=4)
        return self.judges


def choose_judges(name: str, columns: Mapping[str, NDArray[Any]], labels: Sequence[str] | None) -> Choice:
    """Choose the columns that can be votes; leave out those with too many values and those that share no labels.

    The judges are the largest group of columns of which any two have most of their votes in common labels, and every
    column that votes for the labels of that group: a judge who always says the same is one. Where no two columns share
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
            left[column], refusal = "its cells are not labels", refusal or error
    if refusal is not None and not kept:
        raise refusal
    theirs = {reading(label) for label in labels} if labels is not None else _common(name, kept)
    if theirs is not None:
        strange = [column for column, votes in kept.items() if votes.labels and votes.share_in(theirs) < SHARED]
        for column in strange if len(strange) < len(kept) else ():
            left[column] = f"{shown(in_order(kept.pop(column).texts), most=3)}: not the labels of the others"
    return Choice(tuple(kept), left)


class NotVotes(InvalidInput):
    """A column has too many different values to be one of votes; `reason` says how many."""

    def __init__(self, name: str, column: str, labels: set[str], votes: int) -> None:
        numbers = all(isinstance(reading(label), int | float) for label in labels)
        self.reason = f"{len(labels):,} different {'numbers' if numbers else 'values'} in {count(votes, 'row')}"
        super().__init__(
            f"{name}: column {column!r} has {self.reason} ({shown(in_order(labels), most=3)}) and is probably not one "
            "of votes: pick the columns with ",
            Argument("judges"),
            ", or name the labels with ",
            Argument("labels"),
        )


def check_votes(name: str, column: str, cells: Cells, *, votes: int | None = None) -> None:
    """Refuse a column that has too many labels; `votes` is their number if the cells are not all of them."""
    labels = cells.labels
    if len(labels) > FEW:
        given = cells.voted if votes is None else votes
        if len(labels) > MOST or 2 * len(labels) > given:
            raise NotVotes(name, column, labels, given)


class _Column:
    """The number of times that a column has each label, as a reader takes the labels."""

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
        """Return the share of its votes that are among these labels."""
        if self.labels <= set(labels):
            return 1.0
        total = sum(self._counts.values())
        return sum(self._counts.get(label, 0) for label in set(labels)) / total if total else 1.0


def _common(name: str, columns: Mapping[str, _Column]) -> set[Hashable] | None:
    """Return the labels of the largest group of columns that share most of their votes; None where no two do."""
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
            "other: name the judges with ",
            Argument("judges"),
        )
    return {label for column in groups[0] for label in columns[column].labels}


def settle_labels(
    name: str, columns: Mapping[str, Cells], labels: Sequence[str] | None, where: Where
) -> tuple[str, ...]:
    """Return the labels in order: as named, else numbers by size and then texts by the alphabet."""
    if labels is not None:
        check_known(name, columns, labels, where)
        return tuple(labels)
    check_few(name, columns)
    seen = in_order({label for cells in columns.values() for label in cells.labels})
    absent = [label for label in seen if label.lower() in _ABSENT]
    if absent:
        raise InvalidInput(
            f"{name}: the label {absent[0]!r} reads like a missing vote: leave such cells empty, or name all labels "
            "with ",
            Argument("labels"),
        )
    alike: dict[Any, str] = {}
    for label in seen:
        other = alike.setdefault(reading(label), label)
        if other != label:
            raise InvalidInput(
                f"{name}: the labels {other!r} and {label!r} differ only in how they are written: "
                "write them alike, or name both with ",
                Argument("labels"),
            )
    if len(seen) < 2:
        only = f"only one label, {seen[0]!r}, was seen" if seen else "no vote was seen"
        raise InvalidInput(f"{name}: {only}, and a sketch needs two: name all labels with ", Argument("labels"))
    return tuple(seen)


def check_few(name: str, columns: Mapping[str, Cells]) -> None:
    """Refuse columns that have too many labels to be votes."""
    if len({label for cells in columns.values() for label in cells.labels}) > MOST:
        column = max(columns, key=lambda column: len(columns[column].labels))
        found = columns[column].labels
        raise InvalidInput(
            f"{name}: there are more than {MOST} labels, {len(found):,} of them in column {column!r} "
            f"({shown(in_order(found), most=3)}), which is probably not one of votes: pick the columns with ",
            Argument("judges"),
            ", or name the labels with ",
            Argument("labels"),
        )


def check_known(name: str, columns: Mapping[str, Cells], known: Sequence[str], where: Where) -> None:
    """Refuse votes that are none of the named labels."""
    for column, cells in columns.items():
        for code, text in cells.texts.items():
            if text is not None and text not in known:
                raise InvalidInput(
                    f"{name}: {where(column, code)} voted {text!r}, which is none of the labels "
                    f"{shown(known, most=6)}: mend it, or name it in ",
                    Argument("labels"),
                )


def check_voted(name: str, judge: str, labels: Iterable[str]) -> None:
    """Refuse a judge who gave no vote at all."""
    if not any(True for _ in labels):
        raise InvalidInput(
            f"{name}: judge {judge!r} has no vote at all: leave it out, or check where its votes should be"
        )


def in_order(texts: Iterable[str]) -> list[str]:
    """Sort texts: those that are numbers by size, then the others by the alphabet.

    >>> in_order(["b", "10", "9", "a"])
    ['9', '10', 'a', 'b']
    """
    return sorted(texts, key=lambda text: (number_in(text), text))
