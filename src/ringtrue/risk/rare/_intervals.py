"""From the ends of independent climbs to a probability with an interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm, t

from ringtrue.risk.rare._climb import Bools, Climb
from ringtrue.risk.rare._score import Floats
from ringtrue.stats import Bounds, clopper_pearson, tails


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Probabilities of several events, arrays by event."""

    probability: Floats
    variance: Floats
    """Of the probability; where only the draws bound it, the farther bound lies z deviations off, so it is never 0."""
    bounds: Bounds
    by_draws: Bounds
    """The binomial interval of the first draws alone, which needs no belief in the moves."""
    split: Bools
    """Whether the bounds come from the runs; otherwise they are those of the first draws."""
    spread: Floats
    """Standard deviation of the log probability between runs; NaN where a run has found no failure."""


def estimates(climbed: Climb, level: float) -> Estimates:
    """The mean over runs, which is unbiased, and an interval for it.

    The interval of the logarithm is Cox's for the mean of a log-normal variable, with the larger of the variance seen
    between runs and the variance in theory: copies that have not parted make the runs vary more than theory says, and
    a handful of runs may vary less by luck. Where failures are common, or where some run has found none, the runs add
    nothing to be trusted: the first draws give an exact binomial interval.

    Reference: Zhou & Gao, Statistics in Medicine 16 (1997), for Cox's interval.
    """
    runs = climbed.found.shape[1]
    alpha = tails(level, "both")[1]
    by_draws = clopper_pearson(climbed.hits, climbed.draws, level=level)
    split = (climbed.calls > climbed.draws) & climbed.found.all(axis=1)
    by_run = np.where(climbed.found, np.exp(climbed.log_share), 0.0)
    mean = by_run.mean(axis=1)

    logs = np.where(split[:, None], climbed.log_share, 0.0)
    seen, theory = logs.var(axis=1, ddof=1), climbed.log_variance.mean(axis=1)
    spread = np.maximum(seen, theory)
    error = t.ppf(1 - alpha, runs - 1) * np.sqrt(spread / runs + spread**2 / (2 * (runs - 1)))
    error = np.minimum(error, 700.0)  # wild runs: the exponential must not overflow before the draws cap it
    # No interval of the runs reaches beyond what the first draws exclude; none leaves out the estimate.
    high = np.where(split, np.minimum(mean * np.exp(error), by_draws.high), by_draws.high)
    low = np.where(split, mean * np.exp(-error), by_draws.low)
    bounds = Bounds(np.minimum(low, mean), np.maximum(high, mean))

    by_runs = np.maximum(by_run.var(axis=1, ddof=1), mean**2 * theory) / runs
    farther = np.maximum(bounds.high - mean, mean - bounds.low) / norm.ppf(1 - alpha)
    variance = np.where(split, by_runs, farther**2)
    return Estimates(mean, variance, bounds, by_draws, split, np.where(split, np.sqrt(seen), np.nan))
