"""What bought labels say of every number of a panel: estimates, bounds that hold while one watches, and evidence."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from ringtrue.core import Interval
from ringtrue.judges._evaluation import Estimates
from ringtrue.judges.bought._bought_draws import BoughtDraws
from ringtrue.judges.bought._bought_finding import Price
from ringtrue.judges.bought._shares import Shares
from ringtrue.stats import SPREAD, Means, tails

METHOD = "betting confidence sequence on what votes mispredict, pool, unequal probabilities"

_ENOUGH = 30
"""From so many labels on, what a single look would give is foreseen."""


class BoughtNumbers:
    """The shares of the labels, the judges' errors and their accuracies after the first `count` answers.

    Errors and accuracies are means over the pool and ratios of such means; the intervals of a judge's error and of
    its overall accuracy are scaled to its own votes, whose number is known.
    """

    def __init__(self, draws: BoughtDraws, count: int | None = None) -> None:
        told = draws.means
        self._known = told.means(SPREAD, end=count)
        self.n = told.answers if count is None else min(count, told.answers)
        self._sketch = draws.index.sketch
        self._voted = draws.index.items @ (draws.index.patterns >= 0) / draws.size
        self._labels = len(self._sketch.labels)
        self._rights, self._pairs = self._labels + len(self._voted), self._labels * len(self._voted)
        drawn = told.drawn[: self.n]
        self._missed = draws.missed / max(int(told.drawn.sum()), 1)
        self._unasked = 1 - self.n / draws.size
        # The mean of all guesses; before the first draw, what is known and predicted.
        self._average = (told.known.mean(axis=0) + told.rest[0]) / draws.size
        if drawn.any():
            self._average = told.guessed()[: self.n][drawn].mean(axis=0)

    def _means(self, place: int, number: int = 1) -> Means:
        return self._known.of(slice(place, place + number))

    def prevalence(self, label: int) -> Means:
        """The share of items that have a label."""
        return self._means(label)

    def errors(self, judge: int) -> Means:
        """The share of all items on which a judge votes wrongly."""
        return self._means(self._labels + judge)

    def accuracy(self, judge: int, label: int) -> Shares:
        """The share of right votes among a judge's votes on the items of a label."""
        place = self._rights + judge * self._labels + label
        return Shares(self._means(place), self._means(place + self._pairs))

    @property
    def prevalences(self) -> Means:
        """The shares of all labels."""
        return self._means(0, self._labels)

    @property
    def accuracies(self) -> Shares:
        """All accuracies, by judge and then by label."""
        return Shares(self._means(self._rights, self._pairs), self._means(self._rights + self._pairs, self._pairs))

    def error_interval(self, judge: int, alpha_low: float, alpha_high: float, level: float) -> Interval:
        """A judge's wrong votes over its votes; 0 in place of an alpha leaves that side open."""
        (low,), (high,) = self.errors(judge).bounds(alpha_low, alpha_high)
        return self._error(judge, low, high, level)

    def error_intervals(self, level: float) -> tuple[Interval, ...]:
        """Each judge's wrong votes over its votes, two-sided."""
        bounds = self._means(self._labels, len(self._voted)).bounds(*tails(level, "both"))
        return tuple(self._error(judge, *ends, level) for judge, ends in enumerate(zip(*bounds, strict=True)))

    def _error(self, judge: int, low: float, high: float, level: float) -> Interval:
        estimate, voted = float(self._average[self._labels + judge]), float(self._voted[judge])
        return self._interval(estimate / voted, low / voted, high / voted, level)

    def price(self, errors: tuple[Interval, ...]) -> Price | None:
        """What watching costs: the mean width of the judges' errors beside that of as many labels fixed beforehand.

        The latter from the spread of what predictions missed, as even draws would have it, by the normal quantile with
        the labels that the difference estimator adds. None before there are enough labels to tell.
        """
        if self.n < _ENOUGH:
            return None
        z = float(ndtri((1 + errors[0].level) / 2))
        judges = slice(self._labels, self._labels + len(errors))
        spread = self._missed[judges] / self.n + z**2 / self.n**2
        once = 2 * z * np.sqrt(self._unasked * spread) / self._voted
        width = float(np.mean([one.high - one.low for one in errors]))
        return Price(width, float(once.mean()), self.n)

    def estimates(self, errors: tuple[Interval, ...]) -> Estimates:
        """Every number with its two-sided interval, each valid by itself at every look, beside the judges' errors."""
        level = errors[0].level
        alphas = tails(level, "both")
        shares = zip(self._average[: self._labels], *self.prevalences.bounds(*alphas), strict=True)
        rights, wrongs = np.split(self._average[self._rights :], 2)
        with np.errstate(invalid="ignore"):
            estimate = np.where(rights + wrongs > 0, rights / (rights + wrongs), 0.5)
        rows = [self._interval(*ends, level) for ends in zip(estimate, *self.accuracies.bounds(*alphas), strict=True)]
        accuracies = [tuple(rows[first : first + self._labels]) for first in range(0, self._pairs, self._labels)]
        return Estimates(
            judges=self._sketch.judges,
            labels=self._sketch.labels,
            prevalence=tuple(self._interval(*ends, level) for ends in shares),
            accuracy=tuple(accuracies),
            overall=tuple(self._interval(1 - one.estimate, 1 - one.high, 1 - one.low, level) for one in errors),
            target="on this test",
            method=METHOD,
        )

    def _interval(self, estimate: float, low: float, high: float, level: float) -> Interval:
        low, high = max(float(low), 0.0), min(float(high), 1.0)
        return Interval(min(max(float(estimate), low), high), low, high, level, METHOD, self.n)
