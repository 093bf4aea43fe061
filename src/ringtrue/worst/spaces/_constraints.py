"""Linear limits on parameters, such as parts of a mixture that make at most a hundred per cent together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringtrue.core import InvalidInput, Json


@dataclass(frozen=True)
class AtMost:
    """The sum of some parameters, each times its weight, is at most the limit.

    "At least" is the same with every sign turned.

    >>> print(AtMost({"Cr": 1.0, "Mn": -2.0}, 0.5))
    Cr - 2 Mn <= 0.5
    """

    weights: Mapping[str, float]
    limit: float

    def __post_init__(self) -> None:
        if not isinstance(self.weights, Mapping) or not self.weights:
            raise InvalidInput(f"constraint weights={self.weights!r} must name the parameters: give name = weight")
        for name, weight in self.weights.items():
            if not _is_number(weight) or weight == 0:
                raise InvalidInput(f"constraint weight of {name!r} is {weight!r}: give a finite number that is not 0")
        if not _is_number(self.limit):
            raise InvalidInput(f"constraint at_most={self.limit!r} must be a finite number")
        object.__setattr__(self, "weights", {name: float(weight) for name, weight in self.weights.items()})
        object.__setattr__(self, "limit", float(self.limit))

    def __str__(self) -> str:
        terms = [
            f"{'-' if w < 0 else '+'} {'' if abs(w) == 1 else f'{abs(w):g} '}{name}" for name, w in self.weights.items()
        ]
        return f"{' '.join(terms).removeprefix('+ ')} <= {self.limit:g}"

    def to_json(self) -> dict[str, Json]:
        return {"at_most": self.limit, "weights": dict(self.weights)}


def _is_number(value: Any) -> bool:
    known = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return known and math.isfinite(value)
