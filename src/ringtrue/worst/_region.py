"""The region around the worst point in which the deviation stays high, by the surrogate."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import Json
from ringtrue.stats import generator
from ringtrue.worst._deviation import Floats
from ringtrue.worst._history import History, noted
from ringtrue.worst._plan import Plan
from ringtrue.worst._worst_so_far import WorstSoFar
from ringtrue.worst.spaces import Choice

if TYPE_CHECKING:
    from ringtrue.worst._beliefs import Panel

SHARE = 0.5
"""The deviation is high where it is at least this share of the worst."""

_RAYS = 512
_STEPS = 32
_HALVINGS = 8
_GRID = 201


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
    def around(cls, plan: Plan, panel: Panel, history: History, worst: WorstSoFar) -> Region:
        """The region around the worst point, as the panel of its task has it."""
        space, centre = plan.space, history.units[worst.place]
        threshold = SHARE * worst.deviation if plan.deviation.signed else _between(history, worst)
        sign = math.copysign(1.0, worst.value) if plan.deviation.signed else 1.0
        level = plan.deviation.magnitude(threshold)

        def inside(units: Floats) -> NDArray[np.bool_]:
            within: NDArray[np.bool_] = np.all(space.slack(units)[0] >= 0, axis=1)
            return within

        def high(units: Floats) -> NDArray[np.bool_]:
            held = inside(units)
            held[held] = sign * panel.predict(space.snap(units[held])).mean[:, 0] >= level
            return held

        # Rays to random points of the space: as many go each way as there is room.
        points = space.sample(_RAYS, generator(0, "region", history.size))
        directions = np.where(space.numeric, points - centre, 0.0)
        moving = int(np.count_nonzero(space.numeric))
        reach, room = _reach(centre, directions, high), _reach(centre, directions, inside)
        shares = np.divide(reach, room, out=np.zeros(_RAYS), where=room > 0) ** moving
        volume = float(np.mean(shares)) / space.combinations if moving else 0.0
        return cls(centre, directions, reach, shares, moving, threshold, volume, _extents(plan, centre, high))

    def draw(self, rng: np.random.Generator) -> Floats:
        """A uniformly random point of the region."""
        if not self.shares.sum() > 0:
            return self.centre
        ray = int(rng.choice(len(self.shares), p=self.shares / self.shares.sum()))
        drawn: Floats = self.centre + self.directions[ray] * self.reach[ray] * rng.random() ** (1 / self.moving)
        return drawn


High: TypeAlias = Callable[[Floats], NDArray[np.bool_]]


def _between(history: History, worst: WorstSoFar) -> float:
    """Between the median deviation and the worst: a measure that is not signed need not start at zero.

    The median is that of points spread evenly or at random: those that were searched out are no usual ones.
    """
    usual = [noted(record).get("phase") in ("initial", "check") for record in history.records]
    values = history.values[usual, worst.task]
    median = float(np.nanmedian(values if np.any(~np.isnan(values)) else history.values[:, worst.task]))
    return median + SHARE * (worst.deviation - median)


def _reach(centre: Floats, directions: Floats, keeps: High) -> Floats:
    """How far each ray goes, in lengths of its direction, before a point no longer keeps a rule.

    By steps to the first that does not, and by halving the last of them.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.where(
            directions > 0, (1 - centre) / directions, np.where(directions < 0, -centre / directions, np.inf)
        )
    longest = np.min(ends, axis=1)
    longest = np.where(np.isfinite(longest), longest, 0.0)

    def held(radii: Floats) -> NDArray[np.bool_]:
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


def _extents(plan: Plan, centre: Floats, high: High) -> dict[str, Json]:
    """For each parameter by itself, the others as they are: between which values, or with which options, it is high."""
    point = plan.space.decode(centre[None])[0]
    extents: dict[str, Json] = {}
    for place, parameter in enumerate(plan.space.parameters):
        if isinstance(parameter, Choice):
            tried = np.tile(point, (parameter.count, 1))
            tried[:, place] = np.arange(parameter.count)
        else:
            tried = np.tile(point, (_GRID, 1))
            tried[:, place] = parameter.decode(np.linspace(0, 1, _GRID)[:, None])
        allowed = plan.space.allows(tried)
        held = np.zeros(len(tried), dtype=np.bool_)
        held[allowed] = high(plan.space.encode(tried[allowed]))
        if isinstance(parameter, Choice):
            extents[parameter.name] = [option for option, keeps in zip(parameter.options, held, strict=True) if keeps]
        else:
            low, top = _around(tried[:, place], held, point[place])
            extents[parameter.name] = [parameter.value(low), parameter.value(top)]
    return extents


def _around(values: Floats, held: NDArray[np.bool_], middle: float) -> tuple[float, float]:
    """The run of values around the middle that are all high."""
    lower, upper = values <= middle, values >= middle
    down = values[lower][::-1][: int(np.sum(np.cumprod(held[lower][::-1])))]
    up = values[upper][: int(np.sum(np.cumprod(held[upper])))]
    return float(min([*down, middle])), float(max([*up, middle]))
