"""When a study learns anew from its answers."""

from __future__ import annotations

import math

_FIRST = 8
"""Fewer answers teach less than what was known before them."""

_GROWTH = 1.5
"""Learning anew after half as many answers more: a long study learns a few dozen times in all."""


def settled(answers: int) -> int:
    """How many of the first answers are learnt from: 8, 12, 18, 27, ... as far as there are so many, else none.

    >>> [settled(answers) for answers in (0, 7, 8, 11, 12, 100)]
    [0, 0, 8, 8, 12, 93]
    """
    used, following = 0, _FIRST
    while following <= answers:
        used, following = following, math.ceil(following * _GROWTH)
    return used
