"""A search without a study: for simulations, where the gold standard is a function and nothing need be kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from ringtrue.core import Ask, Batch, Json, Labels, Model, Record, View, plain
from ringtrue.worst._arrays import Floats, Ints
from ringtrue.worst._history import History
from ringtrue.worst._question import Worst


@dataclass(frozen=True, slots=True)
class Trace:
    """A simulated search: the records, the largest deviation of each evaluation and the best so far."""

    records: tuple[Record, ...]
    tasks: Ints
    deviations: Floats
    best: Floats


def simulate(
    question: Worst,
    answer: Callable[[dict[str, Any]], Any],
    *,
    model: Model | Callable[[Mapping[str, Any]], Json] | None = None,
    seed: int = 0,
    batch: int = 1,
) -> Trace:
    """Search as a study would.

    Parameters
    ----------
    question
        The search.
    answer
        The gold standard: it is given an item's values.
    model
        The model: a `Model`, which answers many points in one call, or a function that is given the same values as
        `answer`. Without one its outputs are zero, so that a signed deviation is what the gold standard says, negated.
    seed
        That of the study.
    batch
        How many points are chosen at once, before any of them is answered.
    """
    plan, space = question.plan, question.plan.asked_space
    records: list[Record] = []
    ask = None if model is None else _asking(model)
    while len(records) < plan.evaluations:
        view = View(seed, len(records), 0, frozenset(), records, space, ask=ask)
        draws = question.policy.propose(view, min(batch, plan.evaluations - len(records)))
        for draw in draws:
            item = space.item(draw.point or ())
            shown = {name: np.array([value]) for name, value in item.values.items() if name not in space.hidden}
            said = plain([0.0] * len(plan.tasks)) if ask is None else ask(Batch([item.id], shown)).values()[0]
            record = Record(
                len(records),
                plan.name,
                plan.rule,
                "oracle",
                None,
                item.id,
                item.digest,
                None,
                None,
                Decimal(0),
                said,
                draw.point,
                note=draw.note,
            )
            record.state, record.value = "answered", plain(answer(dict(item.values)))
            records.append(record)
        if not draws:
            break
    history = History.of(plan, records)
    size = plan.deviation.size(history.values)
    largest = np.nanmax(size, axis=1) if len(size) else np.empty(0)
    tasks = np.nanargmax(size, axis=1) if len(size) else np.empty(0, dtype=np.int64)
    return Trace(tuple(records), tasks, largest, np.maximum.accumulate(largest))


def _asking(model: Model | Callable[[Mapping[str, Any]], Json]) -> Ask:
    """Return what answers many items in one call; a function is asked about them one by one."""
    return model.answer if isinstance(model, Model) else lambda batch: Labels([model(item.values) for item in batch])
