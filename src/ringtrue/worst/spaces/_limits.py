"""The constraints of a space as a matrix: which points they allow, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringtrue.core import InvalidInput
from ringtrue.worst.spaces._choice import Choice
from ringtrue.worst.spaces._constraints import AtMost
from ringtrue.worst.spaces._numbers import Integer, Real
from ringtrue.worst.spaces._parameter import Parameter
from ringtrue.worst.spaces._scale import Floats

_ROUNDING = 1e-12
"""A sum may exceed its limit by so much of its size, for sums of decimals are not exact: 0.1 + 0.2 > 0.3."""


@dataclass(frozen=True, eq=False)
class Limits:
    """Sums of `weights` (constraints, numbers) times `numbers`, the parameters at `columns`, are at most `most`."""

    constraints: tuple[AtMost, ...]
    numbers: tuple[Real | Integer, ...]
    columns: NDArray[np.int64]
    weights: Floats
    most: Floats
    rounding: Floats

    @classmethod
    def of(cls, parameters: Sequence[Parameter], constraints: Sequence[AtMost]) -> Limits:
        """The matrix, or an error where a constraint names no number of the space."""
        known = {parameter.name: place for place, parameter in enumerate(parameters)}
        for constraint in constraints:
            for name in constraint.weights:
                if name not in known:
                    raise InvalidInput(f"constraint {constraint} names {name!r}, no parameter: use {', '.join(known)}")
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

    def allow(self, values: Floats) -> NDArray[np.bool_]:
        """Whether values (n, numbers) keep every constraint, up to rounding."""
        kept: NDArray[np.bool_] = np.all(values @ self.weights.T <= self.most + self.rounding, axis=1)
        return kept

    def spread(self, chances: Floats) -> Floats:
        """Values of the numbers, made of `chances` that are uniform in [0, 1)."""
        return np.column_stack([number.spread(chances[:, place]) for place, number in enumerate(self.numbers)])

    def slack(self, places: Floats) -> tuple[Floats, Floats]:
        """What is left below each limit and how it changes with the places (m, numbers) of the unit cube.

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
