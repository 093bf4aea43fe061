"""The next point where the model may be asked at will: what it says is known, and the gold standard alone is learnt.

A deviation has every kink of its model, so that few evaluations tell little of it. What the model says costs nothing
where it runs on this machine. A surrogate of the gold standard then tells what the deviation may be at any point, the
model's kinks included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Argument, Ask, Batch, InvalidInput, count
from ringtrue.worst._acquisition import allowed
from ringtrue.worst._arrays import Floats, Ints
from ringtrue.worst._deviation import numbers
from ringtrue.worst._history import History
from ringtrue.worst._plan import Plan
from ringtrue.worst._training import Training
from ringtrue.worst.spaces import Choice

SPREAD = 2048
"""Points of the whole space at which the model is asked once."""

_TOGETHER = 512
"""Points in one call of the model, so that it need not hold more."""

_PUSHED = 2.0
"""Half of the spread is pushed outwards by this factor, and ends at the borders where it would go beyond."""


class SeenModel:
    """What the model says: at a spread of points that it is asked about once, and wherever else it is asked."""

    def __init__(self, plan: Plan, ask: Ask, seed: int) -> None:
        self._plan, self._space, self._tasks, self.ask = plan, plan.space, len(plan.tasks), ask
        self._scales = _scales(plan)
        # Another seed than that of the first evaluations, which spread by the same sequence.
        even, half = np.array_split(plan.space.sobol(min(SPREAD, plan.space.size or SPREAD), seed + 1), 2)
        outward = np.where(plan.space.number_coordinates, np.clip(0.5 + _PUSHED * (half - 0.5), 0, 1), half)
        self.units = np.vstack([even, allowed(plan.space, outward)])
        self.said = self.at(self.units)
        self._trained: Floats | None = None
        if plan.training is not None and plan.training.gold is not None:
            said = self.at(plan.space.encode(plan.training.points))
            if said.shape[1] != plan.training.gold.shape[1]:
                outputs = f"the model gave {count(said.shape[1], 'output')}"
                raise InvalidInput(Argument("training"), f" has {plan.training.gold.shape[1]}, {outputs}: give as many")
            away = said - plan.training.gold / self._scales
            self._trained = away if plan.deviation.signed else np.sqrt(np.mean(away**2, axis=1, keepdims=True))

    def known(self, history: History) -> History:
        """Return the deviations that are known: those of the training data, then those that were evaluated."""
        training = self._plan.training
        if training is None or self._trained is None:
            return history
        return _after_training(training, self._plan, history, np.vstack([self._trained, history.values]))

    def at(self, units: Floats) -> Floats:
        """Return what the model says (m, outputs) at places of the unit cube, in scales; NaN where it has no answer."""
        points = self._space.decode_between(units)
        columns = {}
        for place, parameter in enumerate(self._space.parameters):
            cells = [parameter.value(number) for number in points[:, place].tolist()]
            columns[parameter.name] = np.array(cells, object if isinstance(parameter, Choice) else None)
        parts = np.array_split(np.arange(len(units)), -(-len(units) // _TOGETHER))
        rows = [row for part in parts for row in self._rows(columns, part)]
        nothing = [np.nan] * max((len(row) for row in rows if row is not None), default=1)
        table = np.array([nothing if row is None else row for row in rows])
        # A model of one output may stand for each of several tasks that are priced alone.
        return (np.repeat(table, self._tasks, axis=1) if table.shape[1] == 1 else table) / self._scales

    def _rows(self, columns: Mapping[str, NDArray[Any]], part: Ints) -> list[list[float] | None]:
        """Return what the model says of some items, None of those that it has no numbers for.

        One such item spoils the answer to all that are asked with it, so they are asked in halves. Whether the model
        may lack an answer is not for the search to say: it asks the gold standard elsewhere.
        """
        asked = Batch([str(place) for place in part], {name: cells[part] for name, cells in columns.items()})
        try:
            said = self.ask(asked)
            return [numbers(answer, "the model") for answer in said.values()]
        except InvalidInput:
            if len(part) == 1:
                return [None]
            return [row for half in np.array_split(part, 2) for row in self._rows(columns, half)]


def gold_history(plan: Plan, history: History) -> History:
    """Return the evaluations with what the gold standard said in the place of the deviations, a column per output."""
    rows = [numbers(record.value, "the gold standard") for record in history.records]
    values = np.array(rows) if not plan.alone else np.full((len(rows), len(plan.tasks)), np.nan)
    if plan.alone:
        values[np.arange(len(rows)), history.tasks] = [row[0] for row in rows]
    scales = _scales(plan)
    if plan.training is None or plan.training.gold is None:
        return replace(history, values=values / scales)
    return _after_training(plan.training, plan, history, np.vstack([plan.training.gold, values]) / scales)


def _after_training(training: Training, plan: Plan, history: History, values: Floats) -> History:
    """Put the points of the training data before the evaluations; `values` are those of both."""
    return replace(history, units=np.vstack([plan.space.encode(training.points), history.units]), values=values)


def _scales(plan: Plan) -> Floats:
    return np.ones(1) if plan.scale_row is None else np.array(plan.scale_row)
