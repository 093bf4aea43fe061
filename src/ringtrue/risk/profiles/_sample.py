"""A simple random sample of the rows of a stream, in memory for the sample alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Batch, InvalidInput


class Sample:
    """The `size` rows whose random marks are lowest, in their order; the same however the stream is cut."""

    def __init__(self, size: int, columns: tuple[str, ...], rng: np.random.Generator) -> None:
        self._size, self._rng = size, rng
        self._marks: NDArray[np.float64] = np.zeros(0)
        self._ids: list[str] = []
        self._columns: dict[str, list[Any]] = {column: [] for column in columns}

    def add(self, batch: Batch) -> None:
        marks = self._rng.random(len(batch))
        limit = self._marks.max() if len(self._marks) == self._size else 1.0
        rows = np.flatnonzero(marks < limit)
        self._marks = np.append(self._marks, marks[rows])
        self._ids += [batch.ids[row] for row in rows.tolist()]
        for column, cells in self._columns.items():
            cells += batch.columns[column][rows].tolist()
        if len(self._marks) > self._size:
            kept = np.sort(np.argpartition(self._marks, self._size)[: self._size])
            self._marks = self._marks[kept]
            self._ids = [self._ids[row] for row in kept]
            for column, cells in self._columns.items():
                self._columns[column] = [cells[row] for row in kept]

    def batch(self, side: str) -> Batch:
        """The rows kept."""
        if not self._ids:
            raise InvalidInput(f"{side} has no rows: give at least one of its inputs")
        columns = {}
        for column, cells in self._columns.items():
            columns[column] = np.empty(len(cells), dtype=object)
            columns[column][:] = cells
        return Batch(self._ids, columns)
