"""The order of numbers in which rounding has no say."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

_DIGITS = 9
"""Of the largest number: computed ones that should be equal differ far behind them."""


def ranked(values: ArrayLike) -> list[int]:
    """Give the places of the values, the largest first; those that are equal but for rounding keep their order.

    Numbers are often equal for a reason, as the shifts of two labels are in size. Which of them rounding makes larger
    depends on the processor, and must not decide which is named first.

    >>> ranked([0.3, 0.1 + 0.2, 0.5])
    [2, 0, 1]
    """
    flat = np.asarray(values, dtype=float).ravel()
    size = float(np.max(np.abs(flat), initial=0.0, where=np.isfinite(flat))) or 1.0
    places: list[int] = np.argsort(-np.round(flat / size, _DIGITS), kind="stable").tolist()
    return places
