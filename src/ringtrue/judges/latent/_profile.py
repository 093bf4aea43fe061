"""Profile likelihood intervals: how far a quantity can move before even the best fit around it is unlikely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.judges._evaluation import Floats
from ringtrue.judges.latent._angles import NEAREST, AngleLikelihood, Quantities, fold_angles

_CLOSE = 0.03
"""An end is found when the root of the likelihood ratio is so near to the normal quantile; the rest is interpolated."""

_ROUNDS = 10
"""Trials for each end; where they do not suffice, the nearest end known to lie too far out is taken."""

_LONGEST = 0.4
"""No angle moves further in one step: beyond, the quadratic model of the likelihood is worth little."""


def profile(
    likelihood: AngleLikelihood, start: Floats, quantities: Quantities, *, z: float
) -> tuple[Floats, Floats, Floats]:
    """Find the intervals of values with a fit whose log-likelihood is within z*z/2 of the best, z being widened.

    Returns the best fit, and as angles for each quantity its value there and its two ends.

    Reference: Venzon & Moolgavkar, Applied Statistics 37 (1988).
    """
    starts = np.stack([likelihood.start_from(start), likelihood.start_from(start, toward_middle=0.5)])
    for _ in range(3):
        tops, heights = climb_angles(likelihood, starts, steps=200, gain=1e-9)
        top = int(np.argmax(heights > heights.max() - 1e-6))
        search = _Search(likelihood, tops[top], float(heights[top]), quantities, z)
        starts = search.run()
        if not len(starts):
            break
    return search.best, search.value, search.ends.reshape(-1, 2)


def standard_errors(likelihood: AngleLikelihood, best: Floats, quantities: Quantities) -> tuple[Floats, Floats, Floats]:
    """Return each quantity, its standard error by the curvature at the best fit, and how all angles go with it."""
    rows = np.arange(len(quantities))
    value, slopes = quantities.at(np.repeat(best[None], len(rows), axis=0), rows)
    slopes[:, : likelihood.frozen] = 0.0
    _, complete, missing = likelihood.slopes(best[None])
    scale = 1 / np.sqrt(np.maximum(complete[0], 1e-6))
    shares, directions = np.linalg.eigh(np.eye(likelihood.size) - missing[0] * scale[:, None] * scale)
    turned = (slopes * scale) @ directions
    spread = turned / np.maximum(shares, 1e-8)
    variance = np.maximum(np.sum(turned * spread, axis=1), 1e-12)
    return value, np.sqrt(variance), (spread @ directions.T) * scale / variance[:, None]


def widen_quantile(z: float, error: Floats) -> Floats:
    """Widen the quantile for quantities with these standard errors as angles, most where the votes tell little.

    Where the likelihood is not a parabola, its ratio exceeds what chi-square says. By how much was found by simulation,
    not derived: five judges right 65% of the time, 500 items, need the 5 here. Strong judges are widened by 1%.
    """
    quantiles: Floats = z * np.sqrt(1 + 5 * np.minimum(error, 0.5) ** 2)
    return quantiles


class _Search:
    """Both ends of all quantities, sought at once: the bounds inside and outside of each, and the next trial."""

    def __init__(
        self, likelihood: AngleLikelihood, best: Floats, height: float, quantities: Quantities, z: float
    ) -> None:
        self.likelihood, self.quantities, self.best, self.height = likelihood, quantities, best, height
        self.value, self.error, along = standard_errors(likelihood, best, quantities)
        self.which = np.repeat(np.arange(len(quantities)), 2)
        self.z = widen_quantile(z, self.error)[self.which]
        self.sign = np.tile([-1.0, 1.0], len(quantities))
        self.centre, self.along = self.value[self.which], along[self.which]
        self.edge = np.where(self.sign < 0, NEAREST, np.pi - NEAREST)
        self.ends = self.edge.copy()
        self.inner, self.inner_root = self.centre.copy(), np.zeros(len(self.which))
        self.inner_point = np.repeat(best[None], len(self.which), axis=0)
        self.outer, self.outer_root = np.full((2, len(self.which)), np.inf)
        self.trial = self._kept(self.centre + self.sign * self.z * self.error[self.which])

    def run(self) -> Floats:
        """Find the ends. Returns a point higher than the best fit, if one was met on the way, from which to redo it."""
        left = np.flatnonzero(self.along.any(axis=1))  # a known prevalence has no ends
        for _ in range(_ROUNDS):
            points, heights = self._fits(left)
            if heights.max() > self.height + 1e-3:
                return points[[np.argmax(heights)]]
            root = np.sqrt(np.maximum(2 * (self.height - heights), 0.0))
            inside, close = root <= self.z[left], np.abs(root - self.z[left]) <= _CLOSE
            rows = left[inside]
            self.inner[rows], self.inner_root[rows], self.inner_point[rows] = (
                self.trial[rows],
                root[inside],
                points[inside],
            )
            rows = left[~inside]
            self.outer[rows], self.outer_root[rows] = self.trial[rows], root[~inside]
            rows = left[close]
            self.trial[rows] = self.centre[rows] + (self.trial - self.centre)[rows] * self.z[rows] / root[close]
            self.ends[rows] = self._kept(self.trial)[rows]
            left = left[~close & ~(inside & (self.trial[left] == self.edge[left]))]
            if not len(left):
                break
            self.trial = self._next()
        self.ends[left] = np.where(np.isfinite(self.outer), self.outer, self.edge)[left]
        return np.empty((0, self.likelihood.size))

    def _fits(self, left: np.ndarray) -> tuple[Floats, Floats]:
        """Fit with each quantity held at its trial value."""
        held = Held(self.quantities, self.which[left], self.trial[left])
        moved = np.clip(self.along[left] * (self.trial - self.inner)[left, None], -0.6, 0.6)
        enough = self.height - (0.8 * self.z.min()) ** 2 / 2
        points, heights = climb_angles(
            self.likelihood, self.likelihood.start_from(self.inner_point[left] + moved), held, enough=enough
        )
        # Much less likely than the curvature at the best fit says: perhaps a lower hill. Climb from the middle too.
        expected = np.abs(self.trial - self.centre)[left] / self.error[self.which[left]]
        doubtful = np.sqrt(np.maximum(2 * (self.height - heights), 0.0)) > np.maximum(1.25 * expected, self.z[left])
        again = np.flatnonzero(doubtful)
        if len(again):
            middle = np.repeat(self.likelihood.start_from(self.best, toward_middle=0.5)[None], len(again), axis=0)
            others, other_heights = climb_angles(self.likelihood, middle, held.of(again), enough=enough)
            better = other_heights > heights[again]
            points[again[better]], heights[again[better]] = others[better], other_heights[better]
        return points, heights

    def _next(self) -> Floats:
        """Go further out while nothing too far is known, else between; the root of the ratio is nearly straight."""
        further = self.centre + (self.inner - self.centre) * np.clip(
            1.02 * self.z / np.maximum(self.inner_root, 1e-3), 1.1, 3.0
        )
        bounded = np.isfinite(self.outer)
        rise = np.where(bounded, self.outer_root, np.inf) - self.inner_root
        share = np.clip((self.z - self.inner_root) / np.maximum(rise, 1e-9), 0.08, 0.92)
        between = self.inner + share * (np.where(bounded, self.outer, self.inner) - self.inner)
        return self._kept(np.where(bounded, between, further))

    def _kept(self, trial: Floats) -> Floats:
        """Return the trial, or the edge if it lies beyond."""
        return np.where(self.sign < 0, np.maximum(trial, self.edge), np.minimum(trial, self.edge))


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """The quantity that is held at each point, and its angle."""

    quantities: Quantities
    which: NDArray[np.int64]
    at: Floats

    def of(self, rows: NDArray[np.int64]) -> Held:
        return Held(self.quantities, self.which[rows], self.at[rows])

    def slopes(self, angles: Floats) -> Floats:
        return self.quantities.at(angles, self.which)[1]

    def restored(self, angles: Floats, frozen: int) -> tuple[Floats, NDArray[np.bool_]]:
        """Move the points onto the surface, and say whether they came to lie on it."""
        for _ in range(6):
            value, slopes = self.quantities.at(angles, self.which)
            gap = self.at - value
            if np.all(np.abs(gap) < 1e-7):
                break
            slopes[:, :frozen] = 0.0
            length = np.sum(slopes**2, axis=1)
            angles = fold_angles(angles + slopes * (gap / np.where(length > 1e-12, length, 1.0))[:, None])
        return angles, np.abs(gap) < 1e-5


def climb_angles(
    likelihood: AngleLikelihood,
    angles: Floats,
    held: Held | None = None,
    *,
    steps: int = 25,
    gain: float = 1e-3,
    enough: float = np.inf,
) -> tuple[Floats, Floats]:
    """Climb to where each climb ends; return the log-likelihood there, too, minus infinity where nothing can be held.

    Newton's method with the second derivatives, in which directions that curve upwards are turned round. A step that
    does not climb is shortened.

    Parameters
    ----------
    likelihood, angles
        What is climbed, and from where.
    held
        The quantities that are held, one per point.
    steps
        How many there may be.
    gain
        A climb ends when its next step promises less.
    enough
        A climb ends when it has reached this log-likelihood.
    """
    angles = fold_angles(angles)
    fine = np.ones(len(angles), dtype=bool)
    if held is not None:
        angles, fine = held.restored(angles, likelihood.frozen)
    value = np.where(fine, likelihood.value(angles), -np.inf)
    active = np.flatnonzero(fine)
    for _ in range(steps):
        if not len(active):
            break
        kept = None if held is None else held.of(active)
        step, promised = _newton(likelihood, angles[active], kept)
        going = promised > gain
        active, step = active[going], step[going]
        left = np.arange(len(active))
        climbs = np.zeros(len(active), dtype=bool)
        for shortened in (1.0, 0.25, 0.06, 0.01, 0.001):
            if not len(left):
                break
            rows = active[left]
            new, on = fold_angles(angles[rows] + shortened * step[left]), np.ones(len(rows), dtype=bool)
            if held is not None:
                new, on = held.of(rows).restored(new, likelihood.frozen)
            height = likelihood.value(new)
            better = on & (height > value[rows])
            angles[rows[better]] = new[better]
            climbs[left[better]] = height[better] - value[rows[better]] > gain / 100
            value[rows[better]] = height[better]
            left = left[~better]
        active = active[climbs & (value[active] < enough)]
    return angles, value


def _newton(likelihood: AngleLikelihood, angles: Floats, held: Held | None) -> tuple[Floats, Floats]:
    """Step along the surface to the top of the quadratic model; say how much likelihood it promises."""
    first, complete, missing = likelihood.slopes(angles)
    scale = 1 / np.sqrt(np.maximum(complete, 1e-6))
    first = first * scale
    curve = np.eye(likelihood.size) - missing * scale[:, :, None] * scale[:, None, :]
    if held is not None:
        normal = held.slopes(angles) * scale
        normal[:, : likelihood.frozen] = 0.0
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        normal = normal / np.where(length > 0, length, 1.0)
        along = np.eye(likelihood.size) - normal[:, :, None] * normal[:, None, :]
        curve = along @ curve @ along + normal[:, :, None] * normal[:, None, :]
        first = (along @ first[:, :, None])[:, :, 0]
    sizes, directions = np.linalg.eigh(curve)
    turned = (np.swapaxes(directions, 1, 2) @ first[:, :, None])[:, :, 0] / np.maximum(np.abs(sizes), 1e-6)
    step = (directions @ turned[:, :, None])[:, :, 0]
    promised = np.sum(step * first, axis=1)
    step = step * scale
    longest = np.abs(step).max(axis=1, keepdims=True)
    return step * np.minimum(1.0, _LONGEST / np.maximum(longest, 1e-30)), promised
