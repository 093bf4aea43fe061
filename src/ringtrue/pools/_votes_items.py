"""The items and raters that a table of votes names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import InvalidInput, is_missing
from ringtrue.pools._ids import EXACT, check_ids, id_text, rounded_id

if TYPE_CHECKING:
    from numpy.typing import NDArray


@contextmanager
def items_named(hint: str = "") -> Iterator[None]:
    """What the checks of ids say, in the words of a table of votes: the column of ids is the one of items."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(str(error).replace("with id=", "with item=") + hint) from None


def check_items(name: str, column: str, values: NDArray[Any], hint: str = "") -> None:
    """Refuse items without a name and items that stand there twice."""
    if values.dtype.kind in "iu":
        ordered = np.sort(values)
        if not (ordered[1:] == ordered[:-1]).any():
            return
    with items_named(hint):
        check_ids(name, column, values.tolist())


def factorise(
    name: str, column: str, values: NDArray[Any], rows: NDArray[Any] | None = None
) -> tuple[NDArray[np.intp], list[str]]:
    """Whose row each row is, as a number, and the name of each number; a row without a name is refused.

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
