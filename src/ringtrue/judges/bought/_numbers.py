"""What bought labels say of every number of a panel: estimates, bounds that hold while one watches, and evidence."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from ringtrue.core import Interval
from ringtrue.judges._evaluation import Estimates, Floats
from ringtrue.judges.bought._draws import BoughtDraws
from ringtrue.judges.bought._finding import Price
from ringtrue.stats import SPREAD, Guesses, Means, tails

_GRID = 33
"""Ratios at which a bound is looked for before it is halved in on: wealth against a ratio need not be monotone."""

_HALVINGS = 22


class Shares:
    """Hits over hits and misses, both means over the pool; several at once.

    A share is at most a exactly if (1 - a) times the hits less a times the misses has a mean of at most 0.
    """

    def __init__(self, hits: Means, misses: Means) -> None:
        self._known, self._caps = hits, _caps(hits, misses)
        self._whole, self._drawn = _by_sign(hits, misses), _by_sign(hits.drawn(), misses.drawn())
        with np.errstate(divide="ignore", invalid="ignore"):
            least, most = hits.least / (hits.least + misses.most), hits.most / (hits.most + misses.least)
        self.least: Floats = np.where(hits.least + misses.most > 0, least, 0.0)
        self.most: Floats = np.where(hits.most + misses.least > 0, most, 1.0)

    def bounds(self, alpha_low: float, alpha_high: float) -> tuple[Floats, Floats]:
        """Return lower and upper bounds of the shares."""
        open_ = self.least < self.most
        low, high = self.least, self.most
        if open_.any():
            low = _edge(lambda share: self.log_above(share) < -np.log(alpha_low), self.least, self.most)
            high = _edge(lambda share: self.log_below(share) < -np.log(alpha_high), self.most, self.least)
        low, high = np.where(open_, low, self.least), np.where(open_, high, self.most)
        return np.minimum(low, high), np.maximum(low, high)

    def log_below(self, share: ArrayLike) -> Floats:
        """Return the log evidence that each share is below; none while no miss was seen."""
        return self._gap(self._drawn[-1], share).log_below(0.0)

    def log_above(self, share: ArrayLike) -> Floats:
        """Return the log evidence that each share is above; none while no hit was seen."""
        return self._gap(self._drawn[1], share).log_above(0.0)

    def path(self, share: ArrayLike, sign: int) -> Floats:
        """Return the log evidence after each answer that shares are higher (`sign` 1) or lower (-1), for simulation."""
        return self._gap(self._whole[sign], share).path(0.0, sign)

    def _gap(self, of: tuple[Guesses, Guesses], share: ArrayLike) -> Means:
        """Return what is known of (1 - share) times the hits less share times the misses."""
        gap = (of[0].less(of[1], np.asarray(share, dtype=float)),)
        return Means(gap, gap, self._known.least, self._known.most, self._known.bets, *self._caps)


def _by_sign(hits: Means, misses: Means) -> dict[int, tuple[Guesses, Guesses]]:
    """Return hits and misses by the sign of a bet, each read in the way that is against it."""
    return {1: (hits.low[0], misses.high[0]), -1: (hits.high[0], misses.low[0])}


def _caps(hits: Means, misses: Means) -> tuple[Floats, Floats]:
    """Bound what may be shown: while no hit is seen no share is shown to be above, while no miss is seen none below."""
    return np.where(np.isinf(hits.low_cap), np.inf, 0.0), np.where(np.isinf(misses.low_cap), -np.inf, 0.0)


def _edge(survives: Callable[[Floats], NDArray[np.bool_]], outer: Floats, inner: Floats) -> Floats:
    """Return the outermost places that survive, on the way from the outer end to the inner one, on their outer side."""
    before, within, found = outer, inner, np.zeros(outer.shape, dtype=bool)
    for place in np.linspace(outer, inner, _GRID):
        now = survives(place) & ~found
        within, found = np.where(now, place, within), found | now
        if found.all():
            break
        before = np.where(found, before, place)
    for _ in range(_HALVINGS):
        middle = (before + within) / 2
        yes = survives(middle)
        before, within = np.where(yes, before, middle), np.where(yes, middle, within)
    return before


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
        """Return the share of items that have a label."""
        return self._means(label)

    def errors(self, judge: int) -> Means:
        """Return the share of all items on which a judge votes wrongly."""
        return self._means(self._labels + judge)

    def accuracy(self, judge: int, label: int) -> Shares:
        """Return the share of right votes among a judge's votes on the items of a label."""
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
        """Return a judge's wrong votes over its votes; 0 in place of an alpha leaves that side open."""
        (low,), (high,) = self.errors(judge).bounds(alpha_low, alpha_high)
        return self._error(judge, low, high, level)

    def error_intervals(self, level: float) -> tuple[Interval, ...]:
        """Return each judge's wrong votes over its votes, two-sided."""
        bounds = self._means(self._labels, len(self._voted)).bounds(*tails(level, "both"))
        return tuple(self._error(judge, *ends, level) for judge, ends in enumerate(zip(*bounds, strict=True)))

    def _error(self, judge: int, low: float, high: float, level: float) -> Interval:
        estimate, voted = float(self._average[self._labels + judge]), float(self._voted[judge])
        return self._interval(estimate / voted, low / voted, high / voted, level)

    def price(self, errors: tuple[Interval, ...]) -> Price | None:
        """Return what watching costs: the mean width of the errors beside that of as many labels fixed beforehand.

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
        """Return every number with its two-sided interval, each valid by itself at every look."""
        level = errors[0].level
        alphas = tails(level, "both")
        shares = zip(self._average[: self._labels], *self.prevalences.bounds(*alphas), strict=True)
        rights, wrongs = np.split(self._average[self._rights :], 2)
        with np.errstate(invalid="ignore"):
            estimate = np.where(rights + wrongs > 0, rights / (rights + wrongs), 0.5)
        accuracies = zip(estimate, *self.accuracies.bounds(*alphas), strict=True)
        rights_of = ((1 - one.estimate, 1 - one.high, 1 - one.low) for one in errors)
        numbers = (self._interval(*ends, level) for ends in chain(shares, accuracies, rights_of))
        return Estimates.of(self._sketch, numbers, "on this test", METHOD)

    def _interval(self, estimate: float, low: float, high: float, level: float) -> Interval:
        low, high = max(float(low), 0.0), min(float(high), 1.0)
        return Interval(min(max(float(estimate), low), high), low, high, level, METHOD, self.n)
