"""The columns of a table as a doctor sees them: what each holds, what is missing, and what it could be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ringtrue.core import InvalidInput, cell, count, differ_in_spelling, holds_secret, is_missing, secret_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

_READ_FOR_SECRETS = 1000
"""Cells of a column of text that are looked at: a column of secrets has one in each."""

_CONFIDENT = 0.65
_SHOWN = 3
_NUMBERS = {"b": "truth values", "i": "whole numbers", "u": "whole numbers", "f": "numbers"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its kind in words, how many cells are missing, and what its values allow it to be.

    Parameters
    ----------
    name, kind
        What it is called, and what its cells are.
    missing, distinct
        The number of cells that hold nothing, and of different values among the others.
    labels
        Its values as texts where they are few enough to be labels, those of most cells first; else nothing.
    unique
        Whether each row has a value of its own.
    share, sure
        Whether all values are numbers from 0 to 1, and how many are above the confidence at which `blind` hunts.
    secret
        Why it seems to hold secrets, nothing if it does not.
    """

    name: str
    kind: str
    missing: int
    distinct: int
    labels: tuple[str, ...] = ()
    unique: bool = False
    share: bool = False
    sure: int = 0
    secret: str = ""

    @property
    def values(self) -> str:
        """The values in a few words; not those of a column that seems to hold secrets."""
        if self.secret:
            return "not shown"
        if not self.labels:
            return f"{self.distinct:,} different" if self.distinct else ""
        shown = ", ".join(cell(label, 20) for label in self.labels[:_SHOWN])
        return f"{self.distinct:,}: {shown}" + (", …" if len(self.labels) > _SHOWN else "")

    def to_json(self) -> dict[str, Any]:
        """Return the column for programs."""
        told = {name: getattr(self, name) for name in ("name", "kind", "missing", "distinct", "unique")}
        return {**told, "labels": [] if self.secret else [*self.labels], "secret": bool(self.secret)}


def look_at(name: str, cells: NDArray[Any]) -> Column:
    """Return what a column holds."""
    from ringtrue.pools._votes_cells import encode
    from ringtrue.pools._votes_panel import check_votes

    if cells.ndim > 1:
        return Column(name, f"arrays of {' x '.join(map(str, cells.shape[1:]))}", 0, 0)
    values = cells.tolist()
    there = [value for value in values if isinstance(value, list | dict) or not is_missing(value)]
    missing = len(values) - len(there)
    kind = _NUMBERS.get(cells.dtype.kind) or _kind(there)
    if kind not in ("text", "mixed", *_NUMBERS.values()):
        return Column(name, kind, missing, 0)
    distinct = len(set(map(_key, there)))
    labels: tuple[str, ...] = ()
    with suppress(InvalidInput):  # too many values, or none that is a label
        votes = encode(cells, name=name)
        check_votes(name, name, votes)
        labels = tuple(text for text, _ in votes.times.most_common())
    numbers = [value for value in there if isinstance(value, int | float) and not isinstance(value, bool)]
    share = len(numbers) == len(there) > 0 and all(0 <= value <= 1 for value in numbers)
    unique = not missing and distinct == len(there) > 1
    sure = sum(value > _CONFIDENT for value in numbers) if share else 0
    secret = _secret(name, there) if kind == "text" else ""
    return Column(name, kind, missing, distinct, labels, unique, share, sure, secret)


def _kind(there: Sequence[Any]) -> str:
    kinds = {type(value) for value in there}
    if not kinds:
        return "empty"
    if kinds == {str}:
        return "text"
    if kinds <= {list, dict}:
        return "lists or objects"
    return "bytes" if kinds == {bytes} else "whole numbers" if kinds == {int} else "mixed"


def _key(value: Any) -> Any:
    """Return what tells values apart: 1 and True are equal to Python, and lists have no hash."""
    return (type(value).__name__, repr(value) if isinstance(value, list | dict) else value)


def _secret(name: str, there: Sequence[str]) -> str:
    """Say why a column of text seems to hold secrets; nothing if it does not."""
    if any(holds_secret(value[:1000]) for value in there[:_READ_FOR_SECRETS]):
        return "by its values"
    return "by its name" if secret_in(f"https://host/?{quote(name, errors='replace')}=x") is not None else ""


def alike(columns: Sequence[Column]) -> list[Column]:
    """Return the columns that have labels in common with another: answers, votes and the truth do.

    Truth values and numbers from few are labels too, so a column that shares none with any other is left out.
    """
    able = [column for column in columns if column.labels and not column.secret]
    largest: list[Column] = []
    for one in able:
        group = [other for other in able if _share_labels(one, other)]
        largest = group if len(group) > len(largest) else largest
    return largest if len(largest) > 1 else []


def _share_labels(one: Column, other: Column) -> bool:
    both = set(one.labels) & set(other.labels)
    return 2 * len(both) >= min(len(one.labels), len(other.labels)) and bool(both)


def spellings(columns: Sequence[Column]) -> list[tuple[str, str]]:
    """Return the pairs of labels in some columns together that differ in spelling alone."""
    labels = sorted({label for column in columns for label in column.labels})
    return [pair for pair in combinations(labels, 2) if differ_in_spelling(*pair)]


def repeated_rows(columns: Mapping[str, NDArray[Any]], but: str | None) -> int:
    """Return how many rows are as an earlier one, but for their ids; arrays and images are not compared."""
    own = [values.tolist() for name, values in columns.items() if name != but and values.ndim == 1]
    if not own:
        return 0
    rows = [hash(repr(row)) for row in zip(*own, strict=True)]
    return len(rows) - len(set(rows))


def missing_told(column: Column, what: str) -> str:
    """Say that cells are missing in a column that is taken for something."""
    return f"column {column.name!r} ({what}) has {count(column.missing, 'missing cell')}"
