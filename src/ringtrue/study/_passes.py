"""Passes over the pool before the first query: computed part by part, kept in the journal, read from it."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Batch, Block, InvalidInput, Labels, Measured, Model, Pass, Question, Vectors
from ringtrue.stats import generator
from ringtrue.study._book import Book, Events
from ringtrue.study._carrying import Keep, carry_out
from ringtrue.study._scan import Scan
from ringtrue.study._score_files import LARGE, Arrays, ScoreFiles
from ringtrue.study._things import Things

Work: TypeAlias = Callable[[], Arrays]

_FEW = 20
"""Rows on which a question is tried out."""


NO_WORKERS: Mapping[str, int] = {}


class Advance(Protocol):
    """Is told how far work has come that is done in parts."""

    def __call__(
        self, what: str, done: int, total: int, unit: str = "part", workers: Mapping[str, int] = NO_WORKERS
    ) -> None:
        """Take what is being done, how many of how many units are done, and how many of them by each worker."""


_NOTHING = Measured(Batch([], {}), {})


class Prepared:
    """What the passes of each question of a study found."""

    def __init__(self, book: Book, things: Things) -> None:
        self._book, self._things = book, things
        self._blocks: dict[str, Sequence[Block]] = {}
        self._scores: dict[str, Arrays] = {}

    def compute(self, question: Question, executor: Executor | None, advance: Advance | None = None) -> None:
        """Compute what is missing; done parts are not done again."""
        for place in range(len(question.passes())):
            if self._after(question, place) is None:
                if self._is_large(kept_as(question, place), question.passes()[place]):
                    self._scan(question, place, executor, advance)
                else:
                    carry_out(self._parts(question, place), executor, self._keeping(question, place, advance))
                if len(self._book.ledger.questions) == 1:  # what one question leaves, another may use
                    question.check_budget(self._after(question, place) or {}, self._book.ledger.budget.labels)

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
        path = self._book.path
        return ScoreFiles(path.with_name(f"{path.stem}.scores"), key, self._book.ledger.size)

    def _on_disk(self, key: str, one: Pass) -> Arrays | None:
        """Return the scores of a large pool; None while rows are missing, or the files are not as they were written."""
        scored, files = self._book.ledger.scored.get(key), self._files(key)
        if scored is None or scored.stop < self._book.ledger.size or files.changed(scored):
            return None
        scores = files.read(scored.types) or {}
        self._scores[key] = scores if one.join is None else dict(one.join(scores))
        return self._scores[key]

    def _scan(self, question: Question, place: int, executor: Executor | None, advance: Advance | None) -> None:
        one, key = question.passes()[place], kept_as(question, place)
        run, size = self._running(question, place), self._book.ledger.size

        def told(done: int, workers: Mapping[str, int]) -> None:
            if advance is not None:
                advance(one.doing, done, size, "row", workers)

        Scan(self._book, key, one, run.alone, self._things.need_pool(), self._files(key)).carry_out(executor, told)

    def _running(self, question: Question, place: int) -> _Running:
        """Return what runs the parts of a pass."""
        one, model = question.passes()[place], self._things.free_model(question)
        _check_model(question, one, model)
        purpose = f"{'measure' if place else 'probe'}/{question.name}"
        return _Running(one.run, question.name, model, purpose, self._book.ledger.created["seed"])

    def _number_of_parts(self, key: str, one: Pass, before: Arrays) -> int:
        if one.blocks is None:
            return -(-self._book.ledger.size // one.rows)
        if key not in self._blocks:
            self._blocks[key] = one.blocks(before)
        return len(self._blocks[key])

    def _parts(self, question: Question, place: int) -> Iterator[tuple[int, Work]]:
        """Yield the parts that are missing, with their numbers."""
        key, one = kept_as(question, place), question.passes()[place]
        pool, run = self._things.need_pool(), self._running(question, place)
        scores = self._after(question, place - 1) or {}
        done = dict(self._book.ledger.prepared.get(key, {}))
        if one.blocks is None:
            for number, batch in enumerate(pool.chunks(one.rows)):
                if number not in done:
                    yield number, partial(run, Measured(batch, {}), _NOTHING, number)
            return
        for number, block in enumerate(self._blocks[key]):
            if number not in done:
                batches = [pool.take(rows.tolist()) if len(rows) else Batch([], {}) for rows in block]
                found = [{name: values[rows] for name, values in scores.items()} for rows in block]
                items, beside = map(Measured, batches, found)
                yield number, partial(run, items, beside, number)

    def _keeping(self, question: Question, place: int, advance: Advance | None) -> Keep:
        book, key, one = self._book, kept_as(question, place), question.passes()[place]
        parts = self._number_of_parts(key, one, self._after(question, place - 1) or {})

        def keep(found: Sequence[tuple[int, Arrays]]) -> None:
            kept = {
                part: {name: encode_array(np.asarray(values)) for name, values in made.items()} for part, made in found
            }

            def build() -> tuple[Events, None]:
                there = book.ledger.prepared.get(key, {})
                made = [(part, scores) for part, scores in kept.items() if part not in there]
                return [("prepared", {"question": key, "chunk": part, "scores": scores}) for part, scores in made], None

            book.commit(build)
            if advance is not None:
                advance(one.doing, len(book.ledger.prepared[key]), parts)

        return keep


def kept_as(question: Question, place: int) -> str:
    """Return the name under which the journal keeps the parts of a pass of a question."""
    return f"{question.name}{('', '/measured')[place] if place < 2 else f'/{place}'}"


def try_out(question: Question, things: Things) -> None:
    """Run the first pass on a few rows and forget them: what it cannot do is refused before it is in the journal."""
    for one in list(question.passes())[:1]:
        if things.pool is not None and one.blocks is None:
            model = things.free_model(question)
            _check_model(question, one, model)
            few = things.pool.take(range(min(_FEW, things.pool.size)))
            _Running(one.run, question.name, model, f"probe/{question.name}")(Measured(few, {}), _NOTHING, 0)


def _check_model(question: Question, one: Pass, model: Model | None) -> None:
    if one.around and model is not None and model.stored_in:
        raise InvalidInput(
            f"question {question.name!r} asks how the model answers around the items, and its answers are stored: "
            "give a model that can be asked, such as module:function"
        )


@dataclass(frozen=True, slots=True)
class _Running:
    """Runs the parts of a pass of a question, with the model of the study where there is one that is free."""

    run: Callable[..., Arrays]
    question: str
    model: Model | None
    purpose: str
    """What its chance is for."""
    seed: int = 0

    def alone(self, batch: Batch, number: int) -> Arrays:
        """Return what a part gives that has no others beside it."""
        return self(Measured(batch, {}), _NOTHING, number)

    def __call__(self, items: Measured, beside: Measured, number: int) -> Arrays:
        """Return what one part gives, a function of its items, its number and the seed alone."""
        scores, size = self.run(items, beside, self.ask, generator(self.seed, self.purpose, number)), len(items.batch)
        for key, values in scores.items():
            if np.shape(values)[:1] != (size,):
                raise InvalidInput(
                    f"question {self.question!r} prepared {key!r} with shape {np.shape(values)} for {size} items: "
                    "give one number per item"
                )
        return {key: np.asarray(values) for key, values in scores.items()}

    def ask(self, batch: Batch) -> Labels | Vectors:
        if self.model is None:
            raise InvalidInput(f"question {self.question!r} asks the model, and there is none: give model=…")
        return self.model.answer(batch)


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


def encode_array(array: NDArray[Any]) -> dict[str, Any]:
    """Return numbers or truth values as text, one or a row of them per item.

    >>> decode_array(encode_array(np.array([[1.5, 2.5]]))).tolist()
    [[1.5, 2.5]]
    """
    array = np.ascontiguousarray(array)
    if array.ndim not in (1, 2) or 0 in array.shape[1:] or array.dtype.kind not in "biuf":
        raise InvalidInput(
            f"scores of type {array.dtype} and shape {array.shape} cannot be kept: give one number per item"
        )
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    kept: dict[str, Any] = {"dtype": little.dtype.str, "data": base64.b64encode(little.tobytes()).decode()}
    return kept if array.ndim == 1 else kept | {"width": array.shape[1]}


def decode_array(entry: dict[str, Any]) -> NDArray[Any]:
    """Return the array that `encode_array` wrote."""
    flat = np.frombuffer(base64.b64decode(entry["data"]), dtype=np.dtype(entry["dtype"]))
    return flat.reshape(-1, entry["width"]) if "width" in entry else flat
