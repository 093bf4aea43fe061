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
from ringtrue.worst._history import History
from ringtrue.worst._plan import Plan
from ringtrue.worst._worst_so_far import WorstSoFar
from ringtrue.worst.spaces import Choice

if TYPE_CHECKING:
    from ringtrue.worst._beliefs import Panel

SHARE = 0.5
"""The deviation is high where it is at least this share of the worst."""

_RAYS = 512
_STEPS = 32
_GRID = 201


@dataclass(frozen=True, slots=True)
class Region:
    """All that can be reached from the worst point on a straight line without leaving the high deviations.

    Rays go out from `centre` in `directions`, each as far as its `reach`; they move the numbers alone and leave choices
    as they are. `threshold` is the deviation down to which it counts as high. `volume` is the share of the space.
    """

    centre: Floats
    directions: Floats
    reach: Floats
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

        def high(units: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
            inside = np.all((units >= -1e-12) & (units <= 1 + 1e-12), axis=1) & np.all(
                space.slack(units)[0] >= 0, axis=1
            )
            held = np.zeros(len(units), dtype=np.bool_)
            held[inside] = sign * panel.predict(space.snap(units[inside])).mean[:, 0] >= level
            return held

        numeric = space.numeric
        stretch = np.where(numeric, np.minimum(panel.processes[0].shape.lengthscales, 1.0), 0.0)
        rng = generator(0, "region", history.size)
        ball = rng.standard_normal((_RAYS, space.width)) * numeric
        moving = int(np.count_nonzero(numeric))
        norms = np.linalg.norm(ball, axis=1, keepdims=True)
        directions = stretch * ball / np.where(norms > 0, norms, 1.0)
        reach = _reach(centre, directions, high) if moving else np.zeros(_RAYS)
        ball_volume = math.pi ** (moving / 2) / math.gamma(moving / 2 + 1)
        whole = _allowed_share(plan)
        volume = ball_volume * float(np.prod(stretch[numeric])) * float(np.mean(reach**moving)) / whole
        return cls(
            centre, directions, reach, moving, threshold, min(1.0, volume / space.combinations),
            _extents(plan, centre, high),
        )  # fmt: skip

    def draw(self, rng: np.random.Generator) -> Floats:
        """A uniformly random point of the region."""
        weights = self.reach**self.moving
        if not weights.sum() > 0:
            return self.centre
        ray = int(rng.choice(len(weights), p=weights / weights.sum()))
        drawn: Floats = self.centre + self.directions[ray] * self.reach[ray] * rng.random() ** (1 / self.moving)
        return drawn


High: TypeAlias = Callable[[Floats], NDArray[np.bool_]]


def _between(history: History, worst: WorstSoFar) -> float:
    """Between the median deviation and the worst: a measure that is not signed need not start at zero."""
    median = float(np.nanmedian(history.values[:, worst.task]))
    return median + SHARE * (worst.deviation - median)


def _reach(centre: Floats, directions: Floats, high: High) -> Floats:
    """How far each ray goes before the deviation is no longer high: the last of many steps at which it still is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.where(
            directions > 0, (1 - centre) / directions, np.where(directions < 0, -centre / directions, np.inf)
        )
    longest = np.min(ends, axis=1)
    steps = np.arange(1, _STEPS + 1) / _STEPS
    radii = longest[:, None] * steps
    units = centre + radii[:, :, None] * directions[:, None, :]
    held = high(np.clip(units.reshape(-1, len(centre)), 0, 1)).reshape(radii.shape)
    count = np.sum(np.cumprod(held, axis=1), axis=1).astype(int)
    return np.where(count > 0, longest * count / _STEPS, 0.0)


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


def _allowed_share(plan: Plan) -> float:
    """The share of the box that keeps the constraints."""
    if not plan.space.constraints:
        return 1.0
    drawn = generator(0, "allowed share").random((4096, plan.space.width))
    return max(float(np.mean(plan.space.allows(plan.space.decode(drawn)))), 1 / len(drawn))
