"""The number of records and cells in a CSV file, counted without the reader whose work the count checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 1 << 22
_QUOTE, _FEED, _RETURN = b'"\n\r'
_MARK = b"\xef\xbb\xbf"
"""The mark that some programs put before text in UTF-8."""


class Counted(NamedTuple):
    """The content of a file, its header included; blank lines are records in a file of one column alone."""

    records: int
    cells: int
    longest: int
    """Bytes of the longest record."""
    where: int
    """The number of the longest record; the header's is 0."""
    certain: bool
    """True if quotes stand around cells alone, so that it is clear which line ends are within a cell."""


def count_records(path: str, delimiter: str, *, blank_lines: bool) -> Counted:
    """Count the records and the cells of a file, a block at a time: line ends and separators outside quotes.

    A line end is within a cell if an odd number of quotes stands before it; a doubled quote counts twice. This holds
    where a quote opens a cell, closes it or is doubled: `certain` says whether that is so.
    """
    counter = _Counter(ord(delimiter), blank_lines)
    with open(path, "rb") as file:
        block = file.read(_BLOCK).removeprefix(_MARK)
        counter.end = _line_end(block)
        while block:
            counter.take(block)
            block = file.read(_BLOCK)
    return counter.counted()


def _line_end(block: bytes) -> int:
    """Return the byte that ends a line: a line feed, with or without a carriage return, or the latter alone."""
    first = block.find(_RETURN)
    feed = block.find(_FEED)
    return _RETURN if first >= 0 and feed != first + 1 and not 0 <= feed < first else _FEED


class _Counter:
    """The state between two blocks."""

    def __init__(self, delimiter: int, blank_lines: bool) -> None:
        self.end = _FEED
        self._delimiter, self._blank_lines = delimiter, blank_lines
        self._records = self._separators = self._longest = self._where = self._quotes = self._read = 0
        self._last_end = -1
        self._last_byte = self.end
        self._certain = True

    def take(self, block: bytes) -> None:
        data = np.frombuffer(block, dtype=np.uint8)
        ends = data == self.end
        if self._quotes % 2 or _QUOTE in block:
            quotes = data == _QUOTE
            within = (np.cumsum(quotes, dtype=np.uint8) + np.uint8(self._quotes % 2)) % 2 == 1
            self._look_at_quotes(data, np.flatnonzero(quotes & within))
            self._separators += int(np.count_nonzero((data == self._delimiter) & ~within))
            self._quotes += int(np.count_nonzero(quotes))
            ends &= ~within
        else:
            self._separators += block.count(self._delimiter)
        self._add(data, np.flatnonzero(ends) + self._read)
        self._read += len(block)
        self._last_byte = block[-1]

    def _look_at_quotes(self, data: NDArray[Any], opening: NDArray[Any]) -> None:
        """See whether each quote that would open a cell stands at its beginning, or doubles the quote before it."""
        before = np.where(opening > 0, data[opening - 1], self._last_byte)
        allowed = (self._delimiter, _QUOTE, _FEED, _RETURN)
        self._certain &= bool(np.isin(before, allowed).all())

    def _add(self, data: NDArray[Any], ends: NDArray[Any]) -> None:
        if not len(ends):
            return
        lengths = np.diff(ends, prepend=self._last_end) - 1
        if not self._blank_lines and lengths.min() <= 1:
            places = ends - self._read
            before = np.where(places > 0, data[places - 1], self._last_byte)
            lengths = lengths[(lengths > 1) | ((lengths == 1) & (before != _RETURN))]
        self._take_lengths(lengths)
        self._last_end = int(ends[-1])

    def _take_lengths(self, lengths: NDArray[Any]) -> None:
        if len(lengths) and lengths.max() > self._longest:
            self._longest, self._where = int(lengths.max()), self._records + int(lengths.argmax())
        self._records += len(lengths)

    def counted(self) -> Counted:
        left = self._read - self._last_end - 1
        if left > 1 or (left == 1 and self._last_byte != _RETURN):
            self._take_lengths(np.array([left]))
        certain = self._certain and self._quotes % 2 == 0
        cells = self._separators + self._records
        return Counted(self._records, cells, self._longest, self._where, certain)
