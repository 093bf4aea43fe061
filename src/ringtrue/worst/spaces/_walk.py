"""Uniform points of a thin set: hit-and-run, with directions that learn how the set lies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ringtrue.worst._arrays import Bools, Floats

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
