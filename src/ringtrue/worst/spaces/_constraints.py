"""Linear limits on parameters, such as parts of a mixture that make at most a hundred per cent together.

Each is an `AtMost`. Those of a space together are `Limits`, a matrix that says which points are allowed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from ringtrue.core import InvalidInput, Json
from ringtrue.worst._arrays import Bools, Floats, Ints
from ringtrue.worst.spaces._choice import Choice, Parameter, spread
from ringtrue.worst.spaces._numbers import Integer, Real

_ROUNDING = 1e-12
"""A sum may exceed its limit by so much of its size, for sums of decimals are not exact: 0.1 + 0.2 > 0.3."""


@dataclass(frozen=True)
class _Sum:
    """The fields of a constraint, as `AtMost` has checked them."""

    weights: Mapping[str, float]
    limit: float


class AtMost(_Sum):
    """The sum of some parameters, each times its weight, is at most the limit.

    "At least" is the same with every sign turned.

    >>> print(AtMost({"Cr": 1.0, "Mn": -2.0}, 0.5))
    Cr - 2 Mn <= 0.5
    """

    def __init__(self, weights: Mapping[str, float], limit: float) -> None:
        if not isinstance(weights, Mapping) or not weights:
            raise InvalidInput(f"constraint weights={weights!r} must name the parameters: give name = weight")
        for name, weight in weights.items():
            if not _is_number(weight) or weight == 0:
                raise InvalidInput(f"constraint weight of {name!r} is {weight!r}: give a finite number that is not 0")
        if not _is_number(limit):
            raise InvalidInput(f"constraint at_most={limit!r} must be a finite number")
        super().__init__({name: float(weight) for name, weight in weights.items()}, float(limit))

    def __str__(self) -> str:
        terms = [
            f"{'-' if w < 0 else '+'} {'' if abs(w) == 1 else f'{abs(w):g} '}{name}" for name, w in self.weights.items()
        ]
        return f"{' '.join(terms).removeprefix('+ ')} <= {self.limit:g}"

    def to_json(self) -> dict[str, Json]:
        return {"at_most": self.limit, "weights": dict(self.weights)}


@dataclass(frozen=True, eq=False)
class Limits:
    """Sums of `weights` (constraints, numbers) times `numbers`, the parameters at `columns`, are at most `most`."""

    constraints: tuple[AtMost, ...]
    numbers: tuple[Real | Integer, ...]
    columns: Ints
    weights: Floats
    most: Floats
    rounding: Floats

    @classmethod
    def of(cls, parameters: Sequence[Parameter], constraints: Sequence[AtMost]) -> Limits:
        """Make the matrix; refuse a constraint that names anything but a number of the space."""
        known = {parameter.name: place for place, parameter in enumerate(parameters)}
        for constraint in constraints:
            for name in constraint.weights:
                if name not in known:
                    raise InvalidInput(
                        f"constraint {constraint} names {name!r}, which is not a parameter: use {', '.join(known)}"
                    )
                if isinstance(parameters[known[name]], Choice):
                    raise InvalidInput(
                        f"constraint {constraint} names {name!r}, a choice: only numbers can be added up"
                    )
        columns = sorted({known[name] for constraint in constraints for name in constraint.weights})
        numbers = tuple(found for place in columns if isinstance(found := parameters[place], Real | Integer))
        shape = (len(constraints), len(numbers))
        rows = [[constraint.weights.get(number.name, 0.0) for number in numbers] for constraint in constraints]
        weights, most = np.array(rows).reshape(shape), np.array([constraint.limit for constraint in constraints])
        largest = np.array([max(abs(number.low), abs(number.high)) for number in numbers])
        rounding = _ROUNDING * (np.abs(most) + np.abs(weights) @ largest)
        return cls(tuple(constraints), numbers, np.array(columns, dtype=np.int64), weights, most, rounding)

    def __len__(self) -> int:
        return len(self.constraints)

    def allow(self, values: Floats) -> Bools:
        """Say whether values (n, numbers) keep every constraint, up to rounding."""
        kept: Bools = np.all(values @ self.weights.T <= self.most + self.rounding, axis=1)
        return kept

    def spread(self, chances: Floats) -> Floats:
        """Turn `chances` that are uniform in [0, 1) into values of the numbers."""
        return spread(self.numbers, chances)

    def slack(self, places: Floats) -> tuple[Floats, Floats]:
        """Return what is left below each limit, and its slopes by the places (m, numbers) of the unit cube.

        Whole numbers are taken as if all between were allowed. In shares of how far the sum can move at all; a breach
        that is rounding counts as none, so that what is left is negative where `allow` says no.
        """
        scales = [number.scale for number in self.numbers]
        values = np.column_stack([scale.from_unit(places[:, j]) for j, scale in enumerate(scales)])
        slopes = np.column_stack([scale.slope(places[:, j]) for j, scale in enumerate(scales)])
        reach = np.abs(self.weights) @ np.array([number.high - number.low for number in self.numbers])
        left = self.most - values @ self.weights.T
        left = np.where(np.abs(left) <= self.rounding, 0.0, left) / reach
        return left, -self.weights * slopes[:, None, :] / reach[:, None]


def interior_point(limits: Limits) -> Floats:
    """Find values of the constrained numbers, far from every limit and from the bounds of the real ones.

    The centre of the largest ball that fits, in units in which every real parameter is one wide, with whole numbers
    kept whole, and steps on their grid. Sums are linear in the numbers themselves, so here logarithmic scales do not
    count. Constraints that nothing satisfies are refused.
    """
    whole = np.array([number.pitch is not None for number in limits.numbers])
    low = np.array([number.low for number in limits.numbers], dtype=np.float64)
    reach = np.array([number.high for number in limits.numbers]) - low
    steps = np.array([number.pitch or span for number, span in zip(limits.numbers, reach, strict=True)])
    last = np.array([1.0 if number.count is None else number.count - 1.0 for number in limits.numbers])
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
        bounds=Bounds(0.0, np.append(last, 0.5)),
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
    raise InvalidInput(_why_nothing(limits))


def _why_nothing(limits: Limits) -> str:
    """Name the constraint that cannot be met, if it is one alone."""
    low = np.array([number.low for number in limits.numbers])
    high = np.array([number.high for number in limits.numbers])
    least = np.minimum(limits.weights * low, limits.weights * high).sum(axis=1)
    for constraint, lowest in zip(limits.constraints, least, strict=True):
        if lowest > constraint.limit:
            return f"constraint {constraint} leaves nothing: the sum is at least {lowest:g}: raise the limit"
    every = "; ".join(map(str, limits.constraints))
    return f"constraints {every} leave nothing that can be searched: loosen one"


def _is_number(value: Any) -> bool:
    known = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return known and math.isfinite(value)
