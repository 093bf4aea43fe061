"""Measurements of some rows of a pool, block by block: each made once, kept in the journal, never made again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Batch, Block, InvalidInput, Json, Measured, Measures, Model, Pool
from ringtrue.stats import generator
from ringtrue.study._arrays import decode_array
from ringtrue.study._preparing import Work, carry_out, encoded


def measured_name(question: str) -> str:
    """The name under which the journal keeps the blocks of a question, beside its chunks."""
    return f"{question}/measured"


def measure(
    question: Measures, name: str, pool: Pool, model: Model | None, seed: int, scores: Mapping[str, NDArray[Any]],
    missing: Mapping[int, Block], executor: Executor | None, keep: Callable[[int, dict[str, Json]], None],
) -> None:  # fmt: skip
    """Measure every block that is missing and keep each as soon as it is there."""
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
    """The measurements of one block, a function of its items, its number and the seed alone."""
    found = question.measure(items, beside, model.answer, generator(seed, f"measure/{name}", number))
    return encoded(name, found, len(items.batch))


def _measured(pool: Pool, rows: NDArray[np.int64], scores: Mapping[str, NDArray[Any]]) -> Measured:
    batch = pool.take(rows.tolist()) if len(rows) else Batch([], {})
    return Measured(batch, {key: values[rows] for key, values in scores.items()})


def joined_scores(
    scores: Mapping[str, NDArray[Any]], blocks: Sequence[Block], done: Mapping[int, Mapping[str, dict[str, Any]]]
) -> dict[str, NDArray[Any]]:
    """The scores with what was measured, NaN in rows that no block has."""
    joined = dict(scores)
    size = len(next(iter(scores.values())))
    for number, block in enumerate(blocks):
        for key, entry in done[number].items():
            joined.setdefault(key, np.full(size, np.nan))[block.rows] = decode_array(entry)
    return joined
