"""Scores over a whole pool, chunk by chunk: each computed once, kept in the journal, resumed where it stopped."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Batch, InvalidInput, Json, Model, Pool, Prepares, Probes
from ringtrue.stats import generator
from ringtrue.study._arrays import decode_array, encode_array
from ringtrue.study._workers import Workers

CHUNK = 10_000
"""Rows in a chunk: large enough to batch a model's work, small enough to lose little when a process dies."""


def chunk_size(question: object) -> int:
    """Rows in a chunk of this question: its own number where its items are large."""
    return int(getattr(question, "chunk", CHUNK))


_AHEAD = 16
"""Chunks under way at once, so that a pool larger than memory is never read far ahead of the workers."""


def score_chunk(
    question: Prepares, name: str, model: Model | None, batch: Batch, seed: int, chunk: int
) -> dict[str, Json]:
    """The scores of one chunk, a function of its content, its number and the seed alone."""
    probes = question.probes(batch, generator(seed, f"probe/{name}", chunk)) if isinstance(question, Probes) else None
    if probes is not None and getattr(model, "stored", False):
        raise InvalidInput(
            f"question {name!r} asks how the model answers around the items, and its answers are stored: "
            "give a model that can be asked, such as module:function"
        )
    asked = batch if probes is None else joined(batch, probes)
    answers = model.answer(asked) if model is not None else None
    scores = question.prepare(batch, answers, generator(seed, f"prepare/{name}", chunk))
    return encoded(name, scores, len(batch))


def encoded(name: str, scores: Mapping[str, NDArray[Any]], items: int) -> dict[str, Json]:
    """Scores as the journal keeps them, each with as many values as there are items."""
    for key, values in scores.items():
        if np.shape(values)[:1] != (items,):
            raise InvalidInput(
                f"question {name!r} prepared {key!r} with shape {np.shape(values)} for {items} items: "
                "give one number per item"
            )
    return {key: dict(encode_array(np.asarray(values))) for key, values in scores.items()}


def joined(batch: Batch, probes: Batch) -> Batch:
    """The items and their probes as one batch."""
    columns = {name: np.concatenate([column, probes.columns[name]]) for name, column in batch.columns.items()}
    return Batch([*batch.ids, *probes.ids], columns)


def missing_chunks(pool: Pool, done: Mapping[int, Any], size: int) -> Iterator[tuple[int, Batch]]:
    """The chunks that have no scores yet, with their numbers."""
    for chunk, batch in enumerate(pool.chunks(size)):
        if chunk not in done:
            yield chunk, batch


def prepare(
    question: Prepares, name: str, pool: Pool, model: Model | None, seed: int, done: Mapping[int, Any],
    executor: Executor | None, keep: Callable[[int, dict[str, Json]], None],
) -> None:  # fmt: skip
    """Compute every missing chunk and keep each as soon as it is there."""
    chunks = missing_chunks(pool, done, chunk_size(question))
    carry_out(
        ((chunk, partial(score_chunk, question, name, model, batch, seed, chunk)) for chunk, batch in chunks),
        executor, keep,
    )  # fmt: skip


Work: TypeAlias = Callable[[], dict[str, Json]]


def carry_out(
    parts: Iterable[tuple[int, Work]], executor: Executor | None, keep: Callable[[int, dict[str, Json]], None]
) -> None:
    """Do every part, here or by the workers, and keep what each gives, in order and as soon as it is there.

    Where that ends early, parts that no worker has begun are not done.
    """
    if executor is None:
        for number, work in parts:
            keep(number, work())
        return
    workers = Workers(executor)
    under_way: deque[tuple[int, Future[dict[str, Json]]]] = deque()
    try:
        for number, work in parts:
            under_way.append((number, workers.submit(work)))
            if len(under_way) >= _AHEAD:
                first, future = under_way.popleft()
                keep(first, future.result())
        for number, future in under_way:
            keep(number, future.result())
    except BaseException:
        workers.end()
        for _, future in under_way:
            future.cancel()
        raise


def all_scores(prepared: Mapping[int, Mapping[str, dict[str, str]]]) -> dict[str, NDArray[Any]]:
    """The chunks joined in order: one array per score, one value per row of the pool."""
    chunks = [prepared[number] for number in sorted(prepared)]
    return {
        key: np.concatenate([decode_array(chunk[key]) for chunk in chunks]) for key in (chunks[0] if chunks else ())
    }
