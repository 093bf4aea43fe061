"""Old answers and items that stand in two files, as one pool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import Batch, InvalidInput, Pool, is_missing, label_text
from ringtrue.pools._table import TablePool

if TYPE_CHECKING:
    from numpy.typing import NDArray


def join(items: Pool, old: Pool, needed: Sequence[str]) -> tuple[TablePool, int]:
    """The items with the columns of both files, and how many old answers belong to none of them.

    Of two columns with one name the items' own is kept; where it is `needed`, the other must say the same.
    """
    for pool in (items, old):
        if getattr(pool, "id_column", None) is None:
            raise InvalidInput(f"{pool.name}: there is no column of ids to join by: name it, id=…, in both files")
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
    for name in needed:
        if name in here.columns and name in added:
            _check_equal(items, old, name, here, added[name])
    columns = dict(here.columns) | {name: cells for name, cells in added.items() if name not in here.columns}
    joined = TablePool(columns, id=getattr(items, "id_column", None), name=items.name)
    return joined, old.size - items.size


def _check_equal(items: Pool, old: Pool, column: str, here: Batch, added: NDArray[Any]) -> None:
    """Refuse two columns of one name that say different things: nobody knows which is meant."""
    for item, one, other in zip(here.ids, here.columns[column].tolist(), added.tolist(), strict=True):
        if _text(one) != _text(other):
            raise InvalidInput(
                f"column {column!r} of item {item!r} is {one!r} in {items.name} and {other!r} in {old.name}: "
                "rename the column in one of them"
            )


def _text(cell: Any) -> str | None:
    return None if is_missing(cell) else label_text(cell)
