"""Passes over the pool before the first query: computed part by part, kept in the journal, read from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Any, Protocol

import numpy as np

from ringtrue.core import Block, Pass, Question
from ringtrue.study._arrays import Arrays, decode_array, encode_array
from ringtrue.study._book import Book, Events
from ringtrue.study._pieces import Blocks, Pieces, Stretches, number_of
from ringtrue.study._running import Running, running
from ringtrue.study._scan import Made, Scan, Told
from ringtrue.study._score_files import LARGE, ScoreFiles, folder_of
from ringtrue.study._things import Things
from ringtrue.study._waves import Waves

NO_WORKERS: Mapping[str, int] = {}


class Advance(Protocol):
    """Is told how far work has come that is done in parts."""

    def __call__(
        self, what: str, done: int, total: int, unit: str = "part", workers: Mapping[str, int] = NO_WORKERS
    ) -> None:
        """Take what is being done, how many of how many units are done, and how many of them by each worker."""


class Prepared:
    """What the passes of each question of a study found."""

    def __init__(self, book: Book, things: Things) -> None:
        self._book, self._things = book, things
        self._blocks: dict[str, Sequence[Block]] = {}
        self._scores: dict[str, Arrays] = {}

    def compute(self, question: Question, executor: Executor | None, advance: Advance | None = None) -> list[str]:
        """Compute what is missing; done parts are not done again. Return what is to be said of rows without scores."""
        telling, before = partial(_told, advance), set(self.unscored())
        for place, one in enumerate(question.passes()):
            if self._after(question, place) is None:
                key, seed = kept_as(question, place), self._book.ledger.created["seed"]
                run = running(question, place, self._things, seed)
                if self._is_large(key, one):
                    pieces = Stretches(self._things.need_pool(), one.rows, groups=True)
                    Waves(self._book, key, one, pieces, self._files(key)).carry_out(run, executor, telling)
                else:
                    self._scan(question, place, run, executor, telling)
                if len(self._book.ledger.questions) == 1:  # what one question leaves, another may use
                    question.check_budget(self._after(question, place) or {}, self._book.ledger.budget.labels)
        return [one for one in self.unscored() if one not in before]

    def of(self, question: Question) -> Arrays:
        """Return the scores of a question, one value per row of the pool; nothing while any of them is missing."""
        return self._after(question, len(question.passes()) - 1) or {}

    def unscored(self) -> list[str]:
        """Say which rows could not be scored: they are in the population all the same."""
        return [
            f"rows {start:,} to {stop - 1:,} of the pool could not be scored ({why}): they are in the population, and "
            "asked about as if nothing were known of them"
            for scored in self._book.ledger.scored.values()
            for start, stop, why in scored.failed
        ]

    def _after(self, question: Question, place: int) -> Arrays | None:
        """Return the scores after a pass; None while a part of it, or of one before it, is missing."""
        if place < 0:
            return {}
        key = kept_as(question, place)
        if key not in self._scores:
            one = question.passes()[place]
            if self._is_large(key, one):
                return self._on_disk(key, one)
            before, done = self._after(question, place - 1), self._book.ledger.prepared.get(key, {})
            if before is None or len(done) < self._number_of_parts(key, one, before):
                return None
            scores = _joined_chunks(done) if one.blocks is None else _joined_blocks(before, self._blocks[key], done)
            self._scores[key] = scores if one.join is None else dict(one.join(scores))
        return self._scores[key]

    def _is_large(self, key: str, one: Pass) -> bool:
        """Return whether the scores of a pass are in files: those of earlier versions are in the journal."""
        return one.blocks is None and self._book.ledger.size > LARGE and key not in self._book.ledger.prepared

    def _files(self, key: str) -> ScoreFiles:
        ledger = self._book.ledger
        return ScoreFiles(folder_of(self._book.path, ledger.identity), key, ledger.size)

    def _on_disk(self, key: str, one: Pass) -> Arrays | None:
        """Return the scores of a large pool; None while rows are missing, or the files are not as they were written."""
        scored, files = self._book.ledger.scored.get(key), self._files(key)
        if scored is None or scored.stop < self._book.ledger.size or files.changed(scored):
            return None
        scores = files.read(scored.types) or {}
        self._scores[key] = scores if one.join is None else dict(one.join(scores))
        return self._scores[key]

    def _number_of_parts(self, key: str, one: Pass, before: Arrays) -> int:
        if one.blocks is None:
            return -(-self._book.ledger.size // one.rows)
        if key not in self._blocks:
            self._blocks[key] = one.blocks(before)
        return len(self._blocks[key])

    def _scan(
        self,
        question: Question,
        place: int,
        run: Running,
        executor: Executor | None,
        telling: Callable[[str, int], Told],
    ) -> None:
        """Do the parts that are missing, and keep each in the journal."""
        key, one, book = kept_as(question, place), question.passes()[place], self._book
        pool, before = self._things.need_pool(), self._after(question, place - 1) or {}
        pieces: Pieces = Stretches(pool, one.rows, groups=False)
        if one.blocks is not None:
            pieces = Blocks(pool, self._blocks[key], before)
        done = book.ledger.prepared.get(key, {})
        left = [number for number in range(number_of(pieces)) if number not in done]
        total = int(pieces.bounds[-1])
        rows = total - int(np.diff(pieces.bounds)[left].sum())
        # Blocks that failed could not be told from those that were not made yet.
        missing = one.missing if one.blocks is None else None

        def keep(made: Sequence[Made]) -> None:
            kept = [_event(key, one, pieces) for one in made]

            def build() -> tuple[Events, None]:  # another process may score the same study
                there = book.ledger.prepared.get(key, {})
                return [("prepared", each) for each in kept if each["chunk"] not in there], None

            book.commit(build)

        Scan(pieces, run, missing, keep, telling(one.doing, total), done=rows).carry_out(left, executor)


def _told(advance: Advance | None, doing: str, total: int) -> Told:
    """Return what is told how many of all rows are done."""

    def told(done: int, workers: Mapping[str, int]) -> None:
        if advance is not None:
            advance(doing, done, total, "row", workers)

    return told


def _event(key: str, made: Made, pieces: Pieces) -> dict[str, Any]:
    """Return what the journal keeps of a part: its scores, and the rows if they are not known."""
    scores = {name: encode_array(values) for name, values in made.scores.items()}
    kept = {"question": key, "chunk": made.number, "scores": scores}
    if made.why is None:
        return kept
    start, stop = pieces.bounds[made.number : made.number + 2].tolist()
    return kept | {"failed": [start, stop, made.why]}


def kept_as(question: Question, place: int) -> str:
    """Return the name under which the journal keeps the parts of a pass of a question."""
    return f"{question.name}{('', '/measured')[place] if place < 2 else f'/{place}'}"


def _joined_chunks(done: Mapping[int, Mapping[str, dict[str, Any]]]) -> Arrays:
    """Return the chunks joined in order: one array per score, one value per row of the pool."""
    chunks = [done[number] for number in sorted(done)]
    return {key: np.concatenate([decode_array(chunk[key]) for chunk in chunks]) for key in chunks[0]}


def _joined_blocks(scores: Arrays, blocks: Sequence[Block], done: Mapping[int, Mapping[str, dict[str, Any]]]) -> Arrays:
    """Return the scores with what was measured, NaN in rows that no block has."""
    joined = dict(scores)
    size = len(next(iter(scores.values()))) if scores else 0
    for number, block in enumerate(blocks):
        for key, entry in done[number].items():
            joined.setdefault(key, np.full(size, np.nan))[block.rows] = decode_array(entry)
    return joined
