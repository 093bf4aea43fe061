"""Scores over a pool, part by part: chunks of the whole pool and blocks of some rows, each computed once and kept."""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Batch, Block, InvalidInput, Json, Measured, Measures, Model, Pool, Prepares, Probes
from ringtrue.stats import generator
from ringtrue.study._calls import Workers


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


CHUNK = 10_000
"""Rows in a chunk: large enough to batch a model's work, small enough to lose little when a process dies."""


def chunk_size(question: object) -> int:
    """Return how many rows a chunk of this question has: its own number where its items are large."""
    return int(getattr(question, "chunk", CHUNK))


_AHEAD = 16
"""Chunks under way at once, so that a pool larger than memory is never read far ahead of the workers."""


def score_chunk(
    question: Prepares, name: str, model: Model | None, batch: Batch, seed: int, chunk: int
) -> dict[str, Json]:
    """Return the scores of one chunk, a function of its content, its number and the seed alone."""
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
    """Return scores as the journal keeps them, each with as many values as there are items."""
    for key, values in scores.items():
        if np.shape(values)[:1] != (items,):
            raise InvalidInput(
                f"question {name!r} prepared {key!r} with shape {np.shape(values)} for {items} items: "
                "give one number per item"
            )
    return {key: dict(encode_array(np.asarray(values))) for key, values in scores.items()}


def joined(batch: Batch, probes: Batch) -> Batch:
    """Return the items and their probes as one batch."""
    columns = {name: np.concatenate([column, probes.columns[name]]) for name, column in batch.columns.items()}
    return Batch([*batch.ids, *probes.ids], columns)


def missing_chunks(pool: Pool, done: Mapping[int, Any], size: int) -> Iterator[tuple[int, Batch]]:
    """Yield the chunks that have no scores yet, with their numbers."""
    for chunk, batch in enumerate(pool.chunks(size)):
        if chunk not in done:
            yield chunk, batch


def prepare(
    question: Prepares,
    name: str,
    pool: Pool,
    model: Model | None,
    seed: int,
    done: Mapping[int, Any],
    executor: Executor | None,
    keep: Callable[[int, dict[str, Json]], None],
) -> None:
    """Compute every missing chunk and keep each as soon as it is there.

    Parameters
    ----------
    question
        What prepares its items.
    name
        The name of the question.
    pool
        The items.
    model
        The model that is asked about them, if the question needs one.
    seed
        Of the study.
    done
        The chunks that are there, by number.
    executor
        Shares the chunks out to workers; None for none.
    keep
        Called with the number of each chunk and its scores.
    """
    chunks = missing_chunks(pool, done, chunk_size(question))
    carry_out(
        ((chunk, partial(score_chunk, question, name, model, batch, seed, chunk)) for chunk, batch in chunks),
        executor,
        keep,
    )


Work: TypeAlias = Callable[[], dict[str, Json]]


def carry_out(
    parts: Iterable[tuple[int, Work]], executor: Executor | None, keep: Callable[[int, dict[str, Json]], None]
) -> None:
    """Run every part, here or by the workers, and keep what each gives, in order and as soon as it is there.

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
    """Return the chunks joined in order: one array per score, one value per row of the pool."""
    chunks = [prepared[number] for number in sorted(prepared)]
    return {
        key: np.concatenate([decode_array(chunk[key]) for chunk in chunks]) for key in (chunks[0] if chunks else ())
    }


def measured_name(question: str) -> str:
    """Return the name under which the journal keeps the blocks of a question, beside its chunks."""
    return f"{question}/measured"


def measure(
    question: Measures,
    name: str,
    pool: Pool,
    model: Model | None,
    seed: int,
    scores: Mapping[str, NDArray[Any]],
    missing: Mapping[int, Block],
    executor: Executor | None,
    keep: Callable[[int, dict[str, Json]], None],
) -> None:
    """Measure every block that is missing and keep each as soon as it is there.

    Parameters
    ----------
    question
        What measures its items.
    name
        The name of the question.
    pool
        The items.
    model
        The model that is asked around them.
    seed
        Of the study.
    scores
        What was prepared of all items.
    missing
        The blocks that are not there, by number.
    executor
        Shares the blocks out to workers; None for none.
    keep
        Called with the number of each block and its measurements.
    """
    if not missing:
        return
    if model is None:
        raise InvalidInput(f"question {name!r} asks the model around the items, and there is none: give model=…")
    if getattr(model, "stored", False):
        raise InvalidInput(
            f"question {name!r} asks how the model answers around the items, and its answers are stored: "
            "give a model that can be asked, such as module:function"
        )

    def parts(model: Model = model) -> Iterator[tuple[int, Work]]:
        for number, block in missing.items():
            items, beside = (_measured(pool, rows, scores) for rows in block)
            yield number, partial(measure_block, question, name, model, items, beside, seed, number)

    carry_out(parts(), executor, keep)


def measure_block(
    question: Measures, name: str, model: Model, items: Measured, beside: Measured, seed: int, number: int
) -> dict[str, Json]:
    """Return the measurements of one block, a function of its items, its number and the seed alone."""
    found = question.measure(items, beside, model.answer, generator(seed, f"measure/{name}", number))
    return encoded(name, found, len(items.batch))


def _measured(pool: Pool, rows: NDArray[np.int64], scores: Mapping[str, NDArray[Any]]) -> Measured:
    batch = pool.take(rows.tolist()) if len(rows) else Batch([], {})
    return Measured(batch, {key: values[rows] for key, values in scores.items()})


def joined_scores(
    scores: Mapping[str, NDArray[Any]], blocks: Sequence[Block], done: Mapping[int, Mapping[str, dict[str, Any]]]
) -> dict[str, NDArray[Any]]:
    """Return the scores with what was measured, NaN in rows that no block has."""
    joined = dict(scores)
    size = len(next(iter(scores.values())))
    for number, block in enumerate(blocks):
        for key, entry in done[number].items():
            joined.setdefault(key, np.full(size, np.nan))[block.rows] = decode_array(entry)
    return joined
