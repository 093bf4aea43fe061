"""What questions prepared over the whole pool: computed part by part, kept in the journal, read from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, TypeAlias

from ringtrue.core import Block, Json, Measures, Prepares, Question
from ringtrue.study._book import Book, Events
from ringtrue.study._preparing import (
    all_scores,
    chunk_size,
    joined_scores,
    measure,
    measured_name,
    prepare,
    score_chunk,
)
from ringtrue.study._things import Things

_FEW = 20
"""Rows on which a question is tried out."""

Advance: TypeAlias = Callable[[str, int, int], None]
"""Told what is being done, how many parts of it are done and how many there are."""


class Prepared:
    """The scores of each question of a study."""

    def __init__(self, book: Book, things: Things) -> None:
        self._book, self._things = book, things
        self._chunks: dict[str, dict[str, Any]] = {}
        self._blocks: dict[str, Sequence[Block]] = {}
        self._scores: dict[str, dict[str, Any]] = {}

    def compute(self, question: Question, executor: Executor | None, advance: Advance | None = None) -> None:
        """Compute what is missing; done parts are not done again."""
        if not isinstance(question, Prepares) or not getattr(question, "prepares", True) or self.of(question):
            return
        name, pool, book = question.name, self._things.need_pool(), self._book
        model, seed = self._things.free_model(question), book.ledger.created["seed"]
        chunks = -(-pool.size // chunk_size(question))
        done = book.ledger.prepared.get(name, {})
        keep = self._keeping(name, "reading the pool", chunks, advance)
        prepare(question, name, pool, model, seed, dict(done), executor, keep)
        scores = self._gathered(question)
        if isinstance(question, Measures) and scores is not None:
            if len(book.ledger.questions) == 1:  # what one question leaves, another may use
                question.check_budget(scores, book.ledger.budget.labels)
            blocks, kept = self._blocks[name], book.ledger.prepared.get(measured_name(name), {})
            missing = {number: block for number, block in enumerate(blocks) if number not in kept}
            keep = self._keeping(measured_name(name), "asking the model around the items", len(blocks), advance)
            measure(question, name, pool, model, seed, scores, missing, executor, keep)

    def _keeping(
        self, name: str, what: str, parts: int, advance: Advance | None
    ) -> Callable[[int, dict[str, Json]], None]:
        book = self._book

        def keep(part: int, scores: dict[str, Json]) -> None:
            def build() -> tuple[Events, None]:
                kept = part in book.ledger.prepared.get(name, {})
                return [] if kept else [("prepared", {"question": name, "chunk": part, "scores": scores})], None

            book.commit(build)
            if advance is not None:
                advance(what, len(book.ledger.prepared[name]), parts)

        return keep

    def of(self, question: Question) -> Mapping[str, Any]:
        """Return the scores of a question, one value per row of the pool; nothing while any of them is missing."""
        name = question.name
        if name not in self._scores:
            scores = self._gathered(question)
            if scores is None:
                return {}
            if isinstance(question, Measures):
                blocks, done = self._blocks[name], self._book.ledger.prepared.get(measured_name(name), {})
                if len(done) < len(blocks):
                    return {}
                scores = joined_scores(scores, blocks, done)
            self._scores[name] = scores
        return self._scores[name]

    def _gathered(self, question: Question) -> dict[str, Any] | None:
        """Return what the chunks say together, or None while one of them is missing."""
        name = question.name
        if name not in self._chunks:
            done, pool = self._book.ledger.prepared.get(name, {}), self._book.ledger.created["pool"]
            if not done or len(done) < -(-pool["size"] // chunk_size(question)):
                return None
            scores = all_scores(done)
            if isinstance(question, Measures):
                scores = dict(question.gather(scores))
                self._blocks[name] = question.blocks(scores)
            self._chunks[name] = scores
        return self._chunks[name]


def try_out(question: Question, things: Things) -> None:
    """Prepare a few rows and forget them: what cannot be prepared is refused before it is in the journal."""
    pool, model = things.pool, things.free_model(question)
    if pool is not None and isinstance(question, Prepares) and getattr(question, "prepares", True):
        score_chunk(question, question.name, model, pool.take(range(min(_FEW, pool.size))), 0, 0)
