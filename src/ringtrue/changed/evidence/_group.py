"""Means that are guessed answer by answer: of a pool, a label or a slice, and of items that were asked for twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from ringtrue.changed._baseline import Floats, Ints
from ringtrue.core import Interval
from ringtrue.stats import EITHER, Bools, Guess, Guesses, LearntMeans, Means

HALVINGS = 20
"""A bound then errs, outwards, by less than 1e-6 of what is possible."""


class Group:
    """Means of several values per item, each 0 to 1, over items of which some are drawn by chance.

    There are two ways to predict the items left, and the stake is shared by both: what was learnt, which misses little
    on average, and the `plain` prediction, shape (kinds, values), whose misses have a short reach, so that rare values
    can be bet on boldly. The plain prediction says how it was: while no value above it was seen, no mean is shown to be
    above that of the plain predictions, and while none below it was, none to be below.

    New values may be appended as they come up.
    """

    def __init__(self, items: Ints, plain: Floats) -> None:
        self.size, values = int(items.sum()), plain.shape[1]
        self.left = items.astype(np.int64)
        self._plain = plain
        self._before: Floats = items @ plain / self.size
        self._risen, self._fallen = np.zeros((2, values), dtype=bool)
        self._lost = 0
        self._told = LearntMeans(self.size, np.zeros(values), np.full(values, float(self.size)), ways=2)
        self.learn(plain)

    @property
    def answers(self) -> int:
        return self._told.answers

    @property
    def unknown(self) -> int:
        return self.size - self._told.answers

    def learn(self, predicted: Floats) -> None:
        """Predict the values of items of each kind, shape (kinds, values), from now on."""
        self._predicted = np.stack([predicted, self._plain])
        here = self.left > 0
        present = self._predicted[:, here]
        least, most = (-present).min(axis=1, initial=0.0), (1 - present).max(axis=1, initial=0.0)
        self._told.learn(self.left[here] @ present, least, most)

    def widen(self, values: int, *, skip: int = 0) -> None:
        """Append values that came up just now; they bet on no answer before, nor on the next `skip`.

        Of the items left none is predicted to have them yet.
        """
        more = values - self._plain.shape[1]
        # An item that the model could not answer may have had the new value as well as any other.
        self._told.widen(values, (0.0, float(self._lost)), (0.0, 1.0), skip=skip)
        self._plain = np.pad(self._plain, ((0, 0), (0, more)))
        self._before, self._risen, self._fallen = (
            np.pad(part, (0, more)) for part in (self._before, self._risen, self._fallen)
        )
        self.learn(np.pad(self._predicted[0], ((0, 0), (0, more))))

    def take(self, kind: int, low: Floats, high: Floats, chance: tuple[float, float] | None) -> None:
        """Take the answer of an item of a kind.

        `low` and `high` are its values, or the lowest and highest they can be. `chance` is its probability within the
        group and the smallest of any item left there; None for a pick.
        """
        probability, floor = (None, None) if chance is None else chance
        self._told.take_learnt(self._predicted[:, kind], low, high, probability=probability, floor=floor)
        plain = self._plain[kind]
        self._risen |= low > plain
        self._fallen |= high < plain
        self._lost += bool((low < high).any())
        self.left[kind] -= 1

    def last(self) -> Guess:
        """Return what the last answer said of the means."""
        said = self._told.last()
        low_cap, high_cap = self._capped(said.low_cap, said.high_cap)
        return replace(said, low_cap=low_cap, high_cap=high_cap)

    def _capped(self, low: Floats | float, high: Floats | float) -> tuple[Floats, Floats]:
        """Return how high a lower bound and how low an upper one may be, by what was seen beside the plain guess."""
        above, below = np.where(self._risen, np.inf, self._before), np.where(self._fallen, -np.inf, self._before)
        return np.minimum(low, above), np.maximum(high, below)

    def intervals(self, alpha: Floats | float) -> tuple[Floats, Floats, Floats]:
        """Estimate, lower and upper bound of each mean, wrong at any look with a chance of at most its alpha.

        Never of zero width while an item's value is open: neighbours by one item are then kept.
        """
        means = self._means()
        low, high = means.bounds(np.asarray(alpha) / 2, np.asarray(alpha) / 2)
        point = (high - low < 1 / self.size) & (means.least < means.most)
        low = np.where(point, np.maximum(low - 1 / self.size, means.least), low)
        high = np.where(point, np.minimum(high + 1 / self.size, means.most), high)
        return np.clip(self._estimates(), low, high), low, high

    def holds(self, truth: Floats, alpha: Floats | float) -> Bools:
        """Return whether the intervals after each answer hold these means, shape (answers, values): for simulations."""
        return self._means().holds(truth, np.asarray(alpha) / 2, np.asarray(alpha) / 2)

    def _means(self) -> Means:
        means = self._told.means(EITHER, halvings=HALVINGS)
        low_cap, high_cap = self._capped(means.low_cap, means.high_cap)
        return replace(means, low_cap=low_cap, high_cap=high_cap)

    def _estimates(self) -> Floats:
        """Return the mean of all learnt guesses, weighted as in uniform draws: by one over items left, squared.

        The weights are fixed in advance, so that the estimate is unbiased at any number of answers fixed in advance.
        For uniform draws without predictions it is the plain mean of what was drawn.
        """
        told = self._told
        if not told.drawn.any():
            return np.asarray((told.known.mean(axis=0) + told.rest[0]) / self.size)
        weights = (self.size / (self.size - np.arange(told.answers))) ** 2 * told.drawn
        return np.average(told.guessed(), axis=0, weights=weights)


Outcome: TypeAlias = Literal["unchanged", "persisted", "reverted", "third"]

METHOD = "betting confidence sequence on answers asked for twice, items like these"
EXCESS = {"unchanged": 0.0, "persisted": 1.0, "reverted": -1.0, "third": 0.0}
NOISE = {"unchanged": 0.0, "persisted": 0.0, "reverted": 2.0, "third": 1.0}
_LOWEST, _HIGHEST = np.array([-1.0, 0.0]), np.array([1.0, 2.0])


def outcome(old: object, first: object, second: object) -> Outcome:
    """Return what became of an item; the second answer matters only where the first differs from the old one.

    >>> outcome("a", "a", None), outcome("a", "b", "b"), outcome("a", "b", "a"), outcome("a", "b", "c")
    ('unchanged', 'persisted', 'reverted', 'third')
    """
    if first == old:
        return "unchanged"
    if second == first:
        return "persisted"
    return "reverted" if second == old else "third"


class Repeats:
    """Takes uniformly drawn items in the order of their first asking, and bounds excess and noise.

    For one item, let excess be 1 if its change persisted, -1 if it reverted, else 0; and noise 1 if it changed, less
    its excess. On average over items and answers the excess is the rate of change less the noise, and the noise is the
    chance that two new answers to one question differ. Both are chances of the model on items like these: a pool that
    was asked in full leaves them open, because its answers were one draw of many. An item that changed and was not
    asked again, or could not be answered, is told as None and counts both ways; items behind it must wait for it.
    """

    def __init__(self) -> None:
        self._low: list[tuple[float, float]] = []
        self._high: list[tuple[float, float]] = []

    def take(self, became: Outcome | None) -> Guess:
        """Take the next item, and return what it says of the excess."""
        known = None if became is None else (EXCESS[became], NOISE[became])
        self._low.append(known or (-1.0, 0.0))
        self._high.append(known or (1.0, 2.0))
        return Guess.of_stream(None if known is None else known[0], lowest=-1.0)

    def excess(self, level: float = 0.95) -> Interval:
        """Change beyond the noise of the new model."""
        return self._interval(0, level)

    def noise(self, level: float = 0.95) -> Interval:
        """Return the chance that two new answers to one question differ."""
        return self._interval(1, level)

    def holds(self, excess: float, noise: float, level: float = 0.95) -> Bools:
        """Return whether the intervals hold this excess and this noise after each item, shape (items, 2)."""
        return self._means().holds(np.array([excess, noise]), (1 - level) / 2, (1 - level) / 2)

    def _means(self) -> Means:
        sides = []
        for values in (self._low, self._high):
            step = np.array(values, dtype=float).reshape(-1, 2)
            shape, drawn = np.zeros(step.shape), np.ones(step.shape, dtype=bool)
            sides.append((Guesses(shape, step, shape + _LOWEST, shape + _HIGHEST, drawn),))
        return Means(sides[0], sides[1], _LOWEST, np.ones(2), EITHER, halvings=HALVINGS)

    def _interval(self, which: int, level: float) -> Interval:
        if not self._low:
            return Interval(0.0, float(_LOWEST[which]), 1.0, level, METHOD, 0)
        low, high = self._means().bounds((1 - level) / 2, (1 - level) / 2)
        values = np.array([self._low, self._high], dtype=float)[:, :, which]
        estimate = float(np.clip(values.mean(), low[which], high[which]))
        return Interval(estimate, float(low[which]), float(high[which]), level, METHOD, len(self._low))
