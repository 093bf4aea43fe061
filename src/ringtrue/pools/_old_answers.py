"""A pool with the answers that an old model gave: in one file, or in a file of their own that is joined by id."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ringtrue.core import InvalidInput, Pool, is_missing
from ringtrue.pools._check import pieces
from ringtrue.pools._ids import shown, unknown_column
from ringtrue.pools._join import join
from ringtrue.pools._read import read_pool

ANSWERS = ("answer", "old", "predicted", "prediction", "pred", "label_old")
TRUTHS = ("truth", "label", "gold", "y")
CONFIDENCES = ("confidence", "conf", "score", "probability")

NONE = "none"
"""In place of a column's name: do without true labels, or without confidences, although there are some."""


@dataclass(frozen=True, slots=True)
class OldAnswers:
    """The items with what is known of them, and which column is what.

    `inputs` are the columns that a model may see: those of the items' own file that are neither the old answer, its
    confidence nor the true label, nor have a usual name of these: a file may hold several. `surplus` counts old
    answers that belong to no item.
    """

    pool: Pool
    answer: str
    truth: str | None
    confidence: str | None
    inputs: tuple[str, ...]
    surplus: int = 0


def read_old(
    source: Any,
    *,
    id: str | None = None,  # noqa: A002 - the same word as on the command line
    answer: str | None = None,
    truth: str | None = None,
    confidence: str | None = None,
    pool: Any = None,
) -> OldAnswers:
    """Read old answers, a row per item, from a file or a dataframe; with `pool`, the items stand there.

    A column that is not named is found by its name: the answer is the first there is of "answer", "old", "predicted",
    "prediction", "pred" and "label_old"; the true label of "truth", "label", "gold" and "y"; the confidence of
    "confidence", "conf", "score" and "probability". Only the answer must be there. "none" does without the other two.
    An old answer may be missing, since a model may have given none; a true label may not.
    """
    old = read_pool(source, id=id)
    items = None if pool is None else read_pool(pool, id=id)
    identity = getattr(old if items is None else items, "id_column", None)
    said = _answer_column(old, answer, {"id": identity, "truth": truth, "confidence": confidence})
    everything = list(dict.fromkeys([*(() if items is None else items.columns), *old.columns]))
    where = (old if items is None else items).name
    free = [name for name in everything if name not in (identity, said)]
    known = _optional(where, "truth", truth, TRUTHS, free, said)
    sure = _optional(where, "confidence", confidence, CONFIDENCES, [one for one in free if one != known], said)
    needed = [name for name in (said, known, sure) if name is not None]
    joined, surplus = (old, 0) if items is None else join(items, old, needed)
    if known is not None:
        _check(joined, known, _no_label)
    if sure is not None:
        _check(joined, sure, _no_number)
    own = joined.columns if items is None else items.columns
    # A second column of labels, or one that is done without, is not for the model to see either.
    hidden = {*needed, *ANSWERS, *TRUTHS, *CONFIDENCES}
    return OldAnswers(joined, said, known, sure, tuple(name for name in own if name not in hidden), surplus)


def _answer_column(old: Pool, answer: str | None, taken: Mapping[str, str | None]) -> str:
    """The column asked for, else the first of the usual names that there is and that is not `taken` otherwise."""
    if answer is not None:
        if answer not in old.columns:
            raise _unknown("answer", answer, old.name, old.columns)
        return answer
    found = next((name for name in ANSWERS if name in old.columns and name not in taken.values()), None)
    if found is None:
        for what, column in taken.items():
            if column in ANSWERS and column in old.columns:
                raise InvalidInput(
                    f"{what}={column!r} leaves no column with a usual name for the old answers: name the one that "
                    f"holds them, answer=…; columns of {old.name}: {shown(old.columns)}"
                )
        raise InvalidInput(
            f"{old.name}: no column is named {', '.join(ANSWERS[:-1])} or {ANSWERS[-1]}: name the one with the old "
            f"answers, answer=…; columns: {shown(old.columns)}"
        )
    return found


def _optional(
    where: str, what: str, column: str | None, names: Sequence[str], columns: Sequence[str], answer: str
) -> str | None:
    """The column asked for, else the first of the usual names that there is."""
    if column is None:
        return _usual(names, columns)
    if column == NONE and NONE not in columns:
        return None
    if column not in columns:
        if column == answer:
            raise InvalidInput(f"{what}={column!r} is the column of the old answers: name another, or {NONE!r}")
        raise _unknown(what, column, where, columns)
    return column


def _unknown(what: str, column: str, where: str, columns: Sequence[str]) -> InvalidInput:
    return InvalidInput(f"{what}={column!r}: {unknown_column(where, column, columns)}")


def _usual(names: Sequence[str], columns: Sequence[str]) -> str | None:
    return next((name for name in names if name in columns), None)


def _check(pool: Pool, column: str, complaint: Callable[[Any], str | None]) -> None:
    """Refuse a column with a cell that breaks a rule, by its row."""
    start = 1
    for cells in pieces(pool, column):
        values = cells.tolist()
        for row, value in enumerate(values, start=start):
            why = complaint(value)
            if why is not None:
                raise InvalidInput(f"{pool.name}: row {row}: column {column!r} {why}")
        start += len(values)


def _no_label(cell: Any) -> str | None:
    if not is_missing(cell):
        return None
    return f"has no true label: fill it in, remove the row, or do without any, truth={NONE!r}"


def _no_number(cell: Any) -> str | None:
    if is_missing(cell):
        return None
    try:
        finite = math.isfinite(float(cell))
    except (TypeError, ValueError, OverflowError):  # the last at a whole number of 400 digits
        finite = False
    return None if finite else f"is {cell!r}, which is no number: mend it, or do without any, confidence={NONE!r}"
