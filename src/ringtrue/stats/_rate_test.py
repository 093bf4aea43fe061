"""Evidence for and against a limit on a failure rate that may be looked at after every answer."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.stats._bounds import Floats, Ints, checked_level, checked_population, checked_rate
from ringtrue.stats._mixture import log_mixture_above, log_normaliser, log_null_above, pool_nulls, prior_null, ratio


class RateTest:
    """Two sequential tests of one limit: `below` speaks for rate <= limit, `above` for rate > limit.

    Each is a likelihood ratio. The numerator is the probability of the answers when the rate is drawn from a prior
    on the side that the test speaks for; the denominator is their probability under the null. A value of 1/alpha
    is reached with a chance of at most alpha if the null is true, however often one looks (Ville's inequality).
    Decide when `log_below` or `log_above` reaches `threshold` = log(1 / (1 - level)): only one of the two nulls is
    true, so the chance that a verdict is ever wrong is at most 1 - level.

    In a stream the null is a whole range of rates, yet testing at the limit suffices: given the past, the expected
    factor by which `below` grows is linear in the true rate, is 1 at the limit, and falls with the rate because
    the numerator always bets on fewer failures than the limit; `above` mirrors it.

    In a pool of `population` items drawn without replacement, the limit separates `null_above` = floor(limit *
    population) failing items, the most that still keeps the limit, from `null_below`, one more. There the
    denominator is the largest probability under any number of failing items in the null, which is at least that
    under the true number. It is the one at `null_below` (`null_above`) unless more (fewer) failing items explain
    the answers better; then there is no evidence to speak of anyway.

    >>> test = RateTest(0.05, level=0.95)
    >>> below, above = test.evidence(0, 70)
    >>> bool(below >= test.threshold), bool(above >= test.threshold)
    (True, False)
    >>> RateTest(0.05, population=1000).null_below
    51

    References: Robbins, Annals of Mathematical Statistics 41 (1970); Waudby-Smith & Ramdas, NeurIPS 2020 (pools);
    Wasserman, Ramdas & Balakrishnan, PNAS 117 (2020) (the largest probability under a null of several values).
    """

    def __init__(self, limit: float, *, level: float = 0.95, population: int | None = None) -> None:
        self.limit = checked_rate("limit", limit)
        self.level = checked_level(level)
        self.threshold = -math.log1p(-self.level)
        self.population = None if population is None else checked_population(population)
        self.null_below: int | None = None
        self.null_above: int | None = None
        below = above = self.limit
        if self.population is not None:
            self.null_above, self.null_below = pool_nulls(self.limit, self.population)
            above = float(prior_null(self.null_above, self.population))
            below = float(prior_null(self.null_below, self.population))
        self._cut_above, self._cut_below = above, 1 - below  # the below test sees successes as failures
        self._normaliser_above, self._normaliser_below = log_normaliser(above), log_normaliser(1 - below)

    def evidence(self, failures: ArrayLike, n: ArrayLike) -> tuple[Floats, Floats]:
        """Log evidence (below, above) after each count of failures among n answers; counts are not validated."""
        k, size = np.asarray(failures), np.asarray(n)
        return self.evidence_from(self._null_below(k, size), self._null_above(k, size), k, size)

    def below(self, failures: Ints, n: Ints) -> Floats:
        """The first half of `evidence`, for rate <= limit."""
        return ratio(self.bet_below(failures, n), self._null_below(failures, n))

    def above(self, failures: Ints, n: Ints) -> Floats:
        """The second half of `evidence`, for rate > limit."""
        return ratio(self.bet_above(failures, n), self._null_above(failures, n))

    def bet_below(self, failures: Ints | int, n: Ints | int) -> Floats:
        """The numerator of `below`: log probability of the answers under the prior below the limit."""
        return log_mixture_above(n - failures, n, self._cut_below, self._normaliser_below)

    def bet_above(self, failures: Ints | int, n: Ints | int) -> Floats:
        """The numerator of `above`: log probability of the answers under the prior above the limit."""
        return log_mixture_above(failures, n, self._cut_above, self._normaliser_above)

    def _null_below(self, k: Ints, n: Ints) -> Floats:
        if self.population is None or self.null_below is None:
            return self._at_limit(k, n)
        if self.null_below > self.population:  # every number of failing items keeps the limit
            return np.full(np.broadcast_shapes(k.shape, n.shape), -np.inf)
        return log_null_above(n - k, n, self.population - self.null_below, self.population)

    def _null_above(self, k: Ints, n: Ints) -> Floats:
        if self.population is None or self.null_above is None:
            return self._at_limit(k, n)
        return log_null_above(k, n, self.null_above, self.population)

    def _at_limit(self, k: Ints, n: Ints) -> Floats:
        at_limit: Floats = k * math.log(self.limit) + (n - k) * math.log1p(-self.limit)
        return at_limit

    def evidence_from(
        self, log_null_below: ArrayLike, log_null_above: ArrayLike, failures: ArrayLike, n: ArrayLike
    ) -> tuple[Floats, Floats]:
        """Log evidence (below, above) when the caller knows how probable the answers are under each null.

        `log_null_below` is the largest log probability of the random draws under any number of failing items from
        `null_below` up, `log_null_above` the same from `null_above` down. Where some items became known without a
        random draw, `PoolEvidence` keeps these sums. `failures` and `n` count the random draws alone: the
        numerator may be any bet made before each draw.
        """
        k, size = np.asarray(failures), np.asarray(n)
        return (
            ratio(self.bet_below(k, size), np.asarray(log_null_below)),
            ratio(self.bet_above(k, size), np.asarray(log_null_above)),
        )
