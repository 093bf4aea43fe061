"""Whether the weights make the pool look like operation: feature means before and after weighting."""

from __future__ import annotations

import numpy as np

from ringtrue.core import Batch
from ringtrue.risk.profiles._cells import numbers
from ringtrue.risk.profiles._weights import Balance, ProfileWeights


def balance(profile: ProfileWeights, pool: Batch, operation: Batch) -> tuple[Balance, ...]:
    """How far operation's mean of each feature lies above the pool's, in standard deviations averaged over both.

    After weighting, the unassessed part of operation is left out, since the weights do not speak for it.
    """
    if profile.score is None:
        return ()
    here, there = numbers(pool, profile.score.features), numbers(operation, profile.score.features)
    lacking = {one.values for one in profile.lacking}
    assessed = np.array([values not in lacking for values in profile.values_of(operation)], dtype=bool)
    weights = profile.weights(pool)
    spread = np.sqrt((here.var(axis=0) + there.var(axis=0)) / 2)
    before = (there.mean(axis=0) - here.mean(axis=0)) / spread
    after = np.zeros(len(spread))
    if assessed.any() and weights.any():
        after = (there[assessed].mean(axis=0) - np.average(here, axis=0, weights=weights)) / spread
    # Eight digits are far more than are told, and they do not vary with the order of a sum.
    named = zip(profile.score.features, before.round(8).tolist(), after.round(8).tolist(), strict=True)
    return tuple(Balance(*one) for one in named)
