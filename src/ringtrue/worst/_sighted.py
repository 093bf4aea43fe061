"""The next point by a surrogate of the gold standard, where the model may be asked at will."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ringtrue.stats import one_thread
from ringtrue.worst._acquisition import allowed, perturbed
from ringtrue.worst._arrays import Bools, Floats
from ringtrue.worst._history import EVERY, History
from ringtrue.worst._next_point import (
    AskedPoints,
    NextPoint,
    in_turn,
    is_negligible,
    is_noisy,
    leading,
    misses,
    promise_of,
)
from ringtrue.worst._plan import Plan
from ringtrue.worst._seen_model import SeenModel, gold_history
from ringtrue.worst._surrogates import Surrogate, Surrogates

QUERIES = 512
"""Points at which the model is asked for each evaluation: a quarter around the worst so far, the others to polish."""

_STARTS = 8
_ROUNDS = 4
_STEPS = (0.3, 0.015)
"""How far the first and the last round of polishing step, in sides of the cube."""

_MOVED = 0.3
"""The share of the coordinates that a step moves, but one and a half on average at least."""

_TO_THE_EDGE = 0.2
"""The share of the moved coordinates that go to an end of their range: a model is often worst in a corner."""

_LED = {False: 5, True: 2}
"""Evaluated points of an output around which it is looked: of one output, and where several take turns."""

_GLANCED = 4
"""A glance is at one in so many of the points that the model was asked about at the beginning."""

_WORTHWHILE = 0.8
"""A deviation of an output counts as more than its own largest only above this share of the largest of all."""

_REVEALED = 2
"""The power of the outputs' shares where an evaluation reveals all of them: it tells of those that have no turn too."""

_APART = 0.5
"""A point is elsewhere if it is further than this from the worst one along some coordinate of the unit cube."""


class Pool(NamedTuple):
    """Points (m, D), what the model says there, and how many of them, the last, lie around the worst ones so far."""

    units: Floats
    said: Floats
    near: int


@dataclass(frozen=True, slots=True)
class Sight:
    """What is known where the model may be asked: its answers, the gold standard's, and what was asked about."""

    seen: SeenModel
    gold: Surrogates
    asked: AskedPoints

    def next(
        self, tasks: Sequence[int], rng: np.random.Generator, *, elsewhere: bool, regimes: bool
    ) -> NextPoint | None:
        """Find the point of which most is expected.

        Where several outputs take turns, one that promises next to nothing is passed over. One whose promises came to
        nothing so many times in a row is believed that much less.

        With `elsewhere` it looks for another peak, away from the highest. With `regimes` it takes outputs to leave
        their plateaus by a cliff.
        """
        plan, asked = self.asked.plan, self.asked
        history, known = gold_history(plan, asked.history), self.seen.known(asked.history)
        out = [(pick.unit, None if pick.task == EVERY else pick.task) for pick in asked.picks]
        groups: list[tuple[int, ...]]
        if plan.takes_turns:
            power = 1 if plan.alone else _REVEALED
            groups = [(task,) for task in in_turn(known, np.abs(known.values), asked.picks, power)]
        else:
            groups = [tuple(tasks) if plan.deviation.signed else tuple(range(history.values.shape[1]))]
        if not groups:
            return None
        pool = self._pool([leading(plan, _own(plan, group), known)[: _LED[plan.takes_turns]] for group in groups], rng)
        most, chosen = -math.inf, None
        doubts = np.log1p(misses(known, np.abs(known.values), _WORTHWHILE))
        for group in groups:
            gold = self.gold.expecting(history, group, out, self.seen.at, regimes=regimes)
            climb = _Climb(self.seen, gold, asked, known, pool, elsewhere=elsewhere)
            promise = climb.glance() - doubts[group[0]] if len(groups) > 1 else 0.0
            if chosen is None or promise > most:
                most, chosen = promise, climb
            if plan.acquisition != "improvement" or not is_negligible(plan, known, math.exp(most)):
                break
        return None if chosen is None else chosen.top(rng)

    def _pool(self, leaders: Sequence[Floats], rng: np.random.Generator) -> Pool:
        """Ask the model around the worst points, which are told for each output, beside the spread it was asked of."""
        plan, seen = self.asked.plan, self.seen
        near = allowed(plan.space, perturbed(np.vstack(leaders), _queries(plan) // 4, rng))
        said = np.vstack([seen.said, seen.at(near)]) if len(near) else seen.said
        return Pool(np.vstack([seen.units, near]), said, len(near))


@dataclass(frozen=True)
class _Climb:
    """The points of which most is expected by one surrogate, polished step by step."""

    seen: SeenModel
    gold: Surrogate
    asked: AskedPoints
    known: History
    pool: Pool
    elsewhere: bool

    def glance(self) -> float:
        """Return the largest promise among the points around the worst ones, and some of all others."""
        units, said, near = self.pool
        some = np.append(np.arange(0, len(units) - near, _GLANCED), np.arange(len(units) - near, len(units)))
        return float(self._promise(units[some], said[some]).max())

    def top(self, rng: np.random.Generator) -> NextPoint | None:
        """Return the most promising point that was not asked about; None if there is none."""
        plan, seen = self.asked.plan, self.seen
        space, queries = plan.space, _queries(plan)
        pool, said, _ = self.pool
        values = self._promise(pool, said)
        kept = [(pool, values)]
        first = np.argsort(-values.max(axis=1), kind="stable")[:_STARTS]
        tops, heights = pool[first], values.max(axis=1)[first]
        each = max(1, (queries - queries // 4) // (_STARTS * _ROUNDS))
        for step in np.geomspace(*_STEPS, _ROUNDS):
            tried = space.snap(_stepped(np.repeat(tops, each, axis=0), step, rng))
            fine = np.all(space.slack(tried)[0] >= 0.0, axis=1)
            worth = np.full((len(tried), values.shape[1]), -np.inf)
            if fine.any():
                worth[fine] = self._promise(tried[fine], seen.at(tried[fine]))
            kept.append((tried[fine], worth[fine]))
            highest = worth.max(axis=1).reshape(len(tops), each)
            better = np.flatnonzero(highest.max(axis=1) > heights)
            tops[better] = tried.reshape(len(tops), each, -1)[better, highest[better].argmax(axis=1)]
            heights[better] = highest[better].max(axis=1)
        return self._free(np.vstack([one for one, _ in kept]), np.vstack([one for _, one in kept]))

    @property
    def _own(self) -> tuple[int, ...]:
        return _own(self.asked.plan, self.gold.tasks)

    @cached_property
    def _peak(self) -> Floats | None:
        """The worst point, where the search looks elsewhere, and there is an elsewhere."""
        peak: Floats = leading(self.asked.plan, self._own, self.known)[0]
        return peak if self.elsewhere and _away(self.seen.units, peak).any() else None

    @one_thread
    def _promise(self, units: Floats, said: Floats) -> Floats:
        """Return what each output (m, tasks) promises; of all outputs folded into one there is one column."""
        plan, found = self.asked.plan, self.gold.predict(units)
        told = np.all(np.isfinite(said), axis=1, keepdims=True) & _away(units, self._peak)[:, None]
        apart = np.where(told, said[:, list(self.gold.tasks)] - found.mean, 0.0)
        measure = promise_of(plan, self._largest)
        if plan.deviation.signed:
            worth = measure(apart, found.sd).value
        else:
            worth = measure(*_root_mean_square(apart, found.sd)).value[:, None]
        return np.where(told, worth, -np.inf)

    @cached_property
    def _largest(self) -> float:
        """The largest deviation so far; what is pending counts as expected.

        Where the gold standard does not repeat itself, it is what the surrogate makes of the points evaluated.
        """
        away = _away(self.known.units, self._peak)
        units, values = self.known.units[away], np.abs(self.known.values[away][:, list(self._own)])
        if is_noisy(self.gold) and len(units):
            values = np.where(np.isnan(values), np.nan, self._sizes(units))
        pending = self.asked.pending[_away(self.asked.pending, self._peak)]
        if len(pending):
            values = np.vstack([values, self._sizes(pending)])
        own, all_tasks = (
            np.max(each, initial=0.0, where=~np.isnan(each)) for each in (values, np.abs(self.known.values))
        )
        return float(max(own, _WORTHWHILE * all_tasks))

    def _sizes(self, units: Floats) -> Floats:
        """Return the size of the deviations (m, tasks) that are expected at some places."""
        apart = self.seen.at(units)[:, list(self.gold.tasks)] - self.gold.predict(units).mean
        return np.abs(apart) if self.asked.plan.deviation.signed else np.sqrt(np.mean(apart**2, axis=1))[:, None]

    def _free(self, units: Floats, worths: Floats) -> NextPoint | None:
        """Return the best of the points that were not asked about, and its task."""
        asked, tasks = self.asked, np.array(self._own)[worths.argmax(axis=1)]
        values = np.where(asked.crowds(units), -np.inf, worths.max(axis=1))
        if not is_noisy(self.gold):
            for task in set(tasks.tolist()) if asked.plan.alone else (EVERY,):
                own = np.full(len(units), True) if task == EVERY else tasks == task
                values[own] = np.where(asked.holds(units[own], task), -np.inf, values[own])
        place = int(np.argmax(values))
        return NextPoint(units[place], int(tasks[place]), float(values[place])) if values[place] > -np.inf else None


def _queries(plan: Plan) -> int:
    return QUERIES if plan.model_queries is None else plan.model_queries


def _own(plan: Plan, outputs: tuple[int, ...]) -> tuple[int, ...]:
    """Return the columns of the deviations that some of the gold standard's outputs are about."""
    return outputs if plan.deviation.signed else (0,)


def _away(units: Floats, peak: Floats | None) -> Bools:
    """Say which places lie elsewhere than the peak; all of them without one."""
    return np.full(len(units), True) if peak is None else np.max(np.abs(units - peak), axis=1) > _APART


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
