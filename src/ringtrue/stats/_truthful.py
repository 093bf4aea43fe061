"""A draw as its record tells it: what is said of it must be possible, and an unknown answer is read both ways."""

from __future__ import annotations

from ringtrue.core import InvalidInput, Prediction, Record

_ROUNDING = 1e-9
"""How far sums of chances may be off by rounding."""


def check_draw(probability: float | None, floor: float | None, left: int) -> None:
    """Refuse a draw whose probability and floor cannot both be true when `left` items nobody had asked about were left.

    Each of the other items had at least the floor, so the floor times their number, and the probability of the item
    drawn, make at most one. In particular a policy that notes its own probability as the floor says that nothing was
    less likely; that can be true of the least likely items alone, which have at most an equal share. A pick without
    chance has neither number.

    >>> check_draw(0.02, 0.005, 100)
    >>> check_draw(0.02, 0.02, 100)
    Traceback (most recent call last):
    ...
    ringtrue.core._errors.InvalidInput: probability=0.02 and floor=0.02 of a draw from 100 items: the other 99 had ...
    """
    if probability is None:
        return
    if floor is None or not 0 < floor <= probability * (1 + _ROUNDING) or not probability <= 1 + _ROUNDING:
        raise InvalidInput(
            f"probability={probability!r} and floor={floor!r} of a draw from {left:,} items: they must keep "
            "0 < floor <= probability <= 1: note the smallest probability that any item left had"
        )
    if probability + (left - 1) * floor > 1 + _ROUNDING:
        total = probability + (left - 1) * floor
        raise InvalidInput(
            f"probability={probability!r} and floor={floor!r} of a draw from {left:,} items: the other {left - 1:,} "
            f"had at least the floor, which makes {total:.3g} in all and must make at most 1: "
            "note the smallest probability that any item left had"
        )


def check_prediction(probability: float, weight: float, prediction: Prediction, *, total: float | None) -> None:
    """Refuse a prediction that cannot go with the probability of its draw.

    In the words of `Prediction`, the chance p_j of every item left is at least w_j g_j / -least and at least
    w_j (1 - g_j) / most, and summed over those that were not drawn neither may exceed 1 less the probability.
    `probability` and `weight` are those of the item drawn, and `total` is the sum of the weights of all items left,
    None where it is not known.
    """
    guess, rest, least, most = prediction
    spare, slack = 1 - probability + _ROUNDING, _ROUNDING * max(1.0, abs(rest), total or 0.0)
    expected, unexpected = weight * guess, weight * (1 - guess)
    kept = (
        0 <= guess <= 1
        and least * probability <= -expected + slack
        and most * probability >= unexpected - slack
        and rest - expected <= -least * spare + slack
        and (total is None or total - rest - unexpected <= most * spare + slack)
    )
    if not kept:
        raise InvalidInput(
            f"prediction guess={guess!r}, rest={rest!r}, least={least!r}, most={most!r} of a draw with probability="
            f"{probability!r}: no chances of the items left agree with it: note what was fixed before the draw"
        )


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
