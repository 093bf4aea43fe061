"""A column of votes as small numbers, with the text of the label that each number stands for."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ringtrue.core import InvalidInput, is_missing, label_text
from ringtrue.pools._cells import clean
from ringtrue.pools._columns import short
from ringtrue.pools._patterns import CHUNK, Votes

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    def voted(self) -> int:
        """The number of cells that are not missing."""
        missing = [code for code, text in self.texts.items() if text is None]
        return len(self.codes) - sum(int(np.count_nonzero(self.codes == code)) for code in missing)

    def row(self, code: int) -> int:
        """Return the first row with this number, counted from 0."""
        return int(np.argmax(self.codes == code))

    def votes(self, labels: Sequence[str]) -> Votes:
        """Return the votes by the places of these labels."""
        places = {label: place for place, label in enumerate(labels)}
        wanted = {code: len(labels) if text is None else places[text] for code, text in self.texts.items()}
        states = len(labels) + (None in self.texts.values())
        if all(code == place for code, place in wanted.items()):
            return Votes(self.codes, None, states)
        table = np.zeros(max(wanted) + 1, dtype=np.min_scalar_type(len(labels)))
        for code, place in wanted.items():
            table[code] = place
        return Votes(self.codes, table, states)


def encode(values: NDArray[Any], *, name: str = "column") -> Cells:
    """Number the cells of a column that has at least one; `name` is what errors call it.

    Truth values and small whole numbers stay where they are in memory, so that nothing is copied.

    >>> encode(np.array([1.0, np.nan, 0.0])).texts
    {0: '0', 1: '1', 2: None}
    >>> encode(np.array(["yes", " ", 1, True], dtype=object)).texts
    {0: 'yes', 1: None, 2: '1', 3: 'true'}
    """
    kind = values.dtype.kind
    if kind == "b":
        seen = range(int(values.min()), int(values.max()) + 1)
        return Cells(values.view(np.uint8), {code: label_text(bool(code)) for code in seen})
    if kind in "iu":
        low, high = int(values.min()), int(values.max())
        if high - low < SPAN:
            return _whole(values, low, high)
    if kind in "iuf":
        distinct, codes = np.unique(values, return_inverse=True)
        texts = [None if is_missing(value) else label_text(value) for value in distinct.tolist()]
        return Cells(codes.astype(np.min_scalar_type(len(texts))), dict(enumerate(texts)))
    return _objects(values.tolist(), name)


def _whole(values: NDArray[Any], low: int, high: int) -> Cells:
    """Number whole numbers not far apart. The least and the greatest were seen; those between are looked for."""
    if values.dtype.itemsize == 1 and low >= 0:
        codes, shift = values.view(np.uint8), 0
    else:
        codes, shift = np.empty(len(values), dtype=np.uint8), low
        for piece in _pieces(values):
            # A difference that a signed byte cannot hold comes round to the right one when it is read unsigned.
            codes[piece] = (values[piece] - values.dtype.type(low)).astype(np.uint8)
    return Cells(codes, {code: str(code + shift) for code in _seen(codes, low - shift, high - shift)})


def _seen(codes: NDArray[np.uint8], low: int, high: int) -> list[int]:
    """Find the numbers from the least to the greatest that there are; look no further once all were found."""
    found = np.zeros(high + 1, dtype=bool)
    found[[low, high]] = True
    for piece in _pieces(codes):
        if found[low:].all():
            break
        found |= np.bincount(codes[piece], minlength=high + 1) > 0
    return np.flatnonzero(found).tolist()


def _pieces(values: NDArray[Any]) -> Iterator[slice]:
    """Give a chunk of rows at a time, so that what is made of them stays in the processor's cache."""
    return (slice(start, start + CHUNK) for start in range(0, len(values), CHUNK))


def _objects(cells: list[Any], name: str) -> Cells:
    """Number text and all else: each distinct value is looked at once."""
    # 1 and True are one key to Python and two labels: the type tells them apart.
    keys: list[Hashable] = (
        cells if set(map(type, cells)) <= {str, type(None)} else list(zip(map(type, cells), cells, strict=True))
    )
    try:
        codes = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    except TypeError:
        row, value = next((row, cell) for row, cell in enumerate(cells, start=1) if not _hashable(cell))
        raise InvalidInput(
            f"{name}: row {row} holds {short(value)}, which is not a label: give text or a number"
        ) from None
    numbers = np.fromiter(map(codes.__getitem__, keys), dtype=np.min_scalar_type(len(codes) - 1), count=len(cells))
    values = (clean(key[1] if isinstance(key, tuple) else key) for key in codes)
    texts = [None if is_missing(value) else label_text(value) for value in values]
    return Cells(numbers, dict(enumerate(texts)))


def _hashable(cell: Any) -> bool:
    try:
        hash(cell)
    except TypeError:
        return False
    return True
