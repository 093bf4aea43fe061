"""The worst case of training data, which a report shows beside the worst point of a search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ringtrue.core import Argument, Batch, InvalidInput, Json
from ringtrue.worst._arrays import Floats
from ringtrue.worst._plan import Plan


def worst_of_training(
    plan: Plan, batches: Iterable[Batch], answer: Callable[[Batch], Sequence[Json]], file: str
) -> dict[str, Any] | None:
    """Return the worst case of training data; inputs and outputs stand in columns of their names.

    A column `deviation` says it outright; else the model's `answer` to the inputs is compared with the outputs, column
    by column. `file` names the data in errors.
    """
    training, rows = Argument("training", file), 0
    best: dict[str, Any] | None = None
    for batch in batches:
        told = "deviation" in batch.columns
        outputs = ("deviation",) if told else plan.tasks
        _check_columns(plan, batch.columns, outputs, training)
        inputs = {name: np.asarray(batch.columns[name]) for name in plan.space.names}
        truth = np.column_stack([_finite(batch, name, training) for name in outputs])
        if told:
            sizes = truth
        else:
            pairs = zip(answer(Batch(batch.ids, inputs)), truth.tolist(), strict=True)
            sizes = plan.deviation.size(np.array([_measured(plan, said, gold) for said, gold in pairs]))
        rows += len(batch)
        row, column = np.unravel_index(int(np.argmax(sizes)), sizes.shape)
        if best is None or sizes[row, column] > best["deviation"]:
            point = {name: cells[row : row + 1].tolist()[0] for name, cells in inputs.items()}
            task = None if told else plan.tasks[column]
            best = {"point": point, "task": task, "deviation": float(sizes[row, column])}
    return None if best is None else {**best, "rows": rows}


def _measured(plan: Plan, said: Json, gold: Json) -> list[float]:
    return plan.deviation.measure(plan.scaled(said, "the model"), plan.scaled(gold, "the training data"))


def _check_columns(plan: Plan, columns: Mapping[str, Any], outputs: Sequence[str], training: Argument) -> None:
    needed = [*plan.space.names, *outputs]
    for name in needed:
        if name not in columns:
            raise InvalidInput(training, f" has no column {name!r}: give {', '.join(needed)}")
    if "deviation" not in columns and not plan.deviation.signed:
        raise InvalidInput(training, " has no column 'deviation': add it, since it cannot be worked out here")


def _finite(batch: Batch, name: str, training: Argument) -> Floats:
    """Return a column of finite numbers."""
    cells = batch.columns[name]
    found = np.asarray(cells, dtype=np.float64) if cells.dtype.kind in "fiub" else np.full(len(cells), np.nan)
    bad = np.flatnonzero(~np.isfinite(found))
    if len(bad):
        wrong = cells[bad].tolist()[0]
        raise InvalidInput(training, f", column {name!r}: {wrong!r:.80} is not a finite number: mend it")
    return found
