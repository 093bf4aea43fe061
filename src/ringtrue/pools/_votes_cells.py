"""Columns of votes as small numbers: the label that each number stands for, and how often each pattern comes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import ABSTAINED, InvalidInput, Pattern, is_missing, label_text
from ringtrue.pools._cells import clean
from ringtrue.pools._columns import short

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNK = 1 << 18  # rows at a time: what is made of them stays in the processor's cache
DENSE = 1 << 16  # patterns that get a counter each; beyond, only those that were seen do
SPAN = 256  # distinct whole numbers that fit a byte


@dataclass(frozen=True, slots=True)
class Cells:
    """A number per item, and for every number that was seen its label's text, None for a vote that is missing."""

    codes: NDArray[Any]
    texts: dict[int, str | None]

    @property
    def labels(self) -> set[str]:
        """The labels that were seen."""
        return {text for text in self.texts.values() if text is not None}

    @property
    def times(self) -> Counter[str]:
        """How often each label was given."""
        found: Counter[str] = Counter()
        counts = _counted(self.codes)
        for code, text in self.texts.items():
            if text is not None:
                found[text] += int(counts[code])
        return found

    def row(self, code: int) -> int:
        """Return the first row with this number, counted from 0."""
        return int(np.argmax(self.codes == code))

    def places(self, labels: Sequence[str]) -> NDArray[Any]:
        """Return the votes by the places of these labels; a vote that is missing has the place after the last."""
        of = {label: place for place, label in enumerate(labels)}
        table: NDArray[Any] = np.zeros(max(self.texts) + 1, dtype=np.min_scalar_type(len(labels)))
        for code, text in self.texts.items():
            table[code] = len(labels) if text is None else of[text]
        places: NDArray[Any] = table[self.codes]
        return places


def encode(values: NDArray[Any], *, name: str = "column") -> Cells:
    """Number the votes in a column that has at least one cell; `name` is what errors call it.

    >>> encode(np.array([1.0, np.nan, 0.0])).texts
    {0: '0', 1: '1', 2: None}
    >>> encode(np.array(["yes", " ", 1, True], dtype=object)).texts
    {0: 'yes', 1: None, 2: '1', 3: 'true'}
    """
    codes, found = numbered(values, name=name)
    cells = {code: clean(cell) for code, cell in found.items()}
    return Cells(codes, {code: None if is_missing(cell) else label_text(cell) for code, cell in cells.items()})


def numbered(values: NDArray[Any], *, name: str) -> tuple[NDArray[Any], dict[int, Any]]:
    """Return a small number for each cell, and the cell that each number stands for; every cell is looked at once."""
    codes: NDArray[Any]
    kind = values.dtype.kind
    if kind in "biu":
        whole = values.view(np.uint8) if kind == "b" else values
        low, high = int(whole.min()), int(whole.max())
        if high - low < SPAN:
            # A difference that a signed byte cannot hold comes round to the right one when it is read unsigned.
            codes = (whole - whole.dtype.type(low)).astype(np.uint8)
            seen = np.flatnonzero(_counted(codes)).tolist()
            return codes, {code: bool(code + low) if kind == "b" else code + low for code in seen}
    if kind in "iuf":
        distinct, codes = np.unique(values, return_inverse=True)
        return codes.astype(np.min_scalar_type(len(distinct))), dict(enumerate(distinct.tolist()))
    cells = values.tolist()
    # 1 and True are one key to Python and two labels: the type tells them apart.
    plain = set(map(type, cells)) <= {str, type(None)}
    keys: list[Hashable] = cells if plain else list(zip(map(type, cells), cells, strict=True))
    numbers: dict[Hashable, int] = {}
    found: list[int] = []
    try:
        for key in keys:
            found.append(numbers.setdefault(key, len(numbers)))
    except TypeError:
        value = short(cells[len(found)])
        raise InvalidInput(
            f"{name}: row {len(found) + 1} holds {value}, which is not a label: give text or a number"
        ) from None
    codes = np.array(found, dtype=np.min_scalar_type(len(numbers) - 1))
    return codes, {code: key[1] if isinstance(key, tuple) else key for key, code in numbers.items()}


def count_patterns(
    panel: Sequence[NDArray[Any]], labels: int, times: Sequence[int] | None = None
) -> Iterable[tuple[Pattern, int]]:
    """Count each pattern, in Python's integers. The panel has a column per judge, of places as `Cells` gives them.

    `labels` is the number of labels. With `times` the rows are groups, and these are their sizes. A row is one number,
    its digits the places, wherever 64 bits can hold it.
    """
    if times is not None:
        return zip(_patterns(panel, labels), times, strict=True)
    bases = [labels + bool((votes == labels).any()) for votes in panel]
    patterns, size = math.prod(bases), len(panel[0])
    if patterns > 1 << 63:
        rows: Counter[Pattern] = Counter()
        for piece in _pieces(size):
            rows.update(_patterns([votes[piece] for votes in panel], labels))
        return rows.items()
    if patterns <= DENSE:
        totals = sum(np.bincount(_number(panel, bases, piece), minlength=patterns) for piece in _pieces(size))
        numbers = np.flatnonzero(totals)
        counts = np.asarray(totals)[numbers].tolist()
    else:
        seen: Counter[int] = Counter()
        for piece in _pieces(size):
            found, often = np.unique(_number(panel, bases, piece), return_counts=True)
            seen.update(dict(zip(found.tolist(), often.tolist(), strict=True)))
        numbers = np.array(sorted(seen), dtype=np.uint64)
        counts = [seen[number] for number in numbers.tolist()]
    columns = []
    for base in reversed(bases):
        numbers, places = np.divmod(numbers, base)
        columns.append(places)
    return zip(_patterns(columns[::-1], labels), counts, strict=True)


def _number(panel: Sequence[NDArray[Any]], bases: Sequence[int], piece: slice) -> NDArray[Any]:
    """Write some rows as numbers, the last judge's digit changing fastest, in the narrowest type that holds them."""
    dtype = np.min_scalar_type(math.prod(bases) - 1)
    number = panel[0][piece].astype(dtype)
    for votes, base in zip(panel[1:], bases[1:], strict=True):
        np.multiply(number, dtype.type(base), out=number)
        np.add(number, votes[piece], out=number, casting="unsafe")  # a digit may come in a wider type than it needs
    return number


def _patterns(columns: Sequence[NDArray[Any]], labels: int) -> Iterator[Pattern]:
    """Give the rows of these columns as patterns."""
    signed = (places.astype(np.int64) for places in columns)  # which an abstention needs
    return zip(*(np.where(places < labels, places, ABSTAINED).tolist() for places in signed), strict=True)


def _counted(codes: NDArray[Any]) -> NDArray[Any]:
    """Count each number, a chunk at a time, since what counts them makes wide integers of them."""
    most = int(codes.max()) + 1
    return np.asarray(sum(np.bincount(codes[piece], minlength=most) for piece in _pieces(len(codes))))


def _pieces(size: int) -> Iterator[slice]:
    return (slice(start, start + CHUNK) for start in range(0, size, CHUNK))
