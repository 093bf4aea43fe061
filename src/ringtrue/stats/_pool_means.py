"""Means over a pool from items drawn without replacement with known chances, with what was predicted taken out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.stats._bets import Bets
from ringtrue.stats._bounds import Bools, Floats
from ringtrue.stats._guesses import BASE, REACH, STEP, Guess, Guesses
from ringtrue.stats._means import HALVINGS, Earned, Means

UNSEEN = 1e-12
"""What is known may differ by so much, from rounding, from the end that it has not yet left."""

_ROUNDING = 1e-9
"""Added to what a value can miss its prediction by: rounding must not make the truth look impossible."""

_FIRST = 64
"""Answers there is room for at first; the room doubles whenever it is used up."""


class Predicted(NamedTuple):
    """What was fixed before a draw, in sums over items: numbers, or arrays that extend to (ways, means).

    For one mean it is the `Prediction` that a record keeps, with the guess times the item's weight. `guess` is of the
    item drawn, `rest` the sum over all items left, this one included. What the drawn item's value
    misses its guess by, over its probability, had to lie in [least, most].
    """

    guess: Floats | float
    rest: Floats | float
    least: Floats | float
    most: Floats | float


class PoolMeans:
    """What answers say of some means over a pool of which some items are drawn by chance.

    Answers are taken in the order of asking. A guess of a mean is what is known, plus what is predicted of the items
    left, plus what the prediction of the drawn item missed over its chance: unbiased whatever was predicted, since all
    but the draw was fixed before it.

    >>> from ringtrue.stats._bets import RARE
    >>> told = PoolMeans(200, 0.0, 200.0)
    >>> for left in range(200, 120, -1):
    ...     told.take(0.0, 0.0, probability=1 / left, predicted=Predicted(0.0, 0.0, 0.0, left))
    >>> low, high = told.means(RARE).bounds(0.0, 0.05)
    >>> low.tolist(), high.round(3).tolist()
    ([0.0], [0.034])

    Parameters
    ----------
    size
        The number of items that a sum is divided by.
    least, most
        The lowest and the highest that the sum of each value over all items can be, an entry per mean.
    ways
        How many predictions there are of each draw.
    """

    def __init__(self, size: int, least: ArrayLike, most: ArrayLike, *, ways: int = 1) -> None:
        self.size = size
        self.answers = 0
        self._total: Floats = np.array([least, most], dtype=float).reshape(2, -1)
        means = self._total.shape[1]
        self._known, self._spent = np.zeros((2, 2, means))
        self._rows = np.zeros((_FIRST, 6, ways, means))
        self._possible = np.zeros((_FIRST, 2, means))
        self._possible[0] = self._total / size
        self._drawn = np.zeros(_FIRST, dtype=bool)
        self._begin = np.zeros(means, dtype=np.int64)

    @property
    def known(self) -> Floats:
        """The sums of the values known so far, read low and read high: shape (2, means)."""
        return self._known

    @property
    def drawn(self) -> Bools:
        """Which of the answers came by chance."""
        return self._drawn[: self.answers]

    def possible(self, end: int | None = None) -> tuple[Floats, Floats]:
        """Return the lowest and highest that each mean can be, by what is known after the first `end` answers."""
        least, most = self._possible[self.answers if end is None else end]
        return least, most

    def take(
        self,
        low: ArrayLike,
        high: ArrayLike,
        *,
        probability: float | None = None,
        predicted: Predicted | None = None,
        span: tuple[ArrayLike, ArrayLike] = (0.0, 1.0),
    ) -> None:
        """Take the next answer.

        Parameters
        ----------
        low, high
            The values of the item, one per mean; where they are not known, the lowest and the highest they can be.
        probability, predicted
            The probability of the item in its draw, and what was fixed before it; None for a pick without chance.
        span
            The lowest and the highest that the values of this item could be before they were known.
        """
        place = self.answers
        if place + 1 == len(self._rows):
            self._rows, self._possible, self._drawn = (
                np.concatenate([part, np.zeros_like(part)]) for part in (self._rows, self._possible, self._drawn)
            )
        values = np.empty_like(self._known)
        values[0], values[1] = low, high
        if probability is not None and predicted is not None:
            row = self._rows[place]
            row[BASE] = (self._known[:, None] + predicted.rest) / self.size
            row[STEP] = (values[:, None] - predicted.guess) / (probability * self.size)
            row[4], row[5] = predicted.least, predicted.most
            row[REACH] /= self.size
            self._drawn[place] = True
        self._known = self._known + values
        self._spent[0] += span[0]
        self._spent[1] += span[1]
        left = self._total - self._spent
        np.maximum(left[0], left[1], out=left[1])  # rounding must not leave less than nothing
        self._possible[place + 1] = (self._known + left) / self.size
        self.answers += 1

    def widen(self, means: int, known: tuple[float, float], span: tuple[float, float], *, skip: int = 0) -> None:
        """Append means of values that came up just now.

        Nothing is bet on them before: a value that is looked at for what came up must be judged by what comes after.

        Parameters
        ----------
        means
            How many means there are then.
        known, span
            What the new values sum up to so far, read low and read high; and the lowest and highest of an item.
        skip
            How many of the next answers bet nothing on them either.
        """
        more = means - self._known.shape[1]
        self._begin = np.append(self._begin, np.full(more, self.answers + skip))

        def extend(part: Floats, low: float, high: float) -> Floats:
            return np.concatenate([part, np.repeat([[low], [high]], more, axis=1)], axis=1)

        self._total = extend(self._total, self.size * span[0], self.size * span[1])
        self._spent = extend(self._spent, self.answers * span[0], self.answers * span[1])
        self._known = extend(self._known, *known)
        self._rows = np.concatenate([self._rows, np.zeros((*self._rows.shape[:3], more))], axis=3)
        self._possible = np.concatenate([self._possible, np.zeros((len(self._possible), 2, more))], axis=2)
        self._possible[0] = self._total / self.size
        self._possible[self.answers] = (self._known + self._total - self._spent) / self.size

    def means(
        self,
        bets: Bets,
        *,
        begin: int = 0,
        end: int | None = None,
        ways: slice = slice(None),
        earned: tuple[Earned, Earned] | None = None,
        halvings: int = HALVINGS,
    ) -> Means:
        """Return what some answers say.

        Parameters
        ----------
        bets
            How much is staked on each answer.
        begin, end
            The first answer that is bet on, and how many answers count, from the first; by default all.
        ways
            The ways to predict that are used.
        earned, halvings
            As of `Means`.
        """
        last = self.answers if end is None else end
        rows, drawn = self._rows[begin:last, :, ways], self._drawn[begin:last, None]
        if self._begin.any():
            drawn = drawn & (np.arange(begin, last)[:, None] >= self._begin)
        low, high = (
            tuple(
                Guesses(rows[:, side, way], rows[:, side + 2, way], rows[:, 4, way], rows[:, 5, way], drawn)
                for way in range(rows.shape[2])
            )
            for side in range(2)
        )
        ends = caps(self._possible[last], self._possible[0])
        return Means(low, high, *self.possible(last), bets, *ends, earned=earned, halvings=halvings)

    def guessed(self, side: int | None = None) -> Floats:
        """Return the guesses by the first way, (answers, means): read low (0), read high (1), or halfway between."""
        rows = self._rows[: self.answers, :, 0]
        centres = rows[:, BASE] + rows[:, STEP]
        found: Floats = centres.mean(axis=1) if side is None else centres[:, side]
        return found

    def last(self, means: slice = slice(None)) -> Guess:
        """Return what the last answer said of some of the means."""
        place = self.answers - 1
        ends = self._possible[place + 1, :, means]
        shown = caps(ends, self._possible[0, :, means])
        return Guess(self._rows[place][:, :, means], bool(self._drawn[place]), ends[0], ends[1], *shown)


def caps(ends: Floats, first: Floats) -> tuple[Floats, Floats]:
    """Return how high a lower bound and how low an upper one may be: an end that nothing seen has left is the bound.

    The means lie within these ends, and lay within the `first` ones before any answer.
    """
    low = np.where(ends[0] - UNSEEN > first[0], np.inf, ends[0])
    return low, np.where(ends[1] + UNSEEN < first[1], -np.inf, ends[1])


class LearntMeans(PoolMeans):
    """The same where predictions are learnt from the answers, and hold until the next lesson."""

    def learn(self, rest: Floats, lowest: Floats, highest: Floats) -> None:
        """Predict from now on.

        Parameters
        ----------
        rest
            The sums of the predictions over the items left, shape (ways, means).
        lowest, highest
            How far below and above its prediction a value of an item left can lie: not above 0, not below 0.
        """
        self.rest = rest
        self._lowest, self._highest = np.minimum(lowest, 0.0) - _ROUNDING, np.maximum(highest, 0.0) + _ROUNDING

    def take_learnt(
        self,
        guess: Floats,
        low: ArrayLike,
        high: ArrayLike,
        *,
        probability: float | None,
        floor: float | None,
        span: tuple[ArrayLike, ArrayLike] = (0.0, 1.0),
    ) -> None:
        """Take the next answer by the predictions that were learnt.

        Parameters
        ----------
        guess
            What was predicted of the item, (ways, means).
        low, high
            The values of the item, as in `take`.
        probability, floor
            The probability of the item in its draw, and the smallest that any item had; None for a pick.
        span
            The lowest and the highest that the values of this item could be, as in `take`.
        """
        predicted = None
        if floor is not None:
            predicted = Predicted(guess, self.rest, self._lowest / floor, self._highest / floor)
        self.take(low, high, probability=probability, predicted=predicted, span=span)
        self.rest = self.rest - guess
