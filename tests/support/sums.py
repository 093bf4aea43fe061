"""How often an interval of counts holds, without chance: summed over every way a study can go."""

import numpy as np

from ringtrue import stats
from ringtrue.testing.coverage._case import LEVEL

LONGEST = 40
RATES = np.concatenate([[0.001, 0.005, 0.01, 0.03], np.linspace(0, 1, 41)])
SUMMED = (
    (stats.rate_sequence, "watched", None),
    (stats.clopper_pearson, "fixed", None),
    (stats.pool_rate_sequence, "watched", LONGEST),
    (stats.hypergeometric, "fixed", LONGEST),
    (stats.pool_rate_sequence, "watched", 2000),
    (stats.hypergeometric, "fixed", 2000),
)
"""Intervals of counts, what they promise, and how many items their pool has."""


def coverage(interval, side, population=None):
    """How often it holds at each size, and at all sizes up to it: arrays (sizes, truths).

    The truths are some rates of a stream or of a large pool, and every number of failing items of a small one.
    """
    n, k = np.tril_indices(LONGEST + 1)
    n, k = n[1:], k[1:]
    if population is None:
        truth, options = RATES, {}
    else:
        few = np.arange(population + 1)
        failing = few if population <= LONGEST else np.round(RATES * population)
        truth, options = failing / population, {"population": population}
    bounds = interval(k, n, level=LEVEL, side=side, **options)
    low, high = np.ones((2, LONGEST + 1, LONGEST + 1))
    low[n, k], high[n, k] = bounds.low, bounds.high
    seen = np.arange(LONGEST + 1)
    chance = np.zeros((len(truth), LONGEST + 1))  # of so many failures
    chance[:, 0] = 1.0
    always = chance.copy()  # of so many, and it held until now
    once, watched = [], []
    for size in range(1, LONGEST + 1):
        fails = truth[:, None] + np.zeros(LONGEST + 1)
        if population is not None:
            fails = np.clip((failing[:, None] - seen) / (population - size + 1), 0, 1)
        held = (low[size] <= truth[:, None] + 1e-12) & (truth[:, None] <= high[size] + 1e-12)
        chance, always = (_next(each, fails) for each in (chance, always))
        always = always * held
        once.append((chance * held).sum(axis=1))
        watched.append(always.sum(axis=1))
    return np.array(once), np.array(watched)


def _next(chance, fails):
    after = chance * (1 - fails)
    after[:, 1:] += (chance * fails)[:, :-1]
    return after
