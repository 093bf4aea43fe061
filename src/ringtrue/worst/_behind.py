"""The processes of an output that rests on a plateau: what lies behind it, or the values beside it alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ringtrue.worst._arrays import Bools, Floats, Ints
from ringtrue.worst._plateaus import NO_PLANE, NO_PLATEAUS, ROUNDS, Clipped, Plane, Plateaus, Regimes, plane_behind
from ringtrue.worst.surrogate import GaussianProcess, Shape, fit_shape

_LEAST_SPREAD = 0.25
"""How far the function strays from its plane, at least, as a share of how far the values beside a plateau spread."""

_NEXT_TO_NOTHING = 1e-6

_FITTED = 200
"""Values that a shape is fitted to, at most: the time grows with their cube, and hundreds tell little more."""

_IN_REACH = 3.0
"""A value on a plateau is used where the function may come up to the level within so many standard deviations."""


def thinned(places: Ints) -> Ints:
    """Return some of these places, evenly spread, where there are more than a shape is fitted to.

    >>> len(thinned(np.arange(57))), thinned(np.arange(1000))[[0, 1, -1]].tolist()
    (57, [0, 5, 999])
    """
    if len(places) <= _FITTED:
        return places
    return places[np.round(np.linspace(0, len(places) - 1, _FITTED)).astype(np.int64)]


@dataclass(frozen=True, eq=False)
class PlateauProcess(GaussianProcess):
    """A Gaussian process, about a plane, of an output that rests on plateaus, which are predicted.

    With `known`, all inputs and values, it ends in a cliff where one on a plateau is nearest; without, by a ramp.
    """

    levels: Plateaus = NO_PLATEAUS
    plane: Plane = NO_PLANE
    known: tuple[Floats, Floats] | None = None

    @property
    def posterior(self) -> Clipped | Regimes:  # type: ignore[override] # it predicts, and no search asks for its slopes
        """What is predicted: no more than the upper level, and no less than the lower one."""
        if self.known is None:
            return Clipped(self.belief, self.levels, self.plane)
        return Regimes(self.belief, self.levels, self.plane, *self.known)

    def with_points(self, inputs: Floats, outputs: Floats) -> GaussianProcess:
        """Return the process that also knows these values (k, 1) at inputs (k, D)."""
        return super().with_points(inputs, outputs - self.plane.at(inputs))


class Shapes(NamedTuple):
    """The shapes of a function about its plane: by the values beside the plateaus, and by all that hold it."""

    beside: Shape
    behind: Shape


@dataclass(frozen=True, eq=False)
class Behind:
    """What is known of a function behind plateaus: values (n, 1) at inputs (n, D), its plateaus, plane and kernel."""

    inputs: Floats
    values: Floats
    levels: Plateaus
    kernel: str

    @cached_property
    def plane(self) -> Plane:
        """The plane that the function follows."""
        return plane_behind(self.inputs, self.values[:, 0], self.levels)

    @cached_property
    def residuals(self) -> Floats:
        """How far the values (n, 1) lie above the plane; 0 where that is next to nothing, which no shape explains."""
        away = self.values - self.plane.at(self.inputs)
        return np.where(np.abs(away) > _NEXT_TO_NOTHING * np.ptp(self.values), away, 0.0)

    @cached_property
    def beside(self) -> Bools:
        """Which values lie on no plateau."""
        low, high = self.levels.hold(self.values[:, 0])
        return ~(low | high)

    def shapes(self) -> Shapes:
        """Find the shapes of the function."""
        beside = thinned(np.flatnonzero(self.beside))
        first = fit_shape(self.inputs[beside], self.residuals[beside], kernel=self.kernel, few_matter=True)
        used = thinned(np.flatnonzero(self.holding(first)))
        inputs, residuals = self.inputs[used], self.residuals[used]
        return Shapes(first, fit_shape(inputs, residuals, kernel=self.kernel, near=first, few_matter=True))

    def regimes(self, shapes: Shapes) -> GaussianProcess:
        """Return the function beside its plateaus, and the plateaus where they are nearer."""
        found = PlateauProcess.of(self.inputs[self.beside], self.residuals[self.beside], shapes.beside, self.kernel)
        return replace(
            found, levels=self.levels, plane=self.plane, scales=self._scales(found), known=(self.inputs, self.values)
        )

    def process(self, shapes: Shapes) -> GaussianProcess:
        """Return the most likely function that has these values, and on a plateau does not cross its level.

        Where a value on a plateau does not hold the function, it still tells that the function is known there; not
        where that lies far beyond the level anyway.
        """
        used = self.holding(shapes.behind)
        found = PlateauProcess.of(self.inputs[used], self.residuals[used], shapes.behind, self.kernel)
        found = replace(found, levels=self.levels, plane=self.plane, scales=self._scales(found))
        rest = self.inputs[~used]
        if not len(rest):
            return found
        belief, heights = found.belief.predict(rest), self.plane.at(rest)
        reach = _IN_REACH * belief.sd
        near = (belief.mean + heights + reach > self.levels.low) & (belief.mean + heights - reach < self.levels.high)
        return found.imagined(rest[near[:, 0]])

    def holding(self, shape: Shape) -> Bools:
        """Say which values say where the function is: those beside the plateaus, and those on them that hold it there.

        A value on a plateau tells nothing more where the others put the function beyond the level already. Which are
        which is found by taking in and letting go, as in a quadratic programme.
        """
        low, high = self.levels.hold(self.values[:, 0])
        used, heights = self.beside, self.plane.at(self.inputs)[:, 0]
        for _ in range(ROUNDS):
            process = GaussianProcess.of(self.inputs[used], self.residuals[used], shape, self.kernel)
            mean, pull = heights + process.predict(self.inputs).mean[:, 0], np.zeros(len(used))
            pull[used] = process.pulls[:, 0]
            crossing = ~used & ((low & (mean > self.levels.low)) | (high & (mean < self.levels.high)))
            loose = used & ((low & (pull > 0)) | (high & (pull < 0)))
            if not (crossing | loose).any():
                break
            used = (used | crossing) & ~loose
        return used

    def _scales(self, found: GaussianProcess) -> Floats:
        """Return how far the function strays from its plane.

        A plane through few values leaves next to nothing of them: what it does not know of the rest is no less.
        """
        return np.maximum(found.scales, _LEAST_SPREAD * np.std(self.values[self.beside]))
