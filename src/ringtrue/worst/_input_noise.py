"""Inputs that vary by themselves: how much, in the coordinates of the surrogate."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.worst._deviation import Floats
from ringtrue.worst.spaces import Choice, SearchSpace


def encoded_spread(space: SearchSpace, input_noise: Mapping[str, float] | None) -> Floats | None:
    """Standard deviations by parameter as those of the unit cube's coordinates; None where nothing varies."""
    if not input_noise:
        return None
    by_name = {parameter.name: parameter for parameter in space.parameters}
    for name, spread in input_noise.items():
        if name not in by_name:
            raise InvalidInput(f"input_noise names {name!r}, no parameter: name some of {', '.join(by_name)}")
        parameter = by_name[name]
        if isinstance(parameter, Choice) or parameter.log:
            kind = "a choice" if isinstance(parameter, Choice) else "on a log scale"
            raise InvalidInput(f"input_noise of {name!r}, which is {kind}: give it for numbers on a plain scale alone")
        if isinstance(spread, bool) or not isinstance(spread, int | float) or not 0 <= spread < float("inf"):
            raise InvalidInput(f"input_noise of {name!r} is {spread!r}: give a standard deviation of at least 0")
    spreads = [
        np.full(parameter.width, input_noise.get(parameter.name, 0.0) / (parameter.high - parameter.low))
        for parameter in space.parameters
    ]
    return np.concatenate(spreads)
