"""Draw and spread points in a space that constraints may make small: by trial, as a Sobol sequence, or on a walk."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ringtrue.stats import generator
from ringtrue.worst._arrays import Bools, Floats
from ringtrue.worst.spaces._choice import Parameter, spread
from ringtrue.worst.spaces._constraints import Limits, interior_point

Allowed = Callable[[Floats], Bools]

WALKERS = 512
_SHRINKS = 60
"""Halvings after which a walker stays where it is: steps below 2^-60 do not move it."""

_ROUNDS = 60
_SETTLED = 0.01
"""The walkers have spread out when a round widens them by less than this share, in the mean of their directions."""

_STEPS = 4
"""Steps between the walkers' last places and the points that are handed out."""


@dataclass(frozen=True, eq=False)
class Walk:
    """Walkers spread over a set within the unit cube, and the shape of their cloud.

    A step goes along a random line through the walker's place. A place is drawn on the whole of the line within the
    cube; while it is not allowed, the line is cut off there and drawn again. That leaves uniform walkers uniform on
    any set, convex or not, and nothing has to be known of it but whether a point is allowed. Lines are drawn in the
    proportions of the cloud, without which a thin set is crossed in steps as small as it is thin.

    References: Smith, Efficient Monte Carlo procedures for generating points uniformly distributed over bounded
    regions, Operations Research 32 (1984); Neal, Slice sampling, Annals of Statistics 31 (2003).
    """

    allowed: Allowed
    places: Floats
    directions: Floats

    @classmethod
    def spread_out(cls, allowed: Allowed, starts: Floats, rng: np.random.Generator) -> Walk:
        """Let walkers set out from `starts`, allowed points (m, axes), and walk until they spread no further.

        If there is a uniformly random start for each, they are where they should be.
        """
        axes = starts.shape[1]
        places, directions, size = starts[np.arange(WALKERS) % len(starts)], np.eye(axes), -np.inf
        if len(starts) >= WALKERS:
            return cls(allowed, places, _proportions(places))
        for _ in range(_ROUNDS):
            places = cls(allowed, places, directions)._stepped(places, 3 * axes, rng)
            directions = _proportions(places)
            before, size = size, float(np.mean(np.log(np.linalg.norm(directions, axis=0))))
            if size < before + _SETTLED:
                break
        return cls(allowed, places, directions)

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw points (n, axes), each a few steps away from a walker."""
        return self._stepped(self.places[rng.integers(len(self.places), size=n)], _STEPS, rng)

    def _stepped(self, places: Floats, steps: int, rng: np.random.Generator) -> Floats:
        for _ in range(steps):
            places = self._step(places, rng)
        return places

    def _step(self, places: Floats, rng: np.random.Generator) -> Floats:
        lines = rng.standard_normal(places.shape) @ self.directions.T
        lines = np.where(np.abs(lines) < 1e-200, 1e-200, lines)
        ends = np.stack([-places / lines, (1.0 - places) / lines])
        back, forth = np.max(np.min(ends, axis=0), axis=1), np.min(np.max(ends, axis=0), axis=1)
        moved, trying = places.copy(), np.arange(len(places))
        for _ in range(_SHRINKS):
            far = back[trying] + rng.random(len(trying)) * (forth - back)[trying]
            tried = np.minimum(np.maximum(places[trying] + far[:, None] * lines[trying], 0.0), 1.0)
            good = self.allowed(tried)
            moved[trying[good]] = tried[good]
            trying, far = trying[~good], far[~good]
            if not len(trying):
                break
            back[trying] = np.where(far < 0, far, back[trying])
            forth[trying] = np.where(far < 0, forth[trying], far)
        return moved


def _proportions(places: Floats) -> Floats:
    """Return the axes of a cloud of points as columns, each as long as the cloud is wide."""
    # Singular values, because the square of a width of 1e-12 would drown in the rounding of the others.
    _, widths, axes = np.linalg.svd(places - places.mean(axis=0), full_matrices=False)
    return np.asarray(axes.T * np.maximum(widths, 1e-16))


_PROBES = 4096
_BLOCKS = 64
"""So many times as many places are tried at most, to find starts for a walk."""

_THIN = 0.02
"""Below this share of allowed points, drawing and rejecting costs more than walking."""

_LONGEST = 16
"""Two to this power points of the sequence are tried; constraints that drop nearly all of them get random ones then."""

_BLOCK = 256


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

    def allows(self, points: Floats) -> Bools:
        """Say whether points keep every constraint."""
        if not len(self._limits):
            return np.ones(len(points), dtype=np.bool_)
        return self._limits.allow(points[:, self._limits.columns])

    def draw(self, n: int, rng: np.random.Generator) -> Floats:
        """Draw random points that keep the constraints."""
        axes = len(self._parameters)
        if self.share < _THIN:
            points = spread(self._parameters, rng.random((n, axes)))
            points[:, self._limits.columns] = self._limits.spread(self._walk.draw(n, rng))
            return points
        kept = np.empty((0, axes))
        while len(kept) < n:
            tries = math.ceil((n - len(kept)) / self.share * 1.1) if self.share < 1 else n
            tried = spread(self._parameters, rng.random((tries, axes)))
            kept = np.concatenate([kept, tried[self.allows(tried)]])
        return kept[:n]

    def sobol(self, n: int, seed: int, *, skip: int, every: Floats | None) -> Floats:
        """Return `n` points of the scrambled sequence after the first `skip`; asking for more begins with the same.

        Where a space has few points, `every` lists them, and no point comes twice before every point has come.

        References: Sobol, USSR Computational Mathematics 7 (1967); Owen, Randomly permuted (t,m,s)-nets, 1995.
        """
        from scipy.stats import qmc  # takes a second to load

        wanted = skip + n if every is None else min(skip + n, len(every))
        axes = len(self._parameters)
        points = np.empty((0, axes))
        power = min(math.ceil(math.log2(max(wanted, 1) / max(self.share, 2.0**-_LONGEST))), _LONGEST)
        while len(points) < wanted and power <= _LONGEST:
            scrambling = np.random.default_rng(generator(seed, "worst/spaces/sobol").integers(2**63))
            net = spread(self._parameters, qmc.Sobol(axes, scramble=True, seed=scrambling).random_base2(power))
            points, power = _distinct(net[self.allows(net)]), power + 1
        if len(points) < wanted:
            points = self._and_random(points, wanted, seed) if every is None else _distinct(np.vstack([points, every]))
        return points[np.arange(skip, skip + n) % len(points)]

    def _and_random(self, points: Floats, wanted: int, seed: int) -> Floats:
        """Put random points after these, until there are enough, or no new ones come."""
        for block in itertools.count():
            drawn = self.draw(_BLOCK, generator(seed, "worst/spaces/after sobol", block))
            before, points = len(points), _distinct(np.vstack([points, drawn]))
            if len(points) >= wanted or len(points) == before:
                break
        return points

    @cached_property
    def share(self) -> float:
        """The share of the box that the constraints allow, roughly."""
        return len(self._found(0)) / _PROBES if len(self._limits) else 1.0

    def _found(self, block: int) -> Floats:
        """Return the allowed ones of many random places of the constrained numbers."""
        chances = generator(0, "worst/spaces/probes", block).random((_PROBES, len(self._limits.columns)))
        return chances[self._allowed(chances)]

    def _allowed(self, chances: Floats) -> Bools:
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


def _distinct(points: Floats) -> Floats:
    """Keep each point once, in the order in which they first came."""
    _, first = np.unique(points, axis=0, return_index=True)
    return points[np.sort(first)]
