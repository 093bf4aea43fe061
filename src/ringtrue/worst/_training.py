"""Training data: rows whose outputs are known before the first evaluation, and the worst of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import Argument, Batch, InvalidInput, Json
from ringtrue.stats import generator
from ringtrue.worst._arrays import Floats

if TYPE_CHECKING:
    from ringtrue.worst._plan import Plan


MOST = 400
"""Rows that a search goes by, at most: each costs time before every evaluation, and further ones tell little."""

_WORST = 240
"""Of these, so many are those where the model deviates most."""


@dataclass(frozen=True, eq=False)
class Training:
    """Rows whose outputs are known before the first evaluation: that at which the model deviates most comes first.

    >>> Training.of([[0.1], [0.2]], gold=[[1.0], [2.0]], deviations=[[0.5], [0.7]]).points.tolist()
    [[0.2], [0.1]]

    Parameters
    ----------
    points
        Where the rows lie (n, parameters): numbers as the space has them.
    gold
        What the gold standard said there (n, outputs); None where deviations alone are known.
    task
        The place of the output that deviates most at the first point.
    shown
        What a report shows of them: the point of the worst row, its task and deviation, how many rows there were, and
        how many of them lay outside the space, if any did.
    """

    points: Floats
    gold: Floats | None
    task: int = 0
    shown: Mapping[str, Any] | None = None

    @classmethod
    def of(
        cls, points: ArrayLike, *, gold: ArrayLike | None, deviations: ArrayLike, shown: Mapping[str, Any] | None = None
    ) -> Self:
        """Keep those of many rows where the model deviates most, each output in turn, and some of all others.

        Parameters
        ----------
        points
            Where the rows lie (n, parameters).
        gold
            What the gold standard said there (n, outputs); None if that is not known.
        deviations
            By how much the model deviates there (n, tasks).
        shown
            What a report shows of them.
        """
        where, size = np.asarray(points, dtype=float), np.asarray(deviations, dtype=float)
        told = None if gold is None else np.asarray(gold, dtype=float)
        if (
            where.ndim != 2
            or size.ndim != 2
            or not size.size
            or len({len(where), len(size), len(size if told is None else told)}) > 1
        ):
            raise InvalidInput(Argument("training"), ": points, gold and deviations must be tables with as many rows")
        worst, task = np.unravel_index(int(np.argmax(size)), size.shape)
        leading = np.unique(np.argsort(-size, axis=0, kind="stable")[: -(-_WORST // size.shape[1])])
        others = np.setdiff1d(np.arange(len(where)), leading)
        spread = np.linspace(0, len(others) - 1, min(len(others), max(0, MOST - len(leading)))).astype(int)
        kept = np.setdiff1d(np.union1d(leading, others[spread]), [worst])
        # In a random order, because shapes are fitted to the first of them.
        kept = np.append(worst, generator(0, "training rows").permutation(kept))
        return cls(where[kept], None if told is None else told[kept], int(task), shown)

    def to_json(self) -> dict[str, Any]:
        """Return the rows as lists."""
        gold = None if self.gold is None else self.gold.tolist()
        return {"points": self.points.tolist(), "gold": gold, "task": self.task, "shown": self.shown}

    @classmethod
    def from_json(cls, made: Mapping[str, Any]) -> Self:
        """Make the rows that `to_json` told of."""
        gold = None if made["gold"] is None else np.array(made["gold"], dtype=float)
        return cls(np.array(made["points"], dtype=float), gold, made["task"], made["shown"])


def training_of(
    plan: Plan, batches: Iterable[Batch], answer: Callable[[Batch], Sequence[Json]], file: str
) -> Training | None:
    """Return training data as a search uses them; inputs and outputs stand in columns of their names.

    A column `deviation` says it outright; else the model's `answer` to the inputs is compared with the outputs, column
    by column. Rows outside the space count for what is shown alone. `file` names the data in errors; None without rows.
    """
    training, space, rows = Argument("training", file), plan.space, 0
    kept: list[tuple[tuple[float, ...], list[float], list[float]]] = []
    shown: dict[str, Any] | None = None
    told = False
    for batch in batches:
        told = "deviation" in batch.columns
        outputs = ("deviation",) if told else _outputs(plan)
        _check_columns(plan, batch.columns, outputs, training)
        inputs = {name: np.asarray(batch.columns[name]) for name in space.names}
        truth = np.column_stack([_finite(batch, name, training) for name in outputs])
        if told:
            sizes = truth
        else:
            pairs = zip(answer(Batch(batch.ids, inputs)), truth.tolist(), strict=True)
            sizes = plan.deviation.size(np.array([_measured(plan, said, gold) for said, gold in pairs]))
        rows += len(batch)
        row, column = np.unravel_index(int(np.argmax(sizes)), sizes.shape)
        cells = [
            dict(zip(inputs, each, strict=True))
            for each in zip(*(one.tolist() for one in inputs.values()), strict=True)
        ]
        if shown is None or sizes[row, column] > shown["deviation"]:
            task = None if told else plan.tasks[column]
            shown = {"point": cells[row], "task": task, "deviation": float(sizes[row, column])}
        kept += _within(plan, cells, truth, sizes)
    if shown is None:
        return None
    shown["rows"] = rows
    if len(kept) < rows:
        shown["outside"] = rows - len(kept)
    if not kept:
        return Training(np.empty((0, len(space.names))), None, 0, shown)
    points, gold, found = zip(*kept, strict=True)
    return Training.of(points, gold=None if told else gold, deviations=found, shown=shown)


def _within(
    plan: Plan, cells: Sequence[Mapping[str, Any]], truth: Floats, sizes: Floats
) -> list[tuple[tuple[float, ...], list[float], list[float]]]:
    """Return the rows that lie in the space, as points, outputs and deviations."""
    found = []
    for values, gold, size in zip(cells, truth.tolist(), sizes.tolist(), strict=True):
        try:
            point = plan.space.point(values)
        except InvalidInput:
            continue
        if plan.space.allows([point])[0]:
            found.append((point, gold, size))
    return found


def _outputs(plan: Plan) -> Sequence[str]:
    """Return the names of the gold standard's outputs; those that are folded into one are named by their scales."""
    return tuple(plan.scales) if plan.scales is not None and plan.deviation.folds else plan.tasks


def _measured(plan: Plan, said: Json, gold: Json) -> list[float]:
    return plan.deviation.measure(plan.scaled(said, "the model"), plan.scaled(gold, "the training data"))


def _check_columns(plan: Plan, columns: Mapping[str, Any], outputs: Sequence[str], training: Argument) -> None:
    needed = [*plan.space.names, *outputs]
    for name in needed:
        if name not in columns:
            raise InvalidInput(training, f" has no column {name!r}: give {', '.join(needed)}")
    if "deviation" not in columns and not plan.deviation.signed and plan.scales is None:
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
