"""Whether a column holds what a question needs, before anybody pays for an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ringtrue.core import InvalidInput, Pool, is_missing, label_text
from ringtrue.pools._ids import shown, unknown_column

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNK = 65_536


def check_column(pool: Pool, column: str, *, labels: Sequence[Any] | None = None) -> None:
    """Refuse a column that is absent, has missing cells or, if `labels` are given, has other labels than these.

    The error names the first row that breaks the rule. A large pool is read a piece at a time.
    """
    if column not in pool.columns:
        raise unknown_column(pool.name, column, pool.columns)
    known = None if labels is None else {label_text(label) for label in labels}
    start = 0
    for cells in pieces(pool, column):
        values = cells.tolist()
        if any(_complaint(value, known) for value in _distinct(values)):
            for row, value in enumerate(values, start=start + 1):
                complaint = _complaint(value, known)
                if complaint:
                    raise InvalidInput(f"{pool.name}: row {row}: column {column!r} {complaint}")
        start += len(values)


def _complaint(value: Any, known: set[str] | None) -> str | None:
    if is_missing(value):
        return "is missing: fill it in, or remove the row"
    if known is not None and label_text(value) not in known:
        return f"is {value!r}, which is no known label: mend it, or add it; known labels: {shown(sorted(known))}"
    return None


def _distinct(values: list[Any]) -> Iterable[Any]:
    """Each value once where that can be told, since millions of rows share a few labels."""
    try:
        return set(values)
    except TypeError:  # lists have no hash
        return values


def pieces(pool: Pool, column: str) -> Iterator[NDArray[Any]]:
    scan = getattr(pool, "scan", None)
    if scan is None:
        return (batch.columns[column] for batch in pool.chunks(CHUNK))
    pieces: Iterator[NDArray[Any]] = scan(column)
    return pieces
