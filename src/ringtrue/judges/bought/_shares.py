"""Ratios of means over the pool, such as accuracies: their bounds, and the evidence about stated values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringtrue.judges._evaluation import Floats
from ringtrue.stats import Guesses, Means

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
        """Lower and upper bounds of the shares."""
        open_ = self.least < self.most
        low, high = self.least, self.most
        if open_.any():
            low = _edge(lambda share: self.log_above(share) < -np.log(alpha_low), self.least, self.most)
            high = _edge(lambda share: self.log_below(share) < -np.log(alpha_high), self.most, self.least)
        low, high = np.where(open_, low, self.least), np.where(open_, high, self.most)
        return np.minimum(low, high), np.maximum(low, high)

    def log_below(self, share: ArrayLike) -> Floats:
        """Log evidence that each share is below; none while no miss was seen."""
        return self._gap(self._drawn[-1], share).log_below(0.0)

    def log_above(self, share: ArrayLike) -> Floats:
        """Log evidence that each share is above; none while no hit was seen."""
        return self._gap(self._drawn[1], share).log_above(0.0)

    def path(self, share: ArrayLike, sign: int) -> Floats:
        """Log evidence after each answer that the shares are higher (`sign` 1) or lower (-1): for simulations."""
        return self._gap(self._whole[sign], share).path(0.0, sign)

    def _gap(self, of: tuple[Guesses, Guesses], share: ArrayLike) -> Means:
        """What is known of (1 - share) times the hits less share times the misses."""
        gap = (of[0].less(of[1], np.asarray(share, dtype=float)),)
        return Means(gap, gap, self._known.least, self._known.most, self._known.bets, *self._caps)


def _by_sign(hits: Means, misses: Means) -> dict[int, tuple[Guesses, Guesses]]:
    """Hits and misses by the sign of a bet, each read in the way that is against it."""
    return {1: (hits.low[0], misses.high[0]), -1: (hits.high[0], misses.low[0])}


def _caps(hits: Means, misses: Means) -> tuple[Floats, Floats]:
    """No hit seen: no share is shown to be above anything. No miss seen: nor below."""
    return np.where(np.isinf(hits.low_cap), np.inf, 0.0), np.where(np.isinf(misses.low_cap), -np.inf, 0.0)


def _edge(survives: Callable[[Floats], NDArray[np.bool_]], outer: Floats, inner: Floats) -> Floats:
    """The outermost places that survive, on the way from the outer end to the inner one, on their outer side."""
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
