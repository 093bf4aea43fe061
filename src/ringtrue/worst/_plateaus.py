"""Outputs that rest on a plateau: amounts that are zero in most places, and rise where something appears.

A Gaussian process of such values takes the kink for a short lengthscale, and expects no more beyond the values it has
seen. So the values on a plateau are taken for what a limit hides: below it lies a smooth function, of which is known
there only that it does not exceed the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import ndtr

from ringtrue.worst._arrays import Bools, Floats
from ringtrue.worst.surrogate import Posterior, Prediction

_SHARE, _LEAST = 0.05, 4
"""So many values must be equal, and so many others differ from them, for a plateau."""

ROUNDS = 12
"""How often values of a plateau are taken in or let go; what then still changes does so by little."""

_STIFFNESS = 1e-6
"""What a slope of one across the cube costs, in squared deviations of one value: it decides where rows are too few."""

_FAR = 40.0
_ROUNDING = 1e-12


class Plateaus(NamedTuple):
    """The levels at which an output rests: infinite where there is none at this end."""

    low: float
    high: float

    def hold(self, values: Floats) -> tuple[Bools, Bools]:
        """Say which values lie on the lower, and which on the upper plateau."""
        return values <= self.low, values >= self.high

    def __bool__(self) -> bool:
        return bool(np.isfinite(self.low) or np.isfinite(self.high))


NO_PLATEAUS = Plateaus(-np.inf, np.inf)


def plateaus_of(values: Floats) -> Plateaus:
    """Return the levels at which these values (n,) rest: their smallest or largest, if many share it.

    >>> plateaus_of(np.array([0, 0, 0, 0, 0, 1.0, 2, 3, 4])), bool(plateaus_of(np.arange(9.0)))
    (Plateaus(low=0.0, high=inf), False)
    """
    enough, ends = max(_LEAST, _SHARE * len(values)), (float(np.min(values)), float(np.max(values)))
    counts = [int(np.sum(values == end)) for end in ends]
    others = len(values) - sum(count for count in counts if count >= enough)
    if others < _LEAST or ends[0] == ends[1]:
        return NO_PLATEAUS
    return Plateaus(ends[0] if counts[0] >= enough else -np.inf, ends[1] if counts[1] >= enough else np.inf)


class Plane(NamedTuple):
    """A height and slopes (D,): what is expected of a function before its values are looked at one by one."""

    height: float
    slopes: Floats

    def at(self, points: Floats) -> Floats:
        """Return the plane's heights (m, 1) at points (m, D)."""
        heights: Floats = self.height + points @ self.slopes
        return heights[:, None]


NO_PLANE = Plane(0.0, np.empty(0))


def plane_behind(inputs: Floats, values: Floats, levels: Plateaus) -> Plane:
    """Return the plane nearest to these values (n,), which may lie beyond a plateau wherever the values lie on it.

    Amounts follow their ingredients in proportion, until they run out. So a plane tells where an output rises that few
    rows show, where a Gaussian process about a constant expects that constant.
    """
    low, high = levels.hold(values)
    beside = ~(low | high)
    terms = np.column_stack([np.ones(len(inputs)), inputs])
    penalty = np.diag([0.0, *np.full(inputs.shape[1], _STIFFNESS)])
    used, middle = beside, float(np.mean(values[beside]))
    for _ in range(ROUNDS):
        told = terms[used]
        # About their middle, so that values which are large beside their spread lose no digits.
        weights = np.linalg.lstsq(told.T @ told + penalty, told.T @ (values[used] - middle), rcond=None)[0]
        heights = middle + terms @ weights
        crossing = beside | (low & (heights > levels.low)) | (high & (heights < levels.high))
        if np.array_equal(crossing, used):
            break
        used = crossing
    return Plane(middle + float(weights[0]), weights[1:])


@dataclass(frozen=True, eq=False)
class Clipped:
    """What is predicted of a function that a lower and an upper level cut off, by what is believed of it without."""

    belief: Posterior
    levels: Plateaus
    plane: Plane

    def predict(self, points: Floats) -> Prediction:
        """Return the mean and standard deviation at points (m, D): the moments of a Gaussian that is cut off."""
        found = self.belief.predict(points)
        mean, sd = self.plane.at(points) + found.mean, found.sd
        # In standard deviations from the mean, so that large values cancel nothing; beyond so many there is no chance.
        low, high = (np.clip((level - mean) / sd, -_FAR, _FAR) for level in self.levels)
        below, above, density_low, density_high = ndtr(low), ndtr(-high), _density(low), _density(high)
        first = density_low - density_high + low * below + high * above
        second = 1.0 - below - above + low * density_low - high * density_high + low**2 * below + high**2 * above
        # Where all is cut off, nothing is unknown but rounding.
        return Prediction(
            np.clip(mean + sd * first, *self.levels), sd * np.sqrt(np.maximum(second - first**2, _ROUNDING))
        )


@dataclass(frozen=True, eq=False)
class Regimes:
    """What is predicted of a function that leaves its plateaus by a cliff: a point is where its nearest neighbour is.

    A Gaussian process takes a cliff for a short lengthscale, and is then unsure of every place. Here it knows the
    values beside the plateaus alone, and is not asked where a value on a plateau lies nearest.
    """

    belief: Posterior
    levels: Plateaus
    plane: Plane
    inputs: Floats
    values: Floats

    def predict(self, points: Floats) -> Prediction:
        """Return the mean and standard deviation at points (m, D)."""
        found = self.belief.predict(points)
        nearest = self.values[np.argmin(cdist(points, self.inputs), axis=1)]
        held = np.logical_or(*self.levels.hold(nearest))
        mean = np.where(held, nearest, np.clip(self.plane.at(points) + found.mean, *self.levels))
        return Prediction(mean, np.where(held, _ROUNDING, 1.0) * found.sd)


def _density(z: Floats) -> Floats:
    density: Floats = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    return density
