"""The surrogate around the worst point: the region in which the deviation stays high, and slices through that point."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ringtrue.core import Json
from ringtrue.stats import generator
from ringtrue.worst._arrays import Bools, Floats
from ringtrue.worst._history import History, WorstSoFar
from ringtrue.worst._plan import Plan
from ringtrue.worst._surrogates import Surrogate
from ringtrue.worst.spaces import Choice

SHARE = 0.5
"""The deviation is high where it is at least this share of the worst."""

_RAYS = 512
_STEPS = 32
_HALVINGS = 8
_GRID = 201

_SLICE = 41
_BAND = 1.96
_NEAR = 0.25
"""Evaluations no farther from the slice than this, in lengthscales of the other parameters, are shown with it."""

Keeps: TypeAlias = Callable[[Floats], Bools]
"""Says which places of the unit cube (m, D) keep a rule."""


@dataclass(frozen=True, slots=True)
class Region:
    """All that can be reached from the worst point on a straight line without leaving the high deviations.

    Rays go out from `centre` in `directions`, each as far as its `reach`; they move the numbers alone and leave choices
    as they are. Directions are those of uniformly random points, so a ray stands for as much of the space as there is
    room along it, of which the region has `shares`: their mean is its `volume`, as a share of the space. `threshold` is
    the deviation down to which it counts as high.
    """

    centre: Floats
    directions: Floats
    reach: Floats
    shares: Floats
    moving: int
    threshold: float
    volume: float
    extent: dict[str, Json]

    @classmethod
    def around(cls, plan: Plan, surrogate: Surrogate, history: History, worst: WorstSoFar) -> Region:
        """Find the region around the worst point, by the surrogate of its task."""
        space, centre = plan.space, history.units[worst.place]
        threshold = SHARE * worst.deviation if plan.deviation.signed else _between(history, worst)
        sign = math.copysign(1.0, worst.value) if plan.deviation.signed else 1.0
        level = plan.deviation.magnitude(threshold)

        def inside(units: Floats) -> Bools:
            within: Bools = np.all(space.slack(units)[0] >= 0, axis=1)
            return within

        def high(units: Floats) -> Bools:
            held = inside(units)
            held[held] = sign * surrogate.predict(space.snap(units[held])).mean[:, 0] >= level
            return held

        # Rays to random points of the space: as many go each way as there is room.
        points = space.sample(_RAYS, generator(0, "region", history.size))
        directions = np.where(space.number_coordinates, points - centre, 0.0)
        moving = int(np.count_nonzero(space.number_coordinates))
        reach, room = _reach(centre, directions, high), _reach(centre, directions, inside)
        shares = np.divide(reach, room, out=np.zeros(_RAYS), where=room > 0) ** moving
        volume = float(np.mean(shares)) / space.combinations if moving else 0.0
        return cls(centre, directions, reach, shares, moving, threshold, volume, _extents(plan, centre, high))

    def draw(self, rng: np.random.Generator) -> Floats:
        """Draw a uniformly random point of the region."""
        if not self.shares.sum() > 0:
            return self.centre
        ray = int(rng.choice(len(self.shares), p=self.shares / self.shares.sum()))
        drawn: Floats = self.centre + self.directions[ray] * self.reach[ray] * rng.random() ** (1 / self.moving)
        return drawn


def _between(history: History, worst: WorstSoFar) -> float:
    """Return what lies between the median deviation and the worst: a measure without a sign need not start at zero.

    The median is that of points spread evenly or at random: those that were searched out are not usual ones.
    """
    usual = [record.note.get("phase") in ("initial", "check") for record in history.records]
    values = history.values[usual, worst.task]
    median = float(np.nanmedian(values if np.any(~np.isnan(values)) else history.values[:, worst.task]))
    return median + SHARE * (worst.deviation - median)


def _reach(centre: Floats, directions: Floats, keeps: Keeps) -> Floats:
    """Return how far each ray goes, in lengths of its direction, before a point no longer keeps a rule.

    By steps to the first that does not, and by halving the last of them.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.where(
            directions > 0, (1 - centre) / directions, np.where(directions < 0, -centre / directions, np.inf)
        )
    longest = np.min(ends, axis=1)
    longest = np.where(np.isfinite(longest), longest, 0.0)

    def held(radii: Floats) -> Bools:
        units = centre + radii[:, :, None] * directions[:, None, :]
        return keeps(np.clip(units.reshape(-1, len(centre)), 0, 1)).reshape(radii.shape)

    steps = held(longest[:, None] * np.arange(1, _STEPS + 1) / _STEPS)
    low: Floats = longest * np.sum(np.cumprod(steps, axis=1), axis=1) / _STEPS
    high = np.minimum(low + longest / _STEPS, longest)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        kept = held(middle[:, None])[:, 0]
        low, high = np.where(kept, middle, low), np.where(kept, high, middle)
    return low


def _extents(plan: Plan, centre: Floats, high: Keeps) -> dict[str, Json]:
    """Return, for each parameter by itself, between which values or with which options the deviation is high."""
    point = plan.space.decode(centre[None])[0]
    extents: dict[str, Json] = {}
    for place, parameter in enumerate(plan.space.parameters):
        tried = _along(plan, point, place, _GRID)
        allowed = plan.space.allows(tried)
        held = np.zeros(len(tried), dtype=np.bool_)
        held[allowed] = high(plan.space.encode(tried[allowed]))
        if isinstance(parameter, Choice):
            extents[parameter.name] = [option for option, keeps in zip(parameter.options, held, strict=True) if keeps]
        else:
            low, top = _around(tried[:, place], held, point[place])
            extents[parameter.name] = [parameter.value(low), parameter.value(top)]
    return extents


def _around(values: Floats, held: Bools, middle: float) -> tuple[float, float]:
    """Return the ends of the run of values around the middle that are all high."""
    lower, upper = values <= middle, values >= middle
    down = values[lower][::-1][: int(np.sum(np.cumprod(held[lower][::-1])))]
    up = values[upper][: int(np.sum(np.cumprod(held[upper])))]
    return float(min([*down, middle])), float(max([*up, middle]))


def slices(plan: Plan, surrogate: Surrogate, history: History, worst: WorstSoFar) -> list[Json]:
    """Cut the surrogate through the worst point, once along each parameter while the others stay.

    A slice has the mean deviation of the worst point's task, and a band of 95 % at each point alone.
    """
    point, unit = history.points[worst.place], history.units[worst.place]
    lengthscales = surrogate.processes[0].shape.lengthscales
    places = history.of_task(worst.task)
    made: list[Json] = []
    start = 0
    for column, parameter in enumerate(plan.space.parameters):
        own = np.zeros(plan.space.width, dtype=np.bool_)
        own[start : start + parameter.width] = True
        start += parameter.width
        tried = _along(plan, point, column, _SLICE)
        found = surrogate.predict(plan.space.encode(tried))
        mean, low, high = _band(plan, found.mean[:, 0], found.sd[:, 0])
        away = np.linalg.norm(((history.units[places] - unit) / lengthscales)[:, ~own], axis=1)
        near = places[away <= _NEAR]
        made.append(
            {
                "parameter": parameter.name,
                "task": plan.tasks[worst.task],
                "at": [parameter.value(value) for value in tried[:, column]],
                "mean": mean.tolist(),
                "low": low.tolist(),
                "high": high.tolist(),
                "seen_at": [parameter.value(value) for value in history.points[near, column]],
                "seen": plan.deviation.size(history.values[near, worst.task]).tolist(),
            }
        )
    return made


def _along(plan: Plan, point: Floats, column: int, steps: int) -> Floats:
    """Move one parameter of a point from end to end of its scale, in so many steps, or through all of its options."""
    parameter = plan.space.parameters[column]
    if isinstance(parameter, Choice):
        moved = np.arange(parameter.high + 1.0)
    else:
        moved = parameter.decode(np.linspace(0, 1, steps)[:, None])
    tried = np.tile(point, (len(moved), 1))
    tried[:, column] = moved
    return tried


def _band(plan: Plan, mean: Floats, sd: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the deviation that a mean and a band around it amount to; a band across zero begins at none."""
    low, high = mean - _BAND * sd, mean + _BAND * sd
    size = plan.deviation.size
    if not plan.deviation.signed:
        return mean, low, high
    ends = np.stack([size(low), size(high)])
    return size(mean), np.where((low < 0) & (high > 0), 0.0, ends.min(axis=0)), ends.max(axis=0)
