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

from ringtrue.core import Ask, Batch, InvalidInput
from ringtrue.worst._acquisition import allowed, perturbed
from ringtrue.worst._arrays import Floats, Ints
from ringtrue.worst._deviation import numbers
from ringtrue.worst._history import EVERY, History
from ringtrue.worst._next_point import AskedPoints, NextPoint, is_noisy, leading, promise_of
from ringtrue.worst._plan import Plan
from ringtrue.worst._surrogates import Surrogate
from ringtrue.worst.spaces import Choice

SPREAD = 2048
"""Points of the whole space at which the model is asked once."""

QUERIES = 512
"""Points at which it is asked for each evaluation: a quarter around the worst so far, the others to polish."""

_TOGETHER = 512
"""Points in one call of the model, so that it need not hold more."""

_STARTS = 8
_ROUNDS = 4
_STEPS = (0.3, 0.015)
"""How far the first and the last round of polishing step, in sides of the cube."""

_MOVED = 0.3
"""The share of the coordinates that a step moves, but one and a half on average at least."""

_TO_THE_EDGE = 0.2
"""The share of the moved coordinates that go to an end of their range: a model is often worst in a corner."""

_PUSHED = 2.0
"""Half of the spread is pushed outwards by this factor, and ends at the borders where it would go beyond."""


class SeenModel:
    """What the model says: at a spread of points that it is asked about once, and wherever else it is asked."""

    def __init__(self, plan: Plan, ask: Ask, seed: int) -> None:
        self._space, self._tasks, self.ask = plan.space, len(plan.tasks), ask
        self._scales = 1.0 if plan.scale_row is None else np.array(plan.scale_row)
        # Another seed than that of the first evaluations, which spread by the same sequence.
        even, half = np.array_split(plan.space.sobol(min(SPREAD, plan.space.size or SPREAD), seed + 1), 2)
        outward = np.where(plan.space.number_coordinates, np.clip(0.5 + _PUSHED * (half - 0.5), 0, 1), half)
        self.units = np.vstack([even, allowed(plan.space, outward)])
        self.said = self.at(self.units)

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
    return replace(history, values=values if plan.scale_row is None else values / np.array(plan.scale_row))


def most_promising(
    gold: Surrogate, seen: SeenModel, asked: AskedPoints, best: float, queries: int, rng: np.random.Generator
) -> NextPoint | None:
    """Find the point of which most is expected, by what the model says there and the gold standard may say.

    Parameters
    ----------
    gold
        The surrogate of the gold standard's outputs.
    seen
        The model.
    asked
        The points that were asked about.
    best
        The largest deviation so far.
    queries
        How many points the model is asked about.
    rng
        Draws the points.
    """
    plan = asked.plan
    space, measure = plan.space, promise_of(plan, best)

    def promise(units: Floats, said: Floats) -> Floats:
        """Return what each output (m, tasks) promises; of all outputs folded into one there is one column."""
        found = gold.predict(units)
        told = np.all(np.isfinite(said), axis=1, keepdims=True)
        apart = np.where(told, said[:, list(gold.tasks)] - found.mean, 0.0)
        if plan.deviation.signed:
            worth = measure(apart, found.sd).value
        else:
            worth = measure(*_root_mean_square(apart, found.sd)).value[:, None]
        return np.where(told, worth, -np.inf)

    own = gold.tasks if plan.deviation.signed else (0,)
    near = allowed(space, perturbed(leading(plan, own, asked.history), queries // 4, rng))
    pool = np.vstack([seen.units, near])
    values = promise(pool, np.vstack([seen.said, seen.at(near)]) if len(near) else seen.said)
    kept = [(pool, values)]
    best_places = np.argsort(-values.max(axis=1), kind="stable")[:_STARTS]
    tops, heights = pool[best_places], values.max(axis=1)[best_places]
    each = max(1, (queries - queries // 4) // (_STARTS * _ROUNDS))
    for step in np.geomspace(*_STEPS, _ROUNDS):
        tried = space.snap(_stepped(np.repeat(tops, each, axis=0), step, rng))
        fine = np.all(space.slack(tried)[0] >= 0.0, axis=1)
        worth = np.full((len(tried), values.shape[1]), -np.inf)
        if fine.any():
            worth[fine] = promise(tried[fine], seen.at(tried[fine]))
        kept.append((tried[fine], worth[fine]))
        highest = worth.max(axis=1).reshape(len(tops), each)
        better = np.flatnonzero(highest.max(axis=1) > heights)
        tops[better] = tried.reshape(len(tops), each, -1)[better, highest[better].argmax(axis=1)]
        heights[better] = highest[better].max(axis=1)
    units, worths = np.vstack([one for one, _ in kept]), np.vstack([one for _, one in kept])
    return _free(units, worths, gold, asked)


def _free(units: Floats, worths: Floats, gold: Surrogate, asked: AskedPoints) -> NextPoint | None:
    """Return the best of the points that were not asked about, and its task."""
    plan = asked.plan
    tasks = np.array(gold.tasks if plan.deviation.signed else (0,))[worths.argmax(axis=1)]
    values = np.where(asked.crowds(units), -np.inf, worths.max(axis=1))
    if not is_noisy(gold):
        for task in set(tasks.tolist()) if plan.alone else (EVERY,):
            own = np.full(len(units), True) if task == EVERY else tasks == task
            values[own] = np.where(asked.holds(units[own], task), -np.inf, values[own])
    place = int(np.argmax(values))
    return NextPoint(units[place], int(tasks[place]), float(values[place])) if values[place] > -np.inf else None


def _stepped(centres: Floats, step: float, rng: np.random.Generator) -> Floats:
    """Move some coordinates of each point, and some of these to an end of their range."""
    moved = rng.random(centres.shape) < max(_MOVED, 1.5 / centres.shape[1])
    ends = moved & (rng.random(centres.shape) < _TO_THE_EDGE)
    walked = np.clip(centres + step * rng.standard_normal(centres.shape) * moved, 0, 1)
    return np.where(ends, rng.integers(0, 2, centres.shape), walked)


def _root_mean_square(mean: Floats, sd: Floats) -> tuple[Floats, Floats]:
    """Return about which mean and standard deviation the root mean square of independent Gaussians (m, C) has.

    By the mean and the variance of their mean square, and the first terms of the root's series around it.
    """
    square = np.mean(mean**2 + sd**2, axis=1)
    spread = np.sum(2 * sd**4 + 4 * (mean * sd) ** 2, axis=1) / mean.shape[1] ** 2
    root = np.sqrt(np.maximum(square, np.finfo(float).tiny))
    return root - np.minimum(spread / (8 * root**3), root / 2), np.maximum(np.sqrt(spread) / (2 * root), 1e-300)


def largest_so_far(gold: Surrogate, seen: SeenModel, asked: AskedPoints) -> float:
    """Return the largest deviation so far of these tasks; what is pending counts as expected.

    Where the gold standard does not repeat itself, it is what the surrogate makes of the points evaluated.
    """
    plan, history = asked.plan, asked.history
    own = gold.tasks if plan.deviation.signed else (0,)
    values = np.abs(history.values[:, list(own)])
    if is_noisy(gold):
        values = np.where(np.isnan(values), np.nan, _sizes(plan, gold, seen, history.units))
    if len(asked.pending):
        values = np.vstack([values, _sizes(plan, gold, seen, asked.pending)])
    return float(np.nanmax(values))


def _sizes(plan: Plan, gold: Surrogate, seen: SeenModel, units: Floats) -> Floats:
    """Return the size of the deviations (m, tasks) that are expected at some places."""
    apart = seen.at(units)[:, list(gold.tasks)] - gold.predict(units).mean
    return np.abs(apart) if plan.deviation.signed else np.sqrt(np.mean(apart**2, axis=1))[:, None]
