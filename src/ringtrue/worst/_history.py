"""The evaluations of one search as arrays: where, of which task, and what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from ringtrue.core import Json, Record
from ringtrue.worst._arrays import Bools, Floats, Ints
from ringtrue.worst._deviation import measured_value, measured_values, model_output
from ringtrue.worst._plan import Plan
from ringtrue.worst._really_set import said_there, set_point

EVERY = -1
"""In the place of a task's number: an evaluation of all of them."""

Known: TypeAlias = dict[int, tuple[Record, Floats, Floats, Floats]]
"""By the identity of a record, which is kept so that no other can have it: its point, encoded too, and its values."""


@dataclass(frozen=True, slots=True)
class History:
    """The evaluations, in the order of asking, and what is still out or was given up.

    `points` are natural, `units` encoded, where evaluations were really made; those that were made elsewhere than asked
    are `moved`. `values` has a column per task; what an evaluation did not reveal is NaN. Of those that are out, the
    `lost` ones were given up.
    """

    records: tuple[Record, ...]
    points: Floats
    units: Floats
    tasks: Ints
    values: Floats
    out_units: Floats
    out_tasks: Ints
    lost: Bools
    moved: Ints
    moved_from: Floats
    """Where, encoded, those that were moved had been asked for."""

    @classmethod
    def of(cls, plan: Plan, records: Sequence[Record], known: Known | None = None) -> History:
        """Take the evaluations among a study's records that belong to this search.

        `known` keeps what was read of each record, so that a search reads each once and not before every evaluation.
        """
        names = (plan.name, *plan.after)
        own = [record for record in records if record.question in names and record.point is not None]
        answered = [record for record in own if record.state == "answered"]
        out = [record for record in own if record.state != "answered"]
        asked, tasks = _split(plan, answered)
        points, values = asked.copy(), np.full((len(answered), len(plan.tasks)), np.nan)
        units = np.empty((len(answered), plan.space.width))
        known = {} if known is None else known
        for place, record in enumerate(answered):
            if id(record) not in known:
                point, found = set_point(plan, record, record.value), measured(plan, record, record.value)
                made = asked[place] if point is None else np.array(point[: points.shape[1]])
                known[id(record)] = record, made, plan.space.encode(made[None])[0], found
            _, points[place], units[place], values[place] = known[id(record)]
        for gone in known.keys() - {id(record) for record in answered}:
            del known[gone]
        moved = np.flatnonzero(np.any(points != asked, axis=1))
        out_points, out_tasks = _split(plan, out)
        lost = np.array([record.state == "abandoned" for record in out], dtype=np.bool_)
        out_units, moved_from = plan.space.encode(out_points), plan.space.encode(asked[moved])
        return cls(tuple(answered), points, units, tasks, values, out_units, out_tasks, lost, moved, moved_from)

    @property
    def size(self) -> int:
        return len(self.records)

    def of_task(self, task: int) -> Ints:
        """Return the places of the evaluations that revealed a task."""
        return np.flatnonzero(~np.isnan(self.values[:, task]))

    @property
    def given_up(self) -> int:
        return int(np.sum(self.lost))

    def out_of_task(self, task: int, *, lost: bool) -> Floats:
        """Return where evaluations of a task are out or, with `lost`, were given up."""
        own = (self.out_tasks == task) | (self.out_tasks == EVERY)
        out: Floats = self.out_units[own & (self.lost == lost)]
        return out


def measured(plan: Plan, record: Record, answer: Json) -> Floats:
    """Return the measured value of every task for an answer, NaN where the evaluation was not about it."""
    count = len(plan.tasks)
    if not plan.alone:
        said = plan.scaled(said_there(record, answer), "the model") if plan.deviation.needs_model else None
        return np.array(measured_values(plan.deviation, said, plan.scaled(answer, "the gold standard"), count))
    values = np.full(count, np.nan)
    task = _task(record.point)
    said = model_output(plan.deviation, said_there(record, answer), task, count)
    said = None if said is None else plan.scaled(said, "the model", task)
    values[task] = measured_value(plan.deviation, said, plan.scaled(answer, "the gold standard", task))
    return values


class WorstSoFar(NamedTuple):
    """An evaluation by its place in the history, its task and deviation; `value` is what was measured, with sign."""

    place: int
    task: int
    deviation: float
    value: float


def worst_so_far(plan: Plan, history: History) -> WorstSoFar:
    """Return the largest deviation measured; of equal ones the first."""
    size = plan.deviation.size(history.values)
    place, task = np.unravel_index(int(np.nanargmax(size)), size.shape)
    return WorstSoFar(int(place), int(task), float(size[place, task]), float(history.values[place, task]))


def _task(point: Sequence[float] | None) -> int:
    return EVERY if point is None else int(point[-1])


def _split(plan: Plan, records: Sequence[Record]) -> tuple[Floats, Ints]:
    """Return the points and the tasks of some records."""
    width = len(plan.space.names) + plan.alone
    rows = np.array([record.point for record in records], dtype=np.float64).reshape(len(records), width)
    if not plan.alone:
        return rows, np.full(len(records), EVERY)
    return rows[:, :-1], rows[:, -1].astype(np.int64)
