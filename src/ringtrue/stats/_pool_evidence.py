"""Evidence about a limit on a pool's failure rate, kept up to date answer by answer."""

from __future__ import annotations

import math

from ringtrue.core import InvalidInput
from ringtrue.stats._mixture import pool_nulls
from ringtrue.stats._rate_test import RateTest
from ringtrue.stats._segments import PoolSegments


class PoolEvidence:
    """The evidence of `RateTest` for a pool of which some items became known without a random draw.

    Tell it the answers in the order of asking: `draw` for an item drawn uniformly from those nobody had asked
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
        """An item drawn at random from those that were left was answered."""
        self._use_up()
        self._open_segment()
        for place, failing in enumerate(self._failing):
            likely = failing - self.known_failures if failed else self.unknown - failing + self.known_failures
            self._log[place] += math.log(likely / self.unknown) if likely > 0 else -math.inf
        self.draws += 1
        self.failures += failed
        self._rows[-1][2] += 1
        self._rows[-1][3] += failed
        self.known_failures += failed
        self.unknown -= 1

    def know(self, failed: bool) -> None:
        """An item that was not drawn at random was answered."""
        self._use_up()
        self.known_failures += failed
        self.unknown -= 1

    def _use_up(self) -> None:
        if not self.unknown:
            raise InvalidInput(f"population={self.test.population} is used up: every item was answered already")

    def _open_segment(self) -> None:
        """Begin a new segment if an item became known since the last draw."""
        known_failures, unknown, draws, failures = self._rows[-1]
        if (known_failures + failures, unknown - draws) != (self.known_failures, self.unknown):
            self._rows.append([self.known_failures, self.unknown, 0, 0])

    def evidence(self) -> tuple[float, float]:
        """Log evidence (below, above) for rate <= limit and for rate > limit, as of now."""
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
        """Whether the evidence can have reached the threshold: a quick no spares most looks their arithmetic.

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
        told = [*self._rows]
        if self._rows[-1][1] - self._rows[-1][2] != self.unknown:
            told.append([self.known_failures, self.unknown, 0, 0])
        return PoolSegments.of([(row[0], row[1], row[2], row[3]) for row in told])
