"""Evidence about a limit on a pool's failure rate, kept up to date answer by answer."""

from __future__ import annotations

import math

from ringtrue.core import InvalidInput
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
        self._below = math.floor(limit * population + 1e-9) + 1
        self._failing = (self._below, self._below + 1, self._below - 1, self._below - 2)
        self._log = [0.0, 0.0, 0.0, 0.0]
        self._rows: list[list[int]] = [[0, self.unknown, 0, 0]]

    def draw(self, failed: bool) -> None:
        """An item drawn at random from those that were left was answered."""
        self._use_up()
        for place, failing in enumerate(self._failing):
            likely = failing - self.known_failures if failed else self.unknown - failing + self.known_failures
            self._log[place] += math.log(likely / self.unknown) if likely > 0 else -math.inf
        self.draws += 1
        self.failures += failed
        if self._rows[-1][0] + self._rows[-1][3] != self.known_failures or (
            self._rows[-1][1] - self._rows[-1][2] != self.unknown
        ):
            self._rows.append([self.known_failures, self.unknown, 0, 0])
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

    def evidence(self) -> tuple[float, float]:
        """Log evidence (below, above) for rate <= limit and for rate > limit, as of now."""
        if self.known_failures >= self._below:
            return -math.inf, math.inf
        if self.known_failures + self.unknown < self._below:
            return math.inf, -math.inf
        # A likelier neighbour within the null means that the null explains the answers well: no evidence.
        null_below = self._log[0] if self._log[1] <= self._log[0] else math.inf
        null_above = self._log[2] if self._log[3] <= self._log[2] else math.inf
        below, above = self.test.evidence_from(null_below, null_above, self.failures, self.draws)
        return float(below), float(above)

    @property
    def segments(self) -> PoolSegments:
        """What was told so far, as segments whose last entry is now."""
        last = self._rows[-1]
        now = (self.known_failures, self.unknown)
        known_since = (last[0] + last[3], last[1] - last[2]) != now
        rows = [(row[0], row[1], row[2], row[3]) for row in self._rows]
        return PoolSegments.of([*rows, (*now, 0, 0)] if known_since else rows)
