"""The records of a study: what they say of a draw must be possible, and a learner is told each closed one once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

import numpy as np

from ringtrue.core import InvalidInput, Prediction, Record, Responder
from ringtrue.stats._bounds import Floats

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


def are_even(probabilities: Floats, floors: Floats, left: int) -> bool:
    """Return whether items were drawn uniformly, one after the other, the first of them from `left` items.

    A pick has neither number: NaN stands in both places.

    >>> are_even(np.array([1 / 3, 1 / 2]), np.array([1 / 3, 1 / 2]), 3), are_even(np.ones(2), np.ones(2), 3)
    (True, False)
    """
    shares = left - np.arange(len(probabilities))
    even = [np.abs(numbers * shares - 1) < _ROUNDING for numbers in (probabilities, floors)]
    return bool(np.all(even) and np.all(shares > 0))


def both_ways(failed: bool | None) -> tuple[float, float]:
    """Return the value of an item, read low and read high: what could not be told may be either.

    >>> both_ways(True), both_ways(None)
    ((1.0, 1.0), (0.0, 1.0))
    """
    return (0.0, 1.0) if failed is None else (float(failed), float(failed))


_FIRST = 8
"""Fewer answers teach less than what was known before them."""

_GROWTH = 1.5
"""Learning anew after half as many answers more: a long study learns a few dozen times in all."""


def settled(answers: int) -> int:
    """Return how many of the first answers are learnt from: 8, 12, 18, 27, ... as far as there are so many, else none.

    >>> [settled(answers) for answers in (0, 7, 8, 11, 12, 100)]
    [0, 0, 8, 8, 12, 93]
    """
    used, following = 0, _FIRST
    while following <= answers:
        used, following = following, math.ceil(following * _GROWTH)
    return used


class Learner(Protocol):
    """Learns from the records of a study."""

    def learn(self, record: Record, row: int) -> None:
        """Take the next record, which was answered or abandoned, about a row of the pool."""


L = TypeVar("L", bound=Learner)


class Following(Generic[L]):
    """Follows the records of a study for a learner. A study's records only grow: they are gone through once.

    A record that is still open holds up those after it, so that every process learns the same. If a record that was
    given up is answered after all, a new learner begins from the first record.

    Parameters
    ----------
    records, responder
        The records of the study, in the order of asking, and whose answers are learnt from.
    make
        Makes a learner that knows nothing yet.
    once
        Whether only the first record about a row counts.
    """

    def __init__(
        self, records: Sequence[Record], responder: Responder, make: Callable[[], L], *, once: bool = False
    ) -> None:
        self.records = records
        self._responder, self._make, self._once = responder, make, once
        self._restart()

    def _restart(self) -> None:
        self.learner = self._make()
        self._closed = 0
        self._told: set[int] = set()
        self._given_up: list[int] = []

    def advance(self) -> L:
        """Let the learner take in what was answered since, and return it."""
        if any(self.records[place].state != "abandoned" for place in self._given_up):
            self._restart()  # answered after all
        while self._closed < len(self.records):
            record = self.records[self._closed]
            row = self._row(record)
            if row is not None:
                if record.state not in ("answered", "abandoned"):
                    break
                self._told.add(row)
                if record.state == "abandoned":
                    self._given_up.append(self._closed)
                self.learner.learn(record, row)
            self._closed += 1
        return self.learner

    def waiting(self) -> list[int]:
        """Return the rows that were asked about and of which the learner has not been told yet, each once."""
        rows = (self._row(self.records[place]) for place in range(self._closed, len(self.records)))
        return list(dict.fromkeys(row for row in rows if row is not None))

    def _row(self, record: Record) -> int | None:
        """Return the row that a record is about, if the learner is to be told of it."""
        if record.responder != self._responder or (self._once and record.row in self._told):
            return None
        return record.row
