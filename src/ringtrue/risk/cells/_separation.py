"""How far apart the classes are: the distance from each point to the nearest one of another class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from ringtrue.core import InvalidInput, Json
from ringtrue.risk._grid import Floats
from ringtrue.risk.cells._points import checked_points, numbered_classes


@dataclass(frozen=True, slots=True, eq=False)
class Separation:
    """Half the distance, by the largest difference along an axis, from each point to the nearest of another class.

    `minimum` is the smallest such distance and `half` its half: within `half` of a labelled point the label is
    taken to hold. `halves` are all half distances, rising. More points can only bring the classes closer, so that
    the minimum of a sample is never smaller than the separation in operation: read it as a limit from above.

    >>> Separation.of([[0.0, 0.0], [0.1, 0.3], [1.0, 1.0]], [0, 1, 1])
    Separation(minimum=0.3, half=0.15, points=3)
    """

    minimum: float
    half: float
    halves: Floats

    @classmethod
    def of(cls, points: ArrayLike, labels: ArrayLike) -> Separation:
        """Measure labelled points. One search tree per class, so that time grows as points times their logarithm."""
        found = checked_points(points)
        classes, number = numbered_classes(labels, len(found))
        if len(classes) < 2:
            raise InvalidInput(f"labels are all {classes[0]!r}: a separation needs points of at least two classes")
        nearest = np.empty(len(found))
        for one in range(len(classes)):
            own = number == one
            nearest[own] = cKDTree(found[~own]).query(found[own], p=np.inf)[0]
        halves = np.sort(nearest) / 2
        return cls(float(nearest.min()), float(halves[0]), halves)

    def violators(self, cell_side: float) -> int:
        """Return how many points have another class closer than twice the side of a cell: the side is too long for
        them.
        """
        return int(np.searchsorted(self.halves, cell_side, side="left"))

    def to_json(self, side: float) -> dict[str, Json]:
        """Return what a reader is told of it beside cells of this side."""
        return {"minimum": self.minimum, "half": self.half, "violators": self.violators(side), "side": side}

    def first_at_least(self, side: float) -> float:
        """Return the smallest half distance that is not below a chosen side: what the paper prints as its r.

        It is circular, because it leaves out every pair of points that contradicts the choice. Use `half`.
        """
        place = self.violators(side)
        if place == len(self.halves):
            raise InvalidInput(f"side={side} must not exceed the largest half distance, {self.halves[-1]:.6g}")
        return float(self.halves[place])

    def __repr__(self) -> str:
        return f"Separation(minimum={self.minimum:.6g}, half={self.half:.6g}, points={len(self.halves)})"
