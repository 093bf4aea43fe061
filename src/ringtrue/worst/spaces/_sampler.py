"""Random points of a space that keep its constraints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ringtrue.stats import generator
from ringtrue.worst.spaces._interior import interior_point
from ringtrue.worst.spaces._limits import Limits
from ringtrue.worst.spaces._parameter import Parameter
from ringtrue.worst.spaces._scale import Floats
from ringtrue.worst.spaces._walk import WALKERS, Walk

_PROBES = 4096
_BLOCKS = 64
"""So many times as many places are tried at most, to find starts for a walk."""

_THIN = 0.02
"""Below this share of allowed points, drawing and rejecting costs more than walking."""


class Sampler:
    """Draws points (n, parameters) in natural units; equal stretches of the scales have equal chances.

    Points are drawn in the box, and those that break a constraint are dropped. Where that would drop nearly all, the
    constrained numbers come from a walk within the allowed set, whose distribution is the same; the other parameters
    are drawn as ever. The walk starts from what a long search by chance finds or, if that is nothing, from within.
    """

    def __init__(self, parameters: Sequence[Parameter], limits: Limits) -> None:
        self._parameters, self._limits = parameters, limits
        if self.share == 0:
            self._inner  # noqa: B018  constraints that nothing satisfies are refused at once

    def allows(self, points: Floats) -> NDArray[np.bool_]:
        """Whether points keep every constraint."""
        if not len(self._limits):
            return np.ones(len(points), dtype=np.bool_)
        return self._limits.allow(points[:, self._limits.columns])

    def spread(self, chances: Floats) -> Floats:
        """Points made of chances that are uniform in [0, 1), whether or not they keep the constraints."""
        columns = [parameter.spread(chances[:, place]) for place, parameter in enumerate(self._parameters)]
        return np.column_stack(columns)

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        """Random points that keep the constraints."""
        axes = len(self._parameters)
        if self.share < _THIN:
            points = self.spread(rng.random((n, axes)))
            points[:, self._limits.columns] = self._limits.spread(self._walk.draw(n, rng))
            return points
        kept = np.empty((0, axes))
        while len(kept) < n:
            tries = math.ceil((n - len(kept)) / self.share * 1.1) if self.share < 1 else n
            tried = self.spread(rng.random((tries, axes)))
            kept = np.concatenate([kept, tried[self.allows(tried)]])
        return kept[:n]

    @cached_property
    def share(self) -> float:
        """The share of the box that the constraints allow, roughly."""
        return len(self._found(0)) / _PROBES if len(self._limits) else 1.0

    def _found(self, block: int) -> Floats:
        """The allowed ones of many random places of the constrained numbers."""
        chances = generator(0, "worst/spaces/probes", block).random((_PROBES, len(self._limits.columns)))
        return chances[self._allowed(chances)]

    def _allowed(self, chances: Floats) -> NDArray[np.bool_]:
        return self._limits.allow(self._limits.spread(chances))

    @cached_property
    def _inner(self) -> Floats:
        """An allowed place (1, numbers), or an error if there is none."""
        point = interior_point(self._limits)
        return np.array([[number.chance(value) for number, value in zip(self._limits.numbers, point, strict=True)]])

    @cached_property
    def _walk(self) -> Walk:
        starts = np.empty((0, len(self._limits.columns)))
        for block in range(_BLOCKS):
            if len(starts) < WALKERS:
                starts = np.concatenate([starts, self._found(block)])
        starts = starts if len(starts) else self._inner
        return Walk.spread_out(self._allowed, starts, generator(0, "worst/spaces/walk"))
