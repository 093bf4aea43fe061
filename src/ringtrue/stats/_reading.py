"""One record as estimators need it: whether its answer counts, how its item was drawn, and what was predicted of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ringtrue.core import InvalidInput, Json, Record, same_label
from ringtrue.stats._pool_means import Predicted
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
    return all(one is not None and abs(one * left - 1) < _ROUNDING for one in (probability, floor))


def answer_in(record: Record) -> Json:
    """Return what the model said of the item, with what it told beside; None where it was not asked."""
    return record.predicted


def failed_in(record: Record) -> bool | None:
    """Return whether the model's answer differs from the oracle's; None where the oracle could not tell."""
    if record.state == "abandoned":
        return None
    if answer_in(record) is None:
        raise InvalidInput(f"item {record.id!r} has no model answer to compare: make the study with model=…")
    return not same_label(answer_in(record), record.value)


def both_ways(failed: bool | None) -> tuple[float, float]:
    """Return the value of an item, read low and read high: what could not be told may be either.

    >>> both_ways(True), both_ways(None)
    ((1.0, 1.0), (0.0, 1.0))
    """
    return (0.0, 1.0) if failed is None else (float(failed), float(failed))


def known_in(record: Record) -> Mapping[str, Any]:
    """Return what was known of the item before it was asked about, such as its old answer."""
    return record.predicted if isinstance(record.predicted, dict) else {}


def noted_in(record: Record) -> Mapping[str, Any]:
    """Return what the policy noted of the draw; a record keeps it beside what was known of the item."""
    return known_in(record)


def predicted_in(record: Record) -> Predicted | None:
    """Return the prediction that a draw was noted with, if there is one."""
    noted = noted_in(record)
    return Predicted(*(float(noted[name]) for name in Predicted._fields)) if "guess" in noted else None
