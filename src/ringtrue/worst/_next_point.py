"""Where to evaluate next: the point of the space at which the surrogate promises most."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from ringtrue.worst._beliefs import Panel
from ringtrue.worst._deviation import Floats
from ringtrue.worst._history import EVERY, History
from ringtrue.worst._plan import Plan
from ringtrue.worst._taken import Taken
from ringtrue.worst.acquisition import (
    log_expected_improvement,
    log_two_tailed_improvement,
    maximise,
    two_tailed_upper_bound,
    upper_bound,
)

Measure: TypeAlias = Callable[[Floats, Floats], tuple[Floats, Floats, Floats]]

WIDTH = 2.0
"""How many standard deviations the upper bound lies above the mean, as in the paper's public prototype."""

_NOISY = 3e-3
"""Noise above this share of a function's variation: an evaluation repeated there tells something new."""


_NEGLIGIBLE = 0.01

_LEADING = 5
"""Evaluated points around which candidates are made."""


class NextPoint(NamedTuple):
    """A point of the unit cube, the task that makes it promising, and how promising it is."""

    unit: Floats
    task: int
    value: float


def is_noisy(panel: Panel) -> bool:
    return bool(np.any(panel.noise > _NOISY * panel.scales))


def incumbent(plan: Plan, panel: Panel, history: History, out: Floats) -> float:
    """The largest value so far of these tasks, in size if it is signed; what is `out` counts as expected.

    Where evaluations are noisy, or inputs are, it is what the surrogate makes of the points evaluated: the largest of
    many noisy values is too large.
    """
    values = history.values[:, list(panel.tasks)]
    if is_noisy(panel) or plan.input_noise:
        values = np.where(np.isnan(values), np.nan, panel.predict(history.units).mean)
    if len(out):
        values = np.vstack([values, panel.predict(out).mean])
    return float(np.nanmax(np.abs(values) if plan.deviation.signed else values))


def next_point(
    plan: Plan, panel: Panel, history: History, measure: Measure, taken: Taken, rng: np.random.Generator
) -> NextPoint | None:
    """The point of largest measure that was not asked about before; None when a finite space has no other left."""

    def promise(points: Floats) -> tuple[Floats, Floats]:
        found = panel.predict_with_gradient(points)
        values, by_mean, by_sd = measure(found.mean, found.sd)
        rows, column = np.arange(len(points)), np.argmax(values, axis=1)
        gradients = by_mean[rows, column, None] * found.mean_gradient[rows, column]
        gradients += by_sd[rows, column, None] * found.sd_gradient[rows, column]
        return values[rows, column], gradients

    def task_of(unit: Floats) -> int:
        found = panel.predict(unit[None])
        return panel.tasks[int(np.argmax(measure(found.mean, found.sd)[0][0]))]

    found = maximise(promise, plan.space, rng, around=_leading(plan, panel, history))
    task = task_of(found.point)
    bought = not is_noisy(panel) and taken.holds(found.point[None], task if plan.alone else EVERY)[0]
    if not bought and not taken.crowds(found.point[None])[0]:
        return NextPoint(found.point, task, float(found.value))
    left = taken.left(task if plan.alone else EVERY, rng)
    if not len(left):
        return None
    apart = ~taken.crowds(left)
    left = left[apart] if apart.any() else left
    values, _ = promise(left)
    unit = left[int(np.argmax(values))]
    return NextPoint(unit, task if plan.alone else task_of(unit), float(np.max(values)))


def promise_of(plan: Plan, best: float) -> Measure:
    """The acquisition and its derivatives by mean and standard deviation."""
    signed = plan.deviation.signed
    if plan.acquisition == "upper-bound":
        bound = two_tailed_upper_bound if signed else upper_bound
        return lambda mean, sd: bound(mean, sd, WIDTH)
    improvement = log_two_tailed_improvement if signed else log_expected_improvement
    return lambda mean, sd: improvement(mean, sd, best)


def ignorance_of(panel: Panel) -> Measure:
    """How little is known: the standard deviation, as a share of each task's own."""
    share = 1 / panel.scales
    return lambda mean, sd: (sd * share, np.zeros_like(mean), np.broadcast_to(share, sd.shape))


def is_negligible(plan: Plan, history: History, promise: float) -> bool:
    """Whether an expected improvement is below a hundredth of what lies between a usual deviation and the worst."""
    size = np.abs(history.values) if plan.deviation.signed else history.values
    return promise < _NEGLIGIBLE * float(np.nanmax(size) - np.nanmedian(size))


def _leading(plan: Plan, panel: Panel, history: History) -> Floats:
    """The evaluated points with the largest values of these tasks: the next is often near one of them."""
    values = history.values[:, list(panel.tasks)]
    size = np.where(np.isnan(values), -np.inf, np.abs(values) if plan.deviation.signed else values).max(axis=1)
    return history.units[np.argsort(-size, kind="stable")[:_LEADING]]
