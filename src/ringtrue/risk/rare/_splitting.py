"""The probability of a rare failure in a box, by multilevel splitting, with an interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ringtrue.core import InvalidInput, count
from ringtrue.risk.rare._climb import Effort, climb
from ringtrue.risk.rare._intervals import estimates
from ringtrue.risk.rare._score import Score, checked_box
from ringtrue.stats import generator, tails


@dataclass(frozen=True, slots=True)
class RareEvent:
    """How probable failure is, and how well that is known.

    `probability` is 0 where no run has found a failure: `high` is then the answer, and is never 0. `method` says where
    `low` and `high` come from. "splitting": from the runs, all of which have found failures; they hold as far as the
    score leads to every region of failure. "draws": from the first draws alone, by the exact binomial interval, because
    failures are common or because a run has found none. `high_by_draws` is that interval's upper limit in either case.

    >>> event = multilevel_splitting(lambda points: points.min(axis=1) - 0.97, [0, 0, 0], [1, 1, 1], seed=1)
    >>> print(event)
    2.664e-05, 95% [2.438e-05, 2.91e-05], by splitting
    """

    probability: float
    low: float
    high: float
    level: float
    method: Literal["splitting", "draws"]
    runs: int
    found: int
    """How many runs have found a failure."""
    spread: float
    """Standard deviation of the log probability between runs; NaN where a run has found no failure."""
    reached: float
    """The share of the box above the level the runs have climbed to; less than that fails, if the score leads there."""
    high_by_draws: float
    variance: float
    calls: int

    @property
    def log_probability(self) -> float:
        """The natural logarithm; minus infinity where no failure was found."""
        return float(np.log(self.probability)) if self.probability else -np.inf

    def __str__(self) -> str:
        percent = f"{100 * self.level:g}%"
        if not self.probability:
            return f"at most {self.high:.4g} ({percent}): no failure found in {count(self.calls, 'point')}"
        return f"{self.probability:.4g}, {percent} [{self.low:.4g}, {self.high:.4g}], by {self.method}"


def multilevel_splitting(
    score: Score,
    low: ArrayLike,
    high: ArrayLike,
    *,
    particles: int = 1000,
    runs: int = 10,
    steps: int = 20,
    seed: int = 0,
    level: float = 0.95,
    floor: float = 1e-12,
) -> RareEvent:
    """Estimate the probability that `score` is at least 0 at a uniform point of the box from `low` to `high`.

    `runs` independent crowds of `particles` points climb the score side by side, so that each call of `score` has up to
    runs * particles rows. `steps` is the number of moves by which copies part at each level; a run that climbs to a
    share below `floor` gives up. The estimate is the mean of the runs, and its interval rests on how they differ.

    A score that is flat, or leads away from a region of failure, hides it from all runs alike, and no interval can
    tell; `high_by_draws` holds whatever the score.

    Half of the points are replaced at each level, not the last particle alone: for independent points the variance at
    equal cost is within 5 % of the last-particle method's, and the model is asked in large batches.

    References: Au & Beck, Probabilistic Engineering Mechanics 16 (2001); Cerou, Del Moral, Furon & Guyader, Statistics
    and Computing 22 (2012); Webb et al., ICLR 2019; Tit, Furon & Rousset, NeurIPS 2021.
    """
    lows, highs = checked_box(low, high)
    if lows.ndim != 1:
        raise InvalidInput(f"low of the shape {lows.shape} must be one corner: use cell_unastuteness for several boxes")
    effort = Effort(particles, runs, steps, floor)
    tails(level, "both")  # a level that is none must be told before the model is asked
    climbed = climb(lambda points, _: score(points), lows[None], highs[None], effort, generator(seed, "risk/rare"))
    found = estimates(climbed, level)
    return RareEvent(
        probability=float(found.probability[0]),
        low=float(found.bounds.low[0]),
        high=float(found.bounds.high[0]),
        level=level,
        method="splitting" if found.split[0] else "draws",
        runs=runs,
        found=int(climbed.found[0].sum()),
        spread=float(found.spread[0]),
        reached=float(np.exp(climbed.log_share[0]).mean()),
        high_by_draws=float(found.by_draws.high[0]),
        variance=float(found.variance[0]),
        calls=int(climbed.calls[0]),
    )
