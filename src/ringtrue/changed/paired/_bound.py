"""How far off an estimate may be: the stopping rule of a study that must know the shift to within some error."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaincinv

from ringtrue.changed._census import Census
from ringtrue.changed._levels import Floats, Ints
from ringtrue.changed.paired._allocation import EVEN
from ringtrue.changed.paired._expected import expected_answers
from ringtrue.changed.paired._redrawn import groups_of, unchanged
from ringtrue.changed.paired._uniform import cells_of


def error_bound(census: Census, counts: Floats, *, level: float = 0.95) -> float:
    """The Frobenius error of `paired_shift` is at most this, at the level; stop when it is small enough.

    Three parts, each for a reason. The variance of the estimate, by groups of like items. What is not known of that
    variance, which is seen least when one is tempted to stop: the answers that changed are few, and their number is
    taken at its upper limit. And what has not been seen at all: so many changed items as could well have been missed,
    all in one cell. The error of a matrix is a sum over its cells; how far the sum can exceed its mean depends on how
    many of them share it, by effective degrees of freedom.

    Reference: Satterthwaite, Biometrics Bulletin 2 (1946); Hanley & Lippman-Hand, JAMA 249 (1983), the rule of three.
    """
    return _bound(census, np.asarray(counts, dtype=float), groups_of(census), level, evenly=EVEN)


def oneshot_bound(census: Census, counts: Floats, *, level: float = 0.95) -> float:
    """The Frobenius error of `oneshot_shift` is at most this, at the level."""
    return _bound(census, np.asarray(counts, dtype=float), cells_of(census), level, evenly=1.0)


def uniform_bound(census: Census, counts: Floats, *, level: float = 0.95) -> float:
    """The Frobenius error of `uniform_shift` is at most this, at the level, if so many items were drawn uniformly.

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
    return math.sqrt((1 - asked / size) / asked * variance * _excess(variance**2 / squared, level))


def _bound(census: Census, counts: Floats, group: Ints, level: float, *, evenly: float) -> float:
    asked_kind = counts.sum(axis=1)
    if asked_kind.sum() == 0:
        return math.inf
    means = expected_answers(census, counts)
    left_kind = census.items - asked_kind
    asked, items = np.bincount(group, asked_kind), np.bincount(group, census.items)
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
    excess = _excess(_degrees(census, means, weight, variance), level) if variance > 0 else 1.0
    # So many items of one group, or of all, could well have changed without one of them being asked.
    by_group = left / census.size * -np.expm1(np.log1p(-level) / answers)
    of_all = -math.log1p(-level) / ((1.0 if unchanged(census, counts) else evenly) * float(asked.sum()))
    missed = min(float(by_group.max()), of_all, float(left.sum()) / census.size)
    return math.sqrt(excess * upper + 2 * missed**2)


def _degrees(census: Census, means: Floats, weight: Floats, variance: float) -> float:
    """Effective degrees of freedom of the error: squared trace over trace of the square of its covariance."""
    squared = 0.0
    order = np.argsort(census.truth, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(census.truth[order])) + 1):
        weighted = weight[rows, None] * means[rows]
        covariance = np.diag(weighted.sum(axis=0)) - means[rows].T @ weighted
        squared += float((covariance**2).sum())
    return variance**2 / squared if squared > 0 else 1.0


def _excess(degrees: float, level: float) -> float:
    """How many times its mean a sum of squares reaches at the level."""
    half = max(degrees, 1.0) / 2
    return float(gammaincinv(half, level)) / half
