"""What bought labels say of every number of a panel: estimates, bounds that hold while one watches, and evidence."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from ringtrue.core import Interval
from ringtrue.judges._evaluation import Estimates
from ringtrue.judges.bought._bought_draws import BoughtDraws
from ringtrue.judges.bought._bought_finding import Price
from ringtrue.judges.bought._number import Mean, Share
from ringtrue.stats import SPREAD, tails

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
        drawn = told.drawn[: self.n]
        self._missed = draws.missed / max(int(told.drawn.sum()), 1)
        self._unasked = 1 - self.n / draws.size
        # The mean of all guesses; before the first draw, what is known and predicted.
        self._average = (told.known.mean(axis=0) + told.rest[0]) / draws.size
        if drawn.any():
            self._average = told.guessed()[: self.n][drawn].mean(axis=0)

    def _mean(self, place: int) -> Mean:
        return Mean(self._known.of(slice(place, place + 1)))

    def prevalence(self, label: int) -> Mean:
        """The share of items that have a label."""
        return self._mean(label)

    def errors(self, judge: int) -> Mean:
        """The share of all items on which a judge votes wrongly."""
        return self._mean(self._labels + judge)

    def accuracy(self, judge: int, label: int) -> Share:
        """The share of right votes among a judge's votes on the items of a label."""
        return Share(self._mean(self._right(judge, label)), self._mean(self._wrong(judge, label)))

    def _right(self, judge: int, label: int) -> int:
        return self._labels + len(self._sketch.judges) + judge * self._labels + label

    def _wrong(self, judge: int, label: int) -> int:
        return self._right(judge, label) + len(self._sketch.judges) * self._labels

    def error_interval(self, judge: int, alpha_low: float, alpha_high: float, level: float) -> Interval:
        """A judge's wrong votes over its votes; 0 in place of an alpha leaves that side open."""
        low, high = self.errors(judge).bounds(alpha_low, alpha_high)
        voted = float(self._voted[judge])
        return self._interval(float(self._average[self._labels + judge]) / voted, low / voted, high / voted, level)

    def error_intervals(self, level: float) -> tuple[Interval, ...]:
        """Each judge's wrong votes over its votes, two-sided."""
        return tuple(self.error_interval(judge, *tails(level, "both"), level) for judge in range(len(self._voted)))

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
        judges, labels = range(len(self._sketch.judges)), range(self._labels)
        shares = [
            self._interval(float(self._average[label]), *self.prevalence(label).bounds(*alphas), level)
            for label in labels
        ]
        accuracies = []
        for judge in judges:
            row = []
            for label in labels:
                right, wrong = (float(self._average[place(judge, label)]) for place in (self._right, self._wrong))
                estimate = right / (right + wrong) if right + wrong > 0 else 0.5
                row.append(self._interval(estimate, *self.accuracy(judge, label).bounds(*alphas), level))
            accuracies.append(tuple(row))
        return Estimates(
            judges=self._sketch.judges,
            labels=self._sketch.labels,
            prevalence=tuple(shares),
            accuracy=tuple(accuracies),
            overall=tuple(self._interval(1 - one.estimate, 1 - one.high, 1 - one.low, level) for one in errors),
            target="on this test",
            method=METHOD,
        )

    def _interval(self, estimate: float, low: float, high: float, level: float) -> Interval:
        low, high = max(low, 0.0), min(high, 1.0)
        return Interval(min(max(estimate, low), high), low, high, level, METHOD, self.n)
