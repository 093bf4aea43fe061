"""The distinct places where the surrogate has the deviation high: the worst one, and the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from ringtrue.worst._arrays import Floats
from ringtrue.worst._history import History, worst_so_far
from ringtrue.worst._plan import Plan
from ringtrue.worst._surrogates import Surrogate, Surrogates

MOST = 5
FEWEST = 3
"""Evaluations of a task below which there is no surrogate of it to speak of."""

_STARTS = 24
_APART = 0.15
"""Starts lie at least so far apart in the unit cube."""

_LOWEST = 0.3
"""Peaks below this share of the highest are not told."""

_DIP = 0.9
"""Two peaks are one if the way between them never falls below this share of the lower of them."""


@dataclass(frozen=True, slots=True)
class Peak:
    """A top of the surrogate: where, of which task, how high by the surrogate, and what was measured nearest to it."""

    point: dict[str, Any]
    task: str
    predicted: float
    sd: float
    nearest: float
    at_worst: bool
    """True if it is the top at the worst evaluation, and not another."""


class _Top(NamedTuple):
    """A place in the unit cube where the surrogate of a task is highest, and how high."""

    height: float
    task: int
    unit: Floats
    surrogate: Surrogate


def find_peaks(plan: Plan, surrogates: Surrogates, history: History, *, averaged: bool = False) -> list[Peak]:
    """Find the highest tops: climb from the largest evaluations that lie apart; with input noise, `averaged` ones."""
    tops: list[_Top] = []
    for place, task in _starts(plan, history):
        surrogate = surrogates.of(history, (task,), averaged=averaged)
        unit = _climbed(plan, surrogate, history.units[place])
        tops.append(_Top(_height(plan, surrogate, unit[None])[0], task, unit, surrogate))
    tops.sort(key=lambda top: -top.height)
    kept: list[_Top] = []
    for top in tops:
        high = len(kept) < MOST and top.height >= _LOWEST * tops[0].height
        if high and not any(_same(plan, top, other) for other in kept):
            kept.append(top)
    worst = worst_so_far(plan, history)
    surrogate, unit = surrogates.of(history, (worst.task,), averaged=averaged), history.units[worst.place]
    here = _Top(_height(plan, surrogate, unit[None])[0], worst.task, unit, surrogate)
    peaks = [_peak(plan, history, top, at_worst=_same(plan, top, here)) for top in kept]
    seen = [peak for peak in peaks if peak.at_worst or _is_seen(peak, worst.deviation)]
    return sorted(seen, key=lambda peak: not peak.at_worst)


def _is_seen(peak: Peak, worst: float) -> bool:
    """Say whether a top is no higher than what was measured somewhere, or all but measured itself.

    Any other is what the surrogate makes of a place where nothing was evaluated: the search will look there, and
    nothing is told of it before.
    """
    return peak.predicted <= worst or peak.nearest >= _DIP * peak.predicted


def _starts(plan: Plan, history: History) -> list[tuple[int, int]]:
    """Return the largest evaluations, each with its task, none close to a larger one of the same task."""
    size = np.where(np.isnan(history.values), -np.inf, plan.deviation.size(history.values))
    size[:, [len(history.of_task(task)) < FEWEST for task in range(len(plan.tasks))]] = -np.inf
    starts: list[tuple[int, int]] = []
    for place, task in np.argwhere(np.isfinite(size))[np.argsort(-size[np.isfinite(size)], kind="stable")].tolist():
        others = [history.units[other] for other, own in starts if own == task]
        if not others or np.min(np.linalg.norm(np.array(others) - history.units[place], axis=1)) > _APART:
            starts.append((place, task))
        if len(starts) == _STARTS:
            break
    return starts


def _height(plan: Plan, surrogate: Surrogate, units: Floats) -> Floats:
    return plan.deviation.size(surrogate.predict(units).mean[:, 0])


def _climbed(plan: Plan, surrogate: Surrogate, start: Floats) -> Floats:
    """Climb to the top above a start; stay where constraints or whole numbers make climbing another matter."""
    sign = np.sign(surrogate.predict(start[None]).mean[0, 0]) if plan.deviation.signed else 1.0

    def depth(unit: Floats) -> tuple[float, Floats]:
        found = surrogate.predict_with_gradient(unit[None])
        return -float(sign * found.mean[0, 0] / surrogate.scales[0]), -sign * found.mean_gradient[
            0, 0
        ] / surrogate.scales[0]

    # To the end: a top is flat, and a search that stops early stops elsewhere on another processor.
    options = {"maxiter": 100, "ftol": 1e-15, "gtol": 1e-9}
    found = minimize(depth, start, jac=True, method="L-BFGS-B", bounds=[(0, 1)] * len(start), options=options)
    units = plan.space.snap(np.array([start, found.x]))
    allowed = plan.space.allows(plan.space.decode(units))
    heights = np.where(allowed, _height(plan, surrogate, units), -np.inf)
    best: Floats = units[int(np.argmax(heights))]
    return best


def _same(plan: Plan, one: _Top, other: _Top) -> bool:
    """Say whether two tops are one: whether the way between them never dips."""
    if one.task != other.task:
        return False
    way = other.unit + np.linspace(0, 1, 17)[:, None] * (one.unit - other.unit)
    return bool(np.min(_height(plan, one.surrogate, way)) >= _DIP * min(one.height, other.height))


def _peak(plan: Plan, history: History, top: _Top, *, at_worst: bool) -> Peak:
    places = history.of_task(top.task)
    nearest = places[int(np.argmin(np.linalg.norm(history.units[places] - top.unit, axis=1)))]
    slope = 2 * np.sqrt(top.height) if plan.deviation.name == "squared" else 1.0
    return Peak(
        point=plan.space.values(plan.space.decode(top.unit[None])[0]),
        task=plan.tasks[top.task],
        predicted=float(top.height),
        sd=float(slope * top.surrogate.predict(top.unit[None]).sd[0, 0]),
        nearest=float(plan.deviation.size(history.values[nearest, top.task])),
        at_worst=at_worst,
    )
