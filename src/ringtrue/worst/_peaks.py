"""The distinct places where the surrogate has the deviation high: the worst one, and the others."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from ringtrue.core import Json
from ringtrue.worst._beliefs import Beliefs, Panel
from ringtrue.worst._deviation import Floats
from ringtrue.worst._history import History
from ringtrue.worst._plan import Plan
from ringtrue.worst._worst_so_far import worst_so_far

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
    """Whether it is the top at the worst evaluation, and not another."""

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


def find_peaks(plan: Plan, beliefs: Beliefs, history: History, *, averaged: bool = False) -> list[Peak]:
    """The highest tops, climbed to from the largest evaluations that lie apart; with input noise, `averaged` ones."""
    tops: list[tuple[float, int, Floats, Panel]] = []
    for place, task in _starts(plan, history):
        panel = beliefs.of(history, (task,), averaged=averaged)
        unit = _climbed(plan, panel, history.units[place])
        tops.append((_height(plan, panel, unit[None])[0], task, unit, panel))
    tops.sort(key=lambda top: -top[0])
    kept: list[tuple[float, int, Floats, Panel]] = []
    for top in tops:
        if len(kept) < MOST and top[0] >= _LOWEST * tops[0][0] and not any(_same(plan, top, other) for other in kept):
            kept.append(top)
    worst = worst_so_far(plan, history)
    panel = beliefs.of(history, (worst.task,), averaged=averaged)
    here = (_height(plan, panel, history.units[worst.place][None])[0], worst.task, history.units[worst.place], panel)
    peaks = [_peak(plan, history, *top, at_worst=_same(plan, top, here)) for top in kept]
    seen = [peak for peak in peaks if peak.at_worst or _is_seen(peak, worst.deviation)]
    return sorted(seen, key=lambda peak: not peak.at_worst)


def _is_seen(peak: Peak, worst: float) -> bool:
    """Whether a top is no higher than what was measured somewhere, or all but measured itself.

    Any other is what the surrogate makes of a place where nothing was evaluated: the search will look there, and
    nothing is told of it before.
    """
    return peak.predicted <= worst or peak.nearest >= _DIP * peak.predicted


def _starts(plan: Plan, history: History) -> list[tuple[int, int]]:
    """The largest evaluations, each with its task, none close to a larger one of the same task."""
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


def _height(plan: Plan, panel: Panel, units: Floats) -> Floats:
    return plan.deviation.size(panel.predict(units).mean[:, 0])


def _climbed(plan: Plan, panel: Panel, start: Floats) -> Floats:
    """The top above a start; the start itself where constraints or whole numbers make climbing another matter."""
    sign = np.sign(panel.predict(start[None]).mean[0, 0]) if plan.deviation.signed else 1.0

    def depth(unit: Floats) -> tuple[float, Floats]:
        found = panel.predict_with_gradient(unit[None])
        return -float(sign * found.mean[0, 0] / panel.scales[0]), -sign * found.mean_gradient[0, 0] / panel.scales[0]

    # To the end: a top is flat, and a search that stops early stops elsewhere on another processor.
    options = {"maxiter": 100, "ftol": 1e-15, "gtol": 1e-9}
    found = minimize(depth, start, jac=True, method="L-BFGS-B", bounds=[(0, 1)] * len(start), options=options)
    units = plan.space.snap(np.array([start, found.x]))
    allowed = plan.space.allows(plan.space.decode(units))
    heights = np.where(allowed, _height(plan, panel, units), -np.inf)
    best: Floats = units[int(np.argmax(heights))]
    return best


def _same(plan: Plan, one: tuple[float, int, Floats, Panel], other: tuple[float, int, Floats, Panel]) -> bool:
    if one[1] != other[1]:
        return False
    way = other[2] + np.linspace(0, 1, 17)[:, None] * (one[2] - other[2])
    return bool(np.min(_height(plan, one[3], way)) >= _DIP * min(one[0], other[0]))


def _peak(
    plan: Plan, history: History, height: float, task: int, unit: Floats, panel: Panel, *, at_worst: bool
) -> Peak:
    places = history.of_task(task)
    nearest = places[int(np.argmin(np.linalg.norm(history.units[places] - unit, axis=1)))]
    spread = panel.predict(unit[None]).sd[0, 0]
    slope = 2 * np.sqrt(height) if plan.deviation.name == "squared" else 1.0
    return Peak(
        plan.space.values(plan.space.decode(unit[None])[0]), plan.tasks[task], float(height), float(slope * spread),
        float(plan.deviation.size(history.values[nearest, task])), at_worst,
    )  # fmt: skip
