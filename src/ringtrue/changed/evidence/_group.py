"""Items of which several means are guessed: the pool, the items of one label, the items of one slice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ringtrue.changed._baseline import Floats, Ints
from ringtrue.stats import EITHER, Bools, Guess, LearntMeans, Means

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
            plain: Floats = (told.known.mean(axis=0) + told.rest[0]) / self.size
            return plain
        weights = (self.size / (self.size - np.arange(told.answers))) ** 2 * told.drawn
        found: Floats = np.average(told.guessed(), axis=0, weights=weights)
        return found
