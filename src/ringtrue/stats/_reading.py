"""One record as estimators need it: how its item was drawn, and how an answer is read that could not be told."""

from __future__ import annotations

from ringtrue.core import Record
from ringtrue.stats._truthful import check_draw

_ROUNDING = 1e-9


def drawn_in(record: Record, left: int) -> tuple[float, float] | None:
    """Return the probability and the floor of a draw from `left` items; None for a pick without chance.

    The floor is the smallest probability that any item left had. Numbers that cannot both be true are refused.
    """
    check_draw(record.probability, record.floor, left)
    return None if record.probability is None or record.floor is None else (record.probability, record.floor)


def is_even(probability: float | None, floor: float | None, left: int) -> bool:
    """Return whether an item was drawn uniformly from those left: none had less chance than an equal share."""
    if probability is None or floor is None:
        return False
    return abs(probability * left - 1) < _ROUNDING and abs(floor * left - 1) < _ROUNDING


def both_ways(failed: bool | None) -> tuple[float, float]:
    """Return the value of an item, read low and read high: what could not be told may be either.

    >>> both_ways(True), both_ways(None)
    ((1.0, 1.0), (0.0, 1.0))
    """
    return (0.0, 1.0) if failed is None else (float(failed), float(failed))
