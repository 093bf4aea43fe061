"""Operation beyond the pool's reach: what no item of the pool stands for may fail always or never."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.stats import Bounds


@dataclass(frozen=True, slots=True)
class Reach:
    """From what fails within the pool's reach, as a share of all operation, to what fails in all, and back.

    >>> Reach(0.25).bounds(Bounds(np.array([0.125]), np.array([0.5]))).high.tolist()
    [0.75]
    """

    unassessed: float
    """The share of operation that no item of the pool stands for."""

    def limits(self, limit: float) -> tuple[float, float]:
        """What the failures within reach must undercut to be below a limit in all, and what they must exceed."""
        return limit - self.unassessed, limit

    def bounds(self, within: Bounds) -> Bounds:
        """Bounds over all of operation: what is out of reach counts as right below and as failed above."""
        return Bounds(within.low, np.minimum(1.0, within.high + self.unassessed))

    def estimates(self, within: NDArray[np.float64]) -> NDArray[np.float64]:
        """Estimates over all of operation, as if what is out of reach failed as often as the rest."""
        return np.minimum(1.0, within / (1 - self.unassessed)) if self.unassessed < 1 else np.full(len(within), 0.5)
