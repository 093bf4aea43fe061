"""Functions for the command line: the error rates of the trained network, and a digit that it no longer knows.

$ cd casestudies
$ ringtrue worst --space digits/space.toml --oracle digits.gold:rate --deviation given --budget 100
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from digits._data import DIGITS
from digits.space import distortion
from digits.trained import error_rates


def rate(values: Mapping[str, Any]) -> float:
    """The share of wrong answers: of the digit that is asked about, else of all test digits."""
    if "task" in values:
        return error_rates().one(distortion(values), DIGITS.index(values["task"]))
    return error_rates().overall(distortion(values))


def rates(values: Mapping[str, Any]) -> list[float]:
    """The shares of wrong answers of all nine digits."""
    return error_rates().each(distortion(values)).tolist()


def picture(values: Mapping[str, Any]) -> NDArray[np.float32]:
    """A test digit that is known as it is, and not when distorted so: the one asked about, or that which errs most."""
    known, x = error_rates(), distortion(values)
    digit = DIGITS.index(values["task"]) if "task" in values else int(known.each(x).argmax())
    return known.lost(x, digit, 1)[0].image
