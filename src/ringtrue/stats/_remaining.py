"""How many more labels would decide, as things stand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ringtrue.core import InvalidInput
from ringtrue.stats._boundaries import CAP, Boundaries, boundaries
from ringtrue.stats._bounds import checked_counts, checked_level, checked_rate
from ringtrue.stats._decision_time import decision_time


@dataclass(frozen=True, slots=True)
class Remaining:
    """Labels that are still needed; None stands for more than were looked ahead for.

    `fewest_true` decides for the claim if nothing more fails, `fewest_false` against it if nothing more passes;
    `fewest` is the smaller of the two. `expected` is the mean number if the true rate is `at_rate`.
    """

    fewest: int | None
    expected: float | None
    at_rate: float
    fewest_true: int | None
    fewest_false: int | None


def labels_to_decide(
    failures: int,
    n: int,
    limit: float,
    *,
    level: float = 0.95,
    population: int | None = None,
    cap: int = CAP,
) -> Remaining:
    """How many more labels decide `rate <= limit`, from `failures` among `n` answers so far.

    The expected number supposes that the true rate is (failures + 1/2) / (n + 1/limit): as if half a failure had
    been seen where the limit allows one, so that a study without answers is planned at half the limit. `cap`
    counts further labels.

    >>> remaining = labels_to_decide(0, 41, 0.05)
    >>> remaining.fewest_true, remaining.fewest_false, round(remaining.expected or 0)
    (29, 8, 51)
    """
    limit, level = checked_rate("limit", limit), checked_level(level)
    checked_counts(failures, n, population=population)
    if cap < 1:
        raise InvalidInput(f"cap={cap} must be at least 1: say how many labels to look ahead")
    bounds = boundaries(limit, level, population)
    rate = (failures + 0.5) / (n + 1 / limit)
    last = n + cap if population is None else min(n + cap, population)
    expected = None
    if not _hopeless(bounds, rate, failures, n, last, population):
        time = decision_time(bounds, rate, population=population, cap=last, failures=failures, n=n)
        expected = time.mean
    if_true, if_false = (_fewest(bounds, failures, n, last, each) for each in (0, 1))
    either = [way for way in (if_true, if_false) if way is not None]
    return Remaining(min(either, default=None), expected, rate, if_true, if_false)


def _hopeless(b: Boundaries, rate: float, failures: int, n: int, last: int, population: int | None) -> bool:
    """Whether at the horizon the failures expected still lie two deviations inside both boundaries.

    Then too many ways are undecided for a mean to be known, and following them all would be slow.
    """
    if last == population:
        return False
    accept, reject = b.at(last)
    expected, spread = failures + rate * (last - n), 2 * math.sqrt(rate * (1 - rate) * (last - n))
    return accept + spread < expected < reject - spread


def _fewest(bounds: Boundaries, failures: int, n: int, last: int, each: int) -> int | None:
    """The fewest further labels that decide, if `each` of them adds 0 or 1 failures."""
    look = 64
    while True:
        end = min(n + look, last)
        accept, reject = bounds.upto(end)
        seen = failures + each * np.arange(end - n + 1)
        decides = reject[n : end + 1] <= seen if each else accept[n : end + 1] >= seen
        if decides.any():
            return int(np.argmax(decides))
        if end == last:
            return None
        look *= 4
