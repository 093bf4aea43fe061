"""A point well inside the constraints, or the news that nothing satisfies them."""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from ringtrue.core import InvalidInput
from ringtrue.worst.spaces._limits import Limits
from ringtrue.worst.spaces._scale import Floats


def interior_point(limits: Limits) -> Floats:
    """Values of the constrained numbers, far from every limit and from the bounds of the real ones.

    The centre of the largest ball that fits, in units in which every real parameter is one wide, with whole numbers
    kept whole. Sums are linear in the numbers themselves, so here logarithmic scales do not count.
    """
    whole = np.array([number.whole for number in limits.numbers])
    low = np.array([number.low for number in limits.numbers], dtype=np.float64)
    reach = np.array([number.high for number in limits.numbers]) - low
    steps = np.where(whole, 1.0, reach)
    sums = limits.weights * steps
    size = np.max(np.abs(sums), axis=1)
    # The unknowns are the steps above the low bounds and, last, the radius of the ball.
    radii = np.linalg.norm(np.where(whole, 0.0, sums), axis=1)
    rows = np.column_stack([sums, radii]) / size[:, None]
    real = np.eye(len(steps))[~whole]
    ones = np.ones((len(real), 1))
    found = milp(
        np.append(np.zeros(len(steps)), -1.0),
        integrality=np.append(whole, False),
        bounds=Bounds(0.0, np.append(np.where(whole, reach, 1.0), 0.5)),
        constraints=[
            LinearConstraint(rows, ub=(limits.most - limits.weights @ low) / size),
            LinearConstraint(np.hstack([real, -ones]), lb=0.0),
            LinearConstraint(np.hstack([real, ones]), ub=1.0),
        ],
    )
    if found.x is not None:
        y = np.where(whole, np.rint(found.x[:-1]), np.clip(found.x[:-1], 0.0, 1.0))
        point: Floats = low + steps * y
        if limits.allow(point[None])[0]:
            return point
    raise InvalidInput(_nothing(limits))


def _nothing(limits: Limits) -> str:
    """Which constraint cannot be met, if it is one alone."""
    low = np.array([number.low for number in limits.numbers])
    high = np.array([number.high for number in limits.numbers])
    least = np.minimum(limits.weights * low, limits.weights * high).sum(axis=1)
    for constraint, lowest in zip(limits.constraints, least, strict=True):
        if lowest > constraint.limit:
            return f"constraint {constraint} leaves nothing: the sum is at least {lowest:g}: raise the limit"
    every = "; ".join(map(str, limits.constraints))
    return f"constraints {every} leave nothing that can be searched: loosen one"
