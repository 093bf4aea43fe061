"""Bound a pool's failure rate when first labels may be wrong and a known share of them is checked again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import Argument, Interval, InvalidInput
from ringtrue.stats._bets import RARE
from ringtrue.stats._bounds import Bools, Bounds, Floats, Ints, Side, checked_population, largest_true, tails
from ringtrue.stats._guesses import Guesses
from ringtrue.stats._means import Means
from ringtrue.stats._pool_means import caps
from ringtrue.stats._rates import rate_sequence
from ringtrue.stats._records import check_draw

# Measured on pools of 1,000 to 100,000 items with 300 to 3,000 records: 0.1 and 0.4 move the upper bound by an eighth
# at most, either way. The sum of two bounds, one for failures that the first label shows and one for those that it
# hides, was measured and left out. It is lower by up to a quarter where much of a small pool is drawn, and higher by up
# to a third elsewhere; and it holds only if raters err in the same way from first to last.
_FOR_THE_MISSED = 0.2
"""The share of the upper bound's error that goes into how many failures were drawn and never checked."""


@dataclass(frozen=True, slots=True, eq=False)
class CheckedDraws:
    """Records of a pool in the order of asking: the first label, whether it was checked, and the agreed label.

    Arrays of one length. Every item whose first label is a failure is checked, and each other one with the same
    `chance`, by a coin that depends on nothing else. `agreed` is 1 where the agreed label is a failure, 0 where it is
    not and NaN where it is open or could not be told; it is not looked at where the item was not checked. A second
    opinion that came for another reason than the coin does not make an item `checked`. An item that has no first
    label counts as a failure with an open check. `probabilities` and `floors` are those of `WeightedDraws`, from a
    pool of `population` items.
    """

    first_failed: Bools
    checked: Bools
    agreed: Floats
    population: int
    chance: float
    probabilities: Floats
    floors: Floats

    @classmethod
    def of(
        cls,
        first_failed: ArrayLike,
        checked: ArrayLike,
        agreed: ArrayLike,
        *,
        population: int,
        chance: float = 0.1,
        probabilities: ArrayLike | None = None,
        floors: ArrayLike | None = None,
    ) -> CheckedDraws:
        """Return draws from lists or arrays, after a check that they keep the rules.

        Parameters
        ----------
        first_failed, checked, agreed
            One entry for each record; `agreed` may hold True, False and None.
        population
            The number of items of the pool.
        chance
            The chance with which an item that passed at first was checked: by default one in ten.
        probabilities, floors
            The probability of each draw and the smallest that any item left had; NaN for a pick without chance. Without
            them the items were drawn evenly.
        """
        if (probabilities is None) != (floors is None):
            raise InvalidInput("probabilities and floors of checked draws go together: give both, or neither if even")
        size, failed = checked_population(population), np.asarray(first_failed, dtype=bool)
        even = 1 / np.maximum(size - np.arange(failed.size), 1.0)
        chances, least = (even if one is None else np.asarray(one, dtype=float) for one in (probabilities, floors))
        found, told = np.asarray(checked, dtype=bool), np.array(agreed, dtype=float)
        draws = cls(failed, found, told, size, chance, chances, least)
        draws._check()
        return draws

    def _check(self) -> None:
        columns = (self.first_failed, self.checked, self.agreed, self.probabilities, self.floors)
        shapes, size = [column.shape for column in columns], self.population
        if any(shape != (self.first_failed.size,) for shape in shapes):
            raise InvalidInput(f"checked draws: columns of shapes {shapes} must have one length: give one entry each")
        if not 0 < self.chance <= 1:
            raise InvalidInput(Argument("chance", self.chance), " must lie in (0, 1]: write 0.1 for one in ten")
        if len(self.checked) > size:
            raise InvalidInput(f"checked draws: {len(self.checked)} records of {size} items: draw each item once")
        missed = np.flatnonzero(self.first_failed & ~self.checked)
        if len(missed):
            raise InvalidInput(f"checked[{missed[0]}]=False of a first failure must be True: check all first failures")
        told = self.agreed[self.checked]
        if not np.all((told == 0) | (told == 1) | np.isnan(told)):
            raise InvalidInput(f"agreed={told.tolist()} must be true, false or None where checked: give agreed labels")
        for place in np.flatnonzero(~np.isnan(self.probabilities)).tolist():
            check_draw(float(self.probabilities[place]), float(self.floors[place]), size - place)

    def read(self, unknown: float) -> Floats:
        """Return which records are known to fail, if a check without an answer is taken as `unknown`."""
        agreed = np.where(np.isnan(self.agreed), unknown, self.agreed)
        return np.where(self.checked, agreed, 0.0)


def two_phase_sequence(
    draws: CheckedDraws, *, level: float = 0.95, side: Side = "both", prefixes: Sequence[int] | None = None
) -> Bounds:
    """Bound the share of a pool that fails by the agreed labels, validly at every look.

    The value of a record is whether it fails by the agreed label, over the chance of its check; 0 without a check. Its
    mean given the item is right whatever the first label was, so the bounds hold however raters err, and also where
    raters change or tire. They are those of betting on these values. Failures that were drawn and not checked are
    missing from what is known: the lower bound does without them; the upper one adds the most that may have been
    missed, at a fifth of its error. A check without an answer counts as failed above and as passed below.

    Checks are few, and the upper bound says so: with no failure among m checked passes, it is about 4.5 / m in a large
    pool at 95%, or 3.8 / m one-sided. In a small one of N items, failures that were drawn and missed may add about
    5.7 / (N chance).

    >>> first = np.arange(1000) < 10
    >>> told = CheckedDraws.of(first, first | (np.arange(1000) % 10 == 0), first, population=20_000)
    >>> print(two_phase_sequence(told))
    [0.002969, 0.05747]

    References: Neyman, Journal of the American Statistical Association 33 (1938), on double sampling; Waudby-Smith &
    Ramdas, Journal of the Royal Statistical Society B 86 (2024), on betting.

    Parameters
    ----------
    draws
        The records.
    level, side
        The level at which the bounds hold at all looks together; "lower", "upper" or "both".
    prefixes
        The numbers of records after which bounds are wanted, by default after all.
    """
    size, answers = draws.population, len(draws.checked)
    alpha_low, alpha_high = tails(level, side)
    ends = np.array([answers] if prefixes is None else list(prefixes), dtype=np.int64)
    if np.any((ends < 0) | (ends > answers)):
        raise InvalidInput(f"prefixes={ends.tolist()} must lie in [0, {answers}]: there are no more records")
    left = size - np.arange(answers + 1)
    least, most = draws.read(0.0), draws.read(1.0)
    passed = _sums(draws.checked & (most == 0))
    missed = _missed(draws, most, _FOR_THE_MISSED * alpha_high) if alpha_high else np.zeros(answers + 1)
    known_low, known_high = _sums(least), _sums(most) + missed
    low_guesses, high_guesses = _guesses(draws, least, known_low), _guesses(draws, most, known_high)
    low, high = known_low[ends] / size, np.minimum(known_high + left, size - passed)[ends] / size
    for place, end in enumerate(ends.tolist()):
        told = [(one.each(itemgetter(slice(end))),) for one in (low_guesses, high_guesses)]
        seen = caps(np.array([[known_low[end]], [size - passed[end]]]) / size, np.array([[0.0], [1.0]]))
        means = Means(told[0], told[1], low[[place]], high[[place]], RARE, *seen)
        low[place], high[place] = np.ravel(means.bounds(alpha_low, (1 - _FOR_THE_MISSED) * alpha_high))
    return Bounds(low if alpha_low else np.zeros(ends.shape), high if alpha_high else np.ones(ends.shape))


def _sums(values: ArrayLike) -> Floats:
    """Return the sums before the first record and after each."""
    return np.concatenate([[0.0], np.cumsum(values, dtype=float)])


def _guesses(draws: CheckedDraws, failed: Floats, known: Floats) -> Guesses:
    """Return guesses of the pool's rate: what is known before a record, and its value over its probability."""
    drawn, size = ~np.isnan(draws.probabilities), draws.population
    weight, highest = np.zeros((2, len(failed)))
    weight[drawn] = 1 / (draws.probabilities[drawn] * size)
    highest[drawn] = 1 / (draws.floors[drawn] * size * draws.chance)
    step = failed * weight / np.where(draws.first_failed, 1.0, draws.chance)
    base, nothing = known[:-1] / size, np.zeros(len(failed))
    return Guesses(base[:, None], step[:, None], nothing[:, None], highest[:, None], drawn[:, None])


def _missed(draws: CheckedDraws, failed: Floats, alpha: float) -> Floats:
    """Return the most failures that were drawn and not checked, before the first record and after each.

    Failures that passed at first are found by the coin of their check alone. So many of them were drawn that the share
    found is not yet too low for the chance, at any look: a rate sequence, read for the number of trials.
    """
    found, unchecked = _sums(failed * ~draws.first_failed), _sums(~draws.checked)
    each = np.arange(int(found[-1]) + 1)

    def may_be(trials: Ints) -> Bools:
        high: Bools = rate_sequence(each, trials, level=1 - alpha, side="upper").high >= draws.chance
        return high

    trials = largest_true(may_be, each, np.full(each.shape, len(failed)))
    most: Floats = np.minimum((trials - each)[found.astype(np.int64)], unchecked)
    return most


def two_phase_rate(draws: CheckedDraws, *, level: float = 0.95) -> Interval:
    """Estimate the share of a pool that fails by the agreed labels, with the bounds of `two_phase_sequence`.

    The estimate adds up, for items that failed and that passed at first, their share of the pool times the share of
    those checked that fail. Each record weighs one over its probability; picks and open checks say nothing.

    >>> first = np.arange(1000) < 10
    >>> told = CheckedDraws.of(first, first | (np.arange(1000) % 10 == 0), first, population=20_000)
    >>> print(two_phase_rate(told))
    1% [0.296%, 5.75%] (95%, betting confidence sequence, two-phase)
    """
    bounds = two_phase_sequence(draws, level=level)
    low, high = float(bounds.low[0]), float(bounds.high[0])
    found = float(np.clip(_estimate(draws), low, high))
    return Interval(found, low, high, level, "betting confidence sequence, two-phase", len(draws.checked))


def _estimate(draws: CheckedDraws) -> float:
    drawn = ~np.isnan(draws.probabilities)
    left = draws.population - np.arange(len(drawn))
    weight = np.where(drawn, 1 / np.where(drawn, draws.probabilities * left, 1.0), 0.0)
    told = weight * (draws.checked & ~np.isnan(draws.agreed))
    total = 0.0
    for kind, as_at_first in ((draws.first_failed, 1.0), (~draws.first_failed, 0.0)):
        seen = float(told[kind].sum())
        rate = float(told[kind] @ draws.read(0.0)[kind]) / seen if seen else as_at_first
        total += float(weight[kind].sum()) * rate
    return total / float(weight.sum()) if weight.any() else 0.5
