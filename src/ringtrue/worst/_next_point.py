"""The next point: of those that were not asked about yet, the one of which the surrogate promises most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from ringtrue.core import Json
from ringtrue.stats import one_thread
from ringtrue.worst._acquisition import (
    Measure,
    Worth,
    acquisition_of,
    log_expected_improvement,
    log_two_tailed_improvement,
    maximise,
    two_tailed_upper_bound,
    upper_bound,
)
from ringtrue.worst._arrays import Bools, Floats, Ints
from ringtrue.worst._history import EVERY, History
from ringtrue.worst._plan import Plan
from ringtrue.worst._surrogates import Surrogate
from ringtrue.worst.rules import by_harmonic_shares

WIDTH = 2.0
"""How many standard deviations the upper bound lies above the mean, as in the paper's public prototype."""

_NOISY = 3e-3
"""Noise above this share of a function's variation: an evaluation repeated there tells something new."""

_NEGLIGIBLE = 0.01

_LEADING = 5
"""Evaluated points around which candidates are made."""

_FEW = 4096
"""A finite space of at most so many points is looked through; in a larger one a random point is hardly met twice."""

_SOME = 1024
_SAME = 1e-9
_NEXT_TO = 0.05
_BESIDE = 0.01


class Pick(NamedTuple):
    """A point chosen in this call, the task it is for, and what is to be remembered of it."""

    unit: Floats
    task: int
    note: dict[str, Json]


class AskedPoints:
    """The points that were asked about, so that none is bought twice: answered, out, given up, or chosen just now.

    `pending` are the places (m, D) of those that are out or were chosen just now.
    """

    def __init__(self, plan: Plan, history: History, picks: Sequence[Pick]) -> None:
        self.plan, self.history, self.picks = plan, history, picks
        chosen = np.array([pick.unit for pick in picks]).reshape(len(picks), plan.space.width)
        # What was asked for and set otherwise would be set otherwise again.
        self._units = np.vstack([history.units, history.moved_from, history.out_units, chosen])
        self._lost = history.out_units[history.lost]
        self.pending = np.vstack([history.out_units[~history.lost], chosen])
        moved = history.tasks[history.moved]
        self._tasks = np.concatenate([history.tasks, moved, history.out_tasks, [pick.task for pick in picks]])

    def holds(self, units: Floats, task: int) -> Bools:
        """Say which of these points were asked about for this task."""
        return _distances(units, self._units[(self._tasks == task) | (self._tasks == EVERY)]) < _SAME

    def crowds(self, units: Floats) -> Bools:
        """Say which of these points lie next to one that was given up, or all but on one that is out.

        It would hardly go better beside the first, and hardly come out otherwise than the second.
        """
        return (_distances(units, self._lost) < _NEXT_TO) | (_distances(units, self.pending) < _BESIDE)

    def free(self, unit: Floats, task: int, rng: np.random.Generator) -> Floats | None:
        """Return this point, or a random one if it was asked about; None when none is left."""
        if not self.holds(unit[None], task)[0]:
            return unit
        left = self.left(task, rng)
        return left[int(rng.integers(len(left)))] if len(left) else None

    def left(self, task: int, rng: np.random.Generator) -> Floats:
        """Return points that were not asked about: all of them in a small finite space, else some at random."""
        space = self.plan.space
        few = space.size is not None and space.size <= _FEW
        units = space.every_point() if few else space.sample(_SOME, rng)
        return units[~self.holds(units, task)]


class NextPoint(NamedTuple):
    """A point of the unit cube, the task that makes it promising, and how promising it is."""

    unit: Floats
    task: int
    value: float


def _distances(units: Floats, others: Floats) -> Floats:
    """Return how far each point (m, D) is from the nearest of others, along one coordinate; infinite without any."""
    nearest: Floats = np.min(cdist(units, others, "chebyshev"), axis=1, initial=np.inf)
    return nearest


def is_noisy(surrogate: Surrogate) -> bool:
    """Say whether the surrogate sees noise in any task's evaluations."""
    return bool(np.any(surrogate.noise > _NOISY * surrogate.scales))


def incumbent(surrogate: Surrogate, asked: AskedPoints) -> float:
    """Return the largest value so far of these tasks, in size if it is signed; what is pending counts as expected.

    Where evaluations are noisy, or inputs are, it is what the surrogate makes of the points evaluated: the largest of
    many noisy values is too large.
    """
    plan, history = asked.plan, asked.history
    values = history.values[:, list(surrogate.tasks)]
    if is_noisy(surrogate) or plan.input_noise:
        values = np.where(np.isnan(values), np.nan, surrogate.predict(history.units).mean)
    if len(asked.pending):
        values = np.vstack([values, surrogate.predict(asked.pending).mean])
    return float(np.nanmax(np.abs(values) if plan.deviation.signed else values))


@one_thread
def next_point(
    surrogate: Surrogate, measure: Measure, asked: AskedPoints, rng: np.random.Generator
) -> NextPoint | None:
    """Find the point of largest measure that was not asked about before; None when a finite space has no other left."""
    plan, promise = asked.plan, acquisition_of(surrogate, measure)

    def task_of(unit: Floats) -> int:
        found = surrogate.predict(unit[None])
        return surrogate.tasks[int(np.argmax(measure(found.mean, found.sd)[0][0]))]

    found = maximise(promise, plan.space, rng, around=leading(plan, surrogate.tasks, asked.history))
    task = task_of(found.point)
    bought = not is_noisy(surrogate) and asked.holds(found.point[None], task if plan.alone else EVERY)[0]
    if not bought and not asked.crowds(found.point[None])[0]:
        return NextPoint(found.point, task, float(found.value))
    left = asked.left(task if plan.alone else EVERY, rng)
    if not len(left):
        return None
    apart = ~asked.crowds(left)
    left = left[apart] if apart.any() else left
    values = promise.values(left)
    unit = left[int(np.argmax(values))]
    return NextPoint(unit, task if plan.alone else task_of(unit), float(np.max(values)))


def promise_of(plan: Plan, best: float) -> Measure:
    """Return the acquisition and its derivatives by mean and standard deviation."""
    signed = plan.deviation.signed
    if plan.acquisition == "upper-bound":
        bound = two_tailed_upper_bound if signed else upper_bound
        return lambda mean, sd: bound(mean, sd, WIDTH)
    improvement = log_two_tailed_improvement if signed else log_expected_improvement
    return lambda mean, sd: improvement(mean, sd, best)


def ignorance_of(surrogate: Surrogate) -> Measure:
    """Return a measure of how little is known: the standard deviation, as a share of each task's own."""
    share = 1 / surrogate.scales
    return lambda mean, sd: Worth(sd * share, np.zeros_like(mean), np.broadcast_to(share, sd.shape))


def is_negligible(plan: Plan, history: History, promise: float, share: float = _NEGLIGIBLE) -> bool:
    """Say whether an improvement is below a share of what lies between a usual deviation and the worst."""
    size = np.abs(history.values) if plan.deviation.signed else history.values
    return promise < share * float(np.nanmax(size) - np.nanmedian(size))


def misses(history: History, sizes: Floats, worthwhile: float) -> Ints:
    """Count, by task, the evaluations in a row up to the last one aimed at it that found no more of it.

    More is above its own largest of the `sizes` (n, tasks) and above a `worthwhile` share of the largest of all. Rows
    of the sizes that have no record came before those that have.
    """
    known = np.where(np.isnan(sizes), -np.inf, sizes)
    highest = np.maximum.accumulate(known, axis=0)
    found = np.zeros(known.shape[1], dtype=np.int64)
    for place, record in enumerate(history.records, start=len(known) - len(history.records)):
        if "aim" in record.note:
            task, before = int(str(record.note["aim"])), highest[place - 1]
            found[task] = 0 if known[place, task] > max(before[task], worthwhile * before.max()) else found[task] + 1
    return found


def in_turn(history: History, sizes: Floats, picks: Sequence[Pick], power: int = 1) -> list[int]:
    """Return the tasks that were evaluated, first that which is furthest below its share of the search.

    `sizes` are those of the values (n, tasks), by which tasks are ranked; `power` is that of the shares.
    """
    best = np.max(sizes, axis=0, initial=-np.inf, where=~np.isnan(sizes))
    notes = [*(record.note for record in history.records), *(pick.note for pick in picks)]
    aims = [int(str(note["aim"])) for note in notes if "aim" in note]
    order = by_harmonic_shares(best, np.bincount(aims, minlength=len(best)), power)
    return [task for task in order if len(history.of_task(task))]


def leading(plan: Plan, tasks: Sequence[int], history: History) -> Floats:
    """Return the evaluated points with the largest values of these tasks: the next is often near one of them."""
    values = history.values[:, list(tasks)]
    size = np.where(np.isnan(values), -np.inf, np.abs(values) if plan.deviation.signed else values).max(axis=1)
    return history.units[np.argsort(-size, kind="stable")[:_LEADING]]
