"""Which pairs of judges err together, judged by all the other judges and without a fit that they could mislead."""

from __future__ import annotations

import numpy as np

from ringtrue.core import InvalidInput, Sketch, count
from ringtrue.judges._evaluation import Floats
from ringtrue.judges.latent._arrays import arrays_of
from ringtrue.judges.latent._em import Votes
from ringtrue.judges.latent._residuals import pair_tables

COMMON = 10
"""Pairs with fewer common items have no correlation worth comparing."""

BUSIEST = 12
"""A pair is compared with at most so many others, those with the most votes: that makes 132 comparisons."""


def pair_excess(sketch: Sketch) -> Floats:
    """By how much the votes of each pair correlate more than those of independent judges would: (judges, judges).

    For two labels and five judges or more. If judges i, j, k and l err independently, the covariance of i and j is that
    of i and k times that of j and l over that of k and l. The excess is the correlation of i and j less the median of
    what all pairs k and l of others make of it, so that a few judges who err together do not spoil the comparison of
    the rest: unlike `pair_residuals` of a fit, which two judges who err together can draw to themselves until the
    others seem to be at fault. Still, if most judges err together nothing in the votes tells. 0 on the diagonal, and
    for pairs with fewer than ten common items or without others to compare with.

    >>> rates = [0.8, 0.8, 0.8, 0.7, 0.7]
    >>> sketch = Sketch([*"abcde"], ["no", "yes"])
    >>> for code in range(32):
    ...     votes = [code >> place & 1 for place in range(5)]
    ...     yes, no = (np.prod([r if v == t else 1 - r for r, v in zip(rates, votes)]) for t in (1, 0))
    ...     together = 1.5 if votes[3] == votes[4] else 0.5
    ...     sketch.count(tuple(votes), round(10**6 * together * (yes + no)))
    >>> pair_excess(sketch).round(2).tolist()[3]
    [0.0, 0.0, 0.0, 0.0, 0.3]

    Reference: Spearman, The abilities of man (1927), for the vanishing tetrads.
    """
    if len(sketch.labels) != 2:
        raise InvalidInput(f"the sketch has {len(sketch.labels)} labels, not two: use pair_residuals for more labels")
    judges = len(sketch.judges)
    if judges < 5:
        raise InvalidInput(
            f"the sketch has {count(judges, 'judge')}: with fewer than five, two who err together cannot be told from "
            "the others"
        )
    patterns, counts = arrays_of(sketch)
    tables = pair_tables(Votes.of(patterns, counts, 2), float(counts.sum()))
    common = tables.sum(axis=(2, 3))
    shares = tables / np.maximum(common, 1)[:, :, None, None]
    one, other = shares.sum(axis=3)[:, :, 1], shares.sum(axis=2)[:, :, 1]
    covariance = np.where(common >= COMMON, shares[:, :, 1, 1] - one * other, 0.0)
    spread = np.sqrt(one * (1 - one) * other * (1 - other))
    busy = np.argsort(-np.diagonal(common), kind="stable")
    excess = np.zeros((judges, judges))
    for i in range(judges):
        for j in range(i):
            others = [place for place in busy.tolist() if place not in (i, j)][:BUSIEST]
            below = covariance[np.ix_(others, others)]
            above = np.outer(covariance[i, others], covariance[j, others])
            usable = (below != 0) & (above != 0) & ~np.eye(len(others), dtype=bool)
            if covariance[i, j] and usable.any():
                expected = np.median(above[usable] / below[usable])
                excess[i, j] = excess[j, i] = (covariance[i, j] - expected) / spread[i, j]
    return excess
