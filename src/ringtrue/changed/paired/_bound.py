"""How far off an estimate may be, which stops a study, and where the next answers make it better."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaincinv

from ringtrue.changed._baseline import Floats, Ints
from ringtrue.changed._census import Census
from ringtrue.changed.paired._estimates import PULL, cells_of, expected_answers, groups_of, unchanged

EVEN = 0.5
"""The share of draws that fall on all items alike, whatever these weights say."""

GROWTH = 1.5
"""Weights are learnt anew when there are so many times as many answers."""

_DOUBT = 0.15
"""Variance that a group is given for what has not been seen of it, divided by its answers and one more.

Of 0.1, 0.15, 0.5 and 2 on the tuning data of benchmarks/bench_changed.py: 2 needs 10 % more calls, the others are alike
but for 31 labels, where 0.5 needs 8 % more.
"""

LOOKS = 4
"""So many looks that have nothing to do with one another are as likely to break a bound as those of a whole run.

A run looks after every batch, and ends at the look that pleases. With the whole chance of error spent on each look,
three of YELP's swaps between two labels kept the bound at every look in 80 to 85 % of the runs, which is .95 to the
fourth; `benchmarks/bench_changed_methods.py` has what is kept now.
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
    return np.asarray(np.where(left > 0, share / np.maximum(left, 1.0), spread / by_spread.sum()))


def spread_of(census: Census, counts: Floats) -> Floats:
    """Return the standard deviation of each kind's answers, with a doubt for groups that were asked little."""
    variance = 1 - (expected_answers(census, counts) ** 2).sum(axis=1)
    group = groups_of(census)
    asked = np.bincount(group, counts.sum(axis=1))[group]
    return np.asarray(np.sqrt(np.maximum(variance, 0.0) + _DOUBT / (asked + 1)))


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


def error_bound(census: Census, counts: Floats, *, level: float = 0.95, looks: int = LOOKS) -> float:
    """Return what the Frobenius error of `paired_shift` is at most, at the level, however few the answers.

    Four parts, each for a reason. The variance of the estimate, by groups of like items. What is not known of that
    variance, which is seen least when one is tempted to stop: the answers that changed are few, and their number is
    taken at its upper limit. What leaning on other kinds has moved, beyond chance: an update that mends one confusion
    and leaves another is pulled to the mean of both, the same way in every sample. And what has not been seen at all:
    so many changed items as could well have been missed, in as few cells as have room for them. The error of a matrix
    is a sum over its cells; how far the sum can exceed its mean depends on how many of them share it, by effective
    degrees of freedom, and on how often one looks (`looks`). With two labels next to one cell has all of it, so that
    luck at a single look moves the whole. Never more than if all items left were mistaken.

    Reference: Satterthwaite, Biometrics Bulletin 2 (1946); Hanley & Lippman-Hand, JAMA 249 (1983), the rule of three.
    """
    counts = np.asarray(counts, dtype=float)
    if not counts.any():
        return math.inf
    means = expected_answers(census, counts)
    return _bound(
        census, counts, means, groups_of(census), level, looks, evenly=EVEN, bias=_pulled(census, counts, means)
    )


def oneshot_bound(census: Census, counts: Floats, *, level: float = 0.95, looks: int = LOOKS) -> float:
    """Return what the Frobenius error of `oneshot_shift` is at most, at the level.

    As `error_bound`, but nothing leans on other kinds: cells without answers are off by what the others let expect.
    """
    counts = np.asarray(counts, dtype=float)
    if not counts.any():
        return math.inf
    means, cell = expected_answers(census, counts), cells_of(census)
    return _bound(census, counts, means, cell, level, looks, evenly=1.0, bias=_left_out(census, counts, means, cell))


def uniform_bound(census: Census, counts: Floats, *, level: float = 0.95, looks: int = LOOKS) -> float:
    """Return what the Frobenius error of `uniform_shift` is at most, at the level, after as many uniform draws.

    The answers may have been drawn otherwise: what they say of the new matrix tells how precise shares would be.
    """
    counts = np.asarray(counts, dtype=float)
    asked, size = counts.sum(), census.size
    if asked == 0:
        return math.inf
    shares = census.matrix(expected_answers(census, counts))
    variance = 1 - (shares**2).sum()
    if variance <= 0:
        return 0.0
    squared = ((shares - shares**2) ** 2).sum() + (shares**2).sum() ** 2 - (shares**4).sum()
    return math.sqrt((1 - asked / size) / asked * variance * _excess(variance**2 / squared, level, looks))


def _bound(
    census: Census,
    counts: Floats,
    means: Floats,
    group: Ints,
    level: float,
    looks: int,
    *,
    evenly: float,
    bias: float,
) -> float:
    asked_kind = counts.sum(axis=1)
    left_kind = census.items - asked_kind
    asked, items = np.bincount(group, asked_kind).astype(float), np.bincount(group, census.items)
    left = items - asked
    # A group of which nothing is known is as far off as one answer would leave it.
    answers = np.maximum(asked, 1.0)
    share = items / census.size
    factor = share**2 * left / np.maximum(items, 1.0) / answers
    weight = factor[group] * left_kind / np.maximum(left, 1.0)[group]
    spread = np.maximum(1 - (means**2).sum(axis=1), 0.0)
    variance = float(weight @ spread)
    # It is a sum over answers that changed, each of which adds the factor over the answers of its group: a count whose
    # own variance is known from itself.
    doubt = float(np.bincount(group, weight * spread) @ (factor / answers))
    upper = variance + math.sqrt(2 * gammaincinv(0.5, 2 * level - 1) * doubt)
    excess = _excess(_degrees(census, means, weight, variance), level, looks) if variance > 0 else 1.0
    rows = np.bincount(census.truth, left_kind) / census.size
    evenly = (1.0 if unchanged(census, counts) else evenly) * float(asked.sum())
    missed = _missed(left / census.size, asked, evenly, level)
    squared = excess * upper + bias + 2 * missed * min(missed, float(rows.max()))
    # The most that can be: all items left were expected to say one thing and say another.
    return math.sqrt(min(squared, 2 * float(rows @ rows)))


def _pulled(census: Census, counts: Floats, means: Floats) -> float:
    """Return the squared distance that leaning on other kinds has moved the estimate, less what chance alone would."""
    asked = counts.sum(axis=1)
    kinds = np.flatnonzero(asked > 0)
    answers, means = asked[kinds, None], means[kinds]
    left = (census.items - asked)[kinds, None] / census.size
    moved = np.zeros((census.labels, counts.shape[1]))
    np.add.at(moved, census.truth[kinds], left * (counts[kinds] / answers - means))
    noise = (left * PULL / (answers + PULL)) ** 2 * (means - means**2) / answers
    return max(float((moved**2).sum() - noise.sum()), 0.0)


def _left_out(census: Census, counts: Floats, means: Floats, cell: Ints) -> float:
    """Return the squared change to be expected of cells without answers, which are taken as unchanged."""
    change = means.copy()
    change[np.arange(census.kinds), census.old] -= 1.0
    unknown = np.bincount(cell, counts.sum(axis=1))[cell] == 0
    return float((census.matrix(change * unknown[:, None]) ** 2).sum())


def _missed(left: Floats, asked: Floats, evenly: float, level: float) -> float:
    """Return the largest share of items that could well have changed without any of them being asked, by shares left.

    A change that is missed by all answers of a group concerns three parts in as many of it (at 95 %, by the rule of
    three), or all of it, which leaves some of the three to other groups. And whatever the answers of a group, it hides
    no more than the draws that fall on all items alike would let it.
    """
    left, asked = left[left > 0], asked[left > 0]
    rate = np.full(len(left), 1 / evenly)
    np.divide(left, asked, out=rate, where=asked > evenly * left)
    order = np.argsort(-rate, kind="stable")
    whole = left[order] / rate[order]
    spent = np.clip(-math.log1p(-level) - (np.cumsum(whole) - whole), 0.0, whole)
    return float(spent @ rate[order])


def _degrees(census: Census, means: Floats, weight: Floats, variance: float) -> float:
    """Return the effective degrees of freedom of the error: squared trace over trace of the squared covariance."""
    squared = 0.0
    order = np.argsort(census.truth, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(census.truth[order])) + 1):
        weighted = weight[rows, None] * means[rows]
        covariance = np.diag(weighted.sum(axis=0)) - means[rows].T @ weighted
        squared += float((covariance**2).sum())
    return variance**2 / squared if squared > 0 else 1.0


def _excess(degrees: float, level: float, looks: int) -> float:
    """Return how many times its mean a sum of squares reaches, at the level, at any of the looks of a run."""
    half = max(degrees, 1.0) / 2
    return float(gammaincinv(half, 1 - (1 - level) / looks)) / half
