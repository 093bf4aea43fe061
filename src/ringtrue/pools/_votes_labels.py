"""Which labels there are: those that were named, else those that were seen; and where a vote is none of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ringtrue.core import InvalidInput, number_in, reading
from ringtrue.pools._ids import shown
from ringtrue.pools._patterns import Votes
from ringtrue.pools._votes_cells import Cells

MOST = 50
"""So many labels are taken for labels without being named; a column of ids, scores or comments has more."""

_ABSENT = frozenset(["nan", "na", "n/a", "null"])
"""Words that programs write where there is nothing; as labels they must be named, so that no gap becomes a vote."""

Where: TypeAlias = Callable[[str, int], str]
"""From a column and a number in its cells to the place where it was first seen, as in "row 3: judge 'ann'"."""


def settle_labels(
    name: str, columns: Mapping[str, Cells], labels: Sequence[str] | None, where: Where
) -> tuple[str, ...]:
    """The labels in order: as named, else numbers by size and then texts by the alphabet."""
    if labels is not None:
        check_known(name, columns, labels, where)
        return tuple(labels)
    check_few(name, columns)
    seen = natural({label for cells in columns.values() for label in cells.labels})
    absent = [label for label in seen if label.lower() in _ABSENT]
    if absent:
        raise InvalidInput(
            f"{name}: the label {absent[0]!r} reads like a missing vote: leave such cells empty, or name all labels "
            "with labels="
        )
    alike: dict[Any, str] = {}
    for label in seen:
        other = alike.setdefault(reading(label), label)
        if other != label:
            raise InvalidInput(
                f"{name}: the labels {other!r} and {label!r} differ only in how they are written: "
                "write them alike, or name both with labels="
            )
    if len(seen) < 2:
        only = f"only one label, {seen[0]!r}, was seen" if seen else "no vote was seen"
        raise InvalidInput(f"{name}: {only}, and a sketch needs two: name all labels with labels=")
    return tuple(seen)


def check_few(name: str, columns: Mapping[str, Cells]) -> None:
    """Refuse columns that have too many labels to be votes."""
    if len({label for cells in columns.values() for label in cells.labels}) > MOST:
        column = max(columns, key=lambda column: len(columns[column].labels))
        found = columns[column].labels
        raise InvalidInput(
            f"{name}: there are more than {MOST} labels, {len(found):,} of them in column {column!r} "
            f"({shown(natural(found), most=3)}), which is probably not one of votes: pick the columns with judges=, or "
            "name the labels with labels="
        )


def check_known(name: str, columns: Mapping[str, Cells], known: Sequence[str], where: Where) -> None:
    """Refuse votes that are none of the named labels."""
    for column, cells in columns.items():
        for code, text in cells.texts.items():
            if text is not None and text not in known:
                raise InvalidInput(
                    f"{name}: {where(column, code)} voted {text!r}, which is none of the labels "
                    f"{shown(known, most=6)}: mend it, or name it in labels="
                )


def check_voted(name: str, judge: str, labels: Iterable[str]) -> None:
    """Refuse a judge who gave no vote at all."""
    if not any(True for _ in labels):
        raise InvalidInput(
            f"{name}: judge {judge!r} has no vote at all: leave it out, or check where its votes should be"
        )


def to_votes(cells: Cells, labels: Sequence[str]) -> Votes:
    """The votes of a column by the places of these labels."""
    places = {label: place for place, label in enumerate(labels)}
    wanted = {code: len(labels) if text is None else places[text] for code, text in cells.texts.items()}
    states = len(labels) + (None in cells.texts.values())
    if all(code == place for code, place in wanted.items()):
        return Votes(cells.codes, None, states)
    table = np.zeros(max(wanted) + 1, dtype=np.min_scalar_type(len(labels)))
    for code, place in wanted.items():
        table[code] = place
    return Votes(cells.codes, table, states)


def natural(texts: Iterable[str]) -> list[str]:
    """Texts in order: those that are numbers by size, then the others by the alphabet.

    >>> natural(["b", "10", "9", "a"])
    ['9', '10', 'a', 'b']
    """
    return sorted(texts, key=lambda text: (number_in(text), text))
