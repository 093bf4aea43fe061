"""The panel in a table of votes: which columns can be votes, and which labels they give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

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


def choose_judges(
    name: str, columns: Mapping[str, NDArray[Any]], labels: Sequence[str] | None
) -> tuple[dict[str, Cells], dict[str, str]]:
    """Return the columns that can be votes, and why each of the others is not one of them.

    The judges are the largest group of columns of which any two have most of their votes in common labels, and every
    column that votes for the labels of that group: a judge who always says the same is one. Where no two columns share
    labels, sharing decides nothing; where labels are named, they decide alone.
    """
    left: dict[str, str] = {}
    kept: dict[str, Cells] = {}
    refusal: InvalidInput | None = None
    for column, values in columns.items():
        try:
            cells = encode(values, name=f"{name}: judge {column!r}")
            if labels is None:
                check_votes(name, column, cells)
            kept[column] = cells
        except NotVotes as error:
            left[column], refusal = error.reason, refusal or error
        except InvalidInput as error:
            left[column], refusal = "its cells are not labels", refusal or error
    if refusal is not None and not kept:
        raise refusal
    votes = {column: _as_read(cells) for column, cells in kept.items()}
    theirs = {reading(label) for label in labels} if labels is not None else _common(name, votes)
    if theirs is not None:
        strange = [column for column in kept if _share(votes[column], theirs) < SHARED]
        for column in strange if len(strange) < len(kept) else ():
            left[column] = f"{shown(in_order(kept.pop(column).labels), most=3)}: not the labels of the others"
    return kept, left


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
        given = cells.times.total() if votes is None else votes
        if len(labels) > MOST or 2 * len(labels) > given:
            raise NotVotes(name, column, labels, given)


def _as_read(cells: Cells) -> Counter[Hashable]:
    """Return how often a column has each label, as a reader takes the labels."""
    counts: Counter[Hashable] = Counter()
    for text, times in cells.times.items():
        counts[reading(text)] += times
    return counts


def _share(votes: Counter[Hashable], labels: Container[Hashable]) -> float:
    """Return the share of votes that are among these labels."""
    total = votes.total()
    return sum(times for label, times in votes.items() if label in labels) / total if total else 1.0


def _common(name: str, votes: Mapping[str, Counter[Hashable]]) -> set[Hashable] | None:
    """Return the labels of the largest group of columns that share most of their votes; None where no two do."""
    groups: list[list[str]] = []
    for column, own in votes.items():
        akin = [
            group
            for group in groups
            if any(_share(own, votes[one]) >= SHARED and _share(votes[one], own) >= SHARED for one in group)
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
    return {label for column in groups[0] for label in votes[column]}


def settle_labels(
    name: str, columns: Mapping[str, Cells], labels: Sequence[str] | None, where: Where
) -> tuple[str, ...]:
    """Return the labels in order: as named, else numbers by size and then texts by the alphabet."""
    check_labels(name, columns, labels, where)
    if labels is not None:
        return tuple(labels)
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


def check_labels(name: str, columns: Mapping[str, Cells], labels: Sequence[str] | None, where: Where) -> None:
    """Refuse votes that are none of the named labels; without named ones, columns that have too many to be votes."""
    if labels is not None:
        for column, cells in columns.items():
            for code, text in cells.texts.items():
                if text is not None and text not in labels:
                    raise InvalidInput(
                        f"{name}: {where(column, code)} voted {text!r}, which is none of the labels "
                        f"{shown(labels, most=6)}: mend it, or name it in ",
                        Argument("labels"),
                    )
    elif len({label for cells in columns.values() for label in cells.labels}) > MOST:
        column = max(columns, key=lambda column: len(columns[column].labels))
        found = columns[column].labels
        raise InvalidInput(
            f"{name}: there are more than {MOST} labels, {len(found):,} of them in column {column!r} "
            f"({shown(in_order(found), most=3)}), which is probably not one of votes: pick the columns with ",
            Argument("judges"),
            ", or name the labels with ",
            Argument("labels"),
        )


def check_voted(name: str, judges: Mapping[str, bool]) -> None:
    """Refuse a judge who gave no vote at all."""
    for judge, voted in judges.items():
        if not voted:
            raise InvalidInput(
                f"{name}: judge {judge!r} has no vote at all: leave it out, or check where its votes should be"
            )


def in_order(texts: Iterable[str]) -> list[str]:
    """Sort texts: those that are numbers by size, then the others by the alphabet.

    >>> in_order(["b", "10", "9", "a"])
    ['9', '10', 'a', 'b']
    """
    return sorted(texts, key=lambda text: (number_in(text), text))
