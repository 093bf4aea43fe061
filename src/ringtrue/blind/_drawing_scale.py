"""Axes for confidences, most of which lie near 1, and for ratios and distances, which span powers of ten."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ringtrue.core import percent

_LEAST_DOUBT = 1e-6
"""Confidences nearer to 1 than this are drawn as if they were so near: what is 1 has no place on such an axis."""

_TICKS = (0.9, 0.99, 0.999, 0.9999, 0.99999, 1.0, 0.5, 0.7, 0.8, 0.95, 0.0, 0.2)
"""Confidences that may be named on an axis, those first that a reader looks for."""

_CROWDED = 0.1
"""Names nearer to each other than this, as a share of the axis, would run into each other."""


def nines(confidence: float) -> float:
    """Where a confidence stands: how many nines it has, so that 90 %, 99 % and 99.9 % are equally far apart.

    >>> [round(nines(one), 6) for one in (0.9, 0.99, 0.999, 1.0)]
    [1.0, 2.0, 3.0, 6.0]
    """
    return -math.log10(max(1.0 - confidence, _LEAST_DOUBT))


def draw_confidence_axis(axes: Any, confidences: Sequence[float]) -> None:
    """The ends and the ticks of an axis for these confidences."""
    low, high = min(map(nines, confidences)), max(map(nines, confidences))
    room = 0.04 * (high - low) or 0.1
    left, right = low - room, high + room
    ticks: list[float] = []
    for tick in _TICKS:
        near = any(abs(nines(tick) - nines(other)) < _CROWDED * (right - left) for other in ticks)
        if left <= nines(tick) <= right and not near:
            ticks.append(tick)
    axes.set_xlim(left, right)
    axes.set_xticks([nines(tick) for tick in ticks], [percent(tick) for tick in ticks])
    axes.set_xlabel("confidence of the model")


def draw_powers_of_ten(axes: Any) -> None:
    """A vertical axis of logarithms whose numbers are written out."""
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(_number)
    axes.yaxis.set_minor_formatter(_sparse_number)


def short(value: float) -> str:
    """A number in a figure.

    >>> short(0.0123), short(1.666), short(10208.0)
    ('0.012', '1.7', '10,208')
    """
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2g}"


def _sparse_number(value: float, place: object) -> str:
    """Between powers of ten only twos and fives are named: within a single power there would be no number else."""
    return _number(value, place) if f"{value:e}"[0] in "25" else ""


def _number(value: float, _: object) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"
