"""Outputs that rest on a plateau: amounts that are zero in most places, and rise where something appears.

A Gaussian process of such values takes the kink for a short lengthscale, and expects no more beyond the values it has
seen. So the values on a plateau are taken for what a limit hides: below it lies a smooth function, of which is known
there only that it does not exceed the limit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from ringtrue.worst._arrays import Bools, Floats
from ringtrue.worst.surrogate import GaussianProcess, Posterior, Prediction, Shape, fit_shape

_SHARE, _LEAST = 0.05, 4
"""So many values must be equal, and so many others differ from them, for a plateau."""

_ROUNDS = 12
"""How often values of a plateau are taken in or let go; what then still changes does so by little."""


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


@dataclass(frozen=True, eq=False)
class Clipped:
    """What is predicted of a function that a lower and an upper level cut off, by what is believed of it without."""

    belief: Posterior
    levels: Plateaus

    def predict(self, points: Floats) -> Prediction:
        """Return the mean and standard deviation at points (m, D): the moments of a Gaussian that is cut off."""
        found = self.belief.predict(points)
        mean, sd = found.mean, found.sd
        # In standard deviations from the mean, so that large values cancel nothing; beyond so many there is no chance.
        low, high = (np.clip((level - mean) / sd, -_FAR, _FAR) for level in self.levels)
        below, above, density_low, density_high = ndtr(low), ndtr(-high), _density(low), _density(high)
        first = density_low - density_high + low * below + high * above
        second = 1.0 - below - above + low * density_low - high * density_high + low**2 * below + high**2 * above
        # Where all is cut off, nothing is unknown but rounding.
        return Prediction(
            np.clip(mean + sd * first, *self.levels), sd * np.sqrt(np.maximum(second - first**2, _ROUNDING))
        )


def _density(z: Floats) -> Floats:
    density: Floats = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    return density


@dataclass(frozen=True, eq=False)
class ClippedProcess(GaussianProcess):
    """A Gaussian process of what lies below a lower plateau, and above an upper one; the plateaus are predicted."""

    levels: Plateaus = NO_PLATEAUS

    @property
    def posterior(self) -> Clipped:  # type: ignore[override] # it predicts, and no search asks for its slopes
        """What is predicted: no more than the upper level, and no less than the lower one."""
        return Clipped(self.belief, self.levels)


def behind_plateaus(inputs: Floats, values: Floats, levels: Plateaus, shape: Shape, kernel: str) -> GaussianProcess:
    """Return the most likely function that has these values (n, 1), and on a plateau does not cross its level.

    Where a value on a plateau does not hold the function, it still tells that the function is known there.

    Parameters
    ----------
    inputs
        The points (n, D).
    values
        What was measured there.
    levels
        The plateaus.
    shape
        That of the function without plateaus.
    kernel
        Its kernel.
    """
    used = _holding(inputs, values, levels, shape, kernel)
    found = ClippedProcess.of(inputs[used], values[used], shape, kernel)
    return replace(found, levels=levels).imagined(inputs[~used])


def shape_behind(inputs: Floats, values: Floats, levels: Plateaus, kernel: str) -> Shape:
    """Find the shape of the function without plateaus: by the values beside them, then also by those that hold it."""
    beside = ~np.logical_or(*levels.hold(values[:, 0]))
    shape = fit_shape(inputs[beside], values[beside], kernel=kernel)
    used = _holding(inputs, values, levels, shape, kernel)
    return fit_shape(inputs[used], values[used], kernel=kernel, near=shape)


def _holding(inputs: Floats, values: Floats, levels: Plateaus, shape: Shape, kernel: str) -> Bools:
    """Say which values say where the function is: those beside the plateaus, and those on them that hold it there.

    A value on a plateau tells nothing more where the others put the function beyond the level already. Which are which
    is found by taking in and letting go, as in a quadratic programme.
    """
    low, high = levels.hold(values[:, 0])
    used = ~(low | high)
    for _ in range(_ROUNDS):
        process = GaussianProcess.of(inputs[used], values[used], shape, kernel)
        mean, pull = process.predict(inputs).mean[:, 0], np.zeros(len(values))
        pull[used] = process.pulls[:, 0]
        crossing = ~used & ((low & (mean > levels.low)) | (high & (mean < levels.high)))
        loose = used & ((low & (pull > 0)) | (high & (pull < 0)))
        if not (crossing | loose).any():
            break
        used = (used | crossing) & ~loose
    return used
