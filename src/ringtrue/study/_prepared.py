"""What questions prepared over the whole pool: computed chunk by chunk, kept in the journal, read from it."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any

from ringtrue.core import Json, Prepares, Question
from ringtrue.study._book import Book, Events
from ringtrue.study._preparing import CHUNK, all_scores, prepare, score_chunk
from ringtrue.study._things import Things

_FEW = 20
"""Rows on which a question is tried out."""


class Prepared:
    """The scores of each question of a study."""

    def __init__(self, book: Book, things: Things) -> None:
        self._book, self._things = book, things
        self._scores: dict[str, dict[str, Any]] = {}

    def compute(self, question: Question, executor: Executor | None) -> None:
        """Compute what is missing; done chunks are not done again."""
        if not isinstance(question, Prepares) or not getattr(question, "prepares", True) or self.of(question.name):
            return
        name, pool, book = question.name, self._things.need_pool(), self._book

        def keep(chunk: int, scores: dict[str, Json]) -> None:
            def build() -> tuple[Events, None]:
                kept = chunk in book.ledger.prepared.get(name, {})
                return [] if kept else [("prepared", {"question": name, "chunk": chunk, "scores": scores})], None

            book.commit(build)

        done = book.ledger.prepared.get(name, {})
        model = self._things.free_model(question)
        prepare(question, name, pool, model, book.ledger.created["seed"], dict(done), executor, keep)

    def of(self, name: str) -> Mapping[str, Any]:
        """The scores of a question, one value per row of the pool; nothing while any of them is missing."""
        if name not in self._scores:
            done, pool = self._book.ledger.prepared.get(name, {}), self._book.ledger.created["pool"]
            if not done or len(done) < -(-pool["size"] // CHUNK):
                return {}
            self._scores[name] = all_scores(done)
        return self._scores[name]


def try_out(question: Question, things: Things) -> None:
    """Prepare a few rows and forget them: what cannot be prepared is refused before it is in the journal."""
    pool, model = things.pool, things.free_model(question)
    if pool is not None and isinstance(question, Prepares) and getattr(question, "prepares", True):
        score_chunk(question, question.name, model, pool.take(range(min(_FEW, pool.size))), 0, 0)
