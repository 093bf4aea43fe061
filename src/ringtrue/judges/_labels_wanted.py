"""How many labels would tell whether a judge is good enough: foretold, so that it comes true four times in five."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy.special import ndtri

from ringtrue.core import Interval

_POWER = 0.8
"""The chance with which the labels that are foretold suffice: the usual power."""

_NEAREST = 1e-3
"""A judge that seems nearer to the bar than this is taken to be so far from it."""

_RAREST = 0.01
"""A label that seems rarer than this is taken to be so common."""


def labels_wanted(good: Sequence[Interval], bad: Sequence[Interval], bar: float, labelled: int) -> int:
    """Foretell how many labels settle a judge who is what it seems to be after `labelled` ones.

    The bound that decides comes nearer to the estimate as the root of the labels, and so does the estimate to the
    truth; both must fit between the truth and the bar. Only the end that decides counts: the other may be cut off at 0
    or at 100%. `good` are intervals whose lower ends show that a judge is good enough, all of them; `bad` those whose
    upper ends show that it is not, any of them.

    >>> seen = Interval(0.9, 0.78, 1.0, 0.95, "", 100)
    >>> labels_wanted([seen], [seen], 0.8, 100)
    295
    """

    def wanted(one: Interval, reach: float, chance: float) -> float:
        room = 1 + float(ndtri(chance)) / float(ndtri((1 + one.level) / 2))
        return labelled * (reach * room / max(abs(one.estimate - bar), _NEAREST)) ** 2

    below = [wanted(one, one.high - one.estimate, _POWER) for one in bad if one.estimate < bar]
    above = [wanted(one, one.estimate - one.low, _POWER) for one in good]
    return math.ceil(min(below) if below else max(above))


def first_labels(rarest: float, bar: float, level: float, bounds: int) -> int:
    """Foretell how many labels show judges to be good enough who are halfway between the bar and perfection.

    All of `bounds` lower ends of intervals at `level` must then be above the bar, on a label with a share of `rarest`.
    The intervals are as wide as those of a share of labels to which surprises were added (see `difference`).

    >>> first_labels(0.5, 0.8, 0.95, 1), first_labels(0.5, 0.8, 0.95, 6)
    (180, 293)
    """
    rate, room = halfway(bar), max((1 - bar) / 2, 0.01)
    z, shift = float(ndtri((1 + level) / 2)), float(ndtri(1 - (1 - _POWER) / bounds))
    variance, counted = max(rate * (1 - rate), 0.01), 1.0
    while z * math.sqrt(variance / counted + (z * rate / counted) ** 2) + shift * math.sqrt(variance / counted) > room:
        counted *= 1.01
    return math.ceil(counted / max(rarest, _RAREST))


def halfway(bar: float) -> float:
    """Return the share of right votes halfway between the bar and perfection."""
    return (1 + bar) / 2
