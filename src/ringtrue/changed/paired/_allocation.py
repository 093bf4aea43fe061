"""Where the next answers teach most: Neyman's allocation on what has been learnt, less what has been asked."""

from __future__ import annotations

import numpy as np

from ringtrue.changed._baseline import Floats
from ringtrue.changed._census import Census
from ringtrue.changed.paired._estimates import expected_answers, groups_of, unchanged

EVEN = 0.5
"""The share of draws that fall on all items alike, whatever these weights say."""

GROWTH = 1.5
"""Weights are learnt anew when there are so many times as many answers."""

_DOUBT = 0.15
"""Variance that a group is given for what has not been seen of it, divided by its answers and one more.

Of 0.1, 0.15, 0.5 and 2 on the tuning data of benchmarks/bench_changed.py: 2 needs 10 % more calls, the others are alike
but for 31 labels, where 0.5 needs 8 % more.
"""

_ALWAYS = 0.05
"""The part of the weights that follows the spread alone, so that every item keeps a weight."""


def draw_weights(census: Census, counts: Floats) -> Floats:
    """Return the relative weight of an item of each kind for the next draws, shape (kinds,); all positive.

    Answers of a kind are wanted in proportion to its items and to the spread of its answers (Neyman). Half of all
    draws fall on all items alike: the other half make up for what that leaves wanting by the time weights are
    learnt anew. Before a change has been seen, no item is more telling than another.

    Reference: Neyman, Journal of the Royal Statistical Society 97 (1934); Hu & Zhang, Annals of Statistics 32 (2004),
    on allocations that make up for what chance did so far.
    """
    counts = np.asarray(counts, dtype=float)
    asked = counts.sum(axis=1)
    if unchanged(census, counts):
        return np.ones(census.kinds)
    spread = spread_of(census, counts)
    left = census.items - asked
    coming = (GROWTH - 1) * asked.sum()
    wanted = shared_out(census.items * spread, census.items.astype(float), GROWTH * asked.sum())
    wanting = np.maximum(wanted - asked - EVEN * coming * left / max(left.sum(), 1.0), 0.0)
    by_spread = left * spread
    if wanting.sum() <= 0 or by_spread.sum() <= 0:
        return spread
    share = (1 - _ALWAYS) * wanting / wanting.sum() + _ALWAYS * by_spread / by_spread.sum()
    weights: Floats = np.where(left > 0, share / np.maximum(left, 1.0), spread / by_spread.sum())
    return weights


def spread_of(census: Census, counts: Floats) -> Floats:
    """Return the standard deviation of each kind's answers, with a doubt for groups that were asked little."""
    variance = 1 - (expected_answers(census, counts) ** 2).sum(axis=1)
    group = groups_of(census)
    asked = np.bincount(group, counts.sum(axis=1))[group]
    spread: Floats = np.sqrt(np.maximum(variance, 0.0) + _DOUBT / (asked + 1))
    return spread


def shared_out(claims: Floats, most: Floats, total: float, *, rounds: int = 5) -> Floats:
    """Share out the total in proportion to the claims, none above its most; what does not fit goes to the others.

    Each round fills what overflows. As many as there are claims are always enough; what is still over after five is a
    matter of single items.

    >>> shared_out(np.array([1.0, 1.0, 8.0]), np.array([10.0, 10.0, 4.0]), 10.0)
    array([3., 3., 4.])
    """
    given = np.zeros(len(claims))
    full = np.zeros(len(claims), dtype=bool)
    for _ in range(rounds):
        open_claims = np.where(full, 0.0, claims)
        rest = total - most[full].sum()
        if rest <= 0 or open_claims.sum() <= 0:
            break
        given = np.where(full, most, rest * open_claims / open_claims.sum())
        if not (given > most).any():
            break
        full |= given >= most
    return np.minimum(given, most)
