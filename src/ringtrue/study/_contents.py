"""What is in the rows that are asked about: items, their hashes and the model's answers, fetched in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ringtrue.core import Batch, Item, Json, Model, Pool
from ringtrue.study._breaker import persist

BLOCK = 64
"""Rows fetched at a time when a policy can tell what comes next: one model call serves as many queries."""


class Content(NamedTuple):
    """One row: what it holds, its hash, and what the model says of it."""

    item: Item
    digest: str
    predicted: Json


class Contents:
    """Fetches rows of a pool and asks the model about them, ahead of time where that is possible.

    A study asks one item at a time, but a model answers a batch at little more than the price of one row, and a file
    is read block by block. Rows fetched ahead are kept until they are asked about.
    """

    def __init__(self, pool: Pool, model: Model | None) -> None:
        self._pool = pool
        self._model = model
        self._ahead: dict[int, Content] = {}

    def has(self, rows: Sequence[int]) -> bool:
        """Whether all these rows are at hand."""
        return all(row in self._ahead for row in rows)

    def fetch_ahead(self, rows: Sequence[int]) -> None:
        """Bring rows that will be needed soon. What fails now is tried again, and told, when it is needed."""
        self._ahead = {}
        try:
            found = contents_of(self._pool.take(rows), self._model)
        except Exception:
            return
        self._ahead = dict(zip(rows, found, strict=True))

    def fetch(self, rows: Sequence[int]) -> list[Content]:
        """The content of these rows, in order."""
        if self.has(rows):
            return [self._ahead.pop(row) for row in rows]
        batch = self._pool.take(rows)
        return persist("model", lambda: contents_of(batch, self._model))


def contents_of(batch: Batch, model: Model | None) -> list[Content]:
    """A batch as contents, with one call of the model."""
    predicted: Sequence[Json] = [None] * len(batch) if model is None else model.answer(batch).values()
    return [Content(item, item.digest, answer) for item, answer in zip(batch, predicted, strict=True)]
