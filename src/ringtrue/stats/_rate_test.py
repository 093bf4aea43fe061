"""Evidence for and against a limit on a failure rate, of a stream or a pool, to be looked at after every answer."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlog1py, xlogy

from ringtrue.core import InvalidInput
from ringtrue.stats._bounds import Bools, Floats, Ints, checked_level, checked_population, checked_rate
from ringtrue.stats._mixture import log_mixture_above, log_normaliser, log_null_above, pool_nulls, prior_null, ratio
from ringtrue.stats._segments import PoolSegments


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
        """Return log evidence (below, above) after each count of failures among n answers; counts are not validated."""
        k, size = np.asarray(failures), np.asarray(n)
        return self.below(k, size), self.above(k, size)

    def below(self, failures: Ints, n: Ints) -> Floats:
        """Return the first half of `evidence`, for rate <= limit."""
        return ratio(self.bet_below(failures, n), self._null_below(failures, n))

    def above(self, failures: Ints, n: Ints) -> Floats:
        """Return the second half of `evidence`, for rate > limit."""
        return ratio(self.bet_above(failures, n), self._null_above(failures, n))

    def bet_below(self, failures: Ints | int, n: Ints | int) -> Floats:
        """Return the numerator of `below`: log probability of the answers under the prior below the limit."""
        return log_mixture_above(n - failures, n, self._cut_below, self._normaliser_below)

    def bet_above(self, failures: Ints | int, n: Ints | int) -> Floats:
        """Return the numerator of `above`: log probability of the answers under the prior above the limit."""
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


class PoolEvidence:
    """The evidence of `RateTest` for a pool of which some items became known without a random draw.

    Tell it the answers in the order of asking: `draw` for an item drawn uniformly from those not asked
    about, `know` for an item picked in any other way, even by looking at earlier answers. What such a pick shows
    is used as knowledge (it is no longer among the items left), never as chance. Each answer costs a few
    logarithms, whatever came before.

    Only the likelihoods at the two nulls and at their neighbours further out are kept: the likelihood is concave
    in the number of failing items, so if the neighbour is not likelier, nothing further out is.

    >>> told = PoolEvidence(0.05, population=1000)
    >>> for _ in range(70):
    ...     told.draw(False)
    >>> below, above = told.evidence()
    >>> below >= told.test.threshold
    True
    """

    def __init__(self, limit: float, *, population: int, level: float = 0.95) -> None:
        self.test = RateTest(limit, level=level, population=population)
        self.known_failures = 0
        self.unknown = int(population)
        self.draws = 0
        self.failures = 0
        keeps, self._breaks = pool_nulls(limit, population)
        self._failing = (self._breaks, self._breaks + 1, keeps, keeps - 1)
        self._log = [0.0, 0.0, 0.0, 0.0]
        self._rows: list[list[int]] = [[0, self.unknown, 0, 0]]

    def draw(self, failed: bool) -> None:
        """Take the answer about an item drawn at random from those that were left."""
        self._use_up()
        self._since_last_known()
        for place, failing in enumerate(self._failing):
            likely = failing - self.known_failures if failed else self.unknown - failing + self.known_failures
            self._log[place] += math.log(likely / self.unknown) if likely > 0 else -math.inf
        self.draws += 1
        self.failures += failed
        self._rows[-1][2] += 1
        self._rows[-1][3] += failed
        self.known_failures += failed
        self.unknown -= 1

    def draw_all(self, failed: Bools, *, look: bool = True) -> tuple[Floats, Floats]:
        """Take the answers about items drawn one after the other; return what `evidence` was after each.

        It is minus infinity where a quick look says that it had not reached the threshold, and without `look`.
        """
        self._use_up(len(failed))
        known, unknown = self.known_failures + np.cumsum(failed), self.unknown - np.arange(len(failed))
        before = known - failed
        log = np.empty((len(self._log), len(failed)))
        for place, failing in enumerate(self._failing):
            likely = np.where(failed, failing - before, unknown - failing + before)
            with np.errstate(divide="ignore"):
                each = np.log(np.maximum(likely, 0) / unknown)
            log[place] = np.cumsum(np.concatenate([[self._log[place]], each]))[1:]
        n, failures = self.draws + np.arange(1, len(failed) + 1), self.failures + np.cumsum(failed)
        self._since_last_known()
        self._rows[-1][2] += len(failed)
        self._rows[-1][3] += int(failed.sum())
        self.draws, self.failures = int(n[-1]), int(failures[-1])
        self.known_failures, self.unknown, self._log = int(known[-1]), self.unknown - len(failed), log[:, -1].tolist()
        below, above = np.full((2, len(failed)), -np.inf)
        if not look:
            return below, above
        likeliest = xlogy(failures, failures / n) + xlog1py(n - failures, -failures / n)
        broken, kept = known >= self._breaks, known + unknown - 1 < self._breaks
        reaches = likeliest - np.minimum(log[0], log[2]) >= self.test.threshold
        may = np.flatnonzero(reaches & ~(broken | kept))
        # A likelier neighbour within the null means that the null explains the answers well: no evidence.
        one, other = may[log[1, may] <= log[0, may]], may[log[3, may] <= log[2, may]]
        below[one] = self.test.bet_below(failures[one], n[one]) - log[0, one]
        above[other] = self.test.bet_above(failures[other], n[other]) - log[2, other]
        below[broken], above[broken] = -np.inf, np.inf
        below[kept], above[kept] = np.inf, -np.inf
        return below, above

    def know(self, failed: bool) -> None:
        """Take the answer about an item that was not drawn at random."""
        self._use_up()
        self.known_failures += failed
        self.unknown -= 1

    def _since_last_known(self) -> None:
        """Begin another segment if an item became known since the last draw."""
        known_failures, unknown, draws, failures = self._rows[-1]
        if (known_failures + failures, unknown - draws) != (self.known_failures, self.unknown):
            self._rows.append([self.known_failures, self.unknown, 0, 0])

    def _use_up(self, answers: int = 1) -> None:
        if answers > self.unknown:
            raise InvalidInput(f"population={self.test.population} is used up: every item was answered already")

    def evidence(self) -> tuple[float, float]:
        """Return log evidence (below, above) for rate <= limit and for rate > limit, as of now."""
        if self.known_failures >= self._breaks:
            return -math.inf, math.inf
        if self.known_failures + self.unknown < self._breaks:
            return math.inf, -math.inf
        # A likelier neighbour within the null means that the null explains the answers well: no evidence.
        below = above = -math.inf
        if self._log[1] <= self._log[0]:
            below = float(self.test.bet_below(self.failures, self.draws)) - self._log[0]
        if self._log[3] <= self._log[2]:
            above = float(self.test.bet_above(self.failures, self.draws)) - self._log[2]
        return below, above

    def may_decide(self) -> bool:
        """Return whether the evidence can have reached the threshold: a quick no spares most looks their arithmetic.

        A mixture of rates is never likelier than the best single rate, the share that failed.
        """
        if self.known_failures >= self._breaks or self.known_failures + self.unknown < self._breaks:
            return True
        n, failures = self.draws, self.failures
        best = failures * math.log(failures / n) if failures else 0.0
        if failures < n:
            best += (n - failures) * math.log1p(-failures / n)
        return best - min(self._log[0], self._log[2]) >= self.test.threshold

    @property
    def segments(self) -> PoolSegments:
        """What was told so far, as segments whose last entry is now."""
        _, unknown, draws, _ = self._rows[-1]
        since = [] if unknown - draws == self.unknown else [[self.known_failures, self.unknown, 0, 0]]
        return PoolSegments.of(self._rows + since)
