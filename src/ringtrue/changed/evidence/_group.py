"""Items of which several means are guessed: the pool, the items of one label, the items of one slice."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ringtrue.changed._levels import Floats, Ints
from ringtrue.changed.evidence._guess import Guess, Way
from ringtrue.stats._betting import UNSEEN
from ringtrue.stats._controlled import Guesses, Means

Bools: TypeAlias = NDArray[np.bool_]

_ROUNDING = 1e-9
"""Added to what a value can miss its prediction by: rounding must not make the truth look impossible."""


class Group:
    """Means of several values per item, each within `span`, over items of which some are drawn by chance.

    A guess of a mean is what is known, plus what is predicted of the items left, plus what the prediction of the
    drawn item missed over its chance: unbiased whatever was predicted. There are two ways to predict, and the stake is
    shared by both: what was learnt, which misses little on average, and the `plain` prediction, shape (kinds, values),
    whose misses have a short reach, so that rare values can be bet on boldly. The plain prediction says how it was:
    while no value above it was seen, no mean is shown to be above that of the plain predictions, and while none below
    it was, none to be below.

    New values may be appended as they come up; an answer counts as drawn for a value only if the value existed before
    it (`start`), because a value that is looked at for what came up must be judged by what comes after.
    """

    def __init__(self, items: Ints, plain: Floats, *, span: tuple[float, float] = (0.0, 1.0)) -> None:
        self.size = self.unknown = int(items.sum())
        self.left = items.astype(np.int64)
        self.answers = 0
        self.start = np.zeros(plain.shape[1], dtype=np.int64)
        self._span = span
        self._plain = plain
        self._before: Floats = items @ plain / max(self.size, 1)
        self._risen, self._fallen = np.zeros((2, plain.shape[1]), dtype=bool)
        self._known_low, self._known_high = np.zeros((2, plain.shape[1]))
        self._lost = 0
        self._rows: list[Floats] = []
        self._drawn: list[bool] = []
        self._weights: list[float] = []
        self.learn(plain)

    def learn(self, predicted: Floats) -> None:
        """Predict the values of items of each kind, shape (kinds, values), from now on."""
        self._predicted = np.stack([predicted, self._plain])
        here = self.left > 0
        present, (low, high) = self._predicted[:, here], self._span
        self._totals: Floats = self.left[here] @ present
        self._lowest = np.minimum((low - present).min(axis=1, initial=0.0), 0.0) - _ROUNDING
        self._highest = np.maximum((high - present).max(axis=1, initial=0.0), 0.0) + _ROUNDING

    def widen(self, values: int, *, skip: int = 0) -> None:
        """Append values that came up just now; they bet on no answer before, nor on the next `skip`.

        Of the items left none is predicted to have them yet.
        """
        more = values - len(self.start)
        self.start = np.append(self.start, np.full(more, self.answers + skip))
        self._known_low = np.pad(self._known_low, (0, more))
        # An item that nobody could answer may have had the new value as well as any other.
        self._known_high = np.pad(self._known_high, (0, more), constant_values=self._lost * self._span[1])
        self._plain = np.pad(self._plain, ((0, 0), (0, more)))
        self._before, self._risen, self._fallen = (
            np.pad(part, (0, more)) for part in (self._before, self._risen, self._fallen)
        )
        self.learn(np.pad(self._predicted[0], ((0, 0), (0, more))))

    def take(self, kind: int, low: Floats, high: Floats, probability: float, floor: float) -> None:
        """An item of a kind was answered; `probability` and `floor` are within the group, NaN for a pick.

        `low` and `high` are its values, or the lowest and highest they can be.
        """
        drawn = not math.isnan(probability)
        reach, weight = (1 / floor / self.size, 1 / probability / self.size) if drawn else (0.0, 0.0)
        predicted = self._predicted[:, kind]
        bases = ((known + self._totals) / self.size for known in (self._known_low, self._known_high))
        steps = ((value - predicted) * weight for value in (low, high))
        self._rows.append(np.stack([*bases, *steps, self._lowest * reach, self._highest * reach]))
        self._drawn.append(drawn)
        self._weights.append((self.size / self.unknown) ** 2 * drawn)
        self._known_low, self._known_high = self._known_low + low, self._known_high + high
        self._totals = self._totals - predicted
        self._risen = self._risen | (low > self._plain[kind])
        self._fallen = self._fallen | (high < self._plain[kind])
        self._lost += bool((low < high).any())
        self.left[kind] -= 1
        self.unknown -= 1
        self.answers += 1

    def last(self, value: int) -> Guess:
        """What the last answer said of one mean."""
        least, most = (float(end[value]) for end in self.possible)
        ways = tuple(Way(*row) for row in self._rows[-1][:, :, value].T.tolist())
        low_cap, high_cap = (float(cap[value]) for cap in self._caps)
        return Guess(ways, self._drawn[-1], least, most, low_cap, high_cap)

    @property
    def possible(self) -> tuple[Floats, Floats]:
        """The lowest and highest that each mean can be, by what is known."""
        low, high = self._span
        return (self._known_low + self.unknown * low) / self.size, (self._known_high + self.unknown * high) / self.size

    @property
    def _caps(self) -> tuple[Floats, Floats]:
        """How high a lower bound and how low an upper one may be, by what was seen; an end not left yet stays."""
        (least, most), (low, high) = self.possible, self._span
        above, below = np.where(self._risen, np.inf, self._before), np.where(self._fallen, -np.inf, self._before)
        return np.where(least <= low + UNSEEN, least, above), np.where(most >= high - UNSEEN, most, below)

    def intervals(self, alpha: Floats | float) -> tuple[Floats, Floats, Floats]:
        """Estimate, lower and upper bound of each mean, wrong at any look with a chance of at most its alpha.

        Never of zero width while an item's value is open: neighbours by one item are then kept.
        """
        means = self._means()
        low, high = means.bounds(np.asarray(alpha) / 2, np.asarray(alpha) / 2)
        point = (high - low < 1 / self.size) & (means.least < means.most)
        low = np.where(point, np.maximum(low - 1 / self.size, means.least), low)
        high = np.where(point, np.minimum(high + 1 / self.size, means.most), high)
        return np.clip(self._estimates(means), low, high), low, high

    def holds(self, truth: Floats, alpha: Floats | float) -> Bools:
        """Whether the intervals after each answer hold these means, shape (answers, values): for simulations."""
        return self._means().holds(truth, np.asarray(alpha) / 2, np.asarray(alpha) / 2)

    def _means(self) -> Means:
        parts = np.zeros((len(self._rows), 6, 2, len(self.start)))
        for place, row in enumerate(self._rows):
            parts[place, :, :, : row.shape[2]] = row
        drawn = np.array(self._drawn, dtype=bool)[:, None] & (np.arange(len(self._rows))[:, None] >= self.start)
        lows, highs = (
            tuple(
                Guesses(parts[:, side, way], parts[:, side + 2, way], parts[:, 4, way], parts[:, 5, way], drawn)
                for way in range(2)
            )
            for side in range(2)
        )
        return Means(lows, highs, *self.possible, *self._caps)

    def _estimates(self, means: Means) -> Floats:
        """The mean of all guesses by what was learnt, weighted as in uniform draws: by one over items left, squared.

        The weights are fixed in advance, so that the estimate is unbiased at any number of answers fixed in advance.
        For uniform draws without predictions it is the plain mean of what was drawn.
        """
        if not any(self._drawn):
            plain: Floats = ((self._known_low + self._known_high) / 2 + self._totals[0]) / self.size
            return plain
        low, high = means.low[0], means.high[0]
        found: Floats = np.average((low.base + low.step + high.base + high.step) / 2, axis=0, weights=self._weights)
        return found
