"""A pool with the answers that an old model gave: in one file, or in a file of their own that is joined by id."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringtrue.core import Argument, InvalidInput, Pool, is_missing, label_text
from ringtrue.pools._columns import check_cells, shown, unknown_column
from ringtrue.pools._images import ImagePool
from ringtrue.pools._read import read_pool
from ringtrue.pools._table import TablePool

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
    partitions: bool = False,
    all_bytes: bool = False,
) -> OldAnswers:
    """Read old answers, a row per item, and find out which column is what.

    A column that is not named is found by its name. Only the old answer must be there; it may be missing for some
    items, since a model may have given none, and a true label may not.

    Parameters
    ----------
    source
        The old answers: a file or a dataframe.
    id
        The column of ids; without it a column named "id" serves.
    answer
        The column of old answers; without it the first there is of "answer", "old", "predicted", "prediction", "pred"
        and "label_old".
    truth
        The column of true labels; without it the first there is of "truth", "label", "gold" and "y". "none" does
        without.
    confidence
        The column of confidences; without it the first there is of "confidence", "conf", "score" and "probability".
        "none" does without.
    pool
        The items, if they stand in a file or dataframe of their own: old answers are joined to them by id.
    partitions, all_bytes
        As `read_pool` takes them, for the files that hold the items.
    """
    many = {"partitions": partitions, "all_bytes": all_bytes}
    old = read_pool(source, id=id, **(many if pool is None else {}))
    items = None if pool is None else read_pool(pool, id=id, **many)
    identity = (old if items is None else items).id_column
    said = _answer_column(old, answer, {"id": identity, "truth": truth, "confidence": confidence})
    everything = list(dict.fromkeys([*(() if items is None else items.columns), *old.columns]))
    where = (old if items is None else items).name
    free = [name for name in everything if name not in (identity, said)]
    known = _optional(where, "truth", truth, TRUTHS, free, said)
    sure = _optional(where, "confidence", confidence, CONFIDENCES, [one for one in free if one != known], said)
    needed = [name for name in (said, known, sure) if name is not None]
    joined, surplus = (old, 0) if items is None else _join(items, old, needed)
    if known is not None:
        check_cells(joined, known, _no_label)
    if sure is not None:
        check_cells(joined, sure, _no_number)
    own = joined.columns if items is None else items.columns
    # A second column of labels, or one that is done without, is not for the model to see either.
    hidden = {*needed, *ANSWERS, *TRUTHS, *CONFIDENCES, *joined.hidden}
    return OldAnswers(joined, said, known, sure, tuple(name for name in own if name not in hidden), surplus)


def _answer_column(old: Pool, answer: str | None, taken: Mapping[str, str | None]) -> str:
    """Return the column asked for, else the first of the usual names that there is and that is not `taken`."""
    found = [name for name in ANSWERS if name in old.columns]
    free = [name for name in found if name not in taken.values()]
    if answer is not None and answer not in old.columns:
        raise _unknown("answer", answer, old.name, old.columns)
    if answer is not None or free:
        return free[0] if answer is None else answer
    for what, column in taken.items():
        if column in found:
            raise InvalidInput(
                Argument(what, column),
                " leaves no column with a usual name for the old answers: name the one that holds them, ",
                Argument("answer"),
                f"; columns of {old.name}: {shown(old.columns)}",
            )
    raise InvalidInput(
        f"{old.name}: no column is named {', '.join(ANSWERS[:-1])} or {ANSWERS[-1]}: name the one with the old "
        "answers, ",
        Argument("answer"),
        f"; columns: {shown(old.columns)}",
    )


def _optional(
    where: str, what: str, column: str | None, names: Sequence[str], columns: Sequence[str], answer: str
) -> str | None:
    """Return the column asked for, else the first of the usual names that there is."""
    if column is None:
        return next((name for name in names if name in columns), None)
    if column in columns:
        return column
    if column == NONE:
        return None
    if column == answer:
        raise InvalidInput(Argument(what, column), f" is the column of the old answers: name another, or {NONE!r}")
    raise _unknown(what, column, where, columns)


def _unknown(what: str, column: str, where: str, columns: Sequence[str]) -> InvalidInput:
    return InvalidInput(Argument(what, column), ": ", *unknown_column(where, column, columns).args)


def _no_label(cell: Any) -> InvalidInput | None:
    if not is_missing(cell):
        return None
    return InvalidInput("has no true label: fill it in, remove the row, or do without any, ", Argument("truth", NONE))


def _no_number(cell: Any) -> InvalidInput | None:
    with suppress(TypeError, ValueError, OverflowError):  # the last at a whole number of 400 digits
        if is_missing(cell) or math.isfinite(float(cell)):
            return None
    return InvalidInput(
        f"is {cell!r}, which is not a finite number: mend it, or do without any, ", Argument("confidence", NONE)
    )


def _join(items: Pool, old: Pool, needed: Sequence[str]) -> tuple[Pool, int]:
    """Return the items with the columns of both files, and the number of old answers that belong to none of them.

    Of two columns with one name the items' own is kept; where it is `needed`, the other must say the same.
    """
    if isinstance(items, ImagePool):  # whose images stay in their files
        joined, surplus = _join(items.named, old, needed)
        return items.over(joined), surplus
    for pool in (items, old):
        if pool.id_column is None:
            raise InvalidInput(
                f"{pool.name}: there is no column of ids to join by: name it, ", Argument("id"), ", in both files"
            )
    here, there = items.take(range(items.size)), old.take(range(old.size))
    place = {name: row for row, name in enumerate(there.ids)}
    missing = [name for name in here.ids if name not in place]
    if len(missing) == items.size:
        raise InvalidInput(
            f"{old.name} and {items.name} have no id in common (such as {there.ids[0]!r} and {here.ids[0]!r}): "
            "check that they are about the same items, and that ids are written alike"
        )
    if missing:
        raise InvalidInput(
            f"{old.name}: {len(missing):,} of the {items.size:,} items in {items.name} have no old answer, the first "
            f"is {missing[0]!r}: add them, or remove the items"
        )
    order = np.array([place[name] for name in here.ids], dtype=np.intp)
    added = {name: cells[order] for name, cells in there.columns.items()}
    for name in (name for name in needed if name in here.columns and name in added):
        for item, one, other in zip(here.ids, here.columns[name].tolist(), added[name].tolist(), strict=True):
            if _text(one) != _text(other):  # neither is known to be meant
                raise InvalidInput(
                    f"column {name!r} of item {item!r} is {one!r} in {items.name} and {other!r} in {old.name}: "
                    "rename the column in one of them"
                )
    columns = dict(here.columns) | {name: cells for name, cells in added.items() if name not in here.columns}
    return TablePool(columns, id=items.id_column, name=items.name), old.size - items.size


def _text(cell: Any) -> str | None:
    return None if is_missing(cell) else label_text(cell)
